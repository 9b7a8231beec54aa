/* SPDX-License-Identifier: BSD-2-Clause */
/* reduce_then_scan of types from source, for the least time to compile: its tile has the interface and the bits of
 * tile_group.h, but no loop is unrolled, elements are loaded one by one, and again in each pass, and one code serves
 * whole tiles and those that n cuts. */
#include "lib/tile.h"

#define SCANRT_CL_SCAN_TILE_H                    /* in place of scan_tile.h */
#define ROWS (TILE_ROWS * 32 / SCAN_GROUP_ITEMS) /* consecutive rows of a run of 32 work-items */
#if SCAN_TYPE != 0 || SCAN_SHUFFLE != 1 || TILE_ROWS * 32 % SCAN_GROUP_ITEMS != 0
#error "rolled.cl is for types from source, and work-groups with shuffles that divide the tile"
#endif

typedef struct scanrt_tile_scratch {
  scanrt_value_t rows[TILE_ROWS]; /* row totals */
} scanrt_tile_scratch;

typedef struct scanrt_tile_state { /* after scanrt_tile_fold */
  scanrt_value_t rows_before;      /* the rows of the sub-tile before the work-item's first row */
  scanrt_value_t sub_before;       /* the sub-tiles before the work-item's */
  scanrt_value_t aggregate;
} scanrt_tile_state;

/* Returns the index of the first element of the work-item's vector i. */
FUNC scanrt_u64 scanrt_vector_first(scanrt_u32 tile, scanrt_u32 i) {
  const scanrt_u32 row = ITEM() / 32 * ROWS + i;
  return tile * TILE_ITEMS + (scanrt_u64)(row * ROW_VECS + ITEM() % 32) * VEC_ITEMS;
}

FUNC scanrt_value_t scanrt_value_from_lane(scanrt_value_t x, scanrt_u32 lane) {
  scanrt_value_words w = scanrt_words_of(x.v);
  UNROLL
  for (scanrt_u32 k = 0; k < VALUE_WORDS; k++) w.word[k] = scanrt_shuffle_from_u32(w.word[k], lane);
  return scanrt_value_from(w.v, scanrt_shuffle_from_u32(x.there, lane));
}

/* Returns the inclusive scan of a row's vectors; `first` is the first element of the work-item's vector. */
FUNC scanrt_value_t scanrt_row_scan(const scanrt_job *job, scanrt_u64 first) {
  const scanrt_u32 lane = ITEM() % 32, count = scanrt_vector_count(job, first);
  scanrt_value_t x = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 k = 0; k < count; k++) x = scanrt_combine(x, ELEMENT(job, ELEMENT_IN(job, first + k), first + k));
  NO_UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    const scanrt_value_t y = scanrt_value_from_lane(x, (lane - d) % 32);
    if (lane >= d) x = scanrt_combine(y, x);
  }
  return x;
}

FUNC void scanrt_tile_load(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t) {
  (void)job, (void)tile, (void)t;
}

FUNC void scanrt_tile_fold(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  const scanrt_u32 own = ITEM() / 32 * ROWS;
  scanrt_value_t sub = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_value_t x = scanrt_row_scan(job, scanrt_vector_first(tile, i));
    if (ITEM() % 32 == 31) s->rows[own + i] = x;
  }
  BARRIER();
  t->aggregate = IDENTITY;
  t->rows_before = IDENTITY;
  t->sub_before = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 r = 0; r < TILE_ROWS; r++) {
    if (r == own) {
      t->rows_before = sub;
      t->sub_before = t->aggregate;
    }
    sub = scanrt_combine(sub, s->rows[r]);
    if ((r + 1) % SUBTILE_ROWS != 0) continue;
    t->aggregate = scanrt_combine(t->aggregate, sub);
    sub = IDENTITY;
  }
}

FUNC void scanrt_tile_scan(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t) {
  (void)job, (void)tile, (void)t;
}

/* Writes the outputs of the elements from `first` on, which follow `start`. */
FUNC void scanrt_vector_write(const scanrt_job *job, scanrt_u64 first, scanrt_value_t start) {
  const scanrt_u32 count = scanrt_vector_count(job, first);
  NO_UNROLL
  for (scanrt_u32 k = 0; k < count; k++) {
    const scanrt_u64 i = first + k;
    const scanrt_input_t x = ELEMENT_IN(job, i);
    const scanrt_value_t element = ELEMENT(job, x, i), next = scanrt_combine(start, element);
    const scanrt_output_t result = RESULT(job, job->inclusive, element, next, start, x, i);
    if (!IS_TOTAL(job)) ELEMENT_PUT(job, i, result);
    if (i + 1 == job->n) LAST_VALUE(job, next, result);
    start = next;
  }
}

FUNC void scanrt_tile_sink(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_value_t run = t->rows_before;
  NO_UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_u64 first = scanrt_vector_first(tile, i);
    const scanrt_value_t x = scanrt_row_scan(job, first), y = scanrt_value_from_lane(x, (lane - 1) % 32);
    const scanrt_value_t before = scanrt_combine(run, lane ? y : IDENTITY);
    scanrt_vector_write(job, first, scanrt_combine(prefix, scanrt_combine(t->sub_before, before)));
    run = scanrt_combine(run, scanrt_value_from_lane(x, 31));
  }
}

#undef ORDER_SHOWS
#define ORDER_SHOWS 0 /* without rts_groups */
#include "scan/reduce_then_scan.cl"
