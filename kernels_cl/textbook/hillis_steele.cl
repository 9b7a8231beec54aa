/* SPDX-License-Identifier: BSD-2-Clause */
/* Hillis and Steele, "Data Parallel Algorithms", CACM 29(12), 1986: in step k = 0, 1, ... every element combines with
 * the one 2^k places before it. log2 m steps, but m log2 m - (m - 1) applications on m elements: not work-efficient.
 * The steps alternate between two copies in local memory, as in GPU Gems 3, chapter 39 (Harris, Sengupta, Owens,
 * 2007). */
#include "textbook/textbook.h"

#define TEXTBOOK(part) hillis_steele_##part
#define PER_ITEM 1

typedef struct scanrt_group_scratch {
  scanrt_value_t x[2][SCAN_GROUP_ITEMS];
  scanrt_value_t carry;
} scanrt_group_scratch;

/* Scans a tile that the work-group holds, element ITEM() + k * SCAN_GROUP_ITEMS in x[k]. */
FUNC void scanrt_tile_scan(scanrt_value_t x[PER_ITEM], scanrt_u32 inclusive, scanrt_value_t *total,
                           LOCAL scanrt_group_scratch *s) {
  scanrt_u32 from = 0;
  s->x[0][ITEM()] = x[0];
  BARRIER();
  for (scanrt_u32 d = 1; d < SCAN_GROUP_ITEMS; d <<= 1) {
    scanrt_value_t here = s->x[from][ITEM()];
    if (ITEM() >= d) here = scanrt_combine(s->x[from][ITEM() - d], here);
    from = 1 - from;
    s->x[from][ITEM()] = here;
    BARRIER();
  }
  *total = s->x[from][SCAN_GROUP_ITEMS - 1];
  x[0] = inclusive ? s->x[from][ITEM()] : ITEM() > 0 ? s->x[from][ITEM() - 1] : IDENTITY;
}

#include "textbook/scan_then_add.h"
