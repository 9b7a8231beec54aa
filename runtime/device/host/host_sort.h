/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort in one launch. All threads bring the keys into the order of their highest digit, each its own part of
 * them; then the keys of each digit are sorted by one thread, which does the same again while they are more than its
 * cache holds, and goes from the lowest digit to the highest once they are not. Digits that are too large for one
 * thread are done as the whole was. What is the same in all keys at hand is not sorted by. */
#ifndef SCANRT_HOST_SORT_H
#define SCANRT_HOST_SORT_H

#include "device/backend.h"
#include "device/host/host_pool.h"
#include "device/host/host_sort_loops.h"

typedef struct host_sort {
  const host_sort_loops *by_values[3]; /* of no values, and of 4 and 8 bytes; NULL: the kernel is another */
  const host_sort_loops *swapped[3];   /* likewise, of keys of two words in the other order; or NULL */
  const host_sort_loops *numeric[3];   /* of floating-point keys in the numeric order; or NULL */
  int has_segments;                    /* it is that of host_sort_segments.h */
} host_sort;

host_sort scan_host_sort_find(const scan_kernel_key *key);

/* Working memory of a thread. */
enum { HOST_SORT_SEAT_BYTES = 128 << 10 };

/* Who works on a launch: `threads` of a pool, with HOST_SORT_SEAT_BYTES each. */
typedef struct host_sort_crew {
  host_pool *pool;
  unsigned threads;
  uint8_t *seats;
  uint64_t one_thread_bytes; /* of keys: up to here one thread sorts */
} host_sort_crew;

void scan_host_sort_run(const host_sort_crew *crew, const host_sort *how, const scan_kernel_args *args);

struct host_sort_job; /* host_sort_part.h */

/* Fills two jobs from the arguments: job[0] sorts as they ask, job[1] in the total order. A numeric sort runs job[1]
 * where both orders give the keys the same places. */
void scan_host_sort_open(struct host_sort_job *job, const host_sort *how, const scan_kernel_args *args);

/* Sorts n keys from key `begin` on, by all threads. counts: memory for digits, as the launch has it. */
void scan_host_sort_by_all(const host_sort_crew *crew, const struct host_sort_job *job, uint64_t begin, uint64_t n,
                           uint64_t *counts);

#endif
