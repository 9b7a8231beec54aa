/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction by key in one pass over keys and values, for built-in sums of values of 4 and 8 bytes. Chunks are claimed
 * in order, like host_select.h's tiles. A thread finds where runs end, reduces those runs in the canonical order, and
 * publishes their number and its tiles' totals. Once all chunks before have published, it receives the place of its
 * first result and the values before its tiles. Then it completes the results whose runs began before a tile, and
 * writes all results. */
#ifndef SCANRT_HOST_REDUCE_H
#define SCANRT_HOST_REDUCE_H

#include "device/host/scan/host_prefix.h"
#include "device/host/select/host_select.h"

typedef struct host_reduce {
  host_group *mark; /* makes the bits of runs' last elements; NULL: the kernel is no reduction */
  const compress_stores *stores;
  simd_rows8_kernel block;
  const scan_source *source;
  scan_type key_type;
} host_reduce;

/* A launch, executed by threads in scan_host_reduce_work. `thread_scratch`: scratch memory of HOST_SELECT_SCRATCH_BYTES
 * for each thread. */
typedef struct host_reduce_task {
  const host_reduce *how;
  const scan_kernel_args *args;
  uint8_t *thread_scratch;
  job job; /* the scan whose values at runs' last elements are the results */
  uint64_t n, chunks;
  uint32_t chunk_items, key_bytes;
  host_stream *stream_keys, *stream_values; /* or NULL, as in host_select_task */
  uint64_t place; /* number of results of the folded chunks; `prefix` is their running prefix */
  running prefix;
} host_reduce_task;

/* Finds the parts of the kernel; .mark is NULL if the key names another kernel. */
host_reduce scan_host_reduce_find(const scan_kernel_key *key, uint32_t register_bytes);

void scan_host_reduce_open(host_reduce_task *task, const host_reduce *how, const scan_kernel_args *args,
                           uint8_t *thread_scratch, unsigned threads);
void scan_host_reduce_work(void *work, host_thread *me);

/* Call when all threads are done: reports the number of runs. */
void scan_host_reduce_close(const host_reduce_task *task);

#endif
