/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encoding in one pass over the keys. Chunks are claimed in order, as host_select.h's tiles: a thread finds
 * where runs begin and publishes how many there are and where the last one begins, gets the same of all chunks before,
 * and writes its keys and indices, and the lengths of the runs that end before one of its own begins. */
#ifndef SCANRT_HOST_ENCODE_H
#define SCANRT_HOST_ENCODE_H

#include "device/host/host_select.h"

typedef struct host_encode {
  host_group *mark; /* makes the bits of runs' first elements; NULL: the kernel is another */
  const host_fronts *fronts;
  uint32_t key_bytes;
} host_encode;

/* A launch, which threads work on by scan_host_encode_work. `seats`: HOST_SELECT_SEAT_BYTES a thread. */
typedef struct host_encode_task {
  const host_encode *how;
  const scan_kernel_args *args;
  uint8_t *seats;
  uint64_t n, chunks;
  uint32_t chunk_items, length_bytes, start_bytes;
  uint64_t place, last; /* runs in the chunks that are folded, and where the last of them begins */
} host_encode_task;

/* What the kernel is made of. */
host_encode scan_host_encode_find(const scan_kernel_key *key, uint32_t register_bytes);

void scan_host_encode_open(host_encode_task *task, const host_encode *how, const scan_kernel_args *args, uint8_t *seats,
                           unsigned threads);
void scan_host_encode_work(void *work, host_thread *me);

/* Once all threads are done: writes the last length, and tells how many runs there are. */
void scan_host_encode_close(const host_encode_task *task);

#endif
