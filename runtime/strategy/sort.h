/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: which kernels run, with which geometry and workspace. Arithmetic, as all of this layer. */
#ifndef SCANRT_SORT_H
#define SCANRT_SORT_H

#include <scanrt/scan_sort.h>

#include "kernels_cl/sort.h"
#include "strategy/strategy.h"

/* What is asked for: all passes; or one, which leaves where its digits begin; or how many keys have each digit. */
typedef enum scan_sort_what { SCAN_SORT_ALL_BITS = 0, SCAN_SORT_SPLIT, SCAN_SORT_HISTOGRAM } scan_sort_what;

/* What a key is: one integer or floating-point number, or two integers, of which the first in memory is the more
 * significant one or the less. */
typedef enum scan_sort_words { SCAN_SORT_ONE_WORD = 0, SCAN_SORT_HIGH_FIRST, SCAN_SORT_LOW_FIRST } scan_sort_words;

/* A spec, checked and completed. No padding: compared byte by byte. */
typedef struct scan_sort_form {
  const scan_source *bucket; /* makes the keys, of a byte each, of elements; or NULL */
  uint32_t buckets;          /* of that */
  uint32_t moves_elements;   /* they are array 0, and come from there */
  uint32_t what;             /* a scan_sort_what */
  uint32_t bins;             /* 64-bit numbers that a split or a histogram leaves; else 0 */
  uint32_t key_type;
  uint32_t descending;
  uint32_t first_bit, end_bit; /* the bits that are sorted by */
  uint32_t index_bytes;        /* of the indices that are written; 0: none are */
  uint32_t arrays;
  uint32_t drops_keys, in_place;
  uint32_t words;         /* a scan_sort_words */
  uint32_t gives_scratch; /* each run is given what has a part for each key */
  uint32_t bytes[SCAN_SORT_MOST_ARRAYS], align[SCAN_SORT_MOST_ARRAYS]; /* of the arrays' elements */
  uint32_t offset_bytes;                                               /* of an offset of segments; 0: there are none */
  uint32_t most_segment_items; /* keys of a segment, as promised; 0: any number */
  uint32_t clamps;             /* SCAN_N_FROM_CLAMP */
  uint32_t is_numeric;         /* floating-point keys are in the numeric order */
} scan_sort_form;

/* What moves with the keys from pass to pass. */
typedef struct scan_sort_values {
  uint32_t bytes;       /* of each; 0: nothing does */
  uint32_t are_indices; /* of the keys; 0: they are the only array's elements */
  uint32_t are_left;    /* indices that the caller does not want: arrays are gathered by them */
} scan_sort_values;

/* A launch. */
typedef struct scan_sort_step {
  scan_step launch;
  const char *primitive; /* the image of the kernel; NULL: that of the portable ones */
  scan_type type;
  scan_type input_type; /* of the kernel's other type; 0: the same */
  uint32_t local_most;  /* dynamic local memory that other plans may ask for, for the same kernel */
  uint32_t is_cluster;  /* its work-groups are one */
  uint32_t flags;       /* besides SORT_IN_PLACE and SORT_N_FROM */
  uint32_t tile_items, tiles;
  uint32_t step_items; /* of segments */
  uint32_t pass;
  uint32_t part, part_tiles; /* of a sweep */
  uint32_t pieces;
  int array;                 /* that is gathered, or SCAN_SORT_NO_ARRAY */
  const scan_source *source; /* makes buckets; or NULL */
} scan_sort_step;

enum { SCAN_SORT_NO_ARRAY = -1, SCAN_SORT_MOST_STEPS = 4 + 3 * SORT_MOST_PASSES + SCAN_SORT_MOST_ARRAYS };

/* Bytes of a key; the most that are one integer to kernels; and the fewest that CUDA's sweeps have between two passes.
 */
uint32_t scan_sort_key_bytes(const scan_sort_form *form);
enum { SCAN_SORT_WIDEST_INTEGER = 8, SCAN_SORT_SMALLEST_SWEPT = 4 };

/* Writes the launches of so many passes over n keys, each one as `pass` for every part (kernels_cl/sort.h), with no
 * more work-groups than a part has tiles. Returns how many they are. */
int scan_sort_parts_steps(const scan_caps *caps, const scan_sort_step *pass, uint64_t n, uint32_t passes,
                          scan_sort_step *steps);

/* Replaces a step's kernel by its variant for the numeric order, if the form has that order and the kernel reads keys
 * (sort_numeric.c). */
void scan_sort_make_numeric(const scan_sort_form *form, scan_sort_step *step);

/* Whether a work-item alone has a tile. */
static inline int scan_sort_is_by_items(const scan_caps *caps) { return caps->tuning.group_items == 1; }

/* A histogram has none. */
static inline int scan_sort_has_passes(const scan_sort_form *form) { return form->what != SCAN_SORT_HISTOGRAM; }

/* What the passes move, of sorts of up to max_n keys. */
scan_sort_values scan_sort_values_of(const scan_sort_form *form, uint64_t max_n);

/* Writes the launches for n keys by a plan for max_n. Returns how many they are. is_over: an output is its input. */
int scan_sort_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int is_over,
                    scan_sort_step steps[SCAN_SORT_MOST_STEPS]);

/* The host's own way: whether it is taken, its launch, and the bytes of what digits are counted in. */
int scan_sort_is_by_threads(const scan_caps *caps);
scan_sort_step scan_sort_threads_step(const scan_caps *caps, const scan_sort_form *form);
uint64_t scan_sort_threads_digit_bytes(const scan_caps *caps);

/* CUDA's own way, a launch a pass: whether a plan takes it; its launches; the bytes of tickets and boards, and of what
 * digits are counted in; and of what keys are in between two passes, with what goes with them or, if *apart is not 0,
 * without: so many bytes a value. */
enum { SCAN_SORT_LANES_TURNED = 3 }; /* SCANRT_TUNE=sort_sweeps: every tile is to fail, so all keys go that way */
int scan_sort_is_swept(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);
int scan_sort_sweep_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int is_over,
                          scan_sort_step steps[SCAN_SORT_MOST_STEPS]);
uint64_t scan_sort_sweep_board_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);
uint64_t scan_sort_sweep_digit_bytes(void);
uint64_t scan_sort_sweep_spare_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n,
                                     uint32_t *apart);

/* Few keys by a cluster, where sweeps sort many: whether the plan's runs of n are, and their launch. */
int scan_sort_is_clustered(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n);
scan_sort_step scan_sort_cluster_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* OpenCL's, likewise, by work-groups that look back. */
int scan_sort_looks_back(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);
int scan_sort_lookback_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, uint64_t max_n, int is_over,
                             scan_sort_step steps[SCAN_SORT_MOST_STEPS]);
uint64_t scan_sort_lookback_board_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* The launch that tells whether it pays, on the context's device: where it does not, SORT_WORD_REPAIRS is not 0. */
scan_sort_step scan_sort_lanes_step(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Segments, by launches of their own where threads do not sort: whether there are any; whether those larger than a tile
 * are merged, and not sorted by digits; whether a plan's first launch needs a table, of which the counters are to be
 * cleared before; the launches; and the bytes of the workspace's parts. */
static inline int scan_sort_has_segments(const scan_sort_form *form) { return form->offset_bytes != 0; }
int scan_sort_segments_are_merged(const scan_caps *caps);
int scan_sort_segments_have_table(const scan_caps *caps, const scan_sort_form *form, uint64_t n);
int scan_sort_segments_steps(const scan_caps *caps, const scan_sort_form *form, uint64_t n, int is_over,
                             scan_sort_step steps[SCAN_SORT_MOST_STEPS]);
uint64_t scan_sort_segments_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);
uint64_t scan_sort_segments_table_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);
uint64_t scan_sort_segments_limit(const scan_caps *caps, const scan_sort_form *form);

/* Bytes of the workspace's parts for up to max_n keys: the numbers of tiles, and what all digits are counted in. */
uint64_t scan_sort_number_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);
uint64_t scan_sort_digit_bytes(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* CUDA: the fewest keys, that one work-group sorts and merges; 0: none. */
uint64_t scan_sort_merged_items(const scan_caps *caps, const scan_sort_form *form);

/* Keys that one launch sorts, of a plan for max_n. */
uint64_t scan_sort_alone_items(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* The largest n that the device sorts at once. */
uint64_t scan_sort_limit(const scan_caps *caps, const scan_sort_form *form);

/* Tiles of up to max_n keys, at most. */
uint64_t scan_sort_most_tiles(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n);

/* Keys of a tile. */
uint32_t scan_sort_tile_items(const scan_caps *caps, const scan_sort_form *form, uint64_t n);

#endif
