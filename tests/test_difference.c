/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests adjacent differences: the inverse of a sum, special values of halves, refusals. The cases have the rest. */
#include <scanrt/scan_difference.h>

#include "reference.h"
#include "support.h"
#include "values.h"

#include <string.h>

enum { MOST_BYTES = 9 << 20, MARGIN = 64 };

static const scan_type types[] = { SCAN_I8,  SCAN_U8,  SCAN_I16, SCAN_U16, SCAN_I32, SCAN_U32,
                                   SCAN_I64, SCAN_U64, SCAN_F32, SCAN_F64, SCAN_F16, SCAN_BF16 };
enum { TYPES = sizeof types / sizeof types[0] };

static struct {
  struct rng rng;
  unsigned char *in, *got;
  scan_mem from, to; /* device memory */
} fixture = { .rng = { 0xd1ffe2 } };

enum { BACKWARD = 1 };

static scan_spec spec_of(scan_type type, int how) {
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  if (how & BACKWARD) spec.flags = SCAN_BACKWARD;
  return spec;
}

/* Sums on the host and takes differences in place, which must restore the input. One spec serves for both. */
static void test_undoes_a_sum(void **state) {
  scan_ctx *ctx = test_ctx(), *host = NULL;
  (void)state;
  host = test_ctx_on("host");
  for (size_t t = 0; t < TYPES; t++) {
    const scan_type type = types[t];
    const uint64_t bytes = reference_bytes(type), n = test_is_small() ? 9001 : 300001;
    if (type >= SCAN_F32) continue;
    for (int how = 0; how <= BACKWARD; how++) {
      const scan_spec spec = spec_of(type, how);
      values_fill(&fixture.rng, type, SCAN_ADD, n, n, fixture.in);
      test_ok(host, scan_run(host, &spec, n, scan_host(fixture.in), scan_host(fixture.got)), "scan_run");
      test_ok(ctx, scan_write(ctx, fixture.from, fixture.got, n * bytes), "scan_write");
      test_ok(ctx, scan_adjacent_difference(ctx, &spec, n, fixture.from, fixture.from), "scan_adjacent_difference");
      test_ok(ctx, scan_read(ctx, fixture.from, fixture.got, n * bytes), "scan_read");
      if (memcmp(fixture.got, fixture.in, n * bytes) != 0)
        test_fail("%s%s: the differences of a sum are not what was summed", scan_type_name(type),
                  how ? ", backward" : "");
    }
  }
  scan_ctx_destroy(host);
}

/* The first element keeps its bits; then zeros, infinities and differences that overflow. */
static void test_special_halves(void **state) {
  static const uint16_t in[] = { 0x7e55, 0x7c00, 0xfc00, 0x7bff, 0xfbff, 0x8000, 0x0000, 0x0001, 0x8001, 0x03ff };
  static const uint16_t want[] = { 0x7e55, 0x7e00, 0xfc00, 0x7c00, 0xfc00, 0x7bff, 0x0000, 0x0001, 0x8002, 0x0400 };
  enum { COUNT = sizeof in / sizeof in[0] };
  const scan_spec spec = spec_of(SCAN_F16, 0);
  uint16_t out[COUNT] = { 0 };
  (void)state;
  test_ok(test_ctx(), scan_adjacent_difference(test_ctx(), &spec, COUNT, scan_host(in), scan_host(out)), "difference");
  for (int i = 0; i < COUNT; i++)
    if (out[i] != want[i]) test_fail("element %d is 0x%x, not 0x%x", i, (unsigned)out[i], (unsigned)want[i]);
}

static void refused(const scan_spec *spec, scan_mem out, const char *word) {
  scan_ctx *ctx = test_ctx();
  test_refusal(ctx, scan_adjacent_difference(ctx, spec, 100, fixture.from, out), SCAN_INVALID_ARGUMENT, word);
}

static void test_refusals(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_MAX, SCAN_INCLUSIVE);
  (void)state;
  refused(&spec, fixture.to, "differences undo");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  refused(&spec, fixture.to, "differences undo");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE);
  spec.input_type = SCAN_I32;
  refused(&spec, fixture.to, "differences undo");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.flags = SCAN_CHECK_OVERFLOW;
  refused(&spec, fixture.to, "differences undo");
  spec.flags = 0;
  refused(&spec, scan_offset(fixture.from, 4), "overlap");
  test_ok(ctx, scan_adjacent_difference(ctx, &spec, 0, fixture.from, fixture.to), "n = 0");
  test_ok(ctx, scan_plan_create_adjacent_difference(ctx, &spec, 1 << 20, &plan), "plan");
  scan_args args = SCAN_ARGS_INIT(fixture.from, fixture.to);
  args.carry_out = scan_offset(fixture.to, MOST_BYTES);
  if (scan_plan_run_args(plan, 100, &args) == SCAN_SUCCESS) test_fail("a carry was taken");
  test_ok(ctx, scan_plan_run(plan, 0, fixture.from, fixture.to), "n = 0");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.strategy != SCAN_STRATEGY_AUTO || facts.launches != 1 || facts.work != (1 << 20) - 1)
    test_fail("the facts are wrong: strategy %d, %u launches", (int)facts.strategy, (unsigned)facts.launches);
  scan_plan_destroy(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_undoes_a_sum, test_count_setup),
    cmocka_unit_test_setup(test_special_halves, test_count_setup),
    cmocka_unit_test_setup(test_refusals, test_count_setup),
  };
  scan_ctx *ctx = test_device_open();
  const size_t bytes = MOST_BYTES + (size_t)4 * MARGIN;
  fixture.in = reference_alloc(bytes);
  fixture.got = reference_alloc(bytes);
  test_ok(ctx, scan_alloc(ctx, bytes, &fixture.from), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, bytes, &fixture.to), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("difference", tests, NULL, NULL));
}
