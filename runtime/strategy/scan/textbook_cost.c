/* SPDX-License-Identifier: BSD-2-Clause */
/* Costs of the textbook kernels: the literature's formulas for m = 2^k elements, combined as in kernels_cl/textbook/. A
 * depth is the longest chain of applications up to a value; elements have depth 0. */
#include "strategy/scan/textbook.h"

enum { LANES = 32, LANE_STEPS = 5, RADIX = 4 };

/* A scan of a work-group's values. */
typedef struct group {
  textbook_kind kind;
  uint64_t values;
} group;

static uint64_t number_greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

static uint64_t log2_up(uint64_t x) {
  uint64_t k = 0;
  while ((uint64_t)1 << k < x) k++;
  return k;
}

/* ---- one scan ---- */

/* Work of a scan by doubling: for d = 1, 2, 4 ... every value from d on adds the value d before it. */
static uint64_t doubling_work(uint64_t m) { return m * log2_up(m) - (m - 1); }

/* Work of a Brent-Kung network: each level scans runs of RADIX values by doubling, and combines prefixes with the runs
 * but the first. */
static uint64_t fans_work(uint64_t m) {
  uint64_t work = 0;
  for (; m > RADIX; m /= RADIX) work += m / RADIX * doubling_work(RADIX) + m - RADIX;
  return work + doubling_work(m);
}

static uint64_t scan_work(const group *g, scan_kind scan) {
  const uint64_t m = g->values;
  switch (g->kind) {
  case TEXTBOOK_HILLIS_STEELE: return doubling_work(m);
  case TEXTBOOK_BLELLOCH: return 2 * (m - 1) + (scan == SCAN_INCLUSIVE ? m : 0);
  case TEXTBOOK_SKLANSKY: return m / 2 * log2_up(m);
  case TEXTBOOK_BRENT_KUNG: return fans_work(m);
  case TEXTBOOK_RAKING:
    return m - LANES + doubling_work(LANES) + m - m / LANES; /* the first lane scans while it folds */
  default: break;
  }
  return m / LANES * doubling_work(LANES) + doubling_work(m / LANES) + m; /* lanes, warps, and warps added to lanes */
}

/* Depth of the total of values of depth `leaf`. */
static uint64_t total_depth(const group *g, uint64_t leaf) {
  return leaf + (g->kind == TEXTBOOK_RAKING ? g->values / LANES - 1 + LANE_STEPS : log2_up(g->values));
}

/* Depth of value `at` of a Blelloch tree: the way down adds one subtree for each set bit, the largest first. */
static uint64_t tree_depth(uint64_t at, uint64_t leaf) {
  uint64_t bits = 0, depth = 0;
  for (uint64_t bit = 0; at >> bit != 0; bit++) {
    bits += at >> bit & 1;
    depth = leaf + bit;
  }
  return bits > 0 ? depth + bits : 0;
}

/* The greatest depth of the values up to `last`: its own, or that of the last value below one of its bits. */
static uint64_t tree_deepest(uint64_t last, uint64_t leaf) {
  uint64_t depth = tree_depth(last, leaf);
  for (uint64_t bit = 1; bit <= last; bit *= 2)
    if (last & bit) depth = number_greater(depth, tree_depth((last & ~(2 * bit - 1)) | (bit - 1), leaf));
  return depth;
}

/* The greatest depth of the inclusive results of a Brent-Kung network up to value `last`. Each level's runs add 2 to
 * the depth of its totals, and each fan 1. */
static uint64_t fans_depth(uint64_t last, uint64_t leaf) {
  uint64_t fans = 0;
  for (; last >= RADIX; last = last / RADIX - 1) {
    leaf += 2;
    fans++;
  }
  return leaf + log2_up(last + 1) + fans;
}

/* The greatest depth of the inclusive results of a raking scan up to value `last`: its own, or that of the segment
 * before. */
static uint64_t raking_depth(const group *g, uint64_t last, uint64_t leaf) {
  const uint64_t segment = g->values / LANES, lane = last / segment, prefix = leaf + segment - 1;
  if (lane == 0) return leaf + last;
  const uint64_t before = lane > 1 ? log2_up(lane - 1) + segment : 0;
  return prefix + number_greater(log2_up(lane) + last % segment + 1, before);
}

/* The greatest depth of a scan's results up to value `last`, for values of depth `leaf`. */
static uint64_t scan_depth(const group *g, scan_kind scan, uint64_t last, uint64_t leaf) {
  const uint64_t inclusive = scan == SCAN_INCLUSIVE, warp = last / LANES;
  if (g->kind == TEXTBOOK_BRENT_KUNG || g->kind == TEXTBOOK_RAKING) {
    if (last + inclusive == 0) return 0;
    return g->kind == TEXTBOOK_RAKING ? raking_depth(g, last + inclusive - 1, leaf)
                                      : fans_depth(last + inclusive - 1, leaf);
  }
  if (g->kind == TEXTBOOK_BLELLOCH)
    return inclusive ? number_greater(tree_deepest(last, leaf), leaf) + 1 : tree_deepest(last, leaf);
  const uint64_t doubled = last + inclusive > 0 ? leaf + log2_up(last + inclusive) : 0;
  if (g->kind == TEXTBOOK_HILLIS_STEELE || g->kind == TEXTBOOK_SKLANSKY) return doubled;
  return (warp > 0 ? leaf + LANE_STEPS + log2_up(warp) : doubled) + 1;
}

/* ---- the totals: one work-group walks them, a batch at a time ---- */

/* Work of the walk: a batch's results and its total are each added to the prefix before it. */
static uint64_t walk_work(const group *g, uint64_t tiles) {
  return divide_up(tiles, g->values) * (scan_work(g, SCAN_EXCLUSIVE) + g->values + 1);
}

/* The greatest depth of the prefixes of the tiles up to `last`, whose totals have depth `ready`. */
static uint64_t walk_depth(const group *g, uint64_t last, uint64_t ready) {
  const uint64_t batch = last / g->values, total = total_depth(g, ready);
  const uint64_t here = scan_depth(g, SCAN_EXCLUSIVE, last % g->values, ready);
  const uint64_t depth = number_greater(batch > 0 ? total + batch : 0, here) + 1;
  if (batch == 0) return depth;
  const uint64_t full = scan_depth(g, SCAN_EXCLUSIVE, g->values - 1, ready);
  return number_greater(depth, number_greater(batch > 1 ? total + batch - 1 : 0, full) + 1);
}

static scan_cost scan_then_add(textbook_kind kind, uint64_t items, scan_kind scan, uint64_t n) {
  const group g = { kind, scan_textbook_tile_items(kind, items) };
  const uint64_t tiles = divide_up(n, g.values), prefix = walk_depth(&g, tiles - 1, total_depth(&g, 0));
  const uint64_t local = scan_depth(&g, scan, tiles > 1 ? g.values - 1 : n - 1, 0);
  return (scan_cost){ .work = tiles * scan_work(&g, scan) + walk_work(&g, tiles) + n,
                      .span = number_greater(prefix, local) + 1 };
}

/* ---- raked tiles: an item folds its elements, the work-group scans the items, an item scans its elements ---- */

static uint64_t rake_work(const group *g) {
  return g->values * (TEXTBOOK_RAKE - 1) + scan_work(g, SCAN_EXCLUSIVE) + g->values + g->values * TEXTBOOK_RAKE;
}

/* Depth of element `at` of a tile whose prefix has depth `prefix`. */
static uint64_t rake_depth(const group *g, scan_kind scan, uint64_t at, uint64_t prefix) {
  const uint64_t before = scan_depth(g, SCAN_EXCLUSIVE, at / TEXTBOOK_RAKE, TEXTBOOK_RAKE - 1);
  return number_greater(prefix, before) + 1 + at % TEXTBOOK_RAKE + (scan == SCAN_INCLUSIVE);
}

/* Depth of a tile's prefix. */
static uint64_t prefix_depth(textbook_kind kind, const group *g, uint64_t tile) {
  const uint64_t folded = TEXTBOOK_RAKE - 1, total = total_depth(g, folded);
  if (kind == TEXTBOOK_THREE_PASS) return walk_depth(g, tile, total);
  return tile > 0 ? total + tile : 0; /* each tile adds its total to the prefix of the one before */
}

/* The span: the depth of the last element, of the last one of the work-item before, or of the last one of the tile
 * before. */
static uint64_t rake_span(textbook_kind kind, const group *g, scan_kind scan, uint64_t n) {
  const uint64_t tile_items = g->values * TEXTBOOK_RAKE, tile = (n - 1) / tile_items, at = (n - 1) % tile_items;
  const uint64_t prefix = prefix_depth(kind, g, tile), rest = at % TEXTBOOK_RAKE;
  uint64_t span = rake_depth(g, scan, at, prefix);
  if (at > rest) span = number_greater(span, rake_depth(g, scan, at - rest - 1, prefix));
  if (tile > 0) span = number_greater(span, rake_depth(g, scan, tile_items - 1, prefix_depth(kind, g, tile - 1)));
  return span;
}

static scan_cost raked(textbook_kind kind, uint64_t items, scan_kind scan, uint64_t n) {
  const group g = { TEXTBOOK_SUBGROUP, items };
  const uint64_t tile_items = items * TEXTBOOK_RAKE, tiles = divide_up(n, tile_items);
  const uint64_t totals = kind == TEXTBOOK_THREE_PASS ? tiles * (tile_items - 1) + walk_work(&g, tiles) : tiles;
  return (scan_cost){ .work = tiles * rake_work(&g) + totals, .span = rake_span(kind, &g, scan, n) };
}

/* ---- */

uint64_t scan_textbook_tile_items(textbook_kind kind, uint64_t items) {
  if (kind == TEXTBOOK_BLELLOCH || kind == TEXTBOOK_SKLANSKY) return 2 * items;
  return kind == TEXTBOOK_THREE_PASS || kind == TEXTBOOK_SINGLE_PASS ? TEXTBOOK_RAKE * items : items;
}

scan_cost scan_textbook_cost(textbook_kind kind, uint64_t items, scan_kind scan, uint64_t n) {
  if (kind == TEXTBOOK_THREE_PASS || kind == TEXTBOOK_SINGLE_PASS) return raked(kind, items, scan, n);
  return scan_then_add(kind, items, scan, n);
}
