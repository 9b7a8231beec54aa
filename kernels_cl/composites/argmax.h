/* SPDX-License-Identifier: BSD-2-Clause */
/* The largest value and its index. NaNs rank before all numbers; of equal values the smaller index wins. */
typedef struct PAIR NAME(argmax) {
  NUMBER value;
  INDEX index;
} NAME(argmax);

static inline NAME(argmax) NAME(argmax_combine)(NAME(argmax) a, NAME(argmax) b) {
  int a_is_nan = IS_NAN(a.value);
  int b_is_nan = IS_NAN(b.value);
  const int is_same = b.value == a.value || (a_is_nan && b_is_nan);
  const int is_before = b.value > a.value || (b_is_nan && !a_is_nan);
  if (is_before || (is_same && b.index < a.index)) return b;
  return a;
}
