/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduction of runs: what precedes each vector of a part in its run, and what tiles publish. Bits say where runs begin.
 * A part is a sub-tile of the canonical order, and a tile is one of its tiles. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_REDUCE_CUH
#define SCANRT_SELECT_PIPELINED_REDUCE_CUH

/* The last run of some elements: its value so far, and 1 if it begins among them. */
typedef struct scanrt_carry {
  scanrt_value_t value;
  scanrt_u32 starts_run;
} scanrt_carry;

FUNC scanrt_carry scanrt_carry_none() {
  const scanrt_carry none = { IDENTITY, 0 };
  return none;
}

FUNC scanrt_carry scanrt_carry_combine(scanrt_carry a, scanrt_carry b) {
  const scanrt_carry both = { b.starts_run ? b.value : scanrt_combine(a.value, b.value), a.starts_run | b.starts_run };
  return both;
}

/* ---- values in registers ---- */

FUNC scanrt_value_t scanrt_value_at(const scanrt_u32 *word, scanrt_u32 k) {
#if SELECT_BYTES == 8
  return BITS_VALUE((scanrt_u64)word[2 * k + 1] << 32 | word[2 * k]);
#else
  return BITS_VALUE(word[k]);
#endif
}

FUNC void scanrt_value_to(scanrt_u32 *word, scanrt_u32 k, scanrt_value_t x) {
#if SELECT_BYTES == 8
  word[2 * k] = (scanrt_u32)VALUE_BITS(x), word[2 * k + 1] = (scanrt_u32)(VALUE_BITS(x) >> 32);
#else
  word[k] = VALUE_BITS(x);
#endif
}

/* A value of another lane, by a shuffle of its words. */
#if SELECT_BYTES == 8
#define VALUE_FROM(x, shuffle, which)                                                                                  \
  BITS_VALUE((scanrt_u64)shuffle((scanrt_u32)(VALUE_BITS(x) >> 32), (which)) << 32 |                                   \
             shuffle((scanrt_u32)VALUE_BITS(x), (which)))
#else
#define VALUE_FROM(x, shuffle, which) BITS_VALUE(shuffle(VALUE_BITS(x), (which)))
#endif

FUNC scanrt_value_t scanrt_value_below(scanrt_value_t x, scanrt_u32 d, scanrt_u32 first, scanrt_u32 *is_there) {
  return BITS_VALUE(scanrt_bits_below(VALUE_BITS(x), d, first, is_there));
}

/* ---- rows ---- */

#define VEC_BITS ((1u << VEC_ITEMS) - 1)
#define TOGETHER 4 /* rows that are processed together, so that their shuffles overlap */

/* A row of vectors, one a lane. */
typedef struct scanrt_row {
  scanrt_value_t value;  /* of the run that continues after the lane's vector, from the row's first vector on */
  scanrt_u32 run_starts; /* bit l: a run begins in lane l's vector */
  scanrt_u32 first;      /* the last lane up to this one with such a bit, or 0 */
} scanrt_row;

/* Returns a row whose value is that of the lane's vector alone. `run_starts` has a bit for each of its elements, 1 if a
 * run begins with it. */
FUNC scanrt_row scanrt_row_open(const scanrt_u32 *x, scanrt_u32 run_starts) {
  scanrt_row row = { scanrt_value_at(x, 0), WARP_BALLOT(run_starts), 0 };
  UNROLL
  for (scanrt_u32 k = 1; k < VEC_ITEMS; k++) {
    const scanrt_value_t own = scanrt_value_at(x, k);
    row.value = run_starts >> k & 1u ? own : scanrt_combine(row.value, own);
  }
  row.first = LAST_BIT((row.run_starts | 1u) & (0xffffffffu >> (31 - ITEM() % 32)));
  return row;
}

/* A step of the recursive doubling. */
FUNC void scanrt_row_double(scanrt_row &row, scanrt_u32 d) {
  scanrt_u32 is_there;
  const scanrt_value_t other = scanrt_value_below(row.value, d, row.first, &is_there);
  if (is_there) row.value = scanrt_combine(other, row.value);
}

FUNC scanrt_carry scanrt_row_total(const scanrt_row &row) {
  const scanrt_carry total = { VALUE_FROM(row.value, scanrt_shuffle_from_u32, 31), row.run_starts != 0 };
  return total;
}

/* Returns what precedes the lane's vector in its run; `run` is what precedes the row. */
FUNC scanrt_value_t scanrt_row_start(const scanrt_row &row, scanrt_value_t run) {
  const scanrt_u32 lane = ITEM() % 32;
  const scanrt_value_t before = VALUE_FROM(row.value, scanrt_shuffle_up_u32, 1);
  const scanrt_value_t start = row.run_starts & ((1u << lane) - 1) ? before : scanrt_combine(run, before);
  return lane == 0 ? run : start;
}

/* ---- parts ---- */

/* Returns the bits of the elements of a lane's vectors with which runs begin; sets *ends to those with which runs
 * end. */
FUNC scanrt_u32 scanrt_run_starts_and_ends(const scanrt_pipe &p, const unsigned char *stage, scanrt_u32 tile,
                                           scanrt_u32 part, scanrt_u32 *ends) {
  const scanrt_u32 firsts = VEC_ITEMS == 2 ? 0x5555u : 0x11111111u; /* the bits of vectors' first elements */
  const scanrt_u32 *const words = scanrt_part_bits(p, stage, part);
  const scanrt_u32 lane = ITEM() % 32, items = scanrt_tile_items(p, tile);
  scanrt_u32 run_starts = scanrt_keep_bits(words);
  scanrt_u32 next = scanrt_shuffle_from_u32(run_starts, (lane + 1) % 32);
  if (lane == 31) next = next >> VEC_ITEMS | words[PART_ITEMS / 32] << (LANE_ITEMS - VEC_ITEMS);
  *ends = (run_starts >> 1 & ~(firsts << (VEC_ITEMS - 1))) | (next & firsts) << (VEC_ITEMS - 1);
  if (tile + 1 == p.tiles && items <= (part + 1) * PART_ITEMS) NO_UNROLL
  for (scanrt_u32 b = 0; b < LANE_ITEMS; b++) {
    const scanrt_u32 e = part * PART_ITEMS + PART_ITEM(b / VEC_ITEMS, b % VEC_ITEMS);
    if (e >= items) run_starts &= ~(1u << b);
    if (e + 1 >= items) *ends &= ~(1u << b);
    if (e + 1 == items) *ends |= 1u << b;
  }
  return run_starts;
}

/* Sets `start` to what precedes each vector of a lane; returns the part's total. */
FUNC scanrt_carry scanrt_part_reduce(const scanrt_lane_vectors &x, scanrt_u32 run_starts,
                                     scanrt_value_t start[LANE_VECS]) {
  scanrt_carry run = scanrt_carry_none();
  UNROLL
  for (scanrt_u32 first = 0; first < LANE_VECS; first += TOGETHER) {
    scanrt_row row[TOGETHER];
    UNROLL
    for (scanrt_u32 r = 0; r < TOGETHER; r++)
      row[r] = scanrt_row_open(x.word + 4 * (first + r), run_starts >> (VEC_ITEMS * (first + r)) & VEC_BITS);
    UNROLL
    for (scanrt_u32 d = 1; d < 32; d *= 2) {
      UNROLL
      for (scanrt_u32 r = 0; r < TOGETHER; r++) scanrt_row_double(row[r], d);
    }
    UNROLL
    for (scanrt_u32 r = 0; r < TOGETHER; r++) {
      start[first + r] = scanrt_row_start(row[r], run.value);
      run = scanrt_carry_combine(run, scanrt_row_total(row[r]));
    }
  }
  return run;
}

/* Returns the value of an open end; `before` is what precedes the tile. */
FUNC scanrt_value_t scanrt_open_end_value(const scanrt_open_end &open, scanrt_value_t before) {
  scanrt_value_t value = scanrt_combine(before, open.start);
  UNROLL
  for (scanrt_u32 k = 0; k < VEC_ITEMS; k++)
    if (k < open.items) value = scanrt_combine(value, open.x[k]);
  return value;
}

/* ---- what tiles publish ---- */

/* Stores the words of a tile or a group: the number of runs that end there, with a bit if one begins there; then the
 * words of the value. */
FUNC void scanrt_carry_store(volatile scanrt_u64 *words, scanrt_u32 count, scanrt_carry carry, scanrt_u32 epoch) {
  const scanrt_u64 bits = VALUE_BITS(carry.value);
  scanrt_word_store(words + 1, scanrt_word_of((scanrt_u32)bits, epoch));
  if (SELECT_BYTES == 8) scanrt_word_store(words + 2, scanrt_word_of((scanrt_u32)(bits >> 32), epoch));
  scanrt_word_store(words, scanrt_word_of(count | carry.starts_run << 31, epoch));
}

/* The words of a tile or a group, loaded at once. */
typedef struct scanrt_lookback_words {
  scanrt_u64 word[LOOKBACK_WORDS];
} scanrt_lookback_words;

FUNC void scanrt_lookback_words_load(volatile scanrt_u64 *words, scanrt_lookback_words &asked) {
  UNROLL
  for (scanrt_u32 w = 0; w < LOOKBACK_WORDS; w += 2) WORD_LOAD_PAIR(words + w, asked.word[w], asked.word[w + 1]);
}

FUNC scanrt_u32 scanrt_lookback_words_are_fresh(const scanrt_lookback_words &asked, scanrt_u32 epoch) {
  scanrt_u32 has = 1;
  UNROLL
  for (scanrt_u32 w = 0; w < (SELECT_BYTES == 8 ? 3 : 2); w++) has &= scanrt_word_epoch(asked.word[w]) == epoch;
  return has;
}

FUNC scanrt_carry scanrt_carry_of(const scanrt_lookback_words &asked) {
  const scanrt_u64 high = SELECT_BYTES == 8 ? asked.word[2 % LOOKBACK_WORDS] << 32 : 0;
  const scanrt_carry carry = { BITS_VALUE(high | (scanrt_u32)asked.word[1]), (scanrt_u32)asked.word[0] >> 31 };
  return carry;
}

FUNC scanrt_carry scanrt_carry_from(scanrt_carry carry, scanrt_u32 lane) {
  const scanrt_carry other = { VALUE_FROM(carry.value, scanrt_shuffle_from_u32, lane),
                               scanrt_shuffle_from_u32(carry.starts_run, lane) };
  return other;
}

/* Returns the fold of a group's tiles by the tree, in every lane; lane l has the leaves l, l + 32, l + 64 and l +
 * 96. */
FUNC scanrt_carry scanrt_carries_tree(scanrt_carry leaf[LEAVES]) {
  NO_UNROLL
  for (scanrt_u32 d = 1; d < 32; d *= 2) {
    const scanrt_u32 is_upper = ITEM() & d;
    UNROLL
    for (scanrt_u32 k = 0; k < LEAVES; k++) {
      const scanrt_carry other = { VALUE_FROM(leaf[k].value, scanrt_shuffle_xor_u32, d),
                                   scanrt_shuffle_xor_u32(leaf[k].starts_run, d) };
      leaf[k] = is_upper ? scanrt_carry_combine(other, leaf[k]) : scanrt_carry_combine(leaf[k], other);
    }
  }
  return scanrt_carry_combine(scanrt_carry_combine(leaf[0], leaf[1]), scanrt_carry_combine(leaf[2], leaf[3]));
}

/* Returns the fold of a group's first `count` tiles. If a run begins in the last of them, that tile alone gives it. */
FUNC scanrt_carry scanrt_carries_fold(scanrt_carry leaf[LEAVES], scanrt_u32 count) {
  scanrt_carry last = leaf[0];
  UNROLL
  for (scanrt_u32 k = 1; k < LEAVES; k++)
    if (count > k * 32) last = leaf[k];
  last = scanrt_carry_from(last, (count + 31) % 32);
  return count == 0 || last.starts_run ? last : scanrt_carries_tree(leaf);
}

/* Reduces a tile, which is whole, from memory, if its owner does not publish it. */
FUNC scanrt_carry scanrt_carry_recompute(const scanrt_pipe &p, scanrt_u32 tile) {
  scanrt_carry all = scanrt_carry_none(), sub = all;
  NO_UNROLL
  for (scanrt_u32 row = 0; row * ROW_ITEMS < p.tile_items; row++) {
    const scanrt_u64 first = scanrt_tile_first(p, tile) + row * ROW_ITEMS + ITEM() % 32 * VEC_ITEMS;
    const scanrt_u32 *const words = (const scanrt_u32 *)p.in + first * (SELECT_BYTES / 4);
    scanrt_u32 run_starts = 0;
    for (scanrt_u32 k = 0; k < VEC_ITEMS; k++) run_starts |= scanrt_starts_at(p, first + k) << k;
    scanrt_row own = scanrt_row_open(words, run_starts);
    UNROLL
    for (scanrt_u32 d = 1; d < 32; d *= 2) scanrt_row_double(own, d);
    sub = scanrt_carry_combine(sub, scanrt_row_total(own));
    if (row % LANE_VECS != LANE_VECS - 1) continue;
    all = scanrt_carry_combine(all, sub);
    sub = scanrt_carry_none();
  }
  return all;
}
#endif
