/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort in one launch. All threads together divide the keys by their highest digit, each thread a share of them.
 * Then one thread sorts the keys of each digit: it divides them again while they exceed its cache, and sorts from the
 * lowest digit to the highest once they fit. All threads divide digits that are too large for one thread. Bits that are
 * the same in all keys at hand are skipped. */
#ifndef SCANRT_HOST_SORT_H
#define SCANRT_HOST_SORT_H

#include "device/backend.h"
#include "device/host/host_pool.h"
#include "device/host/sort/host_sort_loops.h"
#include "device/host/sort/simd_sort.h"

typedef struct host_sort {
  const host_sort_loops *by_values[3]; /* for no values, and for values of 4 and 8 bytes; NULL: the kernel is no sort */
  const host_sort_loops *swapped[3];   /* the same three for two-word keys with swapped halves; or NULL */
  const host_sort_loops *numeric[3];   /* the same three for floating-point keys in the numeric order; or NULL */
  const simd_sort *simd;               /* for keys alone; NULL: no such loops */
  const simd_sort *composites;         /* for 8-byte integers; NULL: no such loops */
  int has_segments;                    /* 1: the kernel of host_sort_segments.h */
} host_sort;

/* Finds the loops for a kernel, with registers of up to register_bytes. */
host_sort scan_host_sort_find(const scan_kernel_key *key, uint32_t register_bytes);

/* Scratch memory of a thread. */
enum { HOST_SORT_SCRATCH_BYTES = 128 << 10 };

/* The threads of a launch: `threads` threads of a pool, with HOST_SORT_SCRATCH_BYTES of `thread_scratch` each. */
typedef struct host_sort_crew {
  host_pool *pool;
  unsigned threads;
  uint8_t *thread_scratch;
  uint64_t one_thread_bytes; /* up to so many bytes of keys one thread sorts */
} host_sort_crew;

void scan_host_sort_run(const host_sort_crew *crew, const host_sort *how, const scan_kernel_args *args);

struct host_sort_job; /* host_sort_part.h */

/* Fills two jobs from the arguments: job[0] sorts as they ask, job[1] in the total order. A numeric sort runs job[1] if
 * both orders give the keys the same places. */
void scan_host_sort_open(struct host_sort_job *job, const host_sort *how, const scan_kernel_args *args);

/* Sorts n keys from key `begin` on with all threads. counts: memory for digits, in the layout of the launch's. */
void scan_host_sort_by_all(const host_sort_crew *crew, const struct host_sort_job *job, uint64_t begin, uint64_t n,
                           uint64_t *counts);

#endif
