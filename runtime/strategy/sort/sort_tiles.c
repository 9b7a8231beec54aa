/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: the number of keys of a tile, and the launches of parts of many tiles. */
#include "strategy/sort/sort.h"

/* Tiles that a single work-item sorts: their least number of keys, and the number for each compute unit; several tiles
 * even out the load. */
enum { ITEM_TILE = 4096, ITEM_TILES_A_UNIT = 4 };

static uint64_t tiles_of(uint64_t n, uint32_t tile) { return n / tile + (n % tile != 0); }

uint32_t scan_sort_tile_items(const scan_caps *caps, const scan_sort_form *form, uint64_t n) {
  if (!scan_sort_is_by_items(caps)) return caps->tuning.group_items * SORT_ITEM_KEYS(scan_sort_key_bytes(form));
  const uint64_t tiles = (uint64_t)caps->info.compute_units * ITEM_TILES_A_UNIT;
  const uint64_t items = (n / tiles / ITEM_TILE + 1) * ITEM_TILE;
  if (caps->loop_limit != 0) return scan_sort_key_bytes(form) > SCAN_SORT_WIDEST_INTEGER ? ITEM_TILE / 2 : ITEM_TILE;
  return items < UINT32_MAX / 2 ? (uint32_t)items : UINT32_MAX / 2;
}

/* With tiles that grow with n, the bound holds for every n up to max_n. */
uint64_t scan_sort_most_tiles(const scan_caps *caps, const scan_sort_form *form, uint64_t max_n) {
  if (scan_sort_is_by_items(caps) && caps->loop_limit == 0)
    return (uint64_t)caps->info.compute_units * ITEM_TILES_A_UNIT + 1;
  const uint32_t tile_items = scan_sort_tile_items(caps, form, max_n);
  return tiles_of(max_n, tile_items);
}

int scan_sort_parts_steps(const scan_caps *caps, const scan_launch *pass, uint64_t n, uint32_t passes,
                          scan_launch *steps) {
  const uint64_t tiles = tiles_of(n, pass->tile_items), most = SORT_PART_MOST / pass->tile_items;
  const uint64_t asked = tiles_of(tiles, caps->tuning.sort_parts),
                 some = asked == 0 ? 1 : asked; /* n == 0 has no tiles */
  const uint32_t part_tiles = (uint32_t)(some < most ? some : most);
  const uint32_t parts = (uint32_t)tiles_of(tiles, part_tiles);
  const uint32_t most_groups = tiles < part_tiles ? (uint32_t)tiles : part_tiles;
  for (uint32_t i = 0; i < passes * parts; i++) {
    steps[i] = *pass;
    if (steps[i].launch.groups > most_groups) steps[i].launch.groups = most_groups;
    steps[i].part_tiles = part_tiles;
    steps[i].part = i % parts;
    steps[i].pass = i / parts;
  }
  return (int)(passes * parts);
}
