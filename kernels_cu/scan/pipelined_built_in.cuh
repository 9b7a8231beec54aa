/* SPDX-License-Identifier: BSD-2-Clause */
/* Sub-tiles of the pipelined scan for built-in operators, whose identity stands for missing elements. Included by
 * pipelined.cuh; pipelined_source.cuh has the same interface for operators from source. */
#ifndef SCANRT_PIPELINED_BUILT_IN_CUH
#define SCANRT_PIPELINED_BUILT_IN_CUH

/* Folds the tree over a group's tiles. Lane l has the leaves l, l + 32, l + 64 and l + 96, which are overwritten. */
FUNC scanrt_value_t scanrt_leaves_fold(scanrt_value_t (&leaf)[PIPE_LEAVES], scanrt_u32 count) {
  (void)count;
  scanrt_trees_fold(leaf, PIPE_LEAVES, 0);
  scanrt_value_t tree[PIPE_LEAVES];
  UNROLL
  for (scanrt_u32 k = 0; k < PIPE_LEAVES; k++) tree[k] = scanrt_shuffle_from(leaf[0], scanrt_tree_lane(k, PIPE_LEAVES));
  return scanrt_combine(scanrt_combine(tree[0], tree[1]), scanrt_combine(tree[2], tree[3]));
}

/* Returns the total of a sub-tile whose vectors the warp has, in every lane. */
FUNC scanrt_value_t scanrt_subtile_total(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                         scanrt_u32 sub, const scanrt_loaded_t (&raw)[SUBTILE_ROWS]) {
  (void)at, (void)tile, (void)sub;
  scanrt_value_t x[SUBTILE_ROWS];
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) x[r] = scanrt_vector_fold(VECTOR_FLIP(&p.job, raw[r]));
  return scanrt_subtile_fold(x, 1);
}

/* A sub-tile that n cuts is no special case. */
typedef scanrt_input_t scanrt_chunk_item_t;
#define SUBTILE_WHOLE(p, tile, sub) 1
FUNC void scanrt_subtile_put_off(const scanrt_pipe &, const scanrt_pipe_place &) {}

/* Returns a vector of a stage; past n it has the identity. */
FUNC scanrt_raw_t scanrt_vector_staged_cut(const scanrt_pipe &p, const scanrt_pipe_place &, scanrt_u32, scanrt_u32,
                                           scanrt_u32, scanrt_loaded_t raw) {
  return VECTOR_FLIP(&p.job, raw);
}

/* The values that precede a lane's vectors in the sub-tile, and these vectors if scanners keep them. */
struct scanrt_rows_before {
  scanrt_value_t of[SUBTILE_ROWS];
#if PIPE_KEEPS
  scanrt_loaded_t raw[SUBTILE_ROWS];
#define ROW_VECTOR(before, in, r) ((before).raw[r])
#else
#define ROW_VECTOR(before, in, r) ((in)[(r)*ROW_VECS])
#endif
};

FUNC scanrt_rows_before scanrt_rows_scan(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                         scanrt_u32 sub, const scanrt_loaded_t *in) {
  (void)at, (void)tile, (void)sub;
  scanrt_rows_before before;
  scanrt_value_t run = IDENTITY;
#if PIPE_KEEPS
  scanrt_loaded_t(&raw)[SUBTILE_ROWS] = before.raw;
#else
  scanrt_loaded_t raw[SUBTILE_ROWS];
#endif
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) raw[r] = in[r * ROW_VECS];
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    scanrt_value_t total;
    before.of[r] = scanrt_row_scan_after(run, scanrt_vector_fold(VECTOR_FLIP(&p.job, raw[r])), &total, 1);
    run = scanrt_combine(run, total);
  }
  return before;
}

/* Returns the fold of the first `sub` sub-tiles of the tile. */
FUNC scanrt_value_t scanrt_subtiles_before(const scanrt_value_t *subs, scanrt_u32 sub) {
  scanrt_value_t x = IDENTITY;
  UNROLL
  for (scanrt_u32 q = 0; q < SCAN_SUBTILES - 1; q++) x = q < sub ? scanrt_combine(x, subs[q]) : x;
  return x;
}

/* Returns the fold of all sub-tiles of the tile. */
FUNC scanrt_value_t scanrt_subtiles_total(const scanrt_value_t *subs) {
  scanrt_value_t all = subs[0];
  UNROLL
  for (scanrt_u32 q = 1; q < SCAN_SUBTILES; q++) all = scanrt_combine(all, subs[q]);
  return all;
}

/* Returns row r of the output; the sub-tile's vectors begin at `in`. */
FUNC scanrt_stored_t scanrt_row_output(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 sub, scanrt_u32 r,
                                       const scanrt_loaded_t *in, const scanrt_rows_before &before,
                                       scanrt_value_t prefix, scanrt_value_t sub_before) {
  (void)tile, (void)sub;
  return VECTOR_FLIP(&p.job, scanrt_vector_scan(&p.job, VECTOR_FLIP(&p.job, ROW_VECTOR(before, in, r)),
                                                scanrt_combine(prefix, scanrt_combine(sub_before, before.of[r]))));
}
#endif
