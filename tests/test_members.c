/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators from source whose input and output members lie in arrays of their own (scan_op_member): recurrences
 * h[t] = a[t + 1] h[t - 1] + b[t] of integers, which any order of operations computes exactly, against plain loops. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_array.h>
#include <scanrt/scan_reduce.h>

enum { MOST_ITEMS = 40000 };

/* clang-format off */
SCAN_OP_TEXT(text,
  typedef struct affine { uint32_t a, b; } affine;
  typedef struct input { uint64_t last; uint32_t b; uint8_t a; } input;
  typedef struct output { uint32_t h; uint16_t low; uint64_t product; } output;
  static inline affine compose(affine f, affine g) { affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; }
  static inline affine value_of(input x, uint64_t index) { affine f; f.a = x.a; f.b = x.b + (uint32_t)index; return f; }
  static inline output results(affine inclusive, affine exclusive, input x, uint64_t index) {
    output y;
    y.h = inclusive.b;
    y.low = (uint16_t)(exclusive.b + x.a + index);
    y.product = inclusive.b * x.last;
    return y;
  });
/* clang-format on */
SCAN_OP_HOST(compose_host, affine, compose);
SCAN_MAP_HOST(value_host, input, affine, value_of);
SCAN_EMIT_HOST(results_host, affine, input, output, results);

static const scan_op_member in_members[] = { SCAN_OP_MEMBER(input, b, 0), SCAN_OP_MEMBER(input, a, 1),
                                             SCAN_OP_MEMBER(input, last, -1) };
static const scan_op_member out_members[] = { SCAN_OP_MEMBER(output, h, 0), SCAN_OP_MEMBER(output, low, 0),
                                              SCAN_OP_MEMBER(output, product, 0) };
static const scan_op_member pair_members[] = { SCAN_OP_MEMBER(affine, a, 0), SCAN_OP_MEMBER(affine, b, 0) };

/* The arrays of one run; those of the output have a place more, which must keep its bytes. */
static struct {
  uint32_t b[MOST_ITEMS], h[MOST_ITEMS + 1];
  uint8_t a[MOST_ITEMS], flags[MOST_ITEMS];
  uint64_t last[MOST_ITEMS], product[MOST_ITEMS + 1];
  uint16_t low[MOST_ITEMS + 1];
  uint32_t pair_a[MOST_ITEMS], a_out[MOST_ITEMS + 1], b_out[MOST_ITEMS + 1];
} arrays;

static scan_op_source mapped_source(int has_loops) {
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, affine, compose);
  source.host = compose_host;
  source.map = "value_of";
  source.input_type = "input";
  source.input_bytes = sizeof(input);
  source.input_align = SCAN_OP_ALIGN(input);
  source.map_host = value_host;
  source.emit = "results";
  source.output_type = "output";
  source.output_bytes = sizeof(output);
  source.output_align = SCAN_OP_ALIGN(output);
  source.emit_host = results_host;
  source.input_members = in_members;
  source.input_member_count = 3;
  source.output_members = out_members;
  source.output_member_count = 3;
  if (!has_loops) return source;
  source.loops = &compose_host_loops;
  source.map_loop = value_host_loop;
  source.emit_loop = results_host_loop;
  return source;
}

static void fill(void) {
  uint32_t x = 12345;
  for (uint32_t i = 0; i < MOST_ITEMS; i++) {
    x = x * 1664525u + 1013904223u;
    arrays.b[i] = x;
    arrays.a[i] = (uint8_t)(x >> 24);
    arrays.last[i] = (uint64_t)x * x + i;
    arrays.pair_a[i] = x >> 7;
    arrays.flags[i] = x >> 13 & 1 && x >> 17 & 1 && x >> 21 & 1;
  }
  memset(arrays.h, 0xa5, sizeof arrays.h);
  memset(arrays.low, 0xa5, sizeof arrays.low);
  memset(arrays.product, 0xa5, sizeof arrays.product);
  memset(arrays.a_out, 0xa5, sizeof arrays.a_out);
  memset(arrays.b_out, 0xa5, sizeof arrays.b_out);
}

/* An array of lines, in C order with `inner` positions between a line's elements. */
typedef struct layout {
  uint64_t outer, n, inner;
  int backward, segments;
} layout;

static uint64_t place(const layout *l, uint64_t line, uint64_t t) {
  return (line / l->inner * l->n + t) * l->inner + line % l->inner;
}

/* 1 if a segment begins with the scan's element at place t of its line. */
static int is_start(const layout *l, uint64_t line, uint64_t t) {
  if (!l->segments) return 0;
  if (l->backward) return t + 1 < l->n && arrays.flags[place(l, line, t + 1)];
  return arrays.flags[place(l, line, t)];
}

static void expect_mapped(const layout *l) {
  for (uint64_t line = 0; line < l->outer * l->inner; line++) {
    uint32_t h = 0, before = 0;
    for (uint64_t i = 0; i < l->n; i++) {
      const uint64_t t = l->backward ? l->n - 1 - i : i, at = place(l, line, t);
      const uint32_t a = t + 1 < l->n ? arrays.a[place(l, line, t + 1)] : 0;
      const uint64_t last = t > 0 ? arrays.last[place(l, line, t - 1)] : 0;
      if (i == 0 || is_start(l, line, t)) h = 0;
      before = h;
      h = a * h + arrays.b[at] + (uint32_t)t;
      if (arrays.h[at] != h || arrays.product[at] != h * last || arrays.low[at] != (uint16_t)(before + a + t))
        test_fail("%llu x %llu x %llu%s%s, line %llu, place %llu: h %u, not %u; product %llu, not %llu; low %u, not %u",
                  (unsigned long long)l->outer, (unsigned long long)l->n, (unsigned long long)l->inner,
                  l->backward ? " backward" : "", l->segments ? " in segments" : "", (unsigned long long)line,
                  (unsigned long long)t, arrays.h[at], h, (unsigned long long)arrays.product[at],
                  (unsigned long long)(h * last), arrays.low[at], (uint16_t)(before + a + t));
    }
  }
  const uint64_t end = l->outer * l->n * l->inner;
  assert_int_equal(arrays.h[end], 0xa5a5a5a5);
  assert_int_equal(arrays.low[end], 0xa5a5);
  assert_true(arrays.product[end] == UINT64_C(0xa5a5a5a5a5a5a5a5));
}

static scan_args args_mapped(const layout *l, const scan_mem more_in[2], const scan_mem more_out[2]) {
  scan_args args = SCAN_ARGS_INIT(scan_host(arrays.b), scan_host(arrays.h));
  args.more_in = more_in;
  args.more_out = more_out;
  if (!l->segments) return args;
  args.marks = scan_host(arrays.flags);
  args.mark_count = l->outer * l->n * l->inner;
  return args;
}

static void run_mapped(scan_op *op, const layout *l) {
  const scan_mem more_in[] = { scan_host(arrays.a), scan_host(arrays.last) };
  const scan_mem more_out[] = { scan_host(arrays.low), scan_host(arrays.product) };
  scan_spec spec = { .struct_bytes = sizeof spec, .custom_op = op, .flags = l->backward ? SCAN_BACKWARD : 0 };
  if (l->segments) spec.segments = SCAN_SEGMENTS_FLAGS;
  fill();
  const scan_args args = args_mapped(l, more_in, more_out);
  if (l->outer == 1 && l->inner == 1) {
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, l->n, &args), "scan_run_args");
  } else {
    const uint64_t shape[] = { l->outer, l->n, l->inner };
    scan_array array = SCAN_ARRAY_INIT;
    test_ok(NULL, scan_array_packed(&spec, 3, shape, 1, &array), "scan_array_packed");
    test_ok(test_ctx(), scan_run_array_args(test_ctx(), &spec, &array, &args), "scan_run_array_args");
  }
  expect_mapped(l);
}

static const layout layouts[] = { { 1, 1, 1, 0, 0 },     { 1, 2, 1, 1, 0 },     { 1, 777, 1, 0, 0 },
                                  { 1, 20001, 1, 1, 0 }, { 1, 40000, 1, 0, 0 }, { 1, 9000, 1, 0, 1 },
                                  { 1, 9000, 1, 1, 1 },  { 40, 17, 1, 0, 0 },   { 40, 18, 1, 1, 0 },
                                  { 40, 1000, 1, 0, 0 }, { 40, 960, 1, 1, 0 },  { 9, 4400, 1, 0, 0 },
                                  { 7, 1001, 1, 0, 1 },  { 7, 1001, 1, 1, 1 },  { 2, 100, 70, 0, 0 },
                                  { 2, 101, 70, 1, 0 },  { 2, 99, 70, 0, 1 } };

static void test_mapped(void **state) {
  (void)state;
  for (int has_loops = 0; has_loops < (test_info()->backend == SCAN_BACKEND_HOST ? 2 : 1); has_loops++) {
    const scan_op_source source = mapped_source(has_loops);
    scan_op *op = NULL;
    test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) run_mapped(op, &layouts[i]);
    scan_op_destroy(op);
  }
}

/* Elements are values: members without a map and an emit. */
static void test_values(void **state) {
  (void)state;
  static const uint64_t lengths[] = { 1, 3, 1030, 40000 };
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, affine, compose);
  scan_op *op = NULL;
  source.host = compose_host;
  source.loops = &compose_host_loops;
  source.input_members = source.output_members = pair_members;
  source.input_member_count = source.output_member_count = 2;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  scan_op_facts facts = SCAN_OP_FACTS_INIT;
  test_ok(NULL, scan_op_info(op, &facts), "scan_op_info");
  assert_int_equal(facts.input_members, 2);
  assert_int_equal(facts.output_members, 2);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    const scan_mem b = scan_host(arrays.b), b_out = scan_host(arrays.b_out);
    const scan_spec spec = { .struct_bytes = sizeof spec, .custom_op = op };
    scan_args args = SCAN_ARGS_INIT(scan_host(arrays.pair_a), scan_host(arrays.a_out));
    affine all = { 1, 0 };
    args.more_in = &b;
    args.more_out = &b_out;
    fill();
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, lengths[i], &args), "scan_run_args");
    for (uint64_t k = 0; k < lengths[i]; k++) {
      all = compose(all, (affine){ arrays.pair_a[k], arrays.b[k] });
      assert_int_equal(arrays.a_out[k], all.a);
      assert_int_equal(arrays.b_out[k], all.b);
    }
    assert_int_equal(arrays.b_out[lengths[i]], 0xa5a5a5a5);
  }
  scan_op_destroy(op);
}

/* Every strategy that takes operators from source, in device memory, by a plan. */
static void test_strategies(void **state) {
  (void)state;
  static const scan_strategy all[] = { SCAN_STRATEGY_SEQUENTIAL, SCAN_STRATEGY_BLOCK, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                       SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_THREADS };
  const scan_op_source source = mapped_source(1);
  const layout l = { 1, test_is_small() || test_info()->loop_limit != 0 ? 2500 : 30011, 1, 0, 0 };
  scan_op *op = NULL;
  scan_mem in, a, last, h, low, product;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  fill();
  test_ok(test_ctx(), scan_alloc(test_ctx(), l.n * 4, &in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), l.n, &a), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), l.n * 8, &last), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), l.n * 4, &h), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), l.n * 2, &low), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), l.n * 8, &product), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), in, arrays.b, l.n * 4), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), a, arrays.a, l.n), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), last, arrays.last, l.n * 8), "scan_write");
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    const scan_mem more_in[] = { a, last }, more_out[] = { low, product };
    const scan_spec spec = { .struct_bytes = sizeof spec, .custom_op = op, .strategy = all[i] };
    scan_args args = SCAN_ARGS_INIT(in, h);
    scan_plan *plan = NULL;
    args.more_in = more_in;
    args.more_out = more_out;
    if (!test_needs_strategy(all[i])) continue;
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, l.n, &plan), "scan_plan_create");
    test_ok(test_ctx(), scan_plan_run_args(plan, l.n, &args), "scan_plan_run_args");
    fill();
    test_ok(test_ctx(), scan_read(test_ctx(), h, arrays.h, l.n * 4), "scan_read");
    test_ok(test_ctx(), scan_read(test_ctx(), low, arrays.low, l.n * 2), "scan_read");
    test_ok(test_ctx(), scan_read(test_ctx(), product, arrays.product, l.n * 8), "scan_read");
    expect_mapped(&l);
    assert_int_equal(scan_plan_run(plan, l.n, in, h), SCAN_INVALID_ARGUMENT);
    scan_plan_destroy(plan);
  }
  const scan_mem owned[] = { in, a, last, h, low, product };
  for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
    test_ok(test_ctx(), scan_free(test_ctx(), owned[i]), "scan_free");
  scan_op_destroy(op);
}

static void check_refused(scan_status status, scan_status wanted, const char *words) {
  test_refusal(test_ctx(), status, wanted, words);
}

static void test_refusals(void **state) {
  (void)state;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  scan_op_source source = mapped_source(1);
  scan_op *op = NULL;
  scan_op_member members[3];
  memcpy(members, in_members, sizeof members);
  source.input_members = members;
  members[1].bytes = 3;
  check_refused(scan_op_create(test_ctx(), &source, &op), bad, "source->input_members[1] has 3 bytes");
  members[1].bytes = 4;
  members[1].offset = 13;
  check_refused(scan_op_create(test_ctx(), &source, &op), bad, "source->input_members[1] lies at byte 13");
  members[1].offset = sizeof(input);
  check_refused(scan_op_create(test_ctx(), &source, &op), bad, "source->input_members[1] lies at byte 16");
  members[1] = in_members[1];
  source.input_member_count = SCAN_OP_MOST_MEMBERS + 1;
  check_refused(scan_op_create(test_ctx(), &source, &op), bad, "source->input_member_count is 5");
  source.input_member_count = 0;
  check_refused(scan_op_create(test_ctx(), &source, &op), bad, "source->input_member_count is 0");
  source.input_member_count = 3;
  source.output_members = in_members;
  check_refused(scan_op_create(test_ctx(), &source, &op), bad, "source->output_members[1].shift is not 0");
  source.output_members = out_members;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");

  const scan_spec spec = { .struct_bytes = sizeof spec, .custom_op = op };
  scan_mem more_in[] = { scan_host(arrays.a), scan_host(arrays.last) };
  scan_mem more_out[] = { scan_host(arrays.low), scan_host(arrays.product) };
  scan_args args = SCAN_ARGS_INIT(scan_host(arrays.b), scan_host(arrays.h));
  check_refused(scan_run_args(test_ctx(), &spec, 10, &args), bad, "args->more_in is NULL");
  args.more_in = more_in;
  check_refused(scan_run_args(test_ctx(), &spec, 10, &args), bad, "args->more_out is NULL");
  args.more_out = more_out;
  more_out[0] = scan_host(arrays.h);
  check_refused(scan_run_args(test_ctx(), &spec, 10, &args), bad, "more_out overlaps");
  more_out[0] = scan_host(arrays.low);
  args.out = scan_host(arrays.b);
  check_refused(scan_run_args(test_ctx(), &spec, 10, &args), bad, "in and out overlap");
  args.out = scan_host(arrays.h);
  more_in[1] = SCAN_NO_MEM;
  check_refused(scan_run_args(test_ctx(), &spec, 10, &args), bad, "args->more_in[1]");
  more_in[1] = scan_host(arrays.last);
  scan_spec built_in = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  check_refused(scan_run_args(test_ctx(), &built_in, 10, &args), bad, "the operator has no members for it");
  scan_spec total = spec;
  total.kind = SCAN_TOTAL;
  check_refused(scan_run_args(test_ctx(), &total, 10, &args), bad, "spec->kind must be SCAN_INCLUSIVE");
  scan_op_destroy(op);

  source.emit = source.output_type = NULL;
  source.emit_host = NULL;
  source.emit_loop = NULL;
  source.output_bytes = source.output_align = 0;
  source.output_members = NULL;
  source.output_member_count = 0;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  total.custom_op = op;
  for (int k = SCAN_SEGMENTS_FLAGS; k <= SCAN_SEGMENTS_BITS; k++) {
    scan_plan *plan = NULL;
    if (k == SCAN_SEGMENTS_KEYS) continue;
    total.segments = (scan_segments)k;
    total.key_type = k == SCAN_SEGMENTS_OFFSETS ? SCAN_U32 : SCAN_TYPE_DEFAULT;
    check_refused(scan_plan_create_segmented_reduce(test_ctx(), &total, 10, &plan), SCAN_UNSUPPORTED,
                  "has members in arrays of their own");
  }
  scan_op_destroy(op);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_mapped), TEST(test_values), TEST(test_strategies),
                                      TEST(test_refusals) };
  test_device_open();
  return test_exit(cmocka_run_group_tests(tests, NULL, NULL));
}
