/* SPDX-License-Identifier: BSD-2-Clause */
/* The geometry of the canonical order of operations; kernels_cl/README.md defines it. */
#ifndef SCANRT_CANONICAL_H
#define SCANRT_CANONICAL_H

#include <stdint.h>

enum {
  CANON_SUBTILE_VECTORS = 256, /* 8 rows of 32 vectors */
  CANON_GROUP_TILES = 128,
  CANON_GROUP_LEVELS = 7 /* levels of the tree over a group */
};

/* Elements of a vector, which has 16 bytes; one element if its size does not divide 16. */
static inline uint64_t canon_vector_items(uint64_t item_bytes) { return 16 % item_bytes == 0 ? 16 / item_bytes : 1; }

static inline uint64_t canon_subtile_items(uint64_t item_bytes) {
  return CANON_SUBTILE_VECTORS * canon_vector_items(item_bytes);
}

/* Sub-tiles of a large tile: fewer for the larger types from source, whose tiles would not fit in a work-group. */
static inline uint32_t canon_most_subtiles(uint64_t item_bytes) {
  if (item_bytes <= 8) return 8;
  return item_bytes <= 16 ? 4 : item_bytes <= 32 ? 2 : 1;
}

/* The largest n that is one tile, a large one. */
static inline uint64_t canon_small_items(uint64_t item_bytes) {
  return canon_most_subtiles(item_bytes) * canon_subtile_items(item_bytes);
}

/* The n above which tiles are large again. From canon_small_items to here tiles have one sub-tile: 128 of them, one
 * group. */
static inline uint64_t canon_large_items(uint64_t item_bytes) {
  return CANON_GROUP_TILES * canon_subtile_items(item_bytes);
}

/* Sub-tiles of a tile (S), as a function of n and the size of the accumulator type. */
static inline uint32_t canon_subtiles(uint64_t n, uint64_t item_bytes) {
  const int is_between = n > canon_small_items(item_bytes) && n <= canon_large_items(item_bytes);
  return is_between ? 1 : canon_most_subtiles(item_bytes);
}

static inline uint64_t canon_tile_items(uint64_t n, uint64_t item_bytes) {
  return canon_subtiles(n, item_bytes) * canon_subtile_items(item_bytes);
}

static inline uint64_t canon_tiles(uint64_t n, uint64_t item_bytes) {
  const uint64_t items = canon_tile_items(n, item_bytes);
  return n / items + (n % items != 0);
}

/* The largest number of tiles of any n up to max_n: tiles are small below canon_large_items. */
static inline uint64_t canon_tile_capacity(uint64_t max_n, uint64_t item_bytes) {
  const uint64_t small_n = canon_large_items(item_bytes);
  const uint64_t here = canon_tiles(max_n, item_bytes);
  const uint64_t below = canon_tiles(max_n < small_n ? max_n : small_n, item_bytes);
  return here > below ? here : below;
}

#endif
