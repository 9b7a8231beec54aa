/* SPDX-License-Identifier: BSD-2-Clause */
/* The elements of a second array that belong to a tile. Compactors load those of a part before the tile's prefix is
 * known, and then store the kept ones. Included by select_pipelined_compact.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_SECOND_CUH
#define SCANRT_SELECT_PIPELINED_SECOND_CUH

FUNC const unsigned char *scanrt_second_part(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 part) {
  return (const unsigned char *)p.words + (scanrt_tile_first(p, tile) + part * PART_ITEMS) * SELECT_BYTES;
}

/* Prefetches the lane's line of a part. */
FUNC void scanrt_second_prefetch(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 part) {
  const scanrt_u32 at = ITEM() % 32 * 128;
  if (part * PART_ITEMS + at / SELECT_BYTES < scanrt_tile_items(p, tile))
    PREFETCH(scanrt_second_part(p, tile, part) + at);
}

/* Loads the lane's kept elements of a part; others become undefined. */
FUNC void scanrt_second_load(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 part, scanrt_u32 bits,
                             scanrt_lane_vectors &x) {
  const unsigned char *const from = scanrt_second_part(p, tile, part);
  if (ADDRESS(from) % 16 == 0 && (part + 1) * PART_ITEMS <= scanrt_tile_items(p, tile)) {
    scanrt_part_load(from, 0, 0, x);
    return;
  }
  const scanrt_u32 *const words = (const scanrt_u32 *)from + PART_ITEM(0, 0) * (SELECT_BYTES / 4);
  UNROLL
  for (scanrt_u32 w = 0; w < LANE_VECS * 4; w++)
    if (bits >> (w * 4 / SELECT_BYTES) & 1u) x.word[w] = words[w / 4 * 128 + w % 4];
}

/* Stores the lane's kept elements; `before` elements of the tile are kept before the part. */
FUNC void scanrt_second_store(const scanrt_pipe &p, const scanrt_pipe_place &at, const scanrt_lane_vectors &x,
                              scanrt_u32 bits, scanrt_u32 before) {
  const scanrt_u64 place = p.shared->prefix[at.slot] + before;
  const scanrt_u32 room = scanrt_fitting(place, PART_ITEMS, p.rest_capacity);
  scanrt_kept_store<1>(p.rest + place * SELECT_BYTES, x, bits, 0, room, 0);
}
#endif
