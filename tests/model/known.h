/* SPDX-License-Identifier: BSD-2-Clause */
/* States that a search has been in, each known by 127 bits of a hash. */
#ifndef SCANRT_TESTS_MODEL_KNOWN_H
#define SCANRT_TESTS_MODEL_KNOWN_H

#include <stddef.h>
#include <stdint.h>

struct known_hash {
  uint64_t first, second; /* the lowest bit of `second` is the search's own */
};

struct known {
  struct known_hash *table;
  uint64_t slots, count;
};

struct known_hash known_hash_of(const void *state, size_t bytes);

/* Adds it, and says NULL; or where it is, if it is there. */
struct known_hash *known_enter(struct known *known, struct known_hash h);

/* Where one that was added is. */
struct known_hash *known_find(const struct known *known, struct known_hash h);

void known_free(struct known *known);

#endif
