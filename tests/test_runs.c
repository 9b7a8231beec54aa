/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encoding and reduction by key against plain references: keys of every type, runs of 1 to n elements, all
 * outputs and few, capacities, n from the device; operators of every kind; what is refused, in which words. */
#include "runs_bench.h"
#include "support.h"

#include <string.h>

enum { TILE = 4096, MOST_BYTES = 64 << 20 };

static const int lengths[] = { RUNS_OF_1, RUNS_OF_2, 7, 90, 500, 6000, RUNS_WHOLE, RUNS_MIXED };
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
static const uint64_t edges[] = { TILE - 1, TILE, TILE + 1, 2 * TILE - 31, 3 * TILE + 33, 6 * TILE + 1 };
enum { EDGES = sizeof edges / sizeof edges[0] };

static runs_cell encoding(scan_type key_type, scan_type length_type, scan_type start_type) {
  runs_cell c = { .encode = SCAN_RUN_LENGTH_SPEC_INIT(key_type, length_type) };
  c.encode.start_type = start_type;
  return c;
}

static runs_cell reduction(scan_type key_type, scan_type input_type, scan_type type, scan_op_id op) {
  runs_cell c = { .reduces = 1, .reduce = SCAN_REDUCE_BY_KEY_INIT(key_type, type, op) };
  if (input_type != type) c.reduce.input_type = input_type;
  return c;
}

/* Every n up to 260, and around tiles, by one plan. */
static void check_sizes(runs_cell c) {
  scan_plan *plan = runs_bench_plan(&c, 1 << 15);
  const uint64_t step = test_is_small() ? 43 : test_info()->loop_limit ? 7 : 1;
  const int edges_taken = test_is_small() ? 3 : EDGES;
  for (c.n = 0; c.n <= 260; c.n += step) {
    c.length = lengths[c.n % LENGTHS];
    runs_bench_check(&c, plan);
  }
  for (int e = 0; e < edges_taken; e++)
    for (int l = 0; l < LENGTHS; l += test_is_small() ? 3 : 1) {
      c.n = edges[e];
      c.length = lengths[l];
      c.shift = (uint32_t)l;
      runs_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

/* ---- run-length encoding ---- */

static void test_all_outputs(void **state) {
  (void)state;
  check_sizes(encoding(SCAN_U32, SCAN_U32, SCAN_U32));
  check_sizes(encoding(SCAN_U64, SCAN_U64, SCAN_U64));
}

static void test_few_outputs(void **state) {
  runs_cell c = encoding(SCAN_U16, SCAN_U32, SCAN_TYPE_DEFAULT);
  (void)state;
  c.no_keys = 1;
  check_sizes(c); /* lengths alone */
  c = encoding(SCAN_U16, SCAN_TYPE_DEFAULT, SCAN_U64);
  c.no_keys = c.no_count = 1;
  check_sizes(c);                                                        /* starts alone */
  check_sizes(encoding(SCAN_I32, SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT)); /* keys alone */
  c = encoding(SCAN_U8, SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT);
  c.no_keys = 1;
  c.n = 2 * TILE + 3;
  c.length = RUNS_MIXED;
  c.how = BY_CALL;
  runs_bench_check(&c, NULL); /* the count alone */
}

static void test_key_types(void **state) {
  (void)state;
  for (scan_type type = SCAN_I8; type <= SCAN_BF16; type++) {
    if (!test_has_type(type)) {
      test_skipped("the device has no %s", scan_type_name(type));
      continue;
    }
    runs_cell c = encoding(type, SCAN_U32, SCAN_U32);
    scan_plan *plan = runs_bench_plan(&c, 3 * TILE);
    for (int l = 0; l < LENGTHS; l += test_is_small() ? 3 : 1) {
      c.n = 2 * TILE + 100 + (uint64_t)l;
      c.length = lengths[l];
      c.shift = (uint32_t)l;
      runs_bench_check(&c, plan);
      c.n = 3 * (uint64_t)l;
      runs_bench_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

/* Room for all, for all but one, for few: the last length is right, and the count is of all. */
static void test_capacity(void **state) {
  (void)state;
  for (int how = BY_PLAN; how <= ON_HOST; how++)
    for (int l = 0; l < LENGTHS; l += test_is_small() ? 2 : 1) {
      runs_cell c = encoding(SCAN_U32, SCAN_U64, SCAN_U32);
      c.how = how;
      c.n = 3 * TILE + 77;
      c.length = lengths[l];
      scan_plan *plan = runs_bench_plan(&c, c.n);
      for (c.spares = 1; c.spares < 3; c.spares++) runs_bench_check(&c, plan);
      c.spares = 0;
      for (c.capacity = 1; c.capacity <= c.n; c.capacity = c.capacity * 7 + 1) runs_bench_check(&c, plan);
      c.capacity = 2 * c.n;
      runs_bench_check(&c, plan);
      c.capacity = SCAN_NO_CAPACITY;
      runs_bench_check(&c, plan);
      scan_plan_destroy(plan);
    }
}

static const uint64_t items[] = {
  0, 1, 31, 32, TILE, TILE + 1, 2 * TILE + 9, 2 * TILE + 10, 2 * TILE + 11, UINT64_MAX
};
enum { ITEMS = sizeof items / sizeof items[0] };

/* From one of the items on. The count goes to where n was, or not. */
static void check_each_n_from(runs_cell c, int first) {
  c.n = 2 * TILE + 10;
  c.has_n_from = 1;
  scan_plan *plan = runs_bench_plan(&c, c.n);
  for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++)
    for (int i = first; i < ITEMS; i++) {
      c.length = lengths[i % LENGTHS];
      c.n_from = items[i];
      runs_bench_check(&c, plan);
      c.counts_n = !c.counts_n;
      if (c.n_from > c.n) runs_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void check_n_from(runs_cell c) {
  check_each_n_from(c, 0);
  c.encode.flags = c.reduce.flags = SCAN_N_FROM_CLAMP;
  check_each_n_from(c, ITEMS - 3);
}

static void test_n_from(void **state) {
  (void)state;
  check_n_from(encoding(SCAN_U32, SCAN_U32, SCAN_U64));
}

/* Hidden plans, host memory, and none. */
static void test_calls(void **state) {
  static const uint64_t sizes[] = { 1, 70000, 5, 0, 140000, 33 };
  (void)state;
  for (int how = BY_CALL; how <= ON_HOST; how++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      runs_cell c = encoding(SCAN_F32, SCAN_U32, SCAN_U64);
      if (test_is_small() && sizes[i] > 1000) continue;
      c.how = how;
      c.n = sizes[i];
      c.length = RUNS_MIXED;
      c.no_count = i % 2 == 1;
      runs_bench_check(&c, NULL);
      c = reduction(SCAN_F32, SCAN_F32, SCAN_F32, SCAN_ADD);
      c.how = how;
      c.n = sizes[i];
      c.length = RUNS_MIXED;
      c.no_keys = i % 2 == 1;
      runs_bench_check(&c, NULL);
    }
}

/* Millions, at which every way has many tiles. */
static void check_many(runs_cell c) {
  if (test_is_small() || test_info()->loop_limit) {
    test_skipped("millions of elements: the device is slow");
    return;
  }
  scan_plan *plan = runs_bench_plan(&c, 3000001);
  for (int l = 0; l < LENGTHS; l++) {
    c.n = 2999983 + (uint64_t)l;
    c.length = lengths[l] > 500 ? 100000 : lengths[l];
    c.spares = l % 2;
    runs_bench_check(&c, plan);
  }
  scan_plan_destroy(plan);
}

static void test_many(void **state) {
  (void)state;
  check_many(encoding(SCAN_U32, SCAN_U32, SCAN_U32));
  check_many(reduction(SCAN_U32, SCAN_F32, SCAN_F32, SCAN_ADD));
  check_many(reduction(SCAN_U8, SCAN_I64, SCAN_I64, SCAN_ADD));
}

/* ---- reduction by key ---- */

/* Around where the canonical order's tiles change in size, of both sizes of elements. */
static void check_tile_sizes(void) {
  static const scan_type types[] = { SCAN_F32, SCAN_F64, SCAN_I32, SCAN_U64 };
  static const uint64_t bytes[] = { 32 << 10, 512 << 10 };
  if (test_is_small() || test_info()->loop_limit) {
    test_skipped("tens of thousands of elements: the device is slow");
    return;
  }
  const size_t taken = test_compiles_quickly() ? sizeof types / sizeof types[0] : 1;
  for (size_t t = 0; t < taken; t++) {
    runs_cell c = reduction(SCAN_U16, types[t], types[t], SCAN_ADD);
    if (!test_has_type(types[t])) continue;
    scan_plan *plan = runs_bench_plan(&c, (512 << 10) / 4 + 2);
    for (size_t b = 0; b < 2; b++)
      for (int l = 0; l < LENGTHS; l++) {
        c.length = lengths[l];
        c.spares = l % 2;
        for (int beside = -1; beside <= 1; beside++) {
          c.n = bytes[b] / scan_type_bytes(types[t]) + (uint64_t)beside;
          runs_bench_check(&c, plan);
        }
      }
    scan_plan_destroy(plan);
  }
}

static void test_sums(void **state) {
  (void)state;
  check_sizes(reduction(SCAN_U32, SCAN_F32, SCAN_F32, SCAN_ADD));
  check_tile_sizes();
}

/* Operators, and sums that widen, over keys of several types: (key, input, type, operator). */
static void test_operators(void **state) {
  static const struct {
    scan_type key, input, type;
    scan_op_id op;
  } rows[] = {
    { SCAN_U64, SCAN_U32, SCAN_U32, SCAN_ADD }, { SCAN_U8, SCAN_I8, SCAN_I64, SCAN_ADD },
    { SCAN_F32, SCAN_F32, SCAN_F64, SCAN_ADD }, { SCAN_I32, SCAN_I32, SCAN_I32, SCAN_MIN },
    { SCAN_U32, SCAN_U8, SCAN_U8, SCAN_MAX },   { SCAN_F64, SCAN_U64, SCAN_U64, SCAN_XOR },
    { SCAN_U32, SCAN_F64, SCAN_F64, SCAN_MUL }, { SCAN_F16, SCAN_I64, SCAN_I64, SCAN_ADD },
  };
  const size_t taken = test_is_small() ? 2 : sizeof rows / sizeof rows[0];
  (void)state;
  for (size_t i = 0; i < taken; i++) {
    runs_cell c = reduction(rows[i].key, rows[i].input, rows[i].type, rows[i].op);
    if (!test_has_type(rows[i].key) || !test_has_type(rows[i].type)) {
      test_skipped("the device has no f64");
      continue;
    }
    scan_plan *plan = runs_bench_plan(&c, 70000);
    for (int l = 0; l < LENGTHS; l++) {
      c.n = l % 2 ? 70000 : TILE + (uint64_t)l;
      if (test_is_small()) c.n = TILE + 5;
      c.length = lengths[l];
      c.shift = (uint32_t)l % 3;
      runs_bench_check(&c, plan);
    }
    c.spares = 1;
    runs_bench_check(&c, plan);
    scan_plan_destroy(plan);
  }
}

/* Each run begins with the initial value. */
static void test_init(void **state) {
  (void)state;
  for (int how = BY_PLAN; how <= ON_HOST; how++) {
    runs_cell c = reduction(SCAN_U32, SCAN_U32, SCAN_U32, SCAN_ADD);
    c.reduce.has_init = 1;
    c.reduce.init.u32 = 1000;
    c.n = TILE + 3;
    c.length = 7;
    c.how = how;
    scan_plan *plan = runs_bench_plan(&c, c.n);
    runs_bench_check(&c, plan);
    scan_plan_destroy(plan);
  }
}

/* Operators from source, which do not commute; of 1 to 64 bytes. */
static void test_custom(void **state) {
  const size_t taken = test_compiles_quickly() ? OPERATOR_CASES : 3;
  (void)state;
  for (size_t i = 0; i < taken; i++) {
    const struct operator_case *custom = &operator_cases[i];
    runs_cell c = reduction(SCAN_U16, SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE);
    if (test_is_small() && i != 2) continue;
    if (custom->fill == NULL || strcmp(custom->name, "link") == 0) continue; /* whose elements are one chain */
    c.custom = custom;
    test_ok(test_ctx(), scan_op_create(test_ctx(), &custom->source, &c.reduce.custom_op), "scan_op_create");
    scan_plan *plan = runs_bench_plan(&c, 20000);
    for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++)
      for (int l = 0; l < LENGTHS; l++) {
        c.n = l % 2 ? 20000 : TILE + 40 + (uint64_t)l;
        c.length = lengths[l];
        runs_bench_check(&c, plan);
      }
    c.how = BY_PLAN;
    check_each_n_from(c, test_is_small() ? ITEMS - 3 : 0);
    scan_plan_destroy(plan);
    scan_op_destroy(c.reduce.custom_op); /* and the hidden plan with it */
  }
}

static void test_reduce_n_from(void **state) {
  (void)state;
  check_n_from(reduction(SCAN_U32, SCAN_F32, SCAN_F32, SCAN_ADD));
}

static void test_reduce_capacity(void **state) {
  (void)state;
  for (int how = BY_PLAN; how <= ON_HOST; how++)
    for (int l = 0; l < LENGTHS; l++) {
      runs_cell c = reduction(SCAN_U32, SCAN_U32, SCAN_U32, SCAN_ADD);
      c.how = how;
      c.n = 2 * TILE + 77;
      c.length = lengths[l];
      scan_plan *plan = runs_bench_plan(&c, c.n);
      for (c.spares = 1; c.spares < 3; c.spares++) runs_bench_check(&c, plan);
      c.spares = 0;
      c.capacity = SCAN_NO_CAPACITY;
      runs_bench_check(&c, plan);
      scan_plan_destroy(plan);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_outputs),
    cmocka_unit_test(test_few_outputs),
    cmocka_unit_test(test_key_types),
    cmocka_unit_test(test_capacity),
    cmocka_unit_test(test_n_from),
    cmocka_unit_test(test_calls),
    cmocka_unit_test(test_many),
    cmocka_unit_test(test_sums),
    cmocka_unit_test(test_operators),
    cmocka_unit_test(test_init),
    cmocka_unit_test(test_custom),
    cmocka_unit_test(test_reduce_n_from),
    cmocka_unit_test(test_reduce_capacity),
  };
  (void)test_device_open();
  runs_bench_open(MOST_BYTES);
  return test_exit(cmocka_run_group_tests_name("runs", tests, NULL, NULL));
}
