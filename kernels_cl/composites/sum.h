/* SPDX-License-Identifier: BSD-2-Clause */
/* A sum of integers of two words, modulo 2^128. A carry is there if the low word is less than a summand. */
typedef struct PAIR NAME(sum) {
  INDEX low;
  NUMBER high;
} NAME(sum);

static inline NAME(sum) NAME(sum_combine)(NAME(sum) x, NAME(sum) y) {
  NAME(sum) z;
  z.low = x.low + y.low;
  z.high = (NUMBER)((INDEX)x.high + (INDEX)y.high + CARRY(z.low < x.low));
  return z;
}

#ifndef COMBINES_LANES
/* Makes a summand of an integer of one word. */
static inline NAME(sum) NAME(sum_map)(NUMBER x, uint64_t index) {
  NAME(sum) z;
  (void)index;
  z.low = (INDEX)x;
  z.high = SIGN(x);
  return z;
}
#endif
