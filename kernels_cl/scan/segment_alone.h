/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmented reductions in one launch: how many segments end before a tile, and the last work-group, which completes the
 * segments that lie in several tiles. */
#ifndef SCANRT_CL_SEGMENT_ALONE_H
#define SCANRT_CL_SEGMENT_ALONE_H

#include "scan/segment_groups.h"
#include "scan/segment_marks.h"
#include "scan/segment_state.h"

/* Local memory: the results of a work-group's tile, and then, in the last work-group, the tree of a group of tiles. */
typedef union scanrt_alone_room {
  scanrt_stage stage;
  scanrt_value_t tree[2 * GROUP_TILES];
#if VECTORS_ARE_FILLED
  scanrt_direct_room direct;
#endif
} scanrt_alone_room;

typedef struct scanrt_alone_edges {
  scanrt_u64 edge[2];
  scanrt_u32 below[2], is_last;
} scanrt_alone_edges;

/* Finds how many segments end before the tile, and before the one behind it. One part of the work-group looks for each,
 * by PROBES ends at a time. */
#define PROBES (SCAN_GROUP_ITEMS / 2)
FUNC void scanrt_edges_find(GLOBAL const scanrt_u8 *ends, scanrt_u64 count, scanrt_u64 tile_begin, scanrt_u64 n,
                            scanrt_u32 flags, LOCAL scanrt_alone_edges *found) {
  const scanrt_u32 part = ITEM() / PROBES;
  const scanrt_u64 least = tile_begin + part * TILE_ITEMS + 1;
  scanrt_u64 at = 0, end = count;
  if (part == 0 && tile_begin == 0) end = 0;
  if (part == 1 && tile_begin + TILE_ITEMS >= n) at = count;
  for (scanrt_u64 left = count; left > 0; left /= PROBES + 1) {
    const scanrt_u64 step = (end - at) / (PROBES + 1) + 1, probe = at + (ITEM() % PROBES + 1) * step - 1;
    if (ITEM() < 2) found->below[ITEM()] = 0;
    BARRIER();
    if (probe < end && scanrt_offset_read(ends, probe, n, flags) < least) ATOMIC_INC_LOCAL(found->below + part);
    BARRIER();
    at += found->below[part] * step;
    if (end - at >= step) end = at + (step - 1);
    BARRIER();
  }
  if (ITEM() % PROBES == 0) found->edge[part] = at;
  BARRIER();
}

/* Returns 1 in the work-group that comes here last, if any has values for others. It sees what all have written, and
 * clears the counter. */
FUNC scanrt_u32 scanrt_is_last_group(GLOBAL scanrt_u32 *done, scanrt_u32 groups, scanrt_u32 has_values,
                                     LOCAL scanrt_u32 *is_last) {
  if (has_values) FENCE();
  BARRIER();
  if (ITEM() == 0) {
    const scanrt_u32 own = has_values ? 0x10001u : 1u, all = ATOMIC_ADD(done, own) + own,
                     ends = (all & 0xffffu) == groups;
    *is_last = ends && all > 0xffffu;
    if (ends) ATOMIC_STORE(done, 0u);
  }
  BARRIER();
  FENCE();
  return *is_last;
}

/* Memory that the last work-group reads and writes. */
typedef struct scanrt_alone_end {
  GLOBAL const scanrt_u8 *begins, *ends;
  GLOBAL const scanrt_u64 *edges;
  GLOBAL scanrt_u32 *is_shared; /* segment_direct: 1 for tiles that have values, else 0; no memory: all have */
  GLOBAL scanrt_u32 *crossing;  /* segment_ranges: a word for each group of tiles */
  GLOBAL scanrt_kept_t *tiles;
  GLOBAL scanrt_output_t *to;
} scanrt_alone_end;

/* Completes the segments that begin before the tile in which they end, in the tiles of one group; with `is_shared` only
 * long ones. `before` precedes the group. With `crossing`, which says for each group 1 + a tile or 0, `before` is not
 * known yet: the segment that begins before the group is left, and what precedes its tile in the group replaces the
 * tile's value. Returns the group's total. */
FUNC scanrt_value_t scanrt_group_finish(const scanrt_job *job, const scanrt_alone_end *e, scanrt_u32 first_tile,
                                        scanrt_value_t before, scanrt_u32 flags, LOCAL scanrt_value_t *tree) {
  const scanrt_u32 tile = first_tile + ITEM();
  scanrt_u32 is_there = ITEM() < GROUP_TILES && tile < job->tiles;
  if (ITEM() < GROUP_TILES) tree[ITEM()] = is_there ? VALUE_KEPT(e->tiles[tile]) : IDENTITY;
  if (e->is_shared && is_there) {
    is_there = e->is_shared[tile];
    e->is_shared[tile] = 0;
  }
  const scanrt_u64 first = is_there ? e->edges[tile] : 0, end = is_there ? e->edges[tile + 1] : 0;
  scanrt_open_segment open =
      scanrt_open_segment_of(e->begins, e->ends, first, end, (scanrt_u64)tile * TILE_ITEMS, job->n, flags);
#if VECTORS_ARE_FILLED
  if (e->is_shared && open.is_open)
    open.is_open = scanrt_span_is_long(scanrt_span_read(e->begins, e->ends, first, job->n, flags));
#endif
  const scanrt_raw_t raw = scanrt_open_segment_load(job, &open);
  scanrt_tree_grow(tree);
  if (open.is_open) {
    const scanrt_value_t own = scanrt_combine(before, scanrt_tree_before(tree));
    if (e->crossing && !(own.there & STARTS_WITHIN)) {
      e->tiles[tile] = KEPT_OF(own);
      e->crossing[first_tile / GROUP_TILES] = tile + 1;
    } else {
      const scanrt_value_t start = scanrt_combine(own, VALUE_KEPT(e->tiles[job->tiles + tile]));
      e->to[first] = scanrt_segment_result(job, raw, start, open.last);
    }
  }
  return tree[LEVEL_FIRST(GROUP_LEVELS)];
}

/* Completes the segments of all groups, one group after another; `before` precedes the first. */
FUNC void scanrt_alone_finish(const scanrt_job *job, const scanrt_alone_end *e, scanrt_value_t before, scanrt_u32 flags,
                              LOCAL scanrt_value_t *tree) {
  for (scanrt_u32 first_tile = 0; first_tile < job->tiles; first_tile += GROUP_TILES) {
    before = scanrt_combine(before, scanrt_group_finish(job, e, first_tile, before, flags, tree));
    BARRIER();
  }
}
#endif
