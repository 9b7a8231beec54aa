/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of the model: what a work-group does next, and what files share to say so. */
#ifndef SCANRT_TESTS_MODEL_STEPS_H
#define SCANRT_TESTS_MODEL_STEPS_H

#include "model.h"

enum { NO_TILE = 0xff };

/* Each is a step that others may see, or that may see others. */
enum place {
  CLAIM,
  CLAIM_WRITE, /* MUTANT_TWICE */
  CLAIM_EPOCH, /* split */
  CLAIM_READY, /* packed: the last claim readies the word */
  LOAD,        /* compaction in place */
  PUT,
  TOTAL_READ,
  TOTAL_RESCUE,
  TOTAL_PUT,
  LOOK_LEAF,
  LOOK_TOTAL,
  LOOK_RESCUE,
  WRITE,     /* compaction in place */
  LOAD_LATE, /* MUTANT_LATE_LOAD */
  ITEM_TOTAL,
  ITEM_LEAF,
  ITEM_RESCUE,
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

/* descriptors.c: a word of a descriptor is written or read; 1, or another answer than ANSWER_MORE, after its last. */
int descriptor_put(struct run *r, enum kind kind, unsigned index);
enum answer descriptor_get(struct run *r, enum kind kind, unsigned index);
/* The same; where the descriptor is not there the wait goes on (ANSWER_MORE) or comes to its bound (ANSWER_LATE). */
enum answer descriptor_wait(struct run *r, enum kind kind, unsigned index);

/* board.c: the claim, and the way out. */
unsigned board_groups(const struct model *m, unsigned launch);
int board_once(const struct run *r);
/* Steps from CLAIM to CLAIM_READY; 1 when r->w->ahead is claimed. */
int board_claim(struct run *r);
void board_close(struct run *r);
/* Steps from CLOSE_DONE on. */
void board_step(struct run *r);
void board_give_up(struct run *r);

/* The tile's input is read. */
void tile_load(struct run *r, unsigned tile);
void tile_write(struct run *r);

/* group.c, item.c: steps from a claim to the next one or to board_close. */
void group_claimed(struct run *r);
void group_step(struct run *r);
void item_claimed(struct run *r);
void item_step(struct run *r);

#endif
