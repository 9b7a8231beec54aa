/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes steps of work-groups. Launches follow each other on the same workspace. */
#include <string.h>

#include "steps.h"

static const char *const places[] = { "claims",
                                      "writes the ticket",
                                      "reads the epoch",
                                      "readies the claim for the next launch",
                                      "loads its tile",
                                      "publishes its tile",
                                      "reads a tile for a total",
                                      "publishes a tile for a total for another",
                                      "publishes a total",
                                      "looks at a tile",
                                      "looks at a total",
                                      "publishes a tile for another",
                                      "writes its tile",
                                      "loads its tile late",
                                      "asks for a total",
                                      "waits for a tile",
                                      "publishes a tile for another",
                                      "publishes a total",
                                      "counts its tiles",
                                      "says that it is out",
                                      "reads the count",
                                      "takes the counts back",
                                      "clears a descriptor",
                                      "readies the claim",
                                      "is out" };

const char *steps_place(const struct work_group *w) { return places[w->at]; }

void tile_load(struct run *r, unsigned tile) {
  if (r->state->overwritten >> tile & 1 && !r->state->error) run_fault(r, "input is read that has been overwritten");
}

/* Marks the input that a tile's output overwrites: in place the tile's own; in compaction, with tiles of one element,
 * that of the tile whose number is the count of the tiles kept before it. */
static void overwrite(struct run *r, unsigned tile) {
  unsigned to = 0;
  if (r->model->in_place) to = tile;
  for (unsigned t = 0; r->model->compacts && t < tile; t++) to += !(r->model->dropped >> t & 1);
  if (r->model->in_place || (r->model->compacts && !(r->model->dropped >> tile & 1)))
    r->state->overwritten |= (uint8_t)(1u << to);
}

/* scanrt_tile_sink, scanrt_tile_write. The output of a work-group that has given up does not count as the tile's. */
void tile_write(struct run *r) {
  struct work_group *w = r->w;
  const uint8_t bit = (uint8_t)(1u << w->tile);
  if (r->model->lost & bit) return;
  if (r->state->written & bit && !r->state->error) run_fault(r, "a tile is written twice");
  w->done++;
  if (w->tainted) return;
  r->state->written |= bit;
  overwrite(r, w->tile);
}

static void launch_begin(const struct model *m, struct state *s) {
  memset(s->work_group, 0, sizeof s->work_group);
  s->written = s->overwritten = 0;
  for (unsigned g = 0; g < MODEL_WORK_GROUPS; g++) {
    struct work_group *w = &s->work_group[g];
    w->tile = w->ahead = NO_TILE;
    w->number = m->own ? (uint8_t)g : 0; /* only OWN_TILES distinguishes work-groups */
    if (g >= lookback_groups(m, s->launch)) w->at = OUT;
  }
}

void steps_begin(const struct model *m, struct state *s) {
  memset(s, 0, sizeof *s);
  for (unsigned at = 0; at < MODEL_CELLS; at++) s->cell[at].count = 1;
  s->cell[m->split ? AT_EPOCH : AT_CLAIM].message[0] = (uint16_t)(m->split ? m->epoch_first : m->epoch_first << 8);
  launch_begin(m, s);
}

int steps_ended(const struct model *m, const struct state *s) { return s->launch == m->launches; }

/* If all work-groups are out, checks the launch's output and begins the next launch. */
static void launch_ends(struct run *r) {
  struct state *s = r->state;
  for (unsigned g = 0; g < MODEL_WORK_GROUPS; g++)
    if (s->work_group[g].at != OUT) return;
  if (!s->error && s->written != (1u << tiles_of(r)) - 1) run_fault(r, "a tile is not written, or not rightly");
  memory_settle(s);
  s->launch++;
  if (!steps_ended(r->model, s)) {
    launch_begin(r->model, s);
    return;
  }
  memset(s->work_group, 0, sizeof s->work_group);
  s->written = s->overwritten = 0;
}

static int is_resident(const struct run *r) {
  unsigned taken = 0;
  for (unsigned g = 0; g < MODEL_WORK_GROUPS; g++)
    taken += r->state->work_group[g].begun && r->state->work_group[g].at != OUT;
  return r->model->resident == 0 || taken < r->model->resident;
}

int steps_advance(struct run *r) {
  struct work_group *w = r->w;
  const int is_item = r->model->variant == VARIANT_ITEM;
  if (w->at == OUT || (!w->begun && !is_resident(r))) return 0;
  w->begun = 1;
  if (w->at <= CLAIM_READY) {
    if (lookback_claim(r)) (is_item ? item_claimed : group_claimed)(r);
  } else if (w->at >= CLOSE_DONE) {
    lookback_step(r);
  } else {
    (is_item ? item_step : group_step)(r);
  }
  if (w->at == OUT) {
    const uint8_t number = w->number;
    memset(w, 0, sizeof *w);
    w->at = OUT;
    w->begun = 1;
    w->number = number;
    launch_ends(r);
  }
  return 1;
}
