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
  int is_over; /* the output may be the input */
} host_sort_job;

/* Keys that follow one another, and differ in no bit from `end_bit` on that is sorted by. */
typedef struct host_sort_part {
  uint64_t begin, n;
  host_sort_place place;
  uint32_t end_bit;
} host_sort_part;

/* Nested parts, each of one digit, and passes, one of which may have no digit of its own. */
enum { HOST_SORT_MOST_PARTS = 64 / HOST_SORT_DIGIT_BITS, HOST_SORT_MOST_PASSES = HOST_SORT_MOST_PARTS + 1 };

/* Working memory of a thread. */
typedef struct host_sort_seat {
  _Alignas(HOST_SORT_LINE) uint8_t lines[HOST_SORT_LINES_BYTES];
  uint64_t counts[HOST_SORT_MOST_PASSES][HOST_SORT_DIGITS];
  uint64_t ends[HOST_SORT_MOST_PARTS][HOST_SORT_DIGITS];
} host_sort_seat;

/* Sorts a part to HOST_SORT_OUT. `depth`: 0; it is in so many other parts. */
void scan_host_sort_part(const host_sort_job *job, host_sort_seat *seat, const host_sort_part *part, uint32_t depth);

/* Of all parts. */
const void *scan_host_sort_keys(const host_sort_job *job, host_sort_place place, uint64_t i);
/* The highest digit of the bits that differ, of at most so many bits. */
host_sort_digit scan_host_sort_highest(uint64_t differ, uint32_t bits);
/* Where a digit's keys go that moves keys from a place: to the output, if it can. */
host_sort_place scan_host_sort_next(const host_sort_job *job, host_sort_place from, int wants_out);
/* A move of a part's keys from its place to another. */
host_sort_move scan_host_sort_move_of(const host_sort_job *job, const host_sort_part *part, host_sort_place to,
                                      host_sort_digit digit);
/* Copies keys, in their order, to the output. */
void scan_host_sort_copy(const host_sort_job *job, const host_sort_part *part);

#endif
