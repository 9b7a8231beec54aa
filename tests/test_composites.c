/* SPDX-License-Identifier: BSD-2-Clause */
/* Composites: each on strategies of the device, bit for bit as its operator on the host in the canonical order, and
 * right by mathematics that knows nothing of its text; associativity and identity; names and refusals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "composites.h"
#include "reference.h"
#include "reference_operator.h"
#include "support.h"

enum { TRIPLES = 20000, MOST_SIZES = 8 };

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
    for (size_t k = 0; k < 3; k++) { /* each made of two, so that it has all the digits that it may have */
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

/* As numbers: 0 is -0. */
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
  /* What scan_composite.h calls exact. */
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

/* A sum of two pairs of integers, all digits in use, often nearly opposite: within 3 u^2 of itself. */
__extension__ typedef __int128 exact_sum;
#define PAIRS(R, number, digits, u)                                                                                    \
  static number digits_##R(int shift) {                                                                                \
    const double whole = (double)(int64_t)(rng_next(&random_numbers) >> (64 - (digits)));                              \
    return (number)ldexp(rng_below(&random_numbers, 2) ? whole : -whole, shift);                                       \
  }                                                                                                                    \
  static void test_pairs_##R(void **state) {                                                                           \
    (void)state;                                                                                                       \
    for (int i = 0; i < 200000; i++) {                                                                                 \
      /* high is 2^(2 digits + 5) or more: u high is 2^(digits + 5) or more */                                         \
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

/* e^t alone: { 0, 0 } and { t, 1 } make { 0, e^t }. */
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

/* ---- on the device ---- */

static int is_host(void) { return test_info()->backend == SCAN_BACKEND_HOST; }

/* A strategy's kernels take a device's compiler seconds: there the composites take strategies by turns. */
static int takes(size_t turn, scan_strategy strategy) {
  static const scan_strategy turns[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                         SCAN_STRATEGY_BLOCK };
  const char *all = getenv("SCANRT_TEST_STRATEGY");
  if (is_host())
    return strategy == SCAN_STRATEGY_AUTO || strategy == SCAN_STRATEGY_SEQUENTIAL || strategy == SCAN_STRATEGY_THREADS;
  if (all != NULL && strcmp(all, "all") == 0)
    return strategy <= SCAN_STRATEGY_LOOKBACK && strategy != SCAN_STRATEGY_SEQUENTIAL;
  return strategy == turns[turn % 4];
}

/* Around vectors, sub-tiles and tiles; more than a group of small tiles; on the host more than results of 8 MiB
 * of 16 bytes each, which it writes past the cache. */
static size_t list_sizes(size_t bytes, uint64_t sizes[MOST_SIZES]) {
  const uint64_t sub = reference_subtile_items(bytes), tile = sub * reference_most_subtiles(bytes);
  const uint64_t past_cache = is_host() && bytes == 16 ? (8u << 20) / bytes + tile + 7 : 0;
  const uint64_t all[] = { 1, 3, 33, sub + 1, tile, 3 * tile + 17, 128 * sub + 5, past_cache };
  size_t count = 0;
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    const int is_small_tile = all[i] > tile && all[i] <= 128 * sub; /* other kernels: test_operators.c */
    if (all[i] == 0) continue;
    if ((!test_is_small() || all[i] <= 2500) && (is_host() || !is_small_tile)) sizes[count++] = all[i];
  }
  return count;
}

/* A kind of scan: what it starts from. */
struct start {
  scan_kind kind;
  const void *init; /* NULL: none */
};

struct bench {
  const struct composite_case *one;
  const scan_composite_facts *facts;
  struct start start;
  uint64_t n;
  unsigned char *in, *want, *out; /* n elements; an element before them is `init` */
};

static void fail_at(const struct bench *b, const char *strategy, uint64_t at, const char *why) {
  test_fail("%s, strategy %s, %s%s, n=%llu: element %llu %s", b->facts->name, strategy,
            b->start.kind == SCAN_INCLUSIVE ? "inclusive" : "exclusive", b->start.init ? " from init" : "",
            (unsigned long long)b->n, (unsigned long long)at, why);
}

static void expect(const struct bench *b, int sequential) {
  const struct reference_operator reference = { b->facts->value_bytes, b->facts->host, 0, NULL };
  const void *seed = b->start.init ? b->start.init : b->start.kind == SCAN_EXCLUSIVE ? b->facts->identity : NULL;
  reference_operator_scan(&reference, sequential, b->start.kind, seed, b->n, b->in, b->want);
}

/* Additions on an element's way: 1 in a vector of two, 5 in a row, 8 rows, 8 sub-tiles, 7 in the tree, a group of at
 * least 2^15 elements each, and the start; or all of them in sequence. */
static double depth_of(const struct bench *b, int sequential) {
  return sequential ? (double)b->n : 40 + (double)b->n * 0x1p-15;
}

/* By mathematics: an inclusive scan from `init` is that of an array that begins with it. */
static void check(const struct bench *b, const char *strategy, int sequential) {
  if (b->start.kind != SCAN_INCLUSIVE) return;
  const int more = b->start.init != NULL;
  const size_t bytes = b->facts->value_bytes;
  unsigned char *in = b->in, *out = b->out;
  if (more) {
    in -= bytes, out -= bytes;
    memcpy(in, b->start.init, bytes);
    memcpy(out, b->start.init, bytes);
  }
  const uint64_t n = b->n + (uint64_t)more, at = b->one->check(n, in, out, depth_of(b, sequential) + more);
  if (at != n) fail_at(b, strategy, at, "is further off than the rounding of its sum allows");
}

static void compare(const struct bench *b, const char *strategy) {
  const size_t bytes = b->facts->value_bytes;
  if (memcmp(b->out, b->want, (size_t)b->n * bytes) == 0) return;
  uint64_t at = 0;
  while (memcmp(b->out + at * bytes, b->want + at * bytes, bytes) == 0) at++;
  fail_at(b, strategy, at, "has other bits than the operator on the host");
}

static void run(const struct bench *b, scan_strategy strategy, scan_op *op) {
  const char *name = scan_strategy_name(strategy);
  const int sequential = strategy == SCAN_STRATEGY_SEQUENTIAL;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, b->start.kind);
  spec.custom_op = op;
  spec.strategy = strategy;
  spec.has_init = b->start.init != NULL;
  spec.init_bytes = b->start.init;
  memset(b->out, 0xA5, (size_t)b->n * b->facts->value_bytes);
  const scan_status status = scan_run(test_ctx(), &spec, b->n, scan_host(b->in), scan_host(b->out));
  if (status == SCAN_UNSUPPORTED && test_info()->loop_limit != 0) {
    test_skipped("%s, n=%llu: %s", b->facts->name, (unsigned long long)b->n, scan_last_error(test_ctx()));
    return;
  }
  test_ok(test_ctx(), status, "scan_run");
  expect(b, sequential);
  compare(b, name);
  check(b, name, sequential);
  test_ran();
}

static void run_sizes(struct bench *b, scan_strategy strategy, scan_op *op, const uint64_t *sizes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    b->n = sizes[i];
    run(b, strategy, op);
  }
}

static void test_scans(void **state) {
  const struct composite_case *one = *state;
  struct bench b = { .one = one, .facts = facts_of(one) };
  uint64_t sizes[MOST_SIZES];
  scan_op *op = NULL;
  if (b.facts->needs_fp64 && !test_info()->has_fp64) {
    assert_int_equal(scan_composite_create(test_ctx(), one->which, &op), SCAN_UNSUPPORTED);
    test_skipped("%s", scan_last_error(test_ctx()));
    skip();
  }
  test_ok(test_ctx(), scan_composite_create(test_ctx(), one->which, &op), "scan_composite_create");
  const size_t count = list_sizes(b.facts->value_bytes, sizes), item = b.facts->value_bytes;
  const size_t whole = ((size_t)sizes[count - 1] + 1) * item; /* and the element before them */
  unsigned char *in = reference_alloc(whole), *want = reference_alloc(whole), *out = reference_alloc(whole);
  unsigned char *init = reference_alloc(item);
  b.in = in + item, b.want = want + item, b.out = out + item;
  one->fill(&random_numbers, sizes[count - 1], b.in);
  one->fill(&random_numbers, 1, init);
  const struct start starts[] = { { SCAN_INCLUSIVE, NULL }, { SCAN_INCLUSIVE, init }, { SCAN_EXCLUSIVE, NULL } };
  for (int s = SCAN_STRATEGY_AUTO; s <= SCAN_STRATEGY_THREADS; s++)
    for (size_t k = 0; takes((size_t)(one - composite_cases), (scan_strategy)s) && k < 3; k++) {
      b.start = starts[k];
      run_sizes(&b, (scan_strategy)s, op, sizes, count);
    }
  free(in);
  free(want);
  free(out);
  free(init);
  scan_op_destroy(op);
}

/* More than one large group, whose reference is the loop. */
static void test_many(void **state) {
  (void)state;
  enum { MANY = 131 * 4096 + 7 };
  const struct composite_case *one = &composite_cases[2];
  assert_int_equal(one->which, SCAN_AFFINE_U32);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  if (test_is_small() || test_info()->loop_limit != 0) {
    test_skipped("small scale, or a device that ends loops");
    skip();
  }
  scan_affine_u32 *in = reference_alloc(MANY * sizeof *in), *out = reference_alloc(MANY * sizeof *out);
  one->fill(&random_numbers, MANY, in);
  test_ok(test_ctx(), scan_composite_create(test_ctx(), one->which, &spec.custom_op), "scan_composite_create");
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, MANY, scan_host(in), scan_host(out)), "scan_run");
  assert_int_equal(one->check(MANY, in, out, 0), MANY);
  scan_op_destroy(spec.custom_op);
  free(in);
  free(out);
}

/* A recurrence from a start: `b` has the loop's numbers, `a` nothing. */
static void test_recurrence(void **state) {
  (void)state;
  enum { STEPS = 5000 };
  static scan_affine_f64 in[STEPS], out[STEPS];
  const scan_affine_f64 start = { 0, 3.25 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  if (!test_info()->has_fp64) {
    test_skipped("no double precision");
    skip();
  }
  for (int i = 0; i < STEPS; i++) in[i] = (scan_affine_f64){ i % 2 ? 0.5 : -0.875, i % 7 };
  spec.has_init = 1;
  spec.init_bytes = &start;
  test_ok(test_ctx(), scan_composite_create(test_ctx(), SCAN_AFFINE_F64, &spec.custom_op), "scan_composite_create");
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, STEPS, scan_host(in), scan_host(out)), "scan_run");
  scan_op_destroy(spec.custom_op);
  double v = start.b;
  for (int i = 0; i < STEPS; i++) {
    v = in[i].a * v + in[i].b;
    if (out[i].a != 0 || fabs(out[i].b - v) > 1e-13) test_fail("y[%d] is %.17g instead of %.17g", i, out[i].b, v);
  }
}

/* ---- names and refusals ---- */

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

static void test_refusals(void **state) {
  (void)state;
  scan_op *op = NULL;
  assert_int_equal(scan_composite_create(NULL, SCAN_AFFINE_F32, &op), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_composite_create(test_ctx(), SCAN_COMPOSITE_NONE, &op), SCAN_INVALID_ARGUMENT);
  assert_non_null(strstr(scan_last_error(test_ctx()), "0 is no composite"));
  assert_int_equal(scan_composite_create(test_ctx(), (scan_composite)99, &op), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_composite_create(test_ctx(), SCAN_AFFINE_F32, NULL), SCAN_INVALID_ARGUMENT);
  assert_null(op);
}

/* ---- the program ---- */

/* $SCANRT_TEST_COMPOSITES names some of them, by the beginning of their names; else all. */
static int is_wanted(const char *name) {
  const char *list = getenv("SCANRT_TEST_COMPOSITES");
  if (list == NULL || list[0] == '\0') return 1;
  for (; *list != '\0'; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") <= strlen(name) && strncmp(list, name, strcspn(list, ",")) == 0) return 1;
  return 0;
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  static const struct CMUnitTest others[] = { TEST(test_places),      TEST(test_infinite_logarithms),
                                              TEST(test_exponential), TEST(test_pairs_f32),
                                              TEST(test_pairs_f64),   TEST(test_names),
                                              TEST(test_refusals) };
  enum { OTHERS = sizeof others / sizeof others[0] };
  static char names[COMPOSITE_CASES][3][64];
  struct CMUnitTest tests[3 * COMPOSITE_CASES + OTHERS + 2];
  size_t count = 0;
  test_share();
  test_device_open();
  for (size_t i = 0; i < COMPOSITE_CASES; i++) {
    const char *name = scan_composite_name(composite_cases[i].which);
    void *state = (void *)&composite_cases[i];
    if (!is_wanted(name)) continue;
    snprintf(names[i][0], sizeof names[i][0], "%s, associativity", name);
    snprintf(names[i][1], sizeof names[i][1], "%s, identity", name);
    snprintf(names[i][2], sizeof names[i][2], "%s, scans", name);
    if (is_host()) tests[count++] = (struct CMUnitTest){ names[i][0], test_associativity, NULL, NULL, state };
    if (is_host()) tests[count++] = (struct CMUnitTest){ names[i][1], test_identity, NULL, NULL, state };
    tests[count++] = (struct CMUnitTest){ names[i][2], test_scans, NULL, NULL, state };
  }
  if (is_wanted("affine_u32")) tests[count++] = (struct CMUnitTest)TEST(test_many);
  if (is_wanted("affine_f64")) tests[count++] = (struct CMUnitTest)TEST(test_recurrence);
  for (size_t i = 0; i < OTHERS; i++) tests[count++] = others[i];
  return test_exit(_cmocka_run_group_tests("composites", tests, test_shared(tests, count), NULL, NULL));
}
