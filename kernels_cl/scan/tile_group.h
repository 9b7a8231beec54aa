/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile in the registers of a work-group. Each run of 32 consecutive work-items (a "warp", whatever the device calls
 * it) holds ROWS consecutive rows of the tile, a vector of each row in every work-item. */
#ifndef SCANRT_CL_TILE_GROUP_H
#define SCANRT_CL_TILE_GROUP_H

#include "lib/tile.h"

/* A vector: from source, or of a built-in type, with flipped bits or mirrored. */
#if SCAN_TYPE == 0
#include "lib/vector_source.h"
#else
#include "lib/vector.h"
#ifdef SCAN_FLIPS
#include "lib/flip.h"
#endif
#if SCAN_BACKWARD
#include "batch/mirror_vector.h"
#endif
#endif

#define WARPS (SCAN_GROUP_ITEMS / 32)
#define ROWS (TILE_ROWS / WARPS)
#if SCAN_GROUP_ITEMS % 32 != 0 || SCAN_GROUP_ITEMS < GROUP_TILES || TILE_ROWS % WARPS != 0
#error "the work-group does not fit the tile"
#endif
#if TILE_ROWS / WARPS > SUBTILE_ROWS || TILE_ROWS > SCAN_GROUP_ITEMS
#error "the tile is too large for the work-group"
#endif

typedef struct scanrt_tile_scratch {
  scanrt_value_t rows[TILE_ROWS]; /* row totals */
  scanrt_value_t subs[SCAN_SUBTILES];
  scanrt_value_t partial[4]; /* of the tree over a group's tiles, 32 leaves each */
  scanrt_value_t groups;
  scanrt_u32 missing_tile;
  scanrt_u32 missing_group;
  /* Not beside the three above, which are read at once: a wide read would cover the claim while it is written. */
  scanrt_u64 claim;
#if !SCAN_SHUFFLE
  SCRATCH_ARRAY(lanes, TILE_ROWS *(ROW_VECS + 1)); /* padded: 32 work-items that walk rows use 32 banks */
  SCRATCH_ARRAY(leaves, 4 * (ROW_VECS + 1));
#endif
} scanrt_tile_scratch;

/* Returns the index of the first element of the work-item's vector i. */
FUNC scanrt_u64 scanrt_vector_first(scanrt_u32 tile, scanrt_u32 i) {
  const scanrt_u32 row = ITEM() / 32 * ROWS + i;
  return tile * TILE_ITEMS + (scanrt_u64)(row * ROW_VECS + ITEM() % 32) * VEC_ITEMS;
}

/* Returns 1 if the tile lies before n as a whole. */
FUNC scanrt_u32 scanrt_tile_is_whole(const scanrt_job *job, scanrt_u32 tile) {
  return (tile + (scanrt_u64)1) * TILE_ITEMS <= job->n;
}

#if SCAN_SHUFFLE
#include "scan/row_trees.h"
#endif

/* A total in local memory, which exists wherever every element does. */
#if VECTORS_ARE_FILLED
#define TOTAL_OF(x) VALUE_THERE(x)
#else
#define TOTAL_OF(x) (x)
#endif

/* Returns the tile's aggregate from the totals of its sub-tiles in local memory. Sets *before to the fold of the
 * sub-tiles before the work-item's. */
FUNC scanrt_value_t scanrt_subtiles_fold(scanrt_value_t *before, LOCAL const scanrt_tile_scratch *s) {
  const scanrt_u32 sub = ITEM() / 32 * ROWS / SUBTILE_ROWS;
  scanrt_value_t all = TOTAL_OF(s->subs[0]);
  *before = IDENTITY;
  UNROLL
  for (scanrt_u32 q = 1; q < SCAN_SUBTILES; q++) {
    *before = VALUE_SELECT(q == sub, all, *before);
    all = scanrt_combine(all, TOTAL_OF(s->subs[q]));
  }
  return all;
}

#if VECTORS_ARE_FILLED
#include "scan/tile_filled.h"
#else
typedef struct scanrt_tile_state {
  scanrt_raw_t raw[ROWS];      /* as loaded: narrow types stay packed */
  scanrt_value_t before[ROWS]; /* exclusive prefix of each vector inside the tile, after scanrt_tile_scan */
  scanrt_value_t aggregate;    /* after scanrt_tile_fold */
  scanrt_value_t sub_before;   /* the sub-tiles before the work-item's, after scanrt_tile_fold */
} scanrt_tile_state;
typedef scanrt_tile_state scanrt_strip_state; /* for lines of arrays (batch/rows_group.cl) */
#define TILE_VECTOR(job, tile, t, i) ((t)->raw[i])
#define TILE_BEFORE(t, i) ((t)->before[i])
#define TILE_BEFORE_PUT(t, i, x) ((t)->before[i] = (x))

FUNC void scanrt_tile_load(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  const scanrt_u64 first = scanrt_vector_first(tile, 0);
  GLOBAL const scanrt_loaded_t *in = (GLOBAL const scanrt_loaded_t *)(job->in + first);
  if (job->vectors_in & scanrt_tile_is_whole(job, tile)) { /* one branch, after both conditions are loaded */
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = VECTOR_LOAD(job, first + i * ROW_ITEMS, in + i * ROW_VECS);
    return;
  }
  if (!job->vectors_in) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = scanrt_vector_load_guarded(job, first + i * ROW_ITEMS);
    return;
  }
  const scanrt_u32 whole = scanrt_vectors_whole(job, first, ROWS);
  const scanrt_raw_t part = scanrt_vector_load_guarded(job, first + whole * ROW_ITEMS);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    t->raw[i] = i == whole ? part : scanrt_vector_identity();
    if (i < whole) t->raw[i] = VECTOR_LOAD(job, first + i * ROW_ITEMS, in + i * ROW_VECS);
  }
}

/* Flips what scanrt_tile_load has loaded. A flip during the load would wait for each vector. */
FUNC void scanrt_tile_flip(const scanrt_job *job, scanrt_tile_state *t) {
  (void)job;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = VECTOR_FLIP(job, t->raw[i]);
}
#endif

/* Loads the work-item's vector i again, flipped as by scanrt_tile_flip. */
FUNC scanrt_raw_t scanrt_vector_reload(const scanrt_job *job, scanrt_u32 tile, scanrt_u32 i) {
  return VECTOR_FLIP(job, scanrt_vector_load_guarded(job, scanrt_vector_first(tile, i)));
}

/* Prefetches a tile to the device's cache, for the work-group that claims it. */
FUNC void scanrt_tile_prefetch(const scanrt_job *job, scanrt_u64 tile) {
  const scanrt_u32 tile_bytes = TILE_ROWS * ROW_VECS * (scanrt_u32)sizeof(scanrt_loaded_t);
#if SCAN_TYPE == 0 && (SCAN_STEPS || SCAN_SOURCE_INPUTS)
  return;
#endif
  if ((tile + 1) * TILE_ITEMS > job->n) return;
  for (scanrt_u32 byte = ITEM() * 128; byte < tile_bytes; byte += SCAN_GROUP_ITEMS * 128)
    PREFETCH((GLOBAL const char *)(job->in + tile * TILE_ITEMS) + byte);
#ifdef MARKS_PREFETCH
  MARKS_PREFETCH(job, tile);
#endif
}

#if SCAN_SHUFFLE && TILE_ROWS * 32 == SCAN_GROUP_ITEMS * SUBTILE_ROWS
/* Each warp has a sub-tile: only the totals of sub-tiles pass through local memory. */
#if !VECTORS_ARE_FILLED
FUNC scanrt_value_t scanrt_warp_fold(const scanrt_tile_state *t, scanrt_u32 whole) {
  scanrt_value_t x[SUBTILE_ROWS];
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) x[i] = VECTOR_FOLD(t->raw[i], whole);
  return scanrt_subtile_fold(x, whole);
}

FUNC void scanrt_tile_fold(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  (void)job, (void)tile;
  scanrt_tile_flip(job, t);
  const scanrt_value_t sub = TILE_THERE(job, tile) ? scanrt_warp_fold(t, 1) : scanrt_warp_fold(t, 0);
  if (ITEM() % 32 == 0) s->subs[ITEM() / 32] = sub;
  BARRIER();
  t->aggregate = scanrt_subtiles_fold(&t->sub_before, s);
}

FUNC void scanrt_warp_scan(scanrt_tile_state *t, scanrt_u32 whole) {
  scanrt_value_t run = IDENTITY;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_value_t total;
    t->before[i] =
        scanrt_combine(t->sub_before, scanrt_row_scan_after(run, VECTOR_FOLD(t->raw[i], whole), &total, whole));
    run = scanrt_combine(run, total);
  }
}

FUNC void scanrt_tile_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  (void)job, (void)tile;
  if (TILE_THERE(job, tile))
    scanrt_warp_scan(t, 1);
  else
    scanrt_warp_scan(t, 0);
}
#endif

/* Returns the aggregate alone, a row at a time, with few registers: the tile is reduced while others are held. */
FUNC scanrt_value_t scanrt_tile_total(const scanrt_job *job, scanrt_u32 tile, LOCAL scanrt_tile_scratch *s) {
  scanrt_value_t sub = IDENTITY, sub_before;
  NO_UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++)
    sub = scanrt_combine(sub, scanrt_row_total(scanrt_vector_fold(scanrt_vector_reload(job, tile, i)), 0));
  if (ITEM() % 32 == 0) s->subs[ITEM() / 32] = sub;
  BARRIER();
  return scanrt_subtiles_fold(&sub_before, s);
}
#else
/* The totals of rows pass through local memory. */
#if SCAN_SHUFFLE
#if !VECTORS_ARE_FILLED
FUNC void scanrt_rows_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  (void)job, (void)tile;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_value_t total;
    t->before[i] = scanrt_row_scan(scanrt_vector_fold(t->raw[i]), &total, 0);
    if (ITEM() % 32 == 0) s->rows[ITEM() / 32 * ROWS + i] = total;
  }
  BARRIER();
}
#endif

FUNC void scanrt_row_total_put(scanrt_value_t x, scanrt_u32 i, LOCAL scanrt_tile_scratch *s) {
  x = scanrt_row_total(x, 0);
  if (ITEM() % 32 == 0) s->rows[ITEM() / 32 * ROWS + i] = x;
}
#else
/* Scans the rows, each by one work-item in registers, in the order of the recursive doubling. */
FUNC void scanrt_rows_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  const scanrt_u32 lane = ITEM() % 32, warp = ITEM() / 32;
  (void)job, (void)tile;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++)
    SCRATCH_PUT(s, lanes, (warp * ROWS + i) * (ROW_VECS + 1) + lane, scanrt_vector_fold(t->raw[i]));
  BARRIER();
  if (ITEM() < TILE_ROWS) {
    const scanrt_u32 row = ITEM() * (ROW_VECS + 1);
    scanrt_value_t x[ROW_VECS];
    UNROLL
    for (scanrt_u32 l = 0; l < ROW_VECS; l++) x[l] = SCRATCH_GET(s, lanes, row + l);
    UNROLL
    for (scanrt_u32 d = 1; d < ROW_VECS; d <<= 1) {
      UNROLL
      for (scanrt_u32 l = ROW_VECS - 1; l >= d; l--) x[l] = scanrt_combine(x[l - d], x[l]);
    }
    UNROLL
    for (scanrt_u32 l = 1; l < ROW_VECS; l++) SCRATCH_PUT(s, lanes, row + l, x[l - 1]);
    SCRATCH_PUT(s, lanes, row, IDENTITY);
    s->rows[ITEM()] = x[ROW_VECS - 1];
  }
  BARRIER();
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) t->before[i] = SCRATCH_GET(s, lanes, (warp * ROWS + i) * (ROW_VECS + 1) + lane);
}

/* Stores the total of the work-item's row i in local memory, by the balanced tree. */
FUNC void scanrt_row_total_put(scanrt_value_t x, scanrt_u32 i, LOCAL scanrt_tile_scratch *s) {
  const scanrt_u32 row = (ITEM() / 32 * ROWS + i) * (ROW_VECS + 1);
  const scanrt_u32 lane = ITEM() % 32;
  SCRATCH_PUT(s, lanes, row + lane, x);
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    BARRIER();
    if (lane % (2 * d) == 0)
      SCRATCH_PUT(s, lanes, row + lane,
                  scanrt_combine(SCRATCH_GET(s, lanes, row + lane), SCRATCH_GET(s, lanes, row + lane + d)));
  }
  if (lane == 0) s->rows[ITEM() / 32 * ROWS + i] = SCRATCH_GET(s, lanes, row);
}
#endif

/* Returns the fold of the rows before the work-item's first row in its sub-tile. Sets *total to the fold of all
 * rows. */
FUNC scanrt_value_t scanrt_rows_fold(LOCAL const scanrt_tile_scratch *s, scanrt_value_t *total) {
  const scanrt_u32 row = ITEM() / 32 * ROWS, first = row / SUBTILE_ROWS * SUBTILE_ROWS;
  scanrt_value_t before = IDENTITY, all = s->rows[first];
  UNROLL
  for (scanrt_u32 r = 1; r < SUBTILE_ROWS; r++) {
    before = VALUE_SELECT(first + r == row, all, before);
    all = scanrt_combine(all, s->rows[first + r]);
  }
  *total = all;
  return before;
}

/* Returns the tile's aggregate from the totals of its sub-tiles. Sets *before to the sub-tiles before the
 * work-item's. */
FUNC scanrt_value_t scanrt_subtiles_exchange(scanrt_value_t sub, scanrt_value_t *before, LOCAL scanrt_tile_scratch *s) {
#if SCAN_SUBTILES == 1
  (void)s;
  *before = IDENTITY;
  return sub;
#else
  const scanrt_u32 items = 32 * SUBTILE_ROWS / ROWS; /* of a sub-tile */
  if (ITEM() % items == 0) s->subs[ITEM() / items] = sub;
  BARRIER();
  return scanrt_subtiles_fold(before, s);
#endif
}

FUNC void scanrt_tile_fold(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  scanrt_value_t sub;
  scanrt_tile_flip(job, t);
  scanrt_rows_scan(job, tile, t, s);
  scanrt_value_t run = scanrt_rows_fold(s, &sub);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    TILE_BEFORE_PUT(t, i, scanrt_combine(run, TILE_BEFORE(t, i)));
    run = scanrt_combine(run, s->rows[ITEM() / 32 * ROWS + i]);
  }
  t->aggregate = scanrt_subtiles_exchange(sub, &t->sub_before, s);
}

FUNC void scanrt_tile_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  (void)job, (void)tile;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) TILE_BEFORE_PUT(t, i, scanrt_combine(t->sub_before, TILE_BEFORE(t, i)));
}

FUNC scanrt_value_t scanrt_tile_total(const scanrt_job *job, scanrt_u32 tile, LOCAL scanrt_tile_scratch *s) {
  scanrt_value_t sub, sub_before;
  NO_UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++)
    scanrt_row_total_put(scanrt_vector_fold(scanrt_vector_reload(job, tile, i)), i, s);
  BARRIER();
  (void)scanrt_rows_fold(s, &sub);
  return scanrt_subtiles_exchange(sub, &sub_before, s);
}
#endif

#if !VECTORS_ARE_FILLED
/* Stores a tile; nothing if the scan is a total. */
FUNC void scanrt_tile_store(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  const scanrt_u64 first = scanrt_vector_first(tile, 0);
  GLOBAL scanrt_stored_t *out = (GLOBAL scanrt_stored_t *)(job->out + first);
  const scanrt_u32 vectors = job->vectors_out & !IS_TOTAL(job);
  if (vectors & scanrt_tile_is_whole(job, tile)) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++)
      VECTOR_STORE(job, first + i * ROW_ITEMS, out + i * ROW_VECS,
                   VECTOR_FLIP(job, VECTOR_SCAN(job, t->raw[i], scanrt_combine(prefix, t->before[i]), 1)));
    return;
  }
  if (SKIPS(job)) return;
  if (!vectors) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++)
      scanrt_vector_store_guarded(
          job, first + i * ROW_ITEMS,
          VECTOR_FLIP(job, scanrt_vector_scan(job, t->raw[i], scanrt_combine(prefix, t->before[i]))));
    return;
  }
  const scanrt_u32 whole = scanrt_vectors_whole(job, first, ROWS);
  scanrt_stored_t part;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_stored_t v =
        VECTOR_FLIP(job, scanrt_vector_scan(job, t->raw[i], scanrt_combine(prefix, t->before[i])));
    if (i < whole) VECTOR_STORE(job, first + i * ROW_ITEMS, out + i * ROW_VECS, v);
    if (i == 0 || i == whole) part = v;
  }
  if (whole < ROWS) scanrt_vector_store_guarded(job, first + whole * ROW_ITEMS, part);
}
#endif

/* Writes the carry-out and the total; called for the last tile, after scanrt_tile_scan. */
FUNC void scanrt_tile_write_last(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t,
                                 scanrt_value_t prefix) {
  const scanrt_u64 last = job->n - 1;
  scanrt_u64 first = scanrt_vector_first(tile, 0);
  scanrt_raw_t raw = TILE_VECTOR(job, tile, t, 0);
  scanrt_value_t before = TILE_BEFORE(t, 0);
  UNROLL
  for (scanrt_u32 i = 1; i < ROWS; i++)
    if (scanrt_vector_first(tile, i) <= last) {
      first = scanrt_vector_first(tile, i);
      raw = TILE_VECTOR(job, tile, t, i);
      before = TILE_BEFORE(t, i);
    }
  if (last - first < VEC_ITEMS)
    scanrt_vector_write_last(job, first, raw, scanrt_combine(prefix, before)); /* one work-item has element n - 1 */
}

/* Stores a tile whose prefix is needed; the last one also writes the carry-out and the total. */
FUNC void scanrt_tile_sink(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  scanrt_tile_store(job, tile, t, scanrt_prefix_shown(job, prefix)); /* first: others wait for it */
  if (TILE_WRITES_LAST(job, tile)) scanrt_tile_write_last(job, tile, t, prefix);
}

/* Folds the balanced tree over 128 leaves, one in each of the first 128 work-items. Every work-item of the group calls
 * it. scanrt_tree_total returns the result after the caller's next barrier. */
#if SCAN_SHUFFLE
FUNC void scanrt_tree_fold(scanrt_value_t leaf, LOCAL scanrt_tile_scratch *s) {
  if (ITEM() >= GROUP_TILES) return;
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) leaf = TREE_STEP(leaf, d, 0);
  if (ITEM() % 32 == 0) s->partial[ITEM() / 32] = leaf;
}
#else
FUNC void scanrt_tree_fold(scanrt_value_t leaf, LOCAL scanrt_tile_scratch *s) {
  if (ITEM() < GROUP_TILES) SCRATCH_PUT(s, leaves, ITEM() / 32 * (ROW_VECS + 1) + ITEM() % 32, leaf);
  BARRIER();
  if (ITEM() >= 4) return;
  scanrt_value_t x[32];
  UNROLL
  for (scanrt_u32 l = 0; l < 32; l++) x[l] = SCRATCH_GET(s, leaves, ITEM() * (ROW_VECS + 1) + l);
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d <<= 1) {
    UNROLL
    for (scanrt_u32 l = 0; l < 32; l += 2 * d) x[l] = scanrt_combine(x[l], x[l + d]);
  }
  s->partial[ITEM()] = x[0];
}
#endif

FUNC scanrt_value_t scanrt_tree_total(LOCAL const scanrt_tile_scratch *s) {
  return scanrt_combine(scanrt_combine(s->partial[0], s->partial[1]), scanrt_combine(s->partial[2], s->partial[3]));
}
#endif
