/* SPDX-License-Identifier: BSD-2-Clause */
/* Models claims and the end of work-groups: claim_packed.h, descriptor_split.h, lookback_state.h. */
#include "steps.h"

enum { EPOCH_SHIFT = 8, TICKET_MASK = 0xff };

/* Returns the number of work-groups that the host starts: at most one a tile, except in compaction, where the device
 * may find fewer tiles. */
unsigned lookback_groups(const struct model *m, unsigned launch) {
  return m->compacts || m->work_groups < m->tiles[launch] ? m->work_groups : m->tiles[launch];
}

int lookback_once(const struct run *r) {
  return r->model->variant == VARIANT_GROUP && !r->model->compacts &&
         lookback_groups(r->model, r->state->launch) == tiles_of(r);
}

static unsigned claims_of(const struct run *r) {
  if (lookback_once(r) || r->model->mutant == MUTANT_EARLY_CLAIM) return tiles_of(r);
  return tiles_of(r) + lookback_groups(r->model, r->state->launch);
}

static int is_own(const struct run *r) { return r->model->own && lookback_once(r) && !r->model->in_place; }

static int claimed(struct run *r, unsigned epoch) {
  struct work_group *w = r->w;
  const unsigned tiles = tiles_of(r), ticket = w->ticket;
  w->ahead = (uint8_t)(r->model->backwards && ticket < tiles ? tiles - 1 - ticket : ticket);
  if (is_own(r)) w->ahead = w->number;
  w->epoch = (uint8_t)(r->model->mutant == MUTANT_SAME_EPOCH ? 1 : epoch);
  w->ticket = 0;
  return 1;
}

/* scanrt_claim_next: continues after the atomic addition, which returned `before`. */
static int claim_taken(struct run *r, uint16_t before) {
  const unsigned epoch = (before >> EPOCH_SHIFT) + 1u;
  r->w->ticket = (uint8_t)(before & TICKET_MASK);
  if (r->model->split) {
    r->w->at = CLAIM_EPOCH;
    return 0;
  }
  if (r->model->counts || r->w->ticket != claims_of(r) - 1 || epoch >= r->model->epoch_last) return claimed(r, epoch);
  r->w->epoch = (uint8_t)epoch;
  r->w->at = CLAIM_READY;
  return 0;
}

/* Stores the claim for the next launch: ticket 0 and the epoch. */
static void restart(struct run *r) {
  const uint8_t last = r->model->epoch_last, epoch = r->w->epoch;
  const uint8_t next = (uint8_t)(epoch >= last ? 0 : epoch - (r->model->mutant == MUTANT_STUCK_EPOCH));
  if (r->model->split) {
    if (r->model->mutant != MUTANT_NO_RESTART) memory_store(r, AT_CLAIM, 0);
    memory_store(r, AT_EPOCH, next);
  } else {
    const uint16_t ticket = memory_last(r->state, AT_CLAIM) & TICKET_MASK;
    memory_store(r, AT_CLAIM, (uint16_t)(next << EPOCH_SHIFT | (r->model->mutant == MUTANT_NO_RESTART ? ticket : 0)));
  }
}

int lookback_claim(struct run *r) {
  uint16_t before;
  switch ((enum place)r->w->at) {
  case CLAIM:
    if (r->model->mutant != MUTANT_TWICE) return claim_taken(r, memory_add(r, AT_CLAIM, 1));
    before = memory_load(r, AT_CLAIM);
    r->w->copy = (uint8_t)before;
    r->w->at = CLAIM_WRITE;
    return 0;
  case CLAIM_WRITE:
    before = (uint16_t)((memory_last(r->state, AT_CLAIM) & ~TICKET_MASK) | r->w->copy);
    memory_store(r, AT_CLAIM, (uint16_t)(before + 1));
    r->w->copy = 0;
    return claim_taken(r, before);
  case CLAIM_EPOCH: return claimed(r, memory_load(r, AT_EPOCH) + 1u);
  default: restart(r); return claimed(r, r->w->epoch);
  }
}

/* 1 if a launch of this model may end with the error word set. */
static int may_fail(const struct model *m) { return ((m->in_place || m->compacts) && m->times_out) || m->lost; }

static void set_error(struct run *r) {
  if (!may_fail(r->model)) run_fault(r, "the error word is set, and nothing has gone wrong");
  r->state->error = 1;
}

void lookback_give_up(struct run *r) {
  r->w->tainted = 1;
  if (r->model->mutant != MUTANT_SILENT) set_error(r);
}

/* scanrt_lookback_finish_launch */
void lookback_finish_launch(struct run *r) {
  r->w->at = !r->model->counts && r->w->epoch < r->model->epoch_last ? OUT : CLOSE_DONE;
}

static int is_last_out(const struct run *r, unsigned before) {
  return r->model->mutant == MUTANT_EARLY_RESTART ? before == 0
                                                  : before + 1 == lookback_groups(r->model, r->state->launch);
}

static void step_clear(struct run *r) {
  if (r->w->epoch >= r->model->epoch_last && r->model->mutant != MUTANT_NO_CLEAR)
    memory_store(r, AT_TILES + r->w->part++, 0);
  else
    r->w->part = MODEL_CELLS - AT_TILES;
  if (r->w->part < MODEL_CELLS - AT_TILES) return;
  r->w->part = 0;
  r->w->at = CLOSE_RESTART;
}

void lookback_step(struct run *r) {
  struct work_group *w = r->w;
  switch ((enum place)w->at) {
  case CLOSE_DONE:
    (void)memory_add(r, AT_DONE, w->done);
    w->at = CLOSE_EXIT;
    break;
  case CLOSE_EXIT: w->at = is_last_out(r, memory_exit(r)) ? CLOSE_LOOK : OUT; break;
  case CLOSE_LOOK:
    if (memory_load(r, AT_DONE) != tiles_of(r) && r->model->mutant != MUTANT_UNCOUNTED) set_error(r);
    w->at = CLOSE_RESET;
    break;
  case CLOSE_RESET:
    memory_store(r, AT_DONE, 0);
    memory_store(r, AT_EXITED, 0);
    w->at = CLOSE_CLEAR;
    break;
  case CLOSE_CLEAR: step_clear(r); break;
  default: restart(r); w->at = OUT;
  }
}
