/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests operators from source: what a text may contain, mistakes in it, layouts, refusals, lifetimes. */
#include <scanrt/scan_select.h>
#include <scanrt/scan_split.h>
#include <scanrt/scan_array.h>

#include "operators.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sum_host(const void *a, const void *b, void *result, void *user) {
  (void)user;
  *(int32_t *)result = *(const int32_t *)a + *(const int32_t *)b;
}

static inline int32_t plus(int32_t a, int32_t b) { return a + b; }
SCAN_OP_HOST(plus_host, int32_t, plus);

static scan_op_source sum_source(const char *text) {
  return (scan_op_source){ .struct_bytes = sizeof(scan_op_source),
                           .text = text,
                           .type = "int32_t",
                           .combine = "sum",
                           .value_bytes = 4,
                           .value_align = 4,
                           .host = sum_host };
}
static const char sum_text[] = "static inline int32_t sum(int32_t a, int32_t b) { return a + b; }\n";

/* Checks the sums of 1, 2, 3, ... by a strategy. */
static void check_sums_by(scan_op *op, scan_strategy strategy) {
  enum { N = 2000 };
  int32_t in[N], out[N] = { 0 };
  for (int i = 0; i < N; i++) in[i] = i + 1;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  spec.custom_op = op;
  spec.strategy = strategy;
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, scan_host(in), scan_host(out)), "scan_run");
  for (int i = 0; i < N; i++) assert_int_equal(out[i], (i + 1) * (i + 2) / 2);
}
static void check_sums(scan_op *op) { check_sums_by(op, SCAN_STRATEGY_AUTO); }

/* Checks sums by several strategies, whose programs have other kernels. */
static void check_sums_of_all(scan_op *op) {
  static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                              SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_SEQUENTIAL };
  for (size_t s = 0; s < sizeof(strategies) / sizeof(strategies[0]); s++)
    if (test_has_strategy(strategies[s])) check_sums_by(op, strategies[s]);
}

static void test_names(void **state) {
  (void)state;
  scan_op_source source = sum_source(operator_names_text);
  scan_op *op = NULL;
  source.type = "scan_job";
  source.combine = "job";
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  check_sums_of_all(op);
  scan_op_destroy(op);
  source = sum_source("#define sum(a, b) ((a) + (b))\\"); /* a macro, not a function, and no newline at the end */
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  check_sums(op);
  scan_op_destroy(op);
}

static void check_refused(const scan_op_source *source, scan_status want, const char *words) {
  scan_op *op = NULL;
  const scan_status status = scan_op_create(test_ctx(), source, &op);
  test_refusal(test_ctx(), status, want, words);
  assert_null(op);
}

/* Checks the line in the error. Compilers write a place as "operator:3" or "operator(3)". */
static void check_line(const char *text, int line) {
  const scan_op_source source = sum_source(text);
  scan_op *op = NULL;
  char colon[32], bracket[32];
  snprintf(colon, sizeof colon, "operator:%d", line);
  snprintf(bracket, sizeof bracket, "operator(%d)", line);
  assert_int_equal(scan_op_create(test_ctx(), &source, &op), SCAN_BUILD_FAILED);
  assert_null(op);
  const char *words = scan_last_error(test_ctx());
  if (strstr(words, colon) == NULL && strstr(words, bracket) == NULL)
    test_fail("no '%s' or '%s' in: %s", colon, bracket, words);
  if (strstr(words, "sum of int32_t") == NULL) test_fail("the operator is not named: %s", words);
}

static void test_compile_errors(void **state) {
  (void)state;
  if (!test_needs_compiler()) skip();
  if (strstr(test_selector(), "rusticl") == NULL) { /* it gives no log (Mesa 22.3) */
    check_line("oops;\n", 1);
    check_line("#define FINE 1\n\nstatic inline int32_t sum(int32_t a, int32_t b) {\n  return a + c;\n}\n", 4);
  }
  scan_op_source source = sum_source("static inline int32_t other(int32_t a, int32_t b) { return a + b; }\n");
  check_refused(&source, SCAN_BUILD_FAILED, "sum");
  check_line("\nstatic inline int32_t sum(int32_t a, int32_t b) { return a + b; } /* and no end", 2);
  check_line("static inline int32_t sum(int32_t a, int32_t b) { return a + b; }\n\n#if 0\n", 3);
  source = sum_source(sum_text); /* the context still works */
  scan_op *op = NULL;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  check_sums(op);
  scan_op_destroy(op);
}

static void test_layout(void **state) {
  (void)state;
  if (!test_needs_compiler()) skip();
  scan_op_source source = sum_source("typedef struct { int64_t a; int8_t b; } pair;\n"
                                     "static inline pair sum(pair a, pair b) { a.a += b.a; return a; }\n");
  source.type = "pair";
  source.value_bytes = 12;
  check_refused(&source, SCAN_INVALID_ARGUMENT, "value_bytes is 12");
  check_refused(&source, SCAN_INVALID_ARGUMENT, "16 bytes of type pair");
  source.value_bytes = 16;
  check_refused(&source, SCAN_INVALID_ARGUMENT, "value_align is 4");
  check_refused(&source, SCAN_INVALID_ARGUMENT, "to 8 bytes");
}

static void some_map_loop(void *values, const scan_loop_elements *e, void *user) { (void)values, (void)e, (void)user; }
static void some_emit_loop(void *out, ptrdiff_t out_step, const void *inclusive, const void *exclusive,
                           const scan_loop_elements *e, void *user) {
  (void)out, (void)out_step, (void)inclusive, (void)exclusive, (void)e, (void)user;
}

static void test_refusals(void **state) {
  (void)state;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  scan_op_source source = sum_source(sum_text);
  source.struct_bytes = 8;
  check_refused(&source, bad, "SCAN_OP_SOURCE_INIT");
  source = sum_source(sum_text);
  source.map_loop = some_map_loop;
  check_refused(&source, bad, "source->map_loop is given, and source->map_host is NULL");
  source = sum_source(sum_text);
  source.emit_loop = some_emit_loop;
  check_refused(&source, bad, "source->emit_loop is given, and source->emit_host is NULL");
  source = sum_source(sum_text);
  source.loops = &plus_host_loops;
  source.host = NULL;
  check_refused(&source, bad, "source->loops is given, and source->host is NULL");
  source = sum_source(sum_text);
  source.loops = &(scan_op_loops){ .struct_bytes = 0 };
  check_refused(&source, bad, "source->loops->struct_bytes is 0");
  source.loops = &(scan_op_loops){ .struct_bytes = sizeof(scan_op_loops) };
  check_refused(&source, bad, "source->loops lacks a loop");
  scan_op_loops loops = plus_host_loops;
  loops.block_chain = NULL;
  source.host = plus_host;
  source.loops = &loops;
  check_refused(&source, bad, "one of block_lanes and block_chain");
  source = sum_source(sum_text);
  source.value_bytes = 65;
  check_refused(&source, bad, "1 to 64 bytes");
  source.value_bytes = 0;
  check_refused(&source, bad, "1 to 64 bytes");
  source = sum_source(sum_text);
  source.value_align = 3;
  check_refused(&source, bad, "power of two");
  source.value_align = 8;
  check_refused(&source, bad, "divides value_bytes");
  source = sum_source(sum_text);
  source.type = "int; int";
  check_refused(&source, bad, "source->type");
  source = sum_source(sum_text);
  source.combine = "sum(1)";
  check_refused(&source, bad, "source->combine");
  check_refused(NULL, bad, "source is NULL");
  source = sum_source(NULL);
  source.host = NULL;
  if (test_info()->backend == SCAN_BACKEND_HOST)
    check_refused(&source, SCAN_UNSUPPORTED, "source->host");
  else
    check_refused(&source, bad, "source->text is NULL");
}

/* Reserved names are refused by the library, in the text and in the other fields. */
static void test_reserved_names(void **state) {
  (void)state;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  scan_op *op = NULL;
  scan_op_source source = sum_source("\nstatic inline int32_t scanrt_x(int32_t a) { return a; }\n"
                                     "static inline int32_t sum(int32_t a, int32_t b) { return scanrt_x(a) + b; }\n");
  check_refused(&source, bad, "operator:2: the name scanrt_x");
  source = sum_source("static inline int32_t sum(int32_t a, int32_t b) { return a + b; }\n#define scanrt_a 7\n");
  check_refused(&source, bad, "operator:2: the name scanrt_a");
  source = sum_source(sum_text);
  source.combine = "scanrt_source_map";
  check_refused(&source, bad, "source->combine");
  source = sum_source("/* scanrt_a */ // scanrt_b\n"
                      "static inline int32_t sum(int32_t not_scanrt_, int32_t b) { return not_scanrt_ + b; }\n");
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  check_sums(op);
  scan_op_destroy(op);
}

static void map_host(const void *x, uint64_t index, void *value, void *user) {
  (void)user;
  *(int32_t *)value = *(const int32_t *)x + (int32_t)(index - index);
}
static void emit_host(const void *inclusive, const void *exclusive, const void *x, uint64_t index, void *output,
                      void *user) {
  (void)exclusive, (void)x, (void)index, (void)user;
  *(int32_t *)output = *(const int32_t *)inclusive;
}

/* A map or emit whose types differ from the library's call is refused; C would convert silently. */
static void test_signatures(void **state) {
  (void)state;
  static const char text[] = "static inline int32_t sum(int32_t a, int32_t b) { return a + b; }\n"
                             "static inline int32_t one(int32_t x, uint32_t i) { return x; }\n"
                             "static inline int32_t two(float x, uint64_t i) { return 1; }\n"
                             "static inline float three(int32_t x, uint64_t i) { return 1; }\n"
                             "static inline int32_t four(int32_t a, int32_t b, int32_t x, int32_t i) { return a; }\n"
                             "static inline int32_t right(const int32_t x, uint64_t i) { return x; }\n"
                             "inline int32_t fits(int32_t a, int32_t b, int32_t x, const uint64_t i) { return a; }\n"
                             "#define macro(x, i) (x)\n";
  static const char *const wrong[] = { "one", "two", "three" }, *const good[] = { "right", "macro" };
  scan_op_source source = sum_source(text);
  source.map_host = map_host;
  source.map = "sum";
  check_refused(&source, SCAN_INVALID_ARGUMENT, "source->map is sum, which is the operator");
  source.map = NULL;
  source.map_host = NULL;
  source.emit = "sum";
  source.emit_host = emit_host;
  check_refused(&source, SCAN_INVALID_ARGUMENT, "source->emit is sum, which is the operator");
  if (!test_needs_compiler()) return;
  source.emit = "four";
  check_refused(&source, SCAN_BUILD_FAILED, "four");
  source.emit = "fits";
  source.map_host = map_host;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    source.map = wrong[i];
    check_refused(&source, SCAN_BUILD_FAILED, wrong[i]);
  }
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    const int32_t zero = 0;
    scan_op *op = NULL;
    source.map = good[i];
    source.identity = &zero;
    test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
    check_sums(op);
    scan_op_destroy(op);
  }
}

/* A function that is declared but not defined is found when the operator is made, not by its first scan. */
static void test_undefined(void **state) {
  (void)state;
  static const char text[] = "int32_t nowhere(int32_t a, uint64_t i);\n"
                             "static inline int32_t calls(int32_t x, uint64_t i) { return nowhere(x, i); }\n"
                             "static inline int32_t ends(int32_t a, int32_t b, int32_t x, uint64_t i)\n"
                             "{ return nowhere(x, i); }\n"
                             "static inline int32_t sum(int32_t a, int32_t b) { return a + b; }\n";
  if (!test_needs_compiler()) skip();
  scan_op_source source = sum_source("int32_t nowhere(int32_t a);\n"
                                     "static inline int32_t sum(int32_t a, int32_t b) { return a + nowhere(b); }\n");
  check_refused(&source, SCAN_BUILD_FAILED, "");
  source = sum_source(text);
  source.map = "calls";
  check_refused(&source, SCAN_BUILD_FAILED, "");
  source.map = NULL;
  source.emit = "ends";
  check_refused(&source, SCAN_BUILD_FAILED, "");
}

static void check_spec_refused(const scan_spec *spec, scan_status want, const char *words) {
  int32_t values[4] = { 0 };
  test_refusal(test_ctx(), scan_run(test_ctx(), spec, 4, scan_host(values), scan_host(values)), want, words);
}

static void test_spec_refusals(void **state) {
  (void)state;
  const scan_op_source source = sum_source(sum_text);
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  const int32_t init = 5;
  scan_op *op = NULL, *foreign = NULL;
  scan_ctx *other = test_ctx_new();
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  test_ok(other, scan_op_create(other, &source, &foreign), "scan_op_create");
  const scan_spec good = { .struct_bytes = sizeof(scan_spec), .custom_op = op };
  scan_spec spec = good;
  spec.custom_op = foreign;
  check_spec_refused(&spec, bad, "no operator of this context");
  spec = good;
  spec.type = SCAN_I32;
  check_spec_refused(&spec, bad, "must be 0");
  spec = good;
  spec.op = SCAN_ADD;
  check_spec_refused(&spec, bad, "must be 0");
  spec = good;
  spec.kind = SCAN_EXCLUSIVE;
  check_spec_refused(&spec, bad, "sum has no identity");
  spec = good;
  spec.has_init = 1;
  check_spec_refused(&spec, bad, "init_bytes is NULL");
  spec = good;
  spec.init_bytes = &init;
  check_spec_refused(&spec, bad, "spec->init_bytes is given");
  spec = good;
  spec.kind = (scan_kind)77;
  check_spec_refused(&spec, bad, "spec->kind is 77");
  spec = good;
  spec.flags = SCAN_BACKWARD;
  spec.strategy = SCAN_STRATEGY_SEQUENTIAL;
  check_spec_refused(&spec, SCAN_UNSUPPORTED, "strategy sequential scans forward only");
  spec = good;
  spec.strategy = SCAN_STRATEGY_BLELLOCH;
  check_spec_refused(&spec, SCAN_UNSUPPORTED, "strategy blelloch");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.init_bytes = &init;
  check_spec_refused(&spec, bad, "spec->init_bytes is given");
  scan_op_destroy(foreign);
  scan_ctx_destroy(other);
  scan_op_destroy(op);
}

/* For arrays, an operator of another context is refused, and so is a missing operator. */
static void test_array_refusals(void **state) {
  (void)state;
  const scan_op_source source = sum_source(sum_text);
  const uint64_t shape[] = { 2, 2 };
  int32_t in[4] = { 1, 2, 3, 4 }, out[4] = { 9, 9, 9, 9 }, want[4] = { 1, 2, 4, 6 };
  scan_array array = SCAN_ARRAY_INIT;
  scan_plan *plan = NULL;
  scan_op *op = NULL;
  scan_ctx *other = test_ctx_new();
  test_ok(other, scan_op_create(other, &source, &op), "scan_op_create");
  const scan_spec spec = { .struct_bytes = sizeof(scan_spec), .custom_op = op };
  test_ok(NULL, scan_array_packed(&spec, 2, shape, 0, &array), "scan_array_packed");
  test_refusal(test_ctx(), scan_run_array(test_ctx(), &spec, &array, scan_host(in), scan_host(out)),
               SCAN_INVALID_ARGUMENT, "no operator of this context");
  assert_int_equal(scan_plan_create_array(test_ctx(), &spec, &array, &plan), SCAN_INVALID_ARGUMENT);
  assert_null(plan);
  for (int i = 0; i < 4; i++) assert_int_equal(out[i], 9);
  test_ok(other, scan_run_array(other, &spec, &array, scan_host(in), scan_host(out)), "scan_run_array");
  assert_memory_equal(out, want, sizeof want);
  scan_ctx_destroy(other);
}

/* ---- the `user` pointer of host functions ---- */

typedef struct by_user {
  int32_t modulus, factor, offset;
} by_user;

static void user_sum(const void *a, const void *b, void *result, void *user) {
  *(int32_t *)result = (*(const int32_t *)a + *(const int32_t *)b) % ((by_user *)user)->modulus;
}
static void user_map(const void *x, uint64_t index, void *value, void *user) {
  (void)index;
  *(int32_t *)value = *(const int32_t *)x * ((by_user *)user)->factor;
}
static void user_emit(const void *inclusive, const void *exclusive, const void *x, uint64_t index, void *output,
                      void *user) {
  (void)exclusive, (void)x, (void)index;
  *(int32_t *)output = *(const int32_t *)inclusive + ((by_user *)user)->offset;
}

/* Several operators have the same functions and other `user` data. A device's text has the numbers in it, and ignores
 * `user`. */
static void test_user(void **state) {
  (void)state;
  enum { N = 3000 };
  static const by_user users[] = { { 97, 1, 0 }, { 1000, 3, 7 } };
  int32_t in[N], out[N];
  const int32_t zero = 0;
  for (int i = 0; i < N; i++) in[i] = i % 11;
  for (size_t u = 0; u < sizeof users / sizeof users[0]; u++) {
    const by_user *mine = &users[u];
    char text[512];
    scan_op *op = NULL;
    snprintf(text, sizeof text,
             "static inline int32_t sum(int32_t a, int32_t b) { return (a + b) %% %d; }\n"
             "static inline int32_t before(int32_t x, uint64_t i) { return x * %d; }\n"
             "static inline int32_t after(int32_t a, int32_t b, int32_t x, uint64_t i) { return a + %d; }\n",
             mine->modulus, mine->factor, mine->offset);
    scan_op_source source = sum_source(text);
    source.host = user_sum;
    source.map = "before";
    source.map_host = user_map;
    source.emit = "after";
    source.emit_host = user_emit;
    source.identity = &zero;
    source.user = test_info()->backend == SCAN_BACKEND_HOST ? (void *)(uintptr_t)mine : (void *)(uintptr_t)1;
    test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
    scan_spec spec = { .struct_bytes = sizeof spec, .custom_op = op };
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, scan_host(in), scan_host(out)), "scan_run");
    scan_op_destroy(op);
    for (int i = 0, sum = 0; i < N; i++) {
      sum = (sum + in[i] * mine->factor) % mine->modulus;
      assert_int_equal(out[i], sum + mine->offset);
    }
  }
}

/* ---- lifetimes of operators ---- */

static void test_lifetime(void **state) {
  (void)state;
  const scan_op_source source = sum_source(sum_text);
  int32_t in[300], out[300];
  scan_op *op = NULL;
  scan_plan *plan = NULL;
  for (int i = 0; i < 300; i++) in[i] = 1;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &op), "scan_op_create");
  scan_spec spec = { .struct_bytes = sizeof(scan_spec), .custom_op = op };
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, 300, scan_host(in), scan_host(out)), "scan_run");
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 300, &plan), "scan_plan_create");
  scan_op_destroy(op);
  scan_array array = SCAN_ARRAY_INIT;
  const uint64_t shape[] = { 300 };
  assert_int_equal(scan_array_packed(&spec, 1, shape, 0, &array), SCAN_INVALID_ARGUMENT); /* plan keeps it */
  assert_int_equal(scan_plan_create(test_ctx(), &spec, 300, &plan), SCAN_INVALID_ARGUMENT);
  scan_mem memory;
  test_ok(test_ctx(), scan_alloc(test_ctx(), sizeof(in), &memory), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), memory, in, sizeof(in)), "scan_write");
  test_ok(test_ctx(), scan_plan_run(plan, 300, memory, memory), "scan_plan_run");
  test_ok(test_ctx(), scan_read(test_ctx(), memory, out, sizeof(out)), "scan_read");
  for (int i = 0; i < 300; i++) assert_int_equal(out[i], i + 1);
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
  scan_plan_destroy(plan);
  assert_int_equal(scan_array_packed(&spec, 1, shape, 0, &array), SCAN_INVALID_ARGUMENT); /* the operator is gone */
  scan_op_destroy(op); /* destroyed before: no effect */
  /* A new operator, perhaps at the old one's address, is not mistaken for it. */
  const scan_op_source other =
      sum_source("static inline int32_t sum(int32_t a, int32_t b) { return a > b ? a : b; }\n");
  if (test_info()->backend == SCAN_BACKEND_HOST) return;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &other, &op), "scan_op_create");
  spec.custom_op = op;
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, 300, scan_host(in), scan_host(out)), "scan_run");
  for (int i = 0; i < 300; i++) assert_int_equal(out[i], 1);
  scan_op_destroy(op);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_names),     TEST(test_compile_errors), TEST(test_layout),
                                      TEST(test_refusals),  TEST(test_reserved_names), TEST(test_signatures),
                                      TEST(test_undefined), TEST(test_spec_refusals),  TEST(test_array_refusals),
                                      TEST(test_user),      TEST(test_lifetime) };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("operator_api", tests, NULL, NULL));
}
