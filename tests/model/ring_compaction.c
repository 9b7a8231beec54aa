/* SPDX-License-Identifier: BSD-2-Clause */
/* Pipelined compaction's warps that compact, look back and write: select_pipelined_compact.cuh and its includes. */
#include "ring_steps.h"

/* ---- compactors: sets of warps that alternate ---- */

static unsigned set_of(const struct run *r) { return (number(r) - first_reducer(r->m)) / r->m->reducers; }
static unsigned part_of(const struct run *r) { return (number(r) - first_reducer(r->m)) % r->m->reducers; }

static int is_large(const struct run *r, unsigned tile) { return r->m->large >> tile & 1; }

/* 1 if the tile's run starts lie in this part of its list. */
static int is_listed_in(const struct run *r, unsigned quarter) {
  return is_large(r, r->w->tile) || quarter == r->w->turn / RING_LISTS % RING_QUARTERS;
}

/* scanrt_list_of: puts a tile's run starts into a whole list, or into the part of it whose turn it is. */
static void list(struct run *r) {
  const unsigned part = part_of(r);
  uint8_t(*const quarters)[RING_WARPS] = r->g->list[r->w->turn % RING_LISTS];
  for (unsigned q = 0; q < RING_QUARTERS; q++)
    if (is_listed_in(r, q)) quarters[q][part] = r->w->tile;
}

/* scanrt_list_wait: 1 if the earlier contents of the list are not needed any more. */
static int is_list_free(struct run *r) {
  const unsigned before = RING_LISTS / r->m->sets,
                 large = (unsigned)r->w->large << 1 | (unsigned)is_large(r, r->w->tile);
  const unsigned asked = is(r, RING_LIST_OWN) ? 1u : 1u | 1u << before;
  if (is(r, RING_NO_LIST) || r->w->turn < RING_LISTS || (large & asked) == 0) return 1;
  const unsigned last = r->w->turn - RING_LISTS;
  return ring_wait(r, &r->g->empty[last % r->m->stages], (int)(last / r->m->stages));
}

static int put_step(struct run *r) {
  const unsigned stage = stage_of(r);
  if (r->m->variant == RING_LISTED) {
    if (!is_list_free(r)) return 0;
    r->w->large = (uint8_t)(r->w->large << 1 | is_large(r, r->w->tile));
    list(r);
  }
  r->g->moved[stage][part_of(r)] = r->w->tile;
  ring_arrive(&r->g->reduced[stage], ring_reducers_due(r->m));
  ring_next(r, r->m->sets);
  return 1;
}

int ring_compact_step(struct run *r) {
  const unsigned stage = stage_of(r);
  struct barrier *meeting = &r->g->meeting[set_of(r)];
  switch (r->w->at) {
  case NEXT: return ring_next_step(r, REDUCE, OUT);
  case REDUCE:
    if (!ring_wait(r, &r->g->full[stage], stage_round(r))) return 0;
    ring_look_at_stage(r, stage, r->w->tile);
    r->g->part[stage][part_of(r)] = r->w->tile;
    ring_arrive(meeting, r->m->reducers);
    move_to(r, PUBLISH);
    return 1;
  case PUBLISH:
    if (!is(r, RING_NO_MEETING) && meeting->round <= r->w->turn / r->m->sets) return 0;
    ring_look_at_parts(r, stage, r->w->tile);
    if (part_of(r) == 0) r->state->published |= (uint8_t)(1u << r->w->tile);
    move_to(r, PUT);
    return 1;
  default: return put_step(r);
  }
}

/* ---- the warps behind the compactors ---- */

/* Takes the next tile and waits for its compactors, then goes to `then`. */
static int compacted_step(struct run *r, enum place then) {
  if (r->w->at == NEXT) return ring_next_step(r, is(r, RING_NO_COMPACTED) ? then : COMPACTED, OUT);
  if (!ring_wait(r, &r->g->reduced[stage_of(r)], stage_round(r))) return 0;
  move_to(r, then);
  return 1;
}

/* ---- look-back ---- */

int ring_look_behind_step(struct run *r) {
  const unsigned stage = stage_of(r);
  switch (r->w->at) {
  case NEXT:
  case COMPACTED: return compacted_step(r, LOOK);
  case LOOK:
    if (!ring_is_prefix_there(r, r->w->tile)) return 0;
    move_to(r, PREFIX);
    return 1;
  default:
    if (is_last(r) && !is(r, RING_NO_COMPACTED))
      ring_look_at_parts(r, stage, r->w->tile); /* their sum is the number of kept elements */
    r->g->prefix[stage] = r->w->tile;
    ring_arrive(&r->g->prefixed[stage], 1);
    ring_next(r, r->m->look_backs);
    return 1;
  }
}

/* ---- writers ---- */

static void look_at_list(struct run *r) {
  uint8_t(*const quarters)[RING_WARPS] = r->g->list[r->w->turn % RING_LISTS];
  for (unsigned q = 0; q < RING_QUARTERS; q++)
    for (unsigned part = 0; part < r->m->reducers; part++)
      if (is_listed_in(r, q) && quarters[q][part] != r->w->tile) fault(r, "a list has not the tile's run starts");
}

int ring_write_step(struct run *r) {
  const unsigned stage = stage_of(r), writer = number(r) - first_scanner(r->m);
  switch (r->w->at) {
  case NEXT:
  case COMPACTED: return compacted_step(r, STORE);
  default:
    if (!ring_wait(r, &r->g->prefixed[stage], stage_round(r))) return 0;
    ring_look_at_slot(r, stage, r->w->tile);
    ring_look_at_moved(r, stage, r->w->tile);
    if (r->m->variant == RING_LISTED) look_at_list(r);
    r->state->stored[writer] |= (uint8_t)(1u << r->w->tile);
    ring_leave(r);
    ring_next(r, 1);
    return 1;
  }
}
