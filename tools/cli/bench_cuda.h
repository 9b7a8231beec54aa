/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_cuda.h
 * @brief The CUDA driver functions that `scanrt bench` needs beside the library: events, graphs, an empty kernel.
 *
 * The driver is opened at run time. Functions that can fail return CLI_OK, or CLI_FAILED after saying why.
 */
#ifndef SCANRT_CLI_BENCH_CUDA_H
#define SCANRT_CLI_BENCH_CUDA_H

#include <stdint.h>

#include <scanrt/scan.h>

typedef struct bench_cuda bench_cuda;   /**< A device's primary context, current on the thread. */
typedef struct bench_graph bench_graph; /**< An instantiated graph. */

/** Makes the primary context of device `ordinal`, in which `ctx` works, current.
 * @param[out] opened  close with bench_cuda_close, before `ctx` is destroyed */
int bench_cuda_open(scan_ctx *ctx, int ordinal, bench_cuda **opened);
void bench_cuda_close(bench_cuda *cuda); /**< NULL is accepted. */

/** Returns the scan context's stream, a CUstream. */
void *bench_cuda_stream(const bench_cuda *cuda);

/** Records the begin (`end` 0) or the end (1) of a timing on the stream. */
int bench_cuda_mark(bench_cuda *cuda, int end);

/** Waits for the end of a timing. @param[out] seconds  between its begin and end, by the device's clock */
int bench_cuda_elapsed(bench_cuda *cuda, double *seconds);

/** Launches a kernel that does nothing, with as many arguments as the library's kernels take. */
int bench_cuda_launch_empty(bench_cuda *cuda);

/** Copies host memory to the device and back in parallel, in pieces of `piece` bytes, and waits.
 * @param device_in, device_out  CUdeviceptrs of `piece` bytes each */
int bench_cuda_copy_both(bench_cuda *cuda, const void *in, uint64_t in_bytes, void *out, uint64_t out_bytes,
                         uint64_t piece, unsigned long long device_in, unsigned long long device_out);

/** Records calls into a graph. @param record_call  enqueues call number `i`; returns CLI_OK or CLI_FAILED
 * @param[out] recorded  destroy with bench_graph_destroy, before `cuda` is closed */
int bench_graph_record(bench_cuda *cuda, uint64_t calls, int (*record_call)(void *state, uint64_t i), void *state,
                       bench_graph **recorded);
int bench_graph_launch(bench_graph *graph);   /**< Enqueues all recorded calls. */
void bench_graph_destroy(bench_graph *graph); /**< NULL is accepted. */

#endif
