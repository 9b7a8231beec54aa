/* SPDX-License-Identifier: BSD-2-Clause */
/* Roles of the pipelined scan as they are for operators from source, which NVRTC compiles while the application waits:
 * each long piece of code is in the kernel once, and not once a role or a shift (pipelined.cuh has the roles of
 * built-in operators). Included by pipelined.cuh. */
#ifndef SCANRT_PIPELINED_SOURCE_ROLES_CUH
#define SCANRT_PIPELINED_SOURCE_ROLES_CUH

static_assert(PIPE_LOOK_BACKS == 1, "one warp looks back, and the next one makes the groups' totals");

/* What a tile's scanners wait for, by the look-back warp. */
FUNC void scanrt_prefix_post(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_value_t prefix) {
  scanrt_mbarrier_wait(&p.shared->reduced[scanrt_slot_of(at)],
                       scanrt_slot_phase(at)); /* the scanners find sub[] complete */
  if (ITEM() % 32 == 0) p.shared->prefix[scanrt_slot_of(at)] = prefix;
  if (PIPE_ARRIVING > 1) __syncwarp();
  if (ITEM() % 32 < PIPE_ARRIVING) scanrt_mbarrier_arrive(&p.shared->prefixed[scanrt_slot_of(at)]);
}

/* The look-back warp, and the one that publishes the groups' totals: both fold the tiles of a group. */
FUNC void scanrt_role_look(const scanrt_pipe &p, scanrt_pipe_place at, scanrt_value_t seed, scanrt_u32 is_total) {
  scanrt_look_state look;
  look.groups = seed;
  look.folded = 0;
  const scanrt_u32 first_wanted = FIRST_WANTED(&p.job); /* of a total only the last one's prefix */
  for (;; scanrt_place_next(at)) {
    const scanrt_u32 tile = scanrt_slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    const scanrt_u32 group = tile / GROUP_TILES, in_group = tile % GROUP_TILES;
    scanrt_value_t tiles = IDENTITY;
    if (is_total ? in_group == GROUP_TILES - 1 && tile + 1 < p.job.tiles : tile >= first_wanted) {
      if (!is_total) scanrt_warp_groups(p, group, look);
      tiles = scanrt_warp_tiles(p, group, is_total ? GROUP_TILES : in_group);
      if (is_total && ITEM() % 32 == 0) scanrt_descriptor_put(p.board.groups, group, tiles, p.board.epoch);
    }
    if (is_total)
      scanrt_stage_leave(p, at);
    else
      scanrt_prefix_post(p, at, scanrt_combine(look.groups, tiles));
  }
}

/* The vectors of a sub-tile that lies shifted by WORD words and less than one, from its stage. */
template <int WORD> FUNC void scanrt_subtile_shift(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 sub,
                                                   scanrt_loaded_t (&raw)[SUBTILE_ROWS]) {
  UNROLL
  for (scanrt_u32 r = 0; r < SUBTILE_ROWS; r++)
    raw[r] = scanrt_shifted_vector<WORD>(p, at, sub, r * ROW_VECS + ITEM() % 32);
}

/* The total of a sub-tile, in every lane; if it lies shifted, it is moved to its place. Nobody asks for the total of
 * what n cuts. */
FUNC scanrt_value_t scanrt_subtile_reduce_staged(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile,
                                                 scanrt_u32 sub) {
  scanrt_loaded_t *const at_vector = scanrt_stage_vectors(p, at, sub);
  scanrt_loaded_t raw[SUBTILE_ROWS];
  if (p.in_shift) {
    switch (sizeof(scanrt_loaded_t) == 16 ? p.in_shift / 4 : 0) {
    case 1: scanrt_subtile_shift<1>(p, at, sub, raw); break;
    case 2: scanrt_subtile_shift<2>(p, at, sub, raw); break;
    case 3: scanrt_subtile_shift<3>(p, at, sub, raw); break;
    default: scanrt_subtile_shift<0>(p, at, sub, raw);
    }
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
#endif
