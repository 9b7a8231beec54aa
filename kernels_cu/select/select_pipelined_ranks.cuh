/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of the bits of a part's rows in lower lanes. Included by select_pipelined.cuh. */
#ifndef SCANRT_SELECT_PIPELINED_RANKS_CUH
#define SCANRT_SELECT_PIPELINED_RANKS_CUH

/* Counts of rows, of FIELD_BITS bits each, packed in FIELD_WORDS words: row r is field r / FIELD_WORDS of word r %
 * FIELD_WORDS. */
#define FIELD_BITS (VEC_ITEMS > 4 ? 16 : 8)
#define FIELD_WORDS ((LANE_VECS * FIELD_BITS + 31) / 32)
#if FIELD_BITS == 8
#define FIELD(words, r) __byte_perm((words)[(r) % FIELD_WORDS], 0, 0x4440 | (r) / FIELD_WORDS)
#else
#define FIELD(words, r) ((words)[(r) % FIELD_WORDS] >> (r) / FIELD_WORDS * FIELD_BITS & ((1u << FIELD_BITS) - 1))
#endif

FUNC void scanrt_rows_count(scanrt_u32 bits, scanrt_u32 counts[FIELD_WORDS]) {
#if VEC_ITEMS == 4
  scanrt_u32 nibbles = bits - (bits >> 1 & 0x55555555u);
  nibbles = (nibbles & 0x33333333u) + (nibbles >> 2 & 0x33333333u);
  counts[0] = nibbles & 0x0f0f0f0fu;
  counts[1] = nibbles >> 4 & 0x0f0f0f0fu;
#else
  UNROLL
  for (scanrt_u32 w = 0; w < FIELD_WORDS; w++) counts[w] = 0;
  UNROLL
  for (scanrt_u32 r = 0; r < LANE_VECS; r++)
    counts[r % FIELD_WORDS] += (scanrt_u32)__popc(bits >> (VEC_ITEMS * r) & ((1u << VEC_ITEMS) - 1))
                               << r / FIELD_WORDS * FIELD_BITS;
#endif
}

/* Returns a value of 4 or 8 bytes of the lane `d` below (scanrt_shuffle_below_u32). */
FUNC scanrt_u32 scanrt_bits_below(scanrt_u32 x, scanrt_u32 d, scanrt_u32 first, scanrt_u32 *is_there) {
  return scanrt_shuffle_below_u32(x, d, first, is_there);
}
FUNC scanrt_u64 scanrt_bits_below(scanrt_u64 x, scanrt_u32 d, scanrt_u32 first, scanrt_u32 *is_there) {
  const scanrt_u32 low = scanrt_shuffle_below_u32((scanrt_u32)x, d, first, is_there);
  return (scanrt_u64)scanrt_shuffle_below_u32((scanrt_u32)(x >> 32), d, first, is_there) << 32 | low;
}

/* Returns the sum over the lane and lower ones. */
template <class T> FUNC T scanrt_lanes_scan(T own) {
  T sum = own;
  UNROLL
  for (scanrt_u32 d = 1; d < 32; d *= 2) {
    scanrt_u32 is_there;
    const T other = scanrt_bits_below(sum, d, 0, &is_there);
    if (is_there) sum += other;
  }
  return sum;
}

/* Returns the sum over lower lanes; sets *all to the sum over all. */
FUNC scanrt_u32 scanrt_count_below(scanrt_u32 own, scanrt_u32 *all) {
  const scanrt_u32 sum = scanrt_lanes_scan(own);
  *all = scanrt_shuffle_from_u32(sum, 31);
  return sum - own;
}

/* Replaces each row's count by the sum over lower lanes; sets `all` to the rows' sums. */
FUNC void scanrt_rows_scan(scanrt_u32 counts[FIELD_WORDS], scanrt_u32 all[FIELD_WORDS]) {
  UNROLL
  for (scanrt_u32 w = 0; w < FIELD_WORDS; w++) counts[w] = scanrt_count_below(counts[w], &all[w]);
}
#endif
