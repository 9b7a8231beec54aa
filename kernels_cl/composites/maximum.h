/* SPDX-License-Identifier: BSD-2-Clause */
/* The greater of two integers of two words. */
typedef struct PAIR NAME(maximum) {
  INDEX low;
  NUMBER high;
} NAME(maximum);

static inline NAME(maximum) NAME(maximum_combine)(NAME(maximum) x, NAME(maximum) y) {
  const int is_before = y.high > x.high || (y.high == x.high && y.low > x.low);
  return is_before ? y : x;
}
