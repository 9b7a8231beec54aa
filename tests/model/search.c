/* SPDX-License-Identifier: BSD-2-Clause */
/* Depth first through every state. A state is known by 127 bits of a hash. Work-groups that nothing tells apart are
 * sorted. A state from which no step leads on, and a way that comes back to where it was, are faults: without either
 * every way under a fair scheduler comes to the end. Steps that change nothing (a poll) are none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum { FIRST_SLOTS = 1 << 16 };

struct known {
  uint64_t first, second; /* the lowest bit of `second`: on the way to the current state */
};

struct frame {
  struct state state;
  struct oracle oracle;
  struct known hash;
  uint8_t group, moved; /* whose turn it is; whether a step has led on */
  const char *step;     /* that led here, and by whom */
  uint8_t tile, ahead;
};

struct search {
  const struct model *model;
  struct findings *found;
  struct known *table;
  uint64_t slots;
  struct frame *frames;
  unsigned depth, room;
};

static void die(void) {
  fputs("model: no memory\n", stderr);
  abort();
}

/* ---- states that are known ---- */

static uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= UINT64_C(0xd6e8feb86659fd93);
  return x ^ x >> 29;
}

static struct known hash(const struct state *s) {
  unsigned char bytes[(sizeof *s + 7) / 8 * 8] = { 0 };
  struct known h = { UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f) };
  memcpy(bytes, s, sizeof *s);
  for (size_t i = 0; i < sizeof bytes; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    h.first = mix(h.first ^ word);
    h.second = mix(h.second + word * UINT64_C(0x9fb21c651e98df25));
  }
  h.first |= h.first == 0;
  h.second &= ~UINT64_C(1);
  return h;
}

static struct known *slot_of(const struct search *s, struct known h) {
  uint64_t i = h.first & (s->slots - 1);
  while (s->table[i].first != 0 && (s->table[i].first != h.first || (s->table[i].second & ~UINT64_C(1)) != h.second))
    i = (i + 1) & (s->slots - 1);
  return &s->table[i];
}

static void table_grow(struct search *s) {
  struct known *old = s->table;
  const uint64_t slots = s->slots;
  s->slots = slots ? slots * 2 : FIRST_SLOTS;
  s->table = calloc(s->slots, sizeof *s->table);
  if (s->table == NULL) die();
  for (uint64_t i = 0; i < slots; i++)
    if (old[i].first != 0) {
      struct known h = old[i];
      h.second &= ~UINT64_C(1);
      *slot_of(s, h) = old[i];
    }
  free(old);
}

/* ---- the way ---- */

static void say_schedule(struct search *s, const char *fault) {
  char *text = s->found->schedule;
  size_t left = sizeof s->found->schedule;
  s->found->fault = fault;
  for (unsigned i = 1; i < s->depth; i++) {
    const struct frame *f = &s->frames[i];
    const int n = snprintf(text, left, "  launch %u, of tile %d, next %d: %s\n", s->frames[i - 1].state.launch,
                           (int8_t)f->tile, (int8_t)f->ahead, f->step);
    if (n < 0 || (size_t)n >= left) break;
    text += n;
    left -= (size_t)n;
  }
}

static struct frame *push(struct search *s) {
  if (s->depth == s->room) {
    s->room = s->room ? s->room * 2 : 256;
    s->frames = realloc(s->frames, s->room * sizeof *s->frames);
    if (s->frames == NULL) die();
  }
  struct frame *f = &s->frames[s->depth++];
  memset(f, 0, sizeof *f);
  if (s->depth > s->found->depth) s->found->depth = s->depth;
  return f;
}

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(struct work_group)); }

/* A state is entered, unless it is known. */
static void enter(struct search *s, struct state *state, const char *step, uint8_t tile, uint8_t ahead) {
  if (!s->model->own) qsort(state->work_group, MODEL_WORK_GROUPS, sizeof state->work_group[0], compare);
  if (s->found->states * 2 >= s->slots) table_grow(s);
  const struct known h = hash(state);
  struct known *slot = slot_of(s, h);
  if (slot->first != 0) {
    if (slot->second & 1) say_schedule(s, "work-groups go round in a circle");
    return;
  }
  *slot = (struct known){ h.first, h.second | 1 };
  s->found->states++;
  struct frame *f = push(s);
  f->state = *state;
  f->hash = h;
  f->step = step;
  f->tile = tile;
  f->ahead = ahead;
}

static void leave(struct search *s) {
  const struct frame *f = &s->frames[s->depth - 1];
  slot_of(s, f->hash)->second &= ~UINT64_C(1);
  if (steps_ended(s->model, &f->state))
    s->found->ends++;
  else if (!f->moved)
    say_schedule(s, "no work-group can go on");
  s->depth--;
}

/* The next way through the step of the work-group whose turn it is. */
static void step(struct search *s) {
  struct frame *f = &s->frames[s->depth - 1];
  struct state next = f->state;
  const struct work_group *before = &f->state.work_group[f->group];
  const uint8_t tile = before->tile, ahead = before->ahead;
  const char *place = steps_place(before);
  struct run r = { s->model, &next, &next.work_group[f->group], &f->oracle, NULL };
  const int is_taken = steps_take(&r);
  if (!oracle_next(&f->oracle)) f->group++;
  if (!is_taken || memcmp(&next, &f->state, sizeof next) == 0) return;
  f->moved = 1;
  s->found->steps++;
  enter(s, &next, place, tile, ahead);
  if (r.fault != NULL) say_schedule(s, r.fault);
}

void model_check(const struct model *m, struct findings *found) {
  struct search s = { .model = m, .found = found };
  struct state first;
  memset(found, 0, sizeof *found);
  steps_begin(m, &first);
  enter(&s, &first, "", 0, 0);
  while (s.depth > 0 && found->fault == NULL) {
    const struct frame *f = &s.frames[s.depth - 1];
    if (f->group == MODEL_WORK_GROUPS || steps_ended(m, &f->state))
      leave(&s);
    else
      step(&s);
  }
  free(s.table);
  free(s.frames);
}
