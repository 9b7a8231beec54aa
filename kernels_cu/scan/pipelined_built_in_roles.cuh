/* SPDX-License-Identifier: BSD-2-Clause */
/* Roles of the pipelined scan for built-in operators: each has its own code, in one variant for each shift. Included by
 * pipelined.cuh. */
#ifndef SCANRT_PIPELINED_BUILT_IN_ROLES_CUH
#define SCANRT_PIPELINED_BUILT_IN_ROLES_CUH

/* The role of a look-back warp; these warps take tiles in turn. */
FUNC void scanrt_role_look_back(const scanrt_pipe &p, scanrt_pipe_place at, scanrt_value_t seed, scanrt_u32 turn) {
  scanrt_lookback_cursor cursor;
  cursor.groups = seed;
  cursor.folded = 0;
  const scanrt_u32 first_wanted = FIRST_WANTED(&p.job); /* for a total only the last tile's prefix */
  for (scanrt_u32 k = 0; k < turn; k++) scanrt_place_next(at);
  for (;;) {
    const scanrt_u32 tile = scanrt_slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    scanrt_value_t before = IDENTITY;
    if (tile >= first_wanted) {
      scanrt_warp_groups(p, tile / GROUP_TILES, cursor);
      before = scanrt_warp_tiles(p, tile / GROUP_TILES, tile % GROUP_TILES);
    }
    scanrt_mbarrier_wait(&p.shared->reduced[scanrt_slot_of(at)],
                         scanrt_slot_phase(at)); /* the scanners find sub[] complete */
    if (ITEM() % 32 == 0) p.shared->prefix[scanrt_slot_of(at)] = scanrt_combine(cursor.groups, before);
    if (PIPE_ARRIVING > 1) __syncwarp();
    if (ITEM() % 32 < PIPE_ARRIVING) scanrt_mbarrier_arrive(&p.shared->prefixed[scanrt_slot_of(at)]);
    for (scanrt_u32 k = 0; k < PIPE_LOOK_BACKS; k++) scanrt_place_next(at);
  }
}

FUNC void scanrt_role_group_total(const scanrt_pipe &p, scanrt_pipe_place at) {
  for (;; scanrt_place_next(at)) {
    const scanrt_u32 tile = scanrt_slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    if (ENDS_GROUP(tile, p.job.tiles)) scanrt_warp_publish_group(p, tile / GROUP_TILES);
    scanrt_stage_leave(p, at);
  }
}

/* Returns the total of a sub-tile, in every lane. If the sub-tile lies shifted, by WORD words and less than one, moves
 * it to its place. */
enum { NOT_SHIFTED = -2 };
template <int WORD> FUNC scanrt_value_t scanrt_subtile_reduce(const scanrt_pipe &p, const scanrt_pipe_place &at,
                                                              scanrt_u32 tile, scanrt_u32 sub) {
  scanrt_loaded_t *const at_vector = scanrt_stage_vectors(p, at, sub);
  scanrt_loaded_t raw[SUBTILE_ROWS];
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++)
    if constexpr (WORD == NOT_SHIFTED)
      raw[r] = at_vector[r * ROW_VECS];
    else
      raw[r] = scanrt_shifted_vector<WORD>(p, at, sub, r * ROW_VECS + ITEM() % 32);
  if (WORD != NOT_SHIFTED) {
    __syncwarp();
    UNROLL
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) at_vector[r * ROW_VECS] = raw[r];
    if (PIPE_BULK_COPY) scanrt_copy_engine_fence();
  }
  return scanrt_subtile_total(p, at, tile, sub, raw);
}

FUNC scanrt_value_t scanrt_subtile_reduce_staged(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                                 scanrt_u32 sub) {
  if (!p.in_shift) return scanrt_subtile_reduce<NOT_SHIFTED>(p, at, tile, sub);
  switch (sizeof(scanrt_loaded_t) == 16 ? p.in_shift / 4 : 0) {
  case 1: return scanrt_subtile_reduce<1>(p, at, tile, sub);
  case 2: return scanrt_subtile_reduce<2>(p, at, tile, sub);
  case 3: return scanrt_subtile_reduce<3>(p, at, tile, sub);
  default: return scanrt_subtile_reduce<0>(p, at, tile, sub);
  }
}

/* Writes the carry-out and the total from the sub-tile that has element n - 1. It reads the stage again, which is not
 * reused any more, row by row, so that the scanners' loop needs no more registers. */
FUNC void scanrt_subtile_write_last(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                    scanrt_u32 sub) {
  const scanrt_loaded_t *const in = scanrt_stage_vectors(p, at, sub);
  const scanrt_value_t prefix = p.shared->prefix[scanrt_slot_of(at)];
  const scanrt_value_t sub_before = scanrt_subtiles_before(p.shared->sub[scanrt_slot_of(at)], sub);
  scanrt_value_t run = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scanrt_u64 first = scanrt_row_first(tile, sub, r);
    const scanrt_raw_t v = scanrt_vector_staged_cut(p, at, tile, sub, r, in[r * ROW_VECS]);
    scanrt_value_t total;
    const scanrt_value_t before = scanrt_row_scan_after(run, scanrt_vector_fold(v), &total, 0);
    if (first < p.job.n && p.job.n - first <= VEC_ITEMS)
      scanrt_vector_write_last(&p.job, first, v, scanrt_combine(prefix, scanrt_combine(sub_before, before)));
    run = scanrt_combine(run, total);
  }
}

/* Ends a sub-tile of the work-group's last tile: writes the carry-out and the total if it has element n - 1. */
FUNC void scanrt_subtile_end(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 sub) {
  if (TILE_WRITES_LAST(&p.job, tile) && (p.job.n - 1) % TILE_ITEMS / (SUBTILE_ROWS * ROW_ITEMS) == sub)
    scanrt_subtile_write_last(p, at, tile, sub);
}
#endif
