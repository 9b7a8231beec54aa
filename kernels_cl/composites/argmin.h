/* SPDX-License-Identifier: BSD-2-Clause */
/* The smallest value and its index. NaNs rank before all numbers; of equal values the smaller index wins. */
typedef struct PAIR NAME(argmin) {
  NUMBER value;
  INDEX index;
} NAME(argmin);

static inline NAME(argmin) NAME(argmin_combine)(NAME(argmin) a, NAME(argmin) b) {
  int a_is_nan = IS_NAN(a.value);
  int b_is_nan = IS_NAN(b.value);
  const int is_same = b.value == a.value || (a_is_nan && b_is_nan);
  const int is_before = b.value < a.value || (b_is_nan && !a_is_nan);
  if (is_before || (is_same && b.index < a.index)) return b;
  return a;
}
