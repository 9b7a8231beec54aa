/* SPDX-License-Identifier: BSD-2-Clause */
/* Sub-tiles of the pipelined scan for built-in operators, which have an identity: what is not there is the identity.
 * Included by pipelined.cuh; pipelined_source.cuh has the same for operators from source. */
#ifndef SCANRT_PIPELINED_BUILT_IN_CUH
#define SCANRT_PIPELINED_BUILT_IN_CUH

/* The tree over a group's tiles: lane l has the leaves l, l + 32, l + 64 and l + 96, which are used up. */
FUNC value_t leaves_fold(value_t (&leaf)[PIPE_LEAVES], scan_u32 count) {
  (void)count;
  trees_fold(leaf, PIPE_LEAVES, 0);
  value_t tree[PIPE_LEAVES];
  UNROLL
  for (scan_u32 k = 0; k < PIPE_LEAVES; k++) tree[k] = shuffle_from(leaf[0], tree_lane(k, PIPE_LEAVES));
  return combine(combine(tree[0], tree[1]), combine(tree[2], tree[3]));
}

/* The total of a sub-tile whose vectors the warp has, in every lane. */
FUNC value_t subtile_total(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub,
                           const loaded_t (&raw)[SUBTILE_ROWS]) {
  (void)p, (void)at, (void)tile, (void)sub;
  value_t x[SUBTILE_ROWS];
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) x[r] = vector_fold(VECTOR_LOADED(raw[r]));
  return subtile_fold(x, 1);
}

/* A sub-tile that n cuts is no case of its own. */
typedef input_t chunk_item_t;
#define SUBTILE_WHOLE(p, tile, sub) 1
FUNC void subtile_scan_part(const pipe &, const pipe_place &, scan_u32, scan_u32) {}

/* A vector in its stage, of which nothing but the identity is behind n. */
FUNC raw_t vector_staged_cut(const pipe &, const pipe_place &, scan_u32, scan_u32, scan_u32, loaded_t raw) {
  return VECTOR_LOADED(raw);
}

/* What comes before each vector of a lane in the sub-tile. */
struct rows_before {
  value_t of[SUBTILE_ROWS];
};

FUNC rows_before rows_scan(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 sub, const loaded_t *in) {
  (void)p, (void)at, (void)tile, (void)sub;
  rows_before before;
  value_t run = IDENTITY;
  loaded_t raw[SUBTILE_ROWS];
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) raw[r] = in[r * ROW_VECS];
  UNROLL
  for (scan_u32 r = 0; r < SUBTILE_ROWS; r++) {
    value_t total;
    before.of[r] = row_scan_after(run, vector_fold(VECTOR_LOADED(raw[r])), &total, 1);
    run = combine(run, total);
  }
  return before;
}

/* The sub-tiles of the tile before one. */
FUNC value_t subtiles_before(const value_t *subs, scan_u32 sub) {
  value_t x = IDENTITY;
  UNROLL
  for (scan_u32 q = 0; q < SCAN_SUBTILES - 1; q++) x = q < sub ? combine(x, subs[q]) : x;
  return x;
}

/* All of them. */
FUNC value_t subtiles_total(const value_t *subs) {
  value_t all = subs[0];
  UNROLL
  for (scan_u32 q = 1; q < SCAN_SUBTILES; q++) all = combine(all, subs[q]);
  return all;
}

/* A row of the output; the sub-tile's vectors begin at `in`. */
FUNC stored_t row_output(const pipe &p, scan_u32 tile, scan_u32 sub, scan_u32 r, const loaded_t *in,
                         const rows_before &before, value_t prefix, value_t sub_before) {
  (void)tile, (void)sub;
  return vector_scan(&p.job, VECTOR_LOADED(in[r * ROW_VECS]), combine(prefix, combine(sub_before, before.of[r])));
}
#endif
