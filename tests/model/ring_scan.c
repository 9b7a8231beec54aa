/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipelined scan's warps that reduce, look back and scan: pipelined.cuh. */
#include "ring_steps.h"

int ring_reduce_step(struct run *r) {
  const unsigned reducer = number(r) - first_reducer(r->m), stage = stage_of(r);
  switch (r->w->at) {
  case NEXT: return ring_next_step(r, REDUCE, OUT);
  case REDUCE:
    if (!ring_wait(r, &r->g->full[stage], stage_round(r))) return 0;
    ring_look_at_stage(r, stage, r->w->tile);
    if (r->m->variant == RING_SHIFTED) r->g->moved[stage][reducer] = r->w->tile;
    r->g->part[slot_of(r)][reducer] = r->w->tile;
    ring_leave(r);
    ring_arrive(&r->g->reduced[slot_of(r)], ring_reducers_due(r->m));
    ring_arrive(&r->g->meeting[0], r->m->reducers);
    move_to(r, PUBLISH);
    return 1;
  default:
    if (!is(r, RING_NO_MEETING) && r->g->meeting[0].round <= r->w->turn) return 0;
    if (reducer == 0 && !is_last(r)) { /* no tile follows the last one */
      ring_look_at_parts(r, slot_of(r), r->w->tile);
      r->state->published |= (uint8_t)(1u << r->w->tile);
    }
    ring_next(r, 1);
    return 1;
  }
}

int ring_look_step(struct run *r) {
  switch (r->w->at) {
  case NEXT: return ring_next_step(r, LOOK, OUT);
  case LOOK:
    if ((r->m->variant != RING_TOTAL || is_last(r)) && !ring_is_prefix_there(r, r->w->tile)) return 0;
    move_to(r, PREFIX);
    return 1;
  default:
    if (!is(r, RING_NO_REDUCED) && !ring_wait(r, &r->g->reduced[slot_of(r)], slot_round(r))) return 0;
    r->g->prefix[slot_of(r)] = r->w->tile;
    ring_arrive(&r->g->prefixed[slot_of(r)], 1);
    ring_next(r, r->m->look_backs);
    return 1;
  }
}

/* Checks the elements of a stage where a scanner reads them. */
static void look_at_elements(struct run *r, unsigned stage, unsigned tile) {
  ring_look_at_stage(r, stage, tile);
  if (r->m->variant == RING_SHIFTED) ring_look_at_moved(r, stage, tile);
}

static int is_put_off(const struct run *r) { return r->m->variant == RING_PUT_OFF && is_last(r); }

/* Waits for the prefix, then stores the tile unless it is put off. */
static int store_step(struct run *r) {
  const unsigned scanner = (number(r) - first_scanner(r->m)) % r->m->scanners, stage = stage_of(r);
  if (!ring_wait(r, &r->g->prefixed[slot_of(r)], slot_round(r))) return 0;
  if (r->m->variant != RING_TOTAL && !is_put_off(r)) {
    ring_look_at_slot(r, slot_of(r), r->w->tile);
    if (r->m->variant != RING_KEPT) look_at_elements(r, stage, r->w->tile);
    r->state->stored[scanner] |= (uint8_t)(1u << r->w->tile);
  }
  if (r->m->variant != RING_KEPT && !is(r, RING_LEAVE_EARLY)) ring_leave(r);
  ring_next(r, r->m->sets);
  return 1;
}

/* Checks that stage and slot of the last tile are intact, and stores that tile if it was put off. */
static void write_last(struct run *r) {
  const unsigned scanner = (number(r) - first_scanner(r->m)) % r->m->scanners, last = r->w->turn - r->m->sets;
  const unsigned slot = last % r->m->slots;
  if (r->w->turn < r->m->sets || r->g->tile[slot] + 1 != r->m->tiles) return;
  ring_look_at_slot(r, slot, r->g->tile[slot]);
  look_at_elements(r, last % r->m->stages, r->g->tile[slot]);
  if (r->m->variant == RING_PUT_OFF) r->state->stored[scanner] |= (uint8_t)(1u << r->g->tile[slot]);
  r->state->kept |= (uint8_t)(1u << scanner);
}

int ring_scan_step(struct run *r) {
  const unsigned stage = stage_of(r);
  switch (r->w->at) {
  case NEXT: return ring_next_step(r, r->m->variant == RING_TOTAL ? STORE : READ, WRITE_LAST);
  case READ:
    if (r->m->variant == RING_SHIFTED && !is(r, RING_UNSHIFTED)) {
      if (!ring_wait(r, &r->g->reduced[slot_of(r)], slot_round(r))) return 0;
    } else if (!ring_wait(r, &r->g->full[stage], stage_round(r))) {
      return 0;
    }
    if (!is_put_off(r)) look_at_elements(r, stage, r->w->tile);
    if (r->m->variant == RING_KEPT || is(r, RING_LEAVE_EARLY)) ring_leave(r);
    move_to(r, STORE);
    return 1;
  case STORE: return store_step(r);
  default:
    write_last(r);
    move_to(r, OUT);
    return 1;
  }
}
