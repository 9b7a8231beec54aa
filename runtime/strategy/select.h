/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: which kernels run, with which geometry and workspace. Arithmetic, as all of this layer. There are two
 * ways: marks, places and elements in launches of their own (select.c), and one launch an array, pipelined, where the
 * device has it (select_pipelined.c; of OpenCL's work-groups select_lookback.c). */
#ifndef SCANRT_SELECT_H
#define SCANRT_SELECT_H

#include <scanrt/scan_select.h>

#include "strategy/strategy.h"

/* What is written of the elements that are kept. */
typedef enum scan_select_what {
  SCAN_SELECT_MOVED,   /* an array's elements */
  SCAN_SELECT_KEYS,    /* likewise: of the keys that say where runs begin */
  SCAN_SELECT_VALUES,  /* likewise: of what a scan has left in the plan's workspace */
  SCAN_SELECT_INDICES, /* their indices */
  SCAN_SELECT_LENGTHS  /* of each run, whose first element is kept, how many elements it has */
} scan_select_what;

/* A spec, checked and completed. No padding: compared byte by byte. */
typedef struct scan_select_form {
  uint32_t by, rest; /* scan_select_by, scan_select_rest */
  uint32_t key_type; /* of keys; else 0 */
  uint32_t arrays;   /* that are written */
  uint32_t in_place; /* 1: an output may be its input */
  uint32_t pass;     /* 1, 2: of a partition into three, which leaves how many are not kept; 0: alone */
  uint32_t sum_type; /* of SCAN_SELECT_VALUES: scan_select_sum_type; 0, too, where another strategy than pipelined was
                        asked for */
  uint32_t clamps;   /* SCAN_N_FROM_CLAMP */
  const scan_source *predicate;                                            /* or NULL */
  uint32_t what[SCAN_SELECT_MOST_ARRAYS];                                  /* scan_select_what, of each, */
  uint32_t bytes[SCAN_SELECT_MOST_ARRAYS], align[SCAN_SELECT_MOST_ARRAYS]; /* and of its elements */
} scan_select_form;

/* Of keys and their runs alone (scan_runs.h), the keys being array 0: args have other names. */
static inline int scan_select_is_of_runs(const scan_select_form *form) { return form->what[0] == SCAN_SELECT_KEYS; }

/* Whether an array's elements come from memory that the caller names for them alone. */
static inline int scan_select_is_read(const scan_select_form *form, uint32_t array) {
  return form->what[array] == SCAN_SELECT_MOVED;
}

/* Whether lengths of runs are written. */
static inline int scan_select_has_lengths(const scan_select_form *form) {
  for (uint32_t a = 0; a < form->arrays; a++)
    if (form->what[a] == SCAN_SELECT_LENGTHS) return 1;
  return 0;
}

/* Whether values of runs are written, array 1. */
static inline int scan_select_reduces(const scan_select_form *form) { return form->what[1] == SCAN_SELECT_VALUES; }

enum { SCAN_SELECT_NO_ARRAY = -1 };

/* A launch of a compaction, with the type that its kernel is built for. */
typedef struct scan_select_step {
  scan_step launch;
  scan_type type;
  const char *primitive; /* as scan_kernel_key has it */
  const scan_source *source;
  uint32_t flags;       /* what it is told, besides SELECT_N_FROM and SELECT_OVER */
  uint32_t pieces;      /* that an element is moved in, or parts of a tile */
  uint32_t group_items; /* as scan_kernel_key has them */
  int array;            /* that is written, or SCAN_SELECT_NO_ARRAY */
  int reads_bits;       /* its marks are the bits of what is kept, which an earlier one has made */
  int reads_begins;     /* its marks are the bits of runs' first elements */
  int makes_begins;     /* it makes those */
  int has_places;       /* its workspace are counts or places, not a board */
  int reduces;          /* it reads keys and values, and writes all that there is of runs */
  int encodes;          /* it writes all that is written of runs, and needs neither bits nor places */
  int writes_left;      /* it leaves how many are not kept */
  int counts;           /* it alone counts what is kept of the elements that n_from has: it runs without room, too */
} scan_select_step;

enum { SCAN_SELECT_MOST_STEPS = 5 + SCAN_SELECT_MOST_ARRAYS };

/* How a run goes. */
typedef struct scan_select_way {
  int is_pipelined;
  int is_fused;            /* what the marks are, is the first array */
  const scan_source *sums; /* the operator of a reduction by threads, in one pass; or NULL */
} scan_select_way;

/* Writes the launches for n elements. Returns how many they are. */
int scan_select_steps(const scan_caps *caps, const scan_select_form *form, scan_select_way way, uint64_t n,
                      scan_select_step steps[SCAN_SELECT_MOST_STEPS]);

/* Whether the device compacts the form in one launch an array. */
int scan_select_is_pipelined(const scan_caps *caps, const scan_select_form *form);

/* Whether one launch of that way encodes runs: keys, lengths and starts, all that there are. */
int scan_select_is_encoded(const scan_caps *caps, const scan_select_form *form);

/* Whether one launch of that way reduces runs, of which another has found where they begin; elsewhere a scan comes
 * between, whose values at runs' ends are kept. */
int scan_select_is_reduced(const scan_caps *caps, const scan_select_form *form);

/* Whether the device compacts the form by threads, in one pass an array, or encodes runs in one; and the steps. */
int scan_select_is_by_threads(const scan_caps *caps, const scan_select_form *form);
int scan_select_threads_steps(const scan_caps *caps, const scan_select_form *form,
                              scan_select_step steps[SCAN_SELECT_MOST_STEPS]);

/* The type that runs are summed in where no scan is needed: a built-in sum of values as they are read and written, u32
 * or u64 for integers; else 0. */
scan_type scan_select_sum_type(const scan_problem *scan);

/* Whether threads reduce by key in one pass, by a scan that was asked for so; and the launch. */
int scan_select_is_summed(const scan_caps *caps, const scan_problem *scan, scan_strategy strategy);
scan_select_step scan_select_threads_reduce_step(const scan_caps *caps, const scan_select_form *form,
                                                 const scan_source *sums);

/* The steps of the way that every device has. */
int scan_select_plain_steps(const scan_caps *caps, const scan_select_form *form, uint64_t n,
                            scan_select_step steps[SCAN_SELECT_MOST_STEPS]);

/* The last step of a pass of a partition, in every way. */
scan_select_step scan_select_left_step(const scan_caps *caps, const scan_select_form *form);

/* Steps of both ways: runs' last elements of their first ones, and their lengths, of bits and places. */
scan_select_step scan_select_ends_step(const scan_caps *caps, const scan_select_form *form, uint64_t n);
scan_select_step scan_select_lengths_step(const scan_caps *caps, const scan_select_form *form, uint64_t n, int array);

/* The same on OpenCL, by work-groups that look back: of how many warps, 0 where there are none; elements of the
 * smallest tile; and a launch, which `by` says which elements are kept of. */
uint32_t scan_select_lookback_warps(const scan_caps *caps);
uint32_t scan_select_lookback_smallest_tile(const scan_caps *caps);
scan_select_step scan_select_lookback_step(const scan_caps *caps, uint32_t by, uint32_t bytes, uint64_t n, int array);

/* Tiles of the pipelined way, at most, for which the workspace has descriptors. */
uint32_t scan_select_tile_capacity(const scan_caps *caps, uint64_t max_n);

/* Pieces that an element of the array is moved in. */
uint32_t scan_select_pieces(const scan_select_form *form, uint32_t array);

/* The type of kernels that move so many bytes at once: an unsigned integer. In one launch an array, elements of 16
 * bytes have kernels of their own, which go by the largest. */
scan_type scan_select_moved_type(uint32_t bytes);

/* What all launches are told. */
uint32_t scan_select_flags(const scan_select_form *form);

/* What is written of encoded runs besides keys, for which there need not be memory. */
uint32_t scan_select_encode_flags(const scan_select_form *form);

/* Bytes of a mark of n elements. */
uint64_t scan_select_mark_bytes(const scan_select_form *form, uint64_t n);

/* Bytes of the workspace's parts for up to max_n elements: counts of tiles, a board, and bits. */
uint64_t scan_select_count_bytes(uint64_t max_n);
uint64_t scan_select_board_bytes(const scan_caps *caps, const scan_select_form *form, uint64_t max_n);
uint64_t scan_select_bits_bytes(const scan_select_form *form, uint64_t max_n);

/* The largest n that launches have work-groups for, and how many pieces an element may have: more would be cut short on
 * devices that end loops. */
uint64_t scan_select_limit(const scan_caps *caps);
uint32_t scan_select_most_pieces(const scan_caps *caps);

#endif
