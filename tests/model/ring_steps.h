/* SPDX-License-Identifier: BSD-2-Clause */
/* The private part of the ring model: the state that warps share, and the functions that take steps. A step begins when
 * a wait is over and ends before the warp's next wait. */
#ifndef SCANRT_TESTS_MODEL_RING_STEPS_H
#define SCANRT_TESTS_MODEL_RING_STEPS_H

#include "ring.h"

enum { NONE = 0xff };

enum place {
  CLAIM,
  POST,
  START, /* waits for the first tiles */
  EMPTY,
  END,  /* posts the ends */
  NEXT, /* asks for the slot's tile */
  FILL,
  REDUCE,
  PUBLISH,
  PUT, /* compacts or lists elements */
  COMPACTED,
  LOOK,
  PREFIX,
  SUM,
  READ,
  STORE,
  WRITE_LAST,
  OUT
};

/* An mbarrier: the number of completed rounds, and the arrivals that are still due in the current one. */
struct barrier {
  uint8_t round, due;
};

/* A warp. It has only bytes, so that states can be compared with memcmp. */
struct warp {
  uint8_t at, turn, tile;
  uint8_t ends;  /* ends that it has posted */
  uint8_t large; /* a bit for each tile that it has listed, the latest lowest: 1 if it needed a whole list */
};

struct work_group {
  struct barrier full[RING_STAGES], empty[RING_STAGES];
  struct barrier claimed[RING_SLOTS], reduced[RING_SLOTS], prefixed[RING_SLOTS];
  struct barrier meeting[RING_SETS];         /* of the reducers, or of each set of compactors */
  uint8_t copies[RING_STAGES][RING_WARPS];   /* tiles that are being copied to a part of a stage */
  uint8_t elements[RING_STAGES][RING_WARPS]; /* tiles whose elements a part holds */
  uint8_t moved[RING_STAGES][RING_WARPS]; /* tiles whose elements a reducer has shifted or a compactor has compacted */
  uint8_t list[RING_LISTS][RING_QUARTERS][RING_WARPS]; /* tiles whose run starts each compactor has listed there */
  uint8_t tile[RING_SLOTS], part[RING_SLOTS][RING_WARPS], prefix[RING_SLOTS];
  struct warp warp[RING_ROLES];
};

struct state {
  uint8_t claims, published, totals; /* claims: a count; published and totals: a bit for each tile and group */
  uint8_t stored[RING_WARPS], kept;  /* stored: a bit for each tile, by scanner; kept: a bit for each scanner */
  struct work_group work_group[RING_WORK_GROUPS];
};

/* The step that is being taken. */
struct run {
  const struct ring_model *m;
  struct state *state;
  struct work_group *g;
  struct warp *w;
  const char *fault;
};

static inline void fault(struct run *r, const char *sentence) {
  if (r->fault == NULL) r->fault = sentence;
}

static inline int is(const struct run *r, enum ring_mutant mutant) { return r->m->mutant == mutant; }

/* ---- the warps of a work-group, in this order ---- */

static inline unsigned first_look_back(const struct ring_model *m) { return m->producers; }
static inline unsigned total_of(const struct ring_model *m) { return m->producers + m->look_backs; }
static inline unsigned first_reducer(const struct ring_model *m) { return total_of(m) + 1; }
static inline unsigned reducer_sets(const struct ring_model *m) { return ring_compacts(m) ? m->sets : 1; }
static inline unsigned scanner_sets(const struct ring_model *m) { return ring_compacts(m) ? 1 : m->sets; }
static inline unsigned first_scanner(const struct ring_model *m) {
  return first_reducer(m) + m->reducers * reducer_sets(m);
}
static inline unsigned roles(const struct ring_model *m) { return first_scanner(m) + m->scanners * scanner_sets(m); }
static inline unsigned number(const struct run *r) { return (unsigned)(r->w - r->g->warp); }

/* ---- the place of a warp in the rings ---- */

static inline unsigned stage_of(const struct run *r) { return r->w->turn % r->m->stages; }
static inline unsigned slot_of(const struct run *r) { return r->w->turn % r->m->slots; }
static inline int slot_round(const struct run *r) { return r->w->turn / r->m->slots; }
static inline int stage_round(const struct run *r) { return is(r, RING_SAME_PHASE) ? 0 : r->w->turn / r->m->stages; }
static inline int is_last(const struct run *r) { return r->w->tile + 1 == r->m->tiles; }
static inline void move_to(struct run *r, enum place at) { r->w->at = (uint8_t)at; }

/* ---- ring_steps.c ---- */

/* Returns the arrivals that empty a stage. */
unsigned ring_leavers(const struct ring_model *m);
/* Returns the arrivals that complete a slot's reduced parts. */
unsigned ring_reducers_due(const struct ring_model *m);
/* Returns the arrivals that fill a stage. */
unsigned ring_parts_due(const struct ring_model *m);

/* Arrives at a barrier. After the last arrival the next round begins, with `all` arrivals due. */
void ring_arrive(struct barrier *b, unsigned all);
/* 1 if round `round` is over (-1: the one before the first). It sees only the lowest bit of the count, like a wait for
 * an mbarrier, and faults if that bit is ambiguous. */
int ring_wait(struct run *r, const struct barrier *b, int round);
/* Arrives at the barrier of the warp's stage, which it does not need any more. */
void ring_leave(struct run *r);

/* Faults unless the stage holds the tile's elements. */
void ring_look_at_stage(struct run *r, unsigned stage, unsigned tile);
/* Faults unless the stage holds the tile's elements, moved by all reducers or compactors. */
void ring_look_at_moved(struct run *r, unsigned stage, unsigned tile);
/* Faults unless the slot holds the tile's reduced parts. */
void ring_look_at_parts(struct run *r, unsigned slot, unsigned tile);
/* Faults unless the slot holds the tile's reduced parts and its prefix. */
void ring_look_at_slot(struct run *r, unsigned slot, unsigned tile);

/* Goes on to the tile `ahead` turns later. */
void ring_next(struct run *r, unsigned ahead);
/* Waits for the slot's tile and goes to `then`, or to `end` if the tile is past the last one; 0 if it has to wait. */
int ring_next_step(struct run *r, enum place then, enum place end);

/* 1 if the groups before the tile's group and the tiles before it in the group are published. */
int ring_is_prefix_there(const struct run *r, unsigned tile);
/* 1 if all tiles of the group are published. */
int ring_is_group_there(const struct run *r, unsigned group);

/* Takes a step of the warp that claims tiles; 0 if it has to wait. */
int ring_claim_step(struct run *r);
/* Takes a step of another producer; 0 if it has to wait. */
int ring_produce_step(struct run *r);
/* Takes a step of the warp of group totals; 0 if it has to wait. */
int ring_total_step(struct run *r);
/* Ends the copy to a part of a stage; 0 if there is none. */
int ring_copy_lands(struct run *r, unsigned stage, unsigned part);

/* ---- ring_scan.c, ring_compaction.c ---- */

int ring_reduce_step(struct run *r);
int ring_look_step(struct run *r);
int ring_scan_step(struct run *r);

int ring_compact_step(struct run *r);
int ring_look_behind_step(struct run *r);
int ring_write_step(struct run *r);

#endif
