/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of an array whose results depend on all chunks before. A thread that knows what its chunk comes to publishes
 * it; the first thread that comes folds all published chunks that are next, in order, and wakes their owners. So an
 * owner that is not running holds up others only until it has published. */
#ifndef SCANRT_HOST_CHAIN_H
#define SCANRT_HOST_CHAIN_H

#include "device/host/host_pool.h"
#include "device/host/host_wait.h"

/* The head of a chunk's record, which the thread that claimed the chunk keeps. */
typedef struct host_link {
  uint64_t number; /* of the chunk, as scan_host_claim gave it */
  host_signal is_folded;
} host_link;

/* Turns what a chunk comes to into what comes before it, and moves the task's running prefix behind the chunk. Called
 * by one thread at a time, chunk after chunk from number 0 on, on any of the threads. */
typedef void host_fold(void *task, host_link *link);

/* Publishes link->number and returns when the chunk has been folded. A thread has up to two chunks that are claimed
 * and not folded, whose links it passes in order; each claimed chunk is folded. There is no deadlock: of these chunks
 * the owner of the first one waits for no other thread. */
void scan_host_chain_pass(host_thread *me, host_fold *fold, void *task, host_link *link);

#endif
