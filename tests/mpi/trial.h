/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file trial.h
 * @brief Random scans over ranks and contexts: a spec, a distribution, elements and segments.
 */
#ifndef SCANRT_TESTS_MPI_TRIAL_H
#define SCANRT_TESTS_MPI_TRIAL_H

#include "group.h"
#include "operators.h"

enum { TRIAL_VALUE = 64, TRIAL_TEXT = 256 };

/** What a case is; the same on all ranks. */
typedef struct trial {
  scan_spec spec;
  const source_structure *source; /* NULL: a built-in operator */
  uint64_t n, in_bytes, out_bytes, value_bytes, unit;
  int contexts[GROUP_MOST_RANKS];       /* of each rank */
  int all_contexts;                     /* of all ranks */
  uint64_t counts[GROUP_MOST_CONTEXTS]; /* of each context, in the order of the ranks */
  uint64_t of_ranks[GROUP_MOST_RANKS];  /* of each rank */
  int has_carry, wants_carry, in_place, on_device, by_plan, tells_behind, fill;
  _Alignas(16) unsigned char init[TRIAL_VALUE];
  _Alignas(16) unsigned char carry[TRIAL_VALUE];
} trial;

/** Draws a case. @param scale 0: of one group at most. @param most_contexts of a rank; 1: no number is drawn for it. */
void trial_draw(const group *g, struct rng *rng, trial *t, int scale, int most_contexts);

/** The case in words, in `text`. */
const char *trial_text_of(const trial *t, char text[TRIAL_TEXT]);

/** Elements of a case: ordinary ones, special ones, or zeros of negative sign alone. */
void trial_fill(struct rng *rng, const trial *t, scan_type type, uint64_t n, void *out);

/** Where segments begin, among all elements: of some length, or of none. */
void trial_draw_heads(struct rng *rng, const trial *t, unsigned char *heads);

/** Keys that differ where heads are; of floats sometimes zeros of both signs, which are equal, within a segment. */
void trial_make_keys(struct rng *rng, scan_type type, const unsigned char *heads, uint64_t n, unsigned char *keys);

/** Marks of n elements as the spec tells them. */
typedef struct trial_marks {
  void *bytes;
  uint64_t count, size;
} trial_marks;

/** Free their bytes. @param is_whole of all elements. @param marks_behind of offsets: one begins behind the last. */
trial_marks trial_marks_of(const trial *t, const unsigned char *heads, const unsigned char *keys, uint64_t n,
                           int is_whole, int marks_behind);

#endif
