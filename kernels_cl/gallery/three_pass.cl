/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduce, scan the totals, scan with what comes before: the elements are read twice and written once (Dotsenko,
 * Govindaraju, Sloan, Boyd, Manferdelli, "Fast Scan Algorithms on Graphics Processors", ICS 2008). One work-group walks
 * the totals. The workspace holds a value a tile: its total, then what comes before. */
#include "gallery/rake.h"

/* In order, by a balanced tree in local memory; the result is item 0's. */
FUNC value_t group_reduce(value_t x, LOCAL rake_scratch *s) {
  BARRIER(); /* the elements there have been folded */
  s->x[ITEM()] = x;
  for (scan_u32 d = 1; d < SCAN_GROUP_ITEMS; d <<= 1) {
    BARRIER();
    if (ITEM() % (2 * d) == 0) s->x[ITEM()] = combine(s->x[ITEM()], s->x[ITEM() + d]);
  }
  return s->x[ITEM()];
}

KERNEL(three_pass_reduce)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(rake_scratch, scratch, 1);
  const scan_job job = JOB();
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  const value_t total = group_reduce(rake_load(&job, GROUP(), scratch), scratch);
  if (ITEM() == 0) ((GLOBAL output_t *)workspace)[GROUP()] = (output_t)total;
}

KERNEL(three_pass_totals)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(group_scratch, scratch, 1);
  const scan_job job = JOB();
  const scan_u32 tiles = tiles_of(&job, TILE);
  GLOBAL output_t *totals = (GLOBAL output_t *)workspace;
  (void)tile_capacity, (void)spin_limit;
  if (ITEM() == 0) scratch->carry = BITS_VALUE(seed_bits);
  for (scan_u32 first = 0; first < tiles; first += SCAN_GROUP_ITEMS) {
    const scan_u32 tile = first + ITEM();
    value_t total, before = group_scan(tile < tiles ? (value_t)totals[tile] : IDENTITY, 0, &total, scratch);
    before = combine(scratch->carry, before);
    if (tile < tiles) totals[tile] = (output_t)before;
    BARRIER();
    if (ITEM() == 0) scratch->carry = combine(scratch->carry, total);
    BARRIER();
  }
}

KERNEL(three_pass_scan)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(rake_scratch, scratch, 1);
  const scan_job job = JOB();
  (void)seed_bits, (void)tile_capacity, (void)spin_limit;
  value_t total;
  const value_t before = group_scan(rake_load(&job, GROUP(), scratch), 0, &total, &scratch->group);
  const value_t prefix = (value_t)((GLOBAL const output_t *)workspace)[GROUP()];
  rake_store(&job, GROUP(), combine(prefix, before), scratch);
}
