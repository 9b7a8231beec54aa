/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of compaction in local memory, and the places of its elements there: ranks of bits in the work-group. Included
 * by select_lookback.h. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_RANKS_H
#define SCANRT_CL_SELECT_LOOKBACK_RANKS_H

#define TILE_WORDS (TILE_ITEMS * SELECT_BYTES / 4)
#define TILE_PAD 4 /* words around the tile, which elements smaller than words may touch */
#define ROW_COUNT (WARPS * ROWS)

typedef struct scanrt_select_scratch {
  scanrt_raw16 tile[(TILE_WORDS + 2 * TILE_PAD) / 4]; /* the kept elements, then the rest */
  scanrt_u64 claim, groups;
  scanrt_u32 parts[WARPS], sums[SCAN_GROUP_ITEMS];
  scanrt_u32 missing_tile, missing_group;
#if !SCAN_SHUFFLE
  scanrt_u16 bits[ROW_COUNT * 32], before[ROW_COUNT * 32]; /* for each vector, in the tile's order */
#endif
} scanrt_select_scratch;

#define SCRATCH_TILE(s) ((LOCAL scanrt_u32 *)(s)->tile + TILE_PAD)

/* ---- sums over the work-group: scanrt_group_sum returns the sum of what all work-items have put before a barrier, in
 * every work-item; `sums` may be used again after another barrier ---- */

#if SCAN_SHUFFLE
FUNC scanrt_u32 scanrt_warp_sum(scanrt_u32 x) {
  ROWS_UNROLL
  for (scanrt_u32 d = 1; d < 32; d *= 2) x += scanrt_shuffle_xor_u32(x, d);
  return x;
}

/* Returns x plus that of the lane `distance` below, if there is one. */
#ifndef SUM_BELOW
#define SUM_BELOW(x, distance) scanrt_sum_below((x), (distance))
FUNC scanrt_u32 scanrt_sum_below(scanrt_u32 x, scanrt_u32 distance) {
  const scanrt_u32 other = scanrt_shuffle_up_u32(x, distance);
  return ITEM() % 32 >= distance ? x + other : x;
}
#endif

FUNC void scanrt_group_sum_put(scanrt_u32 own, LOCAL scanrt_u32 *sums) {
  own = scanrt_warp_sum(own);
  if (ITEM() % 32 == 0) sums[ITEM() / 32] = own;
}

FUNC scanrt_u32 scanrt_group_sum(LOCAL const scanrt_u32 *sums) {
  scanrt_u32 sum = 0;
  ROWS_UNROLL
  for (scanrt_u32 q = 0; q < WARPS; q++) sum += sums[q];
  return sum;
}
#else
/* In two levels: PoCL takes long to compile loops with barriers. */
FUNC void scanrt_group_sum_put(scanrt_u32 own, LOCAL scanrt_u32 *sums) { sums[ITEM()] = own; }

FUNC scanrt_u32 scanrt_group_sum(LOCAL scanrt_u32 *sums) {
  scanrt_u32 own = sums[ITEM()];
  if (ITEM() % 32 == 0)
    for (scanrt_u32 k = 1; k < 32; k++) own += sums[ITEM() + k];
  BARRIER();
  if (ITEM() % 32 == 0) sums[ITEM() / 32] = own;
  BARRIER();
  scanrt_u32 sum = 0;
  for (scanrt_u32 q = 0; q < WARPS; q++) sum += sums[q];
  return sum;
}
#endif

/* ---- ranks ---- */

#if SCAN_SHUFFLE
/* A row's count is a field of a word: 8 bits for up to 128 elements a row, else 16. */
#define FIELDS (VEC_ITEMS <= 4 ? 4 : 2)
#define FIELD_BITS (32 / FIELDS)
#define FIELD_MASK ((1u << FIELD_BITS) - 1)
#define PACKS (ROWS / FIELDS)
#define FIELD_OF(packs, r) ((packs)[(r) % PACKS] >> (r) / PACKS * FIELD_BITS & FIELD_MASK)

typedef struct scanrt_ranks {
  scanrt_u32 before[PACKS], rows[PACKS]; /* kept elements of each row: before the work-item's vector, and in all */
  scanrt_u32 before_part, count;
} scanrt_ranks;

/* Counts the set bits of each row. */
FUNC void scanrt_rows_count(scanrt_u32 bits, scanrt_u32 counts[PACKS]) {
#if VEC_ITEMS >= 4 /* sums of pairs, of fours, ... of neighbouring bits */
  scanrt_u32 sums = bits - (bits >> 1 & 0x55555555u);
  sums = (sums & 0x33333333u) + (sums >> 2 & 0x33333333u);
  if (VEC_ITEMS >= 8) sums = (sums & 0x0f0f0f0fu) + (sums >> 4 & 0x0f0f0f0fu);
  if (VEC_ITEMS >= 16) sums = (sums & 0x00ff00ffu) + (sums >> 8 & 0x00ff00ffu);
  ROWS_UNROLL
  for (scanrt_u32 p = 0; p < PACKS; p++) counts[p] = sums >> p * VEC_ITEMS & (FIELDS == 4 ? 0x0f0f0f0fu : 0x00ff00ffu);
#else
  ROWS_UNROLL
  for (scanrt_u32 p = 0; p < PACKS; p++) counts[p] = 0;
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++)
    counts[r % PACKS] |= (scanrt_u32)popcount(bits >> r * VEC_ITEMS & ROW_BITS) << r / PACKS * FIELD_BITS;
#endif
}

FUNC void scanrt_ranks_make(scanrt_ranks *ranks, scanrt_u32 bits, LOCAL scanrt_select_scratch *s) {
  const scanrt_u32 lane = ITEM() % 32;
  scanrt_u32 part = 0, own[PACKS];
  scanrt_rows_count(bits, own);
  ROWS_UNROLL
  for (scanrt_u32 p = 0; p < PACKS; p++) {
    scanrt_u32 sum = own[p];
    ROWS_UNROLL
    for (scanrt_u32 d = 1; d < 32; d *= 2) sum = SUM_BELOW(sum, d);
    ranks->before[p] = sum - own[p];
    ranks->rows[p] = scanrt_shuffle_from_u32(sum, 31);
  }
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) part += FIELD_OF(ranks->rows, r);
  if (lane == 0) s->parts[ITEM() / 32] = part;
  BARRIER();
  ranks->before_part = ranks->count = 0;
  ROWS_UNROLL
  for (scanrt_u32 q = 0; q < WARPS; q++) {
    const scanrt_u32 x = s->parts[q];
    if (q < ITEM() / 32) ranks->before_part += x;
    ranks->count += x;
  }
}

/* Sets the number of kept elements before each vector of the work-item. */
FUNC void scanrt_ranks_rows(const scanrt_ranks *ranks, LOCAL const scanrt_select_scratch *s, scanrt_u32 before[ROWS]) {
  scanrt_u32 row = ranks->before_part;
  (void)s;
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) {
    before[r] = row + FIELD_OF(ranks->before, r);
    row += FIELD_OF(ranks->rows, r);
  }
}

/* 1 if no element of row r is kept by any of the 32 work-items. */
#define ROW_IS_EMPTY(ranks, r) (FIELD_OF((ranks)->rows, r) == 0)

FUNC scanrt_u32 scanrt_ranks_before_part(const scanrt_ranks *ranks, LOCAL const scanrt_select_scratch *s) {
  (void)s;
  return ranks->before_part;
}
#else
#define ROW_IS_EMPTY(ranks, r) 0
typedef struct scanrt_ranks {
  scanrt_u32 count;
} scanrt_ranks;

#define ROW_AT(r) ((ITEM() / 32 * ROWS + (r)) * 32 + ITEM() % 32)

/* Returns the sum over the work-items before this one; sets *all to the sum over all. */
FUNC scanrt_u32 scanrt_group_before(scanrt_u32 own, scanrt_u32 *all, LOCAL scanrt_select_scratch *s) {
  scanrt_u32 before = 0;
  s->sums[ITEM()] = own;
  BARRIER();
  for (scanrt_u32 k = ITEM() & ~31u; k < ITEM(); k++) before += s->sums[k];
  if (ITEM() % 32 == 31) s->parts[ITEM() / 32] = before + own;
  BARRIER();
  *all = 0;
  for (scanrt_u32 q = 0; q < WARPS; q++) {
    const scanrt_u32 part = s->parts[q];
    if (q < ITEM() / 32) before += part;
    *all += part;
  }
  return before;
}

/* Ranks the bits. Each work-item counts ROWS consecutive vectors. */
FUNC void scanrt_ranks_make(scanrt_ranks *ranks, scanrt_u32 bits, LOCAL scanrt_select_scratch *s) {
  for (scanrt_u32 r = 0; r < ROWS; r++) s->bits[ROW_AT(r)] = (scanrt_u16)(bits >> r * VEC_ITEMS & ROW_BITS);
  BARRIER();
  scanrt_u32 own = 0;
  for (scanrt_u32 r = 0; r < ROWS; r++) own += (scanrt_u32)popcount((scanrt_u32)s->bits[ITEM() * ROWS + r]);
  scanrt_u32 before = scanrt_group_before(own, &ranks->count, s);
  for (scanrt_u32 r = 0; r < ROWS; r++) {
    s->before[ITEM() * ROWS + r] = (scanrt_u16)before;
    before += (scanrt_u32)popcount((scanrt_u32)s->bits[ITEM() * ROWS + r]);
  }
  BARRIER();
}

FUNC void scanrt_ranks_rows(const scanrt_ranks *ranks, LOCAL const scanrt_select_scratch *s, scanrt_u32 before[ROWS]) {
  (void)ranks;
  for (scanrt_u32 r = 0; r < ROWS; r++) before[r] = s->before[ROW_AT(r)];
}

FUNC scanrt_u32 scanrt_ranks_before_part(const scanrt_ranks *ranks, LOCAL const scanrt_select_scratch *s) {
  (void)ranks;
  return s->before[ITEM() / 32 * ROWS * 32];
}
#endif

/* ---- bits for the launches of other arrays ---- */

#define WORD_VECS (32 / VEC_ITEMS)

#if SCAN_SHUFFLE && WORD_VECS == ROWS
/* ROWS work-items transpose their vectors' bits: work-item r of them then has a word of row r. */
FUNC void scanrt_bits_emit(const scanrt_select_job *job, scanrt_u32 tile, scanrt_u32 bits,
                           LOCAL const scanrt_select_scratch *s) {
  const scanrt_u32 row = ITEM() % ROWS, at = VECTOR_AT(row) / 32 * 32;
  (void)s;
  ROWS_UNROLL
  for (scanrt_u32 d = ROWS / 2; d > 0; d /= 2) {
    const scanrt_u32 way = d * VEC_ITEMS, low = way == 16 ? 0x0000ffffu : way == 8 ? 0x00ff00ffu : 0x0f0f0f0fu;
    const scanrt_u32 is_high = row & d, kept = is_high ? ~low : low, shift = is_high ? 32 - way : way;
    const scanrt_u32 other = scanrt_shuffle_xor_u32(bits, d);
    bits = (bits & kept) | ((other << shift | other >> (32 - shift)) & ~kept);
  }
  if (at < scanrt_tile_items(job, tile)) job->words[(scanrt_tile_first(tile) + at) / 32] = bits;
}
#elif SCAN_SHUFFLE
FUNC void scanrt_bits_emit(const scanrt_select_job *job, scanrt_u32 tile, scanrt_u32 bits,
                           LOCAL const scanrt_select_scratch *s) {
  const scanrt_u32 items = scanrt_tile_items(job, tile), turn = ITEM() % WORD_VECS;
  GLOBAL scanrt_u32 *words = job->words + scanrt_tile_first(tile) / 32;
  (void)s;
  ROWS_UNROLL
  for (scanrt_u32 r = 0; r < ROWS; r++) {
    scanrt_u32 word = (bits >> r * VEC_ITEMS & ROW_BITS) << turn * VEC_ITEMS;
    ROWS_UNROLL
    for (scanrt_u32 d = 1; d < WORD_VECS; d *= 2) word |= scanrt_shuffle_xor_u32(word, d);
    if (turn == 0 && VECTOR_AT(r) < items) words[VECTOR_AT(r) / 32] = word;
  }
}
#else
FUNC void scanrt_bits_emit(const scanrt_select_job *job, scanrt_u32 tile, scanrt_u32 bits,
                           LOCAL const scanrt_select_scratch *s) {
  const scanrt_u32 items = scanrt_tile_items(job, tile);
  GLOBAL scanrt_u32 *words = job->words + scanrt_tile_first(tile) / 32;
  (void)bits;
  for (scanrt_u32 w = ITEM(); w * 32 < items; w += SCAN_GROUP_ITEMS) {
    scanrt_u32 word = 0;
    for (scanrt_u32 v = 0; v < WORD_VECS; v++) word |= (scanrt_u32)s->bits[w * WORD_VECS + v] << v * VEC_ITEMS;
    words[w] = word;
  }
}
#endif
#endif
