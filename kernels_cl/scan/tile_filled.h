/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of types from source in the registers of a work-group, filled past n with the last element (VECTORS_ARE_FILLED
 * of vector_source.h). So every element exists: values are held without a mark of existence, and a bit an element says
 * where segments begin. Included by tile_group.h. */
#ifndef SCANRT_CL_TILE_FILLED_H
#define SCANRT_CL_TILE_FILLED_H

#define SEGMENT_BITS_WORDS ((ROWS * VEC_ITEMS + 31) / 32)
#define WARP_HAS_SUBTILE (TILE_ROWS * 32 == SCAN_GROUP_ITEMS * SUBTILE_ROWS)

typedef struct scanrt_tile_state {
  scanrt_loaded_t raw[ROWS];
  scanrt_bare_t before[ROWS]; /* as in tile_group.h; if nothing precedes a vector, some later value */
#if WARP_HAS_SUBTILE
  scanrt_i32 first_start; /* the warp's first vector, over its rows, in which a segment begins; -1: before them */
#else
  scanrt_u32 there[ROWS]; /* the `there` of each value in `before` */
#endif
#if SCAN_SEGMENTS
  scanrt_u32 segment_bits[SEGMENT_BITS_WORDS];
#endif
  scanrt_value_t aggregate;
  scanrt_value_t sub_before;
} scanrt_tile_state;

/* A strip of lines of arrays (batch/rows_group.cl). */
typedef struct scanrt_strip_state {
  scanrt_raw_t raw[ROWS];
} scanrt_strip_state;

/* IS_FIRST: nothing of the tile precedes vector i. IS_CUT: a segment begins before it in the tile. Both are computed
 * where they are used: ptxas 13.0 (sm_80, sm_90) loses conditions that are collected in the bits of a word while others
 * are being made. */
#if WARP_HAS_SUBTILE
#define IS_FIRST(t, i) ((i) == 0 && ITEM() % 32 == 0 && !(t)->sub_before.there)
#define IS_CUT(t, i) ((scanrt_i32)((i)*32 + ITEM() % 32) > (t)->first_start)
#else
#define IS_FIRST(t, i) (!(t)->there[i])
#define IS_CUT(t, i) (((t)->there[i] & STARTS_WITHIN) != 0)
#endif
#if SCAN_SEGMENTS
#define SEGMENT_BITS_AT(i) ((i)*VEC_ITEMS / 32)
#define SEGMENT_BITS_SHIFT(i) ((i)*VEC_ITEMS % 32)
#define SEGMENT_BITS_OF(segment_bits, i)                                                                               \
  ((segment_bits)[SEGMENT_BITS_AT(i)] >> SEGMENT_BITS_SHIFT(i) & ((1u << VEC_ITEMS) - 1))
#define CUT(t, i) IS_CUT(t, i)
FUNC void scanrt_segment_bits_clear(scanrt_tile_state *t) {
  UNROLL
  for (scanrt_u32 k = 0; k < SEGMENT_BITS_WORDS; k++) t->segment_bits[k] = 0;
}
#else
#define CUT(t, i) 0
#endif

/* Returns the work-item's vector i of tile `tile`. */
FUNC scanrt_raw_t scanrt_tile_vector(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_u32 i) {
  scanrt_raw_t v = scanrt_vector_open(job, scanrt_vector_first(tile, i), t->raw[i]);
#if SCAN_SEGMENTS
  v.segment_bits.bits = SEGMENT_BITS_OF(t->segment_bits, i);
  v.segment_bits.within = v.segment_bits.bits;
#endif
  return v;
}
#define TILE_VECTOR(job, tile, t, i) scanrt_tile_vector((job), (tile), (t), (i))

/* The value that precedes vector i in the tile. */
#define TILE_BEFORE(t, i) scanrt_value_from((t)->before[i], IS_FIRST(t, i) ? 0 : CUT(t, i) ? 1 | STARTS_WITHIN : 1)
#if !WARP_HAS_SUBTILE
FUNC void scanrt_tile_before_put(scanrt_tile_state *t, scanrt_u32 i, scanrt_value_t x) {
  t->before[i] = scanrt_bare_select(x.there, x.v, t->before[i]);
  t->there[i] = x.there;
}
#define TILE_BEFORE_PUT(t, i, x) scanrt_tile_before_put((t), (i), (x))
#endif

/* ---- where segments begin ---- */

#if SCAN_SEGMENTS && !SCAN_STEPS
#if SCAN_SEGMENTS == 2
#define MARKS_ALIGNED(job) 1
FUNC void scanrt_tile_segment_bits(const scanrt_job *job, scanrt_u64 first, scanrt_tile_state *t) {
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_u32 bits = scanrt_segment_bits_at(job, first + i * ROW_ITEMS);
    t->segment_bits[SEGMENT_BITS_AT(i)] |= (bits & ((1u << VEC_ITEMS) - 1)) << SEGMENT_BITS_SHIFT(i);
  }
}
#else
#define MARKS_ALIGNED(job) (ADDRESS((job)->segment_flags) % sizeof(scanrt_marks_t) == 0)
#define MARK_WORDS ((MARK_BYTES + 3) / 4)
typedef union scanrt_mark_words {
  scanrt_mark_t x;
  scanrt_u32 word[MARK_WORDS];
} scanrt_mark_words;

FUNC scanrt_mark_items scanrt_marks_of(const scanrt_marks_t *part) {
  scanrt_mark_items m;
  UNROLL
  for (scanrt_u32 k = 0; k < MARKS_PARTS; k++) m.part[k] = part[k];
  return m;
}

/* Returns a vector's last mark, as words. */
FUNC scanrt_mark_words scanrt_marks_last(scanrt_mark_items m) {
  scanrt_mark_words last;
  last.word[MARK_WORDS - 1] = 0;
  last.x = m.x[VEC_ITEMS - 1];
  return last;
}

/* Returns the mark before each lane's vector: the last mark of the lane before. The first lane gets *carried, the last
 * mark of the row before. Sets *carried for the next row. */
FUNC scanrt_mark_t scanrt_mark_before(scanrt_mark_words last, scanrt_u32 *carried) {
  scanrt_mark_words before;
  UNROLL
  for (scanrt_u32 k = 0; k < MARK_WORDS; k++) {
    const scanrt_u32 word = scanrt_shuffle_from_u32(last.word[k], (ITEM() + 31) % 32);
    before.word[k] = ITEM() % 32 ? word : carried[k];
    carried[k] = word;
  }
  return before.x;
}

FUNC void scanrt_tile_segment_bits(const scanrt_job *job, scanrt_u64 first, scanrt_tile_state *t) {
  GLOBAL const scanrt_mark_t *marks = (GLOBAL const scanrt_mark_t *)job->segment_flags + first;
  scanrt_marks_t part[ROWS * MARKS_PARTS];
#if SCAN_SEGMENTS == 3
  scanrt_u32 carried[MARK_WORDS];
  UNROLL
  for (scanrt_u32 k = 0; k < MARK_WORDS; k++) carried[k] = 0;
  if (ITEM() % 32 == 0 && first > 0) {
    const scanrt_mark_t mark = marks[-1];
    UNROLL
    for (scanrt_u32 k = 0; k < MARK_WORDS; k++) carried[k] = (scanrt_u32)((scanrt_u64)mark >> (32 * k));
  }
#endif
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    UNROLL
    for (scanrt_u32 k = 0; k < MARKS_PARTS; k++)
      part[i * MARKS_PARTS + k] = ((GLOBAL const scanrt_marks_t *)(marks + i * ROW_ITEMS))[k];
  }
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_mark_items m = scanrt_marks_of(part + i * MARKS_PARTS);
#if SCAN_SEGMENTS == 3
    const scanrt_mark_t before = scanrt_mark_before(scanrt_marks_last(m), carried);
#else
    const scanrt_mark_t before = 0;
#endif
    t->segment_bits[SEGMENT_BITS_AT(i)] |= scanrt_segment_bits_of(before, &m).bits << SEGMENT_BITS_SHIFT(i);
  }
}
#endif
#endif

/* ---- loading ---- */

/* Loads a tile that n cuts, or whose buffers are not aligned to their vectors. */
FUNC void scanrt_tile_fill(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  const scanrt_u64 first = scanrt_vector_first(tile, 0), tile_first = tile * TILE_ITEMS;
  const scanrt_u32 offset = (scanrt_u32)(first - tile_first), is_whole = scanrt_tile_is_whole(job, tile);
  const scanrt_u32 last = (scanrt_u32)(is_whole ? TILE_ITEMS : job->n - tile_first) - 1;
  const scanrt_u32 vectors = job->vectors_in ? scanrt_vectors_whole(job, first, ROWS) : 0;
  GLOBAL const scanrt_loaded_t *in = (GLOBAL const scanrt_loaded_t *)(job->in + first);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_raw_t v;
    if (i < vectors)
      v = VECTOR_LOAD(job, first + i * ROW_ITEMS, in + i * ROW_VECS);
    else
      v = scanrt_vector_load_filled(job, tile_first, offset + i * ROW_ITEMS, last);
    t->raw[i] = v.items.raw;
#if SCAN_SEGMENTS
    t->segment_bits[SEGMENT_BITS_AT(i)] |= v.segment_bits.bits << SEGMENT_BITS_SHIFT(i);
#endif
  }
}

FUNC void scanrt_tile_load(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
#if SCAN_SEGMENTS
  scanrt_segment_bits_clear(t);
#endif
#if !SCAN_STEPS
  const scanrt_u64 first = scanrt_vector_first(tile, 0);
  GLOBAL const scanrt_loaded_t *in = (GLOBAL const scanrt_loaded_t *)(job->in + first);
  scanrt_u32 vectors = job->vectors_in & scanrt_tile_is_whole(job, tile);
#if SCAN_SEGMENTS
  vectors &= MARKS_ALIGNED(job);
#endif
  if (vectors) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = VECTOR_READ_AT(job, first + i * ROW_ITEMS, in + i * ROW_VECS);
#if SCAN_SEGMENTS
    scanrt_tile_segment_bits(job, first, t);
    if (first == 0) t->segment_bits[0] = (t->segment_bits[0] & ~job->first_clears) | job->first_is_start;
#endif
    return;
  }
#endif
  scanrt_tile_fill(job, tile, t);
}

FUNC void scanrt_tile_flip(const scanrt_job *job, const scanrt_tile_state *t) { (void)job, (void)t; }

#if SCAN_SEGMENTS && !SCAN_STEPS
/* Prefetches a tile's marks, like scanrt_tile_prefetch its elements. */
FUNC void scanrt_marks_prefetch(const scanrt_job *job, scanrt_u64 tile) {
#if SCAN_SEGMENTS == 2
  const scanrt_u32 bytes = TILE_ROWS * ROW_ITEMS / 8;
#else
  const scanrt_u32 bytes = TILE_ROWS * ROW_ITEMS * MARK_BYTES;
#endif
  for (scanrt_u32 byte = ITEM() * 128; byte < bytes; byte += SCAN_GROUP_ITEMS * 128)
    PREFETCH(job->segment_flags + tile * bytes + byte);
}
#define MARKS_PREFETCH(job, tile) scanrt_marks_prefetch((job), (tile))
#endif

/* ---- folding and scanning ---- */

#if WARP_HAS_SUBTILE
#if SCAN_SEGMENTS
/* A step of a row's tree, which combines `keep` of the lane and `other` of the lane at distance d, in order. `last` is
 * the last lane in whose vector a segment begins; lanes before it do not count. */
FUNC scanrt_bare_t scanrt_cut_step(scanrt_bare_t keep, scanrt_bare_t other, scanrt_u32 d, scanrt_u32 last) {
  const scanrt_u32 lane = ITEM() % 32, right_first = (lane & ~(2 * d - 1)) | d;
  const scanrt_bare_t left = scanrt_bare_select(lane & d, other, keep),
                      right = scanrt_bare_select(lane & d, keep, other);
  return scanrt_bare_select(last >= right_first, right, SCAN_SOURCE_COMBINE(left, right));
}

/* The step of scanrt_trees_step, in segments. */
FUNC void scanrt_cut_trees_step(scanrt_bare_t *x, scanrt_u32 *last, scanrt_u32 kept, scanrt_u32 d) {
  const scanrt_u32 swapped = ITEM() % 32 & d;
  UNROLL
  for (scanrt_u32 i = 0; i < kept; i++) {
    const scanrt_bare_t keep = scanrt_bare_select(swapped, x[i + kept], x[i]),
                        give = scanrt_bare_select(swapped, x[i], x[i + kept]);
    last[i] = swapped ? last[i + kept] : last[i];
    x[i] = scanrt_cut_step(keep, scanrt_bare_shuffle_xor(give, d), d, last[i]);
  }
}

/* The fold of scanrt_subtile_fold, for the tile's rows in segments. */
FUNC scanrt_value_t scanrt_warp_fold(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t) {
  scanrt_bare_t x[ROWS];
  scanrt_u32 segment_bits[ROWS], last[ROWS], any = 0;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_raw_t v = scanrt_tile_vector(job, tile, t, i);
    segment_bits[i] = WARP_BALLOT(v.segment_bits.bits);
    any |= segment_bits[i];
    x[i] = scanrt_vector_fold(v).v;
    last[i] = LAST_BIT(segment_bits[i] | 1u);
  }
  scanrt_cut_trees_step(x, last, 4, 1);
  scanrt_cut_trees_step(x, last, 2, 2);
  scanrt_cut_trees_step(x, last, 1, 4);
  x[0] = scanrt_cut_step(x[0], scanrt_bare_shuffle_xor(x[0], 8), 8, last[0]);
  x[0] = scanrt_cut_step(x[0], scanrt_bare_shuffle_xor(x[0], 16), 16, last[0]);
  scanrt_bare_t sub = scanrt_bare_shuffle_from(x[0], 0);
  UNROLL
  for (scanrt_u32 r = 1; r < SUBTILE_ROWS; r++) {
    const scanrt_bare_t row = scanrt_bare_shuffle_from(x[0], scanrt_tree_lane(r, SUBTILE_ROWS));
    sub = scanrt_bare_select(segment_bits[r] != 0, row, SCAN_SOURCE_COMBINE(sub, row));
  }
  return scanrt_value_from(sub, any ? 1 | STARTS_WITHIN : 1);
}
#else
FUNC scanrt_value_t scanrt_warp_fold(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t) {
  scanrt_value_t x[SUBTILE_ROWS];
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) x[i] = VECTOR_FOLD(scanrt_tile_vector(job, tile, t, i), 1);
  return scanrt_subtile_fold(x, 1);
}
#endif

FUNC void scanrt_tile_fold(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  const scanrt_value_t sub = scanrt_warp_fold(job, tile, t);
  if (ITEM() % 32 == 0) s->subs[ITEM() / 32] = sub;
  BARRIER();
  t->aggregate = scanrt_subtiles_fold(&t->sub_before, s);
}

/* Sets what precedes each vector in its sub-tile, and returns the sub-tile's total. The first lane of a row first gets
 * its own vector: what precedes the row precedes that vector, too, so that the operator gets operands in order. */
FUNC scanrt_value_t scanrt_warp_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  enum { NONE = ROWS * 32 };
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_bare_t run = scanrt_value_none().v;
  t->first_start = NONE;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_raw_t v = scanrt_tile_vector(job, tile, t, i);
#if SCAN_SEGMENTS
    const scanrt_u32 segment_bits = WARP_BALLOT(v.segment_bits.bits), reach = scanrt_segment_reach(segment_bits);
    const scanrt_u32 is_cut = segment_bits << 1 << (31 - lane) != 0;
    if (segment_bits != 0 && t->first_start == NONE)
      t->first_start = (scanrt_i32)(i * 32 + LAST_BIT(segment_bits & (0u - segment_bits)));
#else
    const scanrt_u32 segment_bits = 0, reach = lane, is_cut = 0;
#endif
    const scanrt_bare_t sum = scanrt_bare_doubling(scanrt_vector_fold(v).v, reach);
    const scanrt_bare_t total = scanrt_bare_shuffle_from(sum, 31), y = scanrt_bare_shuffle_up(sum, 1);
    t->before[i] = y;
    if (i > 0) {
      const scanrt_bare_t joined = scanrt_bare_select(is_cut, y, SCAN_SOURCE_COMBINE(run, y));
      t->before[i] = scanrt_bare_select(lane == 0, run, joined);
    }
    run = i == 0 ? total : scanrt_bare_select(segment_bits != 0, total, SCAN_SOURCE_COMBINE(run, total));
  }
  return scanrt_value_from(run, t->first_start != NONE ? 1 | STARTS_WITHIN : 1);
}

/* Combines what precedes each vector in its sub-tile with the sub-tiles before. */
FUNC void scanrt_tile_join(scanrt_tile_state *t) {
  if (!t->sub_before.there) return;
  const scanrt_bare_t sub = t->sub_before.v;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_bare_t x = t->before[i];
    t->before[i] = scanrt_bare_select(CUT(t, i), x, SCAN_SOURCE_COMBINE(sub, x));
    if (i == 0) t->before[i] = scanrt_bare_select(ITEM() % 32 == 0, sub, t->before[i]);
  }
  if (t->sub_before.there & STARTS_WITHIN) t->first_start = -1;
}

FUNC void scanrt_tile_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  (void)scanrt_warp_scan(job, tile, t);
  scanrt_tile_join(t);
}
#else
/* Scans the rows; their totals pass through local memory. */
FUNC void scanrt_rows_scan(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t, LOCAL scanrt_tile_scratch *s) {
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    scanrt_value_t total;
    const scanrt_value_t y = scanrt_row_doubling(VECTOR_FOLD(scanrt_tile_vector(job, tile, t, i), 1), &total, 1);
    t->before[i] = y.v;
    t->there[i] = ITEM() % 32 ? y.there : 0;
    if (ITEM() % 32 == 0) s->rows[ITEM() / 32 * ROWS + i] = total;
  }
  BARRIER();
}
#endif

/* ---- storing ---- */

/* Returns what precedes vector i in the scan. */
FUNC scanrt_value_t scanrt_tile_start(const scanrt_tile_state *t, scanrt_value_t prefix, scanrt_u32 i) {
  const scanrt_u32 is_first = IS_FIRST(t, i), there = prefix.there != 0;
  const scanrt_bare_t x = t->before[i];
  const scanrt_bare_t joined = SCAN_SOURCE_COMBINE(scanrt_bare_select(there, prefix.v, x), x);
  const scanrt_bare_t own = scanrt_bare_select(CUT(t, i) | !there, x, joined);
  return scanrt_value_from(scanrt_bare_select(is_first, prefix.v, own), !is_first | there);
}

/* Stores a tile; nothing if the scan is a total. */
FUNC void scanrt_tile_store(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t, scanrt_value_t prefix) {
  const scanrt_u64 first = scanrt_vector_first(tile, 0);
  GLOBAL scanrt_stored_t *out = (GLOBAL scanrt_stored_t *)(job->out + first);
  const scanrt_u32 at_once = job->vectors_out & !IS_TOTAL(job);
#if !SCAN_STEPS
  if (at_once & scanrt_tile_is_whole(job, tile)) {
    UNROLL
    for (scanrt_u32 i = 0; i < ROWS; i++)
      VECTOR_STORE(job, first + i * ROW_ITEMS, out + i * ROW_VECS,
                   scanrt_vector_scan(job, scanrt_tile_vector(job, tile, t, i), scanrt_tile_start(t, prefix, i)));
    return;
  }
#endif
  if (SKIPS(job)) return;
  const scanrt_u32 vectors = at_once ? scanrt_vectors_whole(job, first, ROWS) : 0;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_stored_t v =
        scanrt_vector_scan(job, scanrt_tile_vector(job, tile, t, i), scanrt_tile_start(t, prefix, i));
    if (i < vectors)
      VECTOR_STORE(job, first + i * ROW_ITEMS, out + i * ROW_VECS, v);
    else
      scanrt_vector_store_guarded(job, first + i * ROW_ITEMS, v);
  }
}
#endif
