/* SPDX-License-Identifier: BSD-2-Clause */
/* The states of the rings, and the movers: warps and copies. */
#include <stdio.h>
#include <string.h>

#include "ring_steps.h"

enum {
  MOVERS = RING_ROLES + RING_STAGES * RING_WARPS, /* of a work-group: warps, and copies to the parts of its stages */
  ALL_MOVERS = RING_WORK_GROUPS * MOVERS
};

static const char *const places[] = {
  [CLAIM] = "claims",
  [POST] = "posts",
  [START] = "waits for the first tiles",
  [EMPTY] = "waits for room",
  [END] = "ends",
  [NEXT] = "takes",
  [FILL] = "copies",
  [REDUCE] = "reduces",
  [PUBLISH] = "publishes",
  [PUT] = "puts together",
  [COMPACTED] = "waits for what is put together",
  [LOOK] = "looks back",
  [PREFIX] = "posts a prefix",
  [SUM] = "sums a group",
  [READ] = "reads",
  [STORE] = "stores",
  [WRITE_LAST] = "writes the last value",
  [OUT] = "",
};

/* Takes a step of r->w; 0 if it has none. */
static int warp_step(struct run *r) {
  const unsigned i = number(r);
  if (i >= roles(r->m) || r->w->at == OUT) return 0;
  if (i == 0) return ring_claim_step(r);
  if (i < first_look_back(r->m)) return ring_produce_step(r);
  if (i < total_of(r->m)) return ring_compacts(r->m) ? ring_look_behind_step(r) : ring_look_step(r);
  if (i == total_of(r->m)) return ring_total_step(r);
  if (i < first_scanner(r->m)) return ring_compacts(r->m) ? ring_compact_step(r) : ring_reduce_step(r);
  return ring_compacts(r->m) ? ring_write_step(r) : ring_scan_step(r);
}

/* ---- the walk ---- */

static void open_barriers(struct barrier *b, unsigned count, unsigned due) {
  for (unsigned i = 0; i < count; i++) b[i] = (struct barrier){ 0, (uint8_t)due };
}

/* Returns a warp's first turn: look-back warps alternate, and so do sets. */
static uint8_t first_turn(const struct ring_model *m, unsigned w) {
  if (w - first_look_back(m) < m->look_backs) return (uint8_t)(w - first_look_back(m));
  if (w >= first_reducer(m) && w < first_scanner(m)) return (uint8_t)((w - first_reducer(m)) / m->reducers);
  if (w >= first_scanner(m)) return (uint8_t)((w - first_scanner(m)) / m->scanners);
  return 0;
}

static void begin(const struct ring_model *m, struct state *s) {
  memset(s, 0, sizeof *s);
  for (unsigned i = 0; i < RING_WORK_GROUPS; i++) {
    struct work_group *g = &s->work_group[i];
    memset(g, NONE, sizeof *g);
    open_barriers(g->full, RING_STAGES, ring_parts_due(m));
    open_barriers(g->empty, RING_STAGES, ring_leavers(m));
    open_barriers(g->claimed, RING_SLOTS, 1);
    open_barriers(g->reduced, RING_SLOTS, ring_reducers_due(m));
    open_barriers(g->prefixed, RING_SLOTS, 1);
    open_barriers(g->meeting, RING_SETS, m->reducers);
    for (unsigned w = 0; w < RING_ROLES; w++) {
      const int is_in = i < m->work_groups && w < roles(m);
      g->warp[w] = (struct warp){ .at = is_in ? w == 0 ? CLAIM : NEXT : OUT, .turn = first_turn(m, w), .tile = NONE };
    }
  }
}

static int has_ended(const void *model, const void *state) {
  const struct ring_model *m = model;
  const struct state *s = state;
  for (unsigned i = 0; i < m->work_groups; i++)
    for (unsigned w = 0; w < roles(m); w++)
      if (s->work_group[i].warp[w].at != OUT) return 0;
  return 1;
}

static const char *wrong_at_end(const void *model, const void *state) {
  const struct ring_model *m = model;
  const struct state *s = state;
  const unsigned all = (1u << m->tiles) - 1;
  for (unsigned i = 0; i < m->scanners; i++)
    if (s->stored[i] != (m->variant == RING_TOTAL ? 0 : all)) return "a tile is not stored";
  if (ring_compacts(m)) return NULL;
  return s->kept == (1u << m->scanners) - 1 ? NULL : "the last tile is not kept";
}

static void name(const void *model, const void *state, unsigned mover, char *text, size_t bytes) {
  const struct state *s = state;
  const unsigned group = mover / MOVERS, role = mover % MOVERS;
  (void)model;
  if (role < RING_ROLES)
    snprintf(text, bytes, "work-group %u, warp %u: %s", group, role, places[s->work_group[group].warp[role].at]);
  else
    snprintf(text, bytes, "work-group %u: a copy lands", group);
}

/* Takes a step of a warp, or ends a copy. */
static int step(const void *model, void *state, unsigned mover, const char **fault) {
  struct state *s = state;
  struct work_group *g = &s->work_group[mover / MOVERS];
  const unsigned role = mover % MOVERS, copy = role - RING_ROLES;
  struct run r = { model, s, g, role < RING_ROLES ? &g->warp[role] : NULL, NULL };
  const int has_moved = role < RING_ROLES ? warp_step(&r) : ring_copy_lands(&r, copy / RING_WARPS, copy % RING_WARPS);
  *fault = r.fault;
  return has_moved || r.fault != NULL;
}

static int is_alone(const void *model, const void *state, unsigned mover) {
  const struct state *s = state;
  (void)model;
  if (mover % MOVERS >= RING_ROLES) return 0;
  switch (s->work_group[mover / MOVERS].warp[mover % MOVERS].at) {
  case NEXT:
  case LOOK:
  case START:
  case EMPTY:
  case COMPACTED: return 1;
  default: return 0;
  }
}

void ring_check(const struct ring_model *m, struct walk_findings *found) {
  const struct walk_model walked = { .model = m,
                                     .state_bytes = sizeof(struct state),
                                     .movers = ALL_MOVERS,
                                     .step = step,
                                     .has_ended = has_ended,
                                     .wrong_at_end = wrong_at_end,
                                     .name = name,
                                     .is_alone = is_alone };
  struct state first;
  begin(m, &first);
  walk(&walked, &first, found);
}
