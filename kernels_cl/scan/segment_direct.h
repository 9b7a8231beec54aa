/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments one by one, each by some warps of a work-group, in the canonical order: a warp folds rows, and one warp
 * folds their totals by the rows' places in the array. Nothing is searched for. */
#ifndef SCANRT_CL_SEGMENT_DIRECT_H
#define SCANRT_CL_SEGMENT_DIRECT_H

#include "scan/segment_results.h"
#include "scan/segment_rows.h"

/* A segment is folded so if at most DIRECT_ROWS rows precede its last one, and if it ends at most DIRECT_TILES tiles
 * behind the tile in which it begins: the order of more tiles depends on their places in the group of tiles. A warp
 * takes WARP_ROWS rows at most, unless the whole work-group folds the segment. */
#define WARP_ROWS 8
#define MANY_ROWS 4 /* the fewest rows of a warp that trees fold */
#define DIRECT_ROWS (WARPS * WARP_ROWS)
#define DIRECT_TILES (SCAN_SUBTILES == 1 ? 2 : 1)

/* Local memory: the totals of rows, and a bit for each segment that the whole work-group folds. */
typedef struct scanrt_direct_room {
  scanrt_bare_t totals[DIRECT_ROWS];
  scanrt_u32 wide;
} scanrt_direct_room;

/* A segment: its first and last vector, and the rows before its last row. */
typedef struct scanrt_direct {
  scanrt_u32 first, last;
  scanrt_u32 first_row, rows;
  scanrt_u32 begin;   /* element of the first vector with which the segment begins */
  scanrt_u32 aligned; /* 1: all vectors are whole, and aligned to their size */
} scanrt_direct;

/* 1 if the segment has elements and is left to the work-groups of its tiles. It then ends behind the tile in which it
 * begins. */
FUNC scanrt_u32 scanrt_span_is_long(scanrt_span span) {
  if (span.begin >= span.end) return 0;
  const scanrt_u64 first = span.begin / ROW_ITEMS, last = (span.end - 1) / ROW_ITEMS;
  return last / TILE_ROWS - first / TILE_ROWS > DIRECT_TILES || last - first > DIRECT_ROWS;
}

FUNC scanrt_direct scanrt_direct_of(const scanrt_job *job, scanrt_span span) {
  scanrt_direct d;
  d.first = (scanrt_u32)span.begin / VEC_ITEMS;
  d.last = ((scanrt_u32)span.end - 1) / VEC_ITEMS;
  d.first_row = d.first / ROW_VECS;
  d.rows = d.last / ROW_VECS - d.first_row;
  d.begin = (scanrt_u32)span.begin % VEC_ITEMS;
  d.aligned = job->vectors_in && ((scanrt_u64)d.last + 1) * VEC_ITEMS <= job->n;
  return d;
}

/* Loads a vector; elements past n are copies of the last one. */
FUNC scanrt_loaded_t scanrt_direct_load(const scanrt_job *job, const scanrt_direct *d, scanrt_u32 vector) {
  const scanrt_u64 first = (scanrt_u64)vector * VEC_ITEMS;
  scanrt_input_vector v;
  if (d->aligned) return VECTOR_READ_AT(job, first, (GLOBAL const scanrt_loaded_t *)(job->in + first));
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) v.x[k] = ELEMENT_IN(job, first + k < job->n ? first + k : job->n - 1);
  return v.raw;
}

/* Folds a vector from the segment's first element on. */
FUNC scanrt_bare_t scanrt_direct_fold(const scanrt_job *job, const scanrt_direct *d, scanrt_u32 vector,
                                      scanrt_loaded_t raw) {
  const scanrt_raw_t v = scanrt_vector_open(job, (scanrt_u64)vector * VEC_ITEMS, raw);
  const scanrt_u32 is_first = vector == d->first, begin = is_first ? d->begin : 0;
  scanrt_bare_t sum = scanrt_vector_bare(v, 0);
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    scanrt_bare_t x = scanrt_vector_bare(v, k);
    const scanrt_bare_t both = k == 0 ? x : SCAN_SOURCE_COMBINE(sum, x);
    if (job->seed.there) x = scanrt_bare_select(is_first, SCAN_SOURCE_COMBINE(job->seed.v, x), x);
    sum = scanrt_bare_select(k <= begin, x, both);
  }
  return sum;
}

/* Writes the totals of the rows between the first and the last one, 8 of them for each of `parts` warps, whose loads
 * are under way at once. */
FUNC void scanrt_direct_inner(const scanrt_job *job, const scanrt_direct *d, scanrt_u32 part, scanrt_u32 parts,
                              LOCAL scanrt_bare_t *totals) {
  const scanrt_u32 lane = ITEM() % 32, own = part + parts * scanrt_tree_lane(lane % WARP_ROWS, WARP_ROWS);
  scanrt_loaded_t raw[WARP_ROWS];
  scanrt_bare_t x[WARP_ROWS];
  UNROLL
  for (scanrt_u32 j = 0; j < WARP_ROWS; j++) {
    const scanrt_u32 row = part + j * parts < d->rows ? part + j * parts : d->rows - 1;
    const scanrt_u64 first = (scanrt_u64)(d->first_row + row) * ROW_ITEMS + lane * VEC_ITEMS;
    raw[j] = VECTOR_READ_AT(job, first, (GLOBAL const scanrt_loaded_t *)(job->in + first));
  }
  UNROLL
  for (scanrt_u32 j = 0; j < WARP_ROWS; j++) {
    const scanrt_u32 row = part + j * parts < d->rows ? part + j * parts : d->rows - 1;
    const scanrt_raw_t v =
        scanrt_vector_open(job, (scanrt_u64)(d->first_row + row) * ROW_ITEMS + lane * VEC_ITEMS, raw[j]);
    x[j] = scanrt_vector_bare(v, 0);
    UNROLL
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) x[j] = SCAN_SOURCE_COMBINE(x[j], scanrt_vector_bare(v, k));
  }
  const scanrt_bare_t total = scanrt_bare_trees(x);
  if (lane < WARP_ROWS && own > 0 && own < d->rows) totals[own] = total;
}

/* Folds rows part, part + parts, ... of a segment. Writes the totals of those before the last one. Of the last row
 * *tail is the lane's vector, and *sum the recursive doubling. Of many rows, trees fold all but the first and the last
 * one, which the warps have that take the rows `part` 0 and d->rows. */
FUNC void scanrt_direct_rows(const scanrt_job *job, const scanrt_direct *d, scanrt_u32 part, scanrt_u32 parts,
                             LOCAL scanrt_bare_t *totals, scanrt_loaded_t *tail, scanrt_bare_t *sum) {
  const scanrt_u32 lane = ITEM() % 32, many = d->aligned && d->rows >= MANY_ROWS * parts;
  if (many) {
    scanrt_direct_inner(job, d, part, parts, totals);
    if (part != 0 && part != d->rows % parts) return;
  }
  NO_UNROLL
  for (scanrt_u32 r = part; r <= d->rows; r += ROWS_AT_ONCE * parts) {
    scanrt_loaded_t raw[ROWS_AT_ONCE];
    scanrt_bare_t x[ROWS_AT_ONCE];
    scanrt_u32 vector[ROWS_AT_ONCE], lanes[ROWS_AT_ONCE], place[ROWS_AT_ONCE];
    UNROLL
    for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) {
      place[j] = many ? j * d->rows : r + j * parts;
      const scanrt_u32 at = place[j] < d->rows ? place[j] : d->rows;
      const scanrt_u32 own = (d->first_row + at) * ROW_VECS + lane;
      vector[j] = own < d->first ? d->first : own > d->last ? d->last : own;
      lanes[j] = at == 0 ? 1u << d->first % ROW_VECS : 1u;
      raw[j] = scanrt_direct_load(job, d, vector[j]);
    }
    UNROLL
    for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) x[j] = scanrt_direct_fold(job, d, vector[j], raw[j]);
    scanrt_cut_doublings(x, lanes);
    UNROLL
    for (scanrt_u32 j = 0; j < ROWS_AT_ONCE; j++) {
      if (place[j] < d->rows && lane == 31) totals[place[j]] = x[j];
      if (place[j] == d->rows) {
        *tail = raw[j];
        *sum = x[j];
      }
    }
    if (many) return;
  }
}

/* Returns what precedes the last row, after its first `lanes` (a value): each lane folds the rows of a sub-tile. */
FUNC scanrt_value_t scanrt_direct_start(const scanrt_direct *d, LOCAL const scanrt_bare_t *totals,
                                        scanrt_value_t lanes) {
  const scanrt_u32 last_row = d->first_row + d->rows, first_sub = d->first_row / SUBTILE_ROWS;
  const scanrt_u32 subs = last_row / SUBTILE_ROWS - first_sub;
  scanrt_value_t own = IDENTITY, sub = IDENTITY, tile = IDENTITY;
  if (d->rows == 0) return lanes;
  UNROLL
  for (scanrt_u32 i = 0; i < SUBTILE_ROWS; i++) {
    const scanrt_u32 row = (first_sub + ITEM() % 32) * SUBTILE_ROWS + i;
    if (row >= d->first_row && row < last_row)
      own = scanrt_combine(own, scanrt_value_from(scanrt_scratch_bare(totals + (row - d->first_row)), 1));
  }
  NO_UNROLL
  for (scanrt_u32 q = 0; q < subs; q++) {
    sub = scanrt_combine(sub, scanrt_shuffle_from(own, q));
    if ((first_sub + q) % SCAN_SUBTILES == SCAN_SUBTILES - 1) {
      tile = scanrt_combine(tile, sub);
      sub = IDENTITY;
    }
  }
  return scanrt_combine(tile, scanrt_combine(sub, scanrt_combine(scanrt_shuffle_from(own, subs), lanes)));
}

/* Returns the segment's result in the lane of its last vector. `last` is its last element there. */
FUNC scanrt_bare_t scanrt_direct_result(const scanrt_job *job, const scanrt_direct *d, scanrt_loaded_t tail,
                                        scanrt_value_t start, scanrt_u32 last) {
  const scanrt_raw_t v = scanrt_vector_open(job, (scanrt_u64)d->last * VEC_ITEMS, tail);
  const scanrt_u32 begin = d->first == d->last ? d->begin : VEC_ITEMS;
  scanrt_bare_t sum = start.v;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    const scanrt_bare_t x = scanrt_vector_bare(v, k);
    if (k == begin)
      sum = scanrt_element_first(x, 1, job->seed);
    else if (k <= last)
      sum = SCAN_SOURCE_COMBINE(sum, x);
  }
  return sum;
}

/* Returns how many segments a work-group takes, a power of two, of `count` ones for `groups` work-groups. */
FUNC scanrt_u32 scanrt_direct_each(scanrt_u32 count, scanrt_u32 groups) {
  scanrt_u32 each = 1;
  while (each < WARPS && each * groups < count) each *= 2;
  return each;
}

/* Stores the results of the segments that work-group `group` of `groups` takes, but for long ones. */
FUNC void scanrt_segments_direct(const scanrt_job *job, GLOBAL const scanrt_u8 *begins, GLOBAL const scanrt_u8 *ends,
                                 scanrt_u32 count, scanrt_u32 group, scanrt_u32 groups, scanrt_u32 flags,
                                 GLOBAL scanrt_output_t *to, LOCAL scanrt_direct_room *room) {
  const scanrt_u32 lane = ITEM() % 32, each = scanrt_direct_each(count, groups);
  scanrt_u32 parts = WARPS / each, part = ITEM() / 32 % parts, own = ITEM() / 32 / parts, left = ~0u;
  if (ITEM() == 0) room->wide = 0;
  BARRIER();
  do {
    const scanrt_u32 segment = group * each + own, is_there = segment < count;
    LOCAL scanrt_bare_t *totals = room->totals + (left == ~0u ? own * parts * WARP_ROWS : 0);
    scanrt_span span = { 0, 0 };
    if (is_there) span = scanrt_span_read(begins, ends, segment, job->n, flags);
    const scanrt_u32 is_folded = span.begin < span.end && !scanrt_span_is_long(span);
    const scanrt_direct d = scanrt_direct_of(job, span);
    const scanrt_u32 is_wide = d.rows > parts * WARP_ROWS;
    scanrt_loaded_t tail;
    scanrt_bare_t sum;
    if (is_folded && !is_wide)
      scanrt_direct_rows(job, &d, part, parts, totals, &tail, &sum);
    else if (is_folded && part == 0 && lane == 0)
      ATOMIC_OR_LOCAL(&room->wide, 1u << own);
    else if (is_there && span.begin >= span.end && flags & FLAG_STARTS && part == 0 && lane == 0)
      to[segment] = scanrt_result_output(job->seed.v);
    BARRIER();
    if (is_folded && !is_wide && part == d.rows % parts) {
      const scanrt_u32 at = d.last % ROW_VECS, begin = d.rows == 0 ? d.first % ROW_VECS : 0;
      const scanrt_value_t lanes = scanrt_value_from(scanrt_bare_shuffle_from(sum, (at + 31) % 32), at > begin);
      const scanrt_value_t start = scanrt_direct_start(&d, totals, lanes);
      const scanrt_bare_t x = scanrt_direct_result(job, &d, tail, start, (scanrt_u32)(span.end - 1) % VEC_ITEMS);
      if (lane == at) to[segment] = scanrt_result_output(x);
    }
    left = left == ~0u ? room->wide : left & (left - 1);
    if (left == 0) return;
    own = LAST_BIT(left & (0u - left));
    parts = WARPS;
    part = ITEM() / 32;
    BARRIER();
  } while (1);
}
#endif
