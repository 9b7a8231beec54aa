/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of the keys, which one thread sorts. */
#ifndef SCANRT_HOST_SORT_PART_H
#define SCANRT_HOST_SORT_PART_H

#include "device/host/host_sort_loops.h"

/* Where keys and their values are. */
typedef enum host_sort_place { HOST_SORT_IN, HOST_SORT_OUT, HOST_SORT_SPARE, HOST_SORT_PLACES } host_sort_place;

/* What is sorted. */
typedef struct host_sort_job {
  const host_sort_loops *loops;
  host_sort_order order;
  uint8_t *keys[HOST_SORT_PLACES], *values[HOST_SORT_PLACES]; /* values of HOST_SORT_IN: NULL where they are indices */
  uint64_t n;
  int is_over;                       /* the output may be the input */
  const struct host_sort_job *total; /* in the numeric order: the same in the total order; else NULL */
} host_sort_job;

/* Keys that follow one another. Where floating-point keys have both signs, they are sorted by the sign, too. */
typedef struct host_sort_part {
  uint64_t begin, n;
  host_sort_place place;
  uint32_t end_byte; /* from here on all are the same */
} host_sort_part;

/* Nested parts, each of one digit: as many as keys have bytes. */
enum { HOST_SORT_MOST_BYTES = 16 };

/* Working memory of a thread. */
typedef struct host_sort_seat {
  _Alignas(HOST_SORT_LINE) uint8_t lines[HOST_SORT_LINES_BYTES];
  uint64_t counts[HOST_SORT_MOST_BYTES][HOST_SORT_DIGITS];
  uint64_t ends[HOST_SORT_MOST_BYTES][HOST_SORT_DIGITS];
} host_sort_seat;

/* Sorts a part to HOST_SORT_OUT. `depth`: it is in so many other parts of the thread's. */
void scan_host_sort_part(const host_sort_job *job, host_sort_seat *seat, const host_sort_part *part, uint32_t depth);

/* ---- of all parts ---- */

static inline uint8_t *host_sort_keys(const host_sort_job *job, host_sort_place place, uint64_t i) {
  return job->keys[place] + i * job->loops->key_bytes;
}
static inline uint8_t *host_sort_values(const host_sort_job *job, host_sort_place place, uint64_t i) {
  return job->values[place] != NULL ? job->values[place] + i * job->loops->value_bytes : NULL;
}

/* The highest of the bytes in which keys differ, which there is; and how many bytes they are. */
host_sort_digit scan_host_sort_highest(const host_sort_job *job, host_sort_bits differ);
uint32_t scan_host_sort_bytes(host_sort_bits differ);

/* Digits of a part in the order of the keys: number `i` of them is i ^ (the first or the second of `turns`). */
typedef struct host_sort_turns {
  uint32_t plain, negative;
} host_sort_turns;
host_sort_turns scan_host_sort_turns_of(const host_sort_job *job, const host_sort_part *part, host_sort_digit digit);
static inline uint32_t host_sort_turned(host_sort_turns turns, uint32_t i) {
  return i ^ ((i ^ turns.plain) & HOST_SORT_DIGITS / 2 ? turns.negative : turns.plain);
}

/* Where a pass goes to: the output, if that is wanted and can be. */
host_sort_place scan_host_sort_next(const host_sort_job *job, host_sort_place from, int wants_out);
/* A part's keys to another place; `places`, `lines` and `streams` are the caller's to set. */
host_sort_move scan_host_sort_move_of(const host_sort_job *job, const host_sort_part *part, host_sort_place to,
                                      host_sort_digit digit);
/* The job itself; or `total`, which is faster, where keys from `begin` on get the same places by it. */
const host_sort_job *scan_host_sort_job_for(const host_sort_job *job, uint64_t begin, uint64_t n);
/* Copies keys, or their values, in their order to the output. */
void scan_host_sort_copy(const host_sort_job *job, const host_sort_part *part);
void scan_host_sort_copy_values(const host_sort_job *job, const host_sort_part *part);

#endif
