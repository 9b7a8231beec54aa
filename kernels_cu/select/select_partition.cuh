/* SPDX-License-Identifier: BSD-2-Clause */
/* Partition into three of few elements in one launch: a work-group a tile, a warp a part of it, and one more warp that
 * looks back. A tile's word first holds its number of elements for which the first predicate holds. The second one is
 * given an element's number among the others, which needs those numbers of all tiles before. Then the word holds both.
 * A wait that reaches its bound counts the tile itself, so that no work-group depends on another. */
#define SELECT_PARTITION 1
#include "select/select_pipelined.cuh"

#define PARTITION_BITS 14
#define PARTITION_COUNT(word, number) ((word) >> (number)*PARTITION_BITS & ((1u << PARTITION_BITS) - 1))
#define PARTITION_HAS_BOTH (1u << 31)
static_assert(TILE_ITEMS < 1 << PARTITION_BITS, "a tile has more elements");

struct scanrt_partition_shared {
  scanrt_u64 first_claim;
  scanrt_u32 before[2];                 /* elements of the first and the second part in the tiles before */
  scanrt_u32 count[2][PIPE_COMPACTORS]; /* in each of the tile's parts */
};

/* A warp's part of a tile: bits of the elements for which the first and the second predicate hold, those in each row in
 * lower lanes, and in all. */
typedef struct scanrt_partition_bits {
  scanrt_u32 of[2];
  scanrt_u32 below[2][FIELD_WORDS], all[2][FIELD_WORDS];
} scanrt_partition_bits;

FUNC void scanrt_partition_rank(scanrt_partition_bits &bits, scanrt_u32 number) {
  scanrt_rows_count(bits.of[number], bits.below[number]);
  scanrt_rows_scan(bits.below[number], bits.all[number]);
}

/* The parameters of the second predicate are the last four words. */
FUNC scanrt_keep_params scanrt_second_params(const scanrt_keep_params &params) {
  scanrt_keep_params second;
  UNROLL
  for (scanrt_u32 w = 0; w < 8; w++) second.word[w] = w < 4 ? params.word[w + 4] : 0;
  return second;
}

FUNC void scanrt_partition_publish(const scanrt_pipe &p, scanrt_u32 tile, scanrt_u32 word) {
  if (ITEM() % 32 == 0) scanrt_word_store(p.lookback.tiles + tile, scanrt_word_of(word, p.lookback.epoch));
}

template <int NUMBER>
FUNC scanrt_u32 scanrt_partition_before(const scanrt_pipe &p, scanrt_u32 tile, const scanrt_keep_params &params);

/* Counts a tile whose work-group does not, publishes its word, and returns it. */
template <int NUMBER>
FUNC scanrt_u32 scanrt_partition_recompute(const scanrt_pipe &p, scanrt_u32 tile, const scanrt_keep_params &params) {
  const scanrt_u32 items = scanrt_tile_items(p, tile), below = (1u << ITEM() % 32) - 1;
  const scanrt_keep_params second = scanrt_second_params(params);
  const scanrt_u64 first = scanrt_tile_first(p, tile);
  const scanrt_u64 others = NUMBER ? first - scanrt_partition_before<0>(p, tile, params) : 0;
  scanrt_u32 counts[2] = { 0, 0 };
  NO_UNROLL
  for (scanrt_u32 e = ITEM() % 32; e / 32 * 32 < items; e += 32) {
    const scanrt_u32 is_first = e < items && scanrt_keep_one(p, first + e, params);
    const scanrt_u32 firsts = WARP_BALLOT(is_first);
    if (NUMBER && e < items && !is_first) {
      const scanrt_u64 index = others + e - counts[0] - (scanrt_u32)__popc(firsts & below);
      counts[1] += SCAN_SOURCE_KEEP(((const scanrt_keep_element_t *)p.in)[first + e], index, second.p) != 0;
    }
    counts[0] += (scanrt_u32)__popc(firsts);
  }
  scanrt_u32 word = counts[0];
  if (NUMBER) word |= scanrt_warp_sum(counts[1]) << PARTITION_BITS | PARTITION_HAS_BOTH;
  scanrt_partition_publish(p, tile, word);
  return word;
}

/* Returns how many elements of the first part (NUMBER 0) or the second one the tiles before `tile` have. */
template <int NUMBER>
FUNC scanrt_u32 scanrt_partition_before(const scanrt_pipe &p, scanrt_u32 tile, const scanrt_keep_params &params) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u32 sum = 0;
  NO_UNROLL
  for (scanrt_u32 first = 0; first < tile; first += 32 * LEAVES) {
    scanrt_u32 missing = 0, polls = 0;
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++) missing |= (first + k * 32 + lane < tile ? 1u : 0u) << k;
    do {
      scanrt_u64 word[LEAVES];
      UNROLL
      for (scanrt_u32 k = 0; k < LEAVES; k++)
        if (missing >> k & 1u) word[k] = scanrt_word_load(p.lookback.tiles + first + k * 32 + lane);
      UNROLL
      for (scanrt_u32 k = 0; k < LEAVES; k++)
        if (missing >> k & 1u && scanrt_word_epoch(word[k]) == p.lookback.epoch &&
            (!NUMBER || (scanrt_u32)word[k] & PARTITION_HAS_BOTH)) {
          sum += PARTITION_COUNT((scanrt_u32)word[k], NUMBER);
          missing &= ~(1u << k);
        }
    } while (!__all_sync(~0u, missing == 0) && ++polls < p.lookback.spin_limit);
    if (polls >= p.lookback.spin_limit) NO_UNROLL
    for (scanrt_u32 other = 0; other < 32 * LEAVES; other++)
      if (scanrt_shuffle_from_u32(missing >> other / 32 & 1u, other % 32)) {
        const scanrt_u32 word = scanrt_partition_recompute<NUMBER>(p, first + other, params);
        if (lane == 0) sum += PARTITION_COUNT(word, NUMBER);
      }
  }
  return scanrt_warp_sum(sum);
}

/* Returns the bits of the elements for which the second predicate holds. `others` is the number of elements before the
 * part for which the first one does not. */
FUNC scanrt_u32 scanrt_partition_second(const scanrt_lane_vectors &x, const scanrt_partition_bits &bits,
                                        scanrt_u64 others, const scanrt_keep_params &params) {
  const scanrt_keep_params second = scanrt_second_params(params);
  scanrt_u32 rows = 0, found = 0;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    scanrt_u32 firsts = rows + FIELD(bits.below[0], i);
    rows += FIELD(bits.all[0], i);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_u32 b = VEC_ITEMS * i + k, is_first = bits.of[0] >> b & 1u;
      const scanrt_u64 index = others + PART_ITEM(i, k) - firsts;
      if (!is_first && SCAN_SOURCE_KEEP(scanrt_element_of(x, i, k), index, second.p)) found |= 1u << b;
      firsts += is_first;
    }
  }
  return found;
}

/* Stores a part's elements in the stage: those of the first part of the partition from place at[0] on, and so on. */
FUNC void scanrt_partition_store(unsigned char *tile, const scanrt_lane_vectors &x, const scanrt_partition_bits &bits,
                                 const scanrt_u32 at[3]) {
  scanrt_u32 first = at[0], second = at[1], rest = at[2] + ITEM() % 32 * VEC_ITEMS;
  UNROLL
  for (scanrt_u32 i = 0; i < LANE_VECS; i++) {
    const scanrt_u32 below[2] = { FIELD(bits.below[0], i), FIELD(bits.below[1], i) };
    scanrt_u32 to[3] = { first + below[0], second + below[1], rest - below[0] - below[1] };
    first += FIELD(bits.all[0], i), second += FIELD(bits.all[1], i);
    rest += ROW_ITEMS - FIELD(bits.all[0], i) - FIELD(bits.all[1], i);
    UNROLL
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) {
      const scanrt_u32 b = VEC_ITEMS * i + k, is_first = bits.of[0] >> b & 1u, is_second = bits.of[1] >> b & 1u;
      scanrt_element_put(tile, is_first ? to[0] : is_second ? to[1] : to[2], x, i, k, 0);
      to[0] += is_first, to[1] += is_second, to[2] += 1 - is_first - is_second;
    }
  }
}

/* Partitions the work-group's tile, which is in the stage. */
FUNC void scanrt_partition_tile(const scanrt_pipe &p, scanrt_partition_shared &shared, scanrt_u32 tile,
                                const scanrt_keep_params &params) {
  const scanrt_u32 part = ITEM() / 32, lane = ITEM() % 32, items = scanrt_tile_items(p, tile);
  const scanrt_u32 looks_back = part == PIPE_COMPACTORS, is_there = !looks_back && part * PART_ITEMS < items;
  const scanrt_u64 first = scanrt_tile_first(p, tile);
  scanrt_partition_bits bits = { { 0, 0 } };
  scanrt_lane_vectors x;
  scanrt_u32 all[2] = { 0, 0 }, before[2] = { 0, 0 };
  if (is_there) scanrt_part_load(p.ring + STAGE_TILE, p.in_shift, part, x);
  UNROLL
  for (scanrt_u32 number = 0; number < 2; number++) {
    if (is_there && number == 0) bits.of[0] = scanrt_keep_part(p, p.ring, tile, part, x, params);
    if (is_there && number == 1) {
      const scanrt_u64 others = first - shared.before[0] + part * PART_ITEMS - before[0];
      bits.of[1] = scanrt_part_existing(scanrt_partition_second(x, bits, others, params), items, part);
    }
    if (is_there) scanrt_partition_rank(bits, number);
    const scanrt_u32 own = scanrt_warp_sum((scanrt_u32)__popc(bits.of[number]));
    if (!looks_back && lane == 0) shared.count[number][part] = own;
    BARRIER(); /* from the first one on the stage may be overwritten */
    const scanrt_u32 count = lane < PIPE_COMPACTORS ? shared.count[number][lane] : 0;
    all[number] = scanrt_warp_sum(count), before[number] = scanrt_warp_sum(lane < part ? count : 0);
    if (part == 0) {
      STALL(&p.lookback, tile);
      const scanrt_u32 second = number == 0 ? 0 : all[1] << PARTITION_BITS | PARTITION_HAS_BOTH;
      if (PUBLISHES(tile)) scanrt_partition_publish(p, tile, all[0] | second);
    }
    if (looks_back) {
      const scanrt_u32 sum =
          number == 0 ? scanrt_partition_before<0>(p, tile, params) : scanrt_partition_before<1>(p, tile, params);
      if (lane == 0) shared.before[number] = sum;
    }
    if (number == 1 && is_there) {
      const scanrt_u32 at[3] = { before[0], all[0] + before[1],
                                 all[0] + all[1] + part * PART_ITEMS - before[0] - before[1] };
      scanrt_partition_store(p.ring + STAGE_TILE, x, bits, at);
    }
    BARRIER();
  }
  const scanrt_u64 places[2] = { shared.before[0], shared.before[1] }, rest = first - places[0] - places[1];
  if (looks_back) {
    if (lane != 0 || tile + 1 != p.tiles) return;
    p.kept[0] = places[0] + all[0], p.kept[1] = places[1] + all[1];
    p.kept[2] = p.n - p.kept[0] - p.kept[1];
    return;
  }
  const unsigned char *const data = p.ring + STAGE_TILE;
  scanrt_write_run(p.out + places[0] * SELECT_BYTES, data, 0, all[0], part);
  scanrt_write_run((unsigned char *)p.words + places[1] * SELECT_BYTES, data, all[0], all[1], part);
  scanrt_write_run(p.rest + rest * SELECT_BYTES, data, all[0] + all[1], items - all[0] - all[1], part);
}

extern "C" __global__ void __launch_bounds__(SELECT_PARTITION_ITEMS(PIPE_COMPACTORS), 2)
    KERNEL_NAME(select_partition, SCAN_SUFFIX)(PARAMETERS(SELECT_PIPELINED_ARGUMENTS)) {
  DYNAMIC_SHARED(pipe_ring);
  __shared__ scanrt_partition_shared shared;
  const scanrt_u32 tile = GROUP(), warp = ITEM() / 32;
  PIPE_OPEN(0);
  p.rest = MEMORY(rest), p.words = (scanrt_u32 *)MEMORY(segment_flags);
  p.places = (scanrt_u64 *)MEMORY(places);
  p.ring = pipe_ring;
  p.tiles = (scanrt_u32)((p.n + p.tile_items - 1) / p.tile_items);
  PARAMS();
  if (tile < p.tiles && warp < PIPE_COMPACTORS) {
    const scanrt_piece piece = scanrt_piece_of_tile(p, p.ring, tile);
    scanrt_piece_fill(piece, warp, PIPE_COMPACTORS);
    if (warp == 0) scanrt_piece_end(piece);
  }
  if (ITEM() == PIPE_COMPACTORS * 32) {
    shared.first_claim = scanrt_lookback_claim(&p.lookback, GROUPS());
    scanrt_first_claimed(p, shared.first_claim, from, n, (scanrt_u64 *)MEMORY(n_overflow));
    if (p.tiles == 0 && (scanrt_u32)shared.first_claim == 0) p.kept[1] = p.kept[2] = 0;
  }
  scanrt_async_wait();
  BARRIER();
  p.lookback.epoch = (scanrt_u32)(shared.first_claim >> 32);
  if (tile < p.tiles) scanrt_partition_tile(p, shared, tile, params);
  if (p.lookback.epoch < EPOCH_LAST) return;
  BARRIER();
  if (ITEM() == 0) scanrt_lookback_finish_launch(&p.lookback, 0, 0);
}
