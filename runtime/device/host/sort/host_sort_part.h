/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of the keys that one thread sorts. */
#ifndef SCANRT_HOST_SORT_PART_H
#define SCANRT_HOST_SORT_PART_H

#include "device/host/sort/host_sort_loops.h"
#include "device/host/sort/simd_sort.h"

/* The arrays that hold keys and their values. */
typedef enum host_sort_place { HOST_SORT_IN, HOST_SORT_OUT, HOST_SORT_SPARE, HOST_SORT_PLACES } host_sort_place;

/* The sort of a launch or a segment. */
typedef struct host_sort_job {
  const host_sort_loops *loops;
  host_sort_order order;
  uint8_t *keys[HOST_SORT_PLACES],
      *values[HOST_SORT_PLACES]; /* values[HOST_SORT_IN] is NULL if the values are indices */
  uint64_t n;
  int in_place;          /* 1: the output may be the input */
  const simd_sort *simd; /* loops for keys alone, of which equal ones have the same bits; NULL: others, or no loops */
  const simd_sort
      *composites; /* loops for 8-byte integers, which sort few keys with values; NULL: none, or no values */
  const struct host_sort_job *total; /* numeric order: the same sort in the total order; else NULL */
} host_sort_job;

/* Consecutive keys. Floating-point keys of a part have one sign, unless the sign is still to be sorted by or job->simd
 * sorts them. */
typedef struct host_sort_part {
  uint64_t begin, n;
  host_sort_place place;
  uint32_t end_byte; /* the bytes from this one on are the same in all keys */
} host_sort_part;

/* Largest depth of nested parts, one for each byte of a key. */
enum { HOST_SORT_MOST_BYTES = 16 };

/* Scratch memory of a thread. */
typedef struct host_sort_scratch {
  _Alignas(HOST_SORT_LINE) uint8_t lines[HOST_SORT_LINES_BYTES];
  uint64_t counts[HOST_SORT_MOST_BYTES][HOST_SORT_DIGITS];
  uint64_t ends[HOST_SORT_MOST_BYTES][HOST_SORT_DIGITS];
} host_sort_scratch;

/* Sorts a part to HOST_SORT_OUT. `depth`: number of the thread's parts that it is nested in. */
void scan_host_sort_part(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part,
                         uint32_t depth);

/* Sorts keys with any signs, as scan_host_sort_part. */
void scan_host_sort_by_one(const host_sort_job *job, host_sort_scratch *scratch, const host_sort_part *part);

/* Returns the memory for job->simd to sort a part in. */
simd_sort_memory scan_host_sort_memory_of(const host_sort_job *job, const host_sort_part *part);

/* Returns the bits in which keys differ; 0 if the part is sorted or too small to be examined. */
host_sort_bits scan_host_sort_differ(const host_sort_job *job, const host_sort_part *part);

/* ---- helpers for all parts ---- */

static inline uint8_t *host_sort_keys(const host_sort_job *job, host_sort_place place, uint64_t i) {
  return job->keys[place] + i * job->loops->key_bytes;
}
static inline uint8_t *host_sort_values(const host_sort_job *job, host_sort_place place, uint64_t i) {
  return job->values[place] != NULL ? job->values[place] + i * job->loops->value_bytes : NULL;
}

/* Returns the bits in which keys differ from the key at `from`. */
static inline host_sort_bits host_sort_vary(const host_sort_job *job, const void *keys, uint64_t n, const void *from) {
  return job->simd != NULL ? job->simd->vary(keys, n, from) : job->loops->vary(&job->order, keys, n, from);
}

/* Returns 1 if no key is above the one after it. */
static inline int host_sort_is_sorted(const host_sort_job *job, const void *keys, uint64_t n) {
  return job->simd != NULL ? job->simd->is_ordered(&job->order, keys, n, 0)
                           : job->loops->is_sorted(&job->order, keys, n);
}

/* Numeric order only: 1 if the total order gives the keys the same places. */
static inline int host_sort_is_total(const host_sort_job *job, const void *keys, uint64_t n, host_sort_zeros *zeros) {
  return job->total->simd != NULL ? job->total->simd->is_total(&job->order, keys, n, zeros)
                                  : job->loops->is_total(&job->order, keys, n, zeros);
}

/* Returns the highest byte in which keys differ; there must be one. */
host_sort_digit scan_host_sort_highest(const host_sort_job *job, host_sort_bits differ);

/* Returns the number of bytes in which keys differ. */
uint32_t scan_host_sort_bytes(host_sort_bits differ);

/* The digits of a part in key order: digit number `i` is i ^ plain or i ^ negative (host_sort_flipped). */
typedef struct host_sort_flips {
  uint32_t plain, negative;
} host_sort_flips;
host_sort_flips scan_host_sort_flips_of(const host_sort_job *job, const host_sort_part *part, host_sort_digit digit);
static inline uint32_t host_sort_flipped(host_sort_flips flips, uint32_t i) {
  return i ^ ((i ^ flips.plain) & HOST_SORT_DIGITS / 2 ? flips.negative : flips.plain);
}

/* Lets the part from key `begin` on use the spare memory of the keys from `there` on. */
void scan_host_sort_move_spare(host_sort_job *job, uint64_t begin, uint64_t there);
/* Returns the destination of a pass: the output if it is wanted and allowed. */
host_sort_place scan_host_sort_next(const host_sort_job *job, host_sort_place from, int wants_out);
/* Prepares a move of a part to another array; the caller sets `places`, `lines` and `streams`. */
host_sort_move scan_host_sort_move_of(const host_sort_job *job, const host_sort_part *part, host_sort_place to,
                                      host_sort_digit digit);
/* Returns `total`, which is faster, if it gives the keys from `begin` on the same places; else the job itself. */
const host_sort_job *scan_host_sort_job_for(const host_sort_job *job, uint64_t begin, uint64_t n);
/* Copies keys and values to the output, in their order. */
void scan_host_sort_copy(const host_sort_job *job, const host_sort_part *part);

/* Copies values to the output, in their order. */
void scan_host_sort_copy_values(const host_sort_job *job, const host_sort_part *part);

#endif
