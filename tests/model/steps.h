/* SPDX-License-Identifier: BSD-2-Clause */
/* The private part of the look-back model: the functions that take a work-group's steps. */
#ifndef SCANRT_TESTS_MODEL_STEPS_H
#define SCANRT_TESTS_MODEL_STEPS_H

#include "model.h"

enum { NO_TILE = 0xff };

/* Steps that other work-groups may see, or that may see other work-groups. */
enum place {
  CLAIM,
  CLAIM_WRITE, /* MUTANT_TWICE */
  CLAIM_EPOCH, /* split */
  CLAIM_READY, /* packed: the last claim resets the word */
  LOAD,        /* compaction in place */
  PUT,
  TOTAL_READ,
  TOTAL_RECOMPUTE,
  TOTAL_PUT,
  LOOK_LEAF,
  LOOK_TOTAL,
  LOOK_RECOMPUTE,
  WRITE,     /* compaction in place */
  LOAD_LATE, /* MUTANT_LATE_LOAD */
  ITEM_TOTAL,
  ITEM_LEAF,
  ITEM_RECOMPUTE,
  ITEM_PAST,
  CLOSE_DONE,
  CLOSE_EXIT,
  CLOSE_LOOK,
  CLOSE_RESET,
  CLOSE_CLEAR,
  CLOSE_RESTART,
  OUT
};

enum kind { KIND_TILE, KIND_TOTAL };
enum answer { ANSWER_MORE, ANSWER_THERE, ANSWER_NOT_THERE, ANSWER_LATE };

static inline uint8_t tiles_of(const struct run *r) { return r->model->tiles[r->state->launch]; }

/* descriptors.c: stores the next word of a descriptor; 1 after its last word. */
int descriptor_put(struct run *r, enum kind kind, unsigned index);
/* Reads the next word of a descriptor; another answer than ANSWER_MORE after the last one. */
enum answer descriptor_get(struct run *r, enum kind kind, unsigned index);
/* Reads like descriptor_get. If the descriptor is missing, the wait goes on (ANSWER_MORE) or reaches its bound
 * (ANSWER_LATE). */
enum answer descriptor_wait(struct run *r, enum kind kind, unsigned index);

/* lookback_state.c: claims, and the end of a work-group. */
unsigned lookback_groups(const struct model *m, unsigned launch);
int lookback_once(const struct run *r);
/* Takes the steps from CLAIM to CLAIM_READY; 1 if r->w->ahead is claimed. */
int lookback_claim(struct run *r);
void lookback_finish_launch(struct run *r);
/* Takes the steps from CLOSE_DONE on. */
void lookback_step(struct run *r);
void lookback_give_up(struct run *r);

/* Reads the tile's input; a fault if it has been overwritten. */
void tile_load(struct run *r, unsigned tile);
void tile_write(struct run *r);

/* group.c, item.c: take the steps from a claim to the next one or to lookback_finish_launch. */
void group_claimed(struct run *r);
void group_step(struct run *r);
void item_claimed(struct run *r);
void item_step(struct run *r);

#endif
