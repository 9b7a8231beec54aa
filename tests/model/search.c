/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches depth first through every state. Work-groups that nothing distinguishes are sorted. A state without a next
 * one and a cycle are faults: without them every run under a fair scheduler ends. A step that changes nothing (a poll)
 * is ignored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "model.h"

struct frame {
  struct state state;
  struct oracle oracle;
  struct known_hash hash; /* the lowest bit of its entry in `known`: the state is on the current path */
  uint8_t group, moved;   /* group: the work-group to step; moved: a step has led on */
  const char *step;       /* the step that led here; tile and ahead are its work-group's */
  uint8_t tile, ahead;
};

struct search {
  const struct model *model;
  struct findings *found;
  struct known known;
  struct frame *frames;
  unsigned depth, room;
};

static void die(void) {
  fputs("model: no memory\n", stderr);
  abort();
}

/* ---- the path ---- */

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

/* Enters a state, unless it is known. */
static void enter(struct search *s, struct state *state, const char *step, uint8_t tile, uint8_t ahead) {
  if (!s->model->own) qsort(state->work_group, MODEL_WORK_GROUPS, sizeof state->work_group[0], compare);
  struct known_hash h = known_hash_of(state, sizeof *state);
  h.second |= 1;
  const struct known_hash *before = known_enter(&s->known, h);
  if (before != NULL) {
    if (before->second & 1) say_schedule(s, "work-groups go round in a circle");
    return;
  }
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
  known_find(&s->known, f->hash)->second &= ~UINT64_C(1);
  if (steps_ended(s->model, &f->state))
    s->found->ends++;
  else if (!f->moved)
    say_schedule(s, "no work-group can go on");
  s->depth--;
}

/* Takes the step of the current work-group with the next sequence of choices. */
static void step(struct search *s) {
  struct frame *f = &s->frames[s->depth - 1];
  struct state next = f->state;
  const struct work_group *before = &f->state.work_group[f->group];
  const uint8_t tile = before->tile, ahead = before->ahead;
  const char *place = steps_place(before);
  struct run r = { s->model, &next, &next.work_group[f->group], &f->oracle, NULL };
  const int is_taken = steps_advance(&r);
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
  known_free(&s.known);
  free(s.frames);
}
