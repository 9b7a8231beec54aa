/* SPDX-License-Identifier: BSD-2-Clause */
/* A segmented reduction that reads the values once, in work-groups. segment_totals scans a tile by itself, in local
 * memory, and stores the results of the segments that begin and end in it. At most one segment ends in a tile without
 * beginning there. What precedes the vector of its last element within the tile goes to the workspace, behind the
 * tiles' aggregates; segment_groups makes prefixes of these, and segment_finish combines both. No work-group waits for
 * another. */
#include "scan/group_tree.h"
#include "scan/segment_results.h"

#define TILE_WORDS ((scanrt_u32)(TILE_ROWS * ROW_ITEMS) / 32)
/* Segments that a work-item reads at once. */
#define SPANS_AT_ONCE 8
#ifndef __OPENCL_VERSION__ /* work-groups of a multiprocessor, one segment on an H200: 2: 503 us, 4: 485, 5: 850 */
#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT 4
#endif
/* Tiles between one and the one that its work-group prefetches. */
#define TILES_AHEAD 512

/* The value before vector i of the work-item, within its tile. */
#if VECTORS_ARE_FILLED
#define STAGED_START(t, i) scanrt_tile_start((t), scanrt_value_none(), (i))
#else
#define STAGED_START(t, i) TILE_BEFORE(t, i)
#endif

/* The marks of a tile: a bit for each element that begins a segment; for each sub-tile, 1 if a segment ends in it. */
typedef struct scanrt_tile_marks {
  scanrt_u32 words[TILE_WORDS], sub_ends[SCAN_SUBTILES];
} scanrt_tile_marks;

/* Scans the tile into `stage`. Keeps what precedes the vector that has element `open` of the tile, if that exists. */
FUNC void scanrt_tile_stage(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_u64 open,
                            GLOBAL scanrt_kept_t *before, LOCAL scanrt_output_vector *stage) {
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_u32 vector = (ITEM() / 32 * ROWS + i) * ROW_VECS + ITEM() % 32;
    const scanrt_value_t start = STAGED_START(t, i);
    stage[vector].raw = scanrt_vector_scan(job, TILE_VECTOR(job, tile, t, i), start);
    if (open / VEC_ITEMS == vector) before[tile] = KEPT_OF(start);
  }
}

/* Marks in local memory the elements of a tile at which segments begin, a byte each, or a bit each if `byte` is 0, and
 * the sub-tiles in which one ends. The `most` segments from `i` on are read at once; those from `end` on do not end in
 * the tile. */
FUNC void scanrt_segments_mark(GLOBAL const scanrt_u8 *begins, GLOBAL const scanrt_u8 *ends, scanrt_u64 i,
                               scanrt_u64 end, scanrt_u64 n, scanrt_u64 tile_begin, scanrt_u32 flags, scanrt_u32 most,
                               LOCAL scanrt_u8 *byte, LOCAL scanrt_tile_marks *marks) {
  scanrt_u64 begin[SPANS_AT_ONCE], last[SPANS_AT_ONCE];
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) {
    begin[k] = scanrt_offset_read(begins, i + k * SCAN_GROUP_ITEMS, n, flags) - tile_begin;
    last[k] = i + k * SCAN_GROUP_ITEMS < end
                  ? scanrt_offset_read(ends, i + k * SCAN_GROUP_ITEMS, n, flags) - 1 - tile_begin
                  : TILE_ITEMS;
  }
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) {
    if (begin[k] < TILE_ITEMS) {
      const scanrt_u32 at = (scanrt_u32)begin[k];
      if (byte)
        byte[at] = 1;
      else
        ATOMIC_OR_LOCAL(marks->words + at / 32, 1u << (at % 32));
    }
    if (last[k] < TILE_ITEMS) marks->sub_ends[(scanrt_u32)last[k] / (SUBTILE_ROWS * ROW_ITEMS)] = 1;
  }
}

/* Returns the job with the tile's marks as bits. OpenCL's kernels read them from the device's memory, where each
 * work-group writes its own. */
FUNC scanrt_job scanrt_tile_mark(scanrt_job job, GLOBAL const scanrt_u8 *begins, GLOBAL const scanrt_u8 *ends,
                                 scanrt_u64 first, scanrt_u64 end, scanrt_u64 count, scanrt_u64 tile_begin,
                                 scanrt_u32 flags, LOCAL scanrt_u32 *byte4, LOCAL scanrt_tile_marks *marks) {
  const scanrt_u64 stop = end < count ? end + 1 : count; /* the segment behind may begin in the tile */
  scanrt_u64 i = first + ITEM();
  if (ITEM() < SCAN_SUBTILES) marks->sub_ends[ITEM()] = 0;
  if (stop < first + SPANS_AT_ONCE * SCAN_GROUP_ITEMS) {
    for (scanrt_u32 w = ITEM(); w < TILE_WORDS; w += SCAN_GROUP_ITEMS) marks->words[w] = 0;
    BARRIER();
    for (; i < stop; i += SCAN_GROUP_ITEMS)
      scanrt_segments_mark(begins, ends, i, end, job.n, tile_begin, flags, 1, 0, marks);
    BARRIER();
  } else {
    for (scanrt_u32 w = ITEM(); w < 8 * TILE_WORDS; w += SCAN_GROUP_ITEMS) byte4[w] = 0;
    BARRIER();
    for (; i + (SPANS_AT_ONCE - 1) * SCAN_GROUP_ITEMS < stop; i += SPANS_AT_ONCE * SCAN_GROUP_ITEMS)
      scanrt_segments_mark(begins, ends, i, end, job.n, tile_begin, flags, SPANS_AT_ONCE, (LOCAL scanrt_u8 *)byte4,
                           marks);
    for (; i < stop; i += SCAN_GROUP_ITEMS)
      scanrt_segments_mark(begins, ends, i, end, job.n, tile_begin, flags, 1, (LOCAL scanrt_u8 *)byte4, marks);
    BARRIER();
    for (scanrt_u32 w = ITEM(); w < TILE_WORDS; w += SCAN_GROUP_ITEMS) {
      scanrt_u32 word = 0;
      UNROLL
      for (scanrt_u32 k = 0; k < 8; k++) word |= BITS_OF(byte4[w * 8 + k]) << (4 * k);
      marks->words[w] = word;
    }
  }
#ifdef __OPENCL_VERSION__
  BARRIER();
  for (scanrt_u32 w = ITEM(); w < TILE_WORDS; w += SCAN_GROUP_ITEMS)
    ((GLOBAL scanrt_u32 *)job.segment_flags)[tile_begin / 32 + w] = marks->words[w];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#else
  BARRIER();
  job.segment_flags = (const scanrt_u8 *)marks->words - tile_begin / 8;
#endif
  return job;
}

/* Stores the results of `most` segments from `i` on that end in the tile, but for one that begins before it. */
FUNC void scanrt_segments_store(const scanrt_job *job, GLOBAL const scanrt_u8 *begins, GLOBAL const scanrt_u8 *ends,
                                scanrt_u64 i, scanrt_u64 tile_begin, scanrt_u32 flags, scanrt_u32 most,
                                LOCAL const scanrt_output_vector *stage, GLOBAL scanrt_output_t *to) {
  scanrt_span span[SPANS_AT_ONCE];
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++)
    span[k] = scanrt_span_read(begins, ends, i + k * SCAN_GROUP_ITEMS, job->n, flags);
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) {
    const scanrt_u64 last = span[k].end - 1 - tile_begin;
    if (span[k].begin >= span[k].end) {
      if (flags & FLAG_STARTS) to[i + k * SCAN_GROUP_ITEMS] = scanrt_output_empty(job);
    } else if (span[k].begin >= tile_begin && last < TILE_ITEMS) {
      to[i + k * SCAN_GROUP_ITEMS] = stage[(scanrt_u32)last / VEC_ITEMS].x[(scanrt_u32)last % VEC_ITEMS];
    }
  }
}

KERNEL(segment_totals)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
  LOCAL_ARRAY(scanrt_output_vector, stage, TILE_ROWS * ROW_VECS);
  LOCAL_ARRAY(scanrt_tile_marks, marks, 1);
  const scanrt_job made = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  GLOBAL const scanrt_u64 *edges = (GLOBAL const scanrt_u64 *)MEMORY(places);
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  const scanrt_u32 tile = GROUP();
  const scanrt_u64 first = edges[tile], end = edges[tile + 1], tile_begin = tile * TILE_ITEMS;
  scanrt_tile_state state;
  scanrt_tile_prefetch(&made, tile);
  if (tile + TILES_AHEAD < made.tiles) scanrt_tile_prefetch(&made, tile + TILES_AHEAD);
  const scanrt_job job = scanrt_tile_mark(made, MEMORY(marks), MEMORY(ends), first, end, count, tile_begin, flags,
                                          (LOCAL scanrt_u32 *)stage, marks);
  scanrt_tile_load(&job, tile, &state);
  scanrt_u64 open = TILE_ITEMS;
  if (first < end) {
    const scanrt_span span = SPAN_READ(first);
    if (span.begin < tile_begin && span.end > tile_begin) open = span.end - 1 - tile_begin;
  }
  const scanrt_u32 is_scanned = marks->sub_ends[ITEM() / 32 * ROWS / SUBTILE_ROWS];
#if VECTORS_ARE_FILLED && WARP_HAS_SUBTILE
  const scanrt_value_t sub = is_scanned ? scanrt_warp_scan(&job, tile, &state) : scanrt_warp_fold(&job, tile, &state);
  if (ITEM() % 32 == 0) scratch->subs[ITEM() / 32] = sub;
  BARRIER();
  state.aggregate = scanrt_subtiles_fold(&state.sub_before, scratch);
  if (is_scanned) scanrt_tile_join(&state);
#else
  scanrt_tile_fold(&job, tile, &state, scratch);
  if (is_scanned) scanrt_tile_scan(&job, tile, &state);
#endif
  if (ITEM() == 0) tiles[tile] = KEPT_OF(state.aggregate);
  if (is_scanned) scanrt_tile_stage(&job, tile, &state, open, tiles + job.tiles, stage);
  BARRIER();
  scanrt_u64 i = first + ITEM();
  for (; i + (SPANS_AT_ONCE - 1) * SCAN_GROUP_ITEMS < end; i += SPANS_AT_ONCE * SCAN_GROUP_ITEMS)
    scanrt_segments_store(&job, MEMORY(marks), MEMORY(ends), i, tile_begin, flags, SPANS_AT_ONCE, stage, to);
  for (; i < end; i += SCAN_GROUP_ITEMS)
    scanrt_segments_store(&job, MEMORY(marks), MEMORY(ends), i, tile_begin, flags, 1, stage, to);
}

/* Replaces the aggregates of a group of 128 tiles by what precedes each in the group; behind the tiles' values it
 * writes the group's total. */
KERNEL(segment_groups)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, tree, 2 * GROUP_TILES);
  const scanrt_job job = JOB();
  GLOBAL scanrt_kept_t *tiles = (GLOBAL scanrt_kept_t *)MEMORY(workspace);
  const scanrt_u64 tile = (scanrt_u64)GROUP() * GROUP_TILES + ITEM();
  const scanrt_u32 is_there = ITEM() < GROUP_TILES && tile < job.tiles;
  (void)count;
  if (ITEM() < GROUP_TILES) tree[ITEM()] = is_there ? VALUE_KEPT(tiles[tile]) : IDENTITY;
  scanrt_tree_grow(tree);
  if (is_there) tiles[tile] = KEPT_OF(scanrt_tree_before(tree));
  if (ITEM() == 0) tiles[2 * (scanrt_u64)job.tiles + GROUP()] = KEPT_OF(tree[LEVEL_FIRST(GROUP_LEVELS)]);
}

/* Returns the fold of all groups before the work-item's tile. Every work-item of the work-group calls it. */
FUNC scanrt_value_t scanrt_groups_before(GLOBAL const scanrt_kept_t *totals, scanrt_u64 tile, scanrt_value_t seed,
                                         LOCAL scanrt_value_t *part) {
  const scanrt_u64 own = tile / GROUP_TILES, last = (tile - ITEM() + (SCAN_GROUP_ITEMS - 1)) / GROUP_TILES;
  scanrt_value_t before = seed;
  for (scanrt_u64 first = 0; first < last; first += GROUP_TILES) {
    BARRIER();
    if (ITEM() < GROUP_TILES && first + ITEM() < last) part[ITEM()] = VALUE_KEPT(totals[first + ITEM()]);
    BARRIER();
    for (scanrt_u32 k = 0; k < GROUP_TILES && first + k < own; k++) before = scanrt_combine(before, part[k]);
  }
  return before;
}

KERNEL(segment_finish)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, part, GROUP_TILES);
  const scanrt_job job = JOB();
  GLOBAL const scanrt_kept_t *tiles = (GLOBAL const scanrt_kept_t *)MEMORY(workspace);
  GLOBAL const scanrt_u64 *edges = (GLOBAL const scanrt_u64 *)MEMORY(places);
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  const scanrt_u64 tile = (scanrt_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM();
  const scanrt_value_t groups = scanrt_groups_before(tiles + 2 * (scanrt_u64)job.tiles, tile, SEED(), part);
  if (tile >= job.tiles) return;
  const scanrt_u64 first = edges[tile], tile_begin = tile * TILE_ITEMS;
  if (first == edges[tile + 1]) return;
  const scanrt_span span = SPAN_READ(first);
  if (span.begin >= tile_begin || span.end <= tile_begin) return;
  const scanrt_value_t prefix = scanrt_combine(groups, VALUE_KEPT(tiles[tile]));
  const scanrt_value_t start = scanrt_combine(prefix, VALUE_KEPT(tiles[(scanrt_u64)job.tiles + tile]));
  scanrt_output_vector vector;
  const scanrt_u64 last = span.end - 1;
  scanrt_raw_t raw = scanrt_vector_load_guarded(&job, last / VEC_ITEMS * VEC_ITEMS);
  raw.segment_bits = scanrt_segment_bits_from(0, VEC_ITEMS); /* no segment begins before the last element */
  vector.raw = scanrt_vector_scan(&job, raw, start);
  to[first] = vector.x[last % VEC_ITEMS];
}
