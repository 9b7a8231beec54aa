/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that a warp walks by strips of rows in registers, at most a sub-tile: their loads, and the lanes of short
 * lines. Lines of built-in types are contiguous; lines of types from source may have any step. */
#ifndef SCANRT_CL_ROWS_H
#define SCANRT_CL_ROWS_H

#include "batch/lines.h"

#ifndef STRIP_ROWS
#define STRIP_ROWS ROWS
#endif
#define STRIP_ITEMS (STRIP_ROWS * ROW_ITEMS)
#if SUBTILE_ROWS % STRIP_ROWS != 0 || STRIP_ROWS > ROWS
#error "a warp holds more than a sub-tile"
#endif

#if SCAN_TYPE == 0
/* Returns the line as a job, empty past the last line. Vectors are loaded and stored whole where elements lie side by
 * side. */
FUNC scanrt_job scanrt_row_of(const scanrt_lines *lines, scanrt_u64 line, scanrt_u32 flags) {
  scanrt_job job = scanrt_line_of(lines, line, flags);
#if SCAN_STEPS
#if SCAN_SOURCE_INPUTS
  job.vectors_in = scanrt_members_lie_in(&job);
#else
  job.vectors_in = job.in_step == 1 && VECTOR_ALIGNED(job.in, VEC_ITEMS * INPUT_BYTES);
#endif
#if SCAN_SOURCE_OUTPUTS
  job.vectors_out = scanrt_members_lie_out(&job);
#else
  job.vectors_out = job.out_step == 1 && VECTOR_ALIGNED(job.out, STORED_BYTES);
#endif
#endif
  return job;
}

FUNC void scanrt_strip_load(const scanrt_job *job, scanrt_u64 strip, scanrt_u64 n, scanrt_strip_state *t) {
  const scanrt_u32 offset = ITEM() % 32 * VEC_ITEMS;
  const scanrt_u32 rest = (scanrt_u32)(n - strip < STRIP_ITEMS ? n - strip : STRIP_ITEMS);
  GLOBAL const scanrt_loaded_t *in = (GLOBAL const scanrt_loaded_t *)(job->in + strip + offset);
  const scanrt_u32 whole = strip + STRIP_ITEMS <= job->n;
  if (whole && job->vectors_in) {
    UNROLL
    for (scanrt_u32 i = 0; i < STRIP_ROWS; i++)
      t->raw[i] = VECTOR_LOAD(job, strip + offset + i * ROW_ITEMS, in + i * ROW_VECS);
  } else if (whole) {
    UNROLL
    for (scanrt_u32 i = 0; i < STRIP_ROWS; i++)
      t->raw[i] = scanrt_vector_load_apart(job, strip + offset + i * ROW_ITEMS);
  } else {
    UNROLL
    for (scanrt_u32 i = 0; i < STRIP_ROWS; i++) t->raw[i] = VECTOR_LOAD_CUT(job, strip, offset + i * ROW_ITEMS, rest);
  }
}

FUNC void scanrt_strip_store(const scanrt_job *job, scanrt_u64 first, scanrt_stored_t result, scanrt_u32 i) {
  const scanrt_u64 at = first + i * ROW_ITEMS;
  CHECKED_TOTAL_PUT(job, at, result);
  if (job->vectors_out && at + VEC_ITEMS <= job->n)
    VECTOR_STORE(job, at, (GLOBAL scanrt_stored_t *)(job->out + at), result);
  else
    scanrt_vector_store_guarded(job, at, result);
}

FUNC scanrt_raw_t scanrt_short_load(const scanrt_job *job, scanrt_u32 offset, scanrt_u64 n) {
  if (job->vectors_in && offset + VEC_ITEMS <= job->n)
    return VECTOR_LOAD(job, offset, (GLOBAL const scanrt_loaded_t *)(job->in + offset));
  return VECTOR_LOAD_CUT(job, 0, offset, (scanrt_u32)n);
}
#else
#define scanrt_row_of scanrt_line_of
FUNC void scanrt_strip_load(const scanrt_job *job, scanrt_u64 strip, scanrt_u64 n, scanrt_strip_state *t) {
  const scanrt_u64 first = strip + ITEM() % 32 * VEC_ITEMS;
  (void)n;
  GLOBAL const scanrt_raw_t *in = (GLOBAL const scanrt_raw_t *)(job->in + first);
  if (!job->vectors_in) {
    UNROLL
    for (scanrt_u32 i = 0; i < STRIP_ROWS; i++) t->raw[i] = scanrt_vector_load_guarded(job, first + i * ROW_ITEMS);
    return;
  }
  const scanrt_u32 whole = scanrt_vectors_whole(job, first, STRIP_ROWS);
  if (whole == STRIP_ROWS) {
    UNROLL
    for (scanrt_u32 i = 0; i < STRIP_ROWS; i++) t->raw[i] = LOAD_STREAM(in + i * ROW_VECS);
    return;
  }
  const scanrt_raw_t part = scanrt_vector_load_guarded(job, first + whole * ROW_ITEMS);
  UNROLL
  for (scanrt_u32 i = 0; i < STRIP_ROWS; i++) {
    t->raw[i] = i == whole ? part : scanrt_vector_identity();
    if (i < whole) t->raw[i] = LOAD_STREAM(in + i * ROW_VECS);
  }
}

FUNC void scanrt_strip_store(const scanrt_job *job, scanrt_u64 first, scanrt_raw16 result, scanrt_u32 i) {
  const scanrt_u64 at = first + i * ROW_ITEMS;
  result = VECTOR_FLIP(job, result);
  if (job->vectors_out && at + VEC_ITEMS <= job->n)
    *(GLOBAL scanrt_raw16 *)(job->out + at) = result;
  else
    scanrt_vector_store_guarded(job, at, result);
}

FUNC scanrt_raw_t scanrt_short_load(const scanrt_job *job, scanrt_u32 offset, scanrt_u64 n) {
  (void)n;
  if (job->vectors_in && offset + VEC_ITEMS <= job->n)
    return LOAD_STREAM((GLOBAL const scanrt_raw_t *)(job->in + offset));
  return scanrt_vector_load_guarded(job, offset);
}
#endif

/* Returns what precedes each vector in its line, for short lines of `lanes` vectors side by side. Without shuffles the
 * values pass through local memory. */
#if SCAN_SHUFFLE
FUNC scanrt_value_t scanrt_lanes_before(scanrt_value_t x, scanrt_u32 lanes) {
  const scanrt_u32 lane = ITEM() % 32 & (lanes - 1);
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    const scanrt_value_t y = scanrt_shuffle_up(x, d);
    x = COMBINE_WHERE(d < lanes && lane >= d, y, x, VECTORS_ARE_FILLED);
  }
  const scanrt_value_t y = scanrt_shuffle_up(x, 1);
  return lane ? y : IDENTITY;
}
#define LANES_BEFORE(x, lanes, values) scanrt_lanes_before((x), (lanes))
#else
FUNC scanrt_value_t scanrt_lanes_before(scanrt_value_t x, scanrt_u32 lanes, LOCAL scanrt_value_t *values) {
  const scanrt_u32 lane = ITEM() & (lanes - 1);
  for (scanrt_u32 d = 1; d < lanes; d <<= 1) {
    BARRIER(); /* the old values have been read */
    values[ITEM()] = x;
    BARRIER();
    if (lane >= d) x = scanrt_combine(values[ITEM() - d], x);
  }
  BARRIER();
  values[ITEM()] = x;
  BARRIER();
  return lane ? values[ITEM() - 1] : IDENTITY;
}
#define LANES_BEFORE(x, lanes, values) scanrt_lanes_before((x), (lanes), (values))
#endif

/* Vectors of different lines that a work-item holds at once: half of ROWS, which halves code and registers. */
#define SHORT_LINES 4
#endif
