/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals of lines, which are read once. A total has the bits of the last element of the line's inclusive scan: the fold
 * of the rows before the last one, of the whole vectors before element n - 1 in the last row, and of the elements up to
 * n - 1, in this order. */
#include "batch/rows.h"

/* Returns a line as the job of a total. */
FUNC scanrt_job scanrt_total_of(const scanrt_lines *lines, scanrt_u64 line, scanrt_u32 flags) {
  return scanrt_line_sink(scanrt_row_of(lines, line, flags), FLAG_TOTAL);
}

/* Writes the total of a line from the vector at element `first`, if that has element n - 1. */
FUNC void scanrt_total_write(const scanrt_job *job, scanrt_u64 first, scanrt_raw_t raw, scanrt_value_t start) {
  if (job->n != 0 && job->n - 1 - first < VEC_ITEMS) scanrt_vector_write_last(job, first, raw, start);
}

/* ---- a warp for each line, or for several short ones ---- */

#if SCAN_SHUFFLE
/* Replaces the sums of the vectors of each row by the row's total, in every lane. */
FUNC void scanrt_rows_total(scanrt_value_t x[ROWS]) {
#if ROWS == 4 || ROWS == 8
  scanrt_value_t tree[ROWS];
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) tree[i] = x[i];
  scanrt_trees_fold(tree, ROWS, VECTORS_ARE_FILLED);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++)
    x[i] = WHOLE_SHUFFLE(scanrt_shuffle_from, tree[0], scanrt_tree_lane(i, ROWS), VECTORS_ARE_FILLED);
#else
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++)
    x[i] = WHOLE_SHUFFLE(scanrt_shuffle_from, scanrt_row_total(x[i], VECTORS_ARE_FILLED), 0, VECTORS_ARE_FILLED);
#endif
}
#endif

KERNEL(total_rows)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
#endif
  const scanrt_lines lines = LINES();
  for (scanrt_u64 block = GROUP(); block * WARPS < lines.count; block += GROUPS()) {
    const scanrt_job job = scanrt_total_of(&lines, block * WARPS + ITEM() / 32, flags);
    scanrt_line_prefix p = scanrt_line_start(LINE_SEED());
    for (scanrt_u64 strip = 0; strip < lines.n; strip += STRIP_ITEMS) {
      const scanrt_u32 is_last = lines.n - strip <= STRIP_ITEMS;
      const scanrt_u32 whole = is_last ? (scanrt_u32)(lines.n - 1 - strip) / ROW_ITEMS : ROWS;
      scanrt_strip_state t;
      scanrt_value_t total[ROWS];
      scanrt_strip_load(&job, strip, lines.n, &t);
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++) t.raw[i] = VECTOR_FLIP(&job, t.raw[i]);
#if SCAN_SHUFFLE
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++) total[i] = VECTOR_FOLD(t.raw[i], VECTORS_ARE_FILLED);
      scanrt_rows_total(total);
#else
      scanrt_rows_scan(&job, 0, &t, scratch);
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++) total[i] = scratch->rows[ITEM() / 32 * ROWS + i];
#endif
      UNROLL
      for (scanrt_u32 i = 0; i < ROWS; i++)
        if (i < whole) scanrt_line_push(&p, total[i]);
      if (!is_last) {
        scanrt_line_close(&p, ROWS, lines.subtiles);
        continue;
      }
      scanrt_raw_t raw = t.raw[0];
      UNROLL
      for (scanrt_u32 i = 1; i < ROWS; i++)
        if (i == whole) raw = t.raw[i];
#if SCAN_SHUFFLE
      const scanrt_value_t before =
          scanrt_row_scan(VECTOR_FOLD(raw, VECTORS_ARE_FILLED), &total[0], VECTORS_ARE_FILLED);
#else
      scanrt_value_t before = t.before[0];
      UNROLL
      for (scanrt_u32 i = 1; i < ROWS; i++) before = VALUE_SELECT(i == whole, t.before[i], before);
#endif
      scanrt_total_write(&job, strip + whole * ROW_ITEMS + ITEM() % 32 * VEC_ITEMS, raw,
                         scanrt_line_before(&p, before));
    }
#if !SCAN_SHUFFLE
    BARRIER(); /* the totals have been read */
#endif
  }
}

KERNEL(total_rows_short)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_value_t, values, SCAN_GROUP_ITEMS);
#endif
  const scanrt_lines lines = LINES();
  const scanrt_u32 lanes = (scanrt_u32)lines.words[LINES_LANES], first = (ITEM() & (lanes - 1)) * VEC_ITEMS;
  const scanrt_u32 slot = SCAN_GROUP_ITEMS / lanes; /* lines that the work-group reads at once */
  const scanrt_value_t start = scanrt_combine(LINE_SEED(), IDENTITY);
  for (scanrt_u64 block = GROUP(); block * slot * SHORT_LINES < lines.count; block += GROUPS()) {
    scanrt_job job[SHORT_LINES];
    scanrt_raw_t raw[SHORT_LINES];
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      job[i] = scanrt_total_of(&lines, (block * SHORT_LINES + i) * slot + ITEM() / lanes, flags);
      raw[i] = scanrt_short_load(&job[i], first, lines.n);
    }
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      raw[i] = VECTOR_FLIP(&job[i], raw[i]);
      const scanrt_value_t before = LANES_BEFORE(VECTOR_FOLD(raw[i], VECTORS_ARE_FILLED), lanes, values);
      scanrt_total_write(&job[i], first, raw[i], scanrt_combine(start, before));
    }
  }
}

/* ---- a work-item for each line, whose steps may be negative ---- */

#if !SCAN_BACKWARD

/* Whole vectors that a work-item loads at once, a power of two. */
#if VEC_ITEMS > 4
#define LOADED_VECS (32 / VEC_ITEMS)
#elif ORDER_BYTES <= 16
#define LOADED_VECS 8
#else
#define LOADED_VECS 2
#endif
#define RUN_LEVELS 5

#if SCAN_TYPE == 0
#define APART_LOAD(l, job, first) scanrt_vector_load_apart((job), (first))
#define APART_LOAD_CUT(l, job, row, offset, rest) VECTOR_LOAD_CUT((job), (row), (offset), (rest))
#else
/* Loads the first `count` elements of a vector; the others are the identity. */
FUNC scanrt_raw_t scanrt_apart_load(const scanrt_lines *l, const scanrt_job *job, scanrt_u64 first, scanrt_u32 count) {
  GLOBAL const scanrt_u8 *in = (GLOBAL const scanrt_u8 *)job->in + (scanrt_i64)first * l->in_step;
  scanrt_input_vector v;
  v.raw = scanrt_vector_identity();
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < count) v.x[k] = LOAD_STREAM((GLOBAL const scanrt_input_t *)(in + (scanrt_i64)k * l->in_step));
  return v.raw;
}
#define APART_LOAD(l, job, first) scanrt_apart_load((l), (job), (first), VEC_ITEMS)
#define APART_LOAD_CUT(l, job, row, offset, rest) scanrt_apart_load((l), (job), (row) + (offset), (rest) - (offset))
#endif

/* Folds `vectors`, a constant and a power of two, from element `first` on by the balanced tree. */
FUNC scanrt_value_t scanrt_vectors_tree(const scanrt_lines *l, const scanrt_job *job, scanrt_u64 first,
                                        scanrt_u32 vectors) {
  scanrt_raw_t raw[LOADED_VECS];
  scanrt_value_t x[LOADED_VECS];
  UNROLL
  for (scanrt_u32 v = 0; v < vectors; v++) raw[v] = APART_LOAD(l, job, first + v * VEC_ITEMS);
  UNROLL
  for (scanrt_u32 v = 0; v < vectors; v++) x[v] = VECTOR_FOLD(VECTOR_FLIP(job, raw[v]), 1);
  UNROLL
  for (scanrt_u32 d = 1; d < vectors; d <<= 1) {
    UNROLL
    for (scanrt_u32 v = 0; v + d < vectors; v += 2 * d) x[v] = scanrt_combine(x[v], x[v + d]);
  }
  return x[0];
}

/* Folds `vectors`, a power of two, from element `first` on by the balanced tree: level k holds the fold of 2^k steps.
 */
FUNC scanrt_value_t scanrt_run_tree(const scanrt_lines *l, const scanrt_job *job, scanrt_u64 first,
                                    scanrt_u32 vectors) {
  const scanrt_u32 at_once = vectors < LOADED_VECS ? 1 : LOADED_VECS;
  scanrt_value_t run[RUN_LEVELS], x = IDENTITY;
  UNROLL
  for (scanrt_u32 k = 0; k < RUN_LEVELS; k++) run[k] = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 i = 0; i * at_once < vectors; i++) {
    const scanrt_u64 at = first + i * at_once * VEC_ITEMS;
    scanrt_u32 carrying = 1;
    x = at_once == 1 ? scanrt_vectors_tree(l, job, at, 1) : scanrt_vectors_tree(l, job, at, LOADED_VECS);
    UNROLL
    for (scanrt_u32 k = 0; k < RUN_LEVELS; k++) {
      if (carrying && !(i >> k & 1)) {
        run[k] = x;
        carrying = 0;
      }
      if (carrying) x = scanrt_combine(run[k], x);
    }
  }
  return x;
}

/* Returns a row's total; of the last row, the fold of the whole vectors before that of element n - 1. Recursive
 * doubling folds c vectors by trees over as many as the digits of c say, the smallest first. */
FUNC scanrt_value_t scanrt_line_row_fold(const scanrt_lines *l, const scanrt_job *job, scanrt_u64 row) {
  const scanrt_u32 vectors = l->n - row > ROW_ITEMS ? ROW_VECS : (scanrt_u32)(l->n - 1 - row) / VEC_ITEMS;
  scanrt_value_t all = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 k = 1; k <= vectors; k <<= 1) {
    if (!(vectors & k)) continue;
    all = scanrt_combine(all, scanrt_run_tree(l, job, row, k));
    row += k * VEC_ITEMS;
  }
  return all;
}

/* Lane l of a warp has line l of 32, so that neighbouring lines are read together, and folds rows by itself. Several
 * warps may share 32 lines: each takes a row, and the first one combines the rows' totals in their order. */
KERNEL(total_lines)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_value_t, totals, 2 * SCAN_GROUP_ITEMS); /* while one half is read, the other is written */
  const scanrt_lines lines = LINES();
  const scanrt_u32 sharers = (scanrt_u32)lines.words[LINES_SHARERS], warp = ITEM() / 32, turn = warp % sharers;
  const scanrt_u32 at_once = WARPS / sharers * 32; /* lines */
  const scanrt_u64 rows = (lines.n + ROW_ITEMS - 1) / ROW_ITEMS;
  scanrt_u32 part = 0; /* of `totals`: the first place that is written */
  for (scanrt_u64 first = GROUP() * (scanrt_u64)at_once; first < lines.count; first += GROUPS() * (scanrt_u64)at_once) {
    const scanrt_job job =
        scanrt_line_sink(scanrt_line_of(&lines, first + warp / sharers * 32 + ITEM() % 32, flags), FLAG_TOTAL);
    scanrt_line_prefix p = scanrt_line_start(LINE_SEED());
    for (scanrt_u64 row = 0; row < rows; row += sharers) {
      LOCAL scanrt_value_t *of_row = totals + part + ITEM();
      if (row + turn < rows) *of_row = scanrt_line_row_fold(&lines, &job, (row + turn) * ROW_ITEMS);
      BARRIER();
      part ^= SCAN_GROUP_ITEMS;
      if (turn != 0) continue;
      for (scanrt_u32 r = 0; r < sharers && row + r + 1 < rows; r++) {
        scanrt_line_push(&p, of_row[r * 32]);
        scanrt_line_close(&p, 1, lines.subtiles);
      }
      if (row + sharers < rows) continue;
      const scanrt_u64 last_row = (rows - 1) * ROW_ITEMS;
      const scanrt_u32 rest = (scanrt_u32)(lines.n - last_row), offset = (rest - 1) / VEC_ITEMS * VEC_ITEMS;
      const scanrt_raw_t raw = APART_LOAD_CUT(&lines, &job, last_row, offset, rest);
      scanrt_total_write(&job, last_row + offset, VECTOR_FLIP(&job, raw),
                         scanrt_line_before(&p, of_row[(scanrt_u32)(rows - 1 - row) * 32]));
    }
  }
}
#endif
