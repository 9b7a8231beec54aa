/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of an array whose results depend on all chunks before. A thread publishes its chunk's aggregate. The first
 * thread that gets there folds all published chunks that are next, in order, and wakes their owners. So a descheduled
 * owner delays others only until it has published. */
#ifndef SCANRT_HOST_CHAIN_H
#define SCANRT_HOST_CHAIN_H

#include "device/host/host_pool.h"
#include "device/host/host_wait.h"

/* The head of a chunk's record, in memory of the thread that claimed the chunk. */
typedef struct host_link {
  uint64_t number; /* the chunk's, from scan_host_claim */
  host_signal is_folded;
} host_link;

/* Replaces a chunk's aggregate by the prefix before it, and advances the task's running prefix past the chunk. Called
 * for chunk after chunk from number 0 on, in one thread at a time, which may be any. */
typedef void host_fold(void *task, host_link *link);

/* Publishes link->number, and returns when the chunk has been folded. A thread may hold up to two claimed chunks that
 * are not folded yet; it passes their links in order, and every claimed chunk is folded. There is no deadlock: the
 * owner of the first unfolded chunk waits for no other thread. */
void scan_host_chain_pass(host_thread *me, host_fold *fold, void *task, host_link *link);

#endif
