/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"

struct frame {
  unsigned next; /* the next mover to try */
  unsigned by;   /* the mover that led here */
  int has_moved;
};

struct search {
  const struct walk_model *m;
  struct walk_findings *found;
  struct known known;
  struct frame *frames;
  unsigned char *states; /* the states of the frames, and room for one more */
  unsigned depth, room;
};

static void *state_at(const struct search *s, unsigned depth) { return s->states + depth * s->m->state_bytes; }

static void say(struct search *s, const char *fault) {
  char *text = s->found->schedule;
  size_t left = sizeof s->found->schedule;
  s->found->fault = fault;
  for (unsigned i = 1; i < s->depth; i++) {
    char step[128];
    s->m->name(s->m->model, state_at(s, i - 1), s->frames[i].by, step, sizeof step);
    const int n = snprintf(text, left, "  %s\n", step);
    if (n < 0 || (size_t)n >= left) break;
    text += n;
    left -= (size_t)n;
  }
}

static void grow(struct search *s) {
  s->room = s->room ? s->room * 2 : 256;
  s->frames = realloc(s->frames, s->room * sizeof *s->frames);
  s->states = realloc(s->states, (s->room + 1) * s->m->state_bytes);
  if (s->frames == NULL || s->states == NULL) {
    fputs("model: no memory\n", stderr);
    abort();
  }
}

/* Makes the state behind the last frame a frame, if it is new. */
static void enter(struct search *s, unsigned by) {
  if (known_enter(&s->known, known_hash_of(state_at(s, s->depth), s->m->state_bytes)) != NULL) return;
  s->found->states++;
  s->frames[s->depth++] = (struct frame){ 0, by, 0 };
  if (s->depth == s->room) grow(s);
}

/* 1 if the mover could take a step. */
static int take(struct search *s, unsigned mover) {
  struct frame *f = &s->frames[s->depth - 1];
  const char *fault = NULL;
  void *next = state_at(s, s->depth);
  memcpy(next, state_at(s, s->depth - 1), s->m->state_bytes);
  if (!s->m->step(s->m->model, next, mover, &fault)) return 0;
  f->has_moved = 1;
  s->found->steps++;
  enter(s, mover);
  if (fault != NULL) say(s, fault);
  return 1;
}

/* Takes the next step from the last frame's state. */
static void run_next(struct search *s) {
  const struct walk_model *m = s->m;
  const unsigned here = s->depth - 1;
  if (s->frames[here].next == 0)
    for (unsigned i = 0; m->is_alone != NULL && i < m->movers; i++)
      if (m->is_alone(m->model, state_at(s, here), i)) {
        s->frames[here].next = m->movers;
        if (take(s, i)) return;
        s->frames[here].next = 0;
      }
  (void)take(s, s->frames[here].next++);
}

static void leave(struct search *s) {
  const void *state = state_at(s, s->depth - 1);
  if (s->m->has_ended(s->m->model, state)) {
    const char *wrong = s->m->wrong_at_end(s->m->model, state);
    s->found->ends++;
    if (wrong != NULL) say(s, wrong);
  } else if (!s->frames[s->depth - 1].has_moved) {
    say(s, "nobody can go on");
  }
  s->depth--;
}

void walk(const struct walk_model *m, const void *first, struct walk_findings *found) {
  struct search s = { .m = m, .found = found };
  memset(found, 0, sizeof *found);
  grow(&s);
  memcpy(s.states, first, m->state_bytes);
  enter(&s, 0);
  while (s.depth > 0 && found->fault == NULL) {
    if (s.frames[s.depth - 1].next == m->movers)
      leave(&s);
    else
      run_next(&s);
  }
  known_free(&s.known);
  free(s.frames);
  free(s.states);
}
