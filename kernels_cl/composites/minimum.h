/* SPDX-License-Identifier: BSD-2-Clause */
/* The lesser of two integers of two words. */
typedef struct PAIR NAME(minimum) {
  INDEX low;
  NUMBER high;
} NAME(minimum);

static inline NAME(minimum) NAME(minimum_combine)(NAME(minimum) x, NAME(minimum) y) {
  const int is_before = y.high < x.high || (y.high == x.high && y.low < x.low);
  return is_before ? y : x;
}
