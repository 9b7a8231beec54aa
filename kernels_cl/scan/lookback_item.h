/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by one work-item, which keeps the running prefix of all tiles up to its last one. It reads each later
 * descriptor once, or a group's total where it is far behind. (A work-group reads its group's descriptors again for
 * each tile; on a processor each atomic read takes the cache line from its owner.) If a wait reaches its bound, the
 * work-item reduces the tile itself (fallback), which is valid only while the input is not overwritten. */
#ifndef SCANRT_CL_LOOKBACK_ITEM_H
#define SCANRT_CL_LOOKBACK_ITEM_H

#include "lib/descriptor.h"
#include "scan/scan_tile.h"

typedef struct scanrt_look_state {
  scanrt_prefix prefix; /* of the tiles before `next` */
  scanrt_u32 next;
} scanrt_look_state;

FUNC void scanrt_look_start(scanrt_look_state *look, scanrt_value_t seed) {
  look->prefix = scanrt_prefix_start(seed);
  look->next = 0;
}

/* If a group has at most this many tiles left, reading them is faster than reading the group's total. */
#define FEW_TILES 8

FUNC scanrt_value_t scanrt_tile_await(const scanrt_job *job, const scanrt_board *b, scanrt_u32 tile, scanrt_u32 flags,
                                      scanrt_u32 spin_limit) {
  scanrt_value_t value = IDENTITY;
  if (scanrt_descriptor_wait(b, b->tiles, tile, &value, spin_limit)) return value;
  if (flags & FLAG_IN_PLACE) {
    ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
    return value;
  }
  value = scanrt_tile_reduce(job, tile);
  scanrt_descriptor_put(b->tiles, tile, value, b->epoch);
  return value;
}

/* Returns the exclusive prefix of a tile. */
FUNC scanrt_value_t scanrt_look_back(const scanrt_job *job, const scanrt_board *b, scanrt_u32 tile,
                                     scanrt_look_state *look, scanrt_u32 flags, scanrt_u32 spin_limit) {
  while (look->next < tile) {
    const scanrt_u32 group = look->next / GROUP_TILES;
    scanrt_value_t total;
    if (group < tile / GROUP_TILES && GROUP_TILES - look->next % GROUP_TILES > FEW_TILES &&
        scanrt_descriptor_get(b->groups, group, &total, b->epoch)) {
      look->prefix = scanrt_prefix_start(scanrt_combine(look->prefix.groups, total));
      look->next = (group + 1) * GROUP_TILES;
    } else {
      scanrt_prefix_push(&look->prefix, scanrt_tile_await(job, b, look->next++, flags, spin_limit));
    }
  }
  return scanrt_prefix_value(&look->prefix);
}

/* Moves the prefix past the work-item's own tile, and publishes the total of a group that this tile completes. */
FUNC void scanrt_look_past(const scanrt_board *b, scanrt_u32 tile, scanrt_value_t aggregate, scanrt_look_state *look,
                           scanrt_u32 publishes) {
  if (publishes && tile % GROUP_TILES == GROUP_TILES - 1)
    scanrt_descriptor_put(b->groups, tile / GROUP_TILES, scanrt_prefix_group_total(&look->prefix, aggregate), b->epoch);
  scanrt_prefix_push(&look->prefix, aggregate);
  look->next = tile + 1;
}
#endif
