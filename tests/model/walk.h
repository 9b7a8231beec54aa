/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches depth first through every state of a model whose movers take one step at a time. */
#ifndef SCANRT_TESTS_MODEL_WALK_H
#define SCANRT_TESTS_MODEL_WALK_H

#include <stddef.h>
#include <stdint.h>

struct walk_model {
  const void *model; /* first argument of the functions */
  size_t state_bytes;
  unsigned movers;
  /* Takes a step of a mover. @return 1 if it had one; *fault is set if the step was wrong. */
  int (*step)(const void *model, void *state, unsigned mover, const char **fault);
  /* 1 if nothing is left to do. */
  int (*has_ended)(const void *model, const void *state);
  /* Returns what is wrong at the end, or NULL. */
  const char *(*wrong_at_end)(const void *model, const void *state);
  /* Writes what the mover's next step is, to print a schedule. */
  void (*name)(const void *model, const void *state, unsigned mover, char *text, size_t bytes);
  /* 1 if the mover's next step may precede all others, so that no other step need be tried in this state: what it waits
   * for stays true, and it does nothing that others see. NULL: no step is like that. */
  int (*is_alone)(const void *model, const void *state, unsigned mover);
};

struct walk_findings {
  uint64_t states, steps, ends;
  const char *fault; /* NULL: every property holds */
  char schedule[4096];
};

/* Visits every state that can be reached from `first`. */
void walk(const struct walk_model *m, const void *first, struct walk_findings *found);

#endif
