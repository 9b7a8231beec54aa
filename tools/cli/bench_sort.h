/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_sort.h
 * @brief The parts of `scanrt bench --sort` and `--split`: stable sorts, splits and histograms, beside a copy, peers
 * and a plain loop.
 *
 * A case is one device, an output, a key type, the bytes of values or indices, n and a shape of the data. It is timed
 * as cases of scans are (bench_time.c). Values are their own indices: as keys must ascend, and indices of equal keys
 * too, there is one right result. For keys alone a sum of hashes checks that the output has the keys of the input.
 */
#ifndef SCANRT_CLI_BENCH_SORT_H
#define SCANRT_CLI_BENCH_SORT_H

#include "bench.h"

#include <string.h>

#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "reference_sort.h"

/** Distribution of the keys. */
typedef enum sorting_shape {
  SORTING_RANDOM,
  SORTING_AND3, /**< A bit is set if it is set in three random numbers: one in eight. */
  SORTING_SORTED,
  SORTING_REVERSED,
  SORTING_EQUAL,
  SORTING_TWO,    /**< Two values that differ in all digits. */
  SORTING_BITS27, /**< Random numbers below 2^27, such as numbers of rows. */
  SORTING_SHAPES
} sorting_shape;

enum { SORTING_MOST_LENGTHS = 8, SORTING_MOST_PAYLOADS = 2 };
enum { SORTING_COUNTS = SCAN_SPLIT_MOST_BUCKETS + 1, SORTING_WHAT = BENCH_SORT_HISTOGRAM + 1 };

/** How a split or a histogram assigns a key to a bucket. */
enum { SORTING_BY_BITS, SORTING_BY_BUCKETS, SORTING_BYS };

/** The parsed command line. */
typedef struct sorting_request {
  bench_request base; /**< Devices, sizes, types, peers, modes, rounds, reports. First member, since the options of
                         `scanrt bench` are stored there. */
  int what[SORTING_WHAT];
  int by[SORTING_BYS]; /**< For splits. */
  int shapes[SORTING_SHAPES];
  int descending;
  uint64_t order;              /**< A scan_sort_order, for scan_sort. */
  uint32_t first_bit, end_bit; /**< Bits sorted by. end_bit 0: all bits; for splits the highest `highest_bits`. */
  uint32_t highest_bits;       /**< For splits without end_bit: number of bits; 0: 8. */
  uint32_t payloads[SORTING_MOST_PAYLOADS]; /**< Bytes of values and indices. */
  size_t payload_count;
  uint32_t key_words;
  /** Lengths of segments; 0: no segments; UINT64_MAX: all keys are one segment. */
  uint64_t lengths[SORTING_MOST_LENGTHS];
  size_t length_count;
} sorting_request;

/** Arguments of the plain loop: a radix sort by digits of 8 bits in bench_sort_loop.c, which is compiled as
 * plain_loop.c is. */
typedef struct sorting_loop {
  scan_type key_type;
  uint32_t value_bytes; /**< 0 for keys alone. */
  uint32_t descending, first_bit, end_bit;
  uint64_t n;
  const void *keys_in, *values_in; /**< values_in NULL: the loop writes indices. */
  void *keys_out, *values_out;
  void *keys, *values; /**< Scratch for n keys and n values. */
} sorting_loop;

/** A device and the case being measured. */
typedef struct sorting_state {
  bench_state base; /**< First member, so that an entry's state is its sorting_state. */
  const sorting_request *request;
  bench_sort_case sort;
  uint32_t words, key_bytes; /**< Words and bytes of a key. The first of two words is the more significant one. */
  sorting_shape shape;
  scan_plan *plan;
  scan_plan *one_plan;    /**< The plan in the one-thread context; NULL: not requested. */
  scan_plan *placed_plan; /**< The plan for in-place calls; NULL: not measured. */
  scan_op *bucket;        /**< Bucket function of splits; NULL: none. */
  scan_plan *bucket_plan;
  uint64_t n;
  uint64_t values_at, bytes;   /**< In `in` and `out`: offset of the values behind the keys, and size of both. */
  bench_memory in, out, spare; /**< `spare`: on the host, for the plain loop. */
  bench_memory poison;
  bench_memory offsets; /**< Offsets of segments. */
  bench_memory counts;  /**< SORTING_COUNTS numbers, written by splits and histograms. */
  uint64_t want_counts[SCAN_SPLIT_MOST_BUCKETS];
  uint64_t moved_bytes; /**< Bytes that must be read and written. */
  unsigned char *input; /**< The keys, on the host. */
  unsigned char *got;   /**< Room for a copy of `out`. */
  unsigned char *want;  /**< For keys alone sorted by some of their bits: the expected keys; NULL otherwise. */
  uint64_t sum;         /**< Sum of the keys' hashes. */
  uint32_t passes;      /**< Digits of 8 bits that differ between keys. */
} sorting_state;

/* ---- the command line ---- */

/** 1: --split; 0: --sort. */
static inline int sorting_is_split(const sorting_request *r) { return r->base.measurement == BENCH_KIND_SPLIT; }

/** Functions of bench_kind. */
void sorting_help(void);
int sorting_complete(const char *command, bench_request *request);
void sorting_split_help(void);
int sorting_split_complete(const char *command, bench_request *request);

extern const char *const sorting_names[SORTING_WHAT];
const char *sorting_name(uint32_t what);
const char *sorting_shape_name(sorting_shape shape);

/* ---- data ---- */

/** Returns number i of an array of unsigned integers. */
static inline uint64_t sorting_number(const unsigned char *array, uint32_t bytes, uint64_t i) {
  uint64_t number = 0;
  memcpy(&number, array + i * bytes, bytes);
  return number;
}

/** Hashes a key's bits. The sum of hashes identifies the set of keys. */
static inline uint64_t sorting_hash(uint64_t bits) {
  uint64_t z = (bits + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** Returns the number that a key of one word is sorted by. */
static inline uint64_t sorting_order(const bench_sort_case *sort, uint64_t rank) {
  const uint64_t mask = UINT64_MAX >> (64 - (sort->end_bit - sort->first_bit));
  const uint64_t order = rank >> sort->first_bit & mask;
  return sort->descending ? order ^ mask : order;
}

/** 1 if keys that compare equal may differ, so that the output of keys alone depends on stability. */
static inline int sorting_is_by_some(const sorting_state *bench) {
  return bench->sort.end_bit - bench->sort.first_bit < 8 * bench->key_bytes;
}

/** A key as a number to compare; `upper` is 0 for keys of one word. */
typedef struct sorting_rank {
  uint64_t upper, lower;
} sorting_rank;

static inline uint64_t sorting_word(const sorting_state *bench, const unsigned char *keys, uint64_t i) {
  return sorting_number(keys, bench->key_bytes / bench->words, i);
}

static inline sorting_rank sorting_rank_of(const sorting_state *bench, const unsigned char *keys, uint64_t i) {
  const scan_type type = bench->sort.key_type;
  if (bench->words == 1)
    return (sorting_rank){ 0, sorting_order(&bench->sort, reference_rank(type, sorting_word(bench, keys, i))) };
  const uint64_t flipped = bench->sort.descending ? UINT64_MAX : 0;
  return (sorting_rank){ reference_rank(type, sorting_word(bench, keys, 2 * i)) ^ flipped,
                         reference_rank(type, sorting_word(bench, keys, 2 * i + 1)) ^ flipped };
}

static inline int sorting_is_before(sorting_rank a, sorting_rank b) {
  return a.upper != b.upper ? a.upper < b.upper : a.lower < b.lower;
}

/** Returns the number of the segment that key i is in. */
static inline uint64_t sorting_segment(const sorting_state *bench, uint64_t i) {
  return bench->sort.segment_items ? i / bench->sort.segment_items : 0;
}

/** 1 if key i is the first of its segment, or of all. */
static inline int sorting_starts_segment(const sorting_state *bench, uint64_t i) {
  return i == 0 || sorting_segment(bench, i) != sorting_segment(bench, i - 1);
}

/** Hashes a key with its segment. */
static inline uint64_t sorting_key_hash(const sorting_state *bench, const unsigned char *keys, uint64_t i) {
  const uint64_t segment = sorting_segment(bench, i) * UINT64_C(0xd6e8feb86659fd93);
  if (bench->words == 1) return sorting_hash(sorting_word(bench, keys, i) ^ segment);
  return sorting_hash(sorting_word(bench, keys, 2 * i) ^ sorting_hash(sorting_word(bench, keys, 2 * i + 1)) ^ segment);
}

/** Allocates the buffers of the state's case. @return CLI_OK or CLI_FAILED; call sorting_data_clear in both cases */
int sorting_data_make(sorting_state *bench);
void sorting_data_clear(sorting_state *bench);
int sorting_data_fill(sorting_state *bench); /**< Fills keys of bench->shape. @return CLI_OK or CLI_FAILED */

/** Computes bench->want and want_counts, if the case needs them. @return CLI_OK or CLI_FAILED */
int sorting_expect(sorting_state *bench);

/** Functions of bench_kind. */
int sorting_poison(bench_entry *entry);
int sorting_check(bench_entry *entry);

/* ---- entries ---- */

scan_sort_args sorting_args(const sorting_state *bench);
int sorting_entries_list(bench_state *base); /**< @return CLI_OK or CLI_FAILED */
void sorting_loop_run(const sorting_loop *loop);

/** Counts the keys by the number that their bits make. */
void sorting_loop_count(const sorting_loop *loop, uint64_t *counts);

/* ---- splits and histograms ---- */

int sorting_split_plans(sorting_state *bench); /**< @return CLI_OK or CLI_FAILED */
void sorting_split_entries(sorting_state *bench);
void sorting_split_expect(sorting_state *bench); /**< Computes bench->want_counts. */

/** Checks the counts; reports a difference and sets `wrong`. @return CLI_OK or CLI_FAILED */
int sorting_split_check(sorting_state *bench, bench_entry *entry);

#endif
