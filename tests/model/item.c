/* SPDX-License-Identifier: BSD-2-Clause */
/* Models a work-group of one work-item, which keeps the prefix of all tiles so far: lookback.cl, lookback_item.h. */
#include "steps.h"

static void claim_next(struct run *r) {
  r->w->tile = NO_TILE;
  r->w->at = CLAIM;
}

static void past(struct run *r) {
  r->w->next = (uint8_t)(r->w->tile + 1);
  claim_next(r);
}

/* scanrt_lookback_prefix: tries the total of an earlier group, then a tile's aggregate. The kernels try a total only if
 * more than FEW_TILES (8 of 128) of the group's tiles are left. */
static void look_on(struct run *r) {
  struct work_group *w = r->w;
  if (w->next < w->tile) {
    w->at = w->next / MODEL_GROUP_TILES < w->tile / MODEL_GROUP_TILES ? ITEM_TOTAL : ITEM_LEAF;
    return;
  }
  tile_write(r);
  if (w->tile % MODEL_GROUP_TILES == MODEL_GROUP_TILES - 1)
    w->at = ITEM_PAST;
  else
    past(r);
}

void item_claimed(struct run *r) {
  struct work_group *w = r->w;
  w->tile = w->ahead;
  w->ahead = NO_TILE;
  if (w->tile >= tiles_of(r)) {
    w->tile = NO_TILE;
    lookback_finish_launch(r);
    return;
  }
  if (r->model->lost >> w->tile & 1) {
    claim_next(r);
    return;
  }
  if (r->model->backwards) w->next = 0;
  tile_load(r, w->tile);
  w->at = PUT;
  if (r->model->withheld >> w->tile & 1) look_on(r);
}

static void step_total(struct run *r) {
  const enum answer answer = descriptor_get(r, KIND_TOTAL, r->w->next / MODEL_GROUP_TILES);
  if (answer == ANSWER_NOT_THERE) r->w->at = ITEM_LEAF;
  if (answer != ANSWER_THERE) return;
  r->w->next = (uint8_t)((r->w->next / MODEL_GROUP_TILES + 1) * MODEL_GROUP_TILES);
  look_on(r);
}

/* scanrt_tile_await */
static void step_leaf(struct run *r) {
  struct work_group *w = r->w;
  const enum answer answer = descriptor_wait(r, KIND_TILE, w->next);
  if (answer == ANSWER_MORE) return;
  if (answer == ANSWER_LATE && (!r->model->in_place || r->model->mutant == MUTANT_RECOMPUTE_IN_PLACE)) {
    w->at = ITEM_RECOMPUTE;
    return;
  }
  if (answer == ANSWER_LATE) lookback_give_up(r);
  w->next++;
  look_on(r);
}

void item_step(struct run *r) {
  struct work_group *w = r->w;
  switch ((enum place)w->at) {
  case PUT:
    if (descriptor_put(r, KIND_TILE, w->tile)) look_on(r);
    break;
  case ITEM_TOTAL: step_total(r); break;
  case ITEM_LEAF: step_leaf(r); break;
  case ITEM_RECOMPUTE:
    if (w->part == 0) tile_load(r, w->next);
    if (!descriptor_put(r, KIND_TILE, w->next)) return;
    w->next++;
    look_on(r);
    break;
  default:
    if (descriptor_put(r, KIND_TOTAL, w->tile / MODEL_GROUP_TILES)) past(r); /* scanrt_lookback_advance */
  }
}
