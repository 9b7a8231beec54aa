/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting by onesweep: look-back, by words of sort.h (SORT_LOOK_PARTIAL). */

typedef struct look_digits {
  scanrt_u32 of[LOOK_DIGITS];
} look_digits;

/* Loads and stores words side by side. */
FUNC look_digits look_load(const scanrt_u32 *p) {
  look_digits x;
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c += 4) scanrt_halves_load<(LOOK_DIGITS < 4 ? LOOK_DIGITS : 4)>(p + c, x.of + c);
  return x;
}
FUNC void look_store(scanrt_u32 *p, look_digits x) {
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c += 4) scanrt_halves_store<(LOOK_DIGITS < 4 ? LOOK_DIGITS : 4)>(p + c, x.of + c);
}

/* Returns the numbers of keys of LOOK_DIGITS digits in the tiles before `tile`. `lookback_words` has a tile's words
 * side by side, from the first of these digits on. */
FUNC look_digits lookback_prefix(const scanrt_u32 *lookback_words, scanrt_u32 tile) {
  look_digits sum;
  scanrt_u32 done = 0;
  scanrt_u32 left = tile; /* tiles that are not added yet */
  UNROLL
  for (int c = 0; c < LOOK_DIGITS; c++) sum.of[c] = 0;
  while (left > 0 && done != (1u << LOOK_DIGITS) - 1) {
    look_digits seen[LOOK_TILES];
    UNROLL
    for (int i = 0; i < LOOK_TILES; i++) {
      if (left > i) {
        seen[i] = look_load(lookback_words + (size_t)(left - 1 - i) * ONESWEEP_DIGITS);
      } else {
        UNROLL
        for (int c = 0; c < LOOK_DIGITS; c++) seen[i].of[c] = SORT_LOOK_INCLUSIVE;
      }
    }
    bool continues = true;
    UNROLL
    for (int i = 0; i < LOOK_TILES; i++) {
      UNROLL
      for (int c = 0; c < LOOK_DIGITS; c++) continues = continues && ((done >> c & 1) != 0 || seen[i].of[c] != 0);
      if (!continues) continue;
      UNROLL
      for (int c = 0; c < LOOK_DIGITS; c++) {
        if ((done >> c & 1) == 0) sum.of[c] += seen[i].of[c] & SORT_LOOK_VALUE;
        done |= (seen[i].of[c] >> 31) << c;
      }
      if (left > 0) left--;
    }
  }
  return sum;
}
