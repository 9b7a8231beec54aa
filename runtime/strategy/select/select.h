/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: chooses the kernels, their geometry and their workspace. Pure arithmetic, as is this whole layer. Two
 * methods: separate launches for marks, places and elements (select.c), or one pipelined launch an array where the
 * device has it (select_pipelined.c; select_lookback.c for OpenCL). */
#ifndef SCANRT_SELECT_H
#define SCANRT_SELECT_H

#include <scanrt/scan_select.h>

#include "strategy/strategy.h"

/* The output that is written for each kept element. */
typedef enum scan_select_what {
  SCAN_SELECT_MOVED,   /* the array's element */
  SCAN_SELECT_KEYS,    /* the element of the key array, whose runs are compacted */
  SCAN_SELECT_VALUES,  /* the value that a scan left in the plan's workspace */
  SCAN_SELECT_INDICES, /* the element's index */
  SCAN_SELECT_LENGTHS  /* the length of the run whose first element is kept */
} scan_select_what;

/* A checked and completed spec of a compaction. It has no padding: specs are compared byte by byte. */
typedef struct scan_select_form {
  uint32_t by, rest; /* scan_select_by, scan_select_rest */
  uint32_t key_type; /* type of the keys; without keys 0 */
  uint32_t arrays;   /* number of arrays written */
  uint32_t in_place; /* 1: an output may be its input */
  uint32_t pass; /* 1, 2: the pass of a partition into three, which also writes the number of elements not kept; 0: no
                    partition */
  uint32_t sum_type; /* type that SCAN_SELECT_VALUES are summed in (scan_select_sum_type); 0 also if a strategy other
                        than pipelined was asked for */
  uint32_t clamps;   /* SCAN_N_FROM_CLAMP */
  const scan_source *predicate;           /* or NULL */
  uint32_t what[SCAN_SELECT_MOST_ARRAYS]; /* scan_select_what of each array */
  uint32_t bytes[SCAN_SELECT_MOST_ARRAYS],
      align[SCAN_SELECT_MOST_ARRAYS]; /* an element's bytes and alignment, of each array */
} scan_select_form;

/* 1 if the form encodes or reduces runs (scan_runs.h): the keys are array 0, and args have other names. */
static inline int scan_select_is_of_runs(const scan_select_form *form) { return form->what[0] == SCAN_SELECT_KEYS; }

/* 1 if the array's elements come from memory that the caller names for this array alone. */
static inline int scan_select_is_read(const scan_select_form *form, uint32_t array) {
  return form->what[array] == SCAN_SELECT_MOVED;
}

/* 1 if lengths of runs are written. */
static inline int scan_select_has_lengths(const scan_select_form *form) {
  for (uint32_t a = 0; a < form->arrays; a++)
    if (form->what[a] == SCAN_SELECT_LENGTHS) return 1;
  return 0;
}

/* 1 if values of runs are written, as array 1. */
static inline int scan_select_reduces(const scan_select_form *form) { return form->what[1] == SCAN_SELECT_VALUES; }

/* 1 if the form reduces segments that the caller's flags or bits begin (scan_reduce.h). Array 0 is then not written. */
static inline int scan_select_is_marked(const scan_select_form *form) {
  return scan_select_reduces(form) && (form->by == SCAN_SELECT_FLAGS || form->by == SCAN_SELECT_BITS);
}

enum { SCAN_SELECT_MOST_STEPS = 5 + SCAN_SELECT_MOST_ARRAYS };

/* The method of a run. */
typedef struct scan_select_variant {
  int is_pipelined;
  int is_fused;            /* 1: the marks are the first array */
  const scan_source *sums; /* the operator of a one-pass reduction by threads; or NULL */
  int is_by_ends;          /* 1: segments are reduced after all launches, by the bits of last elements */
} scan_select_variant;

/* Writes the launches for n elements and returns their number. */
int scan_select_steps(const scan_caps *caps, const scan_select_form *form, scan_select_variant chosen, uint64_t n,
                      scan_launch *steps);

/* 1 if the device compacts the form in one launch an array. */
int scan_select_is_pipelined(const scan_caps *caps, const scan_select_form *form);

/* 1 if one pipelined launch encodes runs: keys, lengths and starts, as far as they are asked for. */
int scan_select_is_encoded(const scan_caps *caps, const scan_select_form *form);

/* 1 if one pipelined launch reduces runs, after another launch has found where they begin. Otherwise all values are
 * scanned in between, and those at runs' ends are kept. */
int scan_select_is_reduced(const scan_caps *caps, const scan_select_form *form);

/* The largest n whose runs one launch reduces; 0: none. */
uint64_t scan_select_alone_items(const scan_caps *caps, const scan_select_form *form);

/* 1 if threads compact the form in one pass an array, or encode its runs in one pass. */
int scan_select_is_by_threads(const scan_caps *caps, const scan_select_form *form);

/* Writes the threads' launches and returns their number. */
int scan_select_threads_steps(const scan_caps *caps, const scan_select_form *form, scan_launch *steps);

/* The type that runs are summed in without a scan: the operator must be a built-in sum that maps and emits nothing; u32
 * or u64 for integers. Otherwise 0. */
scan_type scan_select_sum_type(const scan_problem *scan);

/* 1 if threads reduce by key in one pass: on the host, for a built-in sum, with strategy AUTO or THREADS. */
int scan_select_is_summed(const scan_caps *caps, const scan_problem *scan, scan_strategy strategy);

/* The launch of the threads' reduction by key. */
scan_launch scan_select_threads_reduce_step(const scan_caps *caps, const scan_select_form *form,
                                            const scan_source *sums);

/* Writes the launches of the method that every device has, and returns their number. */
int scan_select_plain_steps(const scan_caps *caps, const scan_select_form *form, int is_by_ends, uint64_t n,
                            scan_launch *steps);

/* 1 if the segments of the scan are reduced by the bits of their last elements, without a scan of all values. */
int scan_select_is_by_ends(const scan_caps *caps, const scan_problem *scan, scan_strategy strategy);

/* The last launch of each pass of a partition, in both methods. */
scan_launch scan_select_left_step(const scan_caps *caps, const scan_select_form *form);

/* The launch that makes the bits of runs' last elements from those of their first ones, in both methods. */
scan_launch scan_select_ends_step(const scan_caps *caps, const scan_select_form *form, uint64_t n);

/* The launch that writes lengths of runs from bits and places, in both methods. */
scan_launch scan_select_lengths_step(const scan_caps *caps, const scan_select_form *form, uint64_t n, int array);

/* Warps of a work-group of OpenCL's look-back compaction; 0: the device does not use it. */
uint32_t scan_select_lookback_warps(const scan_caps *caps);

/* Elements of OpenCL's smallest tile. */
uint32_t scan_select_lookback_smallest_tile(const scan_caps *caps);

/* A launch of OpenCL's look-back compaction; `by` is the scan_select_by that says which elements are kept. */
scan_launch scan_select_lookback_step(const scan_caps *caps, uint32_t by, uint32_t bytes, uint64_t n, int array);

/* The largest number of pipelined tiles of up to max_n elements; the workspace has a descriptor for each. */
uint32_t scan_select_tile_capacity(const scan_caps *caps, uint64_t max_n);

/* Words that an element of the array is moved in. */
uint32_t scan_select_element_words(const scan_select_form *form, uint32_t array);

/* The unsigned integer type of kernels that move `bytes` bytes at once. The pipelined kernels of 16-byte elements are
 * built for SCAN_U64, too. */
scan_type scan_select_moved_type(uint32_t bytes);

/* The flags of all launches of the form. */
uint32_t scan_select_flags(const scan_select_form *form);

/* The flags of the outputs of encoded runs besides keys: lengths and starts. */
uint32_t scan_select_encode_flags(const scan_select_form *form);

/* Bytes of the marks of n elements. */
uint64_t scan_select_mark_bytes(const scan_select_form *form, uint64_t n);

/* Bytes of the tiles' counts, for up to max_n elements. */
uint64_t scan_select_count_bytes(uint64_t max_n);

/* Bytes of the look-back's control block and descriptors, for up to max_n elements. */
uint64_t scan_select_lookback_state_bytes(const scan_caps *caps, const scan_select_form *form, uint64_t max_n);

/* Bytes of the bits that say which elements are kept, for up to max_n elements. */
uint64_t scan_select_bits_bytes(const scan_select_form *form, uint64_t max_n);

/* The largest n that launches have work-groups for. */
uint64_t scan_select_limit(const scan_caps *caps);

/* The largest number of words of an element: on devices that end loops, more would be cut short. */
uint32_t scan_select_most_element_words(const scan_caps *caps);

#endif
