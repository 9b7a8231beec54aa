/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests refusals of arrays' plans, streams, and operators with a map or an emit, and their texts.
 * tools/cases/refusals.txt has the refusals of struct fields. */
#include <scanrt/scan_array.h>
#include <scanrt/scan_composite.h>
#include <scanrt/scan_stream.h>

#include "source.h"
#include "support.h"

#include <string.h>

enum { N = 9, BYTES = 1024 };

static struct { scan_mem in, out; } fixture;

static void refused_as(scan_status status, scan_status want, const char *words) {
  test_refusal(test_ctx(), status, want, words);
  test_ran();
}
static void refused(scan_status status, const char *words) { refused_as(status, SCAN_INVALID_ARGUMENT, words); }
static void lacking(scan_status status, const char *words) { refused_as(status, SCAN_UNSUPPORTED, words); }

static int is_host(void) { return test_info()->backend == SCAN_BACKEND_HOST; }

static scan_spec sum_of(scan_type type) { return (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE); }

static void test_overflow_index(void **state) {
  scan_ctx *fresh = test_ctx_new();
  uint64_t index;
  (void)state;
  assert_int_equal(scan_overflow_index(fresh, &index), SCAN_INVALID_ARGUMENT);
  assert_int_equal(scan_overflow_index(fresh, NULL), SCAN_INVALID_ARGUMENT);
  scan_ctx_destroy(fresh);
}

/* ---- arrays ---- */

static scan_array packed(uint64_t rows, uint64_t columns, uint32_t axis) {
  const scan_spec spec = sum_of(SCAN_I32);
  const uint64_t shape[] = { rows, columns };
  scan_array a = SCAN_ARRAY_INIT;
  test_ok(NULL, scan_array_packed(&spec, 2, shape, axis, &a), "scan_array_packed");
  return a;
}

static void test_plans_of_arrays(void **state) {
  const scan_array a = packed(10, 20, 1);
  const scan_spec spec = sum_of(SCAN_I32);
  scan_plan *plan = NULL;
  (void)state;
  refused(scan_run_array(test_ctx(), &spec, NULL, fixture.in, fixture.out), "array is NULL");
  test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &a, &plan), "scan_plan_create_array");
  refused(scan_plan_run(plan, 200, fixture.in, fixture.out), "scan_plan_run_array");
  scan_plan_destroy(plan);
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 10, &plan), "scan_plan_create");
  refused(scan_plan_run_array(plan, fixture.in, fixture.out), "");
  scan_plan_destroy(plan);
  refused(scan_plan_create_array(test_ctx(), &spec, &a, NULL), "");
}

/* ---- streams ---- */

static _Alignas(64) unsigned char stream_in[256], stream_out[256];

static int read_nothing(void *user, uint64_t first, uint64_t items, void *to) {
  (void)user, (void)first, (void)items, (void)to;
  return 0;
}

static scan_status stream(const scan_spec *spec, const void *in, void *out, const scan_stream_options *options) {
  return scan_stream(test_ctx(), spec, N, in, out, options);
}

static void test_streams(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  uint64_t items;
  (void)state;
  options.read = read_nothing;
  refused(stream(&spec, stream_in, stream_out, &options), "one of them");
  refused(scan_stream_chunk(test_ctx(), &spec, N, NULL, NULL), "items is NULL");
  refused(scan_stream_pin(test_ctx(), NULL, 5), "memory is NULL");
  refused(scan_stream_pin(test_ctx(), &items, 0), "bytes is 0");
  refused(scan_stream_unpin(test_ctx(), NULL), "memory is NULL");
}

/* ---- operators ---- */

static scan_op_source source_named(const char *name) {
  source_operator source;
  if (source_operator_find(name, &source) != 0) test_fail("there is no operator %s", name);
  return source.structure->source;
}

static void refuse_source(const scan_op_source *source, scan_status want, const char *words) {
  scan_op *op = NULL;
  refused_as(scan_op_create(test_ctx(), source, &op), want, words);
}

#define REFUSE(member, wrong, want, words)                                                                             \
  do {                                                                                                                 \
    scan_op_source s = whole;                                                                                          \
    s.member = (wrong);                                                                                                \
    refuse_source(&s, want, words);                                                                                    \
  } while (0)

static void test_sources(void **state) {
  const scan_op_source whole = source_named("colour");
  (void)state;
  REFUSE(map, NULL, SCAN_INVALID_ARGUMENT, "without source->map");
  REFUSE(emit, NULL, SCAN_INVALID_ARGUMENT, "without source->emit");
  REFUSE(map, "a b", SCAN_INVALID_ARGUMENT, "source->map must be the name");
  REFUSE(input_type, NULL, SCAN_INVALID_ARGUMENT, "source->input_type must name");
  REFUSE(output_bytes, 65, SCAN_INVALID_ARGUMENT, "source->output_bytes is 65");
  REFUSE(input_align, 2, SCAN_INVALID_ARGUMENT, "source->input_align is 2");
  if (is_host()) {
    scan_op_source s = whole;
    s.map_host = NULL, s.map_loop = NULL;
    refuse_source(&s, SCAN_UNSUPPORTED, "source->map_host");
    s = whole;
    s.emit_host = NULL, s.emit_loop = NULL;
    refuse_source(&s, SCAN_UNSUPPORTED, "source->emit_host");
    return;
  }
  REFUSE(input_bytes, 4, SCAN_INVALID_ARGUMENT, "source->input_bytes is 4");
  REFUSE(output_align, 8, SCAN_INVALID_ARGUMENT, "source->output_align is 8");
  REFUSE(emit, "no_such_function", SCAN_BUILD_FAILED, "no_such_function");
}

static void test_emit(void **state) {
  static _Alignas(64) unsigned char some[SCAN_OP_MOST_BYTES * 10];
  scan_op_source source = source_named("span");
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(scan_host(some), scan_host(some));
  scan_plan *plan = NULL;
  (void)state;
  const void *identity = source.identity;
  source.identity = NULL;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &spec.custom_op), "scan_op_create");
  test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, 1, &args), "scan_run_args without an identity");
  spec.has_init = 1;
  spec.init_bytes = identity;
  spec.kind = SCAN_EXCLUSIVE;
  refused(scan_plan_create(test_ctx(), &spec, 10, &plan), "must be SCAN_INCLUSIVE");
  spec.kind = SCAN_TOTAL;
  refused(scan_plan_create(test_ctx(), &spec, 10, &plan), "must be SCAN_INCLUSIVE");
  refused(scan_run_args(test_ctx(), &spec, 0, &args), "");
  refused(stream(&spec, some, some, NULL), "");
  scan_op_destroy(spec.custom_op);
}

/* Elements of 1 byte give values of 8 bytes. */
static void test_sizes(void **state) {
  static uint64_t out[N];
  const scan_op_source source = source_named("wide");
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  (void)state;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &spec.custom_op), "scan_op_create");
  spec.kind = SCAN_TOTAL;
  lacking(stream(&spec, stream_in, out, NULL), "");
  scan_op_destroy(spec.custom_op);
}

static void test_composites(void **state) {
  scan_op *op = NULL;
  (void)state;
  assert_int_equal(scan_composite_create(NULL, SCAN_AFFINE_F32, &op), SCAN_INVALID_ARGUMENT);
  refused(scan_composite_create(test_ctx(), SCAN_COMPOSITE_NONE, &op), "0 is no composite");
  refused(scan_composite_create(test_ctx(), (scan_composite)99, &op), "");
  refused(scan_composite_create(test_ctx(), SCAN_AFFINE_F32, NULL), "");
  assert_null(op);
  if (!test_info()->has_fp64) lacking(scan_composite_create(test_ctx(), SCAN_AFFINE_F64, &op), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_overflow_index, test_count_setup),
    cmocka_unit_test(test_plans_of_arrays),
    cmocka_unit_test(test_streams),
    cmocka_unit_test(test_sources),
    cmocka_unit_test(test_emit),
    cmocka_unit_test(test_sizes),
    cmocka_unit_test(test_composites),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, BYTES, &fixture.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &fixture.out), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("scan_refusals", tests, NULL, NULL));
}
