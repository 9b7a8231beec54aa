/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of the model of rings: what warps share, and what files share to say what a warp does next. A step is a
 * wait that is over and what a warp does from there to its next wait. */
#ifndef SCANRT_TESTS_MODEL_RING_STEPS_H
#define SCANRT_TESTS_MODEL_RING_STEPS_H

#include "ring.h"

enum { NONE = 0xff };

enum place {
  CLAIM,
  POST,
  START, /* until the first tiles are there */
  EMPTY,
  END,  /* each of those who take turns finds an end */
  NEXT, /* the slot's tile is asked for */
  FILL,
  REDUCE,
  PUBLISH,
  PUT, /* elements are put together, or listed */
  COMPACTED,
  LOOK,
  PREFIX,
  SUM,
  READ,
  STORE,
  KEEP,
  OUT
};

/* An mbarrier: how often it has come round, and how many arrivals are still due this time. */
struct barrier {
  uint8_t round, due;
};

/* Bytes alone, so that states compare as bytes. */
struct warp {
  uint8_t at, turn, tile;
  uint8_t ends;  /* that are posted */
  uint8_t large; /* of the tiles that it has listed, a bit each: it may have needed a whole list */
};

struct work_group {
  struct barrier full[RING_STAGES], empty[RING_STAGES];
  struct barrier claimed[RING_SLOTS], reduced[RING_SLOTS], prefixed[RING_SLOTS];
  struct barrier meeting[RING_SETS];         /* of the reducers, or of a set of compactors */
  uint8_t copies[RING_STAGES][RING_WARPS];   /* tiles that are on their way to a part of a stage */
  uint8_t elements[RING_STAGES][RING_WARPS]; /* the tiles whose elements lie there */
  uint8_t moved[RING_STAGES][RING_WARPS];    /* and which a reducer has shifted, a compactor has put together */
  uint8_t list[RING_LISTS][RING_QUARTERS][RING_WARPS]; /* the tiles whose heads are listed there, by each compactor */
  uint8_t tile[RING_SLOTS], part[RING_SLOTS][RING_WARPS], prefix[RING_SLOTS];
  struct warp warp[RING_ROLES];
};

struct state {
  uint8_t claims, published, totals; /* a bit for each tile and group */
  uint8_t stored[RING_WARPS], kept;  /* by each scanner */
  struct work_group work_group[RING_WORK_GROUPS];
};

/* A step that is being taken. */
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

/* ---- who is who: in this order ---- */

static inline unsigned first_look_back(const struct ring_model *m) { return m->producers; }
static inline unsigned total_of(const struct ring_model *m) { return m->producers + m->look_backs; }
static inline unsigned first_reducer(const struct ring_model *m) { return total_of(m) + 1; }
static inline unsigned first_scanner(const struct ring_model *m) { return first_reducer(m) + m->reducers * m->sets; }
static inline unsigned roles(const struct ring_model *m) { return first_scanner(m) + m->scanners; }
static inline unsigned number(const struct run *r) { return (unsigned)(r->w - r->g->warp); }

/* ---- where a warp is ---- */

static inline unsigned stage_of(const struct run *r) { return r->w->turn % r->m->stages; }
static inline unsigned slot_of(const struct run *r) { return r->w->turn % r->m->slots; }
static inline int slot_round(const struct run *r) { return r->w->turn / r->m->slots; }
static inline int stage_round(const struct run *r) { return is(r, RING_SAME_PHASE) ? 0 : r->w->turn / r->m->stages; }
static inline int is_last(const struct run *r) { return r->w->tile + 1 == r->m->tiles; }
static inline void go(struct run *r, enum place at) { r->w->at = (uint8_t)at; }

/* ---- ring_steps.c ---- */

/* Arrivals that are due at barriers. */
unsigned ring_leavers(const struct ring_model *m);
unsigned ring_reducers_due(const struct ring_model *m);
unsigned ring_parts_due(const struct ring_model *m);

void ring_arrive(struct barrier *b, unsigned all);
/* Waits for round `round` to be over (-1: the one before the first), by its lowest bit alone, as an mbarrier has it. */
int ring_wait(struct run *r, const struct barrier *b, int round);
void ring_leave(struct run *r);

/* Faults where something else lies there. */
void ring_look_at_stage(struct run *r, unsigned stage, unsigned tile);
void ring_look_at_moved(struct run *r, unsigned stage, unsigned tile);
void ring_look_at_parts(struct run *r, unsigned slot, unsigned tile);
void ring_look_at_slot(struct run *r, unsigned slot, unsigned tile);

/* On to the next tile, `ahead` turns from here. */
void ring_next(struct run *r, unsigned ahead);
/* The slot's tile; each role ends at one past the last. */
int ring_next_step(struct run *r, enum place then, enum place end);

/* Whether the tiles, and the groups, before a tile are published; whether its group is. */
int ring_is_prefix_there(const struct run *r, unsigned tile);
int ring_is_group_there(const struct run *r, unsigned group);

/* Roles that scans and compaction have alike: those of producers and of the groups' total. */
int ring_claim_step(struct run *r);
int ring_produce_step(struct run *r);
int ring_total_step(struct run *r);
/* Elements that are on their way come to a part of a stage. */
int ring_copy_lands(struct run *r, unsigned stage, unsigned part);

/* ---- ring_scan.c, ring_compaction.c ---- */

int ring_reduce_step(struct run *r);
int ring_look_step(struct run *r);
int ring_scan_step(struct run *r);

int ring_compact_step(struct run *r);
int ring_look_behind_step(struct run *r);
int ring_write_step(struct run *r);

#endif
