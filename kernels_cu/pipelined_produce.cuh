/* SPDX-License-Identifier: BSD-2-Clause */
/* The warps of the pipelined scan that claim tiles and bring them to their stages. Included by pipelined.cuh. */
#ifndef SCANRT_PIPELINED_PRODUCE_CUH
#define SCANRT_PIPELINED_PRODUCE_CUH

/* Whether a tile is copied at once: whole, and with 16 bytes more behind it if they are needed. */
FUNC scan_u32 tile_is_copied(const pipe &p, scan_u32 tile) {
#if SCAN_SEGMENTS
  if (!p.marks_lie) return 0;
#endif
  return (tile + (scan_u64)1) * TILE_ITEMS + (p.in_shift ? 16 / INPUT_BYTES : 0) <= p.job.n;
}

/* One warp's part. The first copies what comes after each sub-tile, too. */
FUNC void copy_part(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 part) {
  const int part_bytes = PIPE_TILE_BYTES / PIPE_PRODUCERS;
  const scan_u32 lane = ITEM() % 32, spare = p.in_shift && part == 0;
  unsigned char *const stage = p.ring + at.stage * PIPE_STAGE_BYTES, *to = stage + part * part_bytes;
  const char *const begin = (const char *)(p.job.in + tile * TILE_ITEMS) - p.in_shift,
                    *from = begin + part * part_bytes;
  unsigned char *const spare_to = stage + PIPE_TILE_BYTES + lane * 16;
  const char *const spare_from = begin + (lane + 1) * PIPE_SUBTILE_BYTES;
  scan_u64 *const full = &p.shared->full[at.stage];
#if PIPE_BULK_COPY
  if (lane == 0) {
    async_expect(full, part_bytes + (spare ? PIPE_SPARE_BYTES : 0) + MARKS_EXPECTED(p, tile, part));
    async_copy(to, from, part_bytes, full);
  } else if (PIPE_ARRIVING > 1) {
    mbarrier_arrive(full);
  }
  __syncwarp();
  if (spare && lane < SCAN_SUBTILES) async_copy(spare_to, spare_from, 16, full);
  MARKS_COPY(p, at, tile, part);
#else
  UNROLL
  for (int i = 0; i < part_bytes; i += 512) async_copy16(to + i + lane * 16, from + i + lane * 16);
  if (spare && lane < SCAN_SUBTILES) async_copy16(spare_to, spare_from);
  MARKS_COPY(p, at, tile, part);
  async_arrive(full);
#endif
}

/* The same for any other tile: the last one, which ends where the input does, and where marks are brought one by one.
 */
FUNC void fill_part(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 part) {
  const scan_u32 lane = ITEM() % 32;
  const scan_u64 there = p.in_shift + (p.job.n - tile * TILE_ITEMS) * INPUT_BYTES;
  unsigned char *const stage = p.ring + at.stage * PIPE_STAGE_BYTES;
  const char *const from = (const char *)(p.job.in + tile * TILE_ITEMS) - p.in_shift;
  NO_UNROLL
  for (scan_u32 i = (part * 32 + lane) * 16; i < PIPE_TILE_BYTES; i += PIPE_PRODUCERS * 512)
    chunk_fill<chunk_item_t>(stage + i, from + i, there > i ? there - i : 0, 1);
  if (p.in_shift && part == 0 && lane < SCAN_SUBTILES) {
    const scan_u32 i = (lane + 1) * PIPE_SUBTILE_BYTES;
    chunk_fill<chunk_item_t>(stage + PIPE_TILE_BYTES + lane * 16, from + i, there > i ? there - i : 0, 1);
  }
  MARKS_FILL(p, at, tile, part);
  async_wait();
  mbarrier_arrive(&p.shared->full[at.stage]);
}

FUNC void produce_part(const pipe &p, const pipe_place &at, scan_u32 tile, scan_u32 part) {
  if (tile_is_copied(p, tile))
    copy_part(p, at, tile, part);
  else
    fill_part(p, at, tile, part);
}

/* The first producer. */
FUNC void role_claim(const pipe &p, pipe_place at, scan_u64 claims) {
  scan_u32 tile = (scan_u32)p.shared->first_claim;
  for (;;) {
    slot_post(p, at, tile);
    if (tile >= p.job.tiles) break;
    produce_part(p, at, tile, 0);
    place_next(at);
    /* The ring is filled step by step: the first look-backs would queue behind all that is on its way. */
    if (at.turn >= TUNE_PIPE_START && at.turn < at.stages) mbarrier_wait(&p.shared->full[at.turn - TUNE_PIPE_START], 0);
    mbarrier_wait(&p.shared->empty[at.stage], at.phase ^ 1);
    if (ITEM() % 32 == 0) tile = (scan_u32)board_claim(&p.board, claims);
    tile = shuffle_from_u32(tile, 0);
  }
  for (int k = 1; k < PIPE_LOOK_BACKS; k++) { /* each of them ends at one */
    place_next(at);
    slot_post(p, at, tile);
  }
}

FUNC void role_produce(const pipe &p, pipe_place at, scan_u32 part) {
  for (;; place_next(at)) {
    const scan_u32 tile = slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    mbarrier_wait(&p.shared->empty[at.stage], at.phase ^ 1); /* open: who claimed has waited */
    produce_part(p, at, tile, part);
  }
}
#endif
