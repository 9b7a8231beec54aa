/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: chooses the kernels, their geometry and their workspace. Pure arithmetic, as is this whole layer. */
#ifndef SCANRT_SORT_H
#define SCANRT_SORT_H

#include <scanrt/scan_sort.h>

#include "kernels_cl/sort/sort.h"
#include "strategy/strategy.h"

/* The operation: a sort by all passes; a split, one pass that also writes where each digit begins; or a histogram, the
 * number of keys of each digit. */
typedef enum scan_sort_what { SCAN_SORT_ALL_BITS = 0, SCAN_SORT_SPLIT, SCAN_SORT_HISTOGRAM } scan_sort_what;

/* The words of a key: one integer or floating-point number, or two integers, of which the first in memory is the more
 * (HIGH_FIRST) or the less (LOW_FIRST) significant one. */
typedef enum scan_sort_words { SCAN_SORT_ONE_WORD = 0, SCAN_SORT_HIGH_FIRST, SCAN_SORT_LOW_FIRST } scan_sort_words;

/* A checked and completed spec of a sort, split or histogram. It has no padding: specs are compared byte by byte. */
typedef struct scan_sort_form {
  const scan_source *bucket; /* function from source that maps an element to a key of one byte; or NULL */
  uint32_t buckets;          /* number of keys that `bucket` can return */
  uint32_t moves_elements;   /* 1: the elements that `bucket` maps are array 0, which moves with the keys */
  uint32_t what;             /* a scan_sort_what */
  uint32_t bins;             /* number of 64-bit results of a split or a histogram; else 0 */
  uint32_t key_type;
  uint32_t descending;
  uint32_t first_bit, end_bit; /* the range of key bits that are sorted by */
  uint32_t index_bytes;        /* bytes of each index written; 0: no indices are written */
  uint32_t arrays;
  uint32_t drops_keys, in_place;
  uint32_t words;         /* a scan_sort_words */
  uint32_t gives_scratch; /* 1: each run names the scratch memory whose size grows with n */
  uint32_t bytes[SCAN_SORT_MOST_ARRAYS], align[SCAN_SORT_MOST_ARRAYS]; /* per array: an element's bytes and alignment */
  uint32_t offset_bytes;                                               /* bytes of a segment offset; 0: no segments */
  uint32_t most_segment_items; /* promised largest number of keys in a segment; 0: none promised */
  uint32_t clamps;             /* SCAN_N_FROM_CLAMP */
  uint32_t is_numeric;         /* 1: floating-point keys are sorted in the numeric order */
} scan_sort_form;

/* The value that moves with each key from pass to pass. */
typedef struct scan_sort_values {
  uint32_t bytes;               /* bytes of a value; 0: keys move alone */
  uint32_t are_indices;         /* 1: values are the keys' indices; 0: values are the only array's elements */
  uint32_t values_are_gathered; /* 1: the indices are no output: the arrays are gathered by them after the passes */
} scan_sort_values;

enum { SCAN_SORT_MOST_STEPS = 5 + 3 * SORT_MOST_PASSES + SCAN_SORT_MOST_ARRAYS };
_Static_assert((int)SCAN_SORT_MOST_STEPS <= (int)SCAN_MOST_LAUNCHES, "a plan has room for a sort's launches");

/* Bytes of a key. */
uint32_t scan_sort_key_bytes(const scan_sort_form *form);

/* WIDEST_INTEGER: the largest key that kernels hold in one integer. LEAST_ONESWEEP_BYTES: the smallest key that CUDA's
 * onesweep kernels store between two passes; smaller ones are widened. */
enum { SCAN_SORT_WIDEST_INTEGER = 8, SCAN_SORT_LEAST_ONESWEEP_BYTES = 4 };

/* Writes the launches of `passes` passes over n keys, for each pass one copy of `pass` a part (kernels_cl/sort/sort.h).
 * No launch has more work-groups than its part has tiles. Returns the number of launches. */
int scan_sort_parts_steps(const scan_caps *caps, const scan_launch *pass, uint64_t n, uint32_t passes,
                          scan_launch *steps);

/* Replaces a step's kernel by its variant for the numeric order, if the form has that order and the kernel reads keys
 * (sort_numeric.c). */
void scan_sort_make_numeric(const scan_sort_form *form, scan_launch *step);

/* 1 if a single work-item sorts a tile. */
static inline int scan_sort_is_by_items(const scan_caps *caps) { return caps->tuning.group_items == 1; }

/* 1 if the form moves keys; a histogram only counts them. */
static inline int scan_sort_has_passes(const scan_sort_form *form) { return form->what != SCAN_SORT_HISTOGRAM; }

/* The number of digits whose results a split or a histogram writes; 0 for sorts. */
static inline uint32_t scan_sort_buckets(const scan_sort_form *form) {
  return form->what == SCAN_SORT_SPLIT ? form->bins - 1 : form->bins;
}

/* The values that the passes of a sort of up to max_n keys move. */
scan_sort_values scan_sort_values_of(const scan_sort_form *form, uint64_t max_n);

/* The first launch of a sort by segments: tiles of several segments; warps, if segments are small on average; tiles of
 * one segment, if they are large; or all work-groups, which need no other launch (sort_few.c). */
typedef enum scan_sort_segments_kind {
  SCAN_SEGMENTS_BY_TILES = 0,
  SCAN_SEGMENTS_BY_WARPS,
  SCAN_SEGMENTS_BY_GROUPS,
  SCAN_SEGMENTS_RANKED
} scan_sort_segments_kind;

/* Writes the launches that sort n keys with a plan for max_n and returns their number. in_place: 1 if an output is its
 * input. */
int scan_sort_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int in_place,
                    scan_sort_segments_kind kind, scan_launch *steps);

/* 1 if the host's threads sort, in one launch. */
int scan_sort_is_by_threads(const scan_caps *caps);

/* The launch of the host's sort. */
scan_launch scan_sort_threads_step(const scan_caps *caps, const scan_sort_form *form);

/* Bytes of the host's digit counts. */
uint64_t scan_sort_threads_digit_bytes(const scan_caps *caps);

/* Value of SCANRT_TUNE=sort_sweeps, for tests: every tile fails the check of its order, so that all keys are
 * repaired. */
enum { SCAN_SORT_LANES_PERMUTED = 3 };

/* 1 if a plan for max_n sorts by CUDA's onesweep, one launch a pass. */
int scan_sort_uses_onesweep(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Keys of a tile of CUDA's onesweep kernels, which a plan for max_n may use for all keys or for large segments; 0: the
 * device cannot use them. */
uint32_t scan_sort_onesweep_tile_items(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* A pass of onesweep over large segments; the caller sets the step's arguments and table. */
scan_launch scan_sort_onesweep_segments_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Writes the launches of CUDA's onesweep and returns their number. */
int scan_sort_onesweep_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                             int in_place, scan_launch *steps);

/* The most keys that a plan for max_n sorts by onesweep's kernels with the smallest tiles, or the middle ones; 0: there
 * are none. */
uint64_t scan_sort_kind_items(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n, int is_middle);

/* Bytes of onesweep's tickets and look-back descriptors. */
uint64_t scan_sort_onesweep_lookback_state_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Bytes of onesweep's digit counts. */
uint64_t scan_sort_onesweep_digit_bytes(void);

/* Bytes of the memory that holds keys between two passes. It holds the values, too, unless *apart is not 0: then
 * values need memory of their own, of *apart bytes each. */
uint64_t scan_sort_onesweep_spare_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n,
                                        uint32_t *apart);

/* 1 if a run of n keys is sorted by one cluster of work-groups, in a plan that sorts more keys by onesweep. */
int scan_sort_is_clustered(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n);

/* The launch of the cluster's sort. */
scan_launch scan_sort_cluster_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* 1 if a plan for max_n sorts by OpenCL work-groups that look back, one launch a pass. */
int scan_sort_looks_back(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Writes the launches of OpenCL's look-back sort and returns their number. */
int scan_sort_lookback_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                             int in_place, scan_launch *steps);

/* Bytes of the look-back sort's tickets and descriptors. */
uint64_t scan_sort_lookback_state_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* 1 if a plan for max_n sorts by ranges (kernels_cl/sort/sort_ranges.cl). */
int scan_sort_has_ranges(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Writes the launches of a sort by ranges and returns their number. */
int scan_sort_ranges_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                           scan_launch *steps);

/* Bytes of the ranges' counts, and of what the launches find out. */
uint64_t scan_sort_ranges_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);
uint64_t scan_sort_ranges_digit_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* The launch that tests on the context's device whether onesweep works there: it leaves SORT_WORD_REPAIRS nonzero if
 * not. */
scan_launch scan_sort_lanes_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* 1 if the form sorts segments. */
static inline int scan_sort_has_segments(const scan_sort_form *form) { return form->offset_bytes != 0; }

/* 1 if a plan for max_n sorts segments larger than a tile by work-groups that look back. */
int scan_sort_segments_look_back(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Returns the first launch of a sort of n keys in so many segments. */
scan_sort_segments_kind scan_sort_segments_kind_of(const scan_caps *caps, const scan_sort_form *form, uint64_t n,
                                                   uint64_t max_n, uint64_t segments, int in_place);

/* 1 if the first launch needs a table of the larger segments, whose counters are to be cleared before. */
int scan_sort_segments_have_table(const scan_caps *caps, const scan_sort_form *form, uint64_t n,
                                  scan_sort_segments_kind kind);

/* Writes the launches that sort segments where threads do not, and returns their number. */
int scan_sort_segments_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                             int in_place, scan_sort_segments_kind kind, scan_launch *steps);

/* Bytes of the segments' tile counts. */
uint64_t scan_sort_segments_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Bytes of the table of larger segments. */
uint64_t scan_sort_segments_table_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* The largest n whose segments the device sorts at once. */
uint64_t scan_sort_segments_limit(const scan_caps *caps, const scan_sort_form *form);

/* Bytes of the per-tile digit counts or look-back descriptors, for up to max_n keys. */
uint64_t scan_sort_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Bytes of the digit counts of all keys, for up to max_n keys. */
uint64_t scan_sort_digit_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* CUDA: the largest n that one work-group sorts and merges in one launch, if an output is an input; 0: none. */
uint64_t scan_sort_merged_items(const scan_caps *caps, const scan_sort_form *form);

/* CUDA: the largest n that work-groups rank in one launch, if no output is an input; 0: none. */
uint64_t scan_sort_ranked_items(const scan_caps *caps, const scan_sort_form *form);

/* CUDA: the largest n that is split in one launch, with an output that is an input or without; 0: none. */
uint64_t scan_sort_split_items(const scan_caps *caps, const scan_sort_form *form, int in_place);

/* CUDA: the largest n of which work-groups rank segments in one launch, if no output is an input; 0: none. */
uint64_t scan_sort_ranked_segments_items(const scan_caps *caps, const scan_sort_form *form);

/* 1 if work-groups rank n keys in so many segments, if no output is an input. */
int scan_sort_segments_are_ranked(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t segments);

/* The launches of these sorts and splits. */
scan_launch scan_sort_merged_step(const scan_sort_form *form);
scan_launch scan_sort_ranked_step(const scan_sort_form *form, uint64_t n);
scan_launch scan_sort_split_alone_step(const scan_caps *caps, const scan_sort_form *form, uint64_t n, int in_place);

/* The largest n that a plan for max_n sorts in one launch. */
uint64_t scan_sort_alone_items(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* The largest n that the device sorts at once. */
uint64_t scan_sort_limit(const scan_caps *caps, const scan_sort_form *form);

/* The largest number of tiles of any n up to max_n. */
uint64_t scan_sort_most_tiles(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Keys of a tile in a sort of n keys. */
uint32_t scan_sort_tile_items(const scan_caps *caps, const scan_sort_form *form, uint64_t n);

#endif
