/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file canonical_order.h
 * @brief The canonical order of kernels_cl/README.md for one kind of values. The comments give the README's step
 * numbers.
 *
 * The including file defines
 *   part      a value: the combination of some elements, or nothing, and 1 if a segment begins in them
 *   canon     a scan, with the members n, vector_items and tile_items
 *   plus      combines a and b, in this order; returns b alone if a segment begins in it
 *   nothing   returns the value that changes no other
 *   element   returns the value of element i
 *   write     writes the result of element i, from the value before it and the value with it
 */
enum { ROW_VECTORS = 32, SUB_TILE_ROWS = 8, GROUP_TILES = 128 };

/** Steps 1 and 2: sets lane[l] to the inclusive scan over the row that begins at element `first`. */
static void scan_row(const canon *c, uint64_t first, part lane[ROW_VECTORS]) {
  for (uint64_t l = 0; l < ROW_VECTORS; l++) {
    const uint64_t at = first + l * c->vector_items;
    lane[l] = at < c->n ? element(c, at) : nothing(c);
    for (uint64_t i = at + 1; i < at + c->vector_items && i < c->n; i++) lane[l] = plus(c, lane[l], element(c, i));
  }
  for (int d = 1; d < ROW_VECTORS; d *= 2) /* descending l keeps lane[l - d] as it was before this step */
    for (int l = ROW_VECTORS - 1; l >= d; l--) lane[l] = plus(c, lane[l - d], lane[l]);
}

/** Step 8: scans a vector left to right. It reads each element before writing its place, since `in` may be `out`. */
static void write_vector(const canon *c, uint64_t first, part before) {
  for (uint64_t i = first; i < first + c->vector_items && i < c->n; i++) {
    const part with = plus(c, before, element(c, i));
    write(c, i, before, with);
    before = with;
  }
}

/** Steps 3, 4 and 7: scans a tile. Rows past the last element are skipped. @return the tile's aggregate */
static part walk_tile(const canon *c, uint64_t first, part before_tile) {
  const uint64_t row_items = ROW_VECTORS * c->vector_items, end = first + c->tile_items;
  part sub_before = nothing(c), lane[ROW_VECTORS];
  while (first < end && first < c->n) {
    part row_before = nothing(c);
    for (int r = 0; r < SUB_TILE_ROWS && first < c->n; r++, first += row_items) {
      scan_row(c, first, lane);
      for (uint64_t l = 0; l < ROW_VECTORS; l++) {
        const part inside = plus(c, sub_before, plus(c, row_before, l ? lane[l - 1] : nothing(c)));
        write_vector(c, first + l * c->vector_items, plus(c, before_tile, inside));
      }
      row_before = plus(c, row_before, lane[ROW_VECTORS - 1]);
    }
    sub_before = plus(c, sub_before, row_before);
  }
  return sub_before;
}

/** Step 5: combines the balanced tree over the `width` tiles of a group that begin with tile `first`, without tiles
 * from `count` on. */
static part tree(const canon *c, const part *aggregates, uint64_t first, uint64_t width, uint64_t count) {
  if (first >= count) return nothing(c);
  if (width == 1) return aggregates[first];
  const part left = tree(c, aggregates, first, width / 2, count);
  return plus(c, left, tree(c, aggregates, first + width / 2, width / 2, count));
}

/** Steps 5 and 6: scans all tiles, each from the value before it. @param before  the value before the first element */
static void scan_canonical(const canon *c, part before) {
  part aggregates[GROUP_TILES];
  for (uint64_t at = 0, tile = 0; at < c->n; at += c->tile_items) {
    aggregates[tile] = walk_tile(c, at, plus(c, before, tree(c, aggregates, 0, GROUP_TILES, tile)));
    if (++tile < GROUP_TILES) continue;
    before = plus(c, before, tree(c, aggregates, 0, GROUP_TILES, tile));
    tile = 0;
  }
}

/** Scans the elements left to right. */
static void scan_in_sequence(const canon *c, part before) {
  for (uint64_t i = 0; i < c->n; i++) {
    const part with = plus(c, before, element(c, i));
    write(c, i, before, with);
    before = with;
  }
}
