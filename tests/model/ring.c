/* SPDX-License-Identifier: BSD-2-Clause */
/* Depth first through every state of the rings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "ring_steps.h"

enum {
  MOVERS = RING_ROLES + RING_STAGES * RING_WARPS, /* of a work-group: warps, and copies to its stages' parts */
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
  [KEEP] = "keeps",
  [OUT] = "",
};

struct frame {
  struct state state;
  uint8_t next, moved; /* whose turn it is */
  uint8_t group, role, place;
};

struct search {
  const struct ring_model *m;
  struct ring_findings *found;
  struct known known;
  struct frame *frames;
  unsigned depth, room;
};

/* One step of r->w; 0 where it can take none. */
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

/* ---- the search ---- */

static void open_barriers(struct barrier *b, unsigned count, unsigned due) {
  for (unsigned i = 0; i < count; i++) b[i] = (struct barrier){ 0, (uint8_t)due };
}

/* Warps that look back, and sets of compactors, take turns. */
static uint8_t first_turn(const struct ring_model *m, unsigned w) {
  if (w - first_look_back(m) < m->look_backs) return (uint8_t)(w - first_look_back(m));
  if (w >= first_reducer(m) && w < first_scanner(m)) return (uint8_t)((w - first_reducer(m)) / m->reducers);
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

static int has_ended(const struct ring_model *m, const struct state *s) {
  for (unsigned i = 0; i < m->work_groups; i++)
    for (unsigned w = 0; w < roles(m); w++)
      if (s->work_group[i].warp[w].at != OUT) return 0;
  return 1;
}

static const char *wrong_at_end(const struct ring_model *m, const struct state *s) {
  const unsigned all = (1u << m->tiles) - 1;
  for (unsigned i = 0; i < m->scanners; i++)
    if (s->stored[i] != (m->form == RING_TOTAL ? 0 : all)) return "a tile is not stored";
  if (ring_compacts(m)) return NULL;
  return s->kept == (1u << m->scanners) - 1 ? NULL : "the last tile is not kept";
}

static void say_schedule(struct search *s, const char *sentence) {
  char *text = s->found->schedule;
  size_t left = sizeof s->found->schedule;
  s->found->fault = sentence;
  for (unsigned i = 1; i < s->depth; i++) {
    const struct frame *f = &s->frames[i];
    const int n = f->role < RING_ROLES
                      ? snprintf(text, left, "  work-group %u, warp %u: %s\n", f->group, f->role, places[f->place])
                      : snprintf(text, left, "  work-group %u: a copy lands\n", f->group);
    if (n < 0 || (size_t)n >= left) break;
    text += n;
    left -= (size_t)n;
  }
}

static void enter(struct search *s, const struct state *state, unsigned group, unsigned role, unsigned place) {
  if (known_enter(&s->known, known_hash_of(state, sizeof *state)) != NULL) return;
  if (s->depth == s->room) {
    s->room = s->room ? s->room * 2 : 256;
    s->frames = realloc(s->frames, s->room * sizeof *s->frames);
    if (s->frames == NULL) abort();
  }
  s->found->states++;
  s->frames[s->depth++] = (struct frame){ *state, 0, 0, (uint8_t)group, (uint8_t)role, (uint8_t)place };
}

static int lands(struct run *r, unsigned copy) { return ring_copy_lands(r, copy / RING_WARPS, copy % RING_WARPS); }

/* A step of a work-group's warp, or of a copy to it. @return 1 where there is one */
static int take(struct search *s, unsigned mover) {
  struct frame *f = &s->frames[s->depth - 1];
  const unsigned group = mover / MOVERS, role = mover % MOVERS;
  struct state next = f->state;
  struct work_group *g = &next.work_group[group];
  struct run r = { s->m, &next, g, role < RING_ROLES ? &g->warp[role] : NULL, NULL };
  const unsigned place = role < RING_ROLES ? g->warp[role].at : 0;
  if (!(role < RING_ROLES ? warp_step(&r) : lands(&r, role - RING_ROLES)) && r.fault == NULL) return 0;
  f->moved = 1;
  s->found->steps++;
  enter(s, &next, group, role, place);
  if (r.fault != NULL) say_schedule(s, r.fault);
  return 1;
}

/* A wait that is over and stays so, behind which a warp does nothing that others see: it may as well be the next step,
 * and no other is tried. */
static int waits_alone(const struct warp *w) {
  return w->at == NEXT || w->at == LOOK || w->at == START || w->at == EMPTY || w->at == COMPACTED;
}

static void step(struct search *s) {
  const unsigned here = s->depth - 1;
  if (s->frames[here].next == 0)
    for (unsigned i = 0; i < ALL_MOVERS; i++)
      if (i % MOVERS < RING_ROLES && waits_alone(&s->frames[here].state.work_group[i / MOVERS].warp[i % MOVERS])) {
        s->frames[here].next = ALL_MOVERS;
        if (take(s, i)) return;
        s->frames[here].next = 0;
      }
  take(s, s->frames[here].next++);
}

static void leave_frame(struct search *s) {
  const struct frame *f = &s->frames[s->depth - 1];
  if (has_ended(s->m, &f->state)) {
    const char *wrong = wrong_at_end(s->m, &f->state);
    s->found->ends++;
    if (wrong != NULL) say_schedule(s, wrong);
  } else if (!f->moved) {
    say_schedule(s, "no warp can go on");
  }
  s->depth--;
}

void ring_check(const struct ring_model *m, struct ring_findings *found) {
  struct search s = { .m = m, .found = found };
  struct state first;
  memset(found, 0, sizeof *found);
  begin(m, &first);
  enter(&s, &first, 0, 0, 0);
  while (s.depth > 0 && found->fault == NULL) {
    if (s.frames[s.depth - 1].next == ALL_MOVERS)
      leave_frame(&s);
    else
      step(&s);
  }
  known_free(&s.known);
  free(s.frames);
}
