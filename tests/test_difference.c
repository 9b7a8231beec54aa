/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of neighbours against a plain loop: every type, around the ends of vectors, tiles and runs, each side
 * shifted by elements, in place, backward, by plans, by the call and over host memory; undoing a sum; what is refused.
 */
#include <scanrt/scan_difference.h>

#include "half.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 9 << 20, MARGIN = 64, POISON = 0xA5 };

static const scan_type types[] = { SCAN_I8,  SCAN_U8,  SCAN_I16, SCAN_U16, SCAN_I32, SCAN_U32,
                                   SCAN_I64, SCAN_U64, SCAN_F32, SCAN_F64, SCAN_F16, SCAN_BF16 };
enum { TYPES = sizeof types / sizeof types[0] };

static struct {
  struct rng rng;
  unsigned char *in, *want, *got;
  scan_mem from, to; /* of the device */
} bench = { .rng = { 0xd1ffe2 } };

/* ---- the plain loop ---- */

#define LOOP(T, EXPRESSION)                                                                                            \
  for (uint64_t i = 0; i < n; i++) {                                                                                   \
    const uint64_t j = backward ? i + 1 : i - 1;                                                                       \
    const T a = ((const T *)in)[i], b = j < n ? ((const T *)in)[j] : (T)0;                                             \
    ((T *)out)[i] = j < n ? (T)(EXPRESSION) : a;                                                                       \
  }

static void expect(scan_type type, int backward, uint64_t n, const void *in, void *out) {
  if (type == SCAN_F32)
    LOOP(float, a - b)
  else if (type == SCAN_F64)
    LOOP(double, a - b)
  else if (type == SCAN_F16 || type == SCAN_BF16)
    LOOP(uint16_t, half_nearest(type, (float)half_value(type, a) - (float)half_value(type, b)))
  else if (reference_bytes(type) == 1)
    LOOP(uint8_t, a - b)
  else if (reference_bytes(type) == 2)
    LOOP(uint16_t, a - b)
  else if (reference_bytes(type) == 4)
    LOOP(uint32_t, a - b)
  else
    LOOP(uint64_t, a - b)
}

/* ---- inputs ---- */

/* Halves of exponents near one another, so that differences are rounded, cancel and stay finite; and small ones. */
static uint16_t half_of(scan_type type, uint64_t random) {
  const int bits = type == SCAN_F16 ? 10 : 7, one = type == SCAN_F16 ? 15 : 127;
  const int exponent = random >> 60 == 0 ? 0 : one - 6 + (int)(random >> 40) % 12;
  return (uint16_t)((random & 0x8000) | (uint64_t)exponent << bits | (random >> 16 & ((1u << bits) - 1)));
}

static void fill(scan_type type, uint64_t n, void *out) {
  if (type != SCAN_F16 && type != SCAN_BF16) {
    values_fill(&bench.rng, type, SCAN_ADD, n, n, out);
    return;
  }
  for (uint64_t i = 0; i < n; i++) ((uint16_t *)out)[i] = half_of(type, rng_next(&bench.rng));
}

/* ---- one call ---- */

enum { BACKWARD = 1, IN_PLACE = 2, BY_CALL = 4, ON_HOST = 8 };

static void fail_run(scan_type type, uint64_t n, int how, const uint64_t shift[2], const char *why) {
  test_fail("%s, n=%llu, manner %d, shifts %llu and %llu: %s", scan_type_name(type), (unsigned long long)n, how,
            (unsigned long long)shift[0], (unsigned long long)shift[1], why);
}

static scan_spec spec_of(scan_type type, int how) {
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  if (how & BACKWARD) spec.flags = SCAN_BACKWARD;
  return spec;
}

static scan_status run(scan_type type, scan_plan *plan, uint64_t n, int how, scan_mem in, scan_mem out) {
  const scan_spec spec = spec_of(type, how);
  if (how & (BY_CALL | ON_HOST)) return scan_adjacent_difference(test_ctx(), &spec, n, in, out);
  return scan_plan_run(plan, n, in, out);
}

/* bench.in has the elements, and beyond them. In place one shift counts. */
static void check(scan_type type, scan_plan *plan, uint64_t n, int how, const uint64_t shift[2]) {
  scan_ctx *ctx = test_ctx();
  const size_t bytes = reference_bytes(type), all = (size_t)n * bytes + (size_t)2 * MARGIN;
  const size_t first = MARGIN + (size_t)shift[how & IN_PLACE ? 0 : 1] * bytes, from = MARGIN + (size_t)shift[0] * bytes;
  const int in_place = how & IN_PLACE;
  char text[64];
  memset(bench.got, POISON, all + MARGIN);
  if (in_place) memcpy(bench.got + first, bench.in, (size_t)n * bytes);
  memcpy(bench.want, bench.got, all + MARGIN);
  unsigned char *aligned = reference_alloc((size_t)n * bytes + 1);
  expect(type, how & BACKWARD, n, bench.in, aligned);
  scan_mem in = scan_offset(bench.from, from), out = scan_offset(in_place ? bench.from : bench.to, first);
  unsigned char *host_in = in_place ? bench.got + first : bench.in;
  if (how & ON_HOST) in = scan_host(host_in), out = scan_host(bench.got + first);
  if (!in_place)
    test_ok(ctx, scan_write(ctx, scan_offset(bench.from, from), bench.in, (size_t)n * bytes), "scan_write");
  test_ok(ctx, scan_write(ctx, in_place ? bench.from : bench.to, bench.got, all + MARGIN), "scan_write");
  if (run(type, plan, n, how, in, out) != SCAN_SUCCESS) fail_run(type, n, how, shift, scan_last_error(ctx));
  if (!(how & ON_HOST))
    test_ok(ctx, scan_read(ctx, in_place ? bench.from : bench.to, bench.got, all + MARGIN), "scan_read");
  uint64_t bad = 0;
  while (bad < n && memcmp(bench.got + first + bad * bytes, aligned + bad * bytes, bytes) == 0) bad++;
  snprintf(text, sizeof text, "element %llu is wrong", (unsigned long long)bad);
  if (bad < n) fail_run(type, n, how, shift, text);
  free(aligned);
  memcpy(bench.got + first, bench.want + first, (size_t)n * bytes);
  if (memcmp(bench.got, bench.want, all + MARGIN) != 0)
    fail_run(type, n, how, shift, "bytes beside the output changed");
  test_ran();
}

/* ---- all of them ---- */

static void run_type(scan_type type) {
  static const int manners[] = { 0,       BACKWARD,           IN_PLACE, BACKWARD | IN_PLACE,
                                 BY_CALL, IN_PLACE | BY_CALL, ON_HOST,  BACKWARD | ON_HOST | IN_PLACE };
  static const uint64_t shifts[][2] = { { 0, 0 }, { 1, 1 }, { 0, 1 }, { 1, 0 }, { 3, 2 } };
  const uint64_t bytes = reference_bytes(type), vector = 16 / bytes, tile = 16384 / bytes, item_tile = 65536 / bytes;
  const uint64_t sizes[] = { 1,
                             2,
                             vector - 1,
                             vector,
                             vector + 1,
                             2 * vector + 3,
                             33 * vector + 1,
                             tile - 1,
                             tile,
                             tile + 1,
                             2 * tile - 2,
                             item_tile - 1,
                             item_tile,
                             item_tile + 1,
                             5 * item_tile + 7,
                             MOST_BYTES / bytes - 2 * MARGIN }; /* stores bypass caches */
  const int is_small = test_is_small() || test_info()->loop_limit;
  const size_t size_count = sizeof sizes / sizeof sizes[0] - (is_small ? 1 : 0);
  if (!test_has_type(type)) {
    test_skipped("the device has no %s", scan_type_name(type));
    return;
  }
  fill(type, sizes[size_count - 1], bench.in);
  for (size_t m = 0; m < sizeof manners / sizeof manners[0]; m++) {
    const scan_spec spec = spec_of(type, manners[m]);
    scan_plan *plan = NULL;
    test_ok(test_ctx(), scan_plan_create_adjacent_difference(test_ctx(), &spec, sizes[size_count - 1], &plan),
            "scan_plan_create_adjacent_difference");
    for (size_t i = 0; i < size_count; i++)
      for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++)
        if (sizes[i] < item_tile * 5 || s == m % 3) check(type, plan, sizes[i], manners[m], shifts[s]);
    scan_plan_destroy(plan);
  }
}

#define TYPE_TEST(name, type)                                                                                          \
  static void test_##name(void **state) {                                                                              \
    (void)state;                                                                                                       \
    run_type(type);                                                                                                    \
  }
TYPE_TEST(i8, SCAN_I8)
TYPE_TEST(u8, SCAN_U8)
TYPE_TEST(i16, SCAN_I16)
TYPE_TEST(u16, SCAN_U16)
TYPE_TEST(i32, SCAN_I32)
TYPE_TEST(u32, SCAN_U32)
TYPE_TEST(i64, SCAN_I64)
TYPE_TEST(u64, SCAN_U64)
TYPE_TEST(f32, SCAN_F32)
TYPE_TEST(f64, SCAN_F64)
TYPE_TEST(f16, SCAN_F16)
TYPE_TEST(bf16, SCAN_BF16)

/* A sum, by the host, and its differences, in place: what was there. One spec does for both. */
static void test_undoes_a_sum(void **state) {
  scan_ctx *ctx = test_ctx(), *host = NULL;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  (void)state;
  options.device = "host";
  test_ok(NULL, scan_ctx_create(&options, &host), "scan_ctx_create");
  for (size_t t = 0; t < TYPES; t++) {
    const scan_type type = types[t];
    const uint64_t bytes = reference_bytes(type), n = test_is_small() ? 9001 : 300001;
    if (type >= SCAN_F32) continue;
    for (int how = 0; how <= BACKWARD; how++) {
      const scan_spec spec = spec_of(type, how);
      fill(type, n, bench.in);
      test_ok(host, scan_run(host, &spec, n, scan_host(bench.in), scan_host(bench.got)), "scan_run");
      test_ok(ctx, scan_write(ctx, bench.from, bench.got, n * bytes), "scan_write");
      test_ok(ctx, scan_adjacent_difference(ctx, &spec, n, bench.from, bench.from), "scan_adjacent_difference");
      test_ok(ctx, scan_read(ctx, bench.from, bench.got, n * bytes), "scan_read");
      if (memcmp(bench.got, bench.in, n * bytes) != 0)
        test_fail("%s%s: the differences of a sum are not what was summed", scan_type_name(type),
                  how ? ", backward" : "");
    }
  }
  scan_ctx_destroy(host);
}

/* What is copied keeps its bits; zeros, infinities and numbers that overflow. */
static void test_special_halves(void **state) {
  static const uint16_t in[] = { 0x7e55, 0x7c00, 0xfc00, 0x7bff, 0xfbff, 0x8000, 0x0000, 0x0001, 0x8001, 0x03ff };
  static const uint16_t want[] = { 0x7e55, 0, 0xfc00, 0x7c00, 0xfc00, 0x7bff, 0x0000, 0x0001, 0x8002, 0x0400 };
  enum { COUNT = sizeof in / sizeof in[0] };
  const scan_spec spec = spec_of(SCAN_F16, 0);
  uint16_t out[COUNT] = { 0 };
  (void)state;
  test_ok(test_ctx(), scan_adjacent_difference(test_ctx(), &spec, COUNT, scan_host(in), scan_host(out)), "difference");
  if ((out[1] & 0x7fff) <= 0x7c00) test_fail("the difference of a NaN is 0x%x", (unsigned)out[1]);
  for (int i = 0; i < COUNT; i++)
    if (i != 1 && out[i] != want[i]) test_fail("element %d is 0x%x, not 0x%x", i, (unsigned)out[i], (unsigned)want[i]);
}

static void refused(const scan_spec *spec, scan_mem out, const char *word) {
  scan_ctx *ctx = test_ctx();
  const scan_status status = scan_adjacent_difference(ctx, spec, 100, bench.from, out);
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(ctx), word) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(ctx), word);
}

static void test_refusals(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_MAX, SCAN_INCLUSIVE);
  (void)state;
  refused(&spec, bench.to, "differences undo");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  refused(&spec, bench.to, "differences undo");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE);
  spec.input_type = SCAN_I32;
  refused(&spec, bench.to, "differences undo");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.flags = SCAN_CHECK_OVERFLOW;
  refused(&spec, bench.to, "differences undo");
  spec.flags = 0;
  refused(&spec, scan_offset(bench.from, 4), "overlap");
  test_ok(ctx, scan_adjacent_difference(ctx, &spec, 0, bench.from, bench.to), "n = 0");
  test_ok(ctx, scan_plan_create_adjacent_difference(ctx, &spec, 1 << 20, &plan), "plan");
  scan_args args = SCAN_ARGS_INIT(bench.from, bench.to);
  args.carry_out = scan_offset(bench.to, MOST_BYTES);
  if (scan_plan_run_args(plan, 100, &args) == SCAN_SUCCESS) test_fail("a carry was taken");
  test_ok(ctx, scan_plan_run(plan, 0, bench.from, bench.to), "n = 0");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.strategy != SCAN_STRATEGY_AUTO || facts.launches != 1 || facts.work != (1 << 20) - 1)
    test_fail("the facts are wrong: strategy %d, %u launches", (int)facts.strategy, (unsigned)facts.launches);
  scan_plan_destroy(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_i8),
    cmocka_unit_test(test_u8),
    cmocka_unit_test(test_i16),
    cmocka_unit_test(test_u16),
    cmocka_unit_test(test_i32),
    cmocka_unit_test(test_u32),
    cmocka_unit_test(test_i64),
    cmocka_unit_test(test_u64),
    cmocka_unit_test(test_f32),
    cmocka_unit_test(test_f64),
    cmocka_unit_test(test_f16),
    cmocka_unit_test(test_bf16),
    cmocka_unit_test_setup(test_undoes_a_sum, test_count_setup),
    cmocka_unit_test_setup(test_special_halves, test_count_setup),
    cmocka_unit_test_setup(test_refusals, test_count_setup),
  };
  scan_ctx *ctx = test_device_open();
  const size_t bytes = MOST_BYTES + (size_t)4 * MARGIN;
  bench.in = reference_alloc(bytes);
  bench.want = reference_alloc(bytes);
  bench.got = reference_alloc(bytes);
  test_ok(ctx, scan_alloc(ctx, bytes, &bench.from), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, bytes, &bench.to), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("difference", tests, NULL, NULL));
}
