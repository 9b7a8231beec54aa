/* SPDX-License-Identifier: BSD-2-Clause */
/* A segmented reduction that reads the values once, in work-groups. segment_totals scans a tile by itself, in local
 * memory, and stores the results of the segments that begin and end in it. At most one segment ends in a tile without
 * beginning there. What precedes the vector of its last element within the tile goes to the workspace, behind the
 * tiles' aggregates; segment_groups makes prefixes of these, and segment_finish combines both. Of few tiles one launch,
 * segment_alone, does all. No work-group waits for another. */
#include "scan/segment_groups.h"
#include "scan/segment_marks.h"
#include "scan/segment_state.h"
#if REDUCES_BY_WARPS
/* Results lie in the tile's order, behind the pads of their sub-tiles. */
typedef LOCAL scanrt_u8 *scanrt_results;
FUNC void scanrt_vector_put(scanrt_results results, scanrt_u32 i, const scanrt_stage_vector *x, scanrt_u32 open) {
  (void)open;
  *(LOCAL scanrt_stage_vector *)(results + ITEM() / 32 * SUB_BYTES +
                                 STAGE_AT(i * ROW_ITEMS + ITEM() % 32 * VEC_ITEMS)) = *x;
}
FUNC void scanrt_result_put(scanrt_results results, scanrt_u32 at, scanrt_bare_t x) {
  *(LOCAL scanrt_bare_t *)(results + ITEM() / 32 * SUB_BYTES + STAGE_AT(at)) = x;
}
#include "scan/segment_warp.h"
#endif
#if VECTORS_ARE_FILLED
#include "scan/segment_direct.h"
#endif

#ifndef __OPENCL_VERSION__ /* work-groups of a multiprocessor */
#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT 4
#endif

/* The tiles' values. */
#define KEPT_TILES(workspace) ((GLOBAL scanrt_kept_t *)((workspace) + SEGMENT_STATE_BYTES))

#if REDUCES_BY_WARPS
/* Returns the lane's marks, which the work-group has written as bytes. */
FUNC scanrt_lane_marks scanrt_lane_marks_read(LOCAL const scanrt_u8 *stage) {
  const scanrt_u32 lane = ITEM() % 32, sub = ITEM() / 32;
  LOCAL const scanrt_u8 *byte = stage + sub * SUB_BYTES + lane * VEC_ITEMS;
  scanrt_lane_marks m;
  UNROLL
  for (scanrt_u32 g = 0; g < MARK_GROUPS; g++) {
    m.bits[g] = 0;
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) {
#if VEC_ITEMS >= 4
      m.bits[g] |= ((LOCAL const scanrt_u32 *)(byte + i * ROW_ITEMS))[g] << i;
#elif VEC_ITEMS == 2
      m.bits[g] |= (scanrt_u32) * (LOCAL const scanrt_u16 *)(byte + i * ROW_ITEMS) << i;
#else
      m.bits[g] |= (scanrt_u32)byte[i * ROW_ITEMS] << i;
#endif
    }
  }
  m.next = stage[(sub + 1) * SUB_BYTES];
  return m;
}

/* Returns the lane's marks of a tile whose segments are marked by scanrt_tile_mark. `head` is the begin of its first
 * segment. */
FUNC scanrt_lane_marks scanrt_tile_marks(const scanrt_tile_spans *s, scanrt_u32 head, LOCAL scanrt_u8 *stage) {
  if (s->first == s->end && head > TILE_ITEMS) return scanrt_lane_marks_none();
  scanrt_tile_mark(s, head, stage);
  return scanrt_lane_marks_read(stage);
}

/* Reduces a tile whose elements are loaded; writes its aggregate. */
FUNC void scanrt_segments_reduce(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *state,
                                 const scanrt_lane_marks *m, GLOBAL scanrt_kept_t *tiles,
                                 LOCAL scanrt_tile_scratch *scratch, LOCAL scanrt_open_end *open,
                                 LOCAL scanrt_u8 *stage) {
  scanrt_u32 last;
  const scanrt_value_t sub = scanrt_subtile_reduce(job, tile, state, m, &last, open + ITEM() / 32, stage);
  if (ITEM() % 32 == 0) scratch->subs[ITEM() / 32] = sub;
  BARRIER();
  const scanrt_u32 closes = last != NO_END && last / VEC_ITEMS % 32 == ITEM() % 32;
  if (ITEM() == 0 || closes) {
    scanrt_value_t sub_before;
    const scanrt_value_t aggregate = scanrt_subtiles_fold(&sub_before, scratch);
    if (ITEM() == 0) tiles[tile] = KEPT_OF(aggregate);
    if (closes) scanrt_open_end_close(open + ITEM() / 32, last, sub_before, stage, tiles + job->tiles + tile);
  }
}
#else
/* The value before vector i of the work-item, within its tile. */
#if VECTORS_ARE_FILLED
#define STAGED_START(t, i) scanrt_tile_start((t), scanrt_value_none(), (i))
#else
#define STAGED_START(t, i) TILE_BEFORE(t, i)
#endif

/* Scans the tile into `stage`. Keeps what precedes the vector that has element `open` of the tile, if that exists. */
FUNC void scanrt_tile_stage(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_u64 open,
                            GLOBAL scanrt_kept_t *before, LOCAL scanrt_u8 *stage) {
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_u32 vector = (ITEM() / 32 * ROWS + i) * ROW_VECS + ITEM() % 32;
    const scanrt_value_t start = STAGED_START(t, i);
    const scanrt_raw_t raw = TILE_VECTOR(job, tile, t, i);
    scanrt_bare_t sum = start.v;
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      if (k < raw.count) sum = NEXT(raw, sum, scanrt_vector_bare(raw, k), k);
      *(LOCAL scanrt_bare_t *)(stage + STAGE_AT(vector * VEC_ITEMS + k)) = sum;
    }
    if (open / VEC_ITEMS == vector) before[tile] = KEPT_OF(start);
  }
}

/* Returns the job with the tile's marks as bits. OpenCL's kernels read them from the device's memory, where each
 * work-group writes its own. */
FUNC scanrt_job scanrt_job_marked(scanrt_job job, scanrt_u64 tile_begin, LOCAL const scanrt_u8 *stage,
                                  LOCAL scanrt_u32 *words) {
  for (scanrt_u32 w = ITEM(); w < TILE_ITEMS / 32; w += SCAN_GROUP_ITEMS) {
    LOCAL const scanrt_u32 *byte4 = (LOCAL const scanrt_u32 *)(stage + MARK_AT(w * 32));
    scanrt_u32 word = 0;
    UNROLL
    for (scanrt_u32 k = 0; k < 8; k++) word |= BITS_OF(byte4[k]) << (4 * k);
#ifdef __OPENCL_VERSION__
    if (tile_begin + w * 32 < job.n) ((GLOBAL scanrt_u32 *)job.segment_flags)[tile_begin / 32 + w] = word;
#else
    words[w] = word;
#endif
  }
#ifdef __OPENCL_VERSION__
  (void)words;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#else
  BARRIER();
  job.segment_flags = (const scanrt_u8 *)words - tile_begin / 8;
#endif
  return job;
}
#endif

/* Memory that a work-group shares. */
typedef struct scanrt_totals_local {
  LOCAL scanrt_tile_scratch *scratch;
  LOCAL scanrt_u8 *stage;
#if REDUCES_BY_WARPS
  LOCAL scanrt_open_end *open;
#else
  LOCAL scanrt_u32 *words;
#endif
} scanrt_totals_local;

#if REDUCES_BY_WARPS
#define TOTALS_LOCAL(name, stage_bytes)                                                                                \
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);                                                                        \
  LOCAL_ARRAY(scanrt_open_end, open, WARPS);                                                                           \
  const scanrt_totals_local name = { scratch, stage_bytes, open }
#else
#define TOTALS_LOCAL(name, stage_bytes)                                                                                \
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);                                                                        \
  LOCAL_ARRAY(scanrt_u32, words, TILE_ROWS *ROW_ITEMS / 32);                                                           \
  const scanrt_totals_local name = { scratch, stage_bytes, words }
#endif

/* Stores the results of the segments that begin and end in a tile; writes its aggregate, and what precedes the end of
 * the one that begins before it. `state` is loaded where warps reduce. */
FUNC void scanrt_tile_totals(const scanrt_job *made, scanrt_u32 tile, scanrt_tile_state *state,
                             const scanrt_tile_spans *spans, scanrt_u64 count, scanrt_u32 flags,
                             GLOBAL scanrt_kept_t *tiles, GLOBAL scanrt_output_t *to, scanrt_totals_local room) {
  const scanrt_u32 head = scanrt_spans_head(spans, count);
#if REDUCES_BY_WARPS
  const scanrt_lane_marks m = scanrt_tile_marks(spans, head, room.stage);
  scanrt_segments_reduce(made, tile, state, &m, tiles, room.scratch, room.open, room.stage);
  if (spans->first == spans->end) return;
#else
  scanrt_tile_mark(spans, head, room.stage);
  const scanrt_job job = scanrt_job_marked(*made, spans->tile_begin, room.stage, room.words);
  scanrt_tile_load(&job, tile, state);
  scanrt_u64 open = TILE_ITEMS;
  if (spans->first < spans->end) {
    const scanrt_span span = scanrt_span_read(spans->begins, spans->ends, spans->first, job.n, flags);
    if (span.begin < spans->tile_begin && span.end > spans->tile_begin) open = span.end - 1 - spans->tile_begin;
  }
  scanrt_tile_fold(&job, tile, state, room.scratch);
  scanrt_tile_scan(&job, tile, state);
  if (ITEM() == 0) tiles[tile] = KEPT_OF(state->aggregate);
  scanrt_tile_stage(&job, tile, state, open, tiles + job.tiles, room.stage);
#endif
  BARRIER();
  if (spans->is_wide)
    scanrt_tile_spans_store(made, spans, flags, 1, room.stage, to);
  else
    scanrt_tile_spans_store(made, spans, flags, 0, room.stage, to);
}

KERNEL(segment_totals)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_stage, stage, 1);
  TOTALS_LOCAL(shared, stage->byte);
  const scanrt_job made = JOB();
  GLOBAL const scanrt_u64 *edges = (GLOBAL const scanrt_u64 *)MEMORY(places);
  const scanrt_u32 tile = GROUP();
  scanrt_tile_state state;
#if REDUCES_BY_WARPS
  scanrt_tile_load(&made, tile, &state);
#endif
  const scanrt_tile_spans spans = scanrt_tile_spans_make(MEMORY(marks), MEMORY(ends), edges[tile], edges[tile + 1],
                                                         count, tile * TILE_ITEMS, flags);
  scanrt_tile_totals(&made, tile, &state, &spans, count, flags, KEPT_TILES(MEMORY(workspace)),
                     (GLOBAL scanrt_output_t *)MEMORY(totals), shared);
}

KERNEL(segment_groups)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, tree, 2 * GROUP_TILES);
  const scanrt_job job = JOB();
  (void)count;
  scanrt_group_prefixes(&job, KEPT_TILES(MEMORY(workspace)), tree);
}

/* The last element of a segment that ends in a tile and begins before it, if is_open. */
typedef struct scanrt_open_segment {
  scanrt_u64 last;
  scanrt_u32 is_open;
} scanrt_open_segment;

/* Returns the open segment of a tile in which the segments [first, end) end. */
FUNC scanrt_open_segment scanrt_open_segment_of(GLOBAL const scanrt_u8 *begins, GLOBAL const scanrt_u8 *ends,
                                                scanrt_u64 first, scanrt_u64 end, scanrt_u64 tile_begin, scanrt_u64 n,
                                                scanrt_u32 flags) {
  scanrt_open_segment open = { tile_begin, 0 };
  if (first < end) {
    const scanrt_span span = scanrt_span_read(begins, ends, first, n, flags);
    open.is_open = span.begin < tile_begin && span.end > tile_begin;
    open.last = span.end - 1;
  }
  return open;
}

/* Returns the vector of the open segment's last element. */
FUNC scanrt_raw_t scanrt_open_segment_load(const scanrt_job *job, const scanrt_open_segment *open) {
  return scanrt_vector_load_guarded(job, open->is_open ? open->last / VEC_ITEMS * VEC_ITEMS : 0);
}

/* Stores the results of segments that begin before the tile in which they end. */
KERNEL(segment_finish)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, part, GROUP_TILES);
  const scanrt_job job = JOB();
  GLOBAL const scanrt_kept_t *tiles = KEPT_TILES(MEMORY(workspace));
  GLOBAL const scanrt_u64 *edges = (GLOBAL const scanrt_u64 *)MEMORY(places);
  GLOBAL scanrt_output_t *to = (GLOBAL scanrt_output_t *)MEMORY(totals);
  const scanrt_u64 tile = (scanrt_u64)GROUP() * SCAN_GROUP_ITEMS + ITEM();
  const scanrt_u64 first = tile < job.tiles ? edges[tile] : 0, end = tile < job.tiles ? edges[tile + 1] : 0;
  const scanrt_open_segment open =
      scanrt_open_segment_of(MEMORY(marks), MEMORY(ends), first, end, tile * TILE_ITEMS, n, flags);
  scanrt_value_t own = IDENTITY, last_before = IDENTITY;
  if (first < end) {
    own = VALUE_KEPT(tiles[tile]);
    last_before = VALUE_KEPT(tiles[(scanrt_u64)job.tiles + tile]);
  }
  const scanrt_raw_t raw = scanrt_open_segment_load(&job, &open);
  const scanrt_value_t groups = scanrt_groups_before(tiles + 2 * (scanrt_u64)job.tiles, tile, SEED(), part);
  if (!open.is_open) return;
  to[first] = scanrt_segment_result(&job, raw, scanrt_combine(scanrt_combine(groups, own), last_before), open.last);
}

/* ---- few tiles ---- */

#include "scan/segment_alone.h"

/* Declares the job, the memory that a work-group shares, and that of a reduction in one launch. */
#define OPEN_ALONE()                                                                                                   \
  LOCAL_ARRAY(scanrt_alone_room, room, 1);                                                                             \
  TOTALS_LOCAL(shared, room->stage.byte);                                                                              \
  const scanrt_job job = JOB();                                                                                        \
  const scanrt_alone_end e = { (GLOBAL scanrt_u32 *)MEMORY(workspace), (GLOBAL scanrt_u64 *)MEMORY(places),            \
                               KEPT_TILES(MEMORY(workspace)), (GLOBAL scanrt_output_t *)MEMORY(totals) }

/* Returns scanrt_open_word of a tile. */
FUNC scanrt_u64 scanrt_spans_open(const scanrt_job *job, const scanrt_tile_spans *s) {
  if (s->first == s->end) return 0;
  return scanrt_open_word(job, s, scanrt_offset_within(s, s->begins, s->first, s->is_wide),
                          scanrt_offset_within(s, s->ends, s->first, s->is_wide));
}

/* Reduces the segments of few tiles, in one launch. */
KERNEL(segment_alone)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_alone_edges, found, 1);
  OPEN_ALONE();
  const scanrt_u32 own_tile = GROUP();
  scanrt_tile_state state;
#if REDUCES_BY_WARPS
  scanrt_tile_load(&job, own_tile, &state);
#endif
  scanrt_edges_find(MEMORY(ends), count, (scanrt_u64)own_tile * TILE_ITEMS, n, flags, found);
  const scanrt_tile_spans spans = scanrt_tile_spans_make(MEMORY(marks), MEMORY(ends), found->edge[0], found->edge[1],
                                                         count, own_tile * TILE_ITEMS, flags);
  scanrt_tile_totals(&job, own_tile, &state, &spans, count, flags, e.tiles, e.to, shared);
  if (job.tiles == 1) return;
  if (ITEM() == 0) e.opens[own_tile] = scanrt_spans_open(&job, &spans);
  if (scanrt_is_last(e.state, 1, job.tiles, 1, &found->is_last))
    scanrt_alone_finish(&job, &e, SEED(), GROUP_SEEDED, room->tree);
  KERNEL_END();
}

#if VECTORS_ARE_FILLED
/* 1 if the segment has elements before and behind `at`, and no work-group folds it by itself. */
FUNC scanrt_u32 scanrt_long_crosses(const scanrt_job *job, const scanrt_tile_spans *s, scanrt_u64 segment,
                                    scanrt_u64 count, scanrt_u64 at, scanrt_u32 flags) {
  if (segment >= count) return 0;
  const scanrt_span span = scanrt_span_read(s->begins, s->ends, segment, job->n, flags);
  return span.begin < at && span.end > at && scanrt_span_is_long(span);
}

/* Folds segments one by one. Where there are several tiles, behind those work-groups is one for each tile, which looks
 * for long segments, and reduces the tile only if one crosses its bounds. */
KERNEL(segment_direct)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_alone_edges, found, 1);
  OPEN_ALONE();
  const scanrt_u32 groups = GROUPS() - (job.tiles > 1 ? job.tiles : 0);
  if (GROUP() < groups) {
    scanrt_segments_direct(&job, MEMORY(marks), MEMORY(ends), (scanrt_u32)count, GROUP(), groups, flags, e.to,
                           &room->direct);
    KERNEL_END();
    return;
  }
  const scanrt_u32 own_tile = GROUP() - groups;
  const scanrt_u64 tile_begin = (scanrt_u64)own_tile * TILE_ITEMS;
  scanrt_edges_find(MEMORY(ends), count, tile_begin, n, flags, found);
  const scanrt_tile_spans spans =
      scanrt_tile_spans_make(MEMORY(marks), MEMORY(ends), found->edge[0], found->edge[1], count, tile_begin, flags);
  const scanrt_u32 ends_long = scanrt_long_crosses(&job, &spans, spans.first, count, tile_begin, flags);
  const scanrt_u32 has_values =
      ends_long || scanrt_long_crosses(&job, &spans, spans.end, count, tile_begin + TILE_ITEMS, flags);
  if (has_values) {
    scanrt_tile_state state;
#if REDUCES_BY_WARPS
    scanrt_tile_load(&job, own_tile, &state);
#endif
    scanrt_tile_totals(&job, own_tile, &state, &spans, count, flags, e.tiles, e.to, shared);
    if (ITEM() == 0) {
      e.opens[own_tile] = ends_long ? scanrt_spans_open(&job, &spans) : 0;
      e.state[SHARED_WORD + own_tile] = 1;
    }
  }
  if (scanrt_is_last(e.state, 1, job.tiles, has_values, &found->is_last))
    scanrt_alone_finish(&job, &e, SEED(), GROUP_SHARED, room->tree);
  KERNEL_END();
}
#endif

#if REDUCES_BY_WARPS
#include "scan/segment_ranges.h"
#ifndef __OPENCL_VERSION__
#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT SEGMENT_RANGES_UNIT
#endif

/* Reduces the segments of many tiles in one launch; each work-group takes consecutive tiles. It prefetches the first
 * tile before it knows which segments end there. */
KERNEL(segment_ranges)(PARAMETERS(SEGMENT_TOTALS_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_window_found, found, 1);
  OPEN_ALONE();
  const scanrt_u32 first_tile = (scanrt_u32)((scanrt_u64)job.tiles * GROUP() / GROUPS());
  const scanrt_u32 end_tile = (scanrt_u32)((scanrt_u64)job.tiles * (GROUP() + 1) / GROUPS());
  scanrt_tile_prefetch(&job, first_tile);
  const scanrt_u64 first = scanrt_edge_find(&job, MEMORY(ends), count, first_tile, flags, found->below);
  scanrt_tile_spans spans =
      scanrt_tile_spans_make(MEMORY(marks), MEMORY(ends), first, count, count, first_tile * TILE_ITEMS, flags);
  scanrt_window window = scanrt_window_load(&spans);
  NO_UNROLL
  for (scanrt_u32 tile = first_tile; tile < end_tile; tile++) {
    scanrt_tile_state state;
    scanrt_tile_load(&job, tile, &state);
    const scanrt_u32 head = scanrt_window_close(&job, &spans, &window, tile, count, flags, found);
    const scanrt_window own = window;
    const scanrt_u32 is_narrow = spans.end - spans.first < SCAN_GROUP_ITEMS, ends = spans.end != spans.first;
    if (ITEM() == 0) e.opens[tile] = scanrt_open_word(&job, &spans, own.begin, own.end);
    scanrt_lane_marks m = scanrt_lane_marks_none();
    if (ends || head <= TILE_ITEMS) {
      if (is_narrow)
        scanrt_window_mark(&spans, &own, head, shared.stage);
      else
        scanrt_tile_mark(&spans, head, shared.stage);
      m = scanrt_lane_marks_read(shared.stage);
    }
    const scanrt_tile_spans next = scanrt_spans_next(&spans, count);
    window = scanrt_window_load(&next);
    scanrt_segments_reduce(&job, tile, &state, &m, e.tiles, shared.scratch, shared.open, shared.stage);
    if (ends) { /* the next tile's first barrier precedes its marks, which take the place of results */
      BARRIER();
      if (is_narrow)
        scanrt_window_store(&job, &spans, &own, flags, shared.stage, e.to);
      else
        scanrt_tile_spans_store(&job, &spans, flags, spans.is_wide, shared.stage, e.to);
    }
    spans = next;
  }
  scanrt_ranges_finish(&job, &e, first_tile, end_tile, room->tree, found->below);
}
#endif
