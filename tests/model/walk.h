/* SPDX-License-Identifier: BSD-2-Clause */
/* Depth first through every state of a model whose movers take a step at a time. */
#ifndef SCANRT_TESTS_MODEL_WALK_H
#define SCANRT_TESTS_MODEL_WALK_H

#include <stddef.h>
#include <stdint.h>

struct walk_model {
  const void *model; /* handed to the functions */
  size_t state_bytes;
  unsigned movers;
  /* A step of one of them. @return whether it could take one; *fault is set where the step was wrong. */
  int (*step)(const void *model, void *state, unsigned mover, const char **fault);
  /* Whether nothing is left to do, and what is wrong then: NULL, or a sentence. */
  int (*has_ended)(const void *model, const void *state);
  const char *(*wrong_at_end)(const void *model, const void *state);
  /* What the mover's next step is, for a schedule that is shown. */
  void (*name)(const void *model, const void *state, unsigned mover, char *text, size_t bytes);
  /* Whether the mover's next step, where it can take one, may as well be the next of all, so that no other is tried
   * beside it: it waits for what then stays so, and does nothing behind it that others see. NULL: none's. */
  int (*is_alone)(const void *model, const void *state, unsigned mover);
};

struct walk_findings {
  uint64_t states, steps, ends;
  const char *fault; /* NULL: every property holds */
  char schedule[4096];
};

/* Visits every state from `first` on. */
void walk(const struct walk_model *m, const void *first, struct walk_findings *found);

#endif
