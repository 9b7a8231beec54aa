/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile held in the registers of a work-group. Each run of 32 consecutive work-items (a "warp", whatever the device
 * calls it) holds ROWS consecutive rows of the tile, a vector of each in every work-item. */
#ifndef SCANRT_CL_TILE_GROUP_H
#define SCANRT_CL_TILE_GROUP_H

#include "scan_vector.h"

#define WARPS (SCAN_GROUP_ITEMS / 32)
#define ROWS (TILE_ROWS / WARPS)
#if SCAN_GROUP_ITEMS % 32 != 0 || SCAN_GROUP_ITEMS < GROUP_TILES || TILE_ROWS % WARPS != 0
#error "the work-group does not fit the tile"
#endif
#if TILE_ROWS / WARPS > SUBTILE_ROWS || TILE_ROWS > SCAN_GROUP_ITEMS
#error "the tile is too large for the work-group"
#endif

typedef struct tile_state {
  raw_t raw[ROWS];      /* as loaded: narrow types stay packed */
  value_t before[ROWS]; /* exclusive prefix of each vector inside the tile, after tile_scan */
  value_t aggregate;    /* after tile_fold */
  value_t sub_before;   /* the sub-tiles before the work-item's, after tile_fold */
} tile_state;

#define NOTHING_MISSING 0xffffffffu

typedef struct tile_scratch {
  value_t rows[TILE_ROWS]; /* row totals */
  value_t subs[SCAN_SUBTILES];
  value_t partial[4]; /* 32 leaves each of the tree over a group's tiles */
  value_t groups;
  scan_u32 missing_tile;
  scan_u32 missing_group;
  /* Not between the three above, which are read at once: a wide read would cover it while it is written. */
  scan_u64 claim;
#if !SCAN_SHUFFLE
  SCRATCH_ARRAY(lanes, TILE_ROWS *(ROW_VECS + 1)); /* padded: a work-item walks a row, 32 of them 32 banks */
  SCRATCH_ARRAY(leaves, 4 * (ROW_VECS + 1));
#endif
} tile_scratch;

/* Index of the first element of the work-item's vector i. */
FUNC scan_u64 vector_first(scan_u32 tile, scan_u32 i) {
  const scan_u32 row = ITEM() / 32 * ROWS + i;
  return tile * TILE_ITEMS + (scan_u64)(row * ROW_VECS + ITEM() % 32) * VEC_ITEMS;
}

FUNC void tile_load(const scan_job *job, scan_u32 tile, tile_state *t) {
  const scan_u64 first = vector_first(tile, 0);
  if (!job->vectors_in) {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = vector_load_guarded(job, first + i * ROW_ITEMS);
    return;
  }
  GLOBAL const loaded_t *in = (GLOBAL const loaded_t *)(job->in + first);
  if ((tile + (scan_u64)1) * TILE_ITEMS <= job->n) {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = VECTOR_LOAD(job, first + i * ROW_ITEMS, in + i * ROW_VECS);
    return;
  }
  const scan_u32 whole = vectors_whole(job, first, ROWS);
  const raw_t part = vector_load_guarded(job, first + whole * ROW_ITEMS);
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    t->raw[i] = i == whole ? part : vector_identity();
    if (i < whole) t->raw[i] = VECTOR_LOAD(job, first + i * ROW_ITEMS, in + i * ROW_VECS);
  }
}

#if SCAN_SHUFFLE
/* What comes before each vector of a row, but in the first lane, where it is the vector; *total is set to the row's
 * total. `whole`: all vectors are there. */
FUNC value_t row_doubling(value_t x, value_t *total, scan_u32 whole) {
  const scan_u32 lane = ITEM() % 32;
  (void)whole;
#ifdef ROW_DOUBLING
  if (whole) return ROW_DOUBLING(x, total);
#endif
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) {
    const value_t y = WHOLE_SHUFFLE(shuffle_up, x, d, whole);
    x = COMBINE_WHERE(lane >= d, y, x, whole);
  }
  const value_t y = WHOLE_SHUFFLE(shuffle_up, x, 1, whole);
  *total = WHOLE_SHUFFLE(shuffle_from, x, 31, whole);
  return y;
}

/* The exclusive prefixes of a row's vectors; *total is set to the row's total. */
FUNC value_t row_scan(value_t x, value_t *total) {
  const value_t y = row_doubling(x, total, 0);
  return ITEM() % 32 ? y : IDENTITY;
}

/* The same with `run` before the row. */
FUNC value_t row_scan_after(value_t run, value_t x, value_t *total, scan_u32 whole) {
  const value_t y = row_doubling(x, total, whole);
  return ROW_BEFORE(run, y, ITEM() % 32, whole);
}

/* The total of a row: the balanced tree, as in the last lane of row_scan; in the first lane. */
FUNC value_t row_total(value_t x, scan_u32 whole) {
  (void)whole;
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) x = TREE_STEP(x, d, whole);
  return x;
}

/* A step of the trees below: `kept` rows of twice as many stay. */
FUNC void trees_step(value_t *x, scan_u32 kept, scan_u32 d, scan_u32 whole) {
  const scan_u32 lane = ITEM() % 32;
  (void)whole;
  UNROLL
  for (scan_u32 i = 0; i < kept; i++) {
    const value_t keep = VALUE_SELECT(lane & d, x[i + kept], x[i]), give = VALUE_SELECT(lane & d, x[i], x[i + kept]);
    const value_t other = WHOLE_SHUFFLE(shuffle_xor, give, d, whole);
    x[i] = COMBINE_TURNED(lane & d, keep, other);
  }
}

/* The trees over `rows` rows at once, 4 or 8: each step halves the rows that a lane keeps, so that eight trees take 9
 * exchanges. The total of row r ends in lane tree_lane(r, rows), x[0]; x is used up. From source it is written out:
 * where the operator is long, compilers leave a loop of steps as it is, and the rows in memory. */
FUNC void trees_fold(value_t *x, scan_u32 rows, scan_u32 whole) {
  const scan_u32 lane = ITEM() % 32;
#if SCAN_TYPE == 0
  if (rows == 8) trees_step(x, 4, 1, whole);
  trees_step(x, 2, rows / 4, whole);
  trees_step(x, 1, rows / 2, whole);
#else
  UNROLL
  for (scan_u32 kept = rows / 2, d = 1; kept > 0; kept >>= 1, d <<= 1) trees_step(x, kept, d, whole);
#endif
  UNROLL
  for (scan_u32 d = rows; d < 32; d <<= 1) {
    const value_t other = WHOLE_SHUFFLE(shuffle_xor, x[0], d, whole);
    x[0] = COMBINE_TURNED(lane & d, x[0], other);
  }
}

/* The digits of r, the other way round. */
FUNC scan_u32 tree_lane(scan_u32 r, scan_u32 rows) {
  scan_u32 lane = 0;
  UNROLL
  for (scan_u32 d = 1; d < rows; d <<= 1) lane |= r & d ? rows / 2 / d : 0;
  return lane;
}

/* The total of a sub-tile held by a warp, in every lane; x is used up. */
FUNC value_t subtile_fold(value_t x[SUBTILE_ROWS], scan_u32 whole) {
  trees_fold(x, SUBTILE_ROWS, whole);
  value_t sub = WHOLE_SHUFFLE(shuffle_from, x[0], 0, whole);
  UNROLL
  for (scan_u32 r = 1; r < SUBTILE_ROWS; r++)
    sub = combine(sub, WHOLE_SHUFFLE(shuffle_from, x[0], tree_lane(r, SUBTILE_ROWS), whole));
  return sub;
}
#endif

/* Asks for a tile to be brought to the device's cache. Whoever claims it finds it there. */
FUNC void tile_prefetch(const scan_job *job, scan_u64 tile) {
  const scan_u32 tile_bytes = TILE_ROWS * ROW_VECS * (scan_u32)sizeof(loaded_t);
#if SCAN_TYPE == 0 && SCAN_STEPS
  return;
#endif
  if ((tile + 1) * TILE_ITEMS > job->n) return;
  for (scan_u32 byte = ITEM() * 128; byte < tile_bytes; byte += SCAN_GROUP_ITEMS * 128)
    PREFETCH((GLOBAL const char *)(job->in + tile * TILE_ITEMS) + byte);
}

/* The tile's aggregate from the totals of its sub-tiles in local memory; *before is set to the sub-tiles before the
 * work-item's. */
FUNC value_t subtiles_fold(value_t *before, LOCAL const tile_scratch *s) {
  const scan_u32 sub = ITEM() / 32 * ROWS / SUBTILE_ROWS;
  value_t all = s->subs[0];
  *before = IDENTITY;
  UNROLL
  for (scan_u32 q = 1; q < SCAN_SUBTILES; q++) {
    *before = VALUE_SELECT(q == sub, all, *before);
    all = combine(all, s->subs[q]);
  }
  return all;
}

#if SCAN_SHUFFLE && TILE_ROWS * 32 == SCAN_GROUP_ITEMS * SUBTILE_ROWS
/* A sub-tile a warp: only the totals of sub-tiles pass through local memory. */
FUNC value_t warp_fold(const tile_state *t, scan_u32 whole) {
  value_t x[SUBTILE_ROWS];
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) x[i] = VECTOR_FOLD(t->raw[i], whole);
  return subtile_fold(x, whole);
}

FUNC void tile_fold(const scan_job *job, scan_u32 tile, tile_state *t, LOCAL tile_scratch *s) {
  (void)job, (void)tile;
  const value_t sub = TILE_WHOLE(job, tile) ? warp_fold(t, 1) : warp_fold(t, 0);
  if (ITEM() % 32 == 0) s->subs[ITEM() / 32] = sub;
  BARRIER();
  t->aggregate = subtiles_fold(&t->sub_before, s);
}

FUNC void warp_scan(tile_state *t, scan_u32 whole) {
  value_t run = IDENTITY;
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    value_t total;
    t->before[i] = combine(t->sub_before, row_scan_after(run, VECTOR_FOLD(t->raw[i], whole), &total, whole));
    run = combine(run, total);
  }
}

FUNC void tile_scan(const scan_job *job, scan_u32 tile, tile_state *t) {
  (void)job, (void)tile;
  if (TILE_WHOLE(job, tile))
    warp_scan(t, 1);
  else
    warp_scan(t, 0);
}

/* The aggregate alone, a row at a time: few registers, for a tile reduced while others are held. */
FUNC value_t tile_total(const scan_job *job, scan_u32 tile, LOCAL tile_scratch *s) {
  value_t sub = IDENTITY, sub_before;
  NO_UNROLL
  for (scan_u32 i = 0; i < ROWS; i++)
    sub = combine(sub, row_total(vector_fold(vector_load_guarded(job, vector_first(tile, i))), 0));
  if (ITEM() % 32 == 0) s->subs[ITEM() / 32] = sub;
  BARRIER();
  return subtiles_fold(&sub_before, s);
}
#else
/* The totals of rows pass through local memory. */
#if SCAN_SHUFFLE
FUNC void rows_scan(tile_state *t, LOCAL tile_scratch *s) {
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    value_t total;
    t->before[i] = row_scan(vector_fold(t->raw[i]), &total);
    if (ITEM() % 32 == 0) s->rows[ITEM() / 32 * ROWS + i] = total;
  }
  BARRIER();
}

FUNC void row_total_put(value_t x, scan_u32 i, LOCAL tile_scratch *s) {
  x = row_total(x, 0);
  if (ITEM() % 32 == 0) s->rows[ITEM() / 32 * ROWS + i] = x;
}
#else
/* A work-item scans a row in registers, in the order of the recursive doubling. */
FUNC void rows_scan(tile_state *t, LOCAL tile_scratch *s) {
  const scan_u32 lane = ITEM() % 32, warp = ITEM() / 32;
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++)
    SCRATCH_PUT(s, lanes, (warp * ROWS + i) * (ROW_VECS + 1) + lane, vector_fold(t->raw[i]));
  BARRIER();
  if (ITEM() < TILE_ROWS) {
    const scan_u32 row = ITEM() * (ROW_VECS + 1);
    value_t x[ROW_VECS];
    UNROLL
    for (scan_u32 l = 0; l < ROW_VECS; l++) x[l] = SCRATCH_GET(s, lanes, row + l);
    UNROLL
    for (scan_u32 d = 1; d < ROW_VECS; d <<= 1) {
      UNROLL
      for (scan_u32 l = ROW_VECS - 1; l >= d; l--) x[l] = combine(x[l - d], x[l]);
    }
    UNROLL
    for (scan_u32 l = 1; l < ROW_VECS; l++) SCRATCH_PUT(s, lanes, row + l, x[l - 1]);
    SCRATCH_PUT(s, lanes, row, IDENTITY);
    s->rows[ITEM()] = x[ROW_VECS - 1];
  }
  BARRIER();
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) t->before[i] = SCRATCH_GET(s, lanes, (warp * ROWS + i) * (ROW_VECS + 1) + lane);
}

/* Leaves the total of the work-item's row i in local memory: the balanced tree. */
FUNC void row_total_put(value_t x, scan_u32 i, LOCAL tile_scratch *s) {
  const scan_u32 row = (ITEM() / 32 * ROWS + i) * (ROW_VECS + 1);
  const scan_u32 lane = ITEM() % 32;
  SCRATCH_PUT(s, lanes, row + lane, x);
  for (scan_u32 d = 1; d < 32; d <<= 1) {
    BARRIER();
    if (lane % (2 * d) == 0)
      SCRATCH_PUT(s, lanes, row + lane,
                  combine(SCRATCH_GET(s, lanes, row + lane), SCRATCH_GET(s, lanes, row + lane + d)));
  }
  if (lane == 0) s->rows[ITEM() / 32 * ROWS + i] = SCRATCH_GET(s, lanes, row);
}
#endif

/* The rows of the work-item's sub-tile folded up to its first, *total up to the last. */
FUNC value_t rows_fold(LOCAL const tile_scratch *s, value_t *total) {
  const scan_u32 row = ITEM() / 32 * ROWS, first = row / SUBTILE_ROWS * SUBTILE_ROWS;
  value_t before = IDENTITY, all = s->rows[first];
  UNROLL
  for (scan_u32 r = 1; r < SUBTILE_ROWS; r++) {
    before = VALUE_SELECT(first + r == row, all, before);
    all = combine(all, s->rows[first + r]);
  }
  *total = all;
  return before;
}

/* The tile's aggregate, of the totals of the sub-tiles. */
FUNC value_t subtiles_exchange(value_t sub, value_t *before, LOCAL tile_scratch *s) {
#if SCAN_SUBTILES == 1
  (void)s;
  *before = IDENTITY;
  return sub;
#else
  const scan_u32 items = 32 * SUBTILE_ROWS / ROWS; /* of a sub-tile */
  if (ITEM() % items == 0) s->subs[ITEM() / items] = sub;
  BARRIER();
  return subtiles_fold(before, s);
#endif
}

FUNC void tile_fold(const scan_job *job, scan_u32 tile, tile_state *t, LOCAL tile_scratch *s) {
  (void)job, (void)tile;
  value_t sub;
  rows_scan(t, s);
  value_t run = rows_fold(s, &sub);
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    t->before[i] = combine(run, t->before[i]);
    run = combine(run, s->rows[ITEM() / 32 * ROWS + i]);
  }
  t->aggregate = subtiles_exchange(sub, &t->sub_before, s);
}

FUNC void tile_scan(const scan_job *job, scan_u32 tile, tile_state *t) {
  (void)job, (void)tile;
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) t->before[i] = combine(t->sub_before, t->before[i]);
}

FUNC value_t tile_total(const scan_job *job, scan_u32 tile, LOCAL tile_scratch *s) {
  value_t sub, sub_before;
  NO_UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) row_total_put(vector_fold(vector_load_guarded(job, vector_first(tile, i))), i, s);
  BARRIER();
  (void)rows_fold(s, &sub);
  return subtiles_exchange(sub, &sub_before, s);
}
#endif

FUNC void tile_store(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  const scan_u64 first = vector_first(tile, 0);
  GLOBAL stored_t *out = (GLOBAL stored_t *)(job->out + first);
  if (!job->vectors_out || !STORES(job)) {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++)
      vector_store_guarded(job, first + i * ROW_ITEMS, vector_scan(job, t->raw[i], combine(prefix, t->before[i])));
    return;
  }
  if ((tile + (scan_u64)1) * TILE_ITEMS <= job->n) {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++)
      out[i * ROW_VECS] = VECTOR_SCAN(job, t->raw[i], combine(prefix, t->before[i]), 1);
    return;
  }
  const scan_u32 whole = vectors_whole(job, first, ROWS);
  stored_t part;
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    const stored_t v = vector_scan(job, t->raw[i], combine(prefix, t->before[i]));
    if (i < whole) out[i * ROW_VECS] = v;
    if (i == 0 || i == whole) part = v;
  }
  if (whole < ROWS) vector_store_guarded(job, first + whole * ROW_ITEMS, part);
}

/* Keeps what the scan leaves; called for the last tile, after tile_scan. */
FUNC void tile_keep(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  const scan_u64 last = job->n - 1;
  scan_u64 first = vector_first(tile, 0);
  raw_t raw = t->raw[0];
  value_t before = t->before[0];
  UNROLL
  for (scan_u32 i = 1; i < ROWS; i++)
    if (vector_first(tile, i) <= last) {
      first = vector_first(tile, i);
      raw = t->raw[i];
      before = t->before[i];
    }
  if (last - first < VEC_ITEMS) vector_keep(job, first, raw, combine(prefix, before)); /* one work-item's */
}

/* What becomes of a tile that is wanted. */
FUNC void tile_sink(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  if (TILE_KEEPS(job, tile)) tile_keep(job, tile, t, prefix);
  if (!SKIPS(job)) tile_store(job, tile, t, prefix_shown(job, prefix));
}

/* The balanced tree over 128 leaves, one in each of the first 128 work-items; every work-item of the group calls it.
 * tree_total gives the result after the caller's next barrier. */
#if SCAN_SHUFFLE
FUNC void tree_fold(value_t leaf, LOCAL tile_scratch *s) {
  if (ITEM() >= GROUP_TILES) return;
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) leaf = TREE_STEP(leaf, d, 0);
  if (ITEM() % 32 == 0) s->partial[ITEM() / 32] = leaf;
}
#else
FUNC void tree_fold(value_t leaf, LOCAL tile_scratch *s) {
  if (ITEM() < GROUP_TILES) SCRATCH_PUT(s, leaves, ITEM() / 32 * (ROW_VECS + 1) + ITEM() % 32, leaf);
  BARRIER();
  if (ITEM() >= 4) return;
  value_t x[32];
  UNROLL
  for (scan_u32 l = 0; l < 32; l++) x[l] = SCRATCH_GET(s, leaves, ITEM() * (ROW_VECS + 1) + l);
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) {
    UNROLL
    for (scan_u32 l = 0; l < 32; l += 2 * d) x[l] = combine(x[l], x[l + d]);
  }
  s->partial[ITEM()] = x[0];
}
#endif

FUNC value_t tree_total(LOCAL const tile_scratch *s) {
  return combine(combine(s->partial[0], s->partial[1]), combine(s->partial[2], s->partial[3]));
}
#endif
