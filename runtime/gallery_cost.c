/* SPDX-License-Identifier: BSD-2-Clause */
/* What the gallery's kernels cost. The formulas are those of the literature's algorithms for m = 2^k elements, put
 * together as kernels_cl/gallery/ does. */
#include "gallery.h"

enum { LANES = 32, LANE_STEPS = 5 };

/* A scan of one tile's elements, or of the work-items' totals. */
typedef struct part {
  uint64_t elements;
  uint64_t work;  /* of the scan, with the total */
  uint64_t span;  /* to the last element's result */
  uint64_t total; /* to the total */
} part;

static uint64_t log2_of(uint64_t x) { /* rounded up */
  uint64_t k = 0;
  while ((uint64_t)1 << k < x) k++;
  return k;
}

static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Every element from d on takes in the one d before it, d = 1, 2, 4 ... */
static uint64_t doubling_work(uint64_t m) { return m * log2_of(m) - (m - 1); }

static part hillis_steele(uint64_t m, scan_kind scan) {
  const uint64_t k = log2_of(m);
  return (part){ m, doubling_work(m), scan == SCAN_INCLUSIVE ? k : log2_of(m - 1), k };
}

/* Up the tree and down again; the way down begins where the way up had its last step but one. */
static part blelloch(uint64_t m, scan_kind scan) {
  const uint64_t k = log2_of(m), inclusive = scan == SCAN_INCLUSIVE;
  return (part){ m, 2 * (m - 1) + inclusive * m, 2 * k - 1 + inclusive, k };
}

/* group_scan.h: lanes, then the warps' totals, then both together. */
static part two_levels(uint64_t m, scan_kind scan) {
  const uint64_t warps = m / LANES, k = log2_of(warps);
  const uint64_t last_lane = scan == SCAN_INCLUSIVE ? LANE_STEPS : log2_of(LANES - 1);
  const uint64_t warps_before = LANE_STEPS + log2_of(warps - 1);
  return (part){ m, warps * doubling_work(LANES) + doubling_work(warps) + m, greater(warps_before, last_lane) + 1,
                 LANE_STEPS + k };
}

static part tile_scan(gallery_kind kind, uint64_t items, scan_kind scan) {
  if (kind == GALLERY_HILLIS_STEELE) return hillis_steele(items, scan);
  if (kind == GALLERY_BLELLOCH) return blelloch(2 * items, scan);
  return two_levels(items, scan);
}

static uint64_t divide_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/* One work-group walks the totals, a batch of `by->elements` at a time: what came before is added to each, and the
 * batch's total to what came before. `ready` is the chain to a total; the span is to the last tile's prefix. */
static scan_cost walk_totals(const part *by, uint64_t tiles, uint64_t ready) {
  const uint64_t batches = divide_up(tiles, by->elements), carried = batches > 1 ? ready + by->total + batches - 1 : 0;
  return (scan_cost){ .work = batches * (by->work + by->elements + 1), .span = greater(carried, ready + by->span) + 1 };
}

static scan_cost scan_then_add(gallery_kind kind, uint64_t items, scan_kind scan, uint64_t n) {
  const part tile = tile_scan(kind, items, scan), totals = tile_scan(kind, items, SCAN_EXCLUSIVE);
  const uint64_t tiles = divide_up(n, tile.elements);
  const scan_cost walk = walk_totals(&totals, tiles, tile.total);
  return (scan_cost){ .work = tiles * tile.work + walk.work + n, .span = greater(walk.span, tile.span) + 1 };
}

/* rake.h: an item folds its elements, the work-group scans the items' totals, an item scans its elements. `chain` is
 * the chain to the tile's prefix. */
static uint64_t rake_work(const part *group) {
  return group->elements * (GALLERY_RAKE - 1) + group->work + group->elements + group->elements * GALLERY_RAKE;
}
static uint64_t rake_span(const part *group, uint64_t chain) {
  return greater(chain, GALLERY_RAKE - 1 + group->span) + 1 + GALLERY_RAKE;
}

static scan_cost three_pass(uint64_t items, uint64_t n) {
  const part group = two_levels(items, SCAN_EXCLUSIVE);
  const uint64_t tile_items = items * GALLERY_RAKE, tiles = divide_up(n, tile_items);
  const scan_cost walk = walk_totals(&group, tiles, GALLERY_RAKE - 1 + log2_of(items));
  return (scan_cost){ .work = tiles * (tile_items - 1) + walk.work + tiles * rake_work(&group),
                      .span = rake_span(&group, walk.span) };
}

/* A tile adds its total to the prefix of the one before. */
static scan_cost single_pass(uint64_t items, uint64_t n) {
  const part group = two_levels(items, SCAN_EXCLUSIVE);
  const uint64_t tiles = divide_up(n, items * GALLERY_RAKE), ready = GALLERY_RAKE - 1 + group.total;
  return (scan_cost){ .work = tiles * (rake_work(&group) + 1),
                      .span = rake_span(&group, tiles > 1 ? ready + tiles - 1 : 0) };
}

uint64_t gallery_tile_items(gallery_kind kind, uint64_t items) {
  if (kind == GALLERY_BLELLOCH) return 2 * items;
  return kind == GALLERY_THREE_PASS || kind == GALLERY_SINGLE_PASS ? GALLERY_RAKE * items : items;
}

scan_cost gallery_cost(gallery_kind kind, uint64_t items, scan_kind scan, uint64_t n) {
  if (kind == GALLERY_THREE_PASS) return three_pass(items, n);
  if (kind == GALLERY_SINGLE_PASS) return single_pass(items, n);
  return scan_then_add(kind, items, scan, n);
}
