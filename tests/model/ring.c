/* SPDX-License-Identifier: BSD-2-Clause */
/* The roles of the pipelined scan, a step at a time: a step is a wait that is over and what a warp does from there to
 * its next wait. Depth first through every state. */
#include "ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"

enum {
  NONE = 0xff,
  MOVERS = RING_ROLES + RING_STAGES * RING_WARPS, /* of a work-group: warps, and copies to its stages' parts */
  ALL_MOVERS = RING_WORK_GROUPS * MOVERS
};

enum place {
  CLAIM,
  POST,
  START, /* until the first tiles are there */
  EMPTY,
  NEXT, /* the slot's tile is asked for */
  FILL,
  REDUCE,
  PUBLISH,
  LOOK,
  PREFIX,
  SUM,
  READ,
  STORE,
  KEEP,
  OUT
};
static const char *const places[] = {
  [CLAIM] = "claims",          [POST] = "posts",        [START] = "waits for the first tiles",
  [EMPTY] = "waits for room",  [NEXT] = "takes",        [FILL] = "copies",
  [REDUCE] = "reduces",        [PUBLISH] = "publishes", [LOOK] = "looks back",
  [PREFIX] = "posts a prefix", [SUM] = "sums a group",  [READ] = "reads",
  [STORE] = "stores",          [KEEP] = "keeps",        [OUT] = "",
};

/* An mbarrier: how often it has come round, and how many arrivals are still due this time. */
struct barrier {
  uint8_t round, due;
};

/* Bytes alone, so that states compare as bytes. */
struct warp {
  uint8_t at, turn, tile;
};

struct work_group {
  struct barrier full[RING_STAGES], empty[RING_STAGES];
  struct barrier claimed[RING_SLOTS], reduced[RING_SLOTS], prefixed[RING_SLOTS];
  struct barrier meeting;                    /* of the reducers */
  uint8_t copies[RING_STAGES][RING_WARPS];   /* tiles that are on their way to a part of a stage */
  uint8_t elements[RING_STAGES][RING_WARPS]; /* the tiles whose elements lie there */
  uint8_t shifted[RING_STAGES][RING_WARPS];  /* and which a reducer has moved */
  uint8_t tile[RING_SLOTS], part[RING_SLOTS][RING_WARPS], prefix[RING_SLOTS];
  struct warp warp[RING_ROLES];
};

struct state {
  uint8_t claims, published, totals; /* a bit for each tile and group */
  uint8_t stored[RING_WARPS], kept;  /* by each scanner */
  struct work_group work_group[RING_WORK_GROUPS];
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

/* A step that is being taken. */
struct run {
  const struct ring_model *m;
  struct state *state;
  struct work_group *g;
  struct warp *w;
  const char *fault;
};

static void fault(struct run *r, const char *sentence) {
  if (r->fault == NULL) r->fault = sentence;
}

static int is(const struct run *r, enum ring_mutant mutant) { return r->m->mutant == mutant; }

/* ---- who is who ---- */

static unsigned first_look_back(const struct ring_model *m) { return m->producers; }
static unsigned total_of(const struct ring_model *m) { return m->producers + m->look_backs; }
static unsigned first_reducer(const struct ring_model *m) { return total_of(m) + 1; }
static unsigned first_scanner(const struct ring_model *m) { return first_reducer(m) + m->reducers; }
static unsigned roles(const struct ring_model *m) { return first_scanner(m) + m->scanners; }
static unsigned number(const struct run *r) { return (unsigned)(r->w - r->g->warp); }

/* ---- barriers ---- */

static void arrive(struct barrier *b, unsigned all) {
  if (--b->due > 0) return;
  b->due = (uint8_t)all;
  b->round++;
}

/* Waits for round `round` to be over (-1: the one before the first), by its lowest bit alone, as an mbarrier has it. */
static int wait(struct run *r, const struct barrier *b, int round) {
  const int is_over = (b->round & 1) != (round & 1);
  if (is_over && b->round != round + 1) fault(r, "a barrier has come round before a warp saw it");
  if (!is_over && b->round != round) fault(r, "a barrier is asked for a round that is long over, or far away");
  return is_over;
}

static unsigned stage_of(const struct run *r) { return r->w->turn % r->m->stages; }
static unsigned slot_of(const struct run *r) { return r->w->turn % r->m->slots; }
static int slot_round(const struct run *r) { return r->w->turn / r->m->slots; }
static int stage_round(const struct run *r) { return is(r, RING_SAME_PHASE) ? 0 : r->w->turn / r->m->stages; }

static unsigned leavers(const struct ring_model *m) {
  return (unsigned)m->scanners + m->reducers + (m->mutant != RING_TOTAL_AWAY && m->mutant != RING_EMPTY_EARLY);
}
static unsigned reducers_due(const struct ring_model *m) { return m->mutant == RING_ONE_REDUCER ? 1u : m->reducers; }
static unsigned parts_due(const struct ring_model *m) {
  return m->mutant == RING_FULL_EARLY ? m->producers - 1u : m->producers;
}

static void leave(struct run *r) { arrive(&r->g->empty[stage_of(r)], leavers(r->m)); }

/* ---- what lies in stages and slots ---- */

static void look_at_stage(struct run *r, unsigned stage, unsigned tile) {
  for (unsigned part = 0; part < r->m->producers; part++)
    if (r->g->elements[stage][part] != tile) fault(r, "a stage has not the tile that a warp looks for");
}

static void look_at_shifted(struct run *r, unsigned stage, unsigned tile) {
  look_at_stage(r, stage, tile);
  for (unsigned q = 0; q < r->m->reducers && r->m->form == RING_SHIFTED; q++)
    if (r->g->shifted[stage][q] != tile) fault(r, "elements are not where a scanner looks");
}

static void look_at_parts(struct run *r, unsigned slot, unsigned tile) {
  for (unsigned q = 0; q < r->m->reducers; q++)
    if (r->g->part[slot][q] != tile) fault(r, "a slot has not the tile's parts");
}

static void look_at_slot(struct run *r, unsigned slot, unsigned tile) {
  look_at_parts(r, slot, tile);
  if (r->g->tile[slot] != tile || r->g->prefix[slot] != tile) fault(r, "a slot has not the tile's prefix");
}

/* A slot is used anew: nobody is still where it was. */
static void post(struct run *r, unsigned tile) {
  for (unsigned i = 0; i < roles(r->m); i++)
    if (r->g->warp[i].at != OUT && r->g->warp[i].at != KEEP && r->g->warp[i].turn + r->m->slots <= r->w->turn)
      fault(r, "a slot is used anew while a warp needs it");
  r->g->tile[slot_of(r)] = (uint8_t)tile;
  arrive(&r->g->claimed[slot_of(r)], 1);
}

/* Elements set out for a part of a stage, which holds nothing until they are there. */
static void copy(struct run *r, unsigned part) {
  const unsigned stage = stage_of(r);
  if (r->g->copies[stage][part] != NONE) fault(r, "two copies go to one place");
  r->g->copies[stage][part] = r->w->tile;
  r->g->elements[stage][part] = NONE;
  for (unsigned q = 0; q < RING_WARPS; q++) r->g->shifted[stage][q] = NONE;
}

static int copy_lands(struct run *r, unsigned copy) {
  const unsigned stage = copy / RING_WARPS, part = copy % RING_WARPS;
  if (r->g->copies[stage][part] == NONE) return 0;
  r->g->elements[stage][part] = r->g->copies[stage][part];
  r->g->copies[stage][part] = NONE;
  arrive(&r->g->full[stage], parts_due(r->m));
  return 1;
}

/* ---- roles ---- */

static void go(struct run *r, enum place at) { r->w->at = (uint8_t)at; }

/* On to the next tile, `ahead` turns from here. */
static void next(struct run *r, unsigned ahead) {
  r->w->turn = (uint8_t)(r->w->turn + ahead);
  r->w->tile = NONE;
  go(r, NEXT);
}

static int is_last(const struct run *r) { return r->w->tile + 1 == r->m->tiles; }

/* The first producer: it claims a tile where it has a stage. */
static int claim_step(struct run *r) {
  struct warp *w = r->w;
  switch (w->at) {
  case CLAIM:
    w->tile = r->state->claims;
    if (r->state->claims < r->m->tiles) r->state->claims++;
    go(r, POST);
    return 1;
  case POST:
    post(r, w->tile);
    if (w->tile < r->m->tiles) {
      copy(r, 0);
      w->turn++;
      w->tile = NONE;
      go(r, w->turn >= r->m->start && w->turn < r->m->stages ? START : EMPTY);
      return 1;
    }
    for (unsigned k = 1; k < r->m->look_backs && !is(r, RING_ONE_END); k++) {
      w->turn++;
      post(r, w->tile);
    }
    go(r, OUT);
    return 1;
  case START:
    if (!wait(r, &r->g->full[w->turn - r->m->start], 0)) return 0;
    go(r, EMPTY);
    return 1;
  default:
    if (!is(r, RING_NO_EMPTY) && !wait(r, &r->g->empty[stage_of(r)], stage_round(r) - 1)) return 0;
    go(r, CLAIM);
    return 1;
  }
}

/* The slot's tile; each role ends at one past the last. */
static int next_step(struct run *r, enum place then, enum place end) {
  if (!wait(r, &r->g->claimed[slot_of(r)], slot_round(r))) return 0;
  r->w->tile = r->g->tile[slot_of(r)];
  go(r, r->w->tile < r->m->tiles ? then : end);
  return 1;
}

static int produce_step(struct run *r) {
  if (r->w->at == NEXT) return next_step(r, FILL, OUT);
  if (!is(r, RING_NO_EMPTY) && !wait(r, &r->g->empty[stage_of(r)], stage_round(r) - 1)) return 0;
  copy(r, number(r));
  next(r, 1);
  return 1;
}

static int reduce_step(struct run *r) {
  const unsigned reducer = number(r) - first_reducer(r->m), stage = stage_of(r);
  switch (r->w->at) {
  case NEXT: return next_step(r, REDUCE, OUT);
  case REDUCE:
    if (!wait(r, &r->g->full[stage], stage_round(r))) return 0;
    look_at_stage(r, stage, r->w->tile);
    if (r->m->form == RING_SHIFTED) r->g->shifted[stage][reducer] = r->w->tile;
    r->g->part[slot_of(r)][reducer] = r->w->tile;
    leave(r);
    arrive(&r->g->reduced[slot_of(r)], reducers_due(r->m));
    arrive(&r->g->meeting, r->m->reducers);
    go(r, PUBLISH);
    return 1;
  default:
    if (!is(r, RING_NO_MEETING) && r->g->meeting.round <= r->w->turn) return 0;
    if (reducer == 0 && !is_last(r)) { /* nobody comes after that one */
      look_at_parts(r, slot_of(r), r->w->tile);
      r->state->published |= (uint8_t)(1u << r->w->tile);
    }
    next(r, 1);
    return 1;
  }
}

/* Whether the first `count` tiles of a group, or groups, are published. */
static int are_there(const struct run *r, unsigned bits, unsigned first, unsigned count) {
  const unsigned asked = ((1u << count) - 1) << first;
  return r->m->times_out || (bits & asked) == asked;
}

static int look_step(struct run *r) {
  const unsigned tile = r->w->tile, group = tile / r->m->group;
  switch (r->w->at) {
  case NEXT: return next_step(r, LOOK, OUT);
  case LOOK:
    if (r->m->form != RING_TOTAL || is_last(r)) {
      if (!are_there(r, r->state->totals, 0, group)) return 0;
      if (!are_there(r, r->state->published, group * r->m->group, tile % r->m->group)) return 0;
    }
    go(r, PREFIX);
    return 1;
  default:
    if (!is(r, RING_NO_REDUCED) && !wait(r, &r->g->reduced[slot_of(r)], slot_round(r))) return 0;
    r->g->prefix[slot_of(r)] = r->w->tile;
    arrive(&r->g->prefixed[slot_of(r)], 1);
    next(r, r->m->look_backs);
    return 1;
  }
}

static int total_step(struct run *r) {
  const unsigned tile = r->w->tile, group = tile / r->m->group;
  if (r->w->at == NEXT) return next_step(r, SUM, OUT);
  if (tile % r->m->group == r->m->group - 1u && !is_last(r)) {
    if (!are_there(r, r->state->published, group * r->m->group, r->m->group)) return 0;
    r->state->totals |= (uint8_t)(1u << group);
  }
  if (!is(r, RING_TOTAL_AWAY)) leave(r);
  next(r, 1);
  return 1;
}

static int is_put_off(const struct run *r) { return r->m->form == RING_PUT_OFF && is_last(r); }

/* The prefix is there: a tile is stored, unless it is put off. */
static int store_step(struct run *r) {
  const unsigned scanner = number(r) - first_scanner(r->m), stage = stage_of(r);
  if (!wait(r, &r->g->prefixed[slot_of(r)], slot_round(r))) return 0;
  if (r->m->form != RING_TOTAL && !is_put_off(r)) {
    look_at_slot(r, slot_of(r), r->w->tile);
    if (r->m->form != RING_KEPT) look_at_shifted(r, stage, r->w->tile);
    r->state->stored[scanner] |= (uint8_t)(1u << r->w->tile);
  }
  if (r->m->form != RING_KEPT && !is(r, RING_LEAVE_EARLY)) leave(r);
  next(r, 1);
  return 1;
}

/* What is kept of the last tile, or was put off, in its stage and slot. */
static void keep_last(struct run *r) {
  const unsigned scanner = number(r) - first_scanner(r->m), last = r->w->turn - 1u, slot = last % r->m->slots;
  if (r->w->turn == 0 || r->g->tile[slot] + 1 != r->m->tiles) return;
  look_at_slot(r, slot, r->g->tile[slot]);
  look_at_shifted(r, last % r->m->stages, r->g->tile[slot]);
  if (r->m->form == RING_PUT_OFF) r->state->stored[scanner] |= (uint8_t)(1u << r->g->tile[slot]);
  r->state->kept |= (uint8_t)(1u << scanner);
}

static int scan_step(struct run *r) {
  const unsigned stage = stage_of(r);
  switch (r->w->at) {
  case NEXT: return next_step(r, r->m->form == RING_TOTAL ? STORE : READ, KEEP);
  case READ:
    if (r->m->form == RING_SHIFTED && !is(r, RING_UNSHIFTED)) {
      if (!wait(r, &r->g->reduced[slot_of(r)], slot_round(r))) return 0;
    } else if (!wait(r, &r->g->full[stage], stage_round(r))) {
      return 0;
    }
    if (!is_put_off(r)) look_at_shifted(r, stage, r->w->tile);
    if (r->m->form == RING_KEPT || is(r, RING_LEAVE_EARLY)) leave(r);
    go(r, STORE);
    return 1;
  case STORE: return store_step(r);
  default:
    keep_last(r);
    go(r, OUT);
    return 1;
  }
}

/* One step of r->w; 0 where it can take none. */
static int warp_step(struct run *r) {
  const unsigned i = number(r);
  if (i >= roles(r->m) || r->w->at == OUT) return 0;
  if (i == 0) return claim_step(r);
  if (i < first_look_back(r->m)) return produce_step(r);
  if (i < total_of(r->m)) return look_step(r);
  if (i == total_of(r->m)) return total_step(r);
  return i < first_scanner(r->m) ? reduce_step(r) : scan_step(r);
}

/* ---- the search ---- */

static void open_barriers(struct barrier *b, unsigned count, unsigned due) {
  for (unsigned i = 0; i < count; i++) b[i] = (struct barrier){ 0, (uint8_t)due };
}

static void begin(const struct ring_model *m, struct state *s) {
  memset(s, 0, sizeof *s);
  for (unsigned i = 0; i < RING_WORK_GROUPS; i++) {
    struct work_group *g = &s->work_group[i];
    memset(g, NONE, sizeof *g);
    open_barriers(g->full, RING_STAGES, parts_due(m));
    open_barriers(g->empty, RING_STAGES, leavers(m));
    open_barriers(g->claimed, RING_SLOTS, 1);
    open_barriers(g->reduced, RING_SLOTS, reducers_due(m));
    open_barriers(g->prefixed, RING_SLOTS, 1);
    open_barriers(&g->meeting, 1, m->reducers);
    for (unsigned w = 0; w < RING_ROLES; w++) {
      const unsigned back = w - first_look_back(m); /* they take turns */
      const int is_in = i < m->work_groups && w < roles(m);
      g->warp[w] = (struct warp){ w == 0 ? CLAIM : NEXT, (uint8_t)(back < m->look_backs ? back : 0), NONE };
      if (!is_in) g->warp[w].at = OUT;
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

/* A step of a work-group's warp, or of a copy to it. @return 1 where there is one */
static int take(struct search *s, unsigned mover) {
  struct frame *f = &s->frames[s->depth - 1];
  const unsigned group = mover / MOVERS, role = mover % MOVERS;
  struct state next = f->state;
  struct work_group *g = &next.work_group[group];
  struct run r = { s->m, &next, g, role < RING_ROLES ? &g->warp[role] : NULL, NULL };
  const unsigned place = role < RING_ROLES ? g->warp[role].at : 0;
  if (!(role < RING_ROLES ? warp_step(&r) : copy_lands(&r, role - RING_ROLES)) && r.fault == NULL) return 0;
  f->moved = 1;
  s->found->steps++;
  enter(s, &next, group, role, place);
  if (r.fault != NULL) say_schedule(s, r.fault);
  return 1;
}

/* A wait that is over and stays so, behind which a warp does nothing that others see: it may as well be the next step,
 * and no other is tried. */
static int waits_alone(const struct warp *w) {
  return w->at == NEXT || w->at == LOOK || w->at == START || w->at == EMPTY;
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
