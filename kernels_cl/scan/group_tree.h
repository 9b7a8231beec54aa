/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree over the aggregates of a group of 128 tiles. */
#ifndef SCANRT_CL_GROUP_TREE_H
#define SCANRT_CL_GROUP_TREE_H

#include "lib/tile.h"

/* The tree over a group of 128 tiles in local memory, whose level k begins at LEVEL_FIRST(k). */
#define LEVEL_FIRST(k) (2 * GROUP_TILES - (2 * GROUP_TILES >> (k)))
FUNC void scanrt_tree_grow(LOCAL scanrt_value_t *tree) {
  const scanrt_u32 j = ITEM();
  BARRIER();
  UNROLL
  for (scanrt_u32 k = 1; k <= GROUP_LEVELS; k++) {
    if (j < GROUP_TILES >> k)
      tree[LEVEL_FIRST(k) + j] = scanrt_combine(tree[LEVEL_FIRST(k - 1) + 2 * j], tree[LEVEL_FIRST(k - 1) + 2 * j + 1]);
    BARRIER();
  }
}

/* Returns what precedes the work-item's tile in the group, once the tree is grown. */
FUNC scanrt_value_t scanrt_tree_before(LOCAL const scanrt_value_t *tree) {
  scanrt_value_t before = IDENTITY;
  UNROLL
  for (scanrt_u32 k = 0; k < GROUP_LEVELS; k++)
    if ((ITEM() >> k) & 1u) before = scanrt_combine(tree[LEVEL_FIRST(k) + (ITEM() >> k) - 1], before);
  return before;
}
#endif
