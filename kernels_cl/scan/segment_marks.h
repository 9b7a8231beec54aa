/* SPDX-License-Identifier: BSD-2-Clause */
/* The segments of a tile: where they begin, as bytes in local memory, and their results, from there. */
#ifndef SCANRT_CL_SEGMENT_MARKS_H
#define SCANRT_CL_SEGMENT_MARKS_H

#include "scan/segment_results.h"

/* Segments whose offsets a work-item reads at once, and those of which fewer are left. */
#define SPANS_AT_ONCE 8
#define SPANS_OF_REST 2
#define SUB_ITEMS ((scanrt_u32)(SUBTILE_ROWS * ROW_ITEMS))
#define SUBS SCAN_SUBTILES
/* The results of a tile in local memory. Each sub-tile's lie behind a pad of 16 bytes; until they are written, pad and
 * results have the marks of its elements, a byte each. So those of the first elements stay. */
#define PAD_BYTES 16
#define SUB_BYTES (PAD_BYTES + SUB_ITEMS * (scanrt_u32)sizeof(scanrt_bare_t))
#define STAGE_BYTES (SUBS * SUB_BYTES + PAD_BYTES)
#define MARK_AT(at) ((at) / SUB_ITEMS * SUB_BYTES + (at) % SUB_ITEMS)
#define STAGE_AT(at) (PAD_BYTES + (at) * (scanrt_u32)sizeof(scanrt_bare_t) + (at) / SUB_ITEMS * PAD_BYTES)
/* Results of a vector's elements, as values. */
typedef union scanrt_stage_vector {
  scanrt_bare_t x[VEC_ITEMS];
#if VEC_ITEMS * VALUE_BYTES == 16
  scanrt_raw16 raw;
#endif
} scanrt_stage_vector;

typedef union scanrt_stage {
  scanrt_u8 byte[STAGE_BYTES];
  scanrt_stage_vector aligned;
} scanrt_stage;

/* The segments of a tile: [first, end) end in it; the one behind may begin in it. */
typedef struct scanrt_tile_spans {
  GLOBAL const scanrt_u8 *begins, *ends;
  scanrt_u64 first, end, stop, tile_begin;
  scanrt_u32 is_wide, has_holes;
} scanrt_tile_spans;

FUNC scanrt_tile_spans scanrt_tile_spans_make(GLOBAL const scanrt_u8 *begins, GLOBAL const scanrt_u8 *ends,
                                              scanrt_u64 first, scanrt_u64 end, scanrt_u64 count, scanrt_u64 tile_begin,
                                              scanrt_u32 flags) {
  scanrt_tile_spans s;
  s.begins = begins;
  s.ends = ends;
  s.first = first;
  s.end = end;
  s.stop = s.end < count ? s.end + 1 : count;
  s.tile_begin = tile_begin;
  s.is_wide = flags & FLAG_WIDE_OFFSETS ? 1 : 0;
  s.has_holes = ends != begins + (s.is_wide ? 8 : 4);
  return s;
}

/* Returns offset i from the tile's begin; one that is not in the tile nor right behind it is above TILE_ITEMS. */
FUNC scanrt_u32 scanrt_offset_within(const scanrt_tile_spans *s, GLOBAL const scanrt_u8 *offsets, scanrt_u64 i,
                                     scanrt_u32 is_wide) {
  if (!is_wide) return ((GLOBAL const scanrt_u32 *)offsets)[i] - (scanrt_u32)s->tile_begin;
  const scanrt_u64 at = ((GLOBAL const scanrt_u64 *)offsets)[i] - s->tile_begin;
  return at <= TILE_ITEMS ? (scanrt_u32)at : 0xffffffffu;
}

/* Returns where the tile's first segment begins, as scanrt_offset_within does. */
FUNC scanrt_u32 scanrt_spans_head(const scanrt_tile_spans *s, scanrt_u64 count) {
  return s->first < count ? scanrt_offset_within(s, s->begins, s->first, s->is_wide) : 0xffffffffu;
}

/* Marks the element at `at`, from the tile's begin, or what is right behind the tile. */
FUNC void scanrt_element_mark(scanrt_u32 at, LOCAL scanrt_u8 *stage) {
  if (at <= (scanrt_u32)TILE_ITEMS) stage[MARK_AT(at)] = 1;
}

/* Marks up to `most` offsets from i on, those below end. */
FUNC void scanrt_offsets_mark(const scanrt_tile_spans *s, GLOBAL const scanrt_u8 *offsets, scanrt_u64 i, scanrt_u64 end,
                              scanrt_u32 is_wide, scanrt_u32 most, LOCAL scanrt_u8 *stage) {
  scanrt_u32 at[SPANS_AT_ONCE];
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) {
    const scanrt_u64 own = i + k * SCAN_GROUP_ITEMS;
    at[k] = own < end ? scanrt_offset_within(s, offsets, own, is_wide) : 0xffffffffu;
  }
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) scanrt_element_mark(at[k], stage);
}

/* Marks the offsets [first, end). */
FUNC void scanrt_offsets_mark_all(const scanrt_tile_spans *s, GLOBAL const scanrt_u8 *offsets, scanrt_u64 end,
                                  scanrt_u32 is_wide, LOCAL scanrt_u8 *stage) {
  scanrt_u64 i = s->first + ITEM();
  for (; i + (SPANS_AT_ONCE - 1) * SCAN_GROUP_ITEMS < end; i += SPANS_AT_ONCE * SCAN_GROUP_ITEMS)
    scanrt_offsets_mark(s, offsets, i, ~(scanrt_u64)0, is_wide, SPANS_AT_ONCE, stage);
  for (; i < end; i += SPANS_OF_REST * SCAN_GROUP_ITEMS)
    scanrt_offsets_mark(s, offsets, i, end, is_wide, SPANS_OF_REST, stage);
}

/* Clears all marks. */
FUNC void scanrt_marks_clear(LOCAL scanrt_u8 *stage) {
  if (ITEM() == 0) stage[MARK_AT((scanrt_u32)TILE_ITEMS)] = 0;
  for (scanrt_u32 sub = ITEM() / 32; sub < SUBS; sub += SCAN_GROUP_ITEMS / 32) {
    LOCAL scanrt_u32 *word = (LOCAL scanrt_u32 *)(stage + sub * SUB_BYTES) + ITEM() % 32;
    UNROLL
    for (scanrt_u32 w = 0; w < SUB_ITEMS / 4; w += 32) word[w] = 0;
  }
  BARRIER();
}

/* Marks where segments begin, and the elements behind ends, which begin the next segments or are in none. `head` is the
 * begin of the first segment. */
FUNC void scanrt_tile_mark(const scanrt_tile_spans *s, scanrt_u32 head, LOCAL scanrt_u8 *stage) {
  scanrt_marks_clear(stage);
  if (ITEM() == 0) scanrt_element_mark(head, stage);
  if (s->is_wide)
    scanrt_offsets_mark_all(s, s->ends, s->end, 1, stage);
  else
    scanrt_offsets_mark_all(s, s->ends, s->end, 0, stage);
  if (s->has_holes) scanrt_offsets_mark_all(s, s->begins, s->stop, s->is_wide, stage);
  BARRIER();
}

/* Stores the result of a segment, given by its begin and end from the tile's begin. */
FUNC void scanrt_segment_store(const scanrt_job *job, scanrt_u32 begin, scanrt_u32 end, scanrt_u64 own,
                               scanrt_u32 flags, LOCAL const scanrt_u8 *stage, GLOBAL scanrt_output_t *to) {
  if (begin == end) {
    if (flags & FLAG_STARTS) to[own] = scanrt_result_output(job->seed.v);
  } else if (begin < TILE_ITEMS && end - 1 < TILE_ITEMS) {
    to[own] = scanrt_result_output(scanrt_scratch_bare((LOCAL const scanrt_bare_t *)(stage + STAGE_AT(end - 1))));
  }
}

/* Stores the results of up to `most` segments from i on, those below limit, that end in the tile, but for one that
 * begins before it. */
FUNC void scanrt_segments_store(const scanrt_job *job, const scanrt_tile_spans *s, scanrt_u64 i, scanrt_u64 limit,
                                scanrt_u32 flags, scanrt_u32 is_wide, scanrt_u32 most, LOCAL const scanrt_u8 *stage,
                                GLOBAL scanrt_output_t *to) {
  scanrt_u32 begin[SPANS_AT_ONCE], end[SPANS_AT_ONCE];
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) {
    const scanrt_u64 own = i + k * SCAN_GROUP_ITEMS;
    begin[k] = own < limit ? scanrt_offset_within(s, s->begins, own, is_wide) : 0xffffffffu;
    end[k] = own < limit ? scanrt_offset_within(s, s->ends, own, is_wide) : 0;
  }
  UNROLL
  for (scanrt_u32 k = 0; k < most; k++) {
    scanrt_segment_store(job, begin[k], end[k], i + k * SCAN_GROUP_ITEMS, flags, stage, to);
  }
}

FUNC void scanrt_tile_spans_store(const scanrt_job *job, const scanrt_tile_spans *s, scanrt_u32 flags,
                                  scanrt_u32 is_wide, LOCAL const scanrt_u8 *stage, GLOBAL scanrt_output_t *to) {
  scanrt_u64 i = s->first + ITEM();
  for (; i + (SPANS_AT_ONCE - 1) * SCAN_GROUP_ITEMS < s->end; i += SPANS_AT_ONCE * SCAN_GROUP_ITEMS)
    scanrt_segments_store(job, s, i, ~(scanrt_u64)0, flags, is_wide, SPANS_AT_ONCE, stage, to);
  for (; i < s->end; i += SPANS_OF_REST * SCAN_GROUP_ITEMS)
    scanrt_segments_store(job, s, i, s->end, flags, is_wide, SPANS_OF_REST, stage, to);
}
#endif
