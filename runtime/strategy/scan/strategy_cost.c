/* SPDX-License-Identifier: BSD-2-Clause */
/* Work and span of the strategies that follow the canonical order, from the order's definition alone: `e` counts as an
 * operand, elements past n count as `e`, and an instruction that serves several elements counts for each of them. */
#include "strategy/strategy.h"

#include "base/canonical.h"

enum { LANES = 32, SUBTILE_ROWS = 8, LANE_STEPS = 5, ROW_TREE = 31, ROW_SCAN = 5 * 32 - 31 };

typedef struct tile_shape {
  uint64_t tiles, subtiles, vector_items;
} tile_shape;

static tile_shape shape_of(const scan_problem *problem, uint64_t n) {
  const uint64_t bytes = scan_problem_bytes(problem);
  return (tile_shape){ canon_tiles(n, bytes), canon_subtiles(n, bytes), canon_vector_items(bytes) };
}

static uint64_t vectors_of(const tile_shape *t) { return t->subtiles * SUBTILE_ROWS * LANES; }

/* Work of folding a tile: vectors, rows by `row` applications each, rows into sub-tiles, and sub-tiles into the
 * tile. */
static uint64_t tile_fold(const tile_shape *t, uint64_t row) {
  return vectors_of(t) * (t->vector_items - 1) + t->subtiles * SUBTILE_ROWS * row + t->subtiles * (SUBTILE_ROWS - 1) +
         t->subtiles - 1;
}

/* Work of writing a tile: three applications for each vector's start, and one for each element. */
static uint64_t tile_output(const tile_shape *t) { return vectors_of(t) * (3 + t->vector_items); }

/* Number of bits set in all numbers below `count`. */
static uint64_t bits_below(uint64_t count) {
  uint64_t bits = 0;
  for (uint64_t half = 1; half < count; half *= 2) {
    const uint64_t rest = count % (2 * half);
    bits += count / (2 * half) * half + (rest > half ? rest - half : 0);
  }
  return bits;
}

/* Work of walking the tiles in order: each tile's prefix is combined from the runs that its binary digits name, and its
 * aggregate is carried into the runs like a one into a counter; a full group joins the groups before it. */
static uint64_t walk_prefixes(uint64_t tiles) {
  const uint64_t groups = tiles / CANON_GROUP_TILES, rest = tiles % CANON_GROUP_TILES;
  const uint64_t digits = groups * bits_below(CANON_GROUP_TILES) + bits_below(rest) + tiles;
  const uint64_t carries = groups * CANON_GROUP_TILES + rest - (bits_below(rest + 1) - bits_below(rest));
  return digits + carries;
}

/* Work of looking back for each tile: the tree over 128 places and the groups before. A group's total is combined and
 * added once (in fact each work-group folds all totals up to its last tile's, which depends on the order of claims). */
static uint64_t look_prefixes(uint64_t tiles) { return (tiles + (tiles - 1) / CANON_GROUP_TILES) * CANON_GROUP_TILES; }

static uint64_t number_greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The span ends at the last element of the last tile. It starts at the first tile of the first group, or at the last
 * tile. */
static uint64_t canonical_span(const tile_shape *t, scan_kind kind) {
  const uint64_t lane = t->vector_items - 1 + LANE_STEPS, row_before = lane + SUBTILE_ROWS - 2;
  const uint64_t sub = lane + SUBTILE_ROWS - 1, aggregate = sub + t->subtiles - 1;
  const uint64_t sub_before = t->subtiles > 1 ? aggregate - 1 : 0,
                 near = number_greater(sub_before, row_before + 1) + 1;
  const uint64_t groups = (t->tiles - 1) / CANON_GROUP_TILES;
  const uint64_t tile_before =
      (t->tiles - 1) % CANON_GROUP_TILES > 0 ? aggregate + CANON_GROUP_LEVELS : (uint64_t)CANON_GROUP_LEVELS;
  const uint64_t group_before = groups > 0 ? aggregate + CANON_GROUP_LEVELS + groups : 0;
  const uint64_t far = number_greater(group_before, tile_before) + 1;
  return number_greater(far, near) + 1 + t->vector_items - (kind == SCAN_EXCLUSIVE);
}

/* The cost of a total: all tiles are reduced, and the last one is scanned. */
static scan_cost cost_total(const tile_shape *t) {
  const uint64_t last = tile_fold(t, ROW_SCAN) + tile_output(t) + walk_prefixes(1);
  const uint64_t before = t->tiles > 1 ? t->tiles * tile_fold(t, ROW_TREE) + walk_prefixes(t->tiles) : 0;
  return (scan_cost){ .work = before + last, .span = canonical_span(t, SCAN_INCLUSIVE) };
}

scan_cost scan_cost_canonical(const scan_problem *problem, uint64_t n, int reduces_first, int walks) {
  const tile_shape t = shape_of(problem, n);
  if (problem->kind == SCAN_TOTAL) return cost_total(&t);
  const uint64_t before = reduces_first ? tile_fold(&t, ROW_TREE) : 0;
  const uint64_t prefixes = walks ? walk_prefixes(t.tiles) : look_prefixes(t.tiles);
  return (scan_cost){ .work = t.tiles * (before + tile_fold(&t, ROW_SCAN) + tile_output(&t)) + prefixes,
                      .span = canonical_span(&t, problem->kind) };
}

scan_cost scan_cost_walked(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  (void)caps;
  return scan_cost_canonical(problem, n, 0, 1);
}

scan_cost scan_cost_reduced(const scan_caps *caps, const scan_problem *problem, uint64_t n) {
  (void)caps;
  return scan_cost_canonical(problem, n, 1, 1);
}
