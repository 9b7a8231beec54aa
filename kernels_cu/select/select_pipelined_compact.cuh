/* SPDX-License-Identifier: BSD-2-Clause */
/* The warps that find the kept elements of a tile and store them side by side in the tile's stage. Included by
 * select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_COMPACT_CUH
#define SCANRT_SELECT_PIPELINED_COMPACT_CUH

/* Loads the lane's vectors of a part. All loads come before any store: the compiler cannot tell their addresses
 * apart. */
FUNC void scanrt_part_load(const unsigned char *tile, scanrt_u32 shift, scanrt_u32 part, scanrt_lane_vectors &x) {
#if !SELECT_INDEX || SELECT_BY == SELECT_BY_PREDICATE
  const scanrt_u32 lane = ITEM() % 32;
  if (shift == 0) {
    const uint4 *const from = (const uint4 *)tile + part * (PART_ITEMS / VEC_ITEMS) + lane;
    UNROLL
    for (scanrt_u32 i = 0; i < LANE_VECS; i++) scanrt_vector_load(from + i * 32, x.word + 4 * i);
    return;
  }
  const scanrt_u32 *const from = (const scanrt_u32 *)tile + shift / 4 + (part * (PART_ITEMS / VEC_ITEMS) + lane) * 4;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    scanrt_u32 low = from[i * 128];
    UNROLL
    for (scanrt_u32 w = 0; w < 4; w++) {
      if (SELECT_BYTES >= 4) {
        x.word[4 * i + w] = from[i * 128 + w];
      } else {
        const scanrt_u32 high = from[i * 128 + w + 1];
        x.word[4 * i + w] = __funnelshift_r(low, high, shift % 4 * 8);
        low = high;
      }
    }
  }
#else
  (void)tile, (void)shift, (void)part, (void)x;
#endif
}

/* Stores element k of the lane's vector i at a place of the stage. Run-length encoding stores its index in the tile
 * instead, in the list at `tile`. `first` is the index of the part's first element. */
FUNC void scanrt_element_put(unsigned char *tile, scanrt_u32 at, const scanrt_lane_vectors &x, scanrt_u32 i,
                             scanrt_u32 k, scanrt_u64 first) {
  if (SELECT_ENCODES)
    ((scanrt_u16 *)tile)[at] = (scanrt_u16)((scanrt_u32)first + PART_ITEM(i, k));
  else if (SELECT_INDEX && SELECT_BYTES == 4)
    ((scanrt_u32 *)tile)[at] = (scanrt_u32)first + PART_ITEM(i, k);
  else if (SELECT_INDEX)
    ((scanrt_u64 *)tile)[at] = first + PART_ITEM(i, k);
  else if (SELECT_BYTES == 1)
    ((scanrt_u8 *)tile)[at] = (scanrt_u8)(x.word[4 * i + k / 4] >> k % 4 * 8);
  else if (SELECT_BYTES == 2)
    ((scanrt_u16 *)tile)[at] = (scanrt_u16)(x.word[4 * i + k / 2] >> k % 2 * 16);
  else if (SELECT_BYTES == 4)
    ((scanrt_u32 *)tile)[at] = x.word[4 * i + k];
  else if (SELECT_BYTES == 8)
    ((uint2 *)tile)[at] = make_uint2(x.word[4 * i + 2 * k], x.word[4 * i + 2 * k + 1]);
  else
    ((uint4 *)tile)[at] = make_uint4(x.word[4 * i], x.word[4 * i + 1], x.word[4 * i + 2], x.word[4 * i + 3]);
}

/* Stores a part's kept elements from place `kept` on; with HAS_ROOM those below place `room`. */
template <int HAS_ROOM> FUNC void scanrt_kept_store(unsigned char *to, const scanrt_lane_vectors &x, scanrt_u32 bits,
                                                    scanrt_u32 kept, scanrt_u32 room, scanrt_u64 first) {
  scanrt_u32 counts[FIELD_WORDS], all[FIELD_WORDS];
  scanrt_rows_count(bits, counts);
  scanrt_rows_scan(counts, all);
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    scanrt_u32 at = kept + FIELD(counts, i);
    kept += FIELD(all, i);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
      if (bits >> (VEC_ITEMS * i + k) & 1u) {
        if (!HAS_ROOM || at < room) scanrt_element_put(to, at, x, i, k, first);
        at++;
      }
  }
}

/* Stores a part's elements: kept ones from place `kept` on, and if `wants_rest` the others from `rest` on. */
FUNC void scanrt_part_store(unsigned char *tile, const scanrt_lane_vectors &x, scanrt_u32 bits, scanrt_u32 kept,
                            scanrt_u32 rest, scanrt_u32 wants_rest, scanrt_u64 first) {
  if (!wants_rest) {
    scanrt_kept_store<0>(tile, x, bits, kept, 0, first);
    return;
  }
  scanrt_u32 counts[FIELD_WORDS], all[FIELD_WORDS];
  scanrt_rows_count(bits, counts);
  scanrt_rows_scan(counts, all);
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    scanrt_u32 at = kept + FIELD(counts, i), other = rest + ITEM() % 32 * VEC_ITEMS - FIELD(counts, i);
    kept += FIELD(all, i);
    rest += ROW_ITEMS - FIELD(all, i);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_u32 is_kept = bits >> (VEC_ITEMS * i + k) & 1u;
      scanrt_element_put(tile, is_kept ? at : other, x, i, k, first);
      at += is_kept;
      other += 1 - is_kept;
    }
  }
}

/* Writes a part's bits, 32 consecutive elements a word. Lane l makes word l from the bits of 32 / VEC_ITEMS lanes. */
FUNC void scanrt_part_emit(scanrt_u32 *words, scanrt_u32 bits, scanrt_u32 words_there) {
  const scanrt_u32 lane = ITEM() % 32, row = lane % LANE_ITEMS / VEC_ITEMS, first = lane % VEC_ITEMS * (32 / VEC_ITEMS);
  scanrt_u32 word = 0;
  NO_UNROLL
  for (scanrt_u32 k = 0; k < 32 / VEC_ITEMS; k++) {
    const scanrt_u32 other = scanrt_shuffle_from_u32(bits, first + k);
    word |= (other >> (row * VEC_ITEMS) & ((1u << VEC_ITEMS) - 1)) << (k * VEC_ITEMS);
  }
  if (lane < LANE_ITEMS && lane < words_there) words[lane] = word;
}

#if SELECT_BY == SELECT_BY_RUNS && !SELECT_ENCODES
/* Returns the bits of runs' first elements; `ends` has those of their last ones. */
FUNC scanrt_u32 scanrt_run_starts_of(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 tile, scanrt_u32 part,
                                     scanrt_u32 ends) {
  const scanrt_u32 firsts = VEC_ITEMS == 2   ? 0x55555555u
                            : VEC_ITEMS == 4 ? 0x11111111u
                            : VEC_ITEMS == 8 ? 0x01010101u
                                             : 0x00010001u; /* the bits of vectors' first elements */
  const scanrt_u32 lane = ITEM() % 32, items = scanrt_tile_items(p, tile);
  const scanrt_mark_t *const keys = (const scanrt_mark_t *)(stage + STAGE_TILE + p.in_shift) + part * PART_ITEMS;
  scanrt_u32 before = scanrt_shuffle_from_u32(ends, (lane + 31) % 32) >> (VEC_ITEMS - 1) & firsts;
  if (lane == 0) before = before << VEC_ITEMS | (tile + part == 0 || IS_START(keys[-1], keys[0]));
  return scanrt_part_existing((ends << 1 & ~firsts) | before, items, part);
}
#endif

/* Returns the number of words that the bits of a part take. */
FUNC scanrt_u32 scanrt_part_words(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 part) {
  const scanrt_u32 items = scanrt_tile_items(p, tile), first = part * PART_ITEMS;
  return items > first ? (items - first + 31) / 32 : 0;
}

/* Returns a part's KEPT_WORD, by its bits in all lanes. */
FUNC scanrt_u32 scanrt_part_word(scanrt_u32 bits, scanrt_u32 part) {
  const scanrt_u32 count = scanrt_warp_sum((scanrt_u32)__popc(bits));
  if (!SELECT_ENCODES) return count;
  const scanrt_u32 b = bits ? 31 - (scanrt_u32)__clz(bits) : 0;
  const scanrt_u32 last = part * PART_ITEMS + PART_ITEM(b / VEC_ITEMS, b % VEC_ITEMS) + 1;
  return KEPT_WORD(count, scanrt_warp_max(bits ? last : 0));
}

#if SELECT_ENCODES
/* Waits until the previous tile of the same list is written, if one of the two may need the whole list. The bits of
 * `full` say so of the warp's tiles, the latest first. */
FUNC void scanrt_list_wait(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 count, scanrt_u32 &full) {
  full = full << 1 | (count > LIST_FEW);
  if (full & (1 | 1u << 2 / PIPE_SETS)) scanrt_turn_wait(p, p.shared->empty, at, 2);
}
#endif

/* Stores a part's elements. `all` elements of the tile are kept, `before` of them before the part. */
FUNC void scanrt_part_place(const scanrt_pipe &p, const scanrt_pipe_place &at, scanrt_u32 tile, scanrt_u32 part,
                            const scanrt_lane_vectors &x, scanrt_u32 bits, scanrt_u32 all, scanrt_u32 before) {
#if SELECT_ENCODES
  (void)tile;
  scanrt_part_store((unsigned char *)scanrt_list_of(p, at, all), x, bits, before, 0, 0, part * PART_ITEMS);
#else
  scanrt_part_store(scanrt_compacted_at(p, at), x, bits, before, all + part * PART_ITEMS - before,
                    p.flags & SELECT_REST, scanrt_tile_first(p, tile) + part * PART_ITEMS);
#endif
}

#define SET_BARRIER(set) NUMBERED_BARRIER((set) + 1, PIPE_COMPACTORS * 32)

#if HAS_SECOND
#include "select/select_pipelined_second.cuh"
#endif
#if SELECT_REDUCES
#include "select/select_pipelined_ends.cuh"
#else
FUNC void scanrt_role_compact(const scanrt_pipe &p, scanrt_u32 set, scanrt_u32 part KEEP_PARAMETER) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_pipe_place at = { 0, 0, 0, 0 };
#if SELECT_ENCODES
  scanrt_u32 full = 0;
#endif
  scanrt_place_next(p, at, set);
  for (;; scanrt_place_next(p, at, PIPE_SETS)) {
    const scanrt_u32 turn = scanrt_stage_turn(p, at), tile = scanrt_turn_tile(p, turn);
    if (turn >= p.turns) return;
    unsigned char *const stage = scanrt_stage_of(p, at);
    scanrt_lane_vectors x;
#if HAS_SECOND
    const scanrt_u32 has_second = p.flags & SELECT_SECOND;
    if (has_second) scanrt_second_prefetch(p, tile, part);
#endif
    scanrt_mbarrier_wait(&p.shared->full[at.slot], at.phase);
    const scanrt_u32 is_there = !p.is_sparse && part * PART_ITEMS < scanrt_tile_items(p, tile);
    if (is_there) scanrt_part_load(stage + STAGE_TILE, p.in_shift, part, x);
    const scanrt_u32 bits = is_there ? scanrt_keep_part(p, stage, tile, part, x PREDICATE_PARAMETER) : 0;
#if HAS_SPARSE
    scanrt_sparse_part few;
    const scanrt_u32 own = p.is_sparse ? scanrt_sparse_load(p, stage, tile, part, few) : scanrt_part_word(bits, part);
#else
    const scanrt_u32 own = scanrt_part_word(bits, part);
#endif
#if !SELECT_ENCODES
    scanrt_u32 emitted = bits;
#if SELECT_BY == SELECT_BY_RUNS
    if (p.flags & SELECT_RUN_FIRSTS && is_there) emitted = scanrt_run_starts_of(p, stage, tile, part, bits);
#endif
#endif
    if (lane == 0) p.shared->part[at.slot][part] = own;
    SET_BARRIER(set); /* from here on the stage may be overwritten */
    const scanrt_u32 words = lane < PIPE_COMPACTORS ? p.shared->part[at.slot][lane] : 0, counts = KEPT_COUNT(words);
    const scanrt_u32 all = scanrt_warp_sum(counts), before = scanrt_warp_sum(lane < part ? counts : 0);
    const scanrt_u32 last = SELECT_ENCODES ? scanrt_warp_max(KEPT_LAST(words)) : 0;
    if (part == 0 && lane == 0) {
      STALL(&p.lookback, tile);
      if (PUBLISHES(tile))
        scanrt_word_store(p.lookback.tiles + tile, scanrt_word_of(KEPT_WORD(all, last), p.lookback.epoch));
      p.shared->count[at.slot] = all;
#if SELECT_ENCODES
      p.shared->last[at.slot] = last;
#endif
    }
    if (PIPE_BUFFERS) scanrt_warp_arrive(&p.shared->taken[at.slot]);
    if (scanrt_only_counts(p, turn)) {
      scanrt_warp_arrive(&p.shared->compacted[at.slot]);
      continue;
    }
#if !SELECT_ENCODES
    if (p.flags & SELECT_EMITS)
      scanrt_part_emit(p.words + (scanrt_tile_first(p, tile) + part * PART_ITEMS) / 32, emitted,
                       scanrt_part_words(p, tile, part));
#endif
#if SELECT_ENCODES
    scanrt_list_wait(p, at, all, full);
#endif
    if (PIPE_BUFFERS) scanrt_turn_wait(p, p.shared->empty, at, PIPE_BUFFERS);
#if HAS_SPARSE
    if (p.is_sparse) scanrt_sparse_list(p, stage, tile, part, few, all, before);
#endif
    if (is_there) scanrt_part_place(p, at, tile, part, x, bits, all, before);
    scanrt_copy_engine_fence();
    scanrt_warp_arrive(&p.shared->compacted[at.slot]);
#if HAS_SECOND
    if (has_second) {
      if (is_there) scanrt_second_load(p, tile, part, bits, x);
      scanrt_mbarrier_wait(&p.shared->prefixed[at.slot], at.phase);
      if (is_there) scanrt_second_store(p, at, x, bits, before);
      scanrt_warp_arrive(&p.shared->empty[at.slot]);
    }
#endif
  }
}
#endif
#endif
