/* SPDX-License-Identifier: BSD-2-Clause */
/* The geometry of the canonical order of operations; kernels_cl/README.md defines it. */
#ifndef SCANRT_CANONICAL_H
#define SCANRT_CANONICAL_H

#include <stdint.h>

enum {
  CANON_SUBTILE_BYTES = 4096, /* 8 rows of 32 vectors of 16 bytes */
  CANON_GROUP_TILES = 128,
  CANON_GROUP_LEVELS = 7,       /* of the tree over a group */
  CANON_HALF_BYTES = 16 << 10,  /* up to here half a tile will do */
  CANON_SMALL_BYTES = 32 << 10, /* up to here one tile of 8 sub-tiles */
  CANON_LARGE_BYTES = 512 << 10 /* above, tiles of 8 sub-tiles; between, of one: 128 tiles, one group */
};

/* Sub-tiles a tile (S), a function of n and the size of the accumulator type. */
static inline uint32_t canon_subtiles(uint64_t n, uint64_t type_bytes) {
  const uint64_t bytes = n * type_bytes;
  return bytes > CANON_SMALL_BYTES && bytes <= CANON_LARGE_BYTES ? 1 : 8;
}

static inline uint64_t canon_tile_items(uint64_t n, uint64_t type_bytes) {
  return canon_subtiles(n, type_bytes) * (uint64_t)CANON_SUBTILE_BYTES / type_bytes;
}

static inline uint64_t canon_tiles(uint64_t n, uint64_t type_bytes) {
  const uint64_t items = canon_tile_items(n, type_bytes);
  return n / items + (n % items != 0);
}

/* The most tiles that any n up to max_n has: tiles are small below CANON_LARGE_BYTES. */
static inline uint64_t canon_tile_capacity(uint64_t max_n, uint64_t type_bytes) {
  const uint64_t small_n = CANON_LARGE_BYTES / type_bytes;
  const uint64_t here = canon_tiles(max_n, type_bytes);
  const uint64_t below = canon_tiles(max_n < small_n ? max_n : small_n, type_bytes);
  return here > below ? here : below;
}

#endif
