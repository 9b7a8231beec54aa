/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans lines that lie side by side by work-groups of STAGED_LINES lines, four strips of 32 (sm_90). The copy engine
 * moves a row of all lines to a stage, and from there to the output, in whose place the results are put; so loads of
 * the next rows are always under way, and more bytes lie side by side than two strips have. Memory that does not begin
 * at a multiple of 16 bytes is scanned without stages. */
#include "batch/lines_strip.h"
#include "lib/async_store.h"
#include "staged.h"

#define STAGED_LINE_BYTES (STAGED_LINES * INPUT_BYTES) /* an element of all lines */
#if STAGED_LINES_BYTES < ROW_ITEMS * STAGED_LINES * INPUT_BYTES || STAGED_LINES_WARPS != WARPS
#error "a row does not fit a stage"
#endif

typedef struct scanrt_lines_stages {
  scanrt_u64 *full;
  unsigned char *ring;
  scanrt_lines_at first; /* the work-group's first line */
} scanrt_lines_stages;

FUNC unsigned char *scanrt_lines_stage(const scanrt_lines_stages *s, scanrt_u32 stage) {
  return s->ring + stage * STAGED_LINES_BYTES;
}

/* Copies a row to a stage; each of the first work-items copies an element of all lines. */
FUNC void scanrt_lines_copy(const scanrt_lines *lines, const scanrt_lines_stages *s, scanrt_u64 row, scanrt_u32 stage) {
  if (row >= lines->n || ITEM() >= ROW_ITEMS) return;
  const scanrt_u32 count = (scanrt_u32)(lines->n - row < ROW_ITEMS ? lines->n - row : ROW_ITEMS);
  if (ITEM() == 0) scanrt_async_expect_alone(&s->full[stage], count * STAGED_LINE_BYTES);
  if (ITEM() < count)
    scanrt_async_copy(scanrt_lines_stage(s, stage) + ITEM() * STAGED_LINE_BYTES,
                      s->first.in + (scanrt_i64)(row + ITEM()) * lines->in_step, STAGED_LINE_BYTES, &s->full[stage]);
}

/* Stores a row from a stage, as scanrt_lines_copy loads it. */
FUNC void scanrt_lines_store(const scanrt_lines *lines, const scanrt_lines_stages *s, scanrt_u64 row,
                             scanrt_u32 stage) {
  if (ITEM() < ROW_ITEMS && row + ITEM() < lines->n)
    scanrt_async_store(s->first.out + (scanrt_i64)(row + ITEM()) * lines->out_step,
                       scanrt_lines_stage(s, stage) + ITEM() * STAGED_LINE_BYTES, STAGED_LINE_BYTES);
  scanrt_async_store_commit();
}

/* Loads the work-item's vectors from a stage and folds them. `in` is its line in the stage. */
FUNC void scanrt_lines_fold(const scanrt_lines *lines, const scanrt_job *job, const scanrt_input_t *in, scanrt_u64 row,
                            scanrt_lines_row *r, scanrt_value_t *sums) {
  const scanrt_u32 whole = row + ROW_ITEMS <= lines->n;
  UNROLL
  for (scanrt_u32 m = 0; m < SLOTS(WARPS); m++) {
    const scanrt_u32 e = (scanrt_u32)scanrt_slot_first(0, m, WARPS);
    scanrt_input_vector v;
    v.raw = scanrt_vector_identity();
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
      if (whole || row + e + k < lines->n) v.x[k] = in[(e + k) * STAGED_LINES];
    r->raw[m] = VECTOR_FLIP(job, v.raw);
    sums[m * WARPS * 33] = VECTOR_FOLD(r->raw[m], 0);
  }
}

/* Puts the results of a row in the place of its elements. */
FUNC void scanrt_lines_put(const scanrt_job *job, scanrt_output_t *out, const scanrt_lines_row *r,
                           const scanrt_line_prefix *p, const scanrt_value_t *sums) {
  UNROLL
  for (scanrt_u32 m = 0; m < SLOTS(WARPS); m++) {
    const scanrt_u32 e = (scanrt_u32)scanrt_slot_first(0, m, WARPS);
    scanrt_output_vector o;
    o.raw = VECTOR_FLIP(job, VECTOR_SCAN(job, r->raw[m], scanrt_line_before(p, sums[m * WARPS * 33]), 0));
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) out[(e + k) * STAGED_LINES] = o.x[k];
  }
}

/* Scans the work-group's lines from `first` on. `used` is the number of rows that have gone through the stages. */
FUNC scanrt_u32 scanrt_lines_staged_scan(const scanrt_lines *lines, const scanrt_job *job, scanrt_u64 first,
                                         scanrt_value_t seed, scanrt_lines_scratch *s, scanrt_lines_stages stages,
                                         scanrt_u32 used) {
  scanrt_value_t *const sums = s->sums + STRIP_WARP(WARPS) * 33 + ITEM() % 32;
  const scanrt_u32 own = ITEM() / (32 * WARPS) * 32 + ITEM() % 32;
  scanrt_line_prefix p = scanrt_line_start(seed);
  stages.first = scanrt_line_at(lines, first);
  for (scanrt_u32 k = 0; k + 1 < STAGED_LINES_STAGES; k++)
    scanrt_lines_copy(lines, &stages, k * (scanrt_u64)ROW_ITEMS, (used + k) % STAGED_LINES_STAGES);
  for (scanrt_u64 row = 0; row < lines->n; row += ROW_ITEMS, used++) {
    const scanrt_u32 stage = used % STAGED_LINES_STAGES;
    scanrt_input_t *const in = (scanrt_input_t *)scanrt_lines_stage(&stages, stage) + own;
    scanrt_lines_row r;
    scanrt_mbarrier_wait(&stages.full[stage], used / STAGED_LINES_STAGES & 1);
    scanrt_lines_fold(lines, job, in, row, &r, sums);
    BARRIER();
    scanrt_sums_scan(s, WARPS);
    BARRIER();
    scanrt_lines_put(job, (scanrt_output_t *)in, &r, &p, sums);
    scanrt_line_push(&p, s->totals[ITEM() % 32]);
    scanrt_line_close(&p, 1, lines->subtiles);
    scanrt_copy_engine_fence();
    BARRIER();
    scanrt_lines_store(lines, &stages, row, stage);
    scanrt_async_stores_read<1>();
    scanrt_lines_copy(lines, &stages, row + (STAGED_LINES_STAGES - 1) * (scanrt_u64)ROW_ITEMS,
                      (used + STAGED_LINES_STAGES - 1) % STAGED_LINES_STAGES);
  }
  scanrt_async_stores_read<0>();
  return used;
}

extern "C" __global__ void __launch_bounds__(STAGED_LINES_ITEMS, 1)
    KERNEL_NAME(scan_lines_staged, SCAN_SUFFIX)(PARAMETERS(TILE_ARGUMENTS)) {
  LOCAL_ARRAY(scanrt_lines_scratch, scratch, STAGED_LINES / 32);
  __shared__ scanrt_u64 full[STAGED_LINES_STAGES];
  DYNAMIC_SHARED(lines_ring);
  const scanrt_lines lines = LINES();
  const scanrt_job job = JOB();
  const scanrt_u32 strip = ITEM() / (32 * WARPS), staged = (ADDRESS(lines.in) | ADDRESS(lines.out)) % 16 == 0;
  const scanrt_lines_stages stages = { full, lines_ring, { 0, 0, 0 } };
  scanrt_u32 used = 0;
  if (ITEM() < STAGED_LINES_STAGES) scanrt_mbarrier_init(&full[ITEM()], 1);
  scanrt_copy_engine_fence();
  BARRIER();
  for (scanrt_u64 first = GROUP() * (scanrt_u64)STAGED_LINES; first < lines.count;
       first += GROUPS() * (scanrt_u64)STAGED_LINES)
    if (staged)
      used = scanrt_lines_staged_scan(&lines, &job, first, LINE_SEED(), scratch + strip, stages, used);
    else
      scanrt_strip_scan(&lines, &job, first + strip * 32, LINE_SEED(), scratch + strip, flags, WARPS);
}
