/* SPDX-License-Identifier: BSD-2-Clause */
/* An unevaluated sum high + low, |low| at most half a unit of high's last place. */
typedef struct PAIR NAME(compensated) {
  NUMBER high;
  NUMBER low;
} NAME(compensated);

/* Returns a + b and its rounding error, exactly (Moeller, 1965; Knuth, "The Art of Computer Programming", volume 2,
 * 4.2.2). */
static inline NAME(compensated) NAME(two_sum)(NUMBER a, NUMBER b) {
  NAME(compensated) s;
  s.high = a + b;
  const NUMBER b_part = s.high - a;
  const NUMBER a_part = s.high - b_part;
  s.low = (a - a_part) + (b - b_part);
  return s;
}

/* Returns a + b and its rounding error, exactly, for |a| >= |b| (Dekker, 1971). */
static inline NAME(compensated) NAME(fast_two_sum)(NUMBER a, NUMBER b) {
  NAME(compensated) s;
  s.high = a + b;
  s.low = b - (s.high - a);
  return s;
}

/* AccurateDWPlusDW of Joldes, Muller and Popescu, "Tight and Rigorous Error Bounds for Basic Building Blocks of
 * Double-Word Arithmetic", ACM Transactions on Mathematical Software 44, 2017: an error of at most 3 u^2 + 13 u^3 of
 * the sum, u half a unit of 1's last place. */
static inline NAME(compensated) NAME(compensated_combine)(NAME(compensated) a, NAME(compensated) b) {
  const NAME(compensated) s = NAME(two_sum)(a.high, b.high);
  const NAME(compensated) t = NAME(two_sum)(a.low, b.low);
  const NAME(compensated) v = NAME(fast_two_sum)(s.high, s.low + t.high);
  return NAME(fast_two_sum)(v.high, t.low + v.low);
}
