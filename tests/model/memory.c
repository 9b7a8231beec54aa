/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory model. A word holds the messages that were written to it, in an order on which all agree. A work-group may
 * read any message that is not older than the last one that it has read or written in this word (coherence). Only the
 * fences around AT_EXITED and the end of a kernel order two words. */
#include <string.h>

#include "model.h"

unsigned oracle_pick(struct oracle *o, unsigned count) {
  if (o->at == o->count) {
    o->taken[o->count] = 0;
    o->of[o->count++] = (uint8_t)count;
  }
  return o->taken[o->at++];
}

int oracle_next(struct oracle *o) {
  while (o->count > 0) {
    if (++o->taken[o->count - 1] < o->of[o->count - 1]) break;
    o->count--;
  }
  o->at = 0;
  return o->count > 0;
}

uint16_t memory_last(const struct state *s, unsigned at) { return s->cell[at].message[s->cell[at].count - 1]; }

/* 1 if only read-modify-writes access the word. These read the newest message, so older ones are dropped. */
static int is_atomic(const struct run *r, unsigned at) {
  return r->model->ordering == ORDERING_ATOMIC || at == AT_CLAIM || at == AT_EXITED;
}

static void forget_old(struct state *s, unsigned at) {
  struct cell *c = &s->cell[at];
  const uint16_t last = c->message[c->count - 1];
  memset(c, 0, sizeof *c);
  c->count = 1;
  c->message[0] = last;
  for (unsigned g = 0; g < MODEL_WORK_GROUPS; g++) s->work_group[g].view[at] = 0;
  s->released[at] = 0;
}

void memory_settle(struct state *s) {
  for (unsigned at = 0; at < MODEL_CELLS; at++) forget_old(s, at);
}

/* Inserts a message after number `before`. */
static void insert(struct run *r, unsigned at, unsigned before, uint16_t word, unsigned follows) {
  struct cell *c = &r->state->cell[at];
  const unsigned place = before + 1, low = (1u << place) - 1;
  if (c->count == MODEL_MESSAGES) {
    run_fault(r, "the model has no room for so many messages");
    return;
  }
  memmove(&c->message[place + 1], &c->message[place], (c->count - place) * sizeof c->message[0]);
  c->message[place] = word;
  c->follows = (uint8_t)((c->follows & low) | (c->follows & ~low) << 1 | follows << place);
  c->count++;
  for (unsigned g = 0; g < MODEL_WORK_GROUPS; g++)
    if (r->state->work_group[g].view[at] >= place) r->state->work_group[g].view[at]++;
  if (r->state->released[at] >= place) r->state->released[at]++;
  r->w->view[at] = (uint8_t)place;
  if (is_atomic(r, at)) forget_old(r->state, at);
}

/* Chooses the message after which the next one goes, the newest first: not older than the view, and not one whose
 * successor is the read-modify-write that read it. */
static unsigned some_place(struct run *r, unsigned at) {
  const struct cell *c = &r->state->cell[at];
  unsigned places[MODEL_MESSAGES], count = 0;
  for (unsigned i = c->count; i-- > r->w->view[at];)
    if (!(c->follows >> (i + 1) & 1)) places[count++] = i;
  return places[count > 1 ? oracle_pick(r->oracle, count) : 0];
}

uint16_t memory_load(struct run *r, unsigned at) {
  const struct cell *c = &r->state->cell[at];
  const unsigned count = c->count - r->w->view[at];
  const unsigned i = c->count - 1u - (count > 1 ? oracle_pick(r->oracle, count) : 0);
  r->w->view[at] = (uint8_t)i;
  return c->message[i];
}

/* Stores a word. A message equal to its neighbour is not added, because no reader can distinguish them. */
void memory_store(struct run *r, unsigned at, uint16_t word) {
  const struct cell *c = &r->state->cell[at];
  const unsigned place = some_place(r, at);
  if (c->message[place] == word)
    r->w->view[at] = (uint8_t)place;
  else if (place + 1 < c->count && c->message[place + 1] == word)
    r->w->view[at] = (uint8_t)(place + 1);
  else
    insert(r, at, place, word, 0);
}

uint16_t memory_add(struct run *r, unsigned at, uint16_t add) {
  const unsigned place = some_place(r, at);
  const uint16_t before = r->state->cell[at].message[place];
  insert(r, at, place, (uint16_t)(before + add), 1);
  return before;
}

uint16_t memory_exit(struct run *r) {
  uint8_t *released = r->state->released;
  const uint16_t before = memory_add(r, AT_EXITED, 1);
  for (unsigned at = 0; at < MODEL_CELLS; at++) {
    const uint8_t own = r->w->view[at], others = released[at];
    if (r->model->mutant != MUTANT_NO_RELEASE && own > others) released[at] = own;
    if (r->model->mutant != MUTANT_NO_ACQUIRE && others > own) r->w->view[at] = others;
  }
  return before;
}
