/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of a work-group of the onesweep sort (kernels_cu/sort/sort_onesweep.cuh): its warps, their shared memory, the
 * barriers between them, and the look-back state that it shares with other work-groups. README.md: "Onesweep"
 *
 * . */
#ifndef SCANRT_TESTS_MODEL_ONESWEEP_H
#define SCANRT_TESTS_MODEL_ONESWEEP_H

#include "walk.h"

enum {
  ONESWEEP_TILES = 5,
  ONESWEEP_WORKERS = 3,
  ONESWEEP_LOOKERS = 2,
  ONESWEEP_WARPS = ONESWEEP_WORKERS + ONESWEEP_LOOKERS,
  ONESWEEP_DIGITS = 2
};

/* Deliberate defects, which the checker must find. */
enum onesweep_mutant {
  ONESWEEP_RIGHT,
  ONESWEEP_NO_COUNTED,      /* no wait for all counts, nor for the warps that write the tile before */
  ONESWEEP_NO_SUMS,         /* publishers do not wait for each other's sums */
  ONESWEEP_NO_TICKET,       /* no wait for the next ticket and the slots */
  ONESWEEP_NO_MOVED,        /* no wait for moved keys and the digits' starts */
  ONESWEEP_LOOKERS_AHEAD,   /* warps that look back do not wait for published slots */
  ONESWEEP_INCLUSIVE_EARLY, /* a tile's own counts are published as those of all tiles up to it */
  ONESWEEP_EMPTY_IS_NONE,   /* a word that is not there yet counts as no keys */
  ONESWEEP_OLD_LOOKBACK,    /* the look-back state has the words of an earlier pass */
  ONESWEEP_NOT_CLEARED,     /* the next pass's look-back state is not cleared */
  ONESWEEP_REPAIR_ALONE,    /* the warp that finds a tile out of order repairs it alone */
  ONESWEEP_REPAIR_PASSES,   /* no wait for the warps that write a repaired tile */
  ONESWEEP_REPAIR_HALVES,   /* no wait between two rounds of exchanges */
  ONESWEEP_ENDS_EARLY       /* a warp without another tile ends before its last one is known to be in order */
};

struct onesweep_model {
  const char *name;
  uint8_t tiles;
  uint8_t workers, publishers; /* publishers: those workers that have a digit each */
  uint8_t lookers;             /* warps that look back; 0: the publishers do */
  uint8_t others;              /* 1 if other work-groups take tiles, too */
  uint8_t wrong;               /* a bit for each tile that is out of order after ranking */
  uint8_t finder;              /* the warp that finds such a tile */
  enum onesweep_mutant mutant;
};

/* Visits every state of the model. */
void onesweep_check(const struct onesweep_model *m, struct walk_findings *found);

#endif
