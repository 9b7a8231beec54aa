/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of runs of integers with few ends. Differences of sums are sums, in any order, so a part needs only its prefix
 * sums at ends. Each lane has a strip of consecutive elements, so that lanes exchange sums by shuffles once a part, and
 * not once a row. Prefix sums replace the elements in the stage, where the lane reads those that it needs. Included by
 * select_pipelined_ends.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_BLOCKED_CUH
#define SCANRT_SELECT_PIPELINED_BLOCKED_CUH

#define BLOCKED_MOST (LANE_ITEMS / 2) /* the most ends of a lane whose values are found one by one */
#define STRIP_BYTES (16 * LANE_VECS)
#define LANE_BITS (~0u >> (32 - LANE_ITEMS))
static_assert(STRIP_BYTES == 128, "lanes take turns with other banks");

/* Returns the bits of those of a strip's elements with which runs begin; sets *ends to those with which runs end. */
FUNC scanrt_u32 scanrt_blocked_run_starts(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 tile,
                                          scanrt_u32 part, scanrt_u32 *ends) {
  const scanrt_u32 *const words = scanrt_part_bits(p, stage, part);
  const scanrt_u32 lane = ITEM() % 32, first = lane * LANE_ITEMS, at = part * PART_ITEMS + first;
  const scanrt_u32 items = scanrt_tile_items(p, tile), left = items > at ? items - at : 0;
  scanrt_u32 run_starts = words[first / 32] >> first % 32 & LANE_BITS;
  scanrt_u32 next = scanrt_shuffle_from_u32(run_starts, (lane + 1) % 32);
  if (lane == 31) next = words[PART_ITEMS / 32];
  *ends = run_starts >> 1 | (next & 1u) << (LANE_ITEMS - 1);
  if (tile + 1 == p.tiles && left <= LANE_ITEMS) {
    const scanrt_u32 there = left ? ~0u >> (32 - left) : 0;
    run_starts &= there;
    *ends = (*ends & there >> 1) | (there ^ there >> 1);
  }
  return run_starts;
}

/* Returns the place of a strip's byte, rotated by `vectors` vectors a lane. If eight lanes access the same byte of
 * their strips, an odd number spreads them over eight places of 16 bytes, 2 over four. */
FUNC scanrt_u32 scanrt_strip_rotated(scanrt_u32 byte, scanrt_u32 vectors, scanrt_u32 lane) {
  return (byte + vectors * 16 * lane) % STRIP_BYTES;
}

/* Replaces a strip's elements by their prefix sums from the part's first element on; returns the last one. Vector i of
 * `x` is the strip's vector i + lane, modulo 8; in the stage, vectors end rotated by two a lane. */
FUNC scanrt_value_t scanrt_strip_scan(unsigned char *strip, scanrt_u32 lane, scanrt_lane_vectors &x) {
  const scanrt_u32 late = LANE_VECS - lane % LANE_VECS; /* the vectors of x before those with which a strip begins */
  scanrt_value_t sum = IDENTITY, of_late = IDENTITY;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++)
    scanrt_vector_load((const uint4 *)(strip + scanrt_strip_rotated(16 * i, 1, lane)), x.word + 4 * i);
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      sum += scanrt_value_at(x.word + 4 * i, k);
      scanrt_value_to(x.word + 4 * i, k, sum);
    }
    if (i + 1 == late) of_late = sum;
  }
  const scanrt_value_t lanes = scanrt_lanes_scan(sum) - sum; /* what precedes the lane */
  const scanrt_value_t before_early = lanes - of_late, before_late = before_early + sum;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    const scanrt_value_t start = i < late ? before_late : before_early;
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
      scanrt_value_to(x.word + 4 * i, k, scanrt_value_at(x.word + 4 * i, k) + start);
    *(uint4 *)(strip + scanrt_strip_rotated(16 * i, 3, lane)) =
        make_uint4(x.word[4 * i], x.word[4 * i + 1], x.word[4 * i + 2], x.word[4 * i + 3]);
  }
  return lanes + sum;
}

#define SUM_AT(item) (*(const scanrt_value_t *)(strip + scanrt_strip_rotated((item)*SELECT_BYTES, 2, lane)))

/* Replaces a lane's vectors by the values of its ends, of which no lane has more than `most`; returns the part's
 * total. */
FUNC scanrt_carry scanrt_blocked_reduce(unsigned char *tile, scanrt_u32 number, scanrt_lane_vectors &x,
                                        scanrt_part &part, scanrt_u32 most) {
  const scanrt_u32 lane = scanrt_anew(ITEM() % 32); /* values that depend on it are not worth registers */
  const scanrt_u32 run_ends = WARP_BALLOT(part.ends), below = run_ends & ((1u << lane) - 1);
  unsigned char *const strip = tile + (number * 32 + lane) * STRIP_BYTES;
  const scanrt_value_t total = scanrt_strip_scan(strip, lane, x);
  const scanrt_value_t last = SUM_AT(LAST_BIT(part.ends | 1u));
  const scanrt_value_t other = VALUE_FROM(last, scanrt_shuffle_from_u32, LAST_BIT(below | 1u));
  scanrt_value_t before = below ? other : IDENTITY;
  scanrt_u32 left = __brev(part.ends);
  UNROLL
  for (scanrt_u32 t = 0; t < BLOCKED_MOST; t += 2) {
    if (t >= most) break;
    UNROLL
    for (scanrt_u32 u = t; u < t + 2; u++) { /* values past the lane's own ends are undefined */
      const scanrt_u32 bit = LAST_BIT(left | 1u);
      const scanrt_value_t sum = SUM_AT(31 - bit);
      left &= ~(1u << bit);
      scanrt_value_to(x.word, u, sum - before);
      before = sum;
    }
  }
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) part.start[i] = IDENTITY; /* else they would keep registers */
  const scanrt_value_t of_ends = VALUE_FROM(last, scanrt_shuffle_from_u32, LAST_BIT(run_ends | 1u));
  const scanrt_carry all = { VALUE_FROM(total, scanrt_shuffle_from_u32, 31) - (run_ends ? of_ends : IDENTITY),
                             WARP_BALLOT(part.run_starts) != 0 };
  return all;
}

/* Stores the values of a part's ends side by side, from place `kept` of the stage on. `before` is what precedes the
 * part. */
FUNC void scanrt_blocked_ends_store(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_lane_vectors &x,
                                    const scanrt_part &part, const scanrt_carry &before, scanrt_u32 kept) {
  const scanrt_u32 own = (scanrt_u32)__popc(part.ends), most = scanrt_warp_max(own);
  const scanrt_u32 is_begun = scanrt_shuffle_from_u32(part.run_starts, 0) & 1u;
  scanrt_u32 all;
  const scanrt_u32 below = scanrt_count_below(own, &all), is_open = own && below == 0 && !is_begun;
  scanrt_u32 *const to = (scanrt_u32 *)(scanrt_stage_of(p, at) + STAGE_TILE) + (kept + below) * (SELECT_BYTES / 4);
  if (is_open) scanrt_value_to(x.word, 0, scanrt_value_at(x.word, 0) + before.value);
  UNROLL
  for (scanrt_u32 t = 0; t < BLOCKED_MOST; t++) {
    if (t >= most) break;
    if (t < own) scanrt_value_to(to, t, scanrt_value_at(x.word, t));
  }
  if (!is_open || before.starts_run) return;
  scanrt_open_end &open = p.shared->open[at.slot];
  open.start = scanrt_value_at(x.word, 0), open.items = 1, open.x[0] = IDENTITY;
}
#endif
