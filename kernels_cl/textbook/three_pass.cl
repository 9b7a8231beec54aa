/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduces tiles, scans their totals, and scans tiles from their prefixes: elements are read twice and written once
 * (Dotsenko, Govindaraju, Sloan, Boyd, Manferdelli, "Fast Scan Algorithms on Graphics Processors", ICS 2008). One
 * work-group walks the totals. The workspace holds a value a tile: its total, then its prefix. */
#include "textbook/rake.h"

/* Reduces the items' values in order, by a balanced tree in local memory; item 0 gets the result. */
FUNC scanrt_value_t scanrt_group_reduce(scanrt_value_t x, LOCAL scanrt_rake_scratch *s) {
  BARRIER(); /* the elements there have been folded */
  s->x[ITEM()] = x;
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d <<= 1) {
    BARRIER();
    if (ITEM() % (2 * d) == 0) s->x[ITEM()] = scanrt_combine(s->x[ITEM()], s->x[ITEM() + d]);
  }
  return s->x[ITEM()];
}

KERNEL(three_pass_reduce)(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_rake_scratch, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_value_t total = scanrt_group_reduce(scanrt_rake_load(&job, GROUP(), scratch), scratch);
  if (ITEM() == 0) ((GLOBAL scanrt_output_t *)MEMORY(workspace))[GROUP()] = (scanrt_output_t)total;
}

KERNEL(three_pass_totals)(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_group_scratch, scratch, 1);
  const scanrt_job job = JOB();
  const scanrt_u32 tiles = scanrt_tiles_of(&job, TILE);
  GLOBAL scanrt_output_t *totals = (GLOBAL scanrt_output_t *)MEMORY(workspace);
  if (ITEM() == 0) scratch->carry = BITS_VALUE(seed_bits);
  for (scanrt_u32 first = 0; first < tiles; first += SCAN_GROUP_ITEMS) {
    const scanrt_u32 tile = first + ITEM();
    scanrt_value_t total,
        before = scanrt_group_scan(tile < tiles ? (scanrt_value_t)totals[tile] : IDENTITY, 0, &total, scratch);
    before = scanrt_combine(scratch->carry, before);
    if (tile < tiles) totals[tile] = (scanrt_output_t)before;
    BARRIER();
    if (ITEM() == 0) scratch->carry = scanrt_combine(scratch->carry, total);
    BARRIER();
  }
}

KERNEL(three_pass_scan)(PARAMETERS(TEXTBOOK_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_rake_scratch, scratch, 1);
  const scanrt_job job = JOB();
  scanrt_value_t total;
  const scanrt_value_t before = scanrt_group_scan(scanrt_rake_load(&job, GROUP(), scratch), 0, &total, &scratch->group);
  const scanrt_value_t prefix = (scanrt_value_t)((GLOBAL const scanrt_output_t *)MEMORY(workspace))[GROUP()];
  scanrt_rake_store(&job, GROUP(), scanrt_combine(prefix, before), scratch);
}
