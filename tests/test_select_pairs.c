/* SPDX-License-Identifier: BSD-2-Clause */
/* Unique by a predicate of two neighbours, against plain loops: elements of several sizes and structs, parameters, n
 * from the device, indices, partitions, in place; and what is refused. */
#include "select_bench.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"

enum { TILE = 4096, MOST_BYTES = 16 << 20 };

/* is_near is not transitive: a run's last element may be far from its first one. */
SCAN_OP_TEXT(
    pairs_text,
    typedef struct cell {
      uint32_t row;
      uint32_t column;
      uint32_t value;
    } cell;
    typedef struct large { uint32_t word[16]; } large; typedef struct twice { uint32_t word[2]; } twice;
    typedef struct wide { uint32_t word[4]; } wide; static inline int is_same(uint32_t before, uint32_t x) {
      return before / 50 == x / 50;
    } static inline int is_byte(uint8_t before, uint8_t x) {
      return before / 50 == x / 50;
    } static inline int is_short(uint16_t before, uint16_t x) {
      return before <= x;
    } static inline int is_twice(twice before, twice x) {
      return before.word[0] / 50 == x.word[1] / 50;
    } static inline int is_wide(wide before, wide x) {
      return before.word[0] <= x.word[3] + 20;
    } static inline int is_near(uint32_t before, uint32_t x, uint32_t apart) {
      return (before > x ? before - x : x - before) < apart;
    } static inline int is_cell(cell before, cell x) {
      return before.row / 40 == x.row / 40 && before.column / 40 == x.column / 40;
    } static inline int is_large(large before, large x) { return before.word[0] <= x.word[15]; });
SCAN_SAME_HOST(same_host, uint32_t, is_same);
SCAN_SAME_PARAMS_HOST(near_host, uint32_t, uint32_t, is_near);
SCAN_SAME_HOST(cell_host, cell, is_cell);
SCAN_SAME_HOST(large_host, large, is_large);
SCAN_SAME_HOST(byte_host, uint8_t, is_byte);
SCAN_SAME_HOST(short_host, uint16_t, is_short);
SCAN_SAME_HOST(twice_host, twice, is_twice);
SCAN_SAME_HOST(wide_host, wide, is_wide);

#define REFERENCE(name, type, call)                                                                                    \
  static int name(const void *before, const void *x, const void *params) {                                             \
    const type a = *(const type *)before, b = *(const type *)x;                                                        \
    (void)params;                                                                                                      \
    return call;                                                                                                       \
  }
REFERENCE(refers_same, uint32_t, is_same(a, b))
REFERENCE(refers_near, uint32_t, is_near(a, b, *(const uint32_t *)params))
REFERENCE(refers_cell, cell, is_cell(a, b))
REFERENCE(refers_large, large, is_large(a, b))
REFERENCE(refers_byte, uint8_t, is_byte(a, b))
REFERENCE(refers_short, uint16_t, is_short(a, b))
REFERENCE(refers_twice, twice, is_twice(a, b))
REFERENCE(refers_wide, wide, is_wide(a, b))

static scan_op *predicate_of(scan_predicate_source source, scan_keep_host *host) {
  scan_op *predicate = NULL;
  source.host = host;
  test_ok(test_ctx(), scan_predicate_create(test_ctx(), &source, &predicate), "scan_predicate_create");
  return predicate;
}

static scan_op *near_of(void) {
  const scan_predicate_source source = SCAN_PREDICATE_PAIR_PARAMS_INIT(pairs_text, uint32_t, is_near, uint32_t);
  return predicate_of(source, near_host);
}

static select_cell cell_of(scan_select_by by, scan_op *same, uint32_t bytes) {
  select_cell c = { .spec = SCAN_SELECT_SPEC_INIT(by, bytes), .looked_bytes = bytes, .keys_in_place = 1 };
  c.spec.predicate = same;
  c.spec.element_align[0] = bytes == 64 ? 16 : bytes < 4 ? bytes : 4; /* in few pieces */
  return c;
}

static scan_plan *plan_of(const select_cell *c, uint64_t max_n) {
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_plan_create_select(test_ctx(), &c->spec, max_n, &plan), "scan_plan_create_select");
  return plan;
}

/* Every n up to 130, and around tiles. */
static void check_sizes(select_cell c) {
  static const uint64_t edges[] = { TILE - 1, TILE, TILE + 1, 2 * TILE, 3 * TILE + 33 };
  scan_plan *plan = plan_of(&c, 1 << 14);
  for (c.n = 0; c.n <= 130; c.n += test_is_small() ? 13 : 1) select_bench_check(&c, plan);
  for (int e = 0; e < (test_is_small() ? 2 : 5); e++) {
    c.n = edges[e];
    c.shift = (uint32_t)e * (c.spec.element_align[0] < 4 ? 1 : c.spec.element_align[0] / 4);
    select_bench_check(&c, plan);
  }
  c.how = ON_HOST;
  select_bench_check(&c, NULL);
  scan_plan_destroy(plan);
}

typedef struct element {
  scan_predicate_source source;
  scan_keep_host *host;
  int (*refers)(const void *before, const void *x, const void *params);
} element;

/* Of those of 1, 2, 4, 8 and 16 bytes devices take one launch, whose program takes PoCL half a minute. */
static void test_elements(void **state) {
  const element elements[] = { { SCAN_PREDICATE_PAIR_INIT(pairs_text, uint32_t, is_same), same_host, refers_same },
                               { SCAN_PREDICATE_PAIR_INIT(pairs_text, uint8_t, is_byte), byte_host, refers_byte },
                               { SCAN_PREDICATE_PAIR_INIT(pairs_text, uint16_t, is_short), short_host, refers_short },
                               { SCAN_PREDICATE_PAIR_INIT(pairs_text, twice, is_twice), twice_host, refers_twice },
                               { SCAN_PREDICATE_PAIR_INIT(pairs_text, wide, is_wide), wide_host, refers_wide },
                               { SCAN_PREDICATE_PAIR_INIT(pairs_text, cell, is_cell), cell_host, refers_cell },
                               { SCAN_PREDICATE_PAIR_INIT(pairs_text, large, is_large), large_host, refers_large } };
  const size_t step = test_is_small() && test_info()->backend == SCAN_BACKEND_OPENCL ? 3 : 1;
  (void)state;
  for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e += step) {
    scan_op *same = predicate_of(elements[e].source, elements[e].host);
    for (scan_select_by by = SCAN_SELECT_FIRST; by <= SCAN_SELECT_LAST; by++) {
      select_cell c = cell_of(by, same, (uint32_t)elements[e].source.element_bytes);
      c.same = elements[e].refers;
      check_sizes(c);
    }
    scan_op_destroy(same);
  }
}

/* Parameters change from run to run: every element a run, and all one. */
static void test_params(void **state) {
  static const uint32_t apart[] = { 0, 1, 20, 60, 100 };
  scan_op *near = near_of();
  (void)state;
  for (scan_select_by by = SCAN_SELECT_FIRST; by <= SCAN_SELECT_LAST; by++) {
    select_cell c = cell_of(by, near, 4);
    c.same = refers_near;
    c.n = 2 * TILE + 31;
    scan_plan *plan = plan_of(&c, c.n);
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
      for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++) {
        c.params = &apart[i];
        select_bench_check(&c, plan);
      }
    scan_plan_destroy(plan);
  }
  scan_op_destroy(near);
}

/* What belongs to the elements that are compared: several arrays, indices, the rest, less room. */
static void test_payload(void **state) {
  const uint32_t apart = 30;
  scan_op *near = near_of();
  (void)state;
  for (scan_select_rest rest = SCAN_REST_DROPPED; rest <= SCAN_REST_APART; rest++) {
    select_cell c = cell_of(SCAN_SELECT_FIRST, near, 12);
    c.same = refers_near;
    c.params = &apart;
    c.looked_bytes = 4;
    c.keys_in_place = 0;
    c.spec.rest = rest;
    c.spec.arrays = 2;
    c.spec.element_bytes[1] = 1;
    c.n = TILE + 77;
    c.capacity = c.rest_capacity = rest == SCAN_REST_DROPPED ? 0 : TILE / 3;
    select_bench_check_alone(&c);
    c.spec = (scan_select_spec)SCAN_SELECT_INDEX_INIT(SCAN_SELECT_LAST, SCAN_U64);
    c.spec.predicate = near;
    c.spec.rest = rest;
    select_bench_check_alone(&c);
  }
  scan_op_destroy(near);
}

static void test_n_from(void **state) {
  static const uint64_t items[] = { 0, 1, 32, TILE, TILE + 1, 2 * TILE };
  const uint32_t apart = 50;
  scan_op *near = near_of();
  (void)state;
  for (scan_select_by by = SCAN_SELECT_FIRST; by <= SCAN_SELECT_LAST; by++) {
    select_cell c = cell_of(by, near, 4);
    c.same = refers_near;
    c.params = &apart;
    c.has_n_from = 1;
    c.n = 2 * TILE;
    scan_plan *plan = plan_of(&c, c.n);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
      c.n_from = items[i];
      select_bench_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
  scan_op_destroy(near);
}

static void check_over(scan_op *near, scan_select_by by, uint32_t *x, scan_mem memory, uint64_t n) {
  const uint32_t apart = 50;
  uint32_t *want = reference_alloc(n * 4), *got = reference_alloc(n * 4);
  uint64_t kept = 0;
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(by, 4);
  scan_select_args args = { .struct_bytes = sizeof args, .in = { memory }, .out = { memory }, .params = &apart };
  spec.predicate = near;
  spec.in_place = 1;
  for (uint64_t i = 0; i < n; i++) {
    const int is_first = i == 0 || !is_near(x[i - 1], x[i], apart);
    const int is_last = i + 1 == n || !is_near(x[i], x[i + 1], apart);
    if (by == SCAN_SELECT_FIRST ? is_first : is_last) want[kept++] = x[i];
  }
  test_ok(test_ctx(), scan_write(test_ctx(), memory, x, n * 4), "scan_write");
  test_ok(test_ctx(), scan_select(test_ctx(), &spec, n, &args), "scan_select");
  test_ok(test_ctx(), scan_read(test_ctx(), memory, got, n * 4), "scan_read");
  if (memcmp(want, got, kept * 4) != 0) test_fail("by %d in place, n=%llu", (int)by, (unsigned long long)n);
  free(want), free(got);
  test_ran();
}

/* Threads have tiles beside each other, of which one may be written while the other's neighbour is read. */
static void test_in_place(void **state) {
  const uint64_t most = test_is_small() ? 3 * TILE : 40 * TILE + 5;
  uint32_t *x = reference_alloc(most * 4);
  struct rng rng = { 0x9a12 };
  scan_op *near = near_of();
  scan_mem memory;
  (void)state;
  test_ok(test_ctx(), scan_alloc(test_ctx(), most * 4, &memory), "scan_alloc");
  for (int ascends = 0; ascends < 2; ascends++) {
    for (uint64_t i = 0; i < most; i++)
      x[i] = ascends && i < most / 2 ? (uint32_t)i * 100 : (uint32_t)rng_below(&rng, 100);
    for (scan_select_by by = SCAN_SELECT_FIRST; by <= SCAN_SELECT_LAST; by++) check_over(near, by, x, memory, most);
  }
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
  scan_op_destroy(near);
  free(x);
}

static void refused(const scan_select_spec *spec, const scan_select_args *args, const char *words) {
  const scan_status status = scan_select(test_ctx(), spec, 10, args);
  if (status == SCAN_SUCCESS || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

SCAN_OP_TEXT(
    one_text, static inline int is_odd(uint32_t x, uint64_t index) {
      (void)index;
      return x % 2 == 1;
    });
SCAN_KEEP_HOST(odd_host, uint32_t, is_odd);

static void test_refused(void **state) {
  const scan_predicate_source one = SCAN_PREDICATE_INIT(one_text, uint32_t, is_odd);
  scan_predicate_source wrong = SCAN_PREDICATE_PAIR_INIT(pairs_text, uint32_t, is_same);
  scan_op *near = near_of(), *odd = predicate_of(one, odd_host), *none = NULL;
  const uint32_t apart = 1;
  uint32_t in[10] = { 0 }, out[10];
  scan_select_args args = { .struct_bytes = sizeof args, .in = { scan_host(in) }, .out = { scan_host(out) } };
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, 4);
  (void)state;
  args.params = &apart;
  spec.predicate = near;
  refused(&spec, &args, "is_near is a predicate of two elements");
  spec.by = SCAN_SELECT_FIRST;
  spec.key_type = SCAN_U32;
  refused(&spec, &args, "set one or the other to 0");
  spec.key_type = 0;
  args.params = NULL;
  refused(&spec, &args, "is_near takes 4 bytes of parameters");
  spec.predicate = odd;
  refused(&spec, &args, "is_odd is a predicate of one element");
  spec.by = SCAN_SELECT_BITS;
  spec.predicate = near;
  refused(&spec, &args, "spec->by is not SCAN_SELECT_PREDICATE");
  wrong.is_pair = 2;
  if (scan_predicate_create(test_ctx(), &wrong, &none) != SCAN_INVALID_ARGUMENT) test_fail("is_pair of 2 was taken");
  scan_op_destroy(near), scan_op_destroy(odd);
  test_ran();
}

/* `withheld`: kernels whose tiles are counted by whoever waits for them, which in place nobody can. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_elements), cmocka_unit_test(test_params),
                                      cmocka_unit_test(test_payload),  cmocka_unit_test(test_n_from),
                                      cmocka_unit_test(test_in_place), cmocka_unit_test(test_refused) };
  const struct CMUnitTest withheld[] = { cmocka_unit_test(test_params), cmocka_unit_test(test_n_from) };
  (void)test_device_open();
  select_bench_open(MOST_BYTES);
  if (argc > 1 && strcmp(argv[1], "withheld") == 0)
    return test_exit(cmocka_run_group_tests_name("select_pairs withheld", withheld, NULL, NULL));
  return test_exit(cmocka_run_group_tests_name("select_pairs", tests, NULL, NULL));
}
