/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of the pipelined scan and of pipelined compaction within their work-groups (kernels_cu/scan/pipelined.cuh,
 * select_pipelined.cuh): the roles of warps, the stages and slots that pass tiles between them, and their barriers.
 * README.md: "The rings". */
#ifndef SCANRT_TESTS_MODEL_RING_H
#define SCANRT_TESTS_MODEL_RING_H

#include "walk.h"

enum {
  RING_WORK_GROUPS = 2,
  RING_STAGES = 5,
  RING_SLOTS = 6,
  RING_WARPS = 2, /* the most of a role, or of a set */
  RING_SETS = 2,
  RING_LISTS = 2,
  RING_QUARTERS = 2, /* of a list; the kernels have 4 */
  RING_ROLES = 11
};

/* Variants: how the elements of a stage are used. */
enum ring_variant {
  RING_READ_AGAIN, /* scanners read the elements, wait for the prefix, and read them again */
  RING_KEPT,       /* scanners keep the elements, and leave the stage before they wait */
  RING_SHIFTED,    /* reducers move the elements to the scanners' places; then like RING_READ_AGAIN */
  RING_PUT_OFF,    /* scanners leave the last tile, and store it when there is no other one */
  RING_TOTAL,      /* only the last prefix is needed; nothing is stored */
  RING_COMPACTED,  /* compaction: elements are compacted within their stage */
  RING_LISTED      /* run-length encoding: run starts are collected in lists */
};

/* Deliberate defects, which the checker must find. */
enum ring_mutant {
  RING_RIGHT,
  RING_NO_EMPTY,     /* the claiming warp does not wait for an empty stage */
  RING_EMPTY_EARLY,  /* a stage counts as empty while one warp still uses it */
  RING_LEAVE_EARLY,  /* scanners leave a stage that they read again */
  RING_FULL_EARLY,   /* a stage counts as full while one part is still being copied */
  RING_ONE_REDUCER,  /* a slot counts as reduced when one warp has arrived */
  RING_NO_REDUCED,   /* the prefix is posted before all parts are reduced */
  RING_NO_MEETING,   /* a tile is published before all reducers are done */
  RING_UNSHIFTED,    /* scanners of shifted elements wait only for a full stage */
  RING_SAME_PHASE,   /* waits for the barriers of stages always use the same phase */
  RING_ONE_END,      /* one end is posted for two alternating look-back warps */
  RING_TOTAL_AWAY,   /* the warp of group totals is not counted among those that leave a stage */
  RING_NO_COMPACTED, /* compaction's writers and look-back do not wait for the compactors */
  RING_NO_LIST,      /* compactors do not wait for a free list */
  RING_LIST_OWN      /* they wait only if their own tile needs a whole list, not if an earlier one did */
};

struct ring_model {
  const char *name;
  enum ring_variant variant;
  uint8_t work_groups, tiles, group; /* group: tiles of a group whose total is published */
  uint8_t stages, slots;
  uint8_t producers, look_backs;
  uint8_t sets;      /* of compactors, or of scanners */
  uint8_t reducers;  /* warps that reduce, or compactors of a set */
  uint8_t scanners;  /* of a set, or writers */
  uint8_t large;     /* RING_LISTED: a bit for each tile that needs a whole list */
  uint8_t start;     /* TUNE_PIPE_START */
  uint8_t times_out; /* a missing tile or total may be recomputed at any time */
  enum ring_mutant mutant;
};

/* 1 for compaction, whose slots are its stages. */
static inline int ring_compacts(const struct ring_model *m) { return m->variant >= RING_COMPACTED; }

/* Visits every state of the model. */
void ring_check(const struct ring_model *m, struct walk_findings *found);

#endif
