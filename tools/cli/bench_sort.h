/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_sort.h
 * @brief The parts of `scanrt bench --sort`: stable sorts beside a copy, peers and a plain loop.
 *
 * A case is one device, what is written, a key type, the bytes of values or indices, n and a shape of the data. It is
 * timed as cases of scans are (bench_time.c). Values are their indices: with keys that ascend, and indices that ascend
 * where keys are equal, there is one right result. Of keys alone a sum of hashes says that they are those of the input.
 */
#ifndef SCANRT_CLI_BENCH_SORT_H
#define SCANRT_CLI_BENCH_SORT_H

#include "bench_family.h"

#include <string.h>

#include <scanrt/scan_sort.h>

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

enum { SORTING_MOST_LENGTHS = 8, SORTING_CHUNK = 1 << 16, SORTING_POISON_BYTES = 16 << 20, SORTING_MOST_PAYLOADS = 2 };

/** What the command line asks for. */
typedef struct sorting_request {
  bench_request base; /**< Devices, sizes, types, peers, modes, rounds, reports. First: options of `scanrt bench`. */
  int what[BENCH_SORTS];
  int shapes[SORTING_SHAPES];
  uint32_t payloads[SORTING_MOST_PAYLOADS]; /**< Bytes of values and indices. */
  size_t payload_count;
  uint64_t lengths[SORTING_MOST_LENGTHS]; /**< Of segments; 0: keys are sorted without; UINT64_MAX: one is all. */
  size_t length_count;
} sorting_request;

/** The loop that a program would have: a radix sort by digits of 8 bits, in bench_sort_loop.c, compiled as plain_loop.c
 * is. */
typedef struct sorting_loop {
  scan_type key_type;
  uint32_t value_bytes; /**< 0: keys alone. */
  uint64_t n;
  const void *keys_in, *values_in; /**< values_in NULL: values are indices. */
  void *keys_out, *values_out;
  void *keys, *values; /**< Memory for as many. */
} sorting_loop;

/** Memory of the device, and on the host backend the pointer to free. */
typedef struct sorting_memory {
  scan_mem mem;
  void *host;
} sorting_memory;

/** A device and the case that is measured. */
typedef struct sorting_lab {
  bench_lab base; /**< First: subjects find their sorting_lab by it. */
  const sorting_request *request;
  bench_sort_case sort;
  uint32_t key_bytes;
  sorting_shape shape;
  scan_plan *plan;
  uint64_t n;
  uint64_t values_at, bytes;     /**< Of `in` and `out`: where values begin behind the keys, and of both. */
  sorting_memory in, out, spare; /**< `spare`: on the host, for the plain loop. */
  sorting_memory poison;
  sorting_memory offsets; /**< Of segments. */
  unsigned char *input;   /**< The keys, on the host. */
  unsigned char *got;     /**< Room for what is in `out`. */
  uint64_t sum;           /**< Of the keys' hashes. */
  uint32_t passes;        /**< Digits of 8 bits that are not the same in all keys. */
} sorting_lab;

/* ---- the command line ---- */

int sorting_parse(int argc, char **argv, sorting_request *request); /**< @return as bench_parse */
int sorting_print_help(void);
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

/** The number of a key's segment. */
static inline uint64_t sorting_segment(const sorting_lab *lab, uint64_t i) {
  return lab->sort.segment_items ? i / lab->sort.segment_items : 0;
}

/** Of a key in its segment. */
static inline uint64_t sorting_hash_in(const sorting_lab *lab, uint64_t bits, uint64_t i) {
  return sorting_hash(bits ^ sorting_segment(lab, i) * UINT64_C(0xd6e8feb86659fd93));
}

/** Calls work(lab, chunk) for each SORTING_CHUNK elements, by several threads. */
void sorting_each_chunk(sorting_lab *lab, void (*work)(void *state, uint64_t chunk), void *state);
uint64_t sorting_chunk_end(const sorting_lab *lab, uint64_t chunk);

/** Allocates what the lab's case needs. @return CLI_OK or CLI_FAILED; then clear too */
int sorting_data_make(sorting_lab *lab);
void sorting_data_clear(sorting_lab *lab);
int sorting_data_fill(sorting_lab *lab); /**< Of lab->shape. @return CLI_OK or CLI_FAILED */

/** Overwrites `in`, `out` or `spare`. */
scan_status sorting_spoil(const sorting_lab *lab, const sorting_memory *memory);

/** As bench_judge has them. */
int sorting_poison(bench_subject *subject);
int sorting_check(bench_subject *subject);

/* ---- subjects ---- */

scan_sort_args sorting_args(const sorting_lab *lab);
int sorting_subjects_list(bench_lab *base); /**< @return CLI_OK or CLI_FAILED */
void sorting_subjects_clear(bench_lab *base);
void sorting_loop_run(const sorting_loop *loop);

/* ---- reports ---- */

void sorting_write(bench_sheet *sheet, const bench_lab *lab, const bench_line *line); /**< bench_family.write */
extern const char sorting_csv_head[];

#endif
