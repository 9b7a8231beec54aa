/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators from source: elements of 1 to 64 bytes, not commutative, on every strategy, against a reference of their
 * own; operands that an operator must not see, counted; names, layouts and mistakes of the text. */
#include "operators.h"
#include "reference.h"
#include "support.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAD_BYTES = 192, POISON = 0xA5, MANY_ITEMS = 600000 /* the reference takes long over more */ };

static struct { struct rng rng; } bench = { { 0x09e7a70f5ca9 } };

static int selector_has(const char *word) { return strstr(test_selector(), word) != NULL; }

/* ---- one scan over guarded device memory ---- */

struct scan_case {
  const struct operator_case *op;
  scan_strategy strategy;
  scan_kind kind;
  const void *init; /* NULL: none */
  int in_place;
  uint64_t shift; /* elements that the buffers begin after a multiple of 64 bytes */
};

static void fail_case(const struct scan_case *c, uint64_t n, const char *why) {
  test_fail("operator %s, strategy %s, %s%s%s, shift %llu, n=%llu: %s", c->op->name, scan_strategy_name(c->strategy),
            c->kind == SCAN_INCLUSIVE ? "inclusive" : "exclusive", c->init ? " from init" : "",
            c->in_place ? " in place" : "", (unsigned long long)c->shift, (unsigned long long)n, why);
}

static void expect(const struct scan_case *c, uint64_t n, const void *in, void *out) {
  const struct reference_operator reference = { c->op->source.value_bytes, c->op->source.host, 0, NULL };
  const void *seed = c->init ? c->init : c->kind == SCAN_EXCLUSIVE ? c->op->source.identity : NULL;
  reference_operator_scan(&reference, c->strategy == SCAN_STRATEGY_SEQUENTIAL, c->kind, seed, n, in, out);
}

/* Poison around the output, and around the input, which an operator would take for an element. */
static void run_case(scan_plan *plan, const struct scan_case *c, uint64_t n) {
  scan_ctx *ctx = test_ctx();
  const size_t item = c->op->source.value_bytes, bytes = (size_t)n * item;
  const size_t before = PAD_BYTES + (size_t)c->shift * item, whole = before + bytes + PAD_BYTES;
  unsigned char *in = reference_alloc(whole), *want = reference_alloc(whole), *got = reference_alloc(whole);
  scan_mem in_mem, out_mem;
  memset(in, POISON, whole);
  memset(want, POISON, whole);
  c->op->fill(&bench.rng, n, got); /* aligned */
  memcpy(in + before, got, bytes);
  unsigned char *expected = reference_alloc(bytes);
  expect(c, n, got, expected);
  memcpy(want + before, expected, bytes);
  test_ok(ctx, scan_alloc(ctx, whole, &in_mem), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, whole, &out_mem), "scan_alloc");
  test_ok(ctx, scan_write(ctx, in_mem, in, whole), "scan_write");
  test_ok(ctx, scan_write(ctx, out_mem, c->in_place ? in : memset(got, POISON, whole), whole), "scan_write");
  const scan_mem from = scan_offset(c->in_place ? out_mem : in_mem, before), to = scan_offset(out_mem, before);
  if (scan_plan_run(plan, n, from, to) != SCAN_SUCCESS) fail_case(c, n, scan_last_error(ctx));
  test_ok(ctx, scan_read(ctx, out_mem, got, whole), "scan_read");
  size_t at = 0;
  while (at < whole && got[at] == want[at]) at++;
  if (at < whole) {
    char why[TEST_TEXT];
    snprintf(why, sizeof why, "byte %zu is 0x%02x instead of 0x%02x: element %lld", at, got[at], want[at],
             ((long long)at - (long long)before) / (long long)item);
    fail_case(c, n, why);
  }
  test_ok(ctx, scan_free(ctx, in_mem), "scan_free");
  test_ok(ctx, scan_free(ctx, out_mem), "scan_free");
  free(in);
  free(want);
  free(got);
  free(expected);
}

/* ---- every strategy ---- */

static scan_spec spec_of(const struct scan_case *c, scan_op *op) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, c->kind);
  spec.custom_op = op;
  spec.strategy = c->strategy;
  spec.has_init = c->init != NULL;
  spec.init_bytes = c->init;
  return spec;
}

/* The largest n that a device which ends loops allows the strategy: it says so. NULL when not even one element. */
static scan_plan *make_plan(const struct scan_case *c, scan_op *op, uint64_t *max_n) {
  const scan_spec spec = spec_of(c, op);
  scan_plan *plan = NULL;
  const scan_status status = test_plan_create(&spec, max_n, &plan);
  if (status != SCAN_SUCCESS && status != SCAN_UNSUPPORTED) fail_case(c, *max_n, scan_last_error(test_ctx()));
  return status == SCAN_SUCCESS ? plan : NULL;
}

/* Around vectors, rows, sub-tiles and tiles of each size, up to more than one group of tiles. */
static size_t list_sizes(size_t item_bytes, uint64_t sizes[32]) {
  const uint64_t sub = reference_subtile_items(item_bytes), tile = sub * reference_most_subtiles(item_bytes);
  const uint64_t all[] = { 1,
                           2,
                           17,
                           33,
                           sub - 1,
                           sub,
                           sub + 1,
                           tile - 1,
                           tile,
                           tile + 1,
                           3 * tile + 17,
                           128 * sub,
                           128 * sub + 1,
                           128 * tile + 1,
                           131 * tile + 7 };
  size_t count = 0;
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
    if (!test_is_small() || all[i] <= 2500) sizes[count++] = all[i];
  return count;
}

/* The pipelined scan takes 1, 2, 4 and 8 bytes. */
static int is_refused(const struct scan_case *c) {
  const size_t bytes = c->op->source.value_bytes;
  return c->strategy == SCAN_STRATEGY_PIPELINED && (bytes > 8 || 16 % bytes != 0);
}

static void run_sizes(const struct scan_case *wanted, scan_op *op) {
  uint64_t sizes[32];
  struct scan_case c = *wanted;
  const size_t count = list_sizes(c.op->source.value_bytes, sizes);
  uint64_t max_n = sizes[0];
  for (size_t i = 1; i < count; i++) max_n = sizes[i] > max_n ? sizes[i] : max_n;
  scan_plan *plan = make_plan(&c, op, &max_n);
  if (plan == NULL) {
    if (test_has_strategy(c.strategy) && !is_refused(&c))
      fail_case(&c, 1, "the strategy is there for built-in operators");
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (sizes[i] > max_n || (sizes[i] > MANY_ITEMS && (c.strategy != SCAN_STRATEGY_AUTO || c.init))) continue;
    c.shift = i % 3;
    c.in_place = i % 2 != 0;
    run_case(plan, &c, sizes[i]);
  }
  scan_plan_destroy(plan);
  test_ran();
}

/* What is told of an operator is what it was made of; nothing of one that was given back, nor of none. */
static void check_facts(scan_op *op, const scan_op_source *source) {
  scan_op_facts facts = SCAN_OP_FACTS_INIT, none = { .struct_bytes = 0 };
  assert_int_equal(scan_op_info(op, &facts), SCAN_SUCCESS);
  assert_int_equal(facts.value_bytes, source->value_bytes);
  assert_int_equal(facts.value_align, source->value_align);
  assert_int_equal(facts.input_bytes, source->value_bytes);
  assert_int_equal(facts.output_bytes, source->value_bytes);
  assert_int_equal(facts.has_identity, source->identity != NULL);
  assert_false(facts.maps || facts.emits || facts.is_predicate);
  if (source->identity != NULL) assert_memory_equal(facts.identity, source->identity, source->value_bytes);
  assert_int_equal(scan_op_info(NULL, &facts), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_op_info(op, NULL), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_op_info(op, &none), SCAN_INVALID_ARGUMENT);
}

static scan_op *make_operator(const struct operator_case *one, int has_identity) {
  scan_op_source source = one->source;
  scan_op *op = NULL;
  if (!has_identity) source.identity = NULL;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  check_facts(op, &source);
  return op;
}

static void test_operator(void **state) {
  const struct operator_case *one = *state;
  _Alignas(64) unsigned char init[SCAN_OP_MOST_BYTES];
  scan_op *op = make_operator(one, 1);
  if (one->init)
    one->init(&bench.rng, init);
  else
    one->fill(&bench.rng, 1, init);
  for (int strategy = SCAN_STRATEGY_AUTO; strategy <= SCAN_STRATEGY_PIPELINED; strategy++) {
    struct scan_case c = { .op = one, .strategy = (scan_strategy)strategy, .kind = SCAN_INCLUSIVE };
    if (!test_takes_strategy(c.strategy)) continue;
    if (test_info()->loop_limit == 0) run_sizes(&c, op); /* llvmpipe takes seconds to compile a plan's kernels */
    c.init = init;
    if (test_info()->loop_limit == 0) run_sizes(&c, op);
    c.kind = SCAN_EXCLUSIVE;
    run_sizes(&c, op);
    c.init = NULL;
    if (one->source.identity) run_sizes(&c, op);
  }
  scan_op_destroy(op);
}

/* ---- operands, counted ---- */

static _Atomic uint32_t wrong_operands;

static void link_host(const void *a, const void *b, void *result, void *user) {
  (void)user;
  const operator_link *x = a, *y = b;
  const uint32_t wrong =
      (uint32_t)(x->next != y->first) + (x->tag != OPERATOR_LINK_TAG) + (y->tag != OPERATOR_LINK_TAG);
  wrong_operands += wrong;
  *(operator_link *)result = (operator_link){ x->first, y->next, x->bad + y->bad + wrong, OPERATOR_LINK_TAG };
}

/* On processors whose kernels see the host's memory each application is counted, whether its result is used or not. */
static void test_operands(void **state) {
  (void)state;
  char text[2048], statement[160] = "(void)0";
  const int sees_host = selector_has("pocl");
  if (!sees_host && test_info()->backend != SCAN_BACKEND_HOST) {
    test_skipped("operands are counted where kernels see the host's memory; in results: operator link");
    skip();
  }
  if (sees_host)
    snprintf(statement, sizeof statement, "(void)atomic_inc((volatile __global uint *)%pul)", (void *)&wrong_operands);
  snprintf(text, sizeof text, operator_link_text, statement);
  struct operator_case one = operator_cases[1];
  const operator_link poison = { 77, 77, 0, 77 };
  one.source = (scan_op_source){ .struct_bytes = sizeof(scan_op_source),
                                 .text = text,
                                 .type = "operator_link",
                                 .combine = "link_combine",
                                 .value_bytes = sizeof(operator_link),
                                 .value_align = 4,
                                 .identity = &poison, /* must not be combined with anything */
                                 .host = link_host };
  scan_op *op = make_operator(&one, 1);
  wrong_operands = 0;
  for (int strategy = SCAN_STRATEGY_AUTO; strategy <= SCAN_STRATEGY_PIPELINED; strategy++) {
    const struct scan_case c = { .op = &one, .strategy = (scan_strategy)strategy, .kind = SCAN_INCLUSIVE };
    run_sizes(&c, op);
    if (wrong_operands != 0) fail_case(&c, 0, "the operator saw what are no elements in a row");
  }
  scan_op_destroy(op);
  /* The counter counts: an element out of its place. */
  const operator_link two[] = { { 1, 2, 0, OPERATOR_LINK_TAG }, { 5, 6, 0, OPERATOR_LINK_TAG } };
  operator_link out[2];
  const struct scan_case c = { .op = &one, .strategy = SCAN_STRATEGY_AUTO, .kind = SCAN_INCLUSIVE };
  op = make_operator(&one, 1);
  const scan_spec spec = spec_of(&c, op);
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, 2, scan_host(two), scan_host(out)), "scan_run");
  assert_int_equal(out[1].bad, 1);
  assert_true(wrong_operands > 0);
  scan_op_destroy(op);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

/* $SCANRT_TEST_OPERATORS names some of them, and "operands"; else all, or at small scale the first four. */
static int is_wanted(const char *name, int is_default) {
  const char *list = getenv("SCANRT_TEST_OPERATORS");
  if (list == NULL || list[0] == '\0') return is_default;
  for (; *list != '\0'; list += strcspn(list, ","), list += *list == ',')
    if (strcspn(list, ",") == strlen(name) && strncmp(list, name, strlen(name)) == 0) return 1;
  return 0;
}

int main(void) {
  struct CMUnitTest tests[OPERATOR_CASES + 1];
  size_t count = 0;
  test_share();
  test_device_open();
  for (size_t i = 0; i < OPERATOR_CASES; i++)
    if (is_wanted(operator_cases[i].name, i < (test_is_small() ? 4 : OPERATOR_CASES)))
      tests[count++] =
          (struct CMUnitTest){ operator_cases[i].name, test_operator, NULL, NULL, (void *)&operator_cases[i] };
  if (is_wanted("operands", 1)) tests[count++] = (struct CMUnitTest)TEST(test_operands);
  return test_exit(_cmocka_run_group_tests("operators", tests, test_shared(tests, count), NULL, NULL));
}
