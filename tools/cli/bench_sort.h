/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_sort.h
 * @brief The parts of `scanrt bench --sort` and `--split`: stable sorts, and splits and histograms, beside a copy,
 * peers and a plain loop.
 *
 * A case is one device, what is written, a key type, the bytes of values or indices, n and a shape of the data. It is
 * timed as cases of scans are (bench_time.c). Values are their indices: with keys that ascend, and indices that ascend
 * where keys are equal, there is one right result. Of keys alone a sum of hashes says that they are those of the input.
 */
#ifndef SCANRT_CLI_BENCH_SORT_H
#define SCANRT_CLI_BENCH_SORT_H

#include "bench.h"

#include <string.h>

#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "reference_sort.h"

/** How keys lie. */
typedef enum sorting_shape {
  SORTING_RANDOM,
  SORTING_AND3, /**< A bit is set where it is in three random numbers: one in eight. */
  SORTING_SORTED,
  SORTING_REVERSED,
  SORTING_EQUAL,
  SORTING_TWO, /**< Two values, that differ in all digits. */
  SORTING_SHAPES
} sorting_shape;

enum { SORTING_MOST_LENGTHS = 8, SORTING_MOST_PAYLOADS = 2 };
enum { SORTING_COUNTS = SCAN_SPLIT_MOST_BUCKETS + 1, SORTING_WHAT = BENCH_SORT_HISTOGRAM + 1 };

/** What says in which bucket a key is. */
enum { SORTING_BY_BITS, SORTING_BY_BUCKETS, SORTING_BYS };

/** What the command line asks for. */
typedef struct sorting_request {
  bench_request base; /**< Devices, sizes, types, peers, modes, rounds, reports. First: options of `scanrt bench`. */
  int what[SORTING_WHAT];
  int by[SORTING_BYS]; /**< Of splits. */
  int shapes[SORTING_SHAPES];
  int descending;
  uint64_t order;                           /**< A scan_sort_order, of scan_sort. */
  uint32_t first_bit, end_bit;              /**< What is sorted by; end_bit 0: all bits, of splits the highest ones: */
  uint32_t highest_bits;                    /**< so many; 0: 8. */
  uint32_t payloads[SORTING_MOST_PAYLOADS]; /**< Bytes of values and indices. */
  size_t payload_count;
  uint32_t key_words;
  uint64_t lengths[SORTING_MOST_LENGTHS]; /**< Of segments; 0: keys are sorted without; UINT64_MAX: one is all. */
  size_t length_count;
} sorting_request;

/** The loop that a program would have: a radix sort by digits of 8 bits, in bench_sort_loop.c, compiled as plain_loop.c
 * is. */
typedef struct sorting_loop {
  scan_type key_type;
  uint32_t value_bytes; /**< 0: keys alone. */
  uint32_t descending, first_bit, end_bit;
  uint64_t n;
  const void *keys_in, *values_in; /**< values_in NULL: values are indices. */
  void *keys_out, *values_out;
  void *keys, *values; /**< Memory for as many. */
} sorting_loop;

/** A device and the case that is measured. */
typedef struct sorting_lab {
  bench_lab base; /**< First: subjects find their sorting_lab by it. */
  const sorting_request *request;
  bench_sort_case sort;
  uint32_t words, key_bytes; /**< Of a key; of two words the first is the more significant one. */
  sorting_shape shape;
  scan_plan *plan;
  scan_plan *one_plan;    /**< In the context of one thread; NULL: not wanted. */
  scan_plan *placed_plan; /**< In place; NULL: not measured. */
  scan_op *bucket;        /**< Of splits by a function; NULL: there are none. */
  scan_plan *bucket_plan;
  uint64_t n;
  uint64_t values_at, bytes;   /**< Of `in` and `out`: where values begin behind the keys, and of both. */
  bench_memory in, out, spare; /**< `spare`: on the host, for the plain loop. */
  bench_memory poison;
  bench_memory offsets; /**< Of segments. */
  bench_memory counts;  /**< SORTING_COUNTS numbers: what splits and histograms count. */
  uint64_t want_counts[SCAN_SPLIT_MOST_BUCKETS];
  uint64_t moved_bytes; /**< That must be read and written. */
  unsigned char *input; /**< The keys, on the host. */
  unsigned char *got;   /**< Room for what is in `out`. */
  unsigned char *want;  /**< Of keys alone by some of their bits: the keys as they must be; else NULL. */
  uint64_t sum;         /**< Of the keys' hashes. */
  uint32_t passes;      /**< Digits of 8 bits that are not the same in all keys. */
} sorting_lab;

/* ---- the command line ---- */

/** 1: --split; 0: --sort. */
static inline int sorting_is_split(const sorting_request *r) { return r->base.family == BENCH_FAMILY_SPLIT; }

/** As bench_family has them. */
void sorting_help(void);
int sorting_complete(const char *command, bench_request *request);
void sorting_split_help(void);
int sorting_split_complete(const char *command, bench_request *request);

extern const char *const sorting_names[SORTING_WHAT];
const char *sorting_name(uint32_t what);
const char *sorting_shape_name(sorting_shape shape);

/* ---- data ---- */

/** Number i of an array of unsigned integers. */
static inline uint64_t sorting_number(const unsigned char *array, uint32_t bytes, uint64_t i) {
  uint64_t number = 0;
  memcpy(&number, array + i * bytes, bytes);
  return number;
}

/** Of a key's bits, for sums that tell what was sorted. */
static inline uint64_t sorting_hash(uint64_t bits) {
  uint64_t z = (bits + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** What a key of one word is sorted by. */
static inline uint64_t sorting_order(const bench_sort_case *sort, uint64_t rank) {
  const uint64_t mask = UINT64_MAX >> (64 - (sort->end_bit - sort->first_bit));
  const uint64_t order = rank >> sort->first_bit & mask;
  return sort->descending ? order ^ mask : order;
}

/** 1 where equal keys may differ, so that keys alone have an order that is to be right. */
static inline int sorting_is_by_some(const sorting_lab *lab) {
  return lab->sort.end_bit - lab->sort.first_bit < 8 * lab->key_bytes;
}

/** A key's place in the order; of keys of one word `upper` is 0. */
typedef struct sorting_rank {
  uint64_t upper, lower;
} sorting_rank;

static inline uint64_t sorting_word(const sorting_lab *lab, const unsigned char *keys, uint64_t i) {
  return sorting_number(keys, lab->key_bytes / lab->words, i);
}

static inline sorting_rank sorting_rank_of(const sorting_lab *lab, const unsigned char *keys, uint64_t i) {
  const scan_type type = lab->sort.key_type;
  if (lab->words == 1)
    return (sorting_rank){ 0, sorting_order(&lab->sort, reference_rank(type, sorting_word(lab, keys, i))) };
  const uint64_t turned = lab->sort.descending ? UINT64_MAX : 0;
  return (sorting_rank){ reference_rank(type, sorting_word(lab, keys, 2 * i)) ^ turned,
                         reference_rank(type, sorting_word(lab, keys, 2 * i + 1)) ^ turned };
}

static inline int sorting_is_before(sorting_rank a, sorting_rank b) {
  return a.upper != b.upper ? a.upper < b.upper : a.lower < b.lower;
}

/** The number of a key's segment. */
static inline uint64_t sorting_segment(const sorting_lab *lab, uint64_t i) {
  return lab->sort.segment_items ? i / lab->sort.segment_items : 0;
}

/** 1 where the key is the first one of its segment, or of all. */
static inline int sorting_begins(const sorting_lab *lab, uint64_t i) {
  return i == 0 || sorting_segment(lab, i) != sorting_segment(lab, i - 1);
}

/** Of a key in its segment, for sums. */
static inline uint64_t sorting_key_hash(const sorting_lab *lab, const unsigned char *keys, uint64_t i) {
  const uint64_t segment = sorting_segment(lab, i) * UINT64_C(0xd6e8feb86659fd93);
  if (lab->words == 1) return sorting_hash(sorting_word(lab, keys, i) ^ segment);
  return sorting_hash(sorting_word(lab, keys, 2 * i) ^ sorting_hash(sorting_word(lab, keys, 2 * i + 1)) ^ segment);
}

/** Allocates what the lab's case needs. @return CLI_OK or CLI_FAILED; then clear too */
int sorting_data_make(sorting_lab *lab);
void sorting_data_clear(sorting_lab *lab);
int sorting_data_fill(sorting_lab *lab); /**< Of lab->shape. @return CLI_OK or CLI_FAILED */

/** Sets lab->want and want_counts, where they are needed. @return CLI_OK or CLI_FAILED */
int sorting_expect(sorting_lab *lab);

/** As bench_family has them. */
int sorting_poison(bench_subject *subject);
int sorting_check(bench_subject *subject);

/* ---- subjects ---- */

scan_sort_args sorting_args(const sorting_lab *lab);
int sorting_subjects_list(bench_lab *base); /**< @return CLI_OK or CLI_FAILED */
void sorting_loop_run(const sorting_loop *loop);

/** Counts the numbers that the bits of the keys make. */
void sorting_loop_count(const sorting_loop *loop, uint64_t *counts);

/* ---- splits and histograms ---- */

int sorting_split_plans(sorting_lab *lab); /**< @return CLI_OK or CLI_FAILED */
void sorting_split_subjects(sorting_lab *lab);
void sorting_split_expect(sorting_lab *lab); /**< Sets lab->want_counts. */

/** Checks what was counted; sets `wrong` after saying so. @return CLI_OK or CLI_FAILED */
int sorting_split_check(sorting_lab *lab, bench_subject *subject);

#endif
