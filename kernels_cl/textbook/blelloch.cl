/* SPDX-License-Identifier: BSD-2-Clause */
/* Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990: a balanced tree over the tile in local memory,
 * summed upwards, then walked down with what precedes each node. It takes 2 (m - 1) applications on m elements, two an
 * item, in 2 log2 m steps; an inclusive scan adds each element once more.
 * TEXTBOOK(part): a kernel's name. PLACE(i): the place of element i in local memory. Strides of powers of two cause
 * bank conflicts (counted in tools/doc/measurements/textbook.md); PADDED(i) avoids them by a place skipped after every
 * 32 banks (GPU Gems 3, chapter 39, 2007). */

#include "textbook/textbook.h"

#define PER_ITEM 2
#define TREE_ITEMS (2 * SCAN_GROUP_ITEMS)

typedef struct scanrt_group_scratch {
  scanrt_value_t x[PLACE(TREE_ITEMS - 1) + 1];
  scanrt_value_t carry;
} scanrt_group_scratch;

/* Each step ends with a barrier, so that the items of the next step, fewer or more, read what this one wrote. */
FUNC scanrt_value_t scanrt_tree_up(LOCAL scanrt_group_scratch *s) {
  for (scanrt_u32 d = 1; d < TREE_ITEMS; d <<= 1) {
    const scanrt_u32 right = (ITEM() + 1) * 2 * d - 1;
    if (right < TREE_ITEMS) s->x[PLACE(right)] = scanrt_combine(s->x[PLACE(right - d)], s->x[PLACE(right)]);
    BARRIER();
  }
  return s->x[PLACE(TREE_ITEMS - 1)];
}

FUNC void scanrt_tree_down(LOCAL scanrt_group_scratch *s) {
  if (ITEM() == 0) s->x[PLACE(TREE_ITEMS - 1)] = IDENTITY;
  BARRIER();
  for (scanrt_u32 d = TREE_ITEMS / 2; d > 0; d >>= 1) {
    const scanrt_u32 right = (ITEM() + 1) * 2 * d - 1;
    if (right < TREE_ITEMS) {
      const scanrt_value_t left_total = s->x[PLACE(right - d)], before = s->x[PLACE(right)];
      s->x[PLACE(right - d)] = before;
      s->x[PLACE(right)] = scanrt_combine(before, left_total);
    }
    BARRIER();
  }
}

/* Scans a tile that the work-group holds, element ITEM() + k * SCAN_GROUP_ITEMS in x[k]. */
FUNC void scanrt_tile_scan(scanrt_value_t x[PER_ITEM], scanrt_u32 inclusive, scanrt_value_t *total,
                           LOCAL scanrt_group_scratch *s) {
  UNROLL
  for (scanrt_u32 k = 0; k < PER_ITEM; k++) s->x[PLACE(ITEM() + k * SCAN_GROUP_ITEMS)] = x[k];
  BARRIER();
  *total = scanrt_tree_up(s);
  BARRIER();
  scanrt_tree_down(s);
  UNROLL
  for (scanrt_u32 k = 0; k < PER_ITEM; k++) {
    const scanrt_value_t before = s->x[PLACE(ITEM() + k * SCAN_GROUP_ITEMS)];
    x[k] = inclusive ? scanrt_combine(before, x[k]) : before;
  }
}

#include "textbook/scan_then_add.h"
