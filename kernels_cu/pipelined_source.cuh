/* SPDX-License-Identifier: BSD-2-Clause */
/* Sub-tiles of the pipelined scan for operators from source. But for the one that n cuts every element is there, and
 * the heads of a row are one word in every lane, so that values go about without flags and nobody asks each for its
 * own (README.md has what that gave). The operator is applied to neighbours in a row also where a segment begins
 * between them; nobody sees what it makes of them. Included by pipelined.cuh. */
/* ---- trees ---- */
#ifndef SCANRT_PIPELINED_SOURCE_CUH
#define SCANRT_PIPELINED_SOURCE_CUH

/* Of a row, the lanes that count: from `first` on, where the last segment begins, up to `end`. */
struct row_span {
  scan_u32 first, end;
};

/* trees_fold (tile_group.h) over the lanes of each row that count, of which there is one at least where the row is
 * wanted. ALL: they end with the last lane. Its steps are told apart by parameters: in a loop over them the rows of
 * values of 8 bytes lie in memory, which halves the speed of all. */
template <int KEPT, int D, int ALL, int TREES> FUNC void spans_step(bare_t (&x)[TREES], row_span (&span)[TREES]) {
  const scan_u32 lane = ITEM() % 32, turned = lane & D;
  const scan_u32 middle = (lane & ~(2 * D - 1)) | D; /* where the right one of the two begins */
  UNROLL
  for (scan_u32 i = 0; i < (KEPT > 0 ? KEPT : 1); i++) {
    const bare_t own = bare_select(turned, x[i + KEPT], x[i]), give = bare_select(turned, x[i], x[i + KEPT]);
    const bare_t other = bare_shuffle_xor(give, D);
    const bare_t a = bare_select(turned, other, own), b = bare_select(turned, own, other);
    span[i].first = turned ? span[i + KEPT].first : span[i].first;
    span[i].end = turned ? span[i + KEPT].end : span[i].end;
    x[i] = a;
    if (ALL || span[i].end > middle) x[i] = SCAN_SOURCE_COMBINE(a, b);
    if (SCAN_SEGMENTS) x[i] = bare_select(span[i].first >= middle, b, x[i]);
  }
}

template <int TREES, int ALL> FUNC void spans_fold(bare_t (&x)[TREES], row_span (&span)[TREES]) {
  spans_step<TREES / 2, 1, ALL>(x, span);
  spans_step<TREES / 4, 2, ALL>(x, span);
  spans_step<TREES / 8, 4, ALL>(x, span);
  spans_step<TREES / 16, 8, ALL>(x, span);
  spans_step<TREES / 32, 16, ALL>(x, span);
}

#if SCAN_SEGMENTS
#define ROW_HEADS_WORD(vector) WARP_BALLOT((vector).heads.within)
#else
#define ROW_HEADS_WORD(vector) 0u
#endif
/* `heads`: bit l is set where a segment begins in what lane l holds. */
FUNC scan_u32 last_head(scan_u32 heads) { return LAST_BIT(heads | 1); }
FUNC scan_u32 there_with(scan_u32 heads) { return heads ? 1 | HEAD_WITHIN : 1; }

/* The tree over the first `count` tiles of a group: lane l has the leaves l, l + 32, l + 64 and l + 96. */
FUNC value_t leaves_fold(const value_t (&leaf)[PIPE_LEAVES], scan_u32 count) {
  bare_t x[PIPE_LEAVES];
  row_span span[PIPE_LEAVES];
  scan_u32 heads[PIPE_LEAVES];
  value_t tree[PIPE_LEAVES];
  UNROLL
  for (scan_u32 k = 0; k < PIPE_LEAVES; k++) {
    heads[k] = SCAN_SEGMENTS ? WARP_BALLOT(leaf[k].there & HEAD_WITHIN) : 0;
    x[k] = leaf[k].v;
    span[k].first = last_head(heads[k]);
    span[k].end = count > 32 * k ? count - 32 * k : 0;
  }
  spans_fold<PIPE_LEAVES, 0>(x, span);
  UNROLL
  for (scan_u32 k = 0; k < PIPE_LEAVES; k++)
    tree[k] = value_from(bare_shuffle_from(x[0], tree_lane(k, PIPE_LEAVES)), count > 32 * k ? there_with(heads[k]) : 0);
  return combine(combine(tree[0], tree[1]), combine(tree[2], tree[3]));
}

/* ---- sub-tiles ---- */

typedef unsigned char chunk_item_t; /* elements need not be aligned to their size */
#define SUBTILE_WHOLE(p, tile, sub) subtile_is_whole((p), (tile), (sub))

/* A vector in its stage. */
FUNC raw_t vector_staged(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub, scan_u32 r, loaded_t raw) {
  raw_t v = vector_open(&p.job, row_first(tile, sub, r), raw);
#if SCAN_SEGMENTS
  v.heads = staged_heads(p, at, tile, sub, r);
#endif
  return v;
}

/* The same where n may cut it. */
FUNC raw_t vector_staged_cut(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub, scan_u32 r,
                             loaded_t raw) {
  raw_t v = vector_staged(p, at, tile, sub, r, raw);
  v.count = vector_count(&p.job, row_first(tile, sub, r));
#if SCAN_SEGMENTS
  v.heads = heads_from(v.heads.bits, v.count);
#endif
  return v;
}

/* The bits of a sub-tile's heads that a lane has, VEC_ITEMS a row. */
#define HEADS_WORDS ((SUBTILE_ROWS * VEC_ITEMS + 31) / 32)
#define HEADS_SHIFT(r) ((r)*VEC_ITEMS % 32)

/* The total of a sub-tile whose vectors the warp has, in every lane. */
FUNC value_t subtile_total(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub,
                           const loaded_t (&raw)[SUBTILE_ROWS]) {
  bare_t x[SUBTILE_ROWS];
  row_span span[SUBTILE_ROWS];
  scan_u32 heads[SUBTILE_ROWS], all = 0;
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const raw_t v = vector_staged(p, at, tile, sub, r, raw[r]);
    x[r] = vector_fold(v).v;
    heads[r] = ROW_HEADS_WORD(v);
    span[r].first = last_head(heads[r]);
    span[r].end = 32;
    all |= heads[r];
  }
  spans_fold<SUBTILE_ROWS, 1>(x, span);
  bare_t total = bare_shuffle_from(x[0], 0);
  UNROLL
  for (scan_u32 r = 1; r < SUBTILE_ROWS; r++) {
    const bare_t row = bare_shuffle_from(x[0], tree_lane(r, SUBTILE_ROWS));
    total = bare_select(heads[r], row, SCAN_SOURCE_COMBINE(total, row));
  }
  return value_from(total, there_with(all));
}

/* What comes before each vector of a lane in the sub-tile: there but for the first lane's first, where it is any value.
 */
struct rows_before {
  bare_t of[SUBTILE_ROWS];
#if SCAN_SEGMENTS
  scan_u32 closed; /* bit r: a segment begins there */
  scan_u32 heads[HEADS_WORDS];
#endif
#if PIPE_KEEPS
  loaded_t raw[SUBTILE_ROWS];
#endif
};

FUNC rows_before rows_scan(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub, const loaded_t *in) {
  const scan_u32 lane = ITEM() % 32;
  rows_before before;
  bare_t run;
  scan_u32 all = 0;
#if SCAN_SEGMENTS
  before.closed = 0;
  UNROLL
  for (scan_u32 k = 0; k < HEADS_WORDS; k++) before.heads[k] = 0;
#endif
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const raw_t v = vector_staged(p, at, tile, sub, r, in[r * ROW_VECS]);
    const scan_u32 heads = ROW_HEADS_WORD(v), is_closed = heads << 1 << (31 - lane);
    const bare_t x = bare_doubling(vector_fold(v).v, heads_reach(heads));
    const bare_t y = bare_shuffle_up(x, 1), total = bare_shuffle_from(x, 31);
    before.of[r] = r == 0 ? y : bare_select(lane, bare_select(is_closed, y, SCAN_SOURCE_COMBINE(run, y)), run);
#if SCAN_SEGMENTS
    if (all | is_closed) before.closed |= 1u << r;
    before.heads[r * VEC_ITEMS / 32] |= v.heads.bits << HEADS_SHIFT(r);
#endif
#if PIPE_KEEPS
    before.raw[r] = v.items.raw;
#endif
    run = r == 0 ? total : bare_select(heads, total, SCAN_SOURCE_COMBINE(run, total));
    all |= heads;
  }
  return before;
}

/* The first `count` sub-tiles of a tile, of MOST. */
template <int MOST> FUNC value_t subtiles_fold(const value_t *subs, scan_u32 count) {
  bare_t x = subs[0].v;
  scan_u32 within = subs[0].there & HEAD_WITHIN;
  UNROLL
  for (scan_u32 q = 1; q < MOST; q++) {
    const scan_u32 begins = SCAN_SEGMENTS && subs[q].there & HEAD_WITHIN;
    if (q < count) {
      x = bare_select(begins, subs[q].v, SCAN_SOURCE_COMBINE(x, subs[q].v));
      within |= subs[q].there & HEAD_WITHIN;
    }
  }
  return value_from(x, count == 0 ? 0 : SCAN_SEGMENTS ? 1 | within : 1);
}
FUNC value_t subtiles_before(const value_t *subs, scan_u32 sub) { return subtiles_fold<SCAN_SUBTILES - 1>(subs, sub); }
FUNC value_t subtiles_total(const value_t *subs) { return subtiles_fold<SCAN_SUBTILES>(subs, SCAN_SUBTILES); }

/* What comes before the lane's vector of row r, of all tiles. */
FUNC value_t row_start(const rows_before &before, scan_u32 r, value_t prefix, value_t sub_before) {
  const scan_u32 there = r > 0 || ITEM() % 32 > 0;
  bare_t x = before.of[r];
  if (sub_before.there) x = there ? SCAN_SOURCE_COMBINE(sub_before.v, x) : sub_before.v;
#if SCAN_SEGMENTS
  if (prefix.there && !(sub_before.there & HEAD_WITHIN))
    x = there || sub_before.there ? SCAN_SOURCE_COMBINE(prefix.v, x) : prefix.v;
  return value_from(bare_select(before.closed >> r & 1, before.of[r], x), 1);
#else
  if (prefix.there) x = there || sub_before.there ? SCAN_SOURCE_COMBINE(prefix.v, x) : prefix.v;
  return value_from(x, there | sub_before.there | prefix.there);
#endif
}

/* Row r of the sub-tile, whose vectors begin at `in`. */
FUNC stored_t row_output(const pipe &p, scan_u32 tile, scan_u32 sub, scan_u32 r, const loaded_t *in,
                         const rows_before &before, value_t prefix, value_t sub_before) {
#if PIPE_KEEPS
  raw_t v = vector_open(&p.job, row_first(tile, sub, r), before.raw[r]);
#else
  raw_t v = vector_open(&p.job, row_first(tile, sub, r), in[r * ROW_VECS]);
#endif
#if SCAN_SEGMENTS
  v.heads = heads_from(before.heads[r * VEC_ITEMS / 32] >> HEADS_SHIFT(r), VEC_ITEMS);
#endif
  return vector_scan(&p.job, v, row_start(before, r, prefix, sub_before));
}

/* The scanner's sub-tile if n cuts it: row by row, and each value says whether it is there. */
FUNC void subtile_scan_part(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub) {
  const loaded_t *const in = stage_vectors(p, at, sub);
  mbarrier_wait(&p.shared->prefixed[slot_of(at)], slot_phase(at));
  const value_t prefix = p.shared->prefix[slot_of(at)];
  const value_t sub_before = subtiles_before(p.shared->sub[slot_of(at)], sub);
  const scan_u64 first = tile * TILE_ITEMS + sub * (SUBTILE_ROWS * ROW_ITEMS);
  value_t run = IDENTITY;
  NO_UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS && first + r * ROW_ITEMS < p.job.n; r++) {
    const scan_u64 own = row_first(tile, sub, r);
    value_t total;
    const raw_t v = vector_staged_cut(p, at, tile, sub, r, in[r * ROW_VECS]);
    const value_t before = row_scan_after(run, vector_fold(v), &total, 0);
    vector_store_guarded(&p.job, own, vector_scan(&p.job, v, combine(prefix, combine(sub_before, before))));
    run = combine(run, total);
  }
  stage_leave(p, at);
}
#endif
