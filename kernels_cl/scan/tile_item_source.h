/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole rows of types from source in the one-work-item tile, as arrays of bare values: elements k of all 32 vectors lie
 * side by side, so that a loop over the vectors compiles to vector instructions. Existence is decided once a row. Where
 * segments begin is a byte an element, and in the recursive doubling a bit a vector. The order of operations is that of
 * tile_item.h, which handles rows that are not whole, and devices that end loops (SCAN_ENDS_LOOPS). */
#ifndef SCANRT_CL_TILE_ITEM_SOURCE_H
#define SCANRT_CL_TILE_ITEM_SOURCE_H

#include "lib/tile.h"
#include "scan/tile_members.h"

/* The number of rows that are processed together. A step of the trees reads what the step before wrote by other
 * vectors; a processor has it in its cache by then only if other rows came in between. */
#if VALUE_BYTES <= 8
#define ROWS_AT_ONCE 8
#elif VALUE_BYTES <= 16
#define ROWS_AT_ONCE 4
#else
#define ROWS_AT_ONCE 1
#endif

/* Lanes before the first one, so that a step of the recursive doubling may read any lane's operand. */
#define LANES_PAD 16
#define LANES (LANES_PAD + ROW_VECS)
#define LANE_BIT(bits, l) ((bits) >> (l)&1u)

typedef struct scanrt_row {
  scanrt_member_t x[VEC_ITEMS][MEMBERS * ROW_VECS]; /* segments' first elements are combined with the seed */
#if SCAN_SEGMENTS
  scanrt_u8 is_start[VEC_ITEMS][ROW_VECS];
#endif
} scanrt_row;

typedef union scanrt_row_results {
  scanrt_output_t y[ROW_ITEMS];
#if !SCAN_SOURCE_EMITS
  scanrt_member_t members[ROW_ITEMS * MEMBERS];
#endif
  scanrt_raw16 raw[ROW_ITEMS * OUTPUT_BYTES / 16];
} scanrt_row_results;

#define ROW_AT(l, k) ((l)*VEC_ITEMS + (k))
#if SCAN_SEGMENTS
#define ROW_IS_START(row, k, l) ((row)->is_start[k][l])
#define PAIR_IS_START(within, i) ((within)[2 * (i) + 1])
#define ROW_THERE(within) ((within) ? 1 | STARTS_WITHIN : 1)
#define SEGMENT_BITS_IN(segment_bits, r) ((segment_bits)[r])
#define VECTOR_ALONE(k, l, none) 0u /* such an element begins a segment */
#else
#define ROW_IS_START(row, k, l) 0
#define PAIR_IS_START(within, i) 0
#define ROW_THERE(within) 1
#define SEGMENT_BITS_IN(segment_bits, r) 0
#define VECTOR_ALONE(k, l, none) ((k) == 0 ? (l) < (none) : 0u)
#endif

#if SCAN_SEGMENTS
/* Sets marks to 1 for elements that begin a segment; returns 1 if any does. */
FUNC scanrt_u32 scanrt_row_marks(const scanrt_job *job, scanrt_u64 first, scanrt_u8 marks[ROW_ITEMS]) {
  scanrt_u32 any = 0;
#if SCAN_STEPS
  for (scanrt_u32 i = 0; i < ROW_ITEMS; i++) marks[i] = (scanrt_u8)scanrt_element_is_start(job, first + i);
#else
#if SCAN_SEGMENTS == 2
  GLOBAL const scanrt_u32 *word = (GLOBAL const scanrt_u32 *)job->segment_flags + first / 32;
#ifdef SEGMENT_BITS_END
  scanrt_u32 before = first ? word[-1] >> 31 : 1;
#endif
  for (scanrt_u32 w = 0; w < ROW_ITEMS / 32; w++) {
#ifdef SEGMENT_BITS_END
    const scanrt_u32 bits = word[w] << 1 | before;
    before = word[w] >> 31;
#else
    const scanrt_u32 bits = word[w];
#endif
    for (scanrt_u32 j = 0; j < 32; j++) marks[w * 32 + j] = (scanrt_u8)LANE_BIT(bits, j);
  }
#elif SCAN_SEGMENTS == 1
  for (scanrt_u32 i = 0; i < ROW_ITEMS; i++) marks[i] = IS_START(0, job->segment_flags[first + i]);
#else
  GLOBAL const scanrt_mark_t *mark = (GLOBAL const scanrt_mark_t *)job->segment_flags + first;
  scanrt_mark_t before = first ? mark[-1] : mark[0];
  for (scanrt_u32 i = 0; i < ROW_ITEMS; i++) {
    const scanrt_mark_t here = mark[i];
    marks[i] = (scanrt_u8)IS_START(before, here);
    before = here;
  }
#endif
  if (first == 0) marks[0] = (scanrt_u8)scanrt_element_is_start(job, 0);
#endif
  for (scanrt_u32 i = 0; i < ROW_ITEMS; i++) any |= marks[i];
  return any;
}
#endif

FUNC void scanrt_row_load(const scanrt_job *job, scanrt_u64 first, scanrt_row *row) {
  GLOBAL const JOB_IN_T *in = job->in + first;
  (void)in;
  NO_UNROLL
  for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      scanrt_members x;
      MAPPED_MEMBERS(x, ROW_IN(job, first, in, ROW_AT(l, k)), PLACE(job, first + ROW_AT(l, k)));
      scanrt_members_put(row->x[k], ROW_VECS, l, &x);
    }
  }
#if SCAN_SEGMENTS
  scanrt_u8 marks[ROW_ITEMS];
  const scanrt_u32 any = scanrt_row_marks(job, first, marks);
  NO_UNROLL
  for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) row->is_start[k][l] = marks[ROW_AT(l, k)];
  }
  if (any && job->seed.there) {
    scanrt_members seed;
    scanrt_members_of(&seed, job->seed.v);
    NO_UNROLL
    for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
      UNROLL
      for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
        scanrt_members x;
        scanrt_members_get(&x, row->x[k], ROW_VECS, l);
        scanrt_members_after(&seed, &x, !row->is_start[k][l]);
        scanrt_members_put(row->x[k], ROW_VECS, l, &x);
      }
    }
  }
#endif
}

/* Folds the row's vectors into an array of `count`. Sets within[l] to 1 if a segment begins in vector l. */
FUNC void scanrt_row_fold(const scanrt_row *row, scanrt_member_t *vec, scanrt_u32 count, scanrt_u8 within[ROW_VECS]) {
  NO_UNROLL
  for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
    scanrt_members sum;
    scanrt_members_get(&sum, row->x[0], ROW_VECS, l);
    UNROLL
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) {
      scanrt_members x;
      scanrt_members_get(&x, row->x[k], ROW_VECS, l);
      scanrt_members_after(&sum, &x, ROW_IS_START(row, k, l));
      sum = x;
    }
    scanrt_members_put(vec, count, l, &sum);
  }
#if SCAN_SEGMENTS
  NO_UNROLL
  for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
    scanrt_u8 any = row->is_start[0][l];
    UNROLL
    for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) any |= row->is_start[k][l];
    within[l] = any;
  }
#else
  (void)within;
#endif
}

#define SOME_VECS (ROWS_AT_ONCE * ROW_VECS)
/* Returns `all` combined with the totals of up to ROWS_AT_ONCE rows, left to right. The balanced trees of all these
 * rows are computed side by side. */
FUNC scanrt_value_t scanrt_rows_reduce_some(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows,
                                            scanrt_value_t all) {
  scanrt_member_t vec[MEMBERS * SOME_VECS], folded[MEMBERS * SOME_VECS / 2];
  scanrt_u8 within[SOME_VECS], folded_within[SOME_VECS / 2];
  for (scanrt_u32 r = 0; r < rows; r++) {
    scanrt_row row;
    scanrt_row_load(job, first + (scanrt_u64)r * ROW_ITEMS, &row);
    scanrt_row_fold(&row, vec + r * ROW_VECS, SOME_VECS, within + r * ROW_VECS);
  }
  NO_UNROLL
  for (scanrt_u32 pairs = rows * ROW_VECS / 2; pairs >= rows; pairs /= 2) {
    for (scanrt_u32 i = 0; i < pairs; i++) {
      scanrt_members before, here;
      scanrt_members_get(&before, vec, SOME_VECS, 2 * i);
      scanrt_members_get(&here, vec, SOME_VECS, 2 * i + 1);
      scanrt_members_after(&before, &here, PAIR_IS_START(within, i));
      scanrt_members_put(folded, SOME_VECS / 2, i, &here);
    }
    UNROLL
    for (scanrt_u32 w = 0; w < MEMBERS; w++)
      for (scanrt_u32 i = 0; i < pairs; i++) vec[w * SOME_VECS + i] = folded[w * SOME_VECS / 2 + i];
#if SCAN_SEGMENTS
    for (scanrt_u32 i = 0; i < pairs; i++) folded_within[i] = within[2 * i] | within[2 * i + 1];
    for (scanrt_u32 i = 0; i < pairs; i++) within[i] = folded_within[i];
#endif
  }
  (void)within, (void)folded_within;
  for (scanrt_u32 r = 0; r < rows; r++) {
    scanrt_members total;
    scanrt_members_get(&total, vec, SOME_VECS, r);
    all = scanrt_combine(all, scanrt_value_from(scanrt_members_bare(&total), ROW_THERE(within[r])));
  }
  return all;
}

/* Folds whole rows left to right. */
FUNC_CALLED scanrt_value_t scanrt_rows_reduce(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows) {
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 r = 0; r < rows; r += ROWS_AT_ONCE)
    all = scanrt_rows_reduce_some(job, first + (scanrt_u64)r * ROW_ITEMS,
                                  rows - r < ROWS_AT_ONCE ? rows - r : ROWS_AT_ONCE, all);
  return all;
}

/* A step of the recursive doubling over the rows' lanes. Bit l of segment_bits[r] is set if a segment begins in vector
 * l or, after the last step, before it in the row. */
FUNC void scanrt_lanes_step(scanrt_member_t from[ROWS_AT_ONCE][MEMBERS * LANES],
                            scanrt_member_t to[ROWS_AT_ONCE][MEMBERS * LANES], scanrt_u32 segment_bits[ROWS_AT_ONCE],
                            scanrt_u32 rows, scanrt_u32 d) {
  NO_UNROLL
  for (scanrt_u32 r = 0; r < rows; r++) {
    const scanrt_u32 alone = SEGMENT_BITS_IN(segment_bits, r) | ((1u << d) - 1);
    NO_UNROLL
    for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
      scanrt_members before, here;
      scanrt_members_get(&before, from[r], LANES, LANES_PAD + l - d);
      scanrt_members_get(&here, from[r], LANES, LANES_PAD + l);
      scanrt_members_after(&before, &here, LANE_BIT(alone, l));
      scanrt_members_put(to[r], LANES, LANES_PAD + l, &here);
    }
#if SCAN_SEGMENTS
    segment_bits[r] |= segment_bits[r] << d;
#endif
  }
  (void)segment_bits;
}

/* Combines `before` with each lane but those in `alone`. */
FUNC void scanrt_lanes_after(scanrt_value_t before, scanrt_member_t *start, scanrt_u32 alone) {
  if (!before.there) return;
  scanrt_members all;
  scanrt_members_of(&all, before.v);
  NO_UNROLL
  for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
    scanrt_members here;
    scanrt_members_get(&here, start, LANES, l);
    scanrt_members_after(&all, &here, LANE_BIT(alone, l));
    scanrt_members_put(start, LANES, l, &here);
  }
}

#if SCAN_CHECKS
/* Checks a vector's steps for overflow, one by one. */
FUNC void scanrt_vector_look(const scanrt_job *job, scanrt_u64 first, scanrt_u32 l, scanrt_value_t acc) {
  GLOBAL const JOB_IN_T *in = job->in + first;
  (void)in;
  NO_UNROLL
  for (scanrt_u32 i = ROW_AT(l, 0); i < ROW_AT(l + 1, 0); i++) {
    const scanrt_input_t x = ROW_IN(job, first, in, i);
    const scanrt_value_t element = ELEMENT(job, x, first + i), next = scanrt_combine(acc, element);
    (void)RESULT(job, job->inclusive, element, next, acc, x, first + i);
    acc = next;
  }
}
#endif

FUNC void scanrt_row_store(const scanrt_job *job, scanrt_u64 first, const scanrt_row_results *results) {
  GLOBAL JOB_OUT_T *out = job->out + first;
  if (!STORES(job)) return;
  if (job->streaming && ADDRESS(out) % 16 == 0) {
    NO_UNROLL
    for (scanrt_u32 i = 0; i < ROW_ITEMS * OUTPUT_BYTES / 16; i++)
      STREAM_RAW16((GLOBAL scanrt_raw16 *)out + i, results->raw[i]);
    return;
  }
  NO_UNROLL
  for (scanrt_u32 i = 0; i < ROW_ITEMS; i++) ROW_PUT(job, first, out, i, results->y[i]);
}

/* Writes a row's results. `start` is what precedes each vector, `before` what precedes the first one. */
FUNC void scanrt_row_finish(const scanrt_job *job, scanrt_u64 first, const scanrt_row *row, scanrt_value_t before,
                            scanrt_member_t *start) {
  GLOBAL const JOB_IN_T *in = job->in + first;
  const scanrt_u32 inclusive = job->inclusive;
  scanrt_row_results results;
  scanrt_members start0;
  const scanrt_u32 none = before.there ? 0 : 1; /* 1 if nothing precedes the first vector */
  (void)in;
  scanrt_members_of(&start0, before.v);
  scanrt_members_put(start, LANES, 0, &start0);
#if SCAN_SEGMENTS
  scanrt_members seed;
  scanrt_members_of(&seed, job->seed.v);
#endif
#if SCAN_CHECKS
  scanrt_u32 overflows = 0;
#endif
  NO_UNROLL
  for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
    scanrt_members acc;
    scanrt_members_get(&acc, start, LANES, l);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_u32 is_start = ROW_IS_START(row, k, l);
      scanrt_members next, result;
      scanrt_members_get(&next, row->x[k], ROW_VECS, l);
      scanrt_members_after(&acc, &next, VECTOR_ALONE(k, l, none) | is_start);
      result = acc;
#if SCAN_SEGMENTS
      scanrt_members_choose(is_start, &seed, &result);
#endif
#if SCAN_SOURCE_IS_FLOAT_SUM
      if (!inclusive && job->sink & FLAG_PLUS_ZERO)
        scanrt_members_of(&result, scanrt_bare_shown(scanrt_members_bare(&result)));
#endif
#if SCAN_CHECKS
      overflows |=
          SCAN_SOURCE_OVERFLOWS(scanrt_members_bare(&result), MAPPED_BARE(ROW_IN(job, first, in, ROW_AT(l, k)), 0))
              ? 1u
              : 0u;
#endif
#if SCAN_SOURCE_EMITS
      results.y[ROW_AT(l, k)] = SCAN_SOURCE_EMIT(
          scanrt_bare_emitted(scanrt_members_bare(&next)), scanrt_bare_emitted(scanrt_members_bare(&result)),
          ROW_IN(job, first, in, ROW_AT(l, k)), PLACE(job, first + ROW_AT(l, k)));
#else
      scanrt_members_choose(inclusive, &next, &result);
#if SCAN_SOURCE_SHOWS_NANS
      scanrt_members_of(&result, scanrt_bare_output(scanrt_members_bare(&result)));
#endif
#define STORE(w) results.members[ROW_AT(l, k) * MEMBERS + (w)] = result.member[w];
      EACH_MEMBER(STORE)
#undef STORE
#endif
      acc = next;
    }
  }
#if SCAN_CHECKS
  if (overflows) {
    NO_UNROLL
    for (scanrt_u32 l = 0; l < ROW_VECS; l++) {
      scanrt_members acc;
      scanrt_members_get(&acc, start, LANES, l);
      scanrt_vector_look(job, first, l, l ? scanrt_value_from(scanrt_members_bare(&acc), 1) : before);
    }
  }
#endif
  scanrt_row_store(job, first, &results);
}

FUNC scanrt_value_t scanrt_rows_write_some(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows,
                                           scanrt_value_t prefix, scanrt_value_t sub_before,
                                           scanrt_value_t scanrt_row_before) {
  scanrt_row row[ROWS_AT_ONCE];
  scanrt_member_t lane[ROWS_AT_ONCE][MEMBERS * LANES], other[ROWS_AT_ONCE][MEMBERS * LANES];
  scanrt_u32 segment_bits[ROWS_AT_ONCE];
  for (scanrt_u32 r = 0; r < rows; r++) {
    scanrt_u8 within[ROW_VECS];
    scanrt_row_load(job, first + (scanrt_u64)r * ROW_ITEMS, row + r);
    scanrt_row_fold(row + r, lane[r] + LANES_PAD, LANES, within);
#if SCAN_SEGMENTS
    scanrt_u32 bits = 0;
    for (scanrt_u32 l = 0; l < ROW_VECS; l++) bits |= (scanrt_u32)within[l] << l;
    segment_bits[r] = bits;
#endif
  }
  NO_UNROLL
  for (scanrt_u32 d = 1; d < 16; d *= 4) {
    scanrt_lanes_step(lane, other, segment_bits, rows, d);
    scanrt_lanes_step(other, lane, segment_bits, rows, 2 * d);
  }
  scanrt_lanes_step(lane, other, segment_bits, rows, 16);
  for (scanrt_u32 r = 0; r < rows; r++) {
    scanrt_member_t *start = other[r] + (LANES_PAD - 1);
    scanrt_members last;
    scanrt_members_get(&last, other[r], LANES, LANES - 1);
    const scanrt_value_t total = scanrt_value_from(scanrt_members_bare(&last), ROW_THERE(segment_bits[r] >> 31));
    const scanrt_value_t before_row = scanrt_combine(sub_before, scanrt_row_before);
    const scanrt_u32 alone = SEGMENT_BITS_IN(segment_bits, r) << 1 | 1;
    scanrt_lanes_after(scanrt_row_before, start, alone);
    if (!(scanrt_row_before.there & STARTS_WITHIN)) scanrt_lanes_after(sub_before, start, alone);
    if (!(before_row.there & STARTS_WITHIN)) scanrt_lanes_after(prefix, start, alone);
    scanrt_row_finish(job, first + (scanrt_u64)r * ROW_ITEMS, row + r, scanrt_combine(prefix, before_row), start);
    scanrt_row_before = scanrt_combine(scanrt_row_before, total);
  }
  return scanrt_row_before;
}

/* Writes whole rows, one after the other; returns their fold. It works in place, since rows are read before they are
 * overwritten. */
FUNC scanrt_value_t scanrt_rows_write(const scanrt_job *job, scanrt_u64 first, scanrt_u32 rows, scanrt_value_t prefix,
                                      scanrt_value_t sub_before) {
  scanrt_value_t all = IDENTITY;
  for (scanrt_u32 r = 0; r < rows; r += ROWS_AT_ONCE)
    all = scanrt_rows_write_some(job, first + (scanrt_u64)r * ROW_ITEMS,
                                 rows - r < ROWS_AT_ONCE ? rows - r : ROWS_AT_ONCE, prefix, sub_before, all);
  return all;
}
#endif
