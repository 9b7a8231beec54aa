/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: which kernels run, with which geometry and workspace. Arithmetic, as all of this layer. */
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
  uint32_t by, rest;                                                       /* scan_select_by, scan_select_rest */
  uint32_t key_type;                                                       /* of keys; else 0 */
  uint32_t arrays;                                                         /* that are written */
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

/* Whether a scan comes before: values are array 1. */
static inline int scan_select_reduces(const scan_select_form *form) { return form->what[1] == SCAN_SELECT_VALUES; }

/* A launch of a compaction, with the type that its kernel is built for. */
typedef struct scan_select_step {
  scan_step launch;
  scan_type type;
  const char *primitive; /* as scan_kernel_key has it */
} scan_select_step;

enum { SCAN_SELECT_FIRST_MOVE = 2, SCAN_SELECT_MOST_STEPS = SCAN_SELECT_FIRST_MOVE + SCAN_SELECT_MOST_ARRAYS };

/* Writes the launches for n elements: marks, places, and one for each array, whose index is that of the step less
 * SCAN_SELECT_FIRST_MOVE. Where SCAN_SELECT_VALUES are moved, the last step makes the bits of runs' first elements,
 * which that scan reads, and the first one those of their last elements of them: it comes before the scan, the others
 * after it. Returns how many they are. */
int scan_select_steps(const scan_caps *caps, const scan_select_form *form, uint64_t n,
                      scan_select_step steps[SCAN_SELECT_MOST_STEPS]);

/* Pieces that an element of the array is moved in. */
uint32_t scan_select_pieces(const scan_select_form *form, uint32_t array);

/* What all launches are told. */
uint32_t scan_select_flags(const scan_select_form *form, int has_n_from);

/* Bytes of a mark of n elements. */
uint64_t scan_select_mark_bytes(const scan_select_form *form, uint64_t n);

/* Bytes of the workspace's two parts for up to max_n elements: counts of tiles, and bits. */
uint64_t scan_select_count_bytes(uint64_t max_n);
uint64_t scan_select_bits_bytes(const scan_select_form *form, uint64_t max_n);

/* The largest n that launches have work-groups for, and how many pieces an element may have: more would be cut short on
 * devices that end loops. */
uint64_t scan_select_limit(const scan_caps *caps);
uint32_t scan_select_most_pieces(const scan_caps *caps);

#endif
