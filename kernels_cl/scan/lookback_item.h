/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by one work-item, which keeps the running prefix of all tiles up to its last one. It reads each later
 * descriptor once, or a group's total where it is far behind. (A work-group reads its group's descriptors again for
 * each tile; on a processor each atomic read takes the cache line from its owner.) If a wait reaches its bound, the
 * work-item reduces the tile itself (fallback), which is valid only while the input is not overwritten. */
#ifndef SCANRT_CL_LOOKBACK_ITEM_H
#define SCANRT_CL_LOOKBACK_ITEM_H

#include "lib/descriptor.h"
#include "scan/scan_tile.h"

typedef struct scanrt_lookback_cursor {
  scanrt_prefix prefix; /* of the tiles before `next` */
  scanrt_u32 next;
} scanrt_lookback_cursor;

FUNC void scanrt_lookback_init(scanrt_lookback_cursor *cursor, scanrt_value_t seed) {
  cursor->prefix = scanrt_prefix_start(seed);
  cursor->next = 0;
}

/* If a group has at most this many tiles left, reading them is faster than reading the group's total. */
#define FEW_TILES 8

FUNC scanrt_value_t scanrt_tile_await(const scanrt_job *job, const scanrt_lookback_state *lookback, scanrt_u32 tile) {
  scanrt_value_t value = IDENTITY;
  if (scanrt_descriptor_wait(lookback, lookback->tiles, tile, &value)) return value;
  if (!lookback->recomputes) {
    scanrt_lookback_give_up(lookback);
    return value;
  }
  value = scanrt_tile_reduce(job, tile);
  scanrt_descriptor_put(lookback->tiles, tile, value, lookback->epoch);
  return value;
}

/* Returns the exclusive prefix of a tile. */
FUNC scanrt_value_t scanrt_lookback_prefix(const scanrt_job *job, const scanrt_lookback_state *lookback,
                                           scanrt_u32 tile, scanrt_lookback_cursor *cursor) {
  while (cursor->next < tile) {
    const scanrt_u32 group = cursor->next / GROUP_TILES;
    scanrt_value_t total;
    if (group < tile / GROUP_TILES && GROUP_TILES - cursor->next % GROUP_TILES > FEW_TILES &&
        scanrt_descriptor_get(lookback->groups, group, &total, lookback->epoch)) {
      cursor->prefix = scanrt_prefix_start(scanrt_combine(cursor->prefix.groups, total));
      cursor->next = (group + 1) * GROUP_TILES;
    } else {
      scanrt_prefix_push(&cursor->prefix, scanrt_tile_await(job, lookback, cursor->next++));
    }
  }
  return scanrt_prefix_value(&cursor->prefix);
}

/* Moves the prefix past the work-item's own tile, and publishes the total of a group that this tile completes. */
FUNC void scanrt_lookback_advance(const scanrt_lookback_state *lookback, scanrt_u32 tile, scanrt_value_t aggregate,
                                  scanrt_lookback_cursor *cursor, scanrt_u32 publishes) {
  if (publishes && tile % GROUP_TILES == GROUP_TILES - 1)
    scanrt_descriptor_put(lookback->groups, tile / GROUP_TILES, scanrt_prefix_group_total(&cursor->prefix, aggregate),
                          lookback->epoch);
  scanrt_prefix_push(&cursor->prefix, aggregate);
  cursor->next = tile + 1;
}
#endif
