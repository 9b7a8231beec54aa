/* SPDX-License-Identifier: BSD-2-Clause */
/* The set of the states that a search has visited, each as 127 bits of a hash. */
#ifndef SCANRT_TESTS_MODEL_KNOWN_H
#define SCANRT_TESTS_MODEL_KNOWN_H

#include <stddef.h>
#include <stdint.h>

struct known_hash {
  uint64_t first, second; /* the lowest bit of `second` is free for the search */
};

struct known {
  struct known_hash *table;
  uint64_t slots, count;
};

struct known_hash known_hash_of(const void *state, size_t bytes);

/* Adds the hash and returns NULL; if it is there already, returns its entry. */
struct known_hash *known_enter(struct known *known, struct known_hash h);

/* Returns the entry of a hash that was added. */
struct known_hash *known_find(const struct known *known, struct known_hash h);

void known_free(struct known *known);

#endif
