/* SPDX-License-Identifier: BSD-2-Clause */
/* What is refused, in words, at the edges that no other suite has: handles that are none, memory that cannot be,
 * operators without an identity where nothing is scanned, numbers beyond any memory, sources without names. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_stream.h>
#include <scanrt/scan_tiles.h>
#include <stdlib.h>
#include <string.h>

#include "operators.h"
#include "support.h"

enum { BYTES = 4096, N = 100 };

static struct { scan_mem in, out; } bench;

/* By the context's last words; of calls that have no context, by the thread's. */
static void refused_of(const scan_ctx *ctx, scan_status status, scan_status want, const char *words) {
  if (status != want || strstr(scan_last_error(ctx), words) == NULL)
    test_fail("%s, '%s', and not %s with '%s'", scan_status_name(status), scan_last_error(ctx), scan_status_name(want),
              words);
  test_ran();
}
static void refused(scan_status status, const char *words) {
  refused_of(test_ctx(), status, SCAN_INVALID_ARGUMENT, words);
}
static void lacking(scan_status status, const char *words) { refused_of(test_ctx(), status, SCAN_UNSUPPORTED, words); }

static scan_spec sum_of(scan_type type) { return (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE); }

/* A scan by an operator; destroy spec.custom_op. */
static scan_spec spec_by(const char *name, scan_kind kind) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, kind);
  test_ok(test_ctx(), scan_op_create(test_ctx(), &operator_named(name)->source, &spec.custom_op), "scan_op_create");
  return spec;
}

/* ---- handles ---- */

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

/* ---- memory ---- */

/* 12 bytes, aligned to 4: a carry can begin within another one, and an element where no element can. */
static void test_memory(void **state) {
  scan_spec spec = spec_by("words3", SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(bench.in, bench.out);
  (void)state;
  args.carry_in = scan_offset(bench.in, 2048);
  args.carry_out = scan_offset(bench.in, 2048 + 4);
  refused(scan_run_args(test_ctx(), &spec, N, &args), "args->carry_in and args->carry_out overlap");
  args = (scan_args)SCAN_ARGS_INIT(scan_offset(bench.in, 2), bench.out);
  refused(scan_run_args(test_ctx(), &spec, N, &args), "not aligned to 4 bytes, as its elements are");
  scan_op_destroy(spec.custom_op);
}

/* ---- nothing to scan ---- */

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

static void test_nothing(void **state) {
  scan_spec spec = spec_by("link", SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(bench.in, bench.out);
  (void)state;
  args.carry_out = scan_offset(bench.in, 2048);
  refused(scan_run_args(test_ctx(), &spec, 0, &args), "there is nothing to leave in args->carry_out");
  args.carry_out = SCAN_NO_MEM;
  spec.kind = SCAN_TOTAL;
  refused(scan_run_args(test_ctx(), &spec, 0, &args), "there is nothing to write");
  scan_op_destroy(spec.custom_op);
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
  refused(scan_run(test_ctx(), &spec, 0, bench.in, bench.out), "halved emits an element for each of the input");
  refused(scan_run(test_ctx(), &spec, 4, bench.in, bench.out), "spec->kind must be SCAN_INCLUSIVE");
  scan_op_destroy(spec.custom_op);
}

/* ---- numbers beyond memory ---- */

static void test_numbers(void **state) {
  const scan_spec bytes = sum_of(SCAN_U8), words = sum_of(SCAN_U32);
  const scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U8);
  scan_plan *plan = NULL;
  (void)state;
  lacking(scan_plan_create(test_ctx(), &bytes, UINT64_C(1) << 60, &plan), "2^32 tiles");
  refused(scan_plan_create(test_ctx(), &words, UINT64_MAX, &plan), "more than an address can reach");
  refused(scan_plan_create_sort(test_ctx(), &sort, UINT64_MAX, &plan), "more than an address can reach");
  assert_null(plan);
}

/* ---- arrays and streams ---- */

static void test_arrays(void **state) {
  static const uint64_t shape[] = { 5, 20 };
  const scan_spec spec = sum_of(SCAN_U32), none = sum_of((scan_type)77);
  scan_array array = SCAN_ARRAY_INIT;
  scan_plan *plan = NULL;
  (void)state;
  refused_of(NULL, scan_array_packed(NULL, 2, shape, 1, &array), SCAN_INVALID_ARGUMENT, "spec is NULL");
  refused_of(NULL, scan_array_packed(&spec, 2, NULL, 1, &array), SCAN_INVALID_ARGUMENT, "shape is NULL");
  refused_of(NULL, scan_array_packed(&spec, 2, shape, 1, NULL), SCAN_INVALID_ARGUMENT, "array is NULL");
  refused_of(NULL, scan_array_packed(&none, 2, shape, 1, &array), SCAN_INVALID_ARGUMENT, "types are no types");
  test_ok(NULL, scan_array_packed(&spec, 2, shape, 1, &array), "scan_array_packed");
  test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &array, &plan), "scan_plan_create_array");
  const scan_args args = SCAN_ARGS_INIT(bench.in, bench.out);
  refused(scan_plan_run_args(plan, N - 1, &args), "n is 99, but the plan's array has 100 elements");
  scan_plan_destroy(plan);
}

static void test_streams(void **state) {
  static uint32_t numbers[N], bits[(N + 31) / 32];
  scan_spec spec = sum_of(SCAN_U32);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  (void)state;
  spec.segments = SCAN_SEGMENTS_BITS;
  options.marks = bench.in;
  options.mark_count = N;
  refused(scan_stream(test_ctx(), &spec, N, numbers, numbers, &options), "options->marks must be host memory");
  options.marks = scan_host(bits);
  options.chunk_items = 31;
  refused(scan_stream(test_ctx(), &spec, N, numbers, numbers, &options), "chunks of at least 32 elements");
}

static void test_tiles(void **state) {
  const scan_spec spec = sum_of(SCAN_U32);
  (void)state;
  if (test_info()->backend != SCAN_BACKEND_HOST) {
    test_skipped("the device has tiles");
    return;
  }
  lacking(scan_tile_values(test_ctx(), &spec, N, bench.in, bench.out, NULL), "the host reduces no tiles");
}

/* ---- sources ---- */

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

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_handles),         cmocka_unit_test(test_memory),  cmocka_unit_test(test_nothing),
    cmocka_unit_test(test_total_with_emit), cmocka_unit_test(test_numbers), cmocka_unit_test(test_arrays),
    cmocka_unit_test(test_streams),         cmocka_unit_test(test_tiles),   cmocka_unit_test(test_predicates),
  };
  (void)test_device_open();
  test_ok(test_ctx(), scan_alloc(test_ctx(), BYTES, &bench.in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), BYTES, &bench.out), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("refusals", tests, NULL, NULL));
}
