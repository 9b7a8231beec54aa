/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of the pipelined scan and of pipelined compaction within their work-groups (kernels_cu/pipelined.cuh,
 * select_pipelined.cuh): the roles of warps, the stages and slots that they hand tiles over in, and the barriers that
 * say so. README.md: "The rings". */
#ifndef SCANRT_TESTS_MODEL_RING_H
#define SCANRT_TESTS_MODEL_RING_H

#include "walk.h"

enum {
  RING_WORK_GROUPS = 2,
  RING_STAGES = 5,
  RING_SLOTS = 5,
  RING_WARPS = 2, /* of a role, or of a set of compactors */
  RING_SETS = 2,
  RING_LISTS = 2,
  RING_QUARTERS = 2, /* of a list, which has 4 */
  RING_ROLES = 11
};

/* What becomes of a stage's elements. */
enum ring_form {
  RING_READ_AGAIN, /* scanners read them, wait for the prefix, and read them again */
  RING_KEPT,       /* scanners keep them, and leave the stage before they wait */
  RING_SHIFTED,    /* reducers move them to where scanners look; else as RING_READ_AGAIN */
  RING_PUT_OFF,    /* the last tile's scanners leave, and read them when they have no other tile */
  RING_TOTAL,      /* only the last prefix is wanted, and nothing stored */
  RING_COMPACTED,  /* compaction: elements are put together in their stage */
  RING_LISTED      /* run-length encoding: in lists of their own */
};

/* What is built wrong on purpose, for the checker to find. */
enum ring_mutant {
  RING_RIGHT,
  RING_NO_EMPTY,     /* who claims does not wait for an empty stage */
  RING_EMPTY_EARLY,  /* a stage counts as empty though the last of its warps is there */
  RING_LEAVE_EARLY,  /* scanners leave a stage that they read again */
  RING_FULL_EARLY,   /* a stage counts as full though a part is on its way */
  RING_ONE_REDUCER,  /* a slot counts as reduced when one warp has arrived */
  RING_NO_REDUCED,   /* the prefix is posted though parts are not reduced */
  RING_NO_MEETING,   /* a tile is published though other reducers are not through */
  RING_UNSHIFTED,    /* scanners of shifted elements wait for a full stage alone */
  RING_SAME_PHASE,   /* barriers of stages are asked for the same phase each time */
  RING_ONE_END,      /* one slot says that there is no tile any more, for two warps that look back by turns */
  RING_TOTAL_AWAY,   /* the warp of groups' totals is not counted among those that leave a stage */
  RING_NO_COMPACTED, /* compaction's writers and look-back do not wait for what is put together */
  RING_NO_LIST,      /* lists are not waited for */
  RING_LIST_OWN      /* they are where the tile itself needs a whole one, whatever those before it need */
};

struct ring_model {
  const char *name;
  enum ring_form form;
  uint8_t work_groups, tiles, group; /* group: tiles of one whose total is published */
  uint8_t stages, slots;
  uint8_t producers, look_backs;
  uint8_t sets, reducers; /* sets: of compactors, each of so many; 1 of reducers */
  uint8_t scanners;       /* or writers */
  uint8_t large;          /* RING_LISTED: a bit for each tile that needs a whole list */
  uint8_t start;          /* TUNE_PIPE_START */
  uint8_t times_out;      /* tiles and totals that are waited for may be got otherwise at any time */
  enum ring_mutant mutant;
};

/* Whether it is compaction, whose slots are its stages. */
static inline int ring_compacts(const struct ring_model *m) { return m->form >= RING_COMPACTED; }

/* Visits every state. */
void ring_check(const struct ring_model *m, struct walk_findings *found);

#endif
