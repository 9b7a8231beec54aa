/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: which kernels run, with which geometry and workspace. Arithmetic, as all of this layer. There are two
 * ways: marks, places and elements in launches of their own (select.c), and one launch an array, pipelined, where the
 * device has it (select_pipelined.c). */
#ifndef SCANRT_SELECT_H
#define SCANRT_SELECT_H

#include <scanrt/scan_select.h>

#include "strategy/strategy.h"

/* A spec, checked and completed. No padding: compared byte by byte. */
typedef struct scan_select_form {
  uint32_t by, rest;                                                       /* scan_select_by, scan_select_rest */
  uint32_t key_type;                                                       /* of keys; else 0 */
  uint32_t index_type;                                                     /* of indices; else 0 */
  const scan_source *predicate;                                            /* or NULL */
  uint32_t in_place;                                                       /* 1: an output may be its input */
  uint32_t arrays;                                                         /* that are written: of indices 1 */
  uint32_t bytes[SCAN_SELECT_MOST_ARRAYS], align[SCAN_SELECT_MOST_ARRAYS]; /* of an element of each */
} scan_select_form;

enum { SCAN_SELECT_NO_ARRAY = -1 };

/* A launch of a compaction, with the type that its kernel is built for. */
typedef struct scan_select_step {
  scan_step launch;
  scan_type type;
  const char *primitive; /* as scan_kernel_key has it */
  const scan_source *source;
  uint32_t pieces; /* that an element is moved in, or parts of a tile */
  int array;      /* that is moved, or SCAN_SELECT_NO_ARRAY */
  int reads_bits; /* its marks are the bits that an earlier one made */
  uint32_t flags; /* what it is told, besides SELECT_N_FROM and SELECT_OVER */
} scan_select_step;

enum { SCAN_SELECT_MOST_STEPS = 2 + SCAN_SELECT_MOST_ARRAYS };

/* What a run is asked for besides its form. */
typedef struct scan_select_way {
  int is_pipelined;
  int is_fused; /* what the marks are, is the first array */
} scan_select_way;

/* Writes the launches for n elements. Returns how many they are. */
int scan_select_steps(const scan_caps *caps, const scan_select_form *form, scan_select_way way, uint64_t n,
                      scan_select_step steps[SCAN_SELECT_MOST_STEPS]);

/* Whether the device compacts the form in one launch an array. */
int scan_select_is_pipelined(const scan_caps *caps, const scan_select_form *form);

/* The part of scan_select_steps that is for that. */
int scan_select_pipelined_steps(const scan_caps *caps, const scan_select_form *form, int is_fused, uint64_t n,
                                scan_select_step steps[SCAN_SELECT_MOST_STEPS]);

/* Tiles of it, at most, for which the workspace has descriptors. */
uint32_t scan_select_tile_capacity(const scan_caps *caps, uint64_t max_n);

/* Pieces that an element of the array is moved in. */
uint32_t scan_select_pieces(const scan_select_form *form, uint32_t array);

/* What all launches are told. */
uint32_t scan_select_flags(const scan_select_form *form);

/* Bytes of a mark of n elements. */
uint64_t scan_select_mark_bytes(const scan_select_form *form, uint64_t n);

/* Bytes of the workspace's two parts for up to max_n elements: counts of tiles or a board, and bits. */
uint64_t scan_select_count_bytes(const scan_caps *caps, int is_pipelined, uint64_t max_n);
uint64_t scan_select_bits_bytes(const scan_select_form *form, uint64_t max_n);

/* The largest n that launches have work-groups for, and how many pieces an element may have: more would be cut short on
 * devices that end loops. */
uint64_t scan_select_limit(const scan_caps *caps);
uint32_t scan_select_most_pieces(const scan_caps *caps);

#endif
