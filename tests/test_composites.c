/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests composites on the host: results by independent mathematics, associativity and identity, special values, names.
 * Cases check that devices give the same bits (tools/cases/). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "composites.h"
#include "reference.h"
#include "reference_operator.h"
#include "support.h"

enum { TRIPLES = 20000 };

static struct rng random_numbers = { 0xc0390517e5 };

static const scan_composite_facts *facts_of(const struct composite_case *one) {
  const scan_composite_facts *facts = scan_composite_get(one->which);
  assert_non_null(facts);
  return facts;
}

/* ---- the operator by itself ---- */

static void test_associativity(void **state) {
  const struct composite_case *one = *state;
  const scan_composite_facts *f = facts_of(one);
  _Alignas(16) unsigned char x[3 * SCAN_OP_MOST_BYTES], two[2 * SCAN_OP_MOST_BYTES], pair[SCAN_OP_MOST_BYTES],
      left[SCAN_OP_MOST_BYTES], right[SCAN_OP_MOST_BYTES];
  int differ = 0;
  for (int i = 0; i < TRIPLES; i++) {
    for (size_t k = 0; k < 3; k++) { /* each is a combination of two, so that all its digits are used */
      one->fill(&random_numbers, 2, two);
      f->host(two, two + f->value_bytes, x + k * f->value_bytes, NULL);
    }
    f->host(x, x + f->value_bytes, pair, NULL);
    f->host(pair, x + 2 * f->value_bytes, left, NULL);
    f->host(x + f->value_bytes, x + 2 * f->value_bytes, pair, NULL);
    f->host(x, pair, right, NULL);
    const int same = memcmp(left, right, f->value_bytes) == 0;
    differ |= !same;
    if (!same && (one->is_exact || !one->is_close(x, left, right))) test_fail("%s: triple %d", f->name, i);
  }
  if (!one->is_exact && !differ) test_fail("%s is exact on these triples: they show nothing of its rounding", f->name);
  test_ran();
}

/* 1 if the numbers are equal; 0 equals -0. */
static int same_numbers(const char *name, size_t bytes, const void *a, const void *b) {
  if (memcmp(a, b, bytes) == 0) return 1;
  const char *kind = strrchr(name, '_');
  if (strcmp(kind, "_f32") == 0) {
    for (size_t i = 0; i < bytes / sizeof(float); i++)
      if (((const float *)a)[i] != ((const float *)b)[i]) return 0;
    return 1;
  }
  if (strcmp(kind, "_f64") != 0) return 0;
  for (size_t i = 0; i < bytes / sizeof(double); i++)
    if (((const double *)a)[i] != ((const double *)b)[i]) return 0;
  return 1;
}

static void test_identity(void **state) {
  const struct composite_case *one = *state;
  const scan_composite_facts *f = facts_of(one);
  _Alignas(16) unsigned char x[SCAN_OP_MOST_BYTES], before[SCAN_OP_MOST_BYTES], after[SCAN_OP_MOST_BYTES];
  /* as in scan_composite.h */
  const int is_exact = one->is_exact || one->which == SCAN_LOGSUMEXP_F32 || one->which == SCAN_LOGSUMEXP_F64;
  for (int i = 0; i < TRIPLES; i++) {
    one->fill(&random_numbers, 1, x);
    f->host(f->identity, x, before, NULL);
    f->host(x, f->identity, after, NULL);
    const int same =
        is_exact ? !memcmp(before, x, f->value_bytes) && !memcmp(after, x, f->value_bytes)
                 : same_numbers(f->name, f->value_bytes, before, x) && same_numbers(f->name, f->value_bytes, after, x);
    if (!same) test_fail("%s: the identity changes element %d", f->name, i);
  }
  test_ran();
}

/* ---- special values ---- */

static void combine(scan_composite which, const void *a, const void *b, void *result) {
  scan_composite_get(which)->host(a, b, result, NULL);
}

static void test_places(void **state) {
  (void)state;
  scan_arg_f32 r;
  const scan_arg_f32 nan = { NAN, 7 }, later = { NAN, 9 }, one = { 1, 8 }, zero = { 0.0f, 5 }, minus = { -0.0f, 4 };
  const scan_arg_f32 infinite = { INFINITY, 3 }, lowest = { -INFINITY, 2 };
  static const scan_composite both[] = { SCAN_ARGMIN_F32, SCAN_ARGMAX_F32 };
  for (int i = 0; i < 2; i++) {
    combine(both[i], &one, &nan, &r), assert_int_equal(r.index, 7);
    combine(both[i], &nan, &lowest, &r), assert_int_equal(r.index, 7);
    combine(both[i], &nan, &infinite, &r), assert_int_equal(r.index, 7);
    combine(both[i], &later, &nan, &r), assert_int_equal(r.index, 7);
    combine(both[i], &nan, &later, &r), assert_int_equal(r.index, 7);
    combine(both[i], &zero, &minus, &r), assert_int_equal(r.index, 4);
    combine(both[i], &minus, &zero, &r), assert_int_equal(r.index, 4);
    combine(both[i], scan_composite_get(both[i])->identity, i ? &lowest : &infinite, &r);
    assert_int_equal(r.index, i ? 2 : 3);
  }
  combine(SCAN_ARGMIN_F32, &infinite, &lowest, &r), assert_int_equal(r.index, 2);
  combine(SCAN_ARGMAX_F32, &infinite, &lowest, &r), assert_int_equal(r.index, 3);
}

static void test_infinite_logarithms(void **state) {
  (void)state;
  scan_logsumexp_f64 r;
  const scan_logsumexp_f64 none = { -INFINITY, 1 }, most = { INFINITY, 1 }, one = { 1, 3 }, nan = { NAN, 1 };
  combine(SCAN_LOGSUMEXP_F64, &none, &none, &r);
  assert_true(r.max < 0 && isinf(r.max) && r.sum == 2);
  combine(SCAN_LOGSUMEXP_F64, &none, &one, &r);
  assert_true(r.max == 1 && r.sum == 3);
  combine(SCAN_LOGSUMEXP_F64, &one, &most, &r);
  assert_true(r.max > 0 && isinf(r.max) && r.sum == 1);
  combine(SCAN_LOGSUMEXP_F64, &most, &most, &r);
  assert_true(r.max > 0 && isinf(r.max) && r.sum == 2);
  combine(SCAN_LOGSUMEXP_F64, &nan, &most, &r);
  assert_true(isnan(r.max));
  combine(SCAN_LOGSUMEXP_F64, &most, &nan, &r);
  assert_true(isnan(r.max));
}

/* Tests a sum of two pairs: integers with all digits in use, often nearly opposite. Its error is at most 3 u^2 of the
 * sum. */
__extension__ typedef __int128 exact_sum;
#define PAIRS(R, number, digits, u)                                                                                    \
  static number digits_##R(int shift) {                                                                                \
    const double whole = (double)(int64_t)(rng_next(&random_numbers) >> (64 - (digits)));                              \
    return (number)ldexp(rng_below(&random_numbers, 2) ? whole : -whole, shift);                                       \
  }                                                                                                                    \
  static void test_pairs_##R(void **state) {                                                                           \
    (void)state;                                                                                                       \
    for (int i = 0; i < 200000; i++) {                                                                                 \
      /* |high| is at least 2^(2 digits + 5), so that u |high| is at least 2^(digits + 5) */                           \
      scan_compensated_##R x = { digits_##R((digits) + 6), digits_##R(i % 6) }, y = x, r;                              \
      x.high += x.high < 0 ? -(number)ldexp(1, 2 * (digits) + 5) : (number)ldexp(1, 2 * (digits) + 5);                 \
      y.high = digits_##R((digits) + 6);                                                                               \
      y.high += y.high < 0 ? -(number)ldexp(1, 2 * (digits) + 5) : (number)ldexp(1, 2 * (digits) + 5);                 \
      if (i % 2) y.high = -x.high;                                                                                     \
      y.low = digits_##R((i / 2) % 6);                                                                                 \
      const exact_sum sum = (exact_sum)x.high + (exact_sum)x.low + (exact_sum)y.high + (exact_sum)y.low;               \
      combine((digits) == 24 ? SCAN_COMPENSATED_F32 : SCAN_COMPENSATED_F64, &x, &y, &r);                               \
      const long double off = (long double)((exact_sum)r.high + (exact_sum)r.low - sum);                               \
      if (!(fabsl(off) <= 3.0001L * (u) * (u)*fabsl((long double)sum))) test_fail(#R ": pair %d is %Lg off", i, off);  \
    }                                                                                                                  \
  }
PAIRS(f32, float, 24, 0x1p-24L)
PAIRS(f64, double, 53, 0x1p-53L)

/* Tests the exponential: { 0, 0 } and { t, 1 } give { 0, e^t }. */
static void test_exponential(void **state) {
  (void)state;
  const scan_logsumexp_f32 nothing = { 0, 0 };
  const scan_logsumexp_f64 nothing64 = { 0, 0 };
  for (int i = 0; i <= 1000000; i++) {
    const scan_logsumexp_f32 x = { -87.0f * (float)i / 1000000, 1 };
    const scan_logsumexp_f64 x64 = { -708.0 * i / 1000000, 1 };
    scan_logsumexp_f32 r;
    scan_logsumexp_f64 r64;
    combine(SCAN_LOGSUMEXP_F32, &nothing, &x, &r);
    combine(SCAN_LOGSUMEXP_F64, &nothing64, &x64, &r64);
    const long double e = expl((long double)x.max), e64 = expl((long double)x64.max);
    if (!(fabsl((long double)r.sum - e) <= 2.5L * 0x1p-24L * e)) test_fail("f32: e^%a is not %a", x.max, r.sum);
    if (!(fabsl((long double)r64.sum - e64) <= 2.5L * 0x1p-53L * e64))
      test_fail("f64: e^%a is not %a", x64.max, r64.sum);
  }
}

/* ---- scans on the host, in sequence and in the canonical order ---- */

/* Returns the most additions on an element's path: 1 in a vector of two, 5 in a row, 8 rows, 8 sub-tiles, 7 in the
 * tree, and one for each group of at least 2^15 elements; or n in sequence. */
static double depth_of(uint64_t n, int sequential) { return sequential ? (double)n : 40 + (double)n * 0x1p-15; }

/* Checks scans by mathematics. Cases check that devices give the host's bits. */
static void test_scans(void **state) {
  const struct composite_case *one = *state;
  const scan_composite_facts *f = facts_of(one);
  const struct reference_operator reference = { f->value_bytes, f->host, 0, NULL };
  const uint64_t sub = reference_subtile_items(f->value_bytes), tile = sub * reference_most_subtiles(f->value_bytes);
  const uint64_t sizes[] = { 1, 3, 33, sub + 1, tile, 3 * tile + 17, 131 * sub + 5 };
  const uint64_t most = sizes[6] > sizes[5] ? sizes[6] : sizes[5];
  unsigned char *in = reference_alloc((size_t)most * f->value_bytes);
  unsigned char *out = reference_alloc((size_t)most * f->value_bytes);
  one->fill(&random_numbers, most, in);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (int sequential = 0; sequential < 2; sequential++) {
      const uint64_t n = sizes[i];
      reference_operator_scan(&reference, sequential, SCAN_INCLUSIVE, NULL, n, in, out);
      const uint64_t at = one->check(n, in, out, depth_of(n, sequential));
      if (at != n)
        test_fail("%s, n=%llu: element %llu is further off than the rounding of its sum allows", f->name,
                  (unsigned long long)n, (unsigned long long)at);
    }
  free(in);
  free(out);
  test_ran();
}

/* ---- names ---- */

static void test_names(void **state) {
  (void)state;
  scan_composite which = SCAN_COMPOSITE_NONE;
  for (int i = 1; i <= COMPOSITE_CASES; i++) {
    const scan_composite_facts *f = scan_composite_get((scan_composite)i);
    assert_non_null(f);
    assert_int_equal(composite_cases[i - 1].which, i);
    assert_string_equal(scan_composite_name((scan_composite)i), f->name);
    assert_int_equal(scan_composite_parse(f->name, &which), SCAN_SUCCESS);
    assert_int_equal(which, i);
    assert_true(f->value_bytes <= SCAN_OP_MOST_BYTES && f->value_bytes % f->value_align == 0);
    assert_int_equal(f->needs_fp64, strstr(f->name, "_f64") != NULL);
  }
  assert_null(scan_composite_get(SCAN_COMPOSITE_NONE));
  assert_null(scan_composite_get((scan_composite)(COMPOSITE_CASES + 1)));
  assert_null(scan_composite_name((scan_composite)-1));
  assert_int_equal(scan_composite_parse("affine", &which), SCAN_INVALID_ARGUMENT);
  assert_int_equal(which, SCAN_COMPOSITE_NONE);
  assert_int_equal(scan_composite_parse(NULL, &which), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_composite_parse("affine_f32", NULL), SCAN_INVALID_ARGUMENT);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  static const struct CMUnitTest others[] = { TEST(test_places),      TEST(test_infinite_logarithms),
                                              TEST(test_exponential), TEST(test_pairs_f32),
                                              TEST(test_pairs_f64),   TEST(test_names) };
  enum { OTHERS = sizeof others / sizeof others[0] };
  static char names[COMPOSITE_CASES][3][64];
  struct CMUnitTest tests[3 * COMPOSITE_CASES + OTHERS];
  size_t count = 0;
  test_device_open();
  for (size_t i = 0; i < COMPOSITE_CASES; i++) {
    const char *name = scan_composite_name(composite_cases[i].which);
    void *state = (void *)&composite_cases[i];
    snprintf(names[i][0], sizeof names[i][0], "%s, associativity", name);
    snprintf(names[i][1], sizeof names[i][1], "%s, identity", name);
    snprintf(names[i][2], sizeof names[i][2], "%s, scans", name);
    tests[count++] = (struct CMUnitTest){ names[i][0], test_associativity, NULL, NULL, state };
    tests[count++] = (struct CMUnitTest){ names[i][1], test_identity, NULL, NULL, state };
    tests[count++] = (struct CMUnitTest){ names[i][2], test_scans, NULL, NULL, state };
  }
  for (size_t i = 0; i < OTHERS; i++) tests[count++] = others[i];
  return test_exit(_cmocka_run_group_tests("composites", tests, count, NULL, NULL));
}
