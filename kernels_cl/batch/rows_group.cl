/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans lines by warps of a work-group. A warp exchanges nothing with other warps, and takes several lines of up to one
 * row. */
#include "lib/dialect.h"

/* Lines of types from source on CUDA (runtime/device/tuning.h): rows that a warp holds, and whether it loads the next
 * ones meanwhile, in twice the registers. */
#if SCAN_TYPE == 0 && SCAN_SHUFFLE && defined TUNE_LINE_ROWS
#define STRIP_ROWS (TUNE_LINE_IS_SHORT(VALUE_BYTES, VEC_ITEMS * INPUT_BYTES) ? TUNE_LINE_ROWS : ROWS)
#define ROWS_AHEAD (TUNE_LINE_IS_SHORT(VALUE_BYTES, VEC_ITEMS * INPUT_BYTES) && TUNE_LINE_AHEAD)
#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT TUNE_LINE_GROUPS
#else
#define ROWS_AHEAD 0
#endif
#include "batch/rows.h"

#if SCAN_TYPE == 0 && SCAN_SHUFFLE
/* The prefix of a line's next row, as scanrt_line_prefix, in few registers: lane k has the total of the aligned run of
 * 2^k tiles that scanrt_prefix keeps in run[k]. */
typedef struct scanrt_warp_prefix {
  scanrt_value_t base, sub, row, groups, run;
  scanrt_u32 rows, tile;
} scanrt_warp_prefix;

FUNC scanrt_warp_prefix scanrt_warp_start(scanrt_value_t seed) {
  scanrt_warp_prefix p;
  p.groups = p.base = seed;
  p.run = p.sub = p.row = IDENTITY;
  p.rows = p.tile = 0;
  return p;
}

FUNC scanrt_value_t scanrt_warp_before(const scanrt_warp_prefix *p, scanrt_value_t before) {
  return scanrt_combine(p->base, scanrt_combine(p->sub, scanrt_combine(p->row, before)));
}

FUNC void scanrt_warp_push(scanrt_warp_prefix *p, scanrt_value_t total) { p->row = scanrt_combine(p->row, total); }

/* Adds the aggregate of a tile (scanrt_prefix_push), and returns what precedes the next one (scanrt_prefix_value). */
FUNC scanrt_value_t scanrt_warp_push_tile(scanrt_warp_prefix *p, scanrt_value_t aggregate) {
  scanrt_value_t before = IDENTITY;
  scanrt_u32 k = 0;
  NO_UNROLL
  for (; k < GROUP_LEVELS && p->tile >> k & 1; k++)
    aggregate = scanrt_combine(scanrt_shuffle_from(p->run, k), aggregate);
  if (k < GROUP_LEVELS)
    p->run = VALUE_SELECT(ITEM() % 32 == k, aggregate, p->run);
  else
    p->groups = scanrt_combine(p->groups, aggregate);
  p->tile = (p->tile + 1) % GROUP_TILES;
  NO_UNROLL
  for (k = 0; k < GROUP_LEVELS; k++)
    if (p->tile >> k & 1) before = scanrt_combine(scanrt_shuffle_from(p->run, k), before);
  return scanrt_combine(p->groups, before);
}

FUNC void scanrt_warp_close(scanrt_warp_prefix *p, scanrt_u32 rows, scanrt_u32 subtiles) {
  p->rows += rows;
  if (p->rows % SUBTILE_ROWS) return;
  p->sub = scanrt_combine(p->sub, p->row);
  p->row = IDENTITY;
  if (p->rows < subtiles * SUBTILE_ROWS) return;
  p->base = scanrt_warp_push_tile(p, p->sub);
  p->sub = IDENTITY;
  p->rows = 0;
}
#else
#define scanrt_warp_prefix scanrt_line_prefix
#define scanrt_warp_start scanrt_line_start
#define scanrt_warp_before scanrt_line_before
#define scanrt_warp_push scanrt_line_push
#define scanrt_warp_close scanrt_line_close
#endif

#if SCAN_SHUFFLE
/* Scans a strip. `whole`, a constant in every call: 1 if all its elements exist and its vectors are stored whole. */
FUNC void scanrt_rows_strip_scan(const scanrt_job *job, scanrt_u64 strip, const scanrt_strip_state *t,
                                 scanrt_warp_prefix *p, scanrt_u32 whole) {
  const scanrt_u64 first = strip + ITEM() % 32 * VEC_ITEMS;
  UNROLL
  for (scanrt_u32 i = 0; i < STRIP_ROWS; i++) {
    const scanrt_u32 exist = whole || VECTORS_ARE_FILLED;
    scanrt_value_t total;
    const scanrt_value_t before = scanrt_row_scan(VECTOR_FOLD(t->raw[i], exist), &total, exist);
    const scanrt_stored_t result = VECTOR_SCAN(job, t->raw[i], scanrt_warp_before(p, before), exist);
#if SCAN_TYPE == 0
    if (whole)
      VECTOR_STORE(job, first + i * ROW_ITEMS, (GLOBAL scanrt_stored_t *)(job->out + first + i * ROW_ITEMS), result);
    else
#endif
      scanrt_strip_store(job, first, result, i);
    scanrt_warp_push(p, total);
  }
}

#if SCAN_TYPE == 0
/* Loads a strip whose elements exist and lie in vectors. Within a line no shift of a member needs a test. */
FUNC void scanrt_rows_strip_load(const scanrt_job *job, scanrt_u64 strip, scanrt_strip_state *t) {
  const scanrt_u64 first = strip + ITEM() % 32 * VEC_ITEMS;
#if SCAN_SOURCE_INPUTS && SCAN_INPUTS_REACH
  if (strip >= SCAN_INPUTS_REACH && strip + STRIP_ITEMS + SCAN_INPUTS_REACH <= job->n) {
    UNROLL
    for (scanrt_u32 i = 0; i < STRIP_ROWS; i++)
      t->raw[i] =
          scanrt_vector_whole(job, first + i * ROW_ITEMS, scanrt_members_load_vector(job, first + i * ROW_ITEMS, 1));
    return;
  }
#endif
  UNROLL
  for (scanrt_u32 i = 0; i < STRIP_ROWS; i++)
    t->raw[i] =
        VECTOR_LOAD(job, first + i * ROW_ITEMS, (GLOBAL const scanrt_loaded_t *)(job->in + first + i * ROW_ITEMS));
}

/* Scans the whole strips of a line whose elements lie in vectors; returns where the rest begins. No value needs to know
 * whether it exists, which halves the instructions. */
FUNC scanrt_u64 scanrt_rows_whole_scan(const scanrt_job *job, scanrt_warp_prefix *p, scanrt_u32 subtiles) {
  scanrt_u64 strip = 0;
  scanrt_strip_state t;
  if (!(job->vectors_in & job->vectors_out)) return 0;
#if ROWS_AHEAD
  scanrt_strip_state next;
  if (job->n >= STRIP_ITEMS) scanrt_rows_strip_load(job, 0, &next);
#endif
  for (; strip + STRIP_ITEMS <= job->n; strip += STRIP_ITEMS) {
#if ROWS_AHEAD
    t = next;
    if (strip + 2 * STRIP_ITEMS <= job->n) scanrt_rows_strip_load(job, strip + STRIP_ITEMS, &next);
#else
    scanrt_rows_strip_load(job, strip, &t);
#endif
    scanrt_rows_strip_scan(job, strip, &t, p, 1);
    scanrt_warp_close(p, STRIP_ROWS, subtiles);
  }
  return strip;
}
#define WHOLE_SCAN(job, p, subtiles) scanrt_rows_whole_scan((job), (p), (subtiles))
#else
#define WHOLE_SCAN(job, p, subtiles) 0
#endif

/* Scans a line by a warp. */
FUNC void scanrt_rows_line_scan(const scanrt_job *job, scanrt_u64 n, scanrt_warp_prefix p, scanrt_u32 subtiles) {
  for (scanrt_u64 strip = WHOLE_SCAN(job, &p, subtiles); strip < n; strip += STRIP_ITEMS) {
    scanrt_strip_state t;
    scanrt_strip_load(job, strip, n, &t);
    UNROLL
    for (scanrt_u32 i = 0; i < STRIP_ROWS; i++) t.raw[i] = VECTOR_FLIP(job, t.raw[i]);
    scanrt_rows_strip_scan(job, strip, &t, &p, 0);
    scanrt_warp_close(&p, STRIP_ROWS, subtiles);
  }
}
#else
/* Scans a line by a warp, whose lanes exchange values in local memory. */
FUNC void scanrt_rows_line_scan(const scanrt_job *job, scanrt_u64 n, scanrt_line_prefix p, scanrt_u32 subtiles,
                                LOCAL scanrt_tile_scratch *scratch) {
  for (scanrt_u64 strip = 0; strip < n; strip += STRIP_ITEMS) {
    const scanrt_u64 first = strip + ITEM() % 32 * VEC_ITEMS;
    scanrt_strip_state t;
    scanrt_strip_load(job, strip, n, &t);
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) t.raw[i] = VECTOR_FLIP(job, t.raw[i]);
    scanrt_rows_scan(job, 0, &t, scratch);
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) {
      const scanrt_value_t start = scanrt_line_before(&p, t.before[i]);
      scanrt_strip_store(job, first, VECTOR_SCAN(job, t.raw[i], start, VECTORS_ARE_FILLED), i);
      scanrt_line_push(&p, scratch->rows[ITEM() / 32 * ROWS + i]);
    }
    scanrt_line_close(&p, ROWS, subtiles);
  }
  BARRIER(); /* the totals have been read */
}
#endif

KERNEL(scan_rows)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_tile_scratch, scratch, 1);
#endif
  const scanrt_lines lines = LINES();
  for (scanrt_u64 block = GROUP(); block * WARPS < lines.count; block += GROUPS()) {
    const scanrt_job job = scanrt_row_of(&lines, block * WARPS + ITEM() / 32, flags);
#if SCAN_SHUFFLE
    scanrt_rows_line_scan(&job, lines.n, scanrt_warp_start(LINE_SEED()), lines.subtiles);
#else
    scanrt_rows_line_scan(&job, lines.n, scanrt_line_start(LINE_SEED()), lines.subtiles, scratch);
#endif
  }
}

KERNEL(scan_rows_short)(PARAMETERS(TILE_ARGUMENTS)) {
#if !SCAN_SHUFFLE
  LOCAL_ARRAY(scanrt_value_t, values, SCAN_GROUP_ITEMS);
#endif
  const scanrt_lines lines = LINES();
  const scanrt_u32 lanes = (scanrt_u32)lines.words[LINES_LANES], lane = ITEM() & (lanes - 1);
  const scanrt_u32 slot = SCAN_GROUP_ITEMS / lanes; /* lines that the work-group scans at once */
  const scanrt_value_t start = scanrt_combine(LINE_SEED(), IDENTITY);
  for (scanrt_u64 block = GROUP(); block * slot * SHORT_LINES < lines.count; block += GROUPS()) {
    scanrt_job job[SHORT_LINES];
    scanrt_raw_t raw[SHORT_LINES];
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      job[i] = scanrt_row_of(&lines, (block * SHORT_LINES + i) * slot + ITEM() / lanes, flags);
      raw[i] = scanrt_short_load(&job[i], lane * VEC_ITEMS, lines.n);
    }
    UNROLL
    for (scanrt_u32 i = 0; i < SHORT_LINES; i++) {
      raw[i] = VECTOR_FLIP(&job[i], raw[i]);
      const scanrt_value_t x = LANES_BEFORE(VECTOR_FOLD(raw[i], VECTORS_ARE_FILLED), lanes, values);
      scanrt_strip_store(&job[i], lane * VEC_ITEMS,
                         VECTOR_SCAN(&job[i], raw[i], scanrt_combine(start, x), VECTORS_ARE_FILLED), 0);
    }
  }
}
