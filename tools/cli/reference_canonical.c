/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference_canonical.c
 * @brief The canonical order of kernels_cl/README.md, step by step; the numbers in comments are its steps.
 */
#include "reference.h"
#include "reference_private.h"

#include <stdlib.h>

enum { ROW_VECTORS = 32, SUB_TILE_ROWS = 8, GROUP_TILES = 128 };

/** What some elements make, and whether a segment begins in them. */
typedef struct part {
  double value;
  int has_head;
} part;

/** One scan. */
typedef struct canon {
  const scan_spec *spec;
  scan_type input_type;
  const uint8_t *heads; /**< Where segments begin; NULL: nowhere. */
  uint64_t n;
  const void *in;
  void *out;
  part identity;
  double seed;
  uint64_t vector_items;
  uint64_t sub_tiles; /**< Sub-tiles of a tile: S. */
  uint64_t tile_items;
} canon;

/** Where a segment begins in b, nothing of a is in the result. */
static part plus(const canon *c, part a, part b) {
  if (b.has_head) return b;
  return (part){ reference_combine(c->spec->type, c->spec->op, a.value, b.value), a.has_head };
}

static int is_head(const canon *c, uint64_t i) { return c->heads && i < c->n && c->heads[i]; }

/** Element i, widened; the identity past the end. The first of a segment comes after the seed. */
static part element(const canon *c, uint64_t i) {
  if (i >= c->n) return c->identity;
  const double value = reference_load(c->input_type, c->in, i);
  if (!is_head(c, i)) return (part){ value, 0 };
  return (part){ reference_combine(c->spec->type, c->spec->op, c->seed, value), 1 };
}

static void store(const canon *c, uint64_t i, double value) {
  if (i < c->n) reference_store(c->spec->type, c->out, i, value);
}

static uint64_t sub_tiles_of(uint64_t n, uint64_t item_bytes) {
  uint64_t bytes = n * item_bytes;
  return bytes > 32u << 10 && bytes <= 512u << 10 ? 1 : 8;
}

/** Step 8: the elements of one vector, left to right. Each is read before its place is written, for in == out. */
static void write_vector(const canon *c, uint64_t first, part start) {
  part before = start;
  for (uint64_t k = 0; k < c->vector_items; k++) {
    const part with = plus(c, before, element(c, first + k));
    if (is_head(c, first + k)) before.value = c->seed;
    store(c, first + k, c->spec->kind == SCAN_EXCLUSIVE ? before.value : with.value);
    before = with;
  }
}

/** Steps 1 and 2: lane[l], inclusive over the row that begins at element `first`. */
static void scan_row(const canon *c, uint64_t first, part lane[ROW_VECTORS]) {
  for (uint64_t l = 0; l < ROW_VECTORS; l++) {
    uint64_t at = first + l * c->vector_items;
    lane[l] = element(c, at);
    for (uint64_t k = 1; k < c->vector_items; k++) lane[l] = plus(c, lane[l], element(c, at + k));
  }
  for (int d = 1; d < ROW_VECTORS; d *= 2)
    for (int l = ROW_VECTORS - 1; l >= d; l--) lane[l] = plus(c, lane[l - d], lane[l]);
}

/** Steps 3, 4 and 7. @param before_tile group_before + tile_before. @param write 0: only the aggregate is wanted.
 *  @return the tile's aggregate */
static part walk_tile(const canon *c, uint64_t tile, part before_tile, int write) {
  uint64_t row_items = ROW_VECTORS * c->vector_items, first = tile * c->tile_items;
  part sub_before = c->identity, lane[ROW_VECTORS];
  for (uint64_t q = 0; q < c->sub_tiles; q++) {
    part row_before = c->identity;
    for (int r = 0; r < SUB_TILE_ROWS; r++, first += row_items) {
      scan_row(c, first, lane);
      for (uint64_t l = 0; write && l < ROW_VECTORS; l++) {
        part lane_before = l ? lane[l - 1] : c->identity;
        part inside = plus(c, sub_before, plus(c, row_before, lane_before));
        write_vector(c, first + l * c->vector_items, plus(c, before_tile, inside));
      }
      row_before = plus(c, row_before, lane[ROW_VECTORS - 1]);
    }
    sub_before = plus(c, sub_before, row_before);
  }
  return sub_before;
}

/** Step 5: the balanced tree over the first `count` of a group's tile aggregates. */
static part tree(const canon *c, const part *aggregates, uint64_t count) {
  part node[GROUP_TILES];
  for (uint64_t j = 0; j < GROUP_TILES; j++) node[j] = j < count ? aggregates[j] : c->identity;
  for (size_t width = GROUP_TILES / 2; width >= 1; width /= 2)
    for (size_t j = 0; j < width; j++) node[j] = plus(c, node[2 * j], node[2 * j + 1]);
  return node[0];
}

/** Steps 5 and 6: every tile, with what comes before it. */
static void walk_tiles(const canon *c, const part *aggregates, uint64_t tiles) {
  part group_before = { c->seed, 0 };
  for (uint64_t group = 0; group < tiles; group += GROUP_TILES) {
    uint64_t in_group = tiles - group < GROUP_TILES ? tiles - group : GROUP_TILES;
    for (uint64_t j = 0; j < in_group; j++) {
      part tile_before = tree(c, aggregates + group, j);
      walk_tile(c, group + j, plus(c, group_before, tile_before), 1);
    }
    group_before = plus(c, group_before, tree(c, aggregates + group, in_group));
  }
}

int reference_canonical(const scan_spec *spec, scan_type input_type, const uint8_t *heads, uint64_t n, const void *in,
                        void *out) {
  const scan_value identity = reference_identity(spec->type, spec->op), seed = reference_seed(spec);
  const uint64_t item_bytes = spec->type == SCAN_F64 ? 8 : 4; /* halves are scanned in binary32 */
  canon c = { .spec = spec, .input_type = input_type, .heads = heads, .n = n, .in = in, .out = out };
  c.identity.value = reference_load(spec->type, &identity, 0);
  c.seed = reference_load(spec->type, &seed, 0);
  c.vector_items = 16 / item_bytes;
  c.sub_tiles = sub_tiles_of(n, item_bytes);
  c.tile_items = c.sub_tiles * SUB_TILE_ROWS * ROW_VECTORS * c.vector_items;
  uint64_t tiles = (n + c.tile_items - 1) / c.tile_items;
  part *aggregates = malloc((size_t)(tiles + 1) * sizeof *aggregates);
  if (!aggregates) return -1;
  for (uint64_t tile = 0; tile < tiles; tile++) aggregates[tile] = walk_tile(&c, tile, c.identity, 0);
  walk_tiles(&c, aggregates, tiles);
  free(aggregates);
  return 0;
}
