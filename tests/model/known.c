/* SPDX-License-Identifier: BSD-2-Clause */
#include "known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1 << 16 };

static uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= UINT64_C(0xd6e8feb86659fd93);
  return x ^ x >> 29;
}

struct known_hash known_hash_of(const void *state, size_t bytes) {
  struct known_hash h = { UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f) };
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, (const unsigned char *)state + i, bytes - i < 8 ? bytes - i : 8);
    h.first = mix(h.first ^ word);
    h.second = mix(h.second + word * UINT64_C(0x9fb21c651e98df25));
  }
  h.first |= h.first == 0;
  h.second &= ~UINT64_C(1);
  return h;
}

struct known_hash *known_find(const struct known *known, struct known_hash h) {
  uint64_t i = h.first & (known->slots - 1);
  while (known->table[i].first != 0 &&
         (known->table[i].first != h.first || ((known->table[i].second ^ h.second) & ~UINT64_C(1)) != 0))
    i = (i + 1) & (known->slots - 1);
  return &known->table[i];
}

static void grow(struct known *known) {
  const struct known old = *known;
  known->slots = old.slots ? old.slots * 2 : FIRST_SLOTS;
  known->table = calloc(known->slots, sizeof *known->table);
  if (known->table == NULL) {
    fputs("model: no memory\n", stderr);
    abort();
  }
  for (uint64_t i = 0; i < old.slots; i++)
    if (old.table[i].first != 0) *known_find(known, old.table[i]) = old.table[i];
  free(old.table);
}

struct known_hash *known_enter(struct known *known, struct known_hash h) {
  if (known->count * 2 >= known->slots) grow(known);
  struct known_hash *place = known_find(known, h);
  if (place->first != 0) return place;
  *place = h;
  known->count++;
  return NULL;
}

void known_free(struct known *known) { free(known->table); }
