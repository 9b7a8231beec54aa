/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the facts that scan_plan_info returns: strategies, tiles, launches and work of plans of every type and size. */
#include <scanrt/scan_array.h>

#include "operators.h"
#include "reference.h"
#include "support.h"

#include <string.h>

/* Returns the facts of a plan, or zeros if the device refuses it with a reason. */
static scan_plan_facts facts_of(const scan_spec *spec, uint64_t n) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(test_ctx(), spec, n, &plan);
  if (status == SCAN_UNSUPPORTED && strlen(scan_last_error(test_ctx())) > 10) return facts;
  test_ok(test_ctx(), status, "scan_plan_create");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  scan_plan_destroy(plan);
  return facts;
}

static void test_strategies(void **state) {
  (void)state;
  for (int s = SCAN_STRATEGY_AUTO; s <= SCAN_STRATEGY_RAKING; s++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
    spec.strategy = (scan_strategy)s;
    const scan_plan_facts facts = facts_of(&spec, 1000);
    const scan_strategy got = (scan_strategy)facts.strategy;
    if (facts.tile_items == 0) {
      test_skipped("strategy %s: %s", scan_strategy_name(spec.strategy), scan_last_error(test_ctx()));
      if (s == SCAN_STRATEGY_AUTO) test_fail("AUTO is refused");
      continue;
    }
    if (got == SCAN_STRATEGY_AUTO || facts.reason[0] == '\0') test_fail("a plan has no strategy or no reason");
    if (s != SCAN_STRATEGY_AUTO && (int)got != s)
      test_fail("asked for %s, got %s: %s", scan_strategy_name(spec.strategy), scan_strategy_name(got), facts.reason);
    if (s == SCAN_STRATEGY_AUTO && test_info()->backend == SCAN_BACKEND_HOST && got != SCAN_STRATEGY_THREADS)
      test_fail("the host's AUTO is %s", scan_strategy_name(got));
    test_ran();
  }
}

/* AUTO supports every operator of every type of the device. With slow compilers only some are tried. */
static void test_types(void **state) {
  (void)state;
  for (int type = SCAN_I8; type <= SCAN_BF16; type++)
    for (int op = SCAN_ADD; op <= SCAN_XOR; op++) {
      const scan_spec spec = SCAN_SPEC_INIT((scan_type)type, (scan_op_id)op, op % 2 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
      if (!reference_defined(spec.type, SCAN_TYPE_DEFAULT, spec.op) || !test_has_type(spec.type)) continue;
      if (!test_compiles_quickly() && (type + op) % 9 != 0) continue;
      if (facts_of(&spec, 1000).tile_items == 0)
        test_fail("%s of %s: %s", scan_op_name(spec.op), scan_type_name(spec.type), scan_last_error(test_ctx()));
    }
}

/* Strategies of the device support operators of every size; the pipelined scan only 1, 2, 4 and 8 bytes. */
static void test_sizes(void **state) {
  (void)state;
  for (size_t i = 0; i < (test_compiles_quickly() ? OPERATOR_CASES : 2); i++) {
    const source_structure *o = operator_at(i);
    const size_t bytes = o->source.value_bytes;
    scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
    test_ok(test_ctx(), scan_op_create(test_ctx(), &o->source, &spec.custom_op), "scan_op_create");
    for (int s = SCAN_STRATEGY_AUTO; s <= SCAN_STRATEGY_PIPELINED; s++) {
      const int is_refused = s == SCAN_STRATEGY_PIPELINED && (bytes > 8 || 16 % bytes != 0);
      spec.strategy = (scan_strategy)s;
      if (test_has_strategy(spec.strategy) && (facts_of(&spec, 1000).tile_items == 0) != is_refused)
        test_fail("operator %s, strategy %s: %s", o->name, scan_strategy_name(spec.strategy),
                  scan_last_error(test_ctx()));
    }
    scan_op_destroy(spec.custom_op);
  }
}

/* A total has the strategy, launches and span of its scan, and less work. */
static void test_launches(void **state) {
  static const uint64_t sizes[] = { 100, 9000, 20000, 1000000 };
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    scan_plan_facts facts[3];
    if (test_info()->loop_limit && sizes[i] > 20000) continue;
    for (int kind = SCAN_INCLUSIVE; kind <= SCAN_TOTAL; kind++) {
      const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, (scan_kind)kind);
      facts[kind] = facts_of(&spec, sizes[i]);
      assert_true(facts[kind].launches >= 1);
      assert_int_equal(facts[kind].launches, facts[0].launches);
      assert_int_equal(facts[kind].strategy, facts[0].strategy);
    }
    assert_int_equal(facts[SCAN_TOTAL].span, facts[SCAN_INCLUSIVE].span);
    if (sizes[i] == 9000) assert_true(facts[SCAN_TOTAL].work < facts[SCAN_INCLUSIVE].work);
  }
}

static void test_plan_of_an_array(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t shape[] = { 10, 20 };
  scan_array array = SCAN_ARRAY_INIT;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  (void)state;
  test_ok(NULL, scan_array_packed(&spec, 2, shape, 1, &array), "scan_array_packed");
  test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &array, &plan), "scan_plan_create_array");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  assert_true(facts.max_n == 20 && facts.tiles == 10 && facts.reason[0] != '\0' && facts.launches >= 1);
  scan_plan_destroy(plan);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_strategies), TEST(test_types), TEST(test_sizes), TEST(test_launches),
    TEST(test_plan_of_an_array),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("plan_facts", tests, NULL, NULL));
}
