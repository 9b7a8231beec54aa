/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring_steps.h"

/* ---- barriers ---- */

unsigned ring_leavers(const struct ring_model *m) {
  const unsigned others = ring_compacts(m) ? 0 : m->reducers;
  return m->scanners + others + (m->mutant != RING_TOTAL_AWAY && m->mutant != RING_EMPTY_EARLY);
}

unsigned ring_reducers_due(const struct ring_model *m) { return m->mutant == RING_ONE_REDUCER ? 1u : m->reducers; }

unsigned ring_parts_due(const struct ring_model *m) {
  return m->mutant == RING_FULL_EARLY ? m->producers - 1u : m->producers;
}

void ring_arrive(struct barrier *b, unsigned all) {
  if (--b->due > 0) return;
  b->due = (uint8_t)all;
  b->round++;
}

int ring_wait(struct run *r, const struct barrier *b, int round) {
  const int is_over = (b->round & 1) != (round & 1);
  if (is_over && b->round != round + 1) fault(r, "a barrier has come round before a warp saw it");
  if (!is_over && b->round != round) fault(r, "a barrier is asked for a round that is long over, or far away");
  return is_over;
}

void ring_leave(struct run *r) { ring_arrive(&r->g->empty[stage_of(r)], ring_leavers(r->m)); }

/* ---- checks of stages and slots ---- */

void ring_look_at_stage(struct run *r, unsigned stage, unsigned tile) {
  for (unsigned part = 0; part < r->m->producers; part++)
    if (r->g->elements[stage][part] != tile) fault(r, "a stage has not the tile that a warp looks for");
}

void ring_look_at_moved(struct run *r, unsigned stage, unsigned tile) {
  ring_look_at_stage(r, stage, tile);
  for (unsigned q = 0; q < r->m->reducers; q++)
    if (r->g->moved[stage][q] != tile) fault(r, "elements are not where a warp looks");
}

void ring_look_at_parts(struct run *r, unsigned slot, unsigned tile) {
  for (unsigned q = 0; q < r->m->reducers; q++)
    if (r->g->part[slot][q] != tile) fault(r, "a slot has not the tile's parts");
}

void ring_look_at_slot(struct run *r, unsigned slot, unsigned tile) {
  ring_look_at_parts(r, slot, tile);
  if (r->g->tile[slot] != tile || r->g->prefix[slot] != tile) fault(r, "a slot has not the tile's prefix");
}

/* Posts a tile in its slot. Faults if a warp still needs the slot's tile before. */
static void post(struct run *r, unsigned tile) {
  for (unsigned i = 0; i < roles(r->m); i++)
    if (r->g->warp[i].at != OUT && r->g->warp[i].at != WRITE_LAST && r->g->warp[i].turn + r->m->slots <= r->w->turn)
      fault(r, "a slot is used anew while a warp needs it");
  r->g->tile[slot_of(r)] = (uint8_t)tile;
  ring_arrive(&r->g->claimed[slot_of(r)], 1);
}

/* Starts a copy to a part of a stage. The part is empty until the copy ends. */
static void copy(struct run *r, unsigned part) {
  const unsigned stage = stage_of(r);
  if (r->g->copies[stage][part] != NONE) fault(r, "two copies go to one place");
  r->g->copies[stage][part] = r->w->tile;
  r->g->elements[stage][part] = NONE;
  for (unsigned q = 0; q < RING_WARPS; q++) r->g->moved[stage][q] = NONE;
}

int ring_copy_lands(struct run *r, unsigned stage, unsigned part) {
  if (r->g->copies[stage][part] == NONE) return 0;
  r->g->elements[stage][part] = r->g->copies[stage][part];
  r->g->copies[stage][part] = NONE;
  ring_arrive(&r->g->full[stage], ring_parts_due(r->m));
  return 1;
}

/* ---- on to the next tile ---- */

void ring_next(struct run *r, unsigned ahead) {
  r->w->turn = (uint8_t)(r->w->turn + ahead);
  r->w->tile = NONE;
  move_to(r, NEXT);
}

int ring_next_step(struct run *r, enum place then, enum place end) {
  if (!ring_wait(r, &r->g->claimed[slot_of(r)], slot_round(r))) return 0;
  r->w->tile = r->g->tile[slot_of(r)];
  move_to(r, r->w->tile < r->m->tiles ? then : end);
  return 1;
}

/* 1 if `count` tiles or groups are published, or may be recomputed. */
static int are_there(const struct run *r, unsigned bits, unsigned first, unsigned count) {
  const unsigned asked = ((1u << count) - 1) << first;
  return r->m->times_out || (bits & asked) == asked;
}

int ring_is_prefix_there(const struct run *r, unsigned tile) {
  const unsigned group = tile / r->m->group;
  return are_there(r, r->state->totals, 0, group) &&
         are_there(r, r->state->published, group * r->m->group, tile % r->m->group);
}

int ring_is_group_there(const struct run *r, unsigned group) {
  return are_there(r, r->state->published, group * r->m->group, r->m->group);
}

/* ---- roles that scans and compaction share ---- */

static int is_room(struct run *r) {
  return is(r, RING_NO_EMPTY) || ring_wait(r, &r->g->empty[stage_of(r)], stage_round(r) - 1);
}

/* Posts the end, a tile past the last one, in as many slots as there are alternating look-back warps or sets, so that
 * each finds one. Compaction waits for room; a scan has slots enough. */
static int end_step(struct run *r) {
  const unsigned sets = r->m->sets, turns = sets > r->m->look_backs ? sets : r->m->look_backs;
  if (r->w->ends > 0 && ring_compacts(r->m) && !is_room(r)) return 0;
  post(r, r->m->tiles);
  r->w->turn++;
  r->w->ends++;
  if (r->w->ends == turns || is(r, RING_ONE_END)) move_to(r, OUT);
  return 1;
}

int ring_claim_step(struct run *r) {
  struct warp *w = r->w;
  switch (w->at) {
  case CLAIM:
    w->tile = r->state->claims;
    if (r->state->claims < r->m->tiles) r->state->claims++;
    move_to(r, w->tile < r->m->tiles ? POST : END);
    return 1;
  case POST:
    post(r, w->tile);
    copy(r, 0);
    w->turn++;
    w->tile = NONE;
    move_to(r, w->turn >= r->m->start && w->turn < r->m->stages ? START : EMPTY);
    return 1;
  case START:
    if (!ring_wait(r, &r->g->full[w->turn - r->m->start], 0)) return 0;
    move_to(r, EMPTY);
    return 1;
  case EMPTY:
    if (!is_room(r)) return 0;
    move_to(r, CLAIM);
    return 1;
  default: return end_step(r);
  }
}

int ring_produce_step(struct run *r) {
  if (r->w->at == NEXT) return ring_next_step(r, FILL, OUT);
  if (!ring_compacts(r->m) && !is_room(r)) return 0; /* in compaction the claiming warp has waited */
  copy(r, number(r));
  ring_next(r, 1);
  return 1;
}

int ring_total_step(struct run *r) {
  const unsigned tile = r->w->tile, group = tile / r->m->group;
  if (r->w->at == NEXT) return ring_next_step(r, SUM, OUT);
  if (tile % r->m->group == r->m->group - 1u && !is_last(r)) {
    if (!ring_is_group_there(r, group)) return 0;
    r->state->totals |= (uint8_t)(1u << group);
  }
  if (!is(r, RING_TOTAL_AWAY)) ring_leave(r);
  ring_next(r, 1);
  return 1;
}
