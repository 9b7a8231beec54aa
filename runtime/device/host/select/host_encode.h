/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encoding in one pass over the keys. Chunks are claimed in order, like host_select.h's tiles. A thread
 * finds where runs begin, publishes their number and the beginning of the last one, and receives the same of all chunks
 * before. Then it writes its keys and indices, and the lengths of the runs that end before one of its own begins. */
#ifndef SCANRT_HOST_ENCODE_H
#define SCANRT_HOST_ENCODE_H

#include "device/host/select/host_select.h"

typedef struct host_encode {
  host_group *mark; /* makes the bits of runs' first elements; NULL: the kernel is no encoding */
  const compress_stores *stores;
  uint32_t key_bytes;
} host_encode;

/* A launch, executed by threads in scan_host_encode_work. `thread_scratch`: scratch memory of HOST_SELECT_SCRATCH_BYTES
 * for each thread. */
typedef struct host_encode_task {
  const host_encode *how;
  const scan_kernel_args *args;
  uint8_t *thread_scratch;
  uint64_t n, chunks;
  uint32_t chunk_items, length_bytes, start_bytes;
  uint64_t place, last; /* number of runs in the folded chunks, and the beginning of the last of them */
} host_encode_task;

/* Finds the parts of the kernel; .mark is NULL if the key names another kernel. */
host_encode scan_host_encode_find(const scan_kernel_key *key, uint32_t register_bytes);

void scan_host_encode_open(host_encode_task *task, const host_encode *how, const scan_kernel_args *args,
                           uint8_t *thread_scratch, unsigned threads);
void scan_host_encode_work(void *work, host_thread *me);

/* Call when all threads are done: writes the last length and reports the number of runs. */
void scan_host_encode_close(const host_encode_task *task);

#endif
