/* SPDX-License-Identifier: BSD-2-Clause */
/* The warps that claim tiles and copy them to their stages. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_PRODUCE_CUH
#define SCANRT_SELECT_PIPELINED_PRODUCE_CUH

/* A piece of memory that is copied to a stage: `bytes` bytes, a multiple of 16, from a multiple of 16 on, as far as the
 * `there` bytes that exist. There is room for 16 bytes more before `to`. */
typedef struct scanrt_piece {
  unsigned char *to;
  const unsigned char *from;
  scanrt_u32 bytes, before; /* before: 1 if the 16 bytes before it are copied, too */
  scanrt_u64 there;
} scanrt_piece;

FUNC scanrt_piece scanrt_piece_of_tile(const scanrt_pipe &p, unsigned char *stage, scanrt_u32 tile) {
  const scanrt_u64 at = scanrt_tile_first(p, tile) * SELECT_BYTES;
  scanrt_piece piece = { stage + STAGE_TILE, p.in + at - p.in_shift, 0, 0, 0 };
#if !SELECT_INDEX
  if (p.is_sparse) return piece;
  const scanrt_u32 looks_on = LOOKS_BESIDE && p.flags & SELECT_LAST;
  piece.bytes = p.tile_items * SELECT_BYTES + (p.in_shift + looks_on * SELECT_BYTES + 15) / 16 * 16;
  const scanrt_u32 looks_back = !looks_on || p.flags & SELECT_RUN_FIRSTS;
  piece.before = LOOKS_BESIDE && looks_back && tile > 0 && p.in_shift < SELECT_BYTES;
  piece.there = p.n * SELECT_BYTES - at + p.in_shift;
#endif
  return piece;
}

FUNC scanrt_piece scanrt_piece_of_marks(const scanrt_pipe &p, unsigned char *stage, scanrt_u32 tile) {
  const scanrt_u32 bytes = SELECT_BY == SELECT_BY_BITS ? p.tile_items / 8 : p.tile_items;
  const scanrt_u64 at = MARKS_BYTES ? scanrt_tile_first(p, tile) / (SELECT_BY == SELECT_BY_BITS ? 8 : 1) : 0;
  scanrt_piece piece = { stage + (p.is_sparse ? STAGE_TILE : STAGE_MARKS), p.marks + at - p.marks_shift, 0, 0, 0 };
#if MARKS_BYTES
  const scanrt_u64 all = SELECT_BY == SELECT_BY_BITS ? (p.n + 31) / 32 * 4 : p.n;
  const scanrt_u32 looks_on = SELECT_REDUCES && tile + 1 < p.tiles;
  piece.bytes = bytes + (p.marks_shift || looks_on ? 16 : 0);
  piece.there = all - at + p.marks_shift;
#endif
  return piece;
}

FUNC scanrt_u32 scanrt_piece_is_whole(const scanrt_piece &piece) { return piece.bytes <= piece.there; }

/* Starts to copy the whole vectors in part `part` of `parts`, a warp's, of a piece that ends where memory does. */
FUNC void scanrt_piece_fill(const scanrt_piece &piece, scanrt_u32 part, scanrt_u32 parts) {
  const scanrt_u32 lane = ITEM() % 32;
  if (piece.before && part == 0 && lane == 0) scanrt_async_copy16(piece.to - 16, piece.from - 16);
  NO_UNROLL
  for (scanrt_u32 i = (part * 32 + lane) * 16; i < piece.bytes && i + 16 <= piece.there; i += parts * 512)
    scanrt_async_copy16(piece.to + i, piece.from + i);
}

/* Copies the bytes behind the last whole vector of a piece that ends where memory does; those behind it become 0. A
 * warp calls this when all copies have begun. cp.async of fewer bytes is not used: compute-sanitizer reports that it
 * reads 16. */
FUNC void scanrt_piece_end(const scanrt_piece &piece) {
  const scanrt_u32 lane = ITEM() % 32, i = (scanrt_u32)piece.there / 16 * 16 + lane;
  if (piece.there >= piece.bytes || piece.there % 16 == 0 || lane >= 16) return;
  piece.to[i] = i < piece.there ? piece.from[i] : 0;
}

#if !PIPE_BULK_COPY
/* Copies a warp's part of a piece that exists to its end. */
FUNC void scanrt_piece_copy_part(const scanrt_piece &piece, scanrt_u32 part) {
  const scanrt_u32 lane = ITEM() % 32, first = (part * 32 + lane) * 16;
  if (piece.before && part == 0 && lane == 0) scanrt_async_copy16(piece.to - 16, piece.from - 16);
#pragma unroll 8
  for (scanrt_u32 i = first; i < piece.bytes; i += PIPE_PRODUCERS * 512)
    scanrt_async_copy16(piece.to + i, piece.from + i);
}
#else
FUNC void scanrt_piece_copy(const scanrt_piece &piece, scanrt_u64 *full) {
  if (piece.bytes) scanrt_async_copy(piece.to, piece.from, piece.bytes, full);
  if (piece.before) scanrt_async_copy(piece.to - 16, piece.from - 16, 16, full);
}
#endif

/* Copies a producer's part of a tile. */
FUNC void scanrt_produce_part(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 part) {
  const scanrt_piece data = scanrt_piece_of_tile(p, scanrt_stage_of(p, at), tile);
  const scanrt_piece marks = scanrt_piece_of_marks(p, scanrt_stage_of(p, at), tile);
  scanrt_u64 *const full = &p.shared->full[at.slot];
#if PIPE_BULK_COPY
  (void)part;
  if (scanrt_piece_is_whole(data) && scanrt_piece_is_whole(marks)) {
    if (ITEM() % 32 == 0) {
      scanrt_async_expect_alone(full, data.bytes + data.before * 16 + marks.bytes);
      scanrt_piece_copy(data, full);
      scanrt_piece_copy(marks, full);
    } else if (PIPE_ARRIVING > 1) {
      scanrt_mbarrier_arrive(full);
    }
    __syncwarp();
    return;
  }
  scanrt_piece_fill(data, 0, PIPE_PRODUCERS);
  scanrt_piece_fill(marks, 0, PIPE_PRODUCERS);
  scanrt_piece_end(data);
  scanrt_piece_end(marks);
  scanrt_async_wait();
  scanrt_warp_arrive(full);
#else
  if (scanrt_piece_is_whole(data) && scanrt_piece_is_whole(marks)) {
    scanrt_piece_copy_part(data, part);
    scanrt_piece_copy_part(marks, part);
    scanrt_async_arrive(full);
    return;
  }
  scanrt_piece_fill(data, part, PIPE_PRODUCERS);
  scanrt_piece_fill(marks, part, PIPE_PRODUCERS);
  if (part == 0) {
    scanrt_piece_end(data);
    scanrt_piece_end(marks);
  }
  scanrt_async_wait();
  scanrt_mbarrier_arrive(full);
#endif
}

FUNC void scanrt_stage_post(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 turn) {
  if (ITEM() % 32 != 0) return;
  p.shared->tile[at.slot] = turn;
  scanrt_mbarrier_arrive(&p.shared->claimed[at.slot]);
}

/* The role of the first producer, which claims tiles. At the end it posts an end for each that takes turns. */
FUNC void scanrt_claim_tiles(const scanrt_pipe &p, scanrt_u64 claims) {
  scanrt_pipe_place at = { 0, 0, 0, 0 };
  scanrt_u32 turn = (scanrt_u32)p.shared->first_claim;
  while (turn < p.turns) {
    scanrt_stage_post(p, at, turn);
    scanrt_produce_part(p, at, scanrt_turn_tile(p, turn), 0);
    scanrt_place_next(p, at, 1);
    /* Fills the ring step by step, like the scan (pipelined_produce.cuh). */
    if (at.turn < p.stages) scanrt_turn_wait(p, p.shared->full, at, TUNE_SELECT_START);
    if (!PIPE_BUFFERS) scanrt_turn_wait(p, p.shared->empty, at, p.stages);
    if (ITEM() % 32 == 0) turn = (scanrt_u32)scanrt_lookback_claim(&p.lookback, claims);
    if (PIPE_BUFFERS) {
      scanrt_turn_wait(p, p.shared->taken, at, p.stages);
      scanrt_turn_wait(p, p.shared->empty, at, p.slots);
    }
    turn = scanrt_shuffle_from_u32(turn, 0);
  }
  for (scanrt_u32 k = 0; k < PIPE_TURNS; k++) {
    if (k) scanrt_mbarrier_wait(&p.shared->empty[at.slot], at.phase ^ 1);
    scanrt_stage_post(p, at, turn);
    scanrt_place_next(p, at, 1);
  }
}

FUNC void scanrt_role_produce(const scanrt_pipe &p, scanrt_u32 part, scanrt_u64 claims) {
  if (part == 0) {
    scanrt_claim_tiles(p, claims);
    return;
  }
  for (scanrt_pipe_place at = { 0, 0, 0, 0 };; scanrt_place_next(p, at, 1)) {
    const scanrt_u32 turn = scanrt_stage_turn(p, at);
    if (turn >= p.turns) return;
    scanrt_produce_part(p, at, scanrt_turn_tile(p, turn), part);
  }
}
#endif
