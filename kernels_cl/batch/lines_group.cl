/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines whose elements are apart, 32 to a work-group: lane l of every warp has line l, so that neighbouring lines are
 * read and written side by side. A row of all lines at a time: work-item (w, l) holds the vectors w, w + WARPS ... of
 * line l in registers, each element read and written once; only the vectors' sums pass through local memory, where
 * each warp scans some of the lines. The next row is on its way meanwhile. */
#define SLOTS (ROW_VECS / WARPS)
#if ROW_VECS % WARPS != 0
#error "the work-group does not fit the row"
#endif

#ifndef VECTOR_FLIP
#define VECTOR_FLIP(job, raw) (raw)
#endif

typedef struct lines_scratch {
  value_t sums[ROW_VECS * 33]; /* vector by vector, 32 lines each: padded, so that a vector as well as a line lies in 32
                                  banks */
  value_t totals[32];
} lines_scratch;

typedef struct lines_row {
  raw_t raw[SLOTS];
} lines_row;

/* The index of the first element of slot m, in the row that begins at `row`. */
FUNC scan_u64 slot_first(scan_u64 row, scan_u32 m) { return row + (m * WARPS + ITEM() / 32) * VEC_ITEMS; }

#if SCAN_TYPE == 0
/* The work-item's line: a scan by itself, of no elements past the last line. */
typedef scan_job lines_at;

FUNC lines_at line_at(const scan_lines *l, scan_u64 line, scan_u32 flags) {
  scan_i64 in, out;
  line_place(l, line < l->count ? line : 0, &in, &out);
  return LINE_JOB(l, job_make(l->in + in, 0, l->out + out, 0, line < l->count ? l->n : 0, flags), flags);
}
#define LINE_AT(l, line) line_at((l), (line), flags)
#define AT_JOB(at, job) (at)

FUNC void row_load(const scan_lines *l, const lines_at *at, scan_u64 row, lines_row *r) {
  (void)l;
  UNROLL
  for (scan_u32 m = 0; m < SLOTS; m++) r->raw[m] = vector_load_guarded(at, slot_first(row, m));
}

FUNC void slot_store(const scan_lines *l, const lines_at *at, scan_u64 row, scan_u32 m, stored_t result) {
  (void)l;
  vector_store_guarded(at, slot_first(row, m), result);
}
#else
/* The work-item's line. */
typedef struct lines_at {
  GLOBAL const scan_u8 *in;
  GLOBAL scan_u8 *out;
  scan_u64 n; /* 0 past the last line */
} lines_at;

FUNC lines_at line_at(const scan_lines *l, scan_u64 line) {
  scan_i64 in, out;
  lines_at at;
  line_place(l, line < l->count ? line : 0, &in, &out);
  at.in = l->in + in;
  at.out = l->out + out;
  at.n = line < l->count ? l->n : 0;
  return at;
}
#define LINE_AT(l, line) line_at((l), (line))
#define AT_JOB(at, job) (job)

FUNC void row_load(const scan_lines *l, const lines_at *at, scan_u64 row, lines_row *r) {
  const scan_u32 whole = row + ROW_ITEMS <= at->n;
  UNROLL
  for (scan_u32 m = 0; m < SLOTS; m++) {
    const scan_u64 first = slot_first(row, m);
    GLOBAL const scan_u8 *in = at->in + (scan_i64)first * l->in_step;
    input_vector v;
    v.raw = vector_identity();
    UNROLL
    for (scan_u32 k = 0; k < VEC_ITEMS; k++)
      if (whole || first + k < at->n) v.x[k] = LOAD_STREAM((GLOBAL const input_t *)(in + (scan_i64)k * l->in_step));
    r->raw[m] = v.raw;
  }
}

FUNC void slot_store(const scan_lines *l, const lines_at *at, scan_u64 row, scan_u32 m, scan_raw16 result) {
  const scan_u32 whole = row + ROW_ITEMS <= at->n;
  const scan_u64 first = slot_first(row, m);
  GLOBAL scan_u8 *out = at->out + (scan_i64)first * l->out_step;
  output_vector o;
  o.raw = result;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++)
    if (whole || first + k < at->n) *(GLOBAL output_t *)(out + (scan_i64)k * l->out_step) = o.x[k];
}
#endif

/* Leaves what precedes each vector in its row in place of the vectors' sums, and the rows' totals. */
FUNC void sums_scan(LOCAL lines_scratch *s) {
#if SCAN_SHUFFLE
  LOCAL value_t *sum = s->sums + ITEM() % 32 * 33 + ITEM() / 32;
  value_t x[32 / WARPS], total[32 / WARPS];
  UNROLL
  for (scan_u32 i = 0; i < 32 / WARPS; i++) x[i] = sum[i * WARPS];
  UNROLL
  for (scan_u32 i = 0; i < 32 / WARPS; i++) x[i] = row_scan(x[i], &total[i]);
  UNROLL
  for (scan_u32 i = 0; i < 32 / WARPS; i++) {
    sum[i * WARPS] = x[i];
    if (ITEM() % 32 == 0) s->totals[ITEM() / 32 + i * WARPS] = total[i];
  }
#else
  if (ITEM() < 32) {
    value_t x[ROW_VECS];
    UNROLL
    for (scan_u32 v = 0; v < ROW_VECS; v++) x[v] = s->sums[v * 33 + ITEM()];
    UNROLL
    for (scan_u32 d = 1; d < ROW_VECS; d <<= 1) {
      UNROLL
      for (scan_u32 v = ROW_VECS - 1; v >= d; v--) x[v] = combine(x[v - d], x[v]);
    }
    UNROLL
    for (scan_u32 v = 1; v < ROW_VECS; v++) s->sums[v * 33 + ITEM()] = x[v - 1];
    s->sums[ITEM()] = IDENTITY;
    s->totals[ITEM()] = x[ROW_VECS - 1];
  }
#endif
}

KERNEL(scan_lines_apart)(SCAN_PARAMETERS) {
  LOCAL_ARRAY(lines_scratch, scratch, 1);
  const scan_lines lines = LINES();
  const scan_job job = JOB();
  (void)tile_capacity, (void)spin_limit;
  for (scan_u64 block = GROUP(); block * 32 < lines.count; block += GROUPS()) {
    const lines_at at = LINE_AT(&lines, block * 32 + ITEM() % 32);
    line_prefix p = line_start(LINE_SEED());
    lines_row next;
    row_load(&lines, &at, 0, &next);
    for (scan_u64 row = 0; row < lines.n; row += ROW_ITEMS) {
      lines_row r = next;
      LOCAL value_t *sums = scratch->sums + ITEM() / 32 * 33 + ITEM() % 32;
      if (row + ROW_ITEMS < lines.n) row_load(&lines, &at, row + ROW_ITEMS, &next);
      UNROLL
      for (scan_u32 m = 0; m < SLOTS; m++) {
        r.raw[m] = VECTOR_FLIP(&job, r.raw[m]);
        sums[m * WARPS * 33] = vector_fold(r.raw[m]);
      }
      BARRIER();
      sums_scan(scratch);
      BARRIER();
      UNROLL
      for (scan_u32 m = 0; m < SLOTS; m++) {
        const stored_t result = vector_scan(AT_JOB(&at, &job), r.raw[m], line_before(&p, sums[m * WARPS * 33]));
        slot_store(&lines, &at, row, m, VECTOR_FLIP(&job, result));
      }
      line_push(&p, scratch->totals[ITEM() % 32]); /* overwritten behind the next barrier */
      line_close(&p, 1, lines.subtiles);
    }
  }
}
