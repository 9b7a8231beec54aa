/* SPDX-License-Identifier: BSD-2-Clause */
/* Roles of the pipelined scan for operators from source, which NVRTC compiles while the application waits: each long
 * piece of code is in the kernel once, where built-in operators have it once a role or a shift. Included by
 * pipelined.cuh. */
#ifndef SCANRT_PIPELINED_SOURCE_ROLES_CUH
#define SCANRT_PIPELINED_SOURCE_ROLES_CUH

/* Gives a tile's prefix to its scanners; called by a look-back warp. */
FUNC void scanrt_prefix_post(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_value_t prefix) {
  scanrt_mbarrier_wait(&p.shared->reduced[scanrt_slot_of(at)],
                       scanrt_slot_phase(at)); /* the scanners find sub[] complete */
  if (ITEM() % 32 == 0) p.shared->prefix[scanrt_slot_of(at)] = prefix;
  if (PIPE_ARRIVING > 1) __syncwarp();
  if (ITEM() % 32 < PIPE_ARRIVING) scanrt_mbarrier_arrive(&p.shared->prefixed[scanrt_slot_of(at)]);
}

/* The role of the look-back warps, which take tiles in turn, and of the warp that publishes the groups' totals. All
 * fold the tiles of a group; look-back warps also fold those of a group whose total does not arrive. */
FUNC void scanrt_role_look(const scanrt_pipe &p, scanrt_pipe_place at, scanrt_value_t seed, scanrt_u32 turn) {
  const scanrt_u32 is_total = turn == PIPE_LOOK_BACKS;
  scanrt_lookback_cursor cursor;
  cursor.groups = seed;
  cursor.folded = 0;
  const scanrt_u32 first_wanted = FIRST_WANTED(&p.job); /* for a total only the last tile's prefix */
  for (scanrt_u32 k = 0; k < turn && !is_total; k++) scanrt_place_next(at);
  for (;;) {
    const scanrt_u32 tile = scanrt_slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    const scanrt_u32 group = tile / GROUP_TILES, in_group = tile % GROUP_TILES;
    const scanrt_u32 is_wanted =
        is_total ? in_group == GROUP_TILES - 1 && tile + 1 < p.job.tiles : tile >= first_wanted;
    const scanrt_u32 tiles_first = TUNE_PIPE_SOURCE_TILES_FIRST(SCAN_SEGMENTS);
    scanrt_value_t tiles = IDENTITY;
    scanrt_u32 asked = group; /* the group whose tiles are folded: the own one, or one whose total is missing */
    for (scanrt_u32 folded = !is_wanted; !folded; folded = asked == group) {
      if (!tiles_first && !is_total) asked = scanrt_warp_groups(p, group, cursor);
      const scanrt_u32 publishes = is_total || asked != group;
      const scanrt_value_t all = scanrt_warp_tiles(p, asked, publishes ? GROUP_TILES : in_group);
      if (publishes && ITEM() % 32 == 0) scanrt_descriptor_put(p.lookback.groups, asked, all, p.lookback.epoch);
      tiles = VALUE_SELECT(asked == group, all, tiles);
      __syncwarp();
      if (tiles_first && !is_total) asked = scanrt_warp_groups(p, group, cursor);
    }
    if (is_total)
      scanrt_stage_leave(p, at);
    else
      scanrt_prefix_post(p, at, scanrt_combine(cursor.groups, tiles));
    for (scanrt_u32 k = 0; k < (is_total ? 1 : PIPE_LOOK_BACKS); k++) scanrt_place_next(at);
  }
}

/* Returns the total of a sub-tile, in every lane; the identity if n cuts it, since that total is not used. If the
 * sub-tile lies shifted, moves it to its place. */
FUNC scanrt_value_t scanrt_subtile_reduce_staged(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                                 scanrt_u32 sub) {
  scanrt_loaded_t *const at_vector = scanrt_stage_vectors(p, at, sub);
  scanrt_loaded_t raw[SUBTILE_ROWS];
  if (p.in_shift) {
    UNROLL
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++)
      raw[r] = scanrt_shifted_vector<ANY_WORD>(p, at, sub, r * ROW_VECS + ITEM() % 32);
    __syncwarp();
    UNROLL
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) at_vector[r * ROW_VECS] = raw[r];
    if (PIPE_BULK_COPY) scanrt_copy_engine_fence();
  } else {
    UNROLL
    for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) raw[r] = at_vector[r * ROW_VECS];
  }
  return SUBTILE_WHOLE(p, tile, sub) ? scanrt_subtile_total(p, at, tile, sub, raw) : IDENTITY;
}

/* ---- the output ---- */

/* Stores a row that is not aligned to its vectors; `last` is the row before. */
FUNC void scanrt_row_store_apart(const scanrt_pipe &p, scanrt_u64 first, scanrt_u32 r, scanrt_stored_t out,
                                 scanrt_stored_t last) {
#if STORED_BYTES == 16
  scanrt_row_store_shifted<ANY_WORD>(p.job, first + r * ROW_ITEMS, r, out, last);
#else
  (void)last;
  scanrt_vector_store_guarded(&p.job, first + r * ROW_ITEMS, out);
#endif
}

/* Stores a whole sub-tile; `first` is the lane's first element. */
#if PIPE_PUTS_BACK
FUNC void scanrt_subtile_store(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 sub, scanrt_u64 first,
                               const scanrt_loaded_t *in, const scanrt_rows_before &before, scanrt_value_t prefix,
                               scanrt_value_t sub_before) {
  /* A bit a row, so that compilers do not split the loop in two. */
  const scanrt_u32 stored = PUTS_BACK(&p.job) ? 0 : (1u << SUBTILE_ROWS) - 1;
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scanrt_stored_t out = scanrt_row_output(p, tile, sub, r, in, before, prefix, sub_before);
    if (stored >> r & 1)
      *(scanrt_stored_t *)(p.job.out + first + r * ROW_ITEMS) = out;
    else
      *(scanrt_stored_t *)(in + r * ROW_VECS) = out;
  }
  if (stored || !STORES(&p.job)) return;
  NO_UNROLL
  for (scanrt_u32 half = 0; half < SUBTILE_ROWS; half += SUBTILE_ROWS / 2) {
    scanrt_stored_t out[SUBTILE_ROWS / 2 + 1]; /* and the row before */
    UNROLL
    for (scanrt_u32 k = 0; k <= SUBTILE_ROWS / 2; k++)
      out[k] = *(const scanrt_stored_t *)(in + (half + k - (half + k > 0)) * ROW_VECS);
    UNROLL
    for (scanrt_u32 k = 1; k <= SUBTILE_ROWS / 2; k++)
      scanrt_row_store_apart(p, first, half + k - 1, out[k], out[k - 1]);
  }
  if (PIPE_BULK_COPY) scanrt_copy_engine_fence();
}
#else
FUNC void scanrt_subtile_store(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 sub, scanrt_u64 first,
                               const scanrt_loaded_t *in, const scanrt_rows_before &before, scanrt_value_t prefix,
                               scanrt_value_t sub_before) {
  scanrt_stored_t last = {};
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scanrt_stored_t out = scanrt_row_output(p, tile, sub, r, in, before, prefix, sub_before);
    if (!STORES(&p.job)) continue;
    if (p.job.vectors_out)
      *(scanrt_stored_t *)(p.job.out + first + r * ROW_ITEMS) = out;
    else
      scanrt_row_store_apart(p, first, r, out, last);
    last = out;
  }
}
#endif

/* Ends a sub-tile of the work-group's last tile: stores it if it was put off, and writes the carry-out and the total
 * if it has element n - 1. It reads the stage, which is not reused any more, row by row; values say whether they
 * exist. */
FUNC void scanrt_subtile_end(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 sub) {
  const scanrt_u32 stores = !SKIPS(&p.job) && !SUBTILE_AT_ONCE(p, tile, sub);
  const scanrt_u32 writes_last = TILE_WRITES_LAST(&p.job, tile);
  if (!stores && !writes_last) return;
  const scanrt_loaded_t *const in = scanrt_stage_vectors(p, at, sub);
  const scanrt_value_t prefix = p.shared->prefix[scanrt_slot_of(at)];
  const scanrt_value_t sub_before = scanrt_subtiles_before(p.shared->sub[scanrt_slot_of(at)], sub);
  scanrt_value_t run = IDENTITY;
  NO_UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++) {
    const scanrt_u64 own = scanrt_row_first(tile, sub, r);
    if (own - ITEM() % 32 * VEC_ITEMS >= p.job.n) return;
    const scanrt_raw_t v = scanrt_vector_staged_cut(p, at, tile, sub, r, in[r * ROW_VECS]);
    scanrt_value_t total;
    const scanrt_value_t before = scanrt_row_scan_after(run, scanrt_vector_fold(v), &total, 0);
    const scanrt_value_t start = scanrt_combine(prefix, scanrt_combine(sub_before, before));
    if (stores) scanrt_vector_store_guarded(&p.job, own, scanrt_vector_scan(&p.job, v, start));
    if (writes_last && own < p.job.n && p.job.n - own <= VEC_ITEMS) scanrt_vector_write_last(&p.job, own, v, start);
    run = scanrt_combine(run, total);
  }
}
#endif
