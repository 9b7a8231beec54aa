/* SPDX-License-Identifier: BSD-2-Clause */
/* The warps of the pipelined scan that claim tiles and copy them to their stages. Included by pipelined.cuh. */
#ifndef SCANRT_PIPELINED_PRODUCE_CUH
#define SCANRT_PIPELINED_PRODUCE_CUH

/* Returns 1 if a tile is copied at once: it is whole, and 16 more bytes follow it if they are needed. */
FUNC scanrt_u32 scanrt_tile_is_copied(const scanrt_pipe &p, scanrt_u32 tile) {
#if SCAN_SEGMENTS
  if (!p.marks_lie) return 0;
#endif
  return (tile + (scanrt_u64)1) * TILE_ITEMS + (p.in_shift ? 16 / INPUT_BYTES : 0) <= p.job.n;
}

/* Copies a warp's part of a tile that is copied at once. The first warp also copies what follows each sub-tile. */
FUNC void scanrt_copy_part(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 part) {
  const int part_bytes = PIPE_TILE_BYTES / PIPE_PRODUCERS;
  const scanrt_u32 lane = ITEM() % 32, spare = p.in_shift && part == 0;
  unsigned char *const stage = p.ring + at.stage * PIPE_STAGE_BYTES, *to = stage + part * part_bytes;
  const char *const begin = (const char *)(p.job.in + tile * TILE_ITEMS) - p.in_shift,
                    *from = begin + part * part_bytes;
  unsigned char *const spare_to = stage + PIPE_TILE_BYTES + lane * 16;
  const char *const spare_from = begin + (lane + 1) * PIPE_SUBTILE_BYTES;
  scanrt_u64 *const full = &p.shared->full[at.stage];
#if PIPE_BULK_COPY
  if (lane == 0) {
    scanrt_async_expect(full, part_bytes + (spare ? PIPE_SPARE_BYTES : 0) + MARKS_EXPECTED(p, tile, part));
    scanrt_async_copy(to, from, part_bytes, full);
  } else if (PIPE_ARRIVING > 1) {
    scanrt_mbarrier_arrive(full);
  }
  __syncwarp();
  if (spare && lane < SCAN_SUBTILES) scanrt_async_copy(spare_to, spare_from, 16, full);
  MARKS_COPY(p, at, tile, part);
#else
  UNROLL
  for (int i = 0; i < part_bytes; i += 512) scanrt_async_copy16(to + i + lane * 16, from + i + lane * 16);
  if (spare && lane < SCAN_SUBTILES) scanrt_async_copy16(spare_to, spare_from);
  MARKS_COPY(p, at, tile, part);
  scanrt_async_arrive(full);
#endif
}

/* Copies a warp's part of any other tile: of the last one, which ends with the input, and of tiles whose marks are
 * copied one by one. */
FUNC void scanrt_fill_part(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 part) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_u64 there = p.in_shift + (p.job.n - tile * TILE_ITEMS) * INPUT_BYTES;
  unsigned char *const stage = p.ring + at.stage * PIPE_STAGE_BYTES;
  const char *const from = (const char *)(p.job.in + tile * TILE_ITEMS) - p.in_shift;
  NO_UNROLL
  for (scanrt_u32 i = (part * 32 + lane) * 16; i < PIPE_TILE_BYTES; i += PIPE_PRODUCERS * 512)
    scanrt_chunk_fill<scanrt_chunk_item_t>(stage + i, from + i, there > i ? there - i : 0, 1);
  if (p.in_shift && part == 0 && lane < SCAN_SUBTILES) {
    const scanrt_u32 i = (lane + 1) * PIPE_SUBTILE_BYTES;
    scanrt_chunk_fill<scanrt_chunk_item_t>(stage + PIPE_TILE_BYTES + lane * 16, from + i, there > i ? there - i : 0, 1);
  }
  MARKS_FILL(p, at, tile, part);
  scanrt_async_wait();
  scanrt_mbarrier_arrive(&p.shared->full[at.stage]);
}

FUNC void scanrt_produce_part(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 part) {
  if (scanrt_tile_is_copied(p, tile))
    scanrt_copy_part(p, at, tile, part);
  else
    scanrt_fill_part(p, at, tile, part);
}

/* The role of the first producer, which claims tiles. */
FUNC void scanrt_role_claim(const scanrt_pipe &p, scanrt_pipe_place at, scanrt_u64 claims) {
  scanrt_u32 tile = (scanrt_u32)p.shared->first_claim;
  for (;;) {
    scanrt_slot_post(p, at, tile);
    if (tile >= p.job.tiles) break;
    scanrt_produce_part(p, at, tile, 0);
    scanrt_place_next(at);
    /* Fills the ring step by step; otherwise the first look-backs would queue behind all copies on their way. */
    if (at.turn >= TUNE_PIPE_START && at.turn < at.stages)
      scanrt_mbarrier_wait(&p.shared->full[at.turn - TUNE_PIPE_START], 0);
    scanrt_mbarrier_wait(&p.shared->empty[at.stage], at.phase ^ 1);
    if (ITEM() % 32 == 0) tile = (scanrt_u32)scanrt_lookback_claim(&p.lookback, claims);
    tile = scanrt_shuffle_from_u32(tile, 0);
  }
  for (int k = 1; k < PIPE_ENDS; k++) {
    scanrt_place_next(at);
    scanrt_slot_post(p, at, tile);
  }
}

FUNC void scanrt_role_produce(const scanrt_pipe &p, scanrt_pipe_place at, scanrt_u32 part) {
  for (;; scanrt_place_next(at)) {
    const scanrt_u32 tile = scanrt_slot_tile(p, at);
    if (tile >= p.job.tiles) return;
    scanrt_mbarrier_wait(&p.shared->empty[at.stage], at.phase ^ 1); /* open: the claiming warp has waited */
    scanrt_produce_part(p, at, tile, part);
  }
}
#endif
