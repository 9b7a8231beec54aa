/* SPDX-License-Identifier: BSD-2-Clause */
/* The warps that reduce the runs of a tile and store the values of those that end there side by side in the tile's
 * stage. A part does not know the value so far of a run that began before it, which only its first end needs. What
 * precedes the part is added there or, by the look-back warp, what precedes the tile. Included by
 * select_pipelined_compact.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_ENDS_CUH
#define SCANRT_SELECT_PIPELINED_ENDS_CUH

/* Returns the fold of the first `count` parts of a tile. Bit q of `run_starts` is set if a run begins in part q. */
FUNC scanrt_carry scanrt_parts_fold(const scanrt_value_t *parts, scanrt_u32 run_starts, scanrt_u32 count) {
  const scanrt_u32 with = run_starts & ((1u << count) - 1);
  scanrt_carry all = { IDENTITY, with != 0 };
  NO_UNROLL
  for (scanrt_u32 q = with ? LAST_BIT(with) : 0; q < count; q++) all.value = scanrt_combine(all.value, parts[q]);
  return all;
}

/* A lane's state of its part: what precedes its vectors, and bits of its elements. */
typedef struct scanrt_part {
  scanrt_value_t start[LANE_VECS];
  scanrt_u32 run_starts, ends;
#if !VALUE_IS_FLOAT
  scanrt_u32 is_blocked; /* 1 if elements are consecutive; the vectors then become the values of ends */
#endif
} scanrt_part;

#if !VALUE_IS_FLOAT
#include "select/select_pipelined_blocked.cuh"
#endif

/* Adds `before`, which precedes the part, to the part's first end if that run began before the part. If it began before
 * the tile, notes what the look-back warp needs to make its value. */
FUNC void scanrt_open_end_join(const scanrt_pipe &p, const scanrt_pipe_place &at, const scanrt_lane_vectors &x,
                               scanrt_part &part, const scanrt_carry &before) {
  const scanrt_u32 bit = part.ends ? LAST_BIT(part.ends & (0u - part.ends)) : 0, row = bit / VEC_ITEMS;
  const scanrt_u32 lane = ITEM() % 32, own = part.ends ? row * 32 + lane : ~0u;
  const scanrt_u32 is_first = own == scanrt_warp_min(own) && part.ends;
  scanrt_value_t start = IDENTITY;
  if (scanrt_shuffle_from_u32(part.run_starts, 0) & 1u) return; /* a run begins with the part */
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) start = row == i ? part.start[i] : start;
  start = scanrt_combine(before.value, start);
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) part.start[i] = is_first && row == i ? start : part.start[i];
  if (before.starts_run || !is_first) return;
  scanrt_open_end &open = p.shared->open[at.slot];
  open.start = start, open.items = bit % VEC_ITEMS + 1;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    if (row == i) {
      UNROLL
      for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) open.x[k] = scanrt_value_at(x.word + 4 * i, k);
    }
  }
}

/* Stores the values of a vector's ends from place `to` on. Elements become the values of their runs up to them. The
 * element after an end begins a run. */
FUNC void scanrt_vector_ends_store(scanrt_u32 *to, scanrt_u32 *x, scanrt_u32 run_starts, scanrt_u32 ends,
                                   scanrt_value_t value) {
  scanrt_u32 is_begin = run_starts & 1u;
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
    if (!is_begin) scanrt_value_to(x, k, scanrt_combine(value, scanrt_value_at(x, k)));
    value = scanrt_value_at(x, k);
    is_begin = ends >> k & 1u;
    if (is_begin) {
      scanrt_value_to(to, 0, OUTPUT_OF(value));
      to += SELECT_BYTES / 4;
    }
  }
}

FUNC void scanrt_part_ends_store(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_lane_vectors &x,
                                 scanrt_part &part, const scanrt_carry &before, scanrt_u32 kept) {
  scanrt_u32 *to = (scanrt_u32 *)(scanrt_stage_of(p, at) + STAGE_TILE) + kept * (SELECT_BYTES / 4);
  scanrt_u32 counts[FIELD_WORDS], all[FIELD_WORDS];
  scanrt_open_end_join(p, at, x, part, before);
  scanrt_rows_count(part.ends, counts);
  scanrt_rows_scan(counts, all);
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    const scanrt_u32 own = FIELD(all, i);
    if (own == 0) continue;
    scanrt_vector_ends_store(to + FIELD(counts, i) * (SELECT_BYTES / 4), x.word + 4 * i,
                             part.run_starts >> (VEC_ITEMS * i), part.ends >> (VEC_ITEMS * i), part.start[i]);
    to += own * (SELECT_BYTES / 4);
  }
}

/* Loads a part of a tile from its stage and reduces it; returns its total. */
FUNC scanrt_carry scanrt_part_take(const scanrt_pipe &p, unsigned char *stage, scanrt_u32 tile, scanrt_u32 number,
                                   scanrt_lane_vectors &x, scanrt_part &part, scanrt_u32 has_few) {
#if !VALUE_IS_FLOAT
  part.is_blocked = 0;
  if (has_few && p.in_shift == 0) {
    part.run_starts = scanrt_blocked_run_starts(p, stage, tile, number, &part.ends);
    const scanrt_u32 most = scanrt_warp_max((scanrt_u32)__popc(part.ends));
    part.is_blocked = most <= BLOCKED_MOST;
    if (part.is_blocked) return scanrt_blocked_reduce(stage + STAGE_TILE, number, x, part, most);
  }
#endif
  (void)has_few;
  scanrt_part_load(stage + STAGE_TILE, p.in_shift, number, x);
  part.run_starts = scanrt_run_starts_and_ends(p, stage, tile, number, &part.ends);
  return scanrt_part_reduce(x, part.run_starts, part.start);
}

/* Stores the values of a part's ends side by side, from place `kept` of the stage on. `before` is what precedes the
 * part. */
FUNC void scanrt_part_put(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_lane_vectors &x, scanrt_part &part,
                          const scanrt_carry &before, scanrt_u32 kept) {
#if !VALUE_IS_FLOAT
  if (part.is_blocked) {
    scanrt_blocked_ends_store(p, at, x, part, before, kept);
    return;
  }
#endif
  scanrt_part_ends_store(p, at, x, part, before, kept);
}

/* Reduces a part of a tile in its stage, and leaves its total and the number of its ends to the other parts' warps.
 * Returns 1 if it has elements. `has_few` says whether the warp's last part had few ends. */
FUNC scanrt_u32 scanrt_part_begin(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 number,
                                  scanrt_lane_vectors &x, scanrt_part &part, scanrt_u32 &has_few) {
  const scanrt_u32 is_there = number * PART_ITEMS < scanrt_tile_items(p, tile);
  scanrt_carry sum = scanrt_carry_none();
  scanrt_u32 own = 0;
  if (is_there) {
    sum = scanrt_part_take(p, scanrt_stage_of(p, at), tile, number, x, part, has_few);
    own = KEPT_WORD(scanrt_warp_sum((scanrt_u32)__popc(part.ends)), sum.starts_run);
    has_few = KEPT_COUNT(own) <= PART_ITEMS / TUNE_SELECT_BLOCKED_ENDS;
  }
  if (ITEM() % 32 != 0) return is_there;
  p.shared->sub[at.slot][number] = sum.value;
  p.shared->part[at.slot][number] = own;
  if (number == 0) p.shared->open[at.slot].items = 0;
  return is_there;
}

/* Called when all parts of the tile have begun: publishes the tile, and stores the part's ends. */
FUNC void scanrt_part_end(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 number,
                          scanrt_lane_vectors &x, scanrt_part &part, scanrt_u32 is_there) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_u32 words = lane < PIPE_COMPACTORS ? p.shared->part[at.slot][lane] : 0, counts = KEPT_COUNT(words);
  const scanrt_u32 all = scanrt_warp_sum(counts), before = scanrt_warp_sum(lane < number ? counts : 0);
  const scanrt_u32 with_starts = WARP_BALLOT(KEPT_LAST(words));
  if (number == 0 && lane == 0) {
    STALL(&p.lookback, tile);
    if (PUBLISHES(tile))
      scanrt_carry_store(scanrt_tile_words(p, tile), all,
                         scanrt_parts_fold(p.shared->sub[at.slot], with_starts, PIPE_COMPACTORS), p.lookback.epoch);
    p.shared->count[at.slot] = all;
  }
  const scanrt_carry sum_before = scanrt_parts_fold(p.shared->sub[at.slot], with_starts, number);
  if (is_there) scanrt_part_put(p, at, x, part, sum_before, before);
}

FUNC void scanrt_role_compact(const scanrt_pipe &p, scanrt_u32 set, scanrt_u32 number KEEP_PARAMETER) {
  scanrt_pipe_place at = { 0, 0, 0, 0 };
  scanrt_u32 has_few = 1;
  scanrt_place_next(p, at, set);
  for (;; scanrt_place_next(p, at, PIPE_SETS)) {
    const scanrt_u32 tile = scanrt_stage_turn(p, at);
    if (tile >= p.turns) return;
    scanrt_lane_vectors x;
    scanrt_part part;
    scanrt_mbarrier_wait(&p.shared->full[at.slot], at.phase);
    const scanrt_u32 is_there = scanrt_part_begin(p, at, tile, number, x, part, has_few);
    SET_BARRIER(set); /* from here on the stage may be overwritten */
    scanrt_part_end(p, at, tile, number, x, part, is_there);
    scanrt_copy_engine_fence();
    scanrt_warp_arrive(&p.shared->compacted[at.slot]);
  }
}
#endif
