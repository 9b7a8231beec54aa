/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of a work-group that sweeps (kernels_cu/sort_sweep.cuh): its warps, what they share, the barriers between
 * them, and the board that it shares with other work-groups. README.md: "The sweeps". */
#ifndef SCANRT_TESTS_MODEL_SWEEP_H
#define SCANRT_TESTS_MODEL_SWEEP_H

#include "walk.h"

enum {
  SWEEP_TILES = 5,
  SWEEP_WORKERS = 3,
  SWEEP_LOOKERS = 2,
  SWEEP_WARPS = SWEEP_WORKERS + SWEEP_LOOKERS,
  SWEEP_DIGITS = 2
};

/* What is built wrong on purpose, for the checker to find. */
enum sweep_mutant {
  SWEEP_RIGHT,
  SWEEP_NO_COUNTED,      /* nobody waits for all counts, or for those that write the tile before */
  SWEEP_NO_SUMS,         /* those that publish do not wait for one another's sums */
  SWEEP_NO_TICKET,       /* nobody waits for the next ticket and the slots */
  SWEEP_NO_MOVED,        /* nobody waits for moved keys and for where digits go */
  SWEEP_LOOKERS_AHEAD,   /* those that look back do not wait for what is published */
  SWEEP_INCLUSIVE_EARLY, /* a tile's own counts are published as those of all tiles up to it */
  SWEEP_EMPTY_IS_NONE,   /* a word that is not there yet counts as no keys */
  SWEEP_OLD_BOARD,       /* the board has the words of a pass before */
  SWEEP_NOT_CLEARED,     /* the next pass's board is left as it is */
  SWEEP_REPAIR_ALONE,    /* who finds a tile out of order repairs it, and nobody else hears of it */
  SWEEP_REPAIR_PASSES,   /* nobody waits for those that write a repaired tile */
  SWEEP_REPAIR_HALVES,   /* nor between two rounds of exchanges */
  SWEEP_ENDS_EARLY       /* who has no other tile ends before the order of its last one is known */
};

struct sweep_model {
  const char *name;
  uint8_t tiles;
  uint8_t workers, publishers; /* publishers: of the workers, one for each of as many digits */
  uint8_t lookers;             /* warps that look back; 0: those that publish do */
  uint8_t others;              /* whether other work-groups take tiles, too */
  uint8_t wrong;               /* a bit for each tile that is not in order as it is ranked */
  uint8_t finder;              /* the warp that sees that */
  enum sweep_mutant mutant;
};

/* Visits every state. */
void sweep_check(const struct sweep_model *m, struct walk_findings *found);

#endif
