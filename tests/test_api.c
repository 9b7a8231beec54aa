/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests structs of older and of cut sizes, NULL arguments, invalid handles, memory and sources.
 * tools/cases/refusals.txt has the refusals of struct fields. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <scanrt/scan_stream.h>
#include <scanrt/scan_tiles.h>

#include "reference.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* Expected error texts: scan_last_error must contain them. */
static const char MSG_CTX_NULL[] = "ctx is NULL";
static const char MSG_SPEC_NULL[] = "spec is NULL";
static const char MSG_PLAN_NULL[] = "plan is NULL";
static const char MSG_INFO_NULL[] = "info is NULL";
static const char MSG_MEM_NULL[] = "mem is NULL";
static const char MSG_SRC_NULL[] = "src is NULL";
static const char MSG_DST_NULL[] = "dst is NULL";
static const char MSG_NO_BYTES[] = "bytes is 0";
static const char MSG_INFO_SIZE[] = "initialise it with SCAN_PLAN_FACTS_INIT";
static const char MSG_OPERATORS[] = "source is NULL";
static const char MSG_OVERLAP[] = "overlap";
static const char MSG_SRC_SMALL[] = "src is too small: 4096 bytes needed, 4088 there";
static const char MSG_DST_SMALL[] = "dst is too small: 4096 bytes needed, 4088 there";
static const char *const MSG_TOO_MUCH[] = { [SCAN_BACKEND_CUDA] =
                                                "scan_alloc: 1152921504606846976 bytes are more than the ",
                                            [SCAN_BACKEND_OPENCL] =
                                                "scan_alloc: 1152921504606846976 bytes are more than the ",
                                            [SCAN_BACKEND_HOST] = "could not allocate 1152921504606846976 bytes" };
static const char MSG_NOT_AS_ALLOCATED[] = "mem is offset; free what scan_alloc returned";

enum { N = 100, BYTES = 4096 };

static struct {
  scan_ctx *ctx, *other_ctx;
  scan_mem in, out, other;
  scan_plan *plan;
  unsigned char poison[BYTES], got[2 * BYTES], values[2 * BYTES];
} fixture;

static scan_spec good_spec(void) { return (scan_spec)SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE); }

static void check_refusal(const char *name, const scan_ctx *ctx, scan_status got, scan_status want,
                          const char *message) {
  const char *words = scan_last_error(ctx);
  if (got != want) test_fail("%s: %s (\"%s\"), not %s", name, scan_status_name(got), words, scan_status_name(want));
  if (!strstr(words, message)) test_fail("%s: \"%s\" does not say \"%s\"", name, words, message);
}

static void poison_outputs(void) {
  test_ok(fixture.ctx, scan_write(fixture.ctx, fixture.out, fixture.poison, BYTES), "scan_write");
  test_ok(fixture.ctx, scan_write(fixture.ctx, fixture.in, fixture.values, BYTES), "scan_write");
}

static void check_nothing_written(const char *name) {
  test_ok(fixture.ctx, scan_read(fixture.ctx, fixture.out, fixture.got, BYTES), "scan_read");
  if (memcmp(fixture.got, fixture.poison, BYTES) != 0) test_fail("%s: the output was written", name);
  test_ok(fixture.ctx, scan_read(fixture.ctx, fixture.in, fixture.got, BYTES), "scan_read");
  if (memcmp(fixture.got, fixture.values, BYTES) != 0) test_fail("%s: the input was written", name);
}

/* Checks that the context and its plan still give right results. */
static void check_still_works(void) {
  const scan_spec spec = good_spec();
  int32_t want[N];
  reference_scan(&spec, N, fixture.values, want);
  test_ok(fixture.ctx, scan_plan_run(fixture.plan, N, fixture.in, fixture.out), "scan_plan_run");
  test_ok(fixture.ctx, scan_read(fixture.ctx, fixture.out, fixture.got, sizeof(want)), "scan_read");
  assert_memory_equal(fixture.got, want, sizeof(want));
  test_ok(fixture.ctx, scan_write(fixture.ctx, fixture.out, fixture.poison, BYTES), "scan_write");
  test_ok(fixture.ctx, scan_run(fixture.ctx, &spec, N, fixture.in, fixture.out), "scan_run");
  test_ok(fixture.ctx, scan_read(fixture.ctx, fixture.out, fixture.got, sizeof(want)), "scan_read");
  assert_memory_equal(fixture.got, want, sizeof(want));
}

static void test_plan_info_sizes(void **state) {
  (void)state;
  scan_plan_facts small = { .struct_bytes = 1 }, big = { .struct_bytes = sizeof(big) + 8 };
  check_refusal("struct_bytes too small", fixture.ctx, scan_plan_info(fixture.plan, &small), SCAN_INVALID_ARGUMENT,
                MSG_INFO_SIZE);
  check_refusal("struct_bytes too big", fixture.ctx, scan_plan_info(fixture.plan, &big), SCAN_INVALID_ARGUMENT,
                "older than the headers");
}

/* A program built against an older version has smaller structs. Fields past their ends are neither read nor written. */
static void test_older_structs(void **state) {
  (void)state;
  scan_spec spec = good_spec();
  scan_args args = SCAN_ARGS_INIT(fixture.in, fixture.out);
  scan_plan_facts facts, whole = SCAN_PLAN_FACTS_INIT;
  int32_t want[N];
  reference_scan(&spec, N, fixture.values, want);
  memset((char *)&spec + offsetof(scan_spec, segments), 0xee, sizeof spec - offsetof(scan_spec, segments));
  spec.struct_bytes = offsetof(scan_spec, segments);
  memset((char *)&args + offsetof(scan_args, marks), 0xee, sizeof args - offsetof(scan_args, marks));
  args.struct_bytes = offsetof(scan_args, marks);
  poison_outputs();
  test_ok(fixture.ctx, scan_run_args(fixture.ctx, &spec, N, &args), "scan_run_args");
  test_ok(fixture.ctx, scan_read(fixture.ctx, fixture.out, fixture.got, sizeof want), "scan_read");
  assert_memory_equal(fixture.got, want, sizeof want);
  memset(&facts, 0xee, sizeof facts);
  facts.struct_bytes = offsetof(scan_plan_facts, work);
  test_ok(fixture.ctx, scan_plan_info(fixture.plan, &facts), "scan_plan_info");
  test_ok(fixture.ctx, scan_plan_info(fixture.plan, &whole), "scan_plan_info");
  assert_int_equal(facts.struct_bytes, offsetof(scan_plan_facts, work));
  assert_int_equal(facts.tiles, whole.tiles);
  assert_int_equal(facts.work, 0xeeeeeeeeeeeeeeeeu);
}

/* No version's struct ends within a field. Such a size is refused, so that half a pointer is never followed. */
static void test_cut_structs(void **state) {
  (void)state;
  scan_spec spec = good_spec();
  scan_args args = SCAN_ARGS_INIT(fixture.in, fixture.out);
  scan_op *op = NULL;
  for (size_t bytes = 1; bytes < sizeof(scan_ctx_options); bytes++) {
    static const size_t ends[] = { offsetof(scan_ctx_options, strategy), offsetof(scan_ctx_options, threads),
                                   offsetof(scan_ctx_options, allocate), offsetof(scan_ctx_options, release),
                                   offsetof(scan_ctx_options, user) };
    int is_end = 0;
    scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
    scan_ctx *ctx = NULL;
    options.device = test_selector();
    options.struct_bytes = bytes;
    const scan_status status = scan_ctx_create(&options, &ctx);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) is_end |= bytes == ends[i];
    if ((status == SCAN_SUCCESS) != is_end) test_fail("%zu bytes of options", bytes);
    if (status != SCAN_SUCCESS) check_refusal("options", NULL, status, SCAN_INVALID_ARGUMENT, "SCAN_CTX_OPTIONS_INIT");
    scan_ctx_destroy(ctx);
  }
  spec.struct_bytes = offsetof(scan_spec, custom_op) + 4;
  check_refusal("spec", fixture.ctx, scan_run(fixture.ctx, &spec, N, fixture.in, fixture.out), SCAN_INVALID_ARGUMENT,
                "ends within the field custom_op");
  spec = good_spec();
  args.struct_bytes = offsetof(scan_args, carry_in) + 8;
  check_refusal("args", fixture.ctx, scan_run_args(fixture.ctx, &spec, N, &args), SCAN_INVALID_ARGUMENT,
                "ends within the field carry_in");
  scan_op_source source = { .struct_bytes = offsetof(scan_op_source, combine) + 1 };
  check_refusal("source", fixture.ctx, scan_op_create(fixture.ctx, &source, &op), SCAN_INVALID_ARGUMENT,
                "ends within the field combine");
}

/* Checks that an initialised struct of this size holds its size, and 0 everywhere else. */
static void check_init(const char *name, void (*init)(void *given, size_t struct_bytes), size_t struct_bytes) {
  unsigned char given[2048], want[2048] = { 0 };
  assert_true(struct_bytes + 8 <= sizeof given);
  memset(given, 0xee, sizeof given);
  memcpy(want, &struct_bytes, sizeof struct_bytes);
  memset(want + struct_bytes, 0xee, 8);
  init(given, struct_bytes);
  if (memcmp(given, want, struct_bytes + 8) != 0) test_fail("%s_init is not its initialiser", name);
}

/* Every struct that holds its size. Each init function takes a pointer to its struct; these wrappers take void *. */
#define STRUCTS(X)                                                                                                     \
  X(scan_spec)                                                                                                         \
  X(scan_args)                                                                                                         \
  X(scan_ctx_options)                                                                                                  \
  X(scan_device_info)                                                                                                  \
  X(scan_plan_facts)                                                                                                   \
  X(scan_op_source)                                                                                                    \
  X(scan_op_facts)                                                                                                     \
  X(scan_array)                                                                                                        \
  X(scan_select_spec)                                                                                                  \
  X(scan_predicate_source)                                                                                             \
  X(scan_select_args)                                                                                                  \
  X(scan_partition3_spec)                                                                                              \
  X(scan_partition3_args)                                                                                              \
  X(scan_run_length_spec)                                                                                              \
  X(scan_run_length_args)                                                                                              \
  X(scan_reduce_by_key_args)                                                                                           \
  X(scan_sort_spec)                                                                                                    \
  X(scan_sort_args)                                                                                                    \
  X(scan_bucket_source)                                                                                                \
  X(scan_split_spec)                                                                                                   \
  X(scan_split_args)                                                                                                   \
  X(scan_histogram_spec)                                                                                               \
  X(scan_histogram_args)                                                                                               \
  X(scan_stream_options)
#define INIT_OF(name)                                                                                                  \
  static void init_##name(void *given, size_t struct_bytes) { name##_init((name *)given, struct_bytes); }
STRUCTS(INIT_OF)
#define CHECK_INIT(name) check_init(#name, init_##name, sizeof(name));

static void test_all_init_functions(void **state) {
  (void)state;
  STRUCTS(CHECK_INIT)
}

/* The init functions do the same as the macros. */
static void test_init_functions(void **state) {
  (void)state;
  scan_spec spec, same = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_args args;
  memset(&spec, 0xee, sizeof spec);
  memset(&args, 0xee, sizeof args);
  scan_spec_init(&spec, sizeof spec);
  scan_args_init(&args, sizeof args);
  assert_memory_equal(&spec, &same, sizeof spec);
  assert_int_equal(args.struct_bytes, sizeof args);
  assert_int_equal(args.carry_out.kind, SCAN_MEM_NONE);
  spec.type = SCAN_I32;
  spec.op = SCAN_ADD;
  const int32_t init = 1000;
  spec.has_init = 1;
  spec.init_bytes = &init; /* init_bytes works for a built-in operator, too */
  int32_t in[2] = { 1, 2 }, out[2];
  test_ok(fixture.ctx, scan_run(fixture.ctx, &spec, 2, scan_host(in), scan_host(out)), "scan_run");
  assert_int_equal(out[0], 1001);
  assert_int_equal(out[1], 1003);
}

static void test_null_ctx(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  scan_mem mem = SCAN_NO_MEM;
  scan_plan *plan = NULL;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  check_refusal("scan_ctx_device", NULL, scan_ctx_device(NULL, &info), bad, MSG_CTX_NULL);
  check_refusal("scan_alloc", NULL, scan_alloc(NULL, 4, &mem), bad, MSG_CTX_NULL);
  check_refusal("scan_free", NULL, scan_free(NULL, fixture.in), bad, MSG_CTX_NULL);
  check_refusal("scan_write", NULL, scan_write(NULL, fixture.in, fixture.values, 4), bad, MSG_CTX_NULL);
  check_refusal("scan_read", NULL, scan_read(NULL, fixture.in, fixture.got, 4), bad, MSG_CTX_NULL);
  check_refusal("scan_copy", NULL, scan_copy(NULL, fixture.in, fixture.out, 4), bad, MSG_CTX_NULL);
  check_refusal("scan_run", NULL, scan_run(NULL, &spec, N, fixture.in, fixture.out), bad, MSG_CTX_NULL);
  check_refusal("scan_sync", NULL, scan_sync(NULL), bad, MSG_CTX_NULL);
  check_refusal("scan_plan_create", NULL, scan_plan_create(NULL, &spec, N, &plan), bad, MSG_CTX_NULL);
  check_refusal("scan_plan_run", NULL, scan_plan_run(NULL, N, fixture.in, fixture.out), bad, MSG_PLAN_NULL);
}

static void test_null_arguments(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  scan_ctx *ctx = fixture.ctx;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  poison_outputs();
  check_refusal("scan_run", ctx, scan_run(ctx, NULL, N, fixture.in, fixture.out), bad, MSG_SPEC_NULL);
  check_refusal("scan_plan_create", ctx, scan_plan_create(ctx, NULL, N, &plan), bad, MSG_SPEC_NULL);
  check_refusal("scan_plan_create", ctx, scan_plan_create(ctx, &spec, N, NULL), bad, MSG_PLAN_NULL);
  check_refusal("scan_plan_info", NULL, scan_plan_info(NULL, &facts), bad, MSG_PLAN_NULL);
  check_refusal("scan_plan_info", ctx, scan_plan_info(fixture.plan, NULL), bad, MSG_INFO_NULL);
  check_refusal("scan_ctx_device", ctx, scan_ctx_device(ctx, NULL), bad, MSG_INFO_NULL);
  check_refusal("scan_alloc", ctx, scan_alloc(ctx, 4, NULL), bad, MSG_MEM_NULL);
  check_refusal("scan_write", ctx, scan_write(ctx, fixture.in, NULL, 4), bad, MSG_SRC_NULL);
  check_refusal("scan_read", ctx, scan_read(ctx, fixture.in, NULL, 4), bad, MSG_DST_NULL);
  check_nothing_written("NULL arguments");
  check_still_works();
}

static void test_memory_calls(void **state) {
  (void)state;
  scan_ctx *ctx = fixture.ctx;
  scan_mem mem = SCAN_NO_MEM;
  const scan_mem none = SCAN_NO_MEM, late = scan_offset(fixture.in, 8);
  const scan_status bad = SCAN_INVALID_ARGUMENT;
  poison_outputs();
  check_refusal("alloc 0", ctx, scan_alloc(ctx, 0, &mem), bad, MSG_NO_BYTES);
  check_refusal("alloc 2^60", ctx, scan_alloc(ctx, UINT64_C(1) << 60, &mem), SCAN_OUT_OF_MEMORY,
                MSG_TOO_MUCH[test_info()->backend]);
  assert_int_equal(mem.kind, SCAN_MEM_NONE);
  check_refusal("free offset", ctx, scan_free(ctx, late), bad, MSG_NOT_AS_ALLOCATED);
  check_refusal("write past end", ctx, scan_write(ctx, late, fixture.values, BYTES), bad, MSG_DST_SMALL);
  check_refusal("read past end", ctx, scan_read(ctx, late, fixture.got, BYTES), bad, MSG_SRC_SMALL);
  check_refusal("copy past end", ctx, scan_copy(ctx, fixture.out, late, BYTES), bad, MSG_SRC_SMALL);
  check_refusal("copy overlapping", ctx, scan_copy(ctx, late, fixture.in, 16), bad, MSG_OVERLAP);
  check_nothing_written("memory calls");
  test_ok(ctx, scan_free(ctx, none), "scan_free of no memory");
  check_still_works();
}

static void test_operators_from_source(void **state) {
  (void)state;
  scan_op *op = NULL;
  check_refusal("scan_op_create", fixture.ctx, scan_op_create(fixture.ctx, NULL, &op), SCAN_INVALID_ARGUMENT,
                MSG_OPERATORS);
  assert_null(op);
  scan_op_destroy(NULL);
}

static void test_nothing_to_scan(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  poison_outputs();
  test_ok(fixture.ctx, scan_run(fixture.ctx, &spec, 0, fixture.in, fixture.out), "scan_run n=0");
  test_ok(fixture.ctx, scan_run(fixture.ctx, &spec, 0, scan_host(NULL), scan_host(NULL)), "scan_run n=0, NULL");
  test_ok(fixture.ctx, scan_plan_run(fixture.plan, 0, fixture.in, fixture.out), "scan_plan_run n=0");
  test_ok(fixture.ctx, scan_run(fixture.ctx, &spec, 0, fixture.in, fixture.in), "scan_run n=0 in place");
  check_nothing_written("n = 0");
}

/* ---- handles, sources and shapes ---- */

/* Checks a status and the context's last error; for ctx == NULL the thread's. */
static void refused_of(const scan_ctx *ctx, scan_status status, scan_status want, const char *words) {
  test_refusal(ctx, status, want, words);
  test_ran();
}
static void refused(scan_status status, const char *words) {
  refused_of(test_ctx(), status, SCAN_INVALID_ARGUMENT, words);
}
static void lacking(scan_status status, const char *words) { refused_of(test_ctx(), status, SCAN_UNSUPPORTED, words); }

static scan_spec sum_of(scan_type type) { return (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE); }

static void test_handles(void **state) {
  unsigned char *zeros = calloc(1, 1 << 16);
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_mem mem = SCAN_NO_MEM;
  (void)state;
  assert_non_null(zeros);
  refused_of(NULL, scan_sync((scan_ctx *)(void *)zeros), SCAN_INVALID_ARGUMENT, "scan_sync: ctx is not a context");
  refused_of(NULL, scan_plan_info((scan_plan *)(void *)zeros, &facts), SCAN_INVALID_ARGUMENT,
             "scan_plan_info: plan is not a plan");
  free(zeros);
  test_ok(test_ctx(), scan_alloc(test_ctx(), BYTES, &mem), "scan_alloc");
  test_ok(test_ctx(), scan_free(test_ctx(), mem), "scan_free");
  refused(scan_free(test_ctx(), mem), "scan_free: mem is not of this context, or was freed before");
}

SCAN_OP_TEXT(
    half_text, typedef int32_t number; static inline number plus(number a, number b) {
      return a + b;
    } static inline int32_t halved(number inclusive, number exclusive, number x, uint64_t index) {
      (void)exclusive, (void)x, (void)index;
      return inclusive / 2;
    });
SCAN_OP_HOST(plus_host, number, plus);
static void halved_host(const void *inclusive, const void *exclusive, const void *x, uint64_t index, void *output,
                        void *user) {
  (void)exclusive, (void)x, (void)index, (void)user;
  *(int32_t *)output = halved(*(const int32_t *)inclusive, 0, 0, 0);
}

static void test_total_with_emit(void **state) {
  static const number zero;
  scan_op_source source = SCAN_OP_SOURCE_INIT(half_text, number, plus);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_TOTAL);
  (void)state;
  source.identity = &zero;
  source.host = plus_host;
  source.emit = "halved";
  source.emit_host = halved_host;
  source.output_type = "int32_t";
  source.output_bytes = source.output_align = sizeof(int32_t);
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &spec.custom_op), "scan_op_create");
  refused(scan_run(test_ctx(), &spec, 0, fixture.in, fixture.out), "halved emits an element for each of the input");
  refused(scan_run(test_ctx(), &spec, 4, fixture.in, fixture.out), "spec->kind must be SCAN_INCLUSIVE");
  scan_op_destroy(spec.custom_op);
}

static void test_arrays(void **state) {
  static const uint64_t shape[] = { 5, 20 };
  const scan_spec spec = sum_of(SCAN_U32), none = sum_of((scan_type)77);
  scan_array array = SCAN_ARRAY_INIT;
  (void)state;
  refused_of(NULL, scan_array_packed(NULL, 2, shape, 1, &array), SCAN_INVALID_ARGUMENT, "spec is NULL");
  refused_of(NULL, scan_array_packed(&spec, 2, NULL, 1, &array), SCAN_INVALID_ARGUMENT, "shape is NULL");
  refused_of(NULL, scan_array_packed(&spec, 2, shape, 1, NULL), SCAN_INVALID_ARGUMENT, "array is NULL");
  refused_of(NULL, scan_array_packed(&none, 2, shape, 1, &array), SCAN_INVALID_ARGUMENT, "types are no types");
}

static void test_tiles(void **state) {
  const scan_spec spec = sum_of(SCAN_U32);
  (void)state;
  if (test_info()->backend != SCAN_BACKEND_HOST) {
    test_skipped("the device has tiles");
    return;
  }
  lacking(scan_tile_values(test_ctx(), &spec, N, fixture.in, fixture.out, NULL), "the host reduces no tiles");
}

static void test_predicates(void **state) {
  scan_predicate_source source = SCAN_PREDICATE_INIT("", uint32_t, keep);
  scan_op *op = NULL;
  (void)state;
  source.type = "not a type;";
  refused(scan_predicate_create(test_ctx(), &source, &op), "source->type must name a type");
  source.type = "uint32_t";
  source.params_bytes = 4;
  refused(scan_predicate_create(test_ctx(), &source, &op), "mean nothing without source->params_type");
  source.params_type = "+";
  refused(scan_predicate_create(test_ctx(), &source, &op), "source->params_type must name a type");
  source.params_type = NULL;
  source.params_bytes = 0;
  if (test_info()->backend == SCAN_BACKEND_HOST)
    lacking(scan_predicate_create(test_ctx(), &source, &op), "set source->host to what SCAN_KEEP_HOST defines");
  assert_null(op);
}

static int group_setup(void **state) {
  (void)state;
  const scan_spec spec = good_spec();
  fixture.ctx = test_ctx();
  fixture.other_ctx = test_ctx_new();
  memset(fixture.poison, 0xA5, BYTES);
  for (size_t i = 0; i < sizeof(fixture.values); i++) fixture.values[i] = (unsigned char)(i * 7 + 1);
  test_ok(fixture.ctx, scan_alloc(fixture.ctx, BYTES, &fixture.in), "scan_alloc");
  test_ok(fixture.ctx, scan_alloc(fixture.ctx, BYTES, &fixture.out), "scan_alloc");
  test_ok(fixture.other_ctx, scan_alloc(fixture.other_ctx, BYTES, &fixture.other), "scan_alloc");
  test_ok(fixture.ctx, scan_plan_create(fixture.ctx, &spec, N, &fixture.plan), "scan_plan_create");
  return 0;
}

static int group_teardown(void **state) {
  (void)state;
  scan_plan_destroy(fixture.plan);
  scan_free(fixture.ctx, fixture.in);
  scan_free(fixture.ctx, fixture.out);
  scan_free(fixture.other_ctx, fixture.other);
  scan_ctx_destroy(fixture.other_ctx);
  return 0;
}

#define TEST(f) cmocka_unit_test_setup(f, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_cut_structs),     TEST(test_older_structs),   TEST(test_all_init_functions),
    TEST(test_init_functions),  TEST(test_plan_info_sizes), TEST(test_null_ctx),
    TEST(test_null_arguments),  TEST(test_memory_calls),    TEST(test_operators_from_source),
    TEST(test_nothing_to_scan), TEST(test_handles),         TEST(test_total_with_emit),
    TEST(test_arrays),          TEST(test_tiles),           TEST(test_predicates),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("api", tests, group_setup, group_teardown));
}
