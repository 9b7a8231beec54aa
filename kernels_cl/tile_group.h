/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile held in the registers of a work-group. Each run of 32 consecutive work-items (a "warp", whatever the device
 * calls it) holds ROWS consecutive rows of the tile, a vector of each in every work-item. */
#define WARPS (SCAN_GROUP_ITEMS / 32)
#define ROWS (TILE_ROWS / WARPS)
#if SCAN_GROUP_ITEMS % 32 != 0 || SCAN_GROUP_ITEMS < GROUP_TILES || TILE_ROWS % WARPS != 0
#error "the work-group does not fit the tile"
#endif
#if TILE_ROWS / WARPS > SUBTILE_ROWS || TILE_ROWS > SCAN_GROUP_ITEMS
#error "the tile is too large for the work-group"
#endif

#if VEC_ITEMS * INPUT_BYTES == 16
typedef scan_raw16 raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 8
typedef scan_raw8 raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 4
typedef scan_u32 raw_t;
#elif VEC_ITEMS * INPUT_BYTES == 2
typedef scan_u16 raw_t;
#else
#error "no raw type of this size"
#endif

typedef union input_vector {
  raw_t raw;
  input_t x[VEC_ITEMS];
} input_vector;
typedef union output_vector {
  scan_raw16 raw;
  value_t x[VEC_ITEMS];
} output_vector;

typedef struct tile_state {
  raw_t raw[ROWS];      /* as loaded: narrow types stay packed */
  value_t before[ROWS]; /* exclusive prefix of each vector inside the tile */
  value_t aggregate;
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
  scan_u32 claim;
#if !SCAN_SHUFFLE
  value_t lanes[TILE_ROWS * (ROW_VECS + 1)]; /* padded: a work-item walks a row, 32 of them 32 banks */
  value_t leaves[4 * (ROW_VECS + 1)];
#endif
} tile_scratch;

#if SCAN_SHUFFLE
#if VALUE_BYTES == 8
#define SHUFFLE(name)                                                                                                  \
  FUNC value_t name(value_t x, scan_u32 which) {                                                                       \
    const scan_u64 bits = (scan_u64)VALUE_BITS(x);                                                                     \
    const scan_u64 low = name##_u32((scan_u32)bits, which), high = name##_u32((scan_u32)(bits >> 32), which);          \
    return BITS_VALUE(high << 32 | low);                                                                               \
  }
#else
#define SHUFFLE(name)                                                                                                  \
  FUNC value_t name(value_t x, scan_u32 which) { return BITS_VALUE(name##_u32((scan_u32)VALUE_BITS(x), which)); }
#endif
SHUFFLE(shuffle_up)
SHUFFLE(shuffle_down)
SHUFFLE(shuffle_from)
#endif

FUNC value_t vector_fold(raw_t raw) {
  input_vector v;
  v.raw = raw;
  value_t sum = (value_t)v.x[0];
  UNROLL
  for (scan_u32 k = 1; k < VEC_ITEMS; k++) sum = combine(sum, (value_t)v.x[k]);
  return sum;
}

/* Index of the first element of the work-item's vector i. */
FUNC scan_u64 vector_first(scan_u32 tile, scan_u32 i) {
  const scan_u32 row = ITEM() / 32 * ROWS + i;
  return tile * TILE_ITEMS + (scan_u64)(row * ROW_VECS + ITEM() % 32) * VEC_ITEMS;
}

FUNC raw_t vector_load_guarded(const scan_job *job, scan_u64 first) {
  input_vector v;
  UNROLL
  for (scan_u32 k = 0; k < VEC_ITEMS; k++) v.x[k] = first + k < job->n ? job->in[first + k] : (input_t)IDENTITY;
  return v.raw;
}

FUNC void tile_load(const scan_job *job, scan_u32 tile, tile_state *t) {
  if (job->vectors_in && (tile + (scan_u64)1) * TILE_ITEMS <= job->n) {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++)
      t->raw[i] = LOAD_STREAM((GLOBAL const raw_t *)(job->in + vector_first(tile, i)));
  } else {
    UNROLL
    for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = vector_load_guarded(job, vector_first(tile, i));
  }
}

#if SCAN_SHUFFLE
/* Sets before[] to each vector's exclusive prefix in its row and leaves the row totals in local memory. */
FUNC void rows_scan(tile_state *t, LOCAL tile_scratch *s) {
  const scan_u32 lane = ITEM() % 32, warp = ITEM() / 32;
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    value_t x = vector_fold(t->raw[i]);
    UNROLL
    for (scan_u32 d = 1; d < 32; d <<= 1) {
      const value_t y = shuffle_up(x, d);
      x = lane >= d ? combine(y, x) : x;
    }
    const value_t y = shuffle_up(x, 1);
    t->before[i] = lane ? y : IDENTITY;
    if (lane == 31) s->rows[warp * ROWS + i] = x;
  }
  BARRIER();
}

/* Leaves the total of the work-item's row i in local memory: the balanced tree, as in the last lane of rows_scan. */
FUNC void row_total(value_t x, scan_u32 i, LOCAL tile_scratch *s) {
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) x = combine(x, shuffle_down(x, d));
  if (ITEM() % 32 == 0) s->rows[ITEM() / 32 * ROWS + i] = x;
}
#else
/* The same through local memory: a work-item scans a row in registers, in the order of the recursive doubling. */
FUNC void rows_scan(tile_state *t, LOCAL tile_scratch *s) {
  const scan_u32 lane = ITEM() % 32, warp = ITEM() / 32;
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) s->lanes[(warp * ROWS + i) * (ROW_VECS + 1) + lane] = vector_fold(t->raw[i]);
  BARRIER();
  if (ITEM() < TILE_ROWS) {
    LOCAL value_t *row = s->lanes + ITEM() * (ROW_VECS + 1);
    value_t x[ROW_VECS];
    UNROLL
    for (scan_u32 l = 0; l < ROW_VECS; l++) x[l] = row[l];
    UNROLL
    for (scan_u32 d = 1; d < ROW_VECS; d <<= 1) {
      UNROLL
      for (scan_u32 l = ROW_VECS - 1; l >= d; l--) x[l] = combine(x[l - d], x[l]);
    }
    UNROLL
    for (scan_u32 l = 1; l < ROW_VECS; l++) row[l] = x[l - 1];
    row[0] = IDENTITY;
    s->rows[ITEM()] = x[ROW_VECS - 1];
  }
  BARRIER();
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) t->before[i] = s->lanes[(warp * ROWS + i) * (ROW_VECS + 1) + lane];
}

/* Leaves the total of the work-item's row i in local memory: the balanced tree, as in the last lane of rows_scan. */
FUNC void row_total(value_t x, scan_u32 i, LOCAL tile_scratch *s) {
  LOCAL value_t *row = s->lanes + (ITEM() / 32 * ROWS + i) * (ROW_VECS + 1);
  const scan_u32 lane = ITEM() % 32;
  row[lane] = x;
  for (scan_u32 d = 1; d < 32; d <<= 1) {
    BARRIER();
    if (lane % (2 * d) == 0) row[lane] = combine(row[lane], row[lane + d]);
  }
  if (lane == 0) s->rows[ITEM() / 32 * ROWS + i] = row[0];
}
#endif

/* The tile's aggregate from the row totals in local memory; sub_before is set to the sub-tiles before the work-item's.
 * `run` is the fold of the work-item's sub-tile up to its last row. */
FUNC value_t subtiles_fold(value_t run, value_t *sub_before, LOCAL tile_scratch *s) {
  const scan_u32 row = ITEM() / 32 * ROWS, sub = row / SUBTILE_ROWS;
  value_t all = IDENTITY;
  if ((row + ROWS) % SUBTILE_ROWS == 0 && ITEM() % 32 == 0) s->subs[sub] = run;
  BARRIER();
  *sub_before = IDENTITY;
  UNROLL
  for (scan_u32 q = 0; q < SCAN_SUBTILES; q++) {
    *sub_before = q == sub ? all : *sub_before;
    all = combine(all, s->subs[q]);
  }
  return all;
}

/* The rows of the sub-tile before the work-item's first, folded. */
FUNC value_t rows_before(LOCAL const tile_scratch *s) {
  const scan_u32 row = ITEM() / 32 * ROWS, first = row / SUBTILE_ROWS * SUBTILE_ROWS;
  value_t run = IDENTITY;
  (void)s, (void)first;
#if TILE_ROWS / WARPS < SUBTILE_ROWS
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS - ROWS; r++)
    if (first + r < row) run = combine(run, s->rows[first + r]);
#endif
  return run;
}

/* Sets before[] and aggregate. */
FUNC void tile_scan(const scan_job *job, scan_u32 tile, tile_state *t, LOCAL tile_scratch *s) {
  const scan_u32 row = ITEM() / 32 * ROWS;
  value_t sub_before;
  (void)job, (void)tile;
  rows_scan(t, s);
  value_t run = rows_before(s);
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    t->before[i] = combine(run, t->before[i]);
    run = combine(run, s->rows[row + i]);
  }
  t->aggregate = subtiles_fold(run, &sub_before, s);
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) t->before[i] = combine(sub_before, t->before[i]);
}

/* The aggregate alone, a row at a time: few registers, for a tile reduced while others are held. */
FUNC value_t tile_total(const scan_job *job, scan_u32 tile, LOCAL tile_scratch *s) {
  const scan_u32 row = ITEM() / 32 * ROWS;
  value_t sub_before;
  NO_UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) row_total(vector_fold(vector_load_guarded(job, vector_first(tile, i))), i, s);
  BARRIER();
  value_t run = rows_before(s);
  NO_UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) run = combine(run, s->rows[row + i]);
  return subtiles_fold(run, &sub_before, s);
}

FUNC void tile_store(const scan_job *job, scan_u32 tile, const tile_state *t, value_t prefix) {
  const scan_u32 whole = job->vectors_out && (tile + (scan_u64)1) * TILE_ITEMS <= job->n;
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) {
    const scan_u64 first = vector_first(tile, i);
    value_t acc = combine(prefix, t->before[i]);
    input_vector v;
    output_vector o;
    v.raw = t->raw[i];
    UNROLL
    for (scan_u32 k = 0; k < VEC_ITEMS; k++) {
      const value_t next = combine(acc, (value_t)v.x[k]);
      o.x[k] = job->inclusive ? next : acc;
      acc = next;
    }
    if (whole) {
      STORE_STREAM((GLOBAL scan_raw16 *)(job->out + first), o.raw);
    } else {
      UNROLL
      for (scan_u32 k = 0; k < VEC_ITEMS; k++)
        if (first + k < job->n) job->out[first + k] = o.x[k];
    }
  }
}

/* The balanced tree over 128 leaves, one in each of the first 128 work-items; every work-item of the group calls it.
 * tree_total gives the result after the caller's next barrier. */
#if SCAN_SHUFFLE
FUNC void tree_fold(value_t leaf, LOCAL tile_scratch *s) {
  if (ITEM() >= GROUP_TILES) return;
  UNROLL
  for (scan_u32 d = 1; d < 32; d <<= 1) leaf = combine(leaf, shuffle_down(leaf, d));
  if (ITEM() % 32 == 0) s->partial[ITEM() / 32] = leaf;
}
#else
FUNC void tree_fold(value_t leaf, LOCAL tile_scratch *s) {
  if (ITEM() < GROUP_TILES) s->leaves[ITEM() / 32 * (ROW_VECS + 1) + ITEM() % 32] = leaf;
  BARRIER();
  if (ITEM() >= 4) return;
  value_t x[32];
  UNROLL
  for (scan_u32 l = 0; l < 32; l++) x[l] = s->leaves[ITEM() * (ROW_VECS + 1) + l];
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
