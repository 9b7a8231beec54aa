/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_stream.h
 * @brief Scans of host data of any size through a device of any memory, in chunks: copies in, scans and copies out go
 * on at the same time. Included by scan.h.
 */
#ifndef SCANRT_SCAN_STREAM_H
#define SCANRT_SCAN_STREAM_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Gives `items` elements of the input from number `first` on. Called in order, on the calling thread.
 *  @param[out] to  room for them. @return 0; anything else ends the scan with SCAN_CANCELLED. */
typedef int scan_stream_read(void *user, uint64_t first, uint64_t items, void *to);

/** Takes `items` results from number `first` on. Called in order, on the calling thread; `from` is valid during the
 *  call. @return 0; anything else ends the scan with SCAN_CANCELLED. */
typedef int scan_stream_write(void *user, uint64_t first, uint64_t items, const void *from);

/** Called on the calling thread whenever a chunk's results have been delivered: `done` of n elements are.
 *  @return 0; anything else ends the scan with SCAN_CANCELLED. */
typedef int scan_stream_progress(void *user, uint64_t done, uint64_t n);

/** Options of scan_stream. Zero or NULL means the default. */
typedef struct scan_stream_options {
  size_t struct_bytes;      /**< sizeof(scan_stream_options), set by SCAN_STREAM_OPTIONS_INIT. */
  uint64_t device_bytes;    /**< Most device memory for the data; the workspace, less than a hundredth of that, comes on
                               top.  0: 96 MiB for an accumulator as wide as the input, which is enough for full speed. */
  uint64_t chunk_items;     /**< Elements of a chunk; 0: 32 MiB of the wider side. At most as many as device_bytes
                               allows, whatever is asked for: scan_stream_chunk tells. */
  scan_stream_read *read;   /**< Gives the input when `in` is NULL. */
  scan_stream_write *write; /**< Takes the results when `out` is NULL. */
  scan_stream_progress *progress; /**< Called after each chunk; NULL: not called. */
  void *user;                     /**< Handed to the three. */
  scan_mem marks;                 /**< As in scan_args, host memory, for all elements; apart from `out`. */
  uint64_t mark_count;            /**< As in scan_args. */
  scan_mem carry_in;              /**< As in scan_args, of the device or the host. */
  scan_mem carry_out;             /**< As in scan_args, of the device or the host. */
} scan_stream_options;

/** Initialiser of scan_stream_options. */
#define SCAN_STREAM_OPTIONS_INIT                                                                                       \
  SCAN_INITIALISER(scan_make_<scan_stream_options>(), { .struct_bytes = sizeof(scan_stream_options) })

/** Sets *options to the default. @param struct_bytes sizeof(scan_stream_options) as the caller was compiled. */
SCAN_API void scan_stream_options_init(scan_stream_options *options, size_t struct_bytes);

/**
 * Scans n elements of host memory through the device, chunk after chunk, and returns when it is done. On the host
 * backend nothing is copied.
 *
 * The result is that of the chunks scanned one after the other, each begun from what the one before left
 * (scan_args.carry_out): for integers, minima and maxima that of scan_run. The bits of floating-point sums and products
 * depend on the input, n, type, operator and the elements of a chunk (scan_stream_chunk) and on nothing else: for a
 * given chunk_items they are the same on every device, and with n up to chunk_items those of scan_run.
 *
 * Page-locked memory (scan_stream_pin, or the application's own) is copied by the device directly; on CUDA other memory
 * passes through page-locked buffers of the library's, copied there by several threads.
 *
 * Scans with SCAN_BACKWARD go through the chunks from the last to the first: callbacks are called in that order. With
 * SCAN_CHECK_OVERFLOW the host waits for each chunk's scan.
 *
 * Offsets of segments count the elements of the whole, and maps and emits see the indices of the whole.
 *
 * @param spec     what to scan; the carries of the options are those of the whole. With SCAN_SEGMENTS_BITS chunks are
 * of a multiple of 32 elements. No total: of an inclusive scan carry_out is it.
 * @param n        number of elements; 0 succeeds as in scan_run.
 * @param in       n elements; NULL: options->read gives them.
 * @param[out] out n elements; may be exactly `in` when both types have one size; any other overlap is refused. NULL:
 *                 options->write takes them.
 * @param options  NULL or initialised with SCAN_STREAM_OPTIONS_INIT.
 * @return SCAN_CANCELLED when a callback said so: what was delivered is right, the rest of `out` is unspecified, and
 * the context is usable. SCAN_NO_PROGRESS: what was delivered is not to be trusted. Callbacks must not use the context.
 */
SCAN_API scan_status scan_stream(scan_ctx *ctx, const scan_spec *spec, uint64_t n, const void *in, void *out,
                                 const scan_stream_options *options);

/** The elements of a chunk of such a scan. @param[out] items  at most n, at least 1. */
SCAN_API scan_status scan_stream_chunk(scan_ctx *ctx, const scan_spec *spec, uint64_t n,
                                       const scan_stream_options *options, uint64_t *items);

/** Page-locks host memory for scan_stream, which takes about as long as reading it: for memory that is used several
 *  times. Succeeds without doing anything where the backend has no use for it. Undo it before the memory is freed and
 *  the context destroyed. */
SCAN_API scan_status scan_stream_pin(scan_ctx *ctx, void *memory, uint64_t bytes);

/** Undoes scan_stream_pin. @param memory as it was given there. */
SCAN_API scan_status scan_stream_unpin(scan_ctx *ctx, void *memory);

#ifdef __cplusplus
}
#endif
#endif
