/* SPDX-License-Identifier: BSD-2-Clause */
/* Models the warps of a onesweep. A step is an access to memory that others see, and the work up to the next
 * one. */
#include "onesweep.h"

#include <stdio.h>
#include <string.h>

enum { NONE = 0xff, PARTIAL = 1 << 6, INCLUSIVE = 2 << 6, OLD = 1 << 5, KEYS = (1 << 6) - 1 };

/* The kind of a word of shared memory, combined with its tile. */
enum { COUNT = 1 << 4, SLOT = 2 << 4, BEGUN = 3 << 4, WHOLE = 4 << 4 };

enum place {
  FIRST,    /* claims the first ticket */
  AT_FIRST, /* AT_: waits at a barrier */
  TAKE,     /* takes the ticket */
  RANK,     /* ranks the keys and moves them to their slots */
  LOOK,     /* looks at a tile before */
  START,    /* completes the digits' starts, and publishes the counts up to this tile */
  AT_MOVED,
  WRITE,
  COUNTS, /* counts the next tile's keys */
  AT_COUNTED,
  SUM, /* sums the counts and publishes them */
  AT_SUMS,
  PUBLISH, /* deals out slots */
  CLAIM,
  AT_TICKET,
  AT_REPAIR, /* waits, and learns whether keys have moved */
  EXCHANGE,
  AT_HALF,
  REWRITE,
  AT_PASSES,
  OUT
};

static const char *const places[] = { [FIRST] = "claims the first ticket",
                                      [AT_FIRST] = "waits for the first ticket",
                                      [TAKE] = "takes a ticket",
                                      [RANK] = "ranks",
                                      [LOOK] = "looks back",
                                      [START] = "says where digits go",
                                      [AT_MOVED] = "waits for slots and starts",
                                      [WRITE] = "writes",
                                      [COUNTS] = "counts",
                                      [AT_COUNTED] = "waits for counts",
                                      [SUM] = "sums and publishes",
                                      [AT_SUMS] = "waits for sums",
                                      [PUBLISH] = "deals out slots",
                                      [CLAIM] = "claims a ticket",
                                      [AT_TICKET] = "waits for the ticket",
                                      [AT_REPAIR] = "waits for a round",
                                      [EXCHANGE] = "exchanges",
                                      [AT_HALF] = "waits for half a round",
                                      [REWRITE] = "writes once more",
                                      [AT_PASSES] = "waits for the repair",
                                      [OUT] = "" };

struct warp {
  uint8_t at, has_arrived;
  uint8_t tile, next, before, has_tile;
  uint8_t is_wrong, exchanges;
  uint8_t left, done, sum[ONESWEEP_DIGITS];
};

/* Barriers of all warps, of the publishers, and of the workers. */
enum { ALL, PUBLISHERS, WORKERS, BARRIERS };

struct state {
  struct warp warp[ONESWEEP_WARPS];
  uint8_t any; /* 1 if a warp that has arrived at the barrier of all reports disorder */
  uint8_t counters[ONESWEEP_WORKERS][ONESWEEP_DIGITS], sums[ONESWEEP_DIGITS], starts[ONESWEEP_DIGITS],
      totals[ONESWEEP_DIGITS];
  uint8_t slots[ONESWEEP_WORKERS];
  uint8_t ticket, ticket_from;
  uint8_t tickets, others; /* tickets of all work-groups; a bit for each tile of the others */
  uint8_t lookback_words[ONESWEEP_TILES][ONESWEEP_DIGITS];
  uint8_t written[ONESWEEP_TILES], rewritten[ONESWEEP_TILES], cleared[ONESWEEP_TILES];
};

struct run {
  const struct onesweep_model *m;
  struct state *s;
  struct warp *w;
  unsigned i; /* the warp's number */
  const char *fault;
};

static unsigned warps(const struct onesweep_model *m) { return m->workers + m->lookers; }
static int is_worker(const struct run *r) { return r->i < r->m->workers; }
static int is_publisher(const struct run *r) { return r->i < r->m->publishers; }
static int is_last(const struct run *r) { return r->i + 1 == warps(r->m); }
static uint8_t up_to(unsigned tile) { return (uint8_t)((2u << tile) - 1); }

static int due(struct run *r, int holds, const char *fault) {
  if (!holds && r->fault == NULL) r->fault = fault;
  return holds;
}

/* 1 if the warp looks back for the digit. */
static int looks_for(const struct run *r, unsigned digit) {
  if (digit >= r->m->publishers) return 0;
  if (r->m->lookers == 0) return r->i == digit;
  return !is_worker(r) && digit % r->m->lookers == r->i - r->m->workers;
}
static int looks(const struct run *r) { return r->m->lookers == 0 ? is_publisher(r) : !is_worker(r); }

/* ---- barriers ---- */

static int barrier_of(const struct run *r, const struct warp *w) {
  if (w->at == AT_SUMS) return PUBLISHERS;
  return w->at == AT_TICKET && r->m->mutant == ONESWEEP_LOOKERS_AHEAD ? WORKERS : ALL;
}

static int is_of(const struct onesweep_model *m, unsigned warp, int barrier) {
  return warp < (barrier == ALL ? warps(m) : barrier == PUBLISHERS ? m->publishers : m->workers);
}

static int is_passed(const struct run *r) {
  static const uint8_t unwaited[] = {
    [ONESWEEP_NO_COUNTED] = AT_COUNTED, [ONESWEEP_NO_SUMS] = AT_SUMS,         [ONESWEEP_NO_TICKET] = AT_TICKET,
    [ONESWEEP_NO_MOVED] = AT_MOVED,     [ONESWEEP_REPAIR_PASSES] = AT_PASSES, [ONESWEEP_REPAIR_HALVES] = AT_HALF
  };
  const unsigned mutant = r->m->mutant;
  if (mutant == ONESWEEP_LOOKERS_AHEAD) return r->w->at == AT_TICKET && !is_worker(r);
  return mutant < sizeof unwaited && unwaited[mutant] != 0 && r->w->at == unwaited[mutant];
}

static void start_tile(const struct onesweep_model *m, struct warp *w, unsigned i) {
  w->is_wrong = w->exchanges = 0;
  w->at = w->tile >= m->tiles ? OUT : i < m->publishers ? SUM : i + 1 == warps(m) ? CLAIM : AT_TICKET;
}

/* Moves a warp past a barrier at which all have arrived. */
static void pass(const struct onesweep_model *m, struct warp *w, unsigned i, int any) {
  w->has_arrived = 0;
  switch (w->at) {
  case AT_FIRST:
  case AT_TICKET: w->at = TAKE; break;
  case AT_MOVED: w->at = WRITE; break;
  case AT_SUMS: w->at = PUBLISH; break;
  case AT_HALF: w->at = w->exchanges % 2 == 0 ? AT_REPAIR : EXCHANGE; break;
  case AT_REPAIR: w->at = any ? EXCHANGE : REWRITE; break;
  case AT_COUNTED:
    if (m->mutant == ONESWEEP_REPAIR_ALONE ? w->is_wrong : any)
      w->at = AT_REPAIR;
    else
      start_tile(m, w, i);
    break;
  default: start_tile(m, w, i); /* AT_PASSES */
  }
}

/* 1 if the warp reports disorder: at AT_COUNTED if it found some; at AT_REPAIR before the repair and after the first of
 * two rounds. */
static int votes(const struct warp *w) { return w->at == AT_COUNTED ? w->is_wrong : w->exchanges < 4; }

static int arrive(struct run *r) {
  const int barrier = barrier_of(r, r->w);
  if (r->w->has_arrived) return 0;
  if (is_passed(r)) {
    pass(r->m, r->w, r->i, votes(r->w));
    return 1;
  }
  r->w->has_arrived = 1;
  if (barrier == ALL) r->s->any |= (r->w->at == AT_COUNTED || r->w->at == AT_REPAIR) && votes(r->w);
  for (unsigned i = 0; i < warps(r->m); i++) {
    const struct warp *w = &r->s->warp[i];
    if (is_of(r->m, i, barrier) && w->at != OUT && !(w->has_arrived && barrier_of(r, w) == barrier)) return 1;
  }
  const int any = r->s->any;
  if (barrier == ALL) r->s->any = 0;
  for (unsigned i = 0; i < warps(r->m); i++) {
    struct warp *w = &r->s->warp[i];
    if (is_of(r->m, i, barrier) && w->at != OUT) pass(r->m, w, i, any);
  }
  return 1;
}

/* ---- steps ---- */

static int claim(struct run *r, uint8_t from) {
  struct state *s = r->s;
  s->ticket = s->tickets < r->m->tiles ? s->tickets++ : r->m->tiles;
  s->ticket_from = from;
  return 1;
}

static void next_tile(struct run *r) {
  struct warp *w = r->w;
  w->before = w->tile;
  w->tile = w->next;
  w->has_tile = 1;
  w->at = is_worker(r) ? COUNTS : AT_COUNTED;
  if (r->m->mutant == ONESWEEP_ENDS_EARLY && w->tile >= r->m->tiles) w->at = OUT;
}

static void take(struct run *r) {
  struct warp *w = r->w;
  due(r, r->s->ticket_from == (w->has_tile ? w->tile : NONE), "a ticket is not the one that was claimed");
  w->next = r->s->ticket;
  if (!w->has_tile) {
    next_tile(r);
    return;
  }
  w->left = w->tile;
  w->done = 0;
  memset(w->sum, 0, sizeof w->sum);
  w->at = is_worker(r) ? RANK : LOOK;
}

static void rank(struct run *r) {
  for (unsigned d = 0; d < r->m->publishers; d++)
    due(r, r->s->counters[r->i][d] == (SLOT | r->w->tile), "keys are ranked by what are no slots of the tile");
  r->s->slots[r->i] = r->w->tile;
  r->w->at = looks(r) ? LOOK : AT_MOVED;
}

static int look(struct run *r) {
  struct warp *w = r->w;
  const uint8_t *words = w->left > 0 ? r->s->lookback_words[w->left - 1] : NULL;
  int continues = 0;
  for (unsigned d = 0; d < ONESWEEP_DIGITS; d++) {
    if (!looks_for(r, d) || (w->done >> d & 1)) continue;
    continues = 1;
    if (words != NULL && words[d] == 0 && r->m->mutant != ONESWEEP_EMPTY_IS_NONE) return 0;
  }
  if (!continues || words == NULL) {
    w->at = START;
    return 1;
  }
  for (unsigned d = 0; d < ONESWEEP_DIGITS; d++) {
    if (!looks_for(r, d) || (w->done >> d & 1)) continue;
    due(r, (w->sum[d] & words[d] & KEYS) == 0, "a tile's keys are counted twice");
    w->sum[d] |= words[d] & KEYS;
    if (words[d] & INCLUSIVE) w->done |= (uint8_t)(1u << d);
  }
  w->left--;
  return 1;
}

static void start(struct run *r) {
  const uint8_t tile = r->w->tile;
  for (unsigned d = 0; d < ONESWEEP_DIGITS; d++) {
    if (!looks_for(r, d)) continue;
    due(r, r->w->sum[d] == (tile > 0 ? up_to(tile - 1u) : 0), "those before a tile are others than the tiles before");
    due(r, r->s->starts[d] == (BEGUN | tile), "a start is not the tile's");
    due(r, r->m->lookers == 0 || r->s->totals[d] == tile, "a count is not the tile's");
    r->s->starts[d] = (uint8_t)(WHOLE | tile);
    if (tile > 0) r->s->lookback_words[tile][d] = (uint8_t)(INCLUSIVE | up_to(tile));
    if (r->m->mutant != ONESWEEP_NOT_CLEARED) r->s->cleared[tile] |= (uint8_t)(1u << d);
  }
  r->w->at = AT_MOVED;
}

/* Faults unless the slots hold the sorted tile and the starts are those of its digits. */
static void check_sorted(struct run *r, uint8_t tile) {
  for (unsigned i = 0; i < r->m->workers; i++) due(r, r->s->slots[i] == tile, "a slot has no key of the tile");
  for (unsigned d = 0; d < r->m->publishers; d++)
    due(r, r->s->starts[d] == (WHOLE | tile), "a start is not what the tile's digits go to");
}

static void write(struct run *r) {
  const uint8_t tile = r->w->tile;
  check_sorted(r, tile);
  due(r, (r->s->written[tile] >> r->i & 1) == 0, "a tile is written twice");
  r->s->written[tile] |= (uint8_t)(1u << r->i);
  r->w->is_wrong = (r->m->wrong >> tile & 1) && r->i == r->m->finder;
  next_tile(r);
}

static void count(struct run *r) {
  for (unsigned d = 0; d < r->m->publishers; d++) r->s->counters[r->i][d] = (uint8_t)(COUNT | r->w->tile);
  r->w->at = AT_COUNTED;
}

static void sum(struct run *r) {
  const uint8_t tile = r->w->tile, is_all = tile == 0 || r->m->mutant == ONESWEEP_INCLUSIVE_EARLY;
  for (unsigned i = 0; i < r->m->workers; i++)
    due(r, r->s->counters[i][r->i] == (COUNT | tile), "what is summed are no counts of the tile");
  r->s->lookback_words[tile][r->i] = (uint8_t)((is_all ? INCLUSIVE : PARTIAL) | 1u << tile);
  r->s->sums[r->i] = tile;
  r->w->at = AT_SUMS;
}

static void publish(struct run *r) {
  const uint8_t tile = r->w->tile;
  for (unsigned d = 0; d < r->i; d++) due(r, r->s->sums[d] == tile, "a sum is not the tile's");
  r->s->starts[r->i] = (uint8_t)(BEGUN | tile);
  r->s->totals[r->i] = tile;
  for (unsigned i = 0; i < r->m->workers; i++) r->s->counters[i][r->i] = (uint8_t)(SLOT | tile);
  r->w->at = is_last(r) ? CLAIM : AT_TICKET;
}

/* Exchanges pairs of keys. Faults if another warp has done fewer exchanges. */
static void exchange(struct run *r) {
  for (unsigned i = 0; i < warps(r->m); i++)
    due(r, r->s->warp[i].exchanges >= r->w->exchanges, "two exchanges of one pair at once");
  for (unsigned i = 0; i < r->m->workers; i++)
    due(r, r->s->slots[i] == r->w->before, "what is repaired is another tile");
  r->w->exchanges++;
  r->w->at = AT_HALF;
}

static void rewrite(struct run *r) {
  check_sorted(r, r->w->before);
  r->s->rewritten[r->w->before] |= (uint8_t)(1u << r->i);
  r->w->at = AT_PASSES;
}

static int warp_step(struct run *r) {
  switch (r->w->at) {
  case OUT: return 0;
  case FIRST:
    (void)claim(r, NONE);
    r->w->at = AT_FIRST;
    return 1;
  case TAKE: take(r); return 1;
  case RANK: rank(r); return 1;
  case LOOK: return look(r);
  case START: start(r); return 1;
  case WRITE: write(r); return 1;
  case COUNTS: count(r); return 1;
  case SUM: sum(r); return 1;
  case PUBLISH: publish(r); return 1;
  case CLAIM:
    (void)claim(r, r->w->tile);
    r->w->at = AT_TICKET;
    return 1;
  case EXCHANGE: exchange(r); return 1;
  case REWRITE: rewrite(r); return 1;
  default: return arrive(r);
  }
}

/* ---- other work-groups ---- */

/* Claims a tile for another work-group, whichever. It publishes the tile's counts, and later, once the tiles before it
 * have published, the counts up to it. */
static int others_claim(const struct onesweep_model *m, struct state *s) {
  if (!m->others || s->tickets >= m->tiles) return 0;
  s->others |= (uint8_t)(1u << s->tickets++);
  return 1;
}

static int others_publish(struct state *s, unsigned tile, unsigned digit, const char **fault) {
  uint8_t *word = &s->lookback_words[tile][digit], sum = 0;
  if (!(s->others >> tile & 1) || (*word & INCLUSIVE)) return 0;
  if (*word == 0) {
    *word = (uint8_t)((tile == 0 ? INCLUSIVE : PARTIAL) | 1u << tile);
    return 1;
  }
  for (unsigned t = tile; t-- > 0;) {
    if (s->lookback_words[t][digit] == 0) return 0;
    sum |= s->lookback_words[t][digit] & KEYS;
    if (s->lookback_words[t][digit] & INCLUSIVE) break;
  }
  if (sum != up_to(tile - 1)) *fault = "another work-group finds other tiles than those before its own";
  *word = (uint8_t)(INCLUSIVE | up_to(tile));
  return 1;
}

/* ---- the walk ---- */

static int step(const void *model, void *state, unsigned mover, const char **fault) {
  const struct onesweep_model *m = model;
  struct state *s = state;
  if (mover < ONESWEEP_WARPS) {
    struct run r = { m, s, &s->warp[mover], mover, NULL };
    const int has_moved = warp_step(&r);
    *fault = r.fault;
    return has_moved;
  }
  if (mover == ONESWEEP_WARPS) return others_claim(m, s);
  const unsigned word = mover - ONESWEEP_WARPS - 1;
  return others_publish(s, word / ONESWEEP_DIGITS, word % ONESWEEP_DIGITS, fault);
}

static int has_ended(const void *model, const void *state) {
  const struct state *s = state;
  (void)model;
  for (unsigned i = 0; i < ONESWEEP_WARPS; i++)
    if (s->warp[i].at != OUT) return 0;
  return 1;
}

static const char *wrong_at_end(const void *model, const void *state) {
  const struct onesweep_model *m = model;
  const struct state *s = state;
  const unsigned all = (1u << warps(m)) - 1, digits = (1u << m->publishers) - 1;
  if (s->tickets < m->tiles) return "a tile is nobody's";
  for (unsigned t = 0; t < m->tiles; t++) {
    if (s->others >> t & 1) continue;
    if (s->written[t] != all) return "a tile is not written";
    if ((m->wrong >> t & 1) && s->rewritten[t] != all) return "a tile is not put in order";
    if (s->cleared[t] != digits) return "the next pass's look-back state is not cleared";
  }
  return NULL;
}

static void name(const void *model, const void *state, unsigned mover, char *text, size_t bytes) {
  (void)model;
  if (mover < ONESWEEP_WARPS)
    snprintf(text, bytes, "warp %u: %s", mover, places[((const struct state *)state)->warp[mover].at]);
  else
    snprintf(text, bytes, "others: %s", mover == ONESWEEP_WARPS ? "claim a tile" : "publish");
}

void onesweep_check(const struct onesweep_model *m, struct walk_findings *found) {
  const struct walk_model walked = { .model = m,
                                     .state_bytes = sizeof(struct state),
                                     .movers = ONESWEEP_WARPS + 1 + ONESWEEP_TILES * ONESWEEP_DIGITS,
                                     .step = step,
                                     .has_ended = has_ended,
                                     .wrong_at_end = wrong_at_end,
                                     .name = name };
  struct state first = { .ticket_from = NONE };
  for (unsigned i = 0; i < ONESWEEP_WARPS; i++) first.warp[i].at = i >= warps(m) ? OUT : i == 0 ? FIRST : AT_FIRST;
  for (unsigned t = 0; t < m->tiles && m->mutant == ONESWEEP_OLD_LOOKBACK; t++)
    for (unsigned d = 0; d < m->publishers; d++) first.lookback_words[t][d] = INCLUSIVE | OLD;
  walk(&walked, &first, found);
}
