/* SPDX-License-Identifier: BSD-2-Clause */
/* Brent and Kung, "A Regular Layout for Parallel Adders", IEEE Trans. Computers C-31(3), 1982, with a radix of 4 in
 * place of 2, as Merrill and Garland, NVR-2016-002, 2016, describe it: scan, then propagate by fans. On the way up each
 * run of 4 values is scanned by doubling, and the runs' totals are the values of the next level. On the way down a fan
 * combines the prefix of each run but the first with the run's 4 values. log2 m steps up, log4 m - 1 down. */
#include "textbook/textbook.h"

#define TEXTBOOK(part) brent_kung_##part
#define PER_ITEM 1
#define RADIX 4

/* The levels follow each other: SCAN_GROUP_ITEMS values, a quarter of them, ..., at most RADIX. */
typedef struct scanrt_group_scratch {
  scanrt_value_t x[SCAN_GROUP_ITEMS + (SCAN_GROUP_ITEMS + 2) / 3];
  scanrt_value_t carry;
} scanrt_group_scratch;

/* Scans each run of RADIX of a level's values. */
FUNC void scanrt_runs_scan(LOCAL scanrt_value_t *level, scanrt_u32 values) {
  for (scanrt_u32 d = 1; d < RADIX; d <<= 1) {
    const scanrt_u32 adds = ITEM() < values && ITEM() % RADIX >= d;
    scanrt_value_t sum = IDENTITY;
    if (adds) sum = scanrt_combine(level[ITEM() - d], level[ITEM()]);
    BARRIER();
    if (adds) level[ITEM()] = sum;
    BARRIER();
  }
}

/* Scans a tile that the work-group holds, element ITEM() + k * SCAN_GROUP_ITEMS in x[k]. */
FUNC void scanrt_tile_scan(scanrt_value_t x[PER_ITEM], scanrt_u32 inclusive, scanrt_value_t *total,
                           LOCAL scanrt_group_scratch *s) {
  scanrt_u32 at = 0, values = SCAN_GROUP_ITEMS;
  s->x[ITEM()] = x[0];
  BARRIER();
  scanrt_runs_scan(s->x, values);
  while (values > RADIX) {
    const scanrt_u32 next = at + values, runs = values / RADIX;
    if (ITEM() < runs) s->x[next + ITEM()] = s->x[at + ITEM() * RADIX + RADIX - 1];
    BARRIER();
    scanrt_runs_scan(s->x + next, runs);
    at = next;
    values = runs;
  }
  *total = s->x[at + values - 1];
  while (at > 0) {
    LOCAL const scanrt_value_t *prefixes = s->x + at;
    values *= RADIX;
    at -= values;
    if (ITEM() >= RADIX && ITEM() < values)
      s->x[at + ITEM()] = scanrt_combine(prefixes[ITEM() / RADIX - 1], s->x[at + ITEM()]);
    BARRIER();
  }
  x[0] = inclusive ? s->x[ITEM()] : ITEM() > 0 ? s->x[ITEM() - 1] : IDENTITY;
}

#include "textbook/scan_then_add.h"
