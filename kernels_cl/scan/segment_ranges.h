/* SPDX-License-Identifier: BSD-2-Clause */
/* A segmented reduction of many tiles in one launch. A work-group reduces consecutive tiles, so that it searches for
 * the ends of segments once. The work-group that reduces the last tile of a group of 128 completes the segments that
 * begin in the group, and the work-group that completes the last group those that cross groups. No work-group waits
 * for another. */
#ifndef SCANRT_CL_SEGMENT_RANGES_H
#define SCANRT_CL_SEGMENT_RANGES_H

#include "scan/segment_alone.h"

/* The state (segment_state.h): word 0 counts finished groups of tiles, words from RANGES_REDUCED on the reduced tiles
 * of each group, and words from RANGES_CROSSING on say in which tile the segment ends that begins before the group. */
#define RANGES_REDUCED (SEGMENT_SHARED_BYTES / 4)
#define RANGES_CROSSING (RANGES_REDUCED + SEGMENT_RANGES_GROUPS)

/* Returns the index in [at, end) of the first end that is `least` or larger; `end` if there is none. The work-group
 * reads SCAN_GROUP_ITEMS of them, `step` apart, and searches on between two. */
FUNC scanrt_u64 scanrt_edge_search(GLOBAL const scanrt_u8 *ends, scanrt_u64 at, scanrt_u64 end, scanrt_u64 step,
                                   scanrt_u64 least, scanrt_u64 n, scanrt_u32 flags, LOCAL scanrt_u32 *found) {
  while (at < end) {
    const scanrt_u64 probe = at + (ITEM() + 1) * step - 1;
    if (ITEM() == 0) *found = 0;
    BARRIER();
    const scanrt_u32 lanes = WARP_BALLOT(probe < end && scanrt_offset_read(ends, probe, n, flags) < least);
    if (ITEM() % 32 == 0) (void)ATOMIC_ADD_LOCAL(found, BITS_SET(lanes));
    BARRIER();
    at += *found * step;
    if (*found < SCAN_GROUP_ITEMS && end - at >= step) end = at + (step - 1);
    step = (end - at) / (SCAN_GROUP_ITEMS + 1) + 1;
    BARRIER();
  }
  return at;
}

/* Returns how many segments end before a tile. */
FUNC scanrt_u64 scanrt_edge_find(const scanrt_job *job, GLOBAL const scanrt_u8 *ends, scanrt_u64 count, scanrt_u32 tile,
                                 scanrt_u32 flags, LOCAL scanrt_u32 *found) {
  if (tile == 0) return 0;
  return scanrt_edge_search(ends, 0, count, count / (SCAN_GROUP_ITEMS + 1) + 1, tile * TILE_ITEMS + 1, job->n, flags,
                            found);
}

/* Segment first + ITEM() of a tile's first segment on: its begin and end from the tile's begin (scanrt_offset_within).
 * The next tile's are loaded before a tile is reduced, so that no tile waits for them. */
typedef struct scanrt_window {
  scanrt_u32 begin, end;
} scanrt_window;

/* Numbers that the work-group has of a window: each warp's segments that end in the tile, and where the first begins.
 */
typedef struct scanrt_window_found {
  scanrt_u32 below[WARPS], head;
} scanrt_window_found;

/* Loads the window of a tile; s->stop is the number of all segments. */
FUNC scanrt_window scanrt_window_load(const scanrt_tile_spans *s) {
  const scanrt_u64 own = s->first + ITEM();
  scanrt_window w = { 0xffffffffu, 0xffffffffu };
  if (own >= s->stop) return w;
  w.begin = scanrt_offset_within(s, s->begins, own, s->is_wide);
  w.end = scanrt_offset_within(s, s->ends, own, s->is_wide);
  return w;
}

/* Returns the spans of the next tile before its window is closed: `stop` is the number of all segments. */
FUNC scanrt_tile_spans scanrt_spans_next(const scanrt_tile_spans *s, scanrt_u64 count) {
  scanrt_tile_spans next = *s;
  next.first = s->end;
  next.stop = count;
  next.tile_begin += TILE_ITEMS;
  return next;
}

/* Sets the end of the tile's segments; returns the begin of the first one. */
FUNC scanrt_u32 scanrt_window_close(const scanrt_job *job, scanrt_tile_spans *s, const scanrt_window *w,
                                    scanrt_u32 tile, scanrt_u64 count, scanrt_u32 flags,
                                    LOCAL scanrt_window_found *found) {
  const scanrt_u32 lanes = WARP_BALLOT(w->end <= (scanrt_u32)TILE_ITEMS);
  scanrt_u32 all = 0;
  if (ITEM() % 32 == 0) found->below[ITEM() / 32] = BITS_SET(lanes);
  if (ITEM() == 0) found->head = w->begin;
  BARRIER();
  UNROLL
  for (scanrt_u32 k = 0; k < WARPS; k++) all += found->below[k];
  const scanrt_u32 head = found->head;
  s->end = s->first + all;
  if (all == SCAN_GROUP_ITEMS) {
    BARRIER();
    s->end = scanrt_edge_search(s->ends, s->end, count, 1, (tile + 1) * TILE_ITEMS + 1, job->n, flags, found->below);
  }
  if (tile + 1 == job->tiles) s->end = count;
  s->stop = s->end < count ? s->end + 1 : count;
  return head;
}

/* scanrt_tile_mark and scanrt_tile_spans_store for fewer segments than work-items, by the window. */
FUNC void scanrt_window_mark(const scanrt_tile_spans *s, const scanrt_window *w, scanrt_u32 head,
                             LOCAL scanrt_u8 *stage) {
  scanrt_marks_clear(stage);
  if (ITEM() == 0) scanrt_element_mark(head, stage);
  if (ITEM() < s->end - s->first) scanrt_element_mark(w->end, stage);
  if (s->has_holes && ITEM() < s->stop - s->first) scanrt_element_mark(w->begin, stage);
  BARRIER();
}

FUNC void scanrt_window_store(const scanrt_job *job, const scanrt_tile_spans *s, const scanrt_window *w,
                              scanrt_u32 flags, LOCAL const scanrt_u8 *stage, GLOBAL scanrt_output_t *to) {
  const scanrt_u64 own = s->first + ITEM();
  if (own >= s->end) return;
  scanrt_segment_store(job, w->begin, w->end, own, flags, stage, to);
}

/* Completes the segments that cross groups of tiles. */
FUNC void scanrt_crossing_finish(const scanrt_job *job, const scanrt_alone_end *e, scanrt_u32 groups, scanrt_u32 flags,
                                 LOCAL scanrt_value_t *part) {
  const scanrt_u32 crossing = ITEM() < groups ? e->crossing[ITEM()] : 0, tile = crossing ? crossing - 1 : 0;
  if (ITEM() < groups) {
    part[ITEM()] = VALUE_KEPT(e->tiles[2 * (scanrt_u64)job->tiles + ITEM()]);
    e->crossing[ITEM()] = 0;
  }
  const scanrt_u64 first = crossing ? e->edges[tile] : 0;
  const scanrt_open_segment open =
      scanrt_open_segment_of(e->begins, e->ends, first, first + (crossing != 0), tile * TILE_ITEMS, job->n, flags);
  const scanrt_raw_t raw = scanrt_open_segment_load(job, &open);
  BARRIER();
  if (!crossing) return;
  const scanrt_value_t before = scanrt_part_fold(IDENTITY, part, ITEM());
  const scanrt_value_t own = scanrt_combine(before, VALUE_KEPT(e->tiles[tile]));
  const scanrt_value_t start = scanrt_combine(own, VALUE_KEPT(e->tiles[job->tiles + tile]));
  e->to[first] = scanrt_segment_result(job, raw, start, open.last);
}

/* Ends the launch for a work-group that has reduced tiles [first_tile, end_tile). */
FUNC void scanrt_ranges_finish(const scanrt_job *job, const scanrt_alone_end *e, GLOBAL scanrt_u32 *state,
                               scanrt_u32 first_tile, scanrt_u32 end_tile, scanrt_u32 flags, LOCAL scanrt_value_t *tree,
                               LOCAL scanrt_u32 *found) {
  const scanrt_u32 groups = (job->tiles - 1) / GROUP_TILES + 1;
  NO_UNROLL
  for (scanrt_u32 g = first_tile / GROUP_TILES; g * GROUP_TILES < end_tile; g++) {
    const scanrt_u32 begin = g * GROUP_TILES, end = job->tiles - begin < GROUP_TILES ? job->tiles : begin + GROUP_TILES;
    const scanrt_u32 own = (end_tile < end ? end_tile : end) - (first_tile > begin ? first_tile : begin);
    if (!scanrt_is_last_part(state + RANGES_REDUCED + g, own, end - begin, found)) continue;
    const scanrt_value_t total = scanrt_group_finish(job, e, begin, IDENTITY, flags, tree);
    if (ITEM() == 0) e->tiles[2 * (scanrt_u64)job->tiles + g] = KEPT_OF(total);
    if (scanrt_is_last_part(state, 1, groups, found)) scanrt_crossing_finish(job, e, groups, flags, tree);
  }
}
#endif
