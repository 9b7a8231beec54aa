/* SPDX-License-Identifier: BSD-2-Clause */
/* Models a work-group that looks back: lookback.cl and select_lookback.h, both by lib/lookback.h. It publishes the next
 * tile before the look-back of the current one. Parallel operations of work-items are done one after another; as loads
 * may return old messages, their order does not matter. */
/* Models a work-group that looks back: lookback.cl and select_lookback.h with lib/lookback.h. It
 * publishes the next tile before the look-back of the current one. Parallel operations of work-items are done one after
 * another; as loads may return old messages, their order does not matter. */
#include "steps.h"

enum { BACK_LOOK, BACK_MISSING }; /* the caller of scanrt_group_publish */

static unsigned lowest(unsigned bits) {
  unsigned i = 0;
  while (!(bits >> i & 1)) i++;
  return i;
}

static void look_begin(struct run *r);

/* Ends an iteration of the loop: the tile ahead becomes the current one. */
static void run_next(struct run *r) {
  struct work_group *w = r->w;
  if (w->ahead >= tiles_of(r)) {
    w->tile = NO_TILE;
    lookback_finish_launch(r);
    return;
  }
  w->tile = w->ahead;
  w->ahead = NO_TILE;
  w->at = CLAIM;
  if (lookback_once(r)) look_begin(r);
}

static void turn_ends(struct run *r) {
  if (r->model->mutant == MUTANT_LATE_LOAD && r->w->ahead < tiles_of(r))
    r->w->at = LOAD_LATE;
  else
    run_next(r);
}

static void write_begin(struct run *r) {
  if (r->model->compacts) {
    r->w->at = WRITE;
    return;
  }
  tile_write(r);
  turn_ends(r);
}

static void total_begin(struct run *r, unsigned total, unsigned back) {
  struct work_group *w = r->w;
  w->total = (uint8_t)total;
  w->back = (uint8_t)back;
  w->total_leaves = w->total_missing = 0;
  w->at = TOTAL_READ;
}

/* scanrt_tile_recompute. Gives up and returns 0 if the tile's input may have been overwritten. */
static int recompute(struct run *r, unsigned tile, enum place at) {
  const struct model *m = r->model;
  if ((m->in_place || m->compacts) && m->mutant != MUTANT_RECOMPUTE_IN_PLACE) {
    lookback_give_up(r);
    return 0;
  }
  r->w->recomputed = (uint8_t)tile;
  r->w->at = (uint8_t)at;
  return 1;
}

/* scanrt_lookback_prefix: chooses the next descriptor to read; after the last one, what to do about a missing one. */
static void look_on(struct run *r) {
  struct work_group *w = r->w;
  const unsigned before = w->tile % MODEL_GROUP_TILES, all = (1u << before) - 1;
  const unsigned group = w->tile / MODEL_GROUP_TILES, first = group * MODEL_GROUP_TILES;
  if (all & ~(unsigned)(w->leaves | w->missing)) {
    w->at = LOOK_LEAF;
  } else if (w->folded < group && !w->missing_total) {
    w->at = LOOK_TOTAL;
  } else if (w->missing_total) {
    w->missing_total = 0;
    total_begin(r, w->folded, BACK_MISSING);
  } else if (!w->missing) {
    w->leaves = 0;
    write_begin(r);
  } else if (!recompute(r, first + lowest(w->missing), LOOK_RECOMPUTE)) {
    w->leaves = w->missing = 0;
    write_begin(r);
  } else {
    w->missing = 0; /* other missing tiles are read again */
  }
}

static void look_begin(struct run *r) {
  if (r->w->tile == NO_TILE) {
    turn_ends(r);
    return;
  }
  if (r->model->backwards) r->w->folded = 0; /* LOOKS_ANEW */
  look_on(r);
}

/* Continues at the caller of scanrt_group_publish. */
static void total_ends(struct run *r, int is_published) {
  struct work_group *w = r->w;
  const unsigned back = w->back;
  w->total = w->back = w->total_leaves = w->total_missing = 0;
  if (back == BACK_LOOK) {
    look_begin(r);
  } else if (is_published) {
    look_on(r);
  } else {
    w->leaves = w->missing = 0;
    write_begin(r);
  }
}

/* scanrt_group_publish */
static void total_on(struct run *r) {
  struct work_group *w = r->w;
  const unsigned all = (1u << MODEL_GROUP_TILES) - 1, missing = w->total_missing;
  w->at = TOTAL_READ;
  if (all & ~(unsigned)(w->total_leaves | missing)) return;
  if (!missing || r->model->mutant == MUTANT_EARLY_TOTAL) {
    w->tainted |= missing != 0;
    w->at = TOTAL_PUT;
    return;
  }
  w->total_missing = 0;
  if (r->model->mutant == MUTANT_ASK_AGAIN)
    total_ends(r, 1);
  else if (!recompute(r, w->total * MODEL_GROUP_TILES + lowest(missing), TOTAL_RECOMPUTE))
    total_ends(r, 0);
}

static void published(struct run *r) {
  const unsigned ahead = r->w->ahead;
  if (ahead % MODEL_GROUP_TILES == MODEL_GROUP_TILES - 1 && ahead + 1 < tiles_of(r))
    total_begin(r, ahead / MODEL_GROUP_TILES, BACK_LOOK);
  else
    look_begin(r);
}

static void publish(struct run *r) {
  if (r->model->withheld >> r->w->ahead & 1)
    published(r);
  else
    r->w->at = PUT;
}

void group_claimed(struct run *r) {
  if (r->w->ahead >= tiles_of(r)) {
    look_begin(r);
  } else if (r->model->compacts && r->model->mutant != MUTANT_LATE_LOAD) {
    r->w->at = LOAD;
  } else {
    if (!r->model->compacts) tile_load(r, r->w->ahead);
    publish(r);
  }
}

static void step_leaf(struct run *r) {
  struct work_group *w = r->w;
  const unsigned all = (1u << w->tile % MODEL_GROUP_TILES) - 1;
  const unsigned leaf = lowest(all & ~(unsigned)(w->leaves | w->missing));
  const unsigned tile = w->tile / MODEL_GROUP_TILES * MODEL_GROUP_TILES + leaf;
  const enum answer answer = descriptor_wait(r, KIND_TILE, tile);
  if (answer == ANSWER_MORE) return;
  *(answer == ANSWER_THERE ? &w->leaves : &w->missing) |= (uint8_t)(1u << leaf);
  look_on(r);
}

static void step_total(struct run *r) {
  const enum answer answer = descriptor_wait(r, KIND_TOTAL, r->w->folded);
  if (answer == ANSWER_MORE) return;
  if (answer == ANSWER_THERE)
    r->w->folded++;
  else
    r->w->missing_total = 1;
  look_on(r);
}

static void step_total_leaf(struct run *r) {
  struct work_group *w = r->w;
  const unsigned all = (1u << MODEL_GROUP_TILES) - 1,
                 leaf = lowest(all & ~(unsigned)(w->total_leaves | w->total_missing));
  const enum answer answer = descriptor_wait(r, KIND_TILE, w->total * MODEL_GROUP_TILES + leaf);
  if (answer == ANSWER_MORE) return;
  *(answer == ANSWER_THERE ? &w->total_leaves : &w->total_missing) |= (uint8_t)(1u << leaf);
  total_on(r);
}

/* Publishes one word of the recomputed tile; 1 after the last one. */
static int step_recompute(struct run *r) {
  if (r->w->part == 0) tile_load(r, r->w->recomputed);
  if (!descriptor_put(r, KIND_TILE, r->w->recomputed)) return 0;
  r->w->recomputed = 0;
  return 1;
}

void group_step(struct run *r) {
  struct work_group *w = r->w;
  switch ((enum place)w->at) {
  case LOAD:
    tile_load(r, w->ahead);
    publish(r);
    break;
  case PUT:
    if (descriptor_put(r, KIND_TILE, w->ahead)) published(r);
    break;
  case TOTAL_READ: step_total_leaf(r); break;
  case TOTAL_RECOMPUTE:
    if (step_recompute(r)) total_on(r);
    break;
  case TOTAL_PUT:
    if (descriptor_put(r, KIND_TOTAL, w->total)) total_ends(r, 1);
    break;
  case LOOK_LEAF: step_leaf(r); break;
  case LOOK_TOTAL: step_total(r); break;
  case LOOK_RECOMPUTE:
    if (step_recompute(r)) look_on(r);
    break;
  case WRITE:
    tile_write(r);
    turn_ends(r);
    break;
  default: tile_load(r, w->ahead); run_next(r); /* LOAD_LATE */
  }
}
