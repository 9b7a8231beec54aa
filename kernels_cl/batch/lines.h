/* SPDX-License-Identifier: BSD-2-Clause */
/* Many lines, each scanned by itself: their places, and the prefix of a line's next row in the canonical order.
 *
 * The geometry lies at the start of the workspace, as 64-bit words that runtime/strategy/array/array.h writes, so that
 * all kernels take the same arguments. n is the length of a line. Strides are in bytes and may be negative. */
#ifndef SCANRT_CL_LINES_H
#define SCANRT_CL_LINES_H

#include "scan/scan_tile.h"

#define LINES_COUNT 0
#define LINES_AXES 1 /* the number of axes across the lines; the innermost comes first */
#define LINES_IN_STEP 2
#define LINES_OUT_STEP 3
#define LINES_SUBTILES 4 /* S of the canonical order, for lines of n elements */
#define LINES_LANES 5    /* short lines: vectors of a line, a power of two up to 32 */
#define LINES_SHARERS 6  /* totals of lines apart: warps that share 32 lines, a power of two up to WARPS */
#define LINES_AXIS 8     /* from here on: extent and strides (input, output, index) of each axis */

typedef struct scanrt_lines {
  GLOBAL const scanrt_u64 *words;
  GLOBAL const scanrt_u8 *in; /* the first element of the first line */
  GLOBAL scanrt_u8 *out;
  scanrt_u64 count, n;
  scanrt_i64 in_step, out_step;
  scanrt_u32 subtiles;
#if SCAN_TYPE == 0
  scanrt_job job; /* the first line */
#endif
} scanrt_lines;

/* The distance from the first line to another one: bytes of input and output, and indices. */
typedef struct scanrt_line_place_t {
  scanrt_i64 in, out, index;
} scanrt_line_place_t;

FUNC scanrt_lines scanrt_lines_make(GLOBAL const scanrt_u8 *in, GLOBAL scanrt_u8 *out,
                                    GLOBAL const scanrt_u8 *workspace, scanrt_u64 n) {
  scanrt_lines l;
  l.words = (GLOBAL const scanrt_u64 *)workspace;
  l.in = in;
  l.out = out;
  l.count = l.words[LINES_COUNT];
  l.n = n;
  l.in_step = (scanrt_i64)l.words[LINES_IN_STEP];
  l.out_step = (scanrt_i64)l.words[LINES_OUT_STEP];
  l.subtiles = (scanrt_u32)l.words[LINES_SUBTILES];
  return l;
}
#define LINES_MADE() scanrt_lines_make(MEMORY(in), MEMORY(out), MEMORY(workspace), n)
/* LINES() is the geometry, LINE_SEED() the start of each line. */
#if SCAN_TYPE == 0
FUNC scanrt_lines scanrt_lines_like(scanrt_lines l, scanrt_job job) {
  l.job = job;
  return l;
}
#define LINES() scanrt_lines_like(LINES_MADE(), JOB())
#define LINE_SEED() SEED()
#else
#define LINES() LINES_MADE()
#define LINE_SEED() BITS_VALUE(seed_bits)
#ifndef LINE_REVERSED
#define LINE_REVERSED(job) (job)
#endif
#endif

/* Divides in 32 bits where both operands fit: 64-bit divisions are slow on GPUs. */
FUNC scanrt_u64 scanrt_lines_divide(scanrt_u64 a, scanrt_u64 b) {
  return (a | b) >> 32 ? a / b : (scanrt_u64)((scanrt_u32)a / (scanrt_u32)b);
}

FUNC scanrt_line_place_t scanrt_line_place(const scanrt_lines *l, scanrt_u64 line) {
  const scanrt_u32 axes = (scanrt_u32)l->words[LINES_AXES];
  GLOBAL const scanrt_u64 *axis = l->words + LINES_AXIS;
  scanrt_line_place_t place;
  place.in = 0;
  place.out = 0;
  place.index = 0;
  /* Unrolled divisions would be half of the code of short lines. */
  NO_UNROLL
  for (scanrt_u32 a = 0; a < axes; a++, axis += 4) {
    const scanrt_u64 rest = a + 1 < axes ? scanrt_lines_divide(line, axis[0]) : 0;
    const scanrt_i64 index = (scanrt_i64)(line - rest * axis[0]);
    place.in += index * (scanrt_i64)axis[1];
    place.out += index * (scanrt_i64)axis[2];
    place.index += index * (scanrt_i64)axis[3];
    line = rest;
  }
  return place;
}

/* Returns the line as a job by itself, empty past the last line. */
FUNC scanrt_job scanrt_line_of(const scanrt_lines *l, scanrt_u64 line, scanrt_u32 flags) {
  const scanrt_line_place_t place = scanrt_line_place(l, line < l->count ? line : 0);
  const scanrt_u64 n = line < l->count ? l->n : 0;
#if SCAN_TYPE == 0
  scanrt_job job = l->job;
  (void)flags;
  job.in = (GLOBAL const JOB_IN_T *)(l->in + place.in);
  job.out = (GLOBAL JOB_OUT_T *)(l->out + place.out);
  job.total = (GLOBAL scanrt_output_t *)job.out;
  job.n = n;
  job.index_start += (scanrt_u64)place.index;
  return job;
#else
  return LINE_REVERSED(scanrt_job_make(l->in + place.in, l->out + place.out, n, flags));
#endif
}

/* Returns a line's job, as that of a total if the flags say so. */
FUNC scanrt_job scanrt_line_sink(scanrt_job job, scanrt_u32 flags) {
  job.sink = flags & FLAG_TOTAL;
  return job;
}

/* Stores the total from the results of a vector that has element n - 1. A total that is checked for overflow is a scan
 * that stores one element; other totals have kernels of their own. */
#if SCAN_TYPE == 0 && SCAN_CHECKS && SCAN_GROUP_ITEMS > 1
FUNC void scanrt_checked_total_put(const scanrt_job *job, scanrt_u64 first, scanrt_stored_t results) {
  scanrt_output_vector o;
  o.raw = results;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (IS_TOTAL(job) && first + k + 1 == job->n) *job->total = o.x[k];
}
#define CHECKED_TOTAL_PUT(job, first, results) scanrt_checked_total_put((job), (first), (results))
#else
#define CHECKED_TOTAL_PUT(job, first, results)
#endif

/* The prefix of a line's next row. Built-in integers need no order, and one value. */
typedef struct scanrt_line_prefix {
  scanrt_value_t base; /* the tiles before this one */
#if VALUE_IS_ORDERED
  scanrt_value_t sub, row; /* the sub-tiles before in the tile, and the rows before in the sub-tile */
  scanrt_u32 rows;         /* rows of the tile so far */
  scanrt_prefix tiles;
#endif
} scanrt_line_prefix;

FUNC scanrt_line_prefix scanrt_line_start(scanrt_value_t seed) {
  scanrt_line_prefix p;
#if VALUE_IS_ORDERED
  p.tiles = scanrt_prefix_start(seed);
  p.base = scanrt_prefix_value(&p.tiles);
  p.sub = IDENTITY;
  p.row = IDENTITY;
  p.rows = 0;
#else
  p.base = seed;
#endif
  return p;
}

/* Returns the start of a vector; `before` is what precedes it in its row. */
FUNC scanrt_value_t scanrt_line_before(const scanrt_line_prefix *p, scanrt_value_t before) {
#if VALUE_IS_ORDERED
  return scanrt_combine(p->base, scanrt_combine(p->sub, scanrt_combine(p->row, before)));
#else
  return scanrt_combine(p->base, before);
#endif
}

/* Adds the total of a row. */
FUNC void scanrt_line_push(scanrt_line_prefix *p, scanrt_value_t total) {
#if VALUE_IS_ORDERED
  p->row = scanrt_combine(p->row, total);
#else
  p->base = scanrt_combine(p->base, total);
#endif
}

/* Closes the last `rows` rows that were pushed; only the last of them may end a sub-tile. */
FUNC void scanrt_line_close(scanrt_line_prefix *p, scanrt_u32 rows, scanrt_u32 subtiles) {
#if VALUE_IS_ORDERED
  p->rows += rows;
  if (p->rows % SUBTILE_ROWS) return;
  p->sub = scanrt_combine(p->sub, p->row);
  p->row = IDENTITY;
  if (p->rows < subtiles * SUBTILE_ROWS) return;
  scanrt_prefix_push(&p->tiles, p->sub);
  p->base = scanrt_prefix_value(&p->tiles);
  p->sub = IDENTITY;
  p->rows = 0;
#else
  (void)p, (void)rows, (void)subtiles;
#endif
}
#endif
