/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction by key in one pass over keys and values, for built-in sums of values of 4 and 8 bytes. Chunks are
 * claimed in order, as host_select.h's tiles: a thread finds where runs end and reduces those that do, in the canonical
 * order; publishes how many they are and what its tiles come to; gets the place of its first result and what comes
 * before its tiles, once all chunks before have published; then it completes the results that go back to before a tile,
 * and writes all. */
#ifndef SCANRT_HOST_REDUCE_H
#define SCANRT_HOST_REDUCE_H

#include "device/host/host_prefix.h"
#include "device/host/host_select.h"

typedef struct host_reduce {
  host_group *mark; /* makes the bits of runs' last elements; NULL: the kernel is another */
  const host_fronts *fronts;
  host_block_kernel block;
  const scan_source *source;
  scan_type key_type;
} host_reduce;

/* A launch, which threads work on by scan_host_reduce_work. `seats`: HOST_SELECT_SEAT_BYTES a thread. */
typedef struct host_reduce_task {
  const host_reduce *how;
  const scan_kernel_args *args;
  uint8_t *seats;
  job job; /* of the scan whose values at runs' last elements are the results */
  uint64_t n, chunks;
  uint32_t chunk_items, key_bytes;
  host_stream *stream_keys, *stream_values; /* or NULL, as host_select_task has it */
  uint64_t place;                           /* behind the chunks that are folded; likewise: */
  running prefix;
} host_reduce_task;

/* What the kernel is made of. */
host_reduce scan_host_reduce_find(const scan_kernel_key *key, uint32_t register_bytes);

void scan_host_reduce_open(host_reduce_task *task, const host_reduce *how, const scan_kernel_args *args, uint8_t *seats,
                           unsigned threads);
void scan_host_reduce_work(void *work, host_thread *me);

/* Once all threads are done: tells how many runs there are. */
void scan_host_reduce_close(const host_reduce_task *task);

#endif
