/* SPDX-License-Identifier: BSD-2-Clause */
/* The warps that write the elements of a stage, which lie there side by side, to the output. Included by
 * select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_WRITE_CUH
#define SCANRT_SELECT_PIPELINED_WRITE_CUH

#if SELECT_BYTES >= 4
/* Writes `count` elements of the stage, from element `from` on, to `to`, by all writers together: by whole lines of
 * words, which cause no bank conflicts wherever they lie in the stage. Loads are unconditional, so that they
 * overlap. */
FUNC void scanrt_write_run(unsigned char *to, const unsigned char *tile, scanrt_u32 from, scanrt_u32 count,
                           scanrt_u32 writer) {
  const scanrt_u32 words = count * (SELECT_BYTES / 4), phase = (scanrt_u32)(ADDRESS(to) / 4 % 32);
  const scanrt_u32 *const in = (const scanrt_u32 *)tile + from * (SELECT_BYTES / 4);
  scanrt_u32 *const out = (scanrt_u32 *)to;
  if (words == 0) return;
  for (scanrt_u32 w = writer * 32; w < phase + words; w += PIPE_WRITERS * 32 * PIPE_LINES) {
    scanrt_u32 x[PIPE_LINES];
    UNROLL
    for (scanrt_u32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_u32 r = w + u * PIPE_WRITERS * 32 + ITEM() % 32 - phase;
      x[u] = in[r < words ? r : 0];
    }
    UNROLL
    for (scanrt_u32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_u32 r = w + u * PIPE_WRITERS * 32 + ITEM() % 32 - phase;
      if (r < words) out[r] = x[u];
    }
  }
}
#else
/* Writes elements by words of the output, the first and last of which may be written in part. */
FUNC void scanrt_write_run(unsigned char *to, const unsigned char *tile, scanrt_u32 from, scanrt_u32 count,
                           scanrt_u32 writer) {
  const scanrt_i32 bytes = (scanrt_i32)(count * SELECT_BYTES), lead = (scanrt_i32)(ADDRESS(to) % 128);
  const scanrt_i32 begin = (scanrt_i32)(from * SELECT_BYTES) - lead; /* where the output's line begins in the tile */
  const scanrt_u32 *const in = (const scanrt_u32 *)tile + (begin >> 2);
  const scanrt_u32 shift = (scanrt_u32)(begin & 3) * 8;
  unsigned char *const line = to - lead;
  if (count == 0) return;
  for (scanrt_i32 w = (scanrt_i32)(writer * 32); w * 4 < lead + bytes; w += PIPE_WRITERS * 32 * PIPE_LINES) {
    scanrt_u32 x[PIPE_LINES];
    UNROLL
    for (scanrt_i32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_i32 r = w + u * PIPE_WRITERS * 32 + (scanrt_i32)(ITEM() % 32);
      const scanrt_i32 q = r * 4 + 3 >= lead && r * 4 < lead + bytes ? r : lead / 4;
      x[u] = __funnelshift_r(in[q], in[q + 1], shift);
    }
    UNROLL
    for (scanrt_i32 u = 0; u < PIPE_LINES; u++) {
      const scanrt_i32 r = (w + u * PIPE_WRITERS * 32 + (scanrt_i32)(ITEM() % 32)) * 4;
      if (r >= lead && r + 4 <= lead + bytes) {
        *(scanrt_u32 *)(line + r) = x[u];
      } else if (r + 3 >= lead && r < lead + bytes) {
        NO_UNROLL
        for (scanrt_i32 k = 0; k < 4; k++)
          if (r + k >= lead && r + k < lead + bytes) line[r + k] = (unsigned char)(x[u] >> 8 * k);
      }
    }
  }
}
#endif

FUNC void scanrt_role_write(const scanrt_pipe &p, scanrt_u32 writer) {
  for (scanrt_pipe_place at = { 0, 0, 0, 0 };; scanrt_place_next(p, at, 1)) {
    const scanrt_u32 turn = scanrt_stage_turn(p, at), tile = scanrt_turn_tile(p, turn);
    if (turn >= p.turns) return;
    scanrt_mbarrier_wait(&p.shared->compacted[at.slot], at.phase);
    scanrt_mbarrier_wait(&p.shared->prefixed[at.slot], at.phase);
    if (scanrt_only_counts(p, turn)) {
      scanrt_warp_arrive(&p.shared->empty[at.slot]);
      continue;
    }
    const scanrt_u32 count = p.shared->count[at.slot];
    const scanrt_u64 prefix = p.shared->prefix[at.slot];
    const unsigned char *const data = scanrt_compacted_at(p, at);
    scanrt_write_run(p.out + prefix * SELECT_BYTES, data, 0, scanrt_fitting(prefix, count, p.capacity), writer);
#if !SELECT_REDUCES
    if (p.flags & SELECT_REST) {
      if (p.flags & SELECT_TOTAL) scanrt_mbarrier_wait(&p.shared->total, 0);
      const scanrt_u64 place = p.shared->behind + (scanrt_tile_first(p, tile) - prefix);
      const scanrt_u32 left = scanrt_fitting(place, scanrt_tile_items(p, tile) - count, p.rest_capacity);
      scanrt_write_run(p.rest + place * SELECT_BYTES, data, count, left, writer);
    }
#endif
    scanrt_warp_arrive(&p.shared->empty[at.slot]);
  }
}
#endif
