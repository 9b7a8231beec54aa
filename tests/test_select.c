/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction against plain loops: marks of every kind, elements of 1 to 64 bytes, indices, both sides, capacities, n
 * from the device, several arrays; by plans, by the call and over host memory. */
#include "select_bench.h"

#include <string.h>

enum { TILE = 4096, MOST_BYTES = 48 << 20 };

static const uint32_t percents[] = { 0, KEEPS_ONE, 1, 50, 99, 100 };
enum { PERCENTS = sizeof percents / sizeof percents[0] };
static const uint64_t edges[] = { TILE - 1, TILE, TILE + 1, 2 * TILE - 31, 3 * TILE + 33 };
enum { EDGES = sizeof edges / sizeof edges[0] };

static select_cell cell_of(scan_select_by by, uint32_t bytes) {
  return (select_cell){ .spec = SCAN_SELECT_SPEC_INIT(by, bytes), .percent = 50 };
}

static scan_plan *plan_of(const select_cell *c, uint64_t max_n) {
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_plan_create_select(test_ctx(), &c->spec, max_n, &plan), "scan_plan_create_select");
  return plan;
}

/* Every n up to 260, and around tiles, by one plan. */
static void check_sizes(select_cell c) {
  scan_plan *plan = plan_of(&c, 1 << 16);
  const uint64_t step = test_is_small() ? 37 : test_info()->loop_limit ? 7 : 1;
  const int edges_taken = test_is_small() ? 2 : EDGES;
  for (c.n = 0; c.n <= 260; c.n += step) {
    c.percent = percents[rng_below(&(struct rng){ c.n }, PERCENTS)];
    select_bench_check(&c, plan);
  }
  for (int e = 0; e < edges_taken; e++)
    for (int p = 0; p < PERCENTS; p += test_is_small() ? 3 : 1) {
      c.n = edges[e];
      c.percent = percents[p];
      select_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void test_flags(void **state) {
  (void)state;
  check_sizes(cell_of(SCAN_SELECT_FLAGS, 4));
}

static void test_bits(void **state) {
  (void)state;
  check_sizes(cell_of(SCAN_SELECT_BITS, 4));
}

/* Flags at every address, of which vectors are read. */
static void test_shifts(void **state) {
  (void)state;
  for (uint32_t by = SCAN_SELECT_FLAGS; by <= SCAN_SELECT_BITS; by++) {
    select_cell c = cell_of(by, 2);
    scan_plan *plan = plan_of(&c, TILE + 77);
    for (c.shift = 0; c.shift < 16; c.shift += test_is_small() ? 5 : 1) {
      c.n = TILE + 77;
      select_bench_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

static void check_element(uint32_t bytes, uint32_t align) {
  static const int ways[] = { BY_PLAN, BY_CALL, ON_HOST };
  select_cell c = cell_of(SCAN_SELECT_FLAGS, bytes);
  c.spec.element_align[0] = align;
  scan_plan *plan = plan_of(&c, 2 * TILE);
  for (int w = 0; w < 3; w++)
    for (uint32_t p = 0; p < PERCENTS; p += test_is_small() ? 3 : 1) {
      c.how = ways[w];
      c.percent = percents[p];
      c.shift = p;
      c.n = TILE + 300 + p;
      select_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void test_elements(void **state) {
  static const uint32_t bytes[] = { 1, 2, 3, 4, 8, 12, 16, 24, 33, 64 };
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
    const int is_cut = test_info()->loop_limit != 0 && bytes[i] == 33; /* in 33 pieces */
    if (is_cut)
      test_skipped("the device ends loops: no elements of 33 bytes");
    else
      check_element(bytes[i], 0);
  }
  check_element(16, 4);
  check_element(16, 2);
}

/* Millions, at which every way has many tiles. */
static void test_many(void **state) {
  select_cell c = cell_of(SCAN_SELECT_FLAGS, 4);
  (void)state;
  if (test_is_small() || test_info()->loop_limit) {
    test_skipped("millions of elements: the device is slow");
    return;
  }
  scan_plan *plan = plan_of(&c, 3000001);
  for (uint32_t p = 0; p < PERCENTS; p++) {
    c.n = 2999983 + p;
    c.percent = percents[p];
    select_bench_check(&c, plan);
  }
  c.how = ON_HOST;
  select_bench_check(&c, NULL);
  scan_plan_destroy(plan);
}

/* A hidden plan grows, and keeps nothing of the run before. */
static void test_calls(void **state) {
  static const uint64_t sizes[] = { 1, 70000, 5, 0, 140000, 33 };
  select_cell c = cell_of(SCAN_SELECT_BITS, 8);
  (void)state;
  c.how = BY_CALL;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    c.n = sizes[i];
    select_bench_check(&c, NULL);
    c.no_count = !c.no_count;
  }
  c.how = ON_HOST;
  c.n = 0;
  select_bench_check(&c, NULL);
}

static void test_indices(void **state) {
  (void)state;
  for (scan_type type = SCAN_U32; type <= SCAN_U64; type += SCAN_U64 - SCAN_U32) {
    select_cell c = { .spec = SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FLAGS, type) };
    check_sizes(c);
    c.spec.rest = SCAN_REST_APART;
    c.percent = 30;
    c.n = 2 * TILE + 5;
    select_bench_check_alone(&c);
    c.how = ON_HOST;
    select_bench_check(&c, NULL);
  }
}

/* Room for less than is kept, by one, by much, and for more. */
static void test_capacity(void **state) {
  (void)state;
  for (scan_select_rest rest = SCAN_REST_DROPPED; rest <= SCAN_REST_APART; rest++)
    for (int how = BY_PLAN; how <= ON_HOST; how++) {
      select_cell c = cell_of(SCAN_SELECT_FLAGS, 4);
      const uint64_t n = 2 * TILE + 100, capacities[] = { n, n - 1, n / 2, TILE, TILE + 1, 31, 1 };
      c.spec.rest = rest;
      c.how = how;
      c.n = n;
      scan_plan *plan = plan_of(&c, n);
      for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++)
        for (c.percent = 50; c.percent <= 100; c.percent += 50) {
          c.capacity = c.rest_capacity = capacities[i];
          select_bench_check(&c, plan);
        }
      scan_plan_destroy(plan);
    }
}

/* No room in one output or in both, of elements of several pieces too, and of indices: the count tells of all. */
static void test_no_room(void **state) {
  static const uint64_t rooms[][2] = { { SCAN_NO_CAPACITY, SCAN_NO_CAPACITY },
                                       { SCAN_NO_CAPACITY, 0 },
                                       { 0, SCAN_NO_CAPACITY } };
  static const uint32_t bytes[] = { 4, 12, 0 };
  (void)state;
  for (scan_select_by by = SCAN_SELECT_FLAGS; by <= SCAN_SELECT_FIRST; by += test_is_small() ? 2 : 1)
    for (scan_select_rest rest = SCAN_REST_DROPPED; rest <= SCAN_REST_APART; rest++)
      for (int b = 0; b < (test_is_small() ? 1 : 3); b++) {
        select_cell c = cell_of(by, bytes[b]);
        if (bytes[b] == 0) c.spec = (scan_select_spec)SCAN_SELECT_INDEX_INIT(by, SCAN_U32);
        if (by == SCAN_SELECT_FIRST) c.spec.key_type = SCAN_U32;
        c.spec.rest = rest;
        c.n = TILE + 100;
        scan_plan *plan = plan_of(&c, c.n);
        for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++)
          for (int r = 0; r < 3; r++) {
            c.capacity = rooms[r][0];
            c.rest_capacity = rooms[r][1];
            select_bench_check(&c, plan);
          }
        scan_plan_destroy(plan);
      }
}

static void test_partition(void **state) {
  (void)state;
  for (scan_select_rest rest = SCAN_REST_BEHIND; rest <= SCAN_REST_APART; rest++) {
    select_cell c = cell_of(SCAN_SELECT_FLAGS, 4);
    c.spec.rest = rest;
    check_sizes(c);
    for (uint32_t bytes = 1; bytes <= 12; bytes += 11)
      for (int how = BY_CALL; how <= ON_HOST; how++) {
        c = cell_of(SCAN_SELECT_BITS, bytes);
        c.spec.rest = rest;
        c.how = how;
        c.n = 3 * TILE + 17;
        c.percent = 90;
        select_bench_check(&c, NULL);
      }
  }
}

static void check_keys(scan_type type) {
  if (!test_has_type(type)) {
    test_skipped("the device has no %s", scan_type_name(type));
    return;
  }
  for (scan_select_by by = SCAN_SELECT_FIRST; by <= SCAN_SELECT_LAST; by++) {
    select_cell c = cell_of(by, (uint32_t)scan_type_bytes(type));
    c.spec.key_type = type;
    c.keys_in_place = 1;
    scan_plan *plan = plan_of(&c, 3 * TILE);
    for (uint64_t n = 0; n < 66; n += test_is_small() ? 13 : 1) {
      c.n = n;
      select_bench_check(&c, plan);
    }
    for (int e = 0; e < (test_is_small() ? 1 : EDGES - 1); e++)
      for (uint32_t p = 0; p < PERCENTS; p += test_is_small() ? 3 : 1) {
        c.n = edges[e];
        c.percent = percents[p];
        c.shift = p;
        select_bench_check(&c, plan);
      }
    c.how = ON_HOST;
    select_bench_check(&c, NULL);
    scan_plan_destroy(plan);
  }
}

static void test_unique(void **state) {
  (void)state;
  for (scan_type type = SCAN_I8; type <= SCAN_BF16; type++) check_keys(type);
}

/* What belongs to the keys, and where runs begin. */
static void test_unique_payload(void **state) {
  (void)state;
  for (int how = BY_PLAN; how <= ON_HOST; how++) {
    select_cell c = cell_of(SCAN_SELECT_LAST, 12);
    c.spec.key_type = SCAN_I64;
    c.how = how;
    c.n = TILE + 50;
    c.percent = 20;
    select_bench_check_alone(&c);
    c.spec = (scan_select_spec)SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FIRST, SCAN_U32);
    c.spec.key_type = SCAN_U16;
    select_bench_check_alone(&c);
  }
}

/* From one of the items on; the count goes to where n was, or not. */
static void check_n_from(select_cell c, size_t first) {
  static const uint64_t items[] = {
    0, 1, 31, 32, TILE, TILE + 1, 2 * TILE + 9, 2 * TILE + 10, 2 * TILE + 11, UINT64_MAX
  };
  scan_plan *plan = plan_of(&c, c.n + c.spec.arrays);
  for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++)
    for (size_t i = first; i < sizeof items / sizeof items[0]; i++) {
      c.n_from = items[i];
      select_bench_check(&c, plan);
      c.counts_n = !c.counts_n;
      if (c.n_from > c.n) select_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void test_n_from(void **state) {
  (void)state;
  for (scan_select_by by = SCAN_SELECT_FLAGS; by <= SCAN_SELECT_LAST; by++) {
    select_cell c = cell_of(by, 4);
    if (by >= SCAN_SELECT_FIRST) c.spec.key_type = SCAN_U32;
    c.spec.rest = by % 2 ? SCAN_REST_BEHIND : SCAN_REST_APART;
    c.n = 2 * TILE + 10;
    c.has_n_from = 1;
    for (c.spec.flags = 0; c.spec.flags <= SCAN_N_FROM_CLAMP; c.spec.flags += SCAN_N_FROM_CLAMP) {
      c.spec.arrays = c.spec.flags ? 2 : 1;
      c.spec.element_bytes[1] = 4;
      check_n_from(c, c.spec.flags ? 7 : 0);
    }
  }
}

static void test_arrays(void **state) {
  static const uint32_t bytes[] = { 4, 8, 1, 12, 2, 16, 4, 3 };
  (void)state;
  for (scan_select_rest rest = SCAN_REST_DROPPED; rest <= SCAN_REST_APART; rest++)
    for (int how = BY_PLAN; how <= ON_HOST; how++) {
      select_cell c = cell_of(SCAN_SELECT_FLAGS, 4);
      c.spec.rest = rest;
      c.how = how;
      c.n = TILE + 1000;
      c.capacity = 3000;
      memcpy(c.spec.element_bytes, bytes, sizeof bytes);
      for (c.spec.arrays = 2; c.spec.arrays <= 8; c.spec.arrays += 3) select_bench_check_alone(&c);
    }
}

/* ---- predicates ---- */

SCAN_OP_TEXT(
    below_text,
    typedef struct bounds {
      uint32_t most;
      uint32_t step;
    } bounds;
    typedef struct pair {
      uint32_t key;
      uint32_t value;
    } pair;
    static inline int is_below(pair x, uint64_t index, bounds b) {
      return x.key < b.most && (uint32_t)index % b.step == 0;
    } static inline int is_even(uint32_t x, uint64_t index) {
      (void)index;
      return x % 2 == 0;
    });
SCAN_KEEP_PARAMS_HOST(below_host, pair, bounds, is_below);
SCAN_KEEP_HOST(even_host, uint32_t, is_even);

static int keeps_below(const void *x, uint64_t index, const void *params) {
  return is_below(*(const pair *)x, index, *(const bounds *)params);
}
static int keeps_even(const void *x, uint64_t index, const void *params) {
  (void)params;
  return is_even(*(const uint32_t *)x, index);
}

static scan_op *predicate_of(scan_predicate_source source, scan_keep_host *host) {
  scan_op *predicate = NULL;
  source.host = host;
  test_ok(test_ctx(), scan_predicate_create(test_ctx(), &source, &predicate), "scan_predicate_create");
  return predicate;
}

/* Parameters change from run to run; what is looked at is what is moved, or not. */
static void test_predicate_params(void **state) {
  static const bounds params[] = { { 0, 1 }, { 1, 1 }, { 50, 1 }, { 99, 3 }, { 100, 1 } };
  const scan_predicate_source source = SCAN_PREDICATE_PARAMS_INIT(below_text, pair, is_below, bounds);
  scan_op *below = predicate_of(source, below_host);
  (void)state;
  for (int in_place = 0; in_place < 2; in_place++) {
    select_cell c = cell_of(SCAN_SELECT_PREDICATE, in_place ? 8 : 12);
    c.spec.predicate = below;
    c.keeps = keeps_below;
    c.looked_bytes = sizeof(pair);
    c.keys_in_place = in_place;
    c.spec.element_align[0] = 4;
    scan_plan *plan = plan_of(&c, 2 * TILE);
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++)
      for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++) {
        c.params = &params[i];
        c.shift = (uint32_t)i;
        c.n = TILE + 31 + i;
        select_bench_check(&c, plan);
        c.n = 33 * i;
        select_bench_check(&c, plan);
      }
    scan_plan_destroy(plan);
  }
  scan_op_destroy(below);
}

static void test_predicate(void **state) {
  const scan_predicate_source source = SCAN_PREDICATE_INIT(below_text, uint32_t, is_even);
  scan_op *even = predicate_of(source, even_host);
  select_cell c = cell_of(SCAN_SELECT_PREDICATE, 4);
  (void)state;
  c.spec.predicate = even;
  c.spec.rest = SCAN_REST_BEHIND;
  c.keeps = keeps_even;
  c.looked_bytes = 4;
  c.keys_in_place = 1;
  check_sizes(c);
  c.how = BY_CALL;
  c.has_n_from = 1;
  c.n = TILE;
  c.n_from = TILE - 5;
  select_bench_check(&c, NULL);
  scan_op_destroy(even); /* and the hidden plan with it */
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_flags),     cmocka_unit_test(test_bits),     cmocka_unit_test(test_shifts),
    cmocka_unit_test(test_elements),  cmocka_unit_test(test_many),     cmocka_unit_test(test_calls),
    cmocka_unit_test(test_indices),   cmocka_unit_test(test_capacity), cmocka_unit_test(test_no_room),
    cmocka_unit_test(test_partition), cmocka_unit_test(test_unique),   cmocka_unit_test(test_unique_payload),
    cmocka_unit_test(test_n_from),    cmocka_unit_test(test_arrays),   cmocka_unit_test(test_predicate_params),
    cmocka_unit_test(test_predicate),
  };
  (void)test_device_open();
  select_bench_open(MOST_BYTES);
  return test_exit(cmocka_run_group_tests_name("select", tests, NULL, NULL));
}
