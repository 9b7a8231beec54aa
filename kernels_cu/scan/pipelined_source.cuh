/* SPDX-License-Identifier: BSD-2-Clause */
/* Sub-tiles of the pipelined scan for operators from source. Every element exists, except in the sub-tile that n cuts,
 * and the segment bits of a row are one word in every lane. So values are passed without flags, and no lane tests its
 * own. The operator is also applied to neighbours in a row between which a segment begins; that result is dropped.
 * Included by pipelined.cuh. */
/* ---- trees ---- */
#ifndef SCANRT_PIPELINED_SOURCE_CUH
#define SCANRT_PIPELINED_SOURCE_CUH

/* The lanes of a row that count: from `first`, where the last segment begins, to `end` - 1. */
struct scanrt_row_span {
  scanrt_u32 first, end;
};

/* A step of scanrt_trees_fold (row_trees.h) over the lanes of each row that count; a row whose total is used has at
 * least one. With ALL, they end with the last lane. Steps are distinguished by template parameters: in a loop over
 * them, rows of 8-byte values lie in memory, which halves the speed. */
template <int KEPT, int D, int ALL, int TREES>
FUNC void scanrt_spans_step(scanrt_bare_t (&x)[TREES], scanrt_row_span (&span)[TREES]) {
  const scanrt_u32 lane = ITEM() % 32, swapped = lane & D;
  const scanrt_u32 middle = (lane & ~(2 * D - 1)) | D; /* where the right one of the two begins */
  UNROLL
  for (scanrt_u32 i = 0; i < (KEPT > 0 ? KEPT : 1); i++) {
    const scanrt_bare_t own = scanrt_bare_select(swapped, x[i + KEPT], x[i]),
                        give = scanrt_bare_select(swapped, x[i], x[i + KEPT]);
    const scanrt_bare_t other = scanrt_bare_shuffle_xor(give, D);
    const scanrt_bare_t a = scanrt_bare_select(swapped, other, own), b = scanrt_bare_select(swapped, own, other);
    span[i].first = swapped ? span[i + KEPT].first : span[i].first;
    span[i].end = swapped ? span[i + KEPT].end : span[i].end;
    x[i] = a;
    if (ALL || span[i].end > middle) x[i] = SCAN_SOURCE_COMBINE(a, b);
    if (SCAN_SEGMENTS) x[i] = scanrt_bare_select(span[i].first >= middle, b, x[i]);
  }
}

template <int TREES, int ALL> FUNC void scanrt_spans_fold(scanrt_bare_t (&x)[TREES], scanrt_row_span (&span)[TREES]) {
  scanrt_spans_step<TREES / 2, 1, ALL>(x, span);
  scanrt_spans_step<TREES / 4, 2, ALL>(x, span);
  scanrt_spans_step<TREES / 8, 4, ALL>(x, span);
  scanrt_spans_step<TREES / 16, 8, ALL>(x, span);
  scanrt_spans_step<TREES / 32, 16, ALL>(x, span);
}

#if SCAN_SEGMENTS
#define ROW_SEGMENT_BITS(vector) WARP_BALLOT((vector).segment_bits.within)
#else
#define ROW_SEGMENT_BITS(vector) 0u
#endif
/* Returns the last lane in whose values a segment begins, or 0. Bit l of `segment_bits` is set if one begins in lane l.
 */
FUNC scanrt_u32 scanrt_last_segment(scanrt_u32 segment_bits) { return LAST_BIT(segment_bits | 1); }
/* Returns the `there` of a value that covers these starts of segments. */
FUNC scanrt_u32 scanrt_there_with(scanrt_u32 segment_bits) { return segment_bits ? 1 | STARTS_WITHIN : 1; }

/* Returns the fold of the first `count` tiles of a group by the tree. Lane l has the leaves l, l + 32, l + 64 and l +
 * 96. */
FUNC scanrt_value_t scanrt_leaves_fold(const scanrt_value_t (&leaf)[PIPE_LEAVES], scanrt_u32 count) {
  scanrt_bare_t x[PIPE_LEAVES];
  scanrt_row_span span[PIPE_LEAVES];
  scanrt_u32 segment_bits[PIPE_LEAVES];
  scanrt_value_t tree[PIPE_LEAVES];
  UNROLL
  for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++) {
    segment_bits[k] = SCAN_SEGMENTS ? WARP_BALLOT(leaf[k].there & STARTS_WITHIN) : 0;
    x[k] = leaf[k].v;
    span[k].first = scanrt_last_segment(segment_bits[k]);
    span[k].end = count > 32 * k ? count - 32 * k : 0;
  }
  scanrt_spans_fold<PIPE_LEAVES, 0>(x, span);
  UNROLL
  for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++)
    tree[k] = scanrt_value_from(scanrt_bare_shuffle_from(x[0], scanrt_tree_lane(k, PIPE_LEAVES)),
                                count > 32 * k ? scanrt_there_with(segment_bits[k]) : 0);
  return scanrt_combine(scanrt_combine(tree[0], tree[1]), scanrt_combine(tree[2], tree[3]));
}

/* ---- sub-tiles ---- */

typedef unsigned char scanrt_chunk_item_t; /* elements need not be aligned to their size */
#define SUBTILE_WHOLE(p, tile, sub) scanrt_subtile_is_whole((p), (tile), (sub))

/* Returns a vector of a stage. */
FUNC scanrt_raw_t scanrt_vector_staged(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                       scanrt_u32 sub, scanrt_u32 r, scanrt_loaded_t raw) {
  scanrt_raw_t v = scanrt_vector_open(&p.job, scanrt_row_first(tile, sub, r), raw);
#if SCAN_SEGMENTS
  v.segment_bits = scanrt_staged_segment_bits(p, at, tile, sub, r);
#endif
  return v;
}

/* Returns a vector of a stage that n may cut. */
FUNC scanrt_raw_t scanrt_vector_staged_cut(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                           scanrt_u32 sub, scanrt_u32 r, scanrt_loaded_t raw) {
  scanrt_raw_t v = scanrt_vector_staged(p, at, tile, sub, r, raw);
  v.count = scanrt_vector_count(&p.job, scanrt_row_first(tile, sub, r));
#if SCAN_SEGMENTS
  v.segment_bits = scanrt_segment_bits_from(v.segment_bits.bits, v.count);
#endif
  return v;
}

/* The words of a lane's segment bits in a sub-tile, with VEC_ITEMS bits a row. */
#define SEGMENT_BITS_WORDS ((SUBTILE_ROWS * VEC_ITEMS + 31) / 32)
#define SEGMENT_BITS_SHIFT(r) ((r)*VEC_ITEMS % 32)

/* Returns the total of a sub-tile whose vectors the warp has, in every lane. */
FUNC scanrt_value_t scanrt_subtile_total(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                         scanrt_u32 sub, const scanrt_loaded_t (&raw)[SUBTILE_ROWS]) {
  scanrt_bare_t x[SUBTILE_ROWS];
  scanrt_row_span span[SUBTILE_ROWS];
  scanrt_u32 segment_bits[SUBTILE_ROWS], all = 0;
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scanrt_raw_t v = scanrt_vector_staged(p, at, tile, sub, r, raw[r]);
    x[r] = scanrt_vector_fold(v).v;
    segment_bits[r] = ROW_SEGMENT_BITS(v);
    span[r].first = scanrt_last_segment(segment_bits[r]);
    span[r].end = 32;
    all |= segment_bits[r];
  }
  scanrt_spans_fold<SUBTILE_ROWS, 1>(x, span);
  scanrt_bare_t total = scanrt_bare_shuffle_from(x[0], 0);
  UNROLL
  for (scanrt_u32 r = 1; r < SUBTILE_ROWS; r++) {
    const scanrt_bare_t row = scanrt_bare_shuffle_from(x[0], scanrt_tree_lane(r, SUBTILE_ROWS));
    total = scanrt_bare_select(segment_bits[r], row, SCAN_SOURCE_COMBINE(total, row));
  }
  return scanrt_value_from(total, scanrt_there_with(all));
}

/* The values that precede a lane's vectors in the sub-tile. They exist but for the first lane's first one, which is
 * undefined. */
struct scanrt_rows_before {
  scanrt_bare_t of[SUBTILE_ROWS];
#if SCAN_SEGMENTS
  scanrt_u32 closed; /* bit r: a segment begins in what of[r] covers */
  scanrt_u32 segment_bits[SEGMENT_BITS_WORDS];
#endif
#if PIPE_KEEPS
  scanrt_loaded_t raw[SUBTILE_ROWS];
#endif
};

FUNC scanrt_rows_before scanrt_rows_scan(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                         scanrt_u32 sub, const scanrt_loaded_t *in) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_rows_before before;
  scanrt_bare_t run;
  scanrt_u32 all = 0;
#if SCAN_SEGMENTS
  before.closed = 0;
  UNROLL
  for (scanrt_u32 k = 0; k < SEGMENT_BITS_WORDS; k++) before.segment_bits[k] = 0;
#endif
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scanrt_raw_t v = scanrt_vector_staged(p, at, tile, sub, r, in[r * ROW_VECS]);
    const scanrt_u32 segment_bits = ROW_SEGMENT_BITS(v), is_closed = segment_bits << 1 << (31 - lane);
    const scanrt_bare_t x = scanrt_bare_doubling(scanrt_vector_fold(v).v, scanrt_segment_reach(segment_bits));
    const scanrt_bare_t y = scanrt_bare_shuffle_up(x, 1), total = scanrt_bare_shuffle_from(x, 31);
    before.of[r] =
        r == 0 ? y : scanrt_bare_select(lane, scanrt_bare_select(is_closed, y, SCAN_SOURCE_COMBINE(run, y)), run);
#if SCAN_SEGMENTS
    if (all | is_closed) before.closed |= 1u << r;
    before.segment_bits[r * VEC_ITEMS / 32] |= v.segment_bits.bits << SEGMENT_BITS_SHIFT(r);
#endif
#if PIPE_KEEPS
    before.raw[r] = v.items.raw;
#endif
    run = r == 0 ? total : scanrt_bare_select(segment_bits, total, SCAN_SOURCE_COMBINE(run, total));
    all |= segment_bits;
  }
  return before;
}

/* Returns the fold of the first `count` sub-tiles of a tile, at most MOST. */
template <int MOST> FUNC scanrt_value_t scanrt_subtiles_fold(const scanrt_value_t *subs, scanrt_u32 count) {
  scanrt_bare_t x = subs[0].v;
  scanrt_u32 within = subs[0].there & STARTS_WITHIN;
  UNROLL
  for (scanrt_u32 q = 1; q < MOST; q++) {
    const scanrt_u32 is_start = SCAN_SEGMENTS && subs[q].there & STARTS_WITHIN;
    if (q < count) {
      x = scanrt_bare_select(is_start, subs[q].v, SCAN_SOURCE_COMBINE(x, subs[q].v));
      within |= subs[q].there & STARTS_WITHIN;
    }
  }
  return scanrt_value_from(x, count == 0 ? 0 : SCAN_SEGMENTS ? 1 | within : 1);
}
FUNC scanrt_value_t scanrt_subtiles_before(const scanrt_value_t *subs, scanrt_u32 sub) {
  return scanrt_subtiles_fold<SCAN_SUBTILES - 1>(subs, sub);
}
FUNC scanrt_value_t scanrt_subtiles_total(const scanrt_value_t *subs) {
  return scanrt_subtiles_fold<SCAN_SUBTILES>(subs, SCAN_SUBTILES);
}

/* Returns what precedes the lane's vector of row r in the scan. */
FUNC scanrt_value_t scanrt_row_start(const scanrt_rows_before &before, scanrt_u32 r, scanrt_value_t prefix,
                                     scanrt_value_t sub_before) {
  const scanrt_u32 there = r > 0 || ITEM() % 32 > 0;
  scanrt_bare_t x = before.of[r];
  if (sub_before.there) x = there ? SCAN_SOURCE_COMBINE(sub_before.v, x) : sub_before.v;
#if SCAN_SEGMENTS
  if (prefix.there && !(sub_before.there & STARTS_WITHIN))
    x = there || sub_before.there ? SCAN_SOURCE_COMBINE(prefix.v, x) : prefix.v;
  return scanrt_value_from(scanrt_bare_select(before.closed >> r & 1, before.of[r], x), 1);
#else
  if (prefix.there) x = there || sub_before.there ? SCAN_SOURCE_COMBINE(prefix.v, x) : prefix.v;
  return scanrt_value_from(x, there | sub_before.there | prefix.there);
#endif
}

/* Returns row r of the output; the sub-tile's vectors begin at `in`. */
FUNC scanrt_stored_t scanrt_row_output(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 sub, scanrt_u32 r,
                                       const scanrt_loaded_t *in, const scanrt_rows_before &before,
                                       scanrt_value_t prefix, scanrt_value_t sub_before) {
#if PIPE_KEEPS
  scanrt_raw_t v = scanrt_vector_open(&p.job, scanrt_row_first(tile, sub, r), before.raw[r]);
#else
  scanrt_raw_t v = scanrt_vector_open(&p.job, scanrt_row_first(tile, sub, r), in[r * ROW_VECS]);
#endif
#if SCAN_SEGMENTS
  v.segment_bits =
      scanrt_segment_bits_from(before.segment_bits[r * VEC_ITEMS / 32] >> SEGMENT_BITS_SHIFT(r), VEC_ITEMS);
#endif
  return scanrt_vector_scan(&p.job, v, scanrt_row_start(before, r, prefix, sub_before));
}

/* Passes over a sub-tile that is not scanned in its turn: it is one of the work-group's last tile, which
 * scanrt_subtile_end stores, or lies past n. */
FUNC void scanrt_subtile_put_off(const scanrt_pipe &p, const scanrt_pipe_place &at) {
  scanrt_mbarrier_wait(&p.shared->prefixed[scanrt_slot_of(at)], scanrt_slot_phase(at));
  scanrt_stage_leave(p, at);
}
#endif
