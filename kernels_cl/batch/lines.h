/* SPDX-License-Identifier: BSD-2-Clause */
/* Many lines, each scanned by itself: where they are, and what precedes the next row of one in the canonical order.
 *
 * The geometry lies at the start of the workspace, 64-bit words that runtime/strategy/array.h writes: so every kernel
 * keeps the same arguments, and n is that of a line. Strides are in bytes and may be negative. */
#ifndef SCANRT_CL_LINES_H
#define SCANRT_CL_LINES_H

#include "scan_tile.h"

#define LINES_COUNT 0
#define LINES_AXES 1 /* the axes across the lines, the innermost first */
#define LINES_IN_STEP 2
#define LINES_OUT_STEP 3
#define LINES_SUBTILES 4 /* S of the canonical order, for lines of n elements */
#define LINES_LANES 5    /* short lines: vectors that a line takes, a power of two up to 32 */
#define LINES_AXIS 8     /* from here on extent, stride of the input, stride of the output of each axis */

typedef struct scan_lines {
  GLOBAL const scan_u64 *words;
  GLOBAL const scan_u8 *in; /* the first element of the first line */
  GLOBAL scan_u8 *out;
  scan_u64 count, n;
  scan_i64 in_step, out_step;
  scan_u32 subtiles;
} scan_lines;

FUNC scan_lines lines_make(GLOBAL const scan_u8 *in_base, scan_u64 in_offset_bytes, GLOBAL scan_u8 *out_base,
                           scan_u64 out_offset_bytes, GLOBAL const scan_u8 *workspace, scan_u64 n) {
  scan_lines l;
  l.words = (GLOBAL const scan_u64 *)workspace;
  l.in = in_base + in_offset_bytes;
  l.out = out_base + out_offset_bytes;
  l.count = l.words[LINES_COUNT];
  l.n = n;
  l.in_step = (scan_i64)l.words[LINES_IN_STEP];
  l.out_step = (scan_i64)l.words[LINES_OUT_STEP];
  l.subtiles = (scan_u32)l.words[LINES_SUBTILES];
  return l;
}
/* What comes before each line, and a line as a scan by itself: `l` are its lines. */
#if SCAN_TYPE == 0
#define LINE_SEED() SEED()
#define LINE_JOB(l, job, flags)                                                                                        \
  job_step((job), (l)->in_step / INPUT_BYTES, (l)->out_step / OUTPUT_BYTES, (flags)&FLAG_TURNED)
#else
#define LINE_SEED() BITS_VALUE(seed_bits)
#ifndef LINE_JOB
#define LINE_JOB(l, job, flags) (job)
#endif
#endif
#define LINES() lines_make(in_base, in_offset_bytes, out_base, out_offset_bytes, workspace, n)

/* Divisions of 64 bits are long on GPUs. */
FUNC scan_u64 lines_divide(scan_u64 a, scan_u64 b) {
  return (a | b) >> 32 ? a / b : (scan_u64)((scan_u32)a / (scan_u32)b);
}

/* Bytes from the first line's first element to this line's. */
FUNC void line_place(const scan_lines *l, scan_u64 line, scan_i64 *in, scan_i64 *out) {
  const scan_u32 axes = (scan_u32)l->words[LINES_AXES];
  GLOBAL const scan_u64 *axis = l->words + LINES_AXIS;
  *in = 0;
  *out = 0;
  /* Divisions again and again would be half of the code of short lines. */
  NO_UNROLL
  for (scan_u32 a = 0; a < axes; a++, axis += 3) {
    const scan_u64 rest = a + 1 < axes ? lines_divide(line, axis[0]) : 0;
    const scan_i64 index = (scan_i64)(line - rest * axis[0]);
    *in += index * (scan_i64)axis[1];
    *out += index * (scan_i64)axis[2];
    line = rest;
  }
}

/* What precedes a line's next row. Integers of built-in types need no order. */
typedef struct line_prefix {
  value_t base; /* the tiles before */
#if VALUE_IS_ORDERED
  value_t sub, row; /* the sub-tiles of the tile before, the rows of the sub-tile before */
  scan_u32 rows;    /* of the tile */
  scan_prefix tiles;
#endif
} line_prefix;

FUNC line_prefix line_start(value_t seed) {
  line_prefix p;
#if VALUE_IS_ORDERED
  p.tiles = prefix_start(seed);
  p.base = prefix_value(&p.tiles);
  p.sub = IDENTITY;
  p.row = IDENTITY;
  p.rows = 0;
#else
  p.base = seed;
#endif
  return p;
}

/* Where a vector starts whose predecessors in its row are `before`. */
FUNC value_t line_before(const line_prefix *p, value_t before) {
#if VALUE_IS_ORDERED
  return combine(p->base, combine(p->sub, combine(p->row, before)));
#else
  return combine(p->base, before);
#endif
}

/* A row is done. */
FUNC void line_push(line_prefix *p, value_t total) {
#if VALUE_IS_ORDERED
  p->row = combine(p->row, total);
#else
  p->base = combine(p->base, total);
#endif
}

/* The last `rows` of them, none of which but the last ends a sub-tile, have been pushed. */
FUNC void line_close(line_prefix *p, scan_u32 rows, scan_u32 subtiles) {
#if VALUE_IS_ORDERED
  p->rows += rows;
  if (p->rows % SUBTILE_ROWS) return;
  p->sub = combine(p->sub, p->row);
  p->row = IDENTITY;
  if (p->rows < subtiles * SUBTILE_ROWS) return;
  prefix_push(&p->tiles, p->sub);
  p->base = prefix_value(&p->tiles);
  p->sub = IDENTITY;
  p->rows = 0;
#else
  (void)p, (void)rows, (void)subtiles;
#endif
}
#endif
