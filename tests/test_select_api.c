/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests compaction: invalid sources of predicates, facts of plans, errors at the next wait. */
#include <scanrt/scan_partition.h>
#include <scanrt/scan_select.h>

#include "support.h"

#include <string.h>

SCAN_OP_TEXT(
    even_text, static inline int is_even(uint32_t x, uint64_t index) {
      (void)index;
      return x % 2 == 0;
    });
SCAN_KEEP_HOST(even_host, uint32_t, is_even);

static struct { scan_mem in, out, count; } memory;

static scan_select_args args_of(void) {
  return (scan_select_args)SCAN_SELECT_ARGS_INIT(memory.in, scan_offset(memory.in, 4096), memory.out, memory.count);
}

/* Invalid sources of predicates. */
static void test_sources(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_predicate_source source = SCAN_PREDICATE_INIT(even_text, uint32_t, is_even);
  scan_op *none = NULL;
  (void)state;
  source.host = even_host;
  source.element_bytes = 65;
  if (scan_predicate_create(ctx, &source, &none) != SCAN_INVALID_ARGUMENT) test_fail("65 bytes were taken");
  source.element_bytes = sizeof(uint32_t);
  source.is_pair = 2;
  if (scan_predicate_create(ctx, &source, &none) != SCAN_INVALID_ARGUMENT) test_fail("is_pair of 2 was taken");
  source = (scan_predicate_source)SCAN_PREDICATE_INIT("int f(int x, uint64_t i) { return x", int32_t, f);
  if (test_info()->backend != SCAN_BACKEND_HOST && scan_predicate_create(ctx, &source, &none) != SCAN_BUILD_FAILED)
    test_fail("an open brace was taken");
}

static void test_facts(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_predicate_source source = SCAN_PREDICATE_INIT(even_text, uint32_t, is_even);
  scan_op *even = NULL;
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  test_ok(ctx, scan_plan_create_select(ctx, &spec, 100, &plan), "scan_plan_create_select");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  const uint32_t launches = facts.strategy == SCAN_STRATEGY_AUTO ? 3 : 1;
  if (facts.launches != launches || facts.tiles != 1 || facts.work != 100) test_fail("the facts are wrong");
  scan_plan_destroy(plan);
  source.host = even_host;
  test_ok(ctx, scan_predicate_create(ctx, &source, &even), "scan_predicate_create");
  const scan_partition3_spec three = SCAN_PARTITION3_SPEC_INIT(even, even, sizeof(uint32_t));
  test_ok(ctx, scan_plan_create_partition3(ctx, &three, 100, &plan), "scan_plan_create_partition3");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  const uint32_t most = facts.strategy == SCAN_STRATEGY_PIPELINED  ? 1
                        : facts.strategy == SCAN_STRATEGY_LOOKBACK ? 2
                                                                   : 0;
  if (most != 0 ? facts.launches != most : facts.launches < 4) test_fail("%u launches", facts.launches);
  if (facts.max_n != 100) test_fail("the facts of a partition into three are wrong");
  scan_plan_destroy(plan);
  scan_op_destroy(even);
}

/* More elements than the call's n: reported once, at the next wait. The output within the capacity is right. */
static void test_n_overflow(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_select_args args = args_of();
  const uint64_t n = 101;
  unsigned char flags[200];
  uint64_t count = 0;
  (void)state;
  memset(flags, 1, sizeof flags);
  args.n_from = scan_offset(memory.count, 8);
  test_ok(ctx, scan_write(ctx, args.n_from, &n, sizeof n), "scan_write");
  test_ok(ctx, scan_write(ctx, args.marks, flags, sizeof flags), "scan_write");
  for (int is_destroyed = 0; is_destroyed < 2; is_destroyed++) {
    scan_plan *plan = NULL;
    test_ok(ctx, scan_plan_create_select(ctx, &spec, 100, &plan), "scan_plan_create_select");
    test_ok(ctx, scan_plan_run_select(plan, 100, &args), "scan_plan_run_select");
    if (is_destroyed) scan_plan_destroy(plan);
    if (scan_sync(ctx) != SCAN_INVALID_ARGUMENT) test_fail("n past the plan's was not told");
    test_ok(ctx, scan_sync(ctx), "what was told is not told again");
    if (!is_destroyed) scan_plan_destroy(plan);
  }
  test_ok(ctx, scan_select(ctx, &spec, 100, &args), "scan_select");
  if (scan_sync(ctx) != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(ctx), "had 101 elements") == NULL)
    test_fail("n past the call's was not told: %s", scan_last_error(ctx));
  test_ok(ctx, scan_read(ctx, memory.count, &count, sizeof count), "scan_read");
  if (count != 100) test_fail("the count is %llu", (unsigned long long)count);
}

/* With capacity 0 an in-place output is not written: its elements stay, and the rest is copied from them. */
static void test_no_room_in_place(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, 4);
  scan_select_args args = { .struct_bytes = sizeof args, .capacity = SCAN_NO_CAPACITY, .count = memory.count };
  uint32_t keys[100], got[100];
  uint64_t count = 0;
  (void)state;
  for (uint32_t i = 0; i < 100; i++) keys[i] = i / 4;
  spec.key_type = SCAN_U32;
  spec.rest = SCAN_REST_APART;
  spec.in_place = 1;
  args.in[0] = args.out[0] = memory.in;
  args.rest[0] = memory.out;
  test_ok(ctx, scan_write(ctx, memory.in, keys, sizeof keys), "scan_write");
  test_ok(ctx, scan_select(ctx, &spec, 100, &args), "scan_select");
  test_ok(ctx, scan_read(ctx, memory.count, &count, sizeof count), "scan_read");
  test_ok(ctx, scan_read(ctx, memory.in, got, sizeof got), "scan_read");
  if (count != 25 || memcmp(got, keys, sizeof got) != 0) test_fail("the input changed, or %d are kept", (int)count);
  test_ok(ctx, scan_read(ctx, memory.out, got, sizeof got), "scan_read");
  for (uint32_t i = 0; i < 75; i++)
    if (got[i] != i / 3) test_fail("element %u of the rest is %u", i, got[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_sources, test_count_setup),
    cmocka_unit_test_setup(test_facts, test_count_setup),
    cmocka_unit_test_setup(test_n_overflow, test_count_setup),
    cmocka_unit_test_setup(test_no_room_in_place, test_count_setup),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &memory.count), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("select_api", tests, NULL, NULL));
}
