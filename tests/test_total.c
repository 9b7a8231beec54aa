/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals alone: one element, the bits of the last of an inclusive scan; around every tile boundary, from seeds and
 * carries, by plans and by scan_run, of operators from source, of nothing. */
#include "operators.h"
#include "reference.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 700000, POISON = 0xA5, SLOT_BYTES = 64 };

struct subject {
  scan_type type, input_type;
  scan_op_id op;
  const struct operator_case *source;
  scan_op *handle;
  uint32_t flags;
};

static struct {
  struct rng rng;
  _Alignas(64) unsigned char in[MOST_ITEMS * 8];
  _Alignas(64) unsigned char want[MOST_ITEMS * 8];
  scan_mem input, slots; /* the total, carry_in, carry_out: a slot each, and a slot between */
} bench = { .rng = { 0x707a1 } };

static size_t out_bytes(const struct subject *s) {
  return s->source ? s->source->source.value_bytes : reference_bytes(s->type);
}

static size_t in_bytes(const struct subject *s) {
  if (s->source || s->input_type == SCAN_TYPE_DEFAULT) return out_bytes(s);
  return reference_bytes(s->input_type);
}

static scan_spec spec_of(const struct subject *s) {
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->op, SCAN_TOTAL);
  spec.input_type = s->input_type;
  spec.custom_op = s->handle;
  spec.flags = s->flags;
  return spec;
}

static void expect(const struct subject *s, const void *seed, uint64_t n, const void *in, void *total) {
  const size_t bytes = out_bytes(s);
  if (s->source) {
    const struct reference_operator op = { bytes, s->source->source.host, 0, NULL };
    reference_operator_scan(&op, 0, SCAN_INCLUSIVE, seed, n, in, bench.want);
  } else {
    scan_spec spec = spec_of(s);
    spec.kind = SCAN_INCLUSIVE;
    spec.has_init = seed != NULL;
    if (seed) memcpy(&spec.init, seed, bytes);
    reference_scan(&spec, n, in, bench.want);
  }
  memcpy(total, bench.want + (n - 1) * bytes, bytes);
}

/* ---- one total ---- */

enum { SEEDED = 1, CARRIED = 2, BY_RUN = 4, ON_HOST = 8, SHIFTED = 16 };

static void fail_total(const struct subject *s, uint64_t n, int how, const char *why) {
  test_fail("total of %s%s%s by %s, n=%llu, manner %d: %s", s->source ? s->source->name : scan_type_name(s->type),
            s->input_type ? " from " : "", s->input_type ? scan_type_name(s->input_type) : "",
            s->source ? "its operator" : scan_op_name(s->op), (unsigned long long)n, how, why);
}

static scan_mem slot(int i) { return scan_offset(bench.slots, (uint64_t)i * SLOT_BYTES); }

static void check_total(const struct subject *s, scan_plan *plan, const scan_spec *spec, const void *seed, uint64_t n,
                        int how) {
  scan_ctx *ctx = test_ctx();
  const size_t bytes = out_bytes(s), lead = how & SHIFTED ? in_bytes(s) : 0;
  _Alignas(64) unsigned char want[SLOT_BYTES], got[6 * SLOT_BYTES];
  memset(got, POISON, sizeof got);
  if (how & CARRIED) memcpy(got + 2 * SLOT_BYTES, seed, bytes);
  test_ok(ctx, scan_write(ctx, bench.slots, got, sizeof got), "scan_write");
  memmove(bench.want, bench.in + lead, n * in_bytes(s)); /* aligned */
  if (how & SHIFTED && s->source) {
    static _Alignas(64) unsigned char moved[MOST_ITEMS * 8];
    memcpy(moved, bench.want, n * in_bytes(s));
    expect(s, seed, n, moved, want);
  } else {
    expect(s, seed, n, bench.in + lead, want);
  }
  scan_status status;
  scan_args args = SCAN_ARGS_INIT(scan_offset(bench.input, lead), slot(0));
  if (how & ON_HOST) args = (scan_args)SCAN_ARGS_INIT(scan_host(bench.in + lead), scan_host(got));
  if (how & CARRIED) {
    args.carry_in = slot(2);
    args.carry_out = slot(4);
  }
  if (how & (ON_HOST | BY_RUN))
    status = scan_run_args(ctx, spec, n, &args);
  else
    status = scan_plan_run_args(plan, n, &args);
  if (status != SCAN_SUCCESS) fail_total(s, n, how, scan_last_error(ctx));
  unsigned char there[6 * SLOT_BYTES];
  test_ok(ctx, scan_read(ctx, bench.slots, there, sizeof there), "scan_read");
  if (!(how & ON_HOST)) memcpy(got, there, SLOT_BYTES);
  if (memcmp(got, want, bytes) != 0) fail_total(s, n, how, "it is wrong");
  for (size_t i = bytes; i < 2 * SLOT_BYTES; i++)
    if (got[i] != POISON) fail_total(s, n, how, "bytes behind it were written");
  if (how & CARRIED && memcmp(there + 4 * SLOT_BYTES, want, bytes) != 0) fail_total(s, n, how, "carry_out is wrong");
  test_ran();
}

/* Values of which no sum overflows; the inputs of checked subjects are i32 or u8. */
static void fill_small(const struct subject *s, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    const int32_t value = (int32_t)rng_below(&bench.rng, 7);
    if (in_bytes(s) == 1)
      bench.in[i] = (unsigned char)value;
    else
      ((int32_t *)(void *)bench.in)[i] = value - 3;
  }
}

static void fill(const struct subject *s, uint64_t n) {
  scan_ctx *ctx = test_ctx();
  if (s->flags)
    fill_small(s, n);
  else if (s->source)
    s->source->fill(&bench.rng, n, bench.in);
  else
    values_fill(&bench.rng, s->input_type ? s->input_type : s->type, s->op, n, n, bench.in);
  test_ok(ctx, scan_write(ctx, bench.input, bench.in, n * in_bytes(s)), "scan_write");
}

static void draw_seed(const struct subject *s, void *seed) {
  if (s->flags)
    *(scan_value *)seed = (scan_value){ .u64 = rng_below(&bench.rng, 100) };
  else if (s->source && s->source->init)
    s->source->init(&bench.rng, seed);
  else if (s->source)
    s->source->fill(&bench.rng, 1, seed);
  else
    *(scan_value *)seed = values_init(&bench.rng, s->type, s->op);
}

static scan_spec spec_in(const struct subject *s, int how, const void *seed) {
  scan_spec spec = spec_of(s);
  if (how & SEEDED && !(how & CARRIED)) {
    spec.has_init = 1;
    if (s->source)
      spec.init_bytes = seed;
    else
      memcpy(&spec.init, seed, sizeof spec.init);
  }
  return spec;
}

static void run_subject(const struct subject *s) {
  static const int manners[] = {
    0, SEEDED, CARRIED, BY_RUN, BY_RUN | SEEDED | SHIFTED, BY_RUN | CARRIED, ON_HOST, ON_HOST | SEEDED, SHIFTED
  };
  const size_t bytes = out_bytes(s);
  const uint64_t sub = reference_subtile_items(bytes), tile = sub * reference_most_subtiles(bytes);
  const uint64_t sizes[] = { 1,          2,
                             33,         sub - 1,
                             sub,        sub + 1,
                             tile - 1,   tile,
                             tile + 1,   2 * tile + 5,
                             97 * sub,   97 * sub + 1,
                             128 * sub,  128 * sub + 1,
                             129 * tile, 130 * tile + 17 };
  uint64_t most = sizeof bench.in / (bytes > in_bytes(s) ? bytes : in_bytes(s)) - 1;
  if (most > MOST_ITEMS - 1) most = MOST_ITEMS - 1;
  if (test_is_small() || test_info()->loop_limit)
    most = test_info()->loop_limit ? (s->flags ? 8000 : 12000) : 20000; /* its limit is near */
  fill(s, most + 1);
  for (size_t m = 0; m < sizeof manners / sizeof manners[0]; m++) {
    _Alignas(64) unsigned char seed[SLOT_BYTES];
    const int how = manners[m];
    scan_plan *plan = NULL;
    draw_seed(s, seed);
    const scan_spec spec = spec_in(s, how, seed);
    if (!(how & (BY_RUN | ON_HOST)) && scan_plan_create(test_ctx(), &spec, most, &plan) != SCAN_SUCCESS)
      fail_total(s, most, how, scan_last_error(test_ctx()));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
      if (sizes[i] <= most) check_total(s, plan, &spec, how & (SEEDED | CARRIED) ? seed : NULL, sizes[i], how);
    check_total(s, plan, &spec, how & (SEEDED | CARRIED) ? seed : NULL, most, how);
    scan_plan_destroy(plan);
  }
}

/* ---- tests ---- */

static void test_built_in(void **state) {
  static const struct subject subjects[] = {
    { SCAN_F32, SCAN_TYPE_DEFAULT, SCAN_ADD, NULL, NULL, 0 }, { SCAN_I64, SCAN_I32, SCAN_ADD, NULL, NULL, 0 },
    { SCAN_U8, SCAN_TYPE_DEFAULT, SCAN_ADD, NULL, NULL, 0 },  { SCAN_I16, SCAN_TYPE_DEFAULT, SCAN_MAX, NULL, NULL, 0 },
    { SCAN_F64, SCAN_F32, SCAN_ADD, NULL, NULL, 0 },          { SCAN_F64, SCAN_TYPE_DEFAULT, SCAN_MUL, NULL, NULL, 0 },
  };
  (void)state;
  for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
    if (test_has_type(subjects[i].type)) run_subject(&subjects[i]);
}

/* 0, counted as skipped, where the operator would have to be compiled and nothing can. */
static int is_there(const struct subject *s) {
  const scan_spec spec = spec_of(s);
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(test_ctx(), &spec, 100, &plan);
  scan_plan_destroy(plan);
  if (status == SCAN_UNSUPPORTED) {
    test_skipped("%s, checked: %s", scan_type_name(s->type), scan_last_error(test_ctx()));
    return 0;
  }
  test_ok(test_ctx(), status, "scan_plan_create");
  return 1;
}

/* All elements are looked at, and nothing is written but the total. */
static void test_checked(void **state) {
  static const struct subject subjects[] = {
    { SCAN_I32, SCAN_TYPE_DEFAULT, SCAN_ADD, NULL, NULL, SCAN_CHECK_OVERFLOW },
    { SCAN_U32, SCAN_U8, SCAN_ADD, NULL, NULL, SCAN_CHECK_OVERFLOW },
  };
  (void)state;
  for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
    if (test_has_type(subjects[i].type) && is_there(&subjects[i])) run_subject(&subjects[i]);
}

static void test_from_source(void **state) {
  scan_ctx *ctx = test_ctx();
  (void)state;
  for (size_t i = 0; i < OPERATOR_CASES; i++) {
    struct subject s = { .source = &operator_cases[i] };
    const char *names = getenv("SCANRT_TEST_OPERATORS");
    if (names && *names && !strstr(names, s.source->name)) continue;
    if (test_is_small() && strcmp(s.source->name, "link") != 0) continue;
    const scan_status status = scan_op_create(ctx, &s.source->source, &s.handle);
    if (status == SCAN_UNSUPPORTED) {
      test_skipped("operator %s: %s", s.source->name, scan_last_error(ctx));
      continue;
    }
    test_ok(ctx, status, "scan_op_create");
    run_subject(&s);
    scan_op_destroy(s.handle);
  }
}

/* Of nothing it is what the scan begins from. */
static void test_of_nothing(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_MIN, SCAN_TOTAL);
  scan_plan *plan = NULL;
  const scan_mem none = SCAN_NO_MEM;
  int32_t got = 1;
  (void)state;
  test_ok(ctx, scan_run(ctx, &spec, 0, none, scan_host(&got)), "scan_run");
  assert_int_equal(got, INT32_MAX);
  spec.has_init = 1;
  spec.init.i32 = 77;
  test_ok(ctx, scan_run(ctx, &spec, 0, none, slot(0)), "scan_run");
  test_ok(ctx, scan_read(ctx, slot(0), &got, 4), "scan_read");
  assert_int_equal(got, 77);
  for (int carried = 0; carried < 2; carried++) {
    scan_args args = SCAN_ARGS_INIT(none, slot(2));
    if (carried) {
      spec.has_init = 0;
      args.carry_in = slot(0);
      args.carry_out = slot(4);
    }
    test_ok(ctx, scan_plan_create(ctx, &spec, 0, &plan), "scan_plan_create");
    test_ok(ctx, scan_plan_run_args(plan, 0, &args), "scan_plan_run_args");
    scan_plan_destroy(plan);
    test_ok(ctx, scan_read(ctx, slot(2), &got, 4), "scan_read");
    assert_int_equal(got, 77);
  }
  test_ok(ctx, scan_read(ctx, slot(4), &got, 4), "scan_read");
  assert_int_equal(got, 77);
}

static void check_refused(scan_status got, scan_status want, const char *words) {
  const char *text = scan_last_error(test_ctx());
  if (got != want || !strstr(text, words))
    test_fail("%s: \"%s\" instead of %s: \"%s\"", scan_status_name(got), text, scan_status_name(want), words);
}

static void test_refusals(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_TOTAL);
  const scan_mem none = SCAN_NO_MEM;
  (void)state;
  check_refused(scan_run(ctx, &spec, 9, bench.input, bench.input), SCAN_INVALID_ARGUMENT, "out lies within in");
  check_refused(scan_run(ctx, &spec, 9, bench.input, scan_offset(bench.input, 32)), SCAN_INVALID_ARGUMENT,
                "out lies within in");
  check_refused(scan_run(ctx, &spec, 9, none, slot(0)), SCAN_INVALID_ARGUMENT, "in is no memory");
  check_refused(scan_run(ctx, &spec, 0, none, none), SCAN_INVALID_ARGUMENT, "out is no memory");
  check_refused(scan_run(ctx, &spec, 9, bench.input, scan_offset(slot(0), 1)), SCAN_INVALID_ARGUMENT,
                "out is not aligned");
  check_refused(scan_stream(ctx, &spec, 9, bench.in, bench.want, NULL), SCAN_UNSUPPORTED,
                "options->carry_out is the total");
  scan_args args = SCAN_ARGS_INIT(bench.input, slot(0));
  args.carry_out = slot(0);
  check_refused(scan_run_args(ctx, &spec, 9, &args), SCAN_INVALID_ARGUMENT, "args->carry_out lies within in or out");
  spec.strategy = SCAN_STRATEGY_BLELLOCH;
  check_refused(scan_run(ctx, &spec, 9, bench.input, slot(0)), SCAN_UNSUPPORTED,
                test_info()->backend == SCAN_BACKEND_HOST ? "work-groups" : "it has no SCAN_TOTAL");
}

/* A total of no halves is what it begins from, as a half: on the device and on the host. */
static void test_no_halves(void **state) {
  static const uint16_t one_and_a_half = 0x3e00;
  scan_ctx *ctx = test_ctx();
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F16, SCAN_ADD, SCAN_TOTAL);
  uint16_t got[2] = { 7, 7 };
  (void)state;
  spec.has_init = 1;
  spec.init_bytes = &one_and_a_half;
  const scan_status status = scan_run(ctx, &spec, 0, bench.input, bench.slots);
  if (status == SCAN_UNSUPPORTED) {
    test_skipped("f16: %s", scan_last_error(ctx));
    return;
  }
  test_ok(ctx, status, "scan_run");
  test_ok(ctx, scan_read(ctx, bench.slots, &got[0], 2), "scan_read");
  test_ok(ctx, scan_run(ctx, &spec, 0, scan_host(got), scan_host(&got[1])), "scan_run");
  assert_int_equal(got[0], one_and_a_half);
  assert_int_equal(got[1], one_and_a_half);
  test_ran();
}

static void test_facts(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_TOTAL);
  scan_spec scan = spec;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT, whole = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  (void)state;
  test_ok(ctx, scan_plan_create(ctx, &spec, 9000, &plan), "scan_plan_create");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  scan_plan_destroy(plan);
  scan.kind = SCAN_INCLUSIVE;
  test_ok(ctx, scan_plan_create(ctx, &scan, 9000, &plan), "scan_plan_create");
  test_ok(ctx, scan_plan_info(plan, &whole), "scan_plan_info");
  scan_plan_destroy(plan);
  assert_int_equal(facts.strategy, whole.strategy);
  assert_int_equal(facts.launches, whole.launches);
  assert_true(facts.work < whole.work);
  assert_int_equal(facts.span, whole.span);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_built_in),
    cmocka_unit_test(test_checked),
    cmocka_unit_test(test_from_source),
    cmocka_unit_test_setup(test_of_nothing, test_count_setup),
    cmocka_unit_test_setup(test_no_halves, test_count_setup),
    cmocka_unit_test_setup(test_refusals, test_count_setup),
    cmocka_unit_test_setup(test_facts, test_count_setup),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  scan_ctx *ctx = test_device_open();
  if (scan_alloc(ctx, sizeof bench.in, &bench.input) != SCAN_SUCCESS ||
      scan_alloc(ctx, 6 * SLOT_BYTES, &bench.slots) != SCAN_SUCCESS) {
    fprintf(stderr, "%s\n", scan_last_error(ctx));
    return 1;
  }
  return test_exit(cmocka_run_group_tests_name("total", tests, NULL, NULL));
}
