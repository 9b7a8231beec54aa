/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by one work-item that keeps the running prefix of all tiles up to its last one: it reads each descriptor
 * since then once, or a group's total where it is far behind. (A work-group reads its group's descriptors anew
 * for each tile; on a processor each atomic read takes the cache line from its owner.) When a wait
 * reaches its bound the work-item reduces the tile itself (fallback), which is right only while nobody overwrites the
 * input. */
#ifndef SCANRT_CL_LOOKBACK_ITEM_H
#define SCANRT_CL_LOOKBACK_ITEM_H

#include "descriptor.h"
#include "scan_tile.h"

typedef struct look_state {
  scan_prefix prefix; /* of the tiles before `next` */
  scan_u32 next;
} look_state;

FUNC void look_start(look_state *look, value_t seed) {
  look->prefix = prefix_start(seed);
  look->next = 0;
}

/* With this many tiles of a group left, reading them beats asking for the total. */
#define FEW_TILES 8

FUNC value_t tile_await(const scan_job *job, const scan_board *b, scan_u32 tile, scan_u32 flags, scan_u32 spin_limit) {
  value_t value = IDENTITY;
  if (descriptor_wait(b, b->tiles, tile, &value, spin_limit)) return value;
  if (flags & FLAG_IN_PLACE) {
    ATOMIC_STORE(b->control + CONTROL_ERROR, 1u);
    return value;
  }
  value = tile_reduce(job, tile);
  descriptor_put(b->tiles, tile, value, b->epoch);
  return value;
}

/* The exclusive prefix of a tile. */
FUNC value_t look_back(const scan_job *job, const scan_board *b, scan_u32 tile, look_state *look, scan_u32 flags,
                       scan_u32 spin_limit) {
  while (look->next < tile) {
    const scan_u32 group = look->next / GROUP_TILES;
    value_t total;
    if (group < tile / GROUP_TILES && GROUP_TILES - look->next % GROUP_TILES > FEW_TILES &&
        descriptor_get(b->groups, group, &total, b->epoch)) {
      look->prefix = prefix_start(combine(look->prefix.groups, total));
      look->next = (group + 1) * GROUP_TILES;
    } else {
      prefix_push(&look->prefix, tile_await(job, b, look->next++, flags, spin_limit));
    }
  }
  return prefix_value(&look->prefix);
}

/* Goes on past the work-item's own tile, and publishes the total of a group that it completes. */
FUNC void look_past(const scan_board *b, scan_u32 tile, value_t aggregate, look_state *look, scan_u32 publishes) {
  if (publishes && tile % GROUP_TILES == GROUP_TILES - 1)
    descriptor_put(b->groups, tile / GROUP_TILES, prefix_group_total(&look->prefix, aggregate), b->epoch);
  prefix_push(&look->prefix, aggregate);
  look->next = tile + 1;
}
#endif
