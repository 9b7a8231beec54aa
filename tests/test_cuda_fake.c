/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the CUDA backend over a driver that counts objects: all are freed, the caller's context stays current, runs
 * allocate nothing, and every kernel gets valid arguments. No kernel is run. */
#include "fake_cuda.h"
#include "core/plan.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <scanrt/scan_cuda.h>
#include <string.h>

enum { SMALL_N = 1000, MOST_ITEM_BYTES = 8 };

static const fake_cuda *fake;

/* Checks that everything is freed, and that no object had to be reclaimed with its context. */
static void check_nothing_left(void) {
  assert_string_equal(fake->fault(), "");
  assert_int_equal(fake->live_allocations(), 0);
  assert_int_equal(fake->live_modules(), 0);
  assert_int_equal(fake->live_streams(), 0);
  assert_int_equal(fake->primary_refs(0), 0);
  assert_int_equal(fake->primary_refs(1), 0);
  assert_int_equal(fake->reclaimed(), 0);
  assert_int_equal(fake->context_depth(), 0);
}

static int set_up(void **state) {
  fake->reset();
  return test_count_setup(state);
}

static int tear_down(void **state) {
  (void)state;
  check_nothing_left();
  return 0;
}

/* ---- contexts ---- */

static void test_create_and_destroy(void **state) {
  (void)state;
  scan_ctx *first = test_ctx_on("cuda:0"), *second = test_ctx_on("cuda:0");
  assert_int_equal(fake->primary_refs(0), 2);
  assert_int_equal(fake->live_streams(), 2);
  scan_ctx_destroy(first);
  assert_int_equal(fake->primary_refs(0), 1);
  scan_ctx_destroy(second);
}

static void test_destroy_frees_what_is_left(void **state) {
  (void)state;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  int32_t values[SMALL_N] = { 1, 2, 3 }, out[SMALL_N];
  scan_mem memory;
  scan_ctx *ctx = test_ctx_on("cuda:0");
  test_ok(ctx, scan_alloc(ctx, 4096, &memory), "scan_alloc");
  test_ok(ctx, scan_run(ctx, &spec, SMALL_N, scan_host(values), scan_host(out)), "scan_run");
  assert_true(fake->live_allocations() >= 3);
  assert_int_equal(fake->live_modules(), 1);
  scan_ctx_destroy(ctx);
}

/* ---- scans ---- */

struct buffers {
  scan_ctx *ctx;
  scan_mem in, out;
  unsigned char values[SMALL_N * 16 * MOST_ITEM_BYTES], want[SMALL_N * 16 * MOST_ITEM_BYTES],
      got[SMALL_N * 16 * MOST_ITEM_BYTES];
};

static struct buffers buffers;

static void buffers_open(scan_ctx *ctx) {
  buffers.ctx = ctx;
  test_ok(ctx, scan_alloc(ctx, sizeof buffers.values, &buffers.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, sizeof buffers.values, &buffers.out), "scan_alloc");
}

static void buffers_close(void) {
  test_ok(buffers.ctx, scan_free(buffers.ctx, buffers.in), "scan_free");
  test_ok(buffers.ctx, scan_free(buffers.ctx, buffers.out), "scan_free");
}

static void fill(const scan_spec *spec, uint64_t n) {
  static struct rng rng = { 7 };
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  values_fill(&rng, input_type, spec->op, n, n, buffers.values);
  reference_scan(spec, n, buffers.values, buffers.want);
}

/* Scans device memory by the plan; checks the result and the caller's context. */
static void run_plan(const scan_spec *spec, scan_plan *plan, uint64_t n, int in_place) {
  char text[TEST_TEXT];
  scan_ctx *ctx = buffers.ctx;
  const scan_mem out = in_place ? buffers.in : buffers.out;
  fill(spec, n);
  test_ok(ctx, scan_write(ctx, buffers.in, buffers.values, sizeof buffers.values), "scan_write");
  test_ok(ctx, scan_plan_run(plan, n, buffers.in, out), test_spec_text(spec, text));
  test_ok(ctx, scan_read(ctx, out, buffers.got, n * reference_bytes(spec->type)), "scan_read");
  const uint64_t wrong = reference_mismatch(spec->type, n, buffers.got, buffers.want);
  if (wrong != n) test_fail("%s n=%d: element %d is wrong", test_spec_text(spec, text), (int)n, (int)wrong);
  assert_string_equal(fake->fault(), "");
  assert_int_equal(fake->context_depth(), 0);
}

/* Makes a plan for n up to 16000 and runs it. The runs must neither allocate nor load a module. */
static void run_spec(const scan_spec *spec) {
  static const uint64_t counts[] = { 1, 31, SMALL_N, 4096, 8193, 12345, SMALL_N * 16 };
  scan_plan *plan = NULL;
  test_ok(buffers.ctx, scan_plan_create(buffers.ctx, spec, SMALL_N * 16, &plan), "scan_plan_create");
  const unsigned allocations = fake->allocations();
  const int modules = fake->live_modules();
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    run_plan(spec, plan, counts[i], 0);
    if (spec->input_type == SCAN_TYPE_DEFAULT) run_plan(spec, plan, counts[i], 1);
  }
  assert_int_equal(fake->allocations(), allocations);
  assert_int_equal(fake->live_modules(), modules);
  scan_plan_destroy(plan);
}

static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_SEQUENTIAL, SCAN_STRATEGY_BLOCK,
                                            SCAN_STRATEGY_REDUCE_THEN_SCAN, SCAN_STRATEGY_LOOKBACK };

/* Every pair of types that a sum supports, and every operator that a type supports. */
static void test_every_type_and_strategy(void **state) {
  (void)state;
  buffers_open(test_ctx_on("cuda:0"));
  for (size_t s = 0; s < sizeof strategies / sizeof strategies[0]; s++)
    for (int type = SCAN_I8; type <= SCAN_F64; type++)
      for (int input = SCAN_TYPE_DEFAULT; input <= SCAN_F64; input++)
        for (int op = SCAN_ADD; op <= SCAN_XOR; op++) {
          scan_spec spec = SCAN_SPEC_INIT((scan_type)type, (scan_op_id)op, op % 2 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
          if (input == type || !reference_defined(spec.type, (scan_type)input, spec.op)) continue;
          spec.input_type = (scan_type)input;
          spec.strategy = strategies[s];
          run_spec(&spec);
        }
  buffers_close();
  scan_ctx_destroy(buffers.ctx);
}

/* 1 if there is an image for the scan. Images also serve signed sums; all other types and operators are refused. */
static int has_textbook(scan_type type, scan_type input_type, scan_op_id op) {
  if (input_type != SCAN_TYPE_DEFAULT) return 0;
  if (op == SCAN_MAX) return type == SCAN_I32;
  return op == SCAN_ADD && type >= SCAN_I32;
}

static void test_textbook(void **state) {
  (void)state;
  buffers_open(test_ctx_on("cuda:0"));
  for (int s = SCAN_STRATEGY_HILLIS_STEELE; s <= SCAN_STRATEGY_RAKING; s++)
    for (int type = SCAN_I8; type <= SCAN_F64; type++)
      for (int input = SCAN_TYPE_DEFAULT; input <= SCAN_F64; input++)
        for (int op = SCAN_ADD; op <= SCAN_XOR; op++) {
          scan_spec spec = SCAN_SPEC_INIT((scan_type)type, (scan_op_id)op, op % 2 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
          scan_plan *plan = NULL;
          if (input == type || !reference_defined(spec.type, (scan_type)input, spec.op)) continue;
          spec.input_type = (scan_type)input;
          spec.strategy = (scan_strategy)s;
          if (has_textbook(spec.type, spec.input_type, spec.op)) {
            run_spec(&spec);
            continue;
          }
          test_refusal(buffers.ctx, scan_plan_create(buffers.ctx, &spec, SMALL_N, &plan), SCAN_UNSUPPORTED,
                       "compiled for few types and operators");
        }
  buffers_close();
  scan_ctx_destroy(buffers.ctx);
}

static void test_host_memory(void **state) {
  (void)state;
  scan_ctx *ctx = test_ctx_on("cuda:0");
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_spec spec = SCAN_SPEC_INIT((scan_type)type, SCAN_MAX, SCAN_INCLUSIVE);
    fill(&spec, SMALL_N);
    test_ok(ctx, scan_run(ctx, &spec, SMALL_N, scan_host(buffers.values), scan_host(buffers.got)), "scan_run");
    assert_int_equal(reference_mismatch(spec.type, SMALL_N, buffers.got, buffers.want), SMALL_N);
  }
  scan_ctx_destroy(ctx);
}

static void test_copy_and_offsets(void **state) {
  (void)state;
  buffers_open(test_ctx_on("cuda:0"));
  scan_ctx *ctx = buffers.ctx;
  const unsigned char sent[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  unsigned char got[4] = { 0 };
  test_ok(ctx, scan_write(ctx, buffers.in, sent, sizeof sent), "scan_write");
  test_ok(ctx, scan_copy(ctx, scan_offset(buffers.out, 16), scan_offset(buffers.in, 2), sizeof got), "scan_copy");
  test_ok(ctx, scan_read(ctx, scan_offset(buffers.out, 16), got, sizeof got), "scan_read");
  assert_memory_equal(got, sent + 2, sizeof got);
  buffers_close();
  scan_ctx_destroy(ctx);
}

/* ---- a look-back without progress ---- */

/* Runs the plan and writes to its control block what a look-back without progress may leave there. */
static void run_and_fail(scan_plan *plan) {
  static const struct {
    uint64_t offset_bytes;
    uint32_t value;
  } words[] = { { 0, 5 }, { SCAN_CONTROL_ERROR_BYTES, 1 }, { SCAN_CONTROL_ERROR_BYTES + 4, 7 } };
  scan_ctx *ctx = buffers.ctx;
  test_ok(ctx, scan_plan_run(plan, SMALL_N * 16, buffers.in, buffers.out), "scan_plan_run");
  for (int i = 0; i < 3; i++) {
    scan_mem at = plan->workspace;
    at.offset_bytes = words[i].offset_bytes;
    test_ok(ctx, ctx->ops->write(ctx->device, at, &words[i].value, sizeof words[i].value, &ctx->error), "write");
  }
}

/* The control block is clear at the next look-back; the fake driver checks that. AUTO stops choosing look-back; a plan
 * whose look-back was requested keeps it. */
static void test_no_progress(void **state) {
  (void)state;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *any = NULL, *forced = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  buffers_open(test_ctx_on("cuda:0"));
  scan_ctx *ctx = buffers.ctx;
  test_ok(ctx, scan_plan_create(ctx, &spec, SMALL_N * 16, &any), "scan_plan_create");
  spec.strategy = SCAN_STRATEGY_LOOKBACK;
  test_ok(ctx, scan_plan_create(ctx, &spec, SMALL_N * 16, &forced), "scan_plan_create");
  run_plan(&spec, any, SMALL_N * 16, 0);
  run_and_fail(any);
  run_and_fail(forced);
  test_refusal(ctx, scan_sync(ctx), SCAN_NO_PROGRESS, "gave up waiting for another work-group");
  test_ok(ctx, scan_sync(ctx), "scan_sync, told once");
  test_ok(ctx, scan_plan_info(any, &facts), "scan_plan_info");
  assert_int_equal(facts.strategy, SCAN_STRATEGY_REDUCE_THEN_SCAN);
  test_ok(ctx, scan_plan_info(forced, &facts), "scan_plan_info");
  assert_int_equal(facts.strategy, SCAN_STRATEGY_LOOKBACK);
  for (int in_place = 0; in_place <= 1; in_place++) {
    run_plan(&spec, any, SMALL_N * 16, in_place);
    run_plan(&spec, forced, SMALL_N * 16, in_place);
  }
  scan_plan_destroy(any);
  scan_plan_destroy(forced);
  buffers_close();
  scan_ctx_destroy(ctx);
}

/* ---- the application's own context, stream and memory ---- */

struct app {
  cuda_context context;
  cuda_stream stream;
  cuda_ptr in, out;
};

static struct app app_open(void) {
  struct app app = { .context = fake->app_context(0) };
  assert_int_equal(fake->driver.init(0), 0);
  assert_int_equal(fake->driver.ctx_push(app.context), 0);
  assert_int_equal(fake->driver.stream_create(&app.stream, 0), 0);
  assert_int_equal(fake->driver.mem_alloc(&app.in, 4096), 0);
  assert_int_equal(fake->driver.mem_alloc(&app.out, 4096), 0);
  return app;
}

static void app_close(const struct app *app) {
  cuda_context popped = NULL;
  assert_int_equal(fake->driver.mem_free(app->in), 0);
  assert_int_equal(fake->driver.mem_free(app->out), 0);
  assert_int_equal(fake->driver.stream_destroy(app->stream), 0);
  assert_int_equal(fake->driver.ctx_pop(&popped), 0);
  assert_ptr_equal(popped, app->context);
}

static void scan_adopted(scan_ctx *ctx, const struct app *app) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  cuda_stream stream = NULL;
  cuda_context current = NULL;
  buffers.ctx = ctx;
  fill(&spec, SMALL_N);
  test_ok(ctx, scan_cuda_stream(ctx, &stream), "scan_cuda_stream");
  assert_ptr_equal(stream, app->stream);
  test_ok(ctx, scan_write(ctx, scan_cuda_mem(app->in, 4096), buffers.values, 4000), "scan_write");
  test_ok(ctx, scan_run(ctx, &spec, SMALL_N, scan_cuda_mem(app->in, 4096), scan_cuda_mem(app->out, 0)), "scan_run");
  test_ok(ctx, scan_read(ctx, scan_cuda_mem(app->out, 4096), buffers.got, 4000), "scan_read");
  assert_memory_equal(buffers.got, buffers.want, 4000);
  /* An offset at or past the end leaves no bytes of a memory whose size is known, and so does a further offset. */
  static const uint64_t beyond[] = { 4096, 4100, 1 << 20 };
  for (int i = 0; i < 3; i++) {
    const scan_mem moved = scan_offset(scan_cuda_mem(app->in, 4096), beyond[i]);
    test_refusal(ctx, scan_write(ctx, moved, buffers.values, 4), SCAN_INVALID_ARGUMENT,
                 "dst is too small: 4 bytes needed, 0 there");
    test_refusal(ctx, scan_read(ctx, scan_offset(moved, 4), buffers.got, 1), SCAN_INVALID_ARGUMENT,
                 "src is too small: 1 bytes needed, 0 there");
    test_refusal(ctx, scan_run(ctx, &spec, SMALL_N, moved, scan_cuda_mem(app->out, 0)), SCAN_INVALID_ARGUMENT,
                 "in is too small: 4000 bytes needed, 0 there");
    test_ok(ctx, scan_write(ctx, moved, buffers.values, 0), "scan_write of nothing");
  }
  test_refusal(ctx, scan_run(ctx, &spec, SMALL_N, scan_cuda_mem(app->in, 3999), scan_cuda_mem(app->out, 4096)),
               SCAN_INVALID_ARGUMENT, "in is too small: 4000 bytes needed, 3999 there");
  assert_int_equal(fake->driver.ctx_current(&current), 0);
  assert_ptr_equal(current, app->context);
  assert_int_equal(fake->context_depth(), 1);
}

static void test_adopted_context(void **state) {
  (void)state;
  struct app app = app_open();
  for (int by_current = 0; by_current < 2; by_current++) {
    scan_ctx *ctx = NULL;
    test_ok(NULL, scan_cuda_ctx_create(NULL, by_current ? NULL : app.context, app.stream, &ctx),
            "scan_cuda_ctx_create");
    scan_adopted(ctx, &app);
    scan_ctx_destroy(ctx);
    assert_int_equal(fake->context_depth(), 1);
    assert_int_equal(fake->live_streams(), 1);
    assert_int_equal(fake->live_allocations(), 2);
    assert_int_equal(fake->live_modules(), 0);
    assert_int_equal(fake->primary_refs(0), 0);
  }
  app_close(&app);
}

static void test_no_current_context(void **state) {
  (void)state;
  scan_ctx *ctx = NULL;
  test_refusal(NULL, scan_cuda_ctx_create(NULL, NULL, NULL, &ctx), SCAN_INVALID_ARGUMENT,
               "scan_cuda_ctx_create: context is NULL and the thread has no current context");
  assert_null(ctx);
  test_refusal(NULL, scan_cuda_ctx_create(NULL, NULL, NULL, NULL), SCAN_INVALID_ARGUMENT,
               "scan_cuda_ctx_create: ctx is NULL");
}

static void test_old_context(void **state) {
  (void)state;
  scan_ctx *ctx = NULL;
  struct app app = app_open();
  fake->set_capability(0, 7, 2);
  test_refusal(NULL, scan_cuda_ctx_create(NULL, app.context, app.stream, &ctx), SCAN_UNSUPPORTED,
               "scan_cuda_ctx_create: cuda:0 has compute capability 7.2, and 7.5 or later is needed");
  assert_null(ctx);
  fake->set_capability(0, 7, 5);
  test_ok(NULL, scan_cuda_ctx_create(NULL, app.context, app.stream, &ctx), "scan_cuda_ctx_create");
  scan_ctx_destroy(ctx);
  app_close(&app);
}

static void test_cuda_handles(void **state) {
  (void)state;
  scan_mem memory;
  struct CUstream_st *stream = NULL;
  scan_ctx *ctx = test_ctx_on("cuda:0");
  test_ok(ctx, scan_alloc(ctx, 64, &memory), "scan_alloc");
  assert_int_equal(scan_cuda_ptr(scan_offset(memory, 16)), scan_cuda_ptr(memory) + 16);
  assert_int_not_equal(scan_cuda_ptr(memory), 0);
  assert_int_equal(scan_cuda_ptr(scan_offset(scan_cuda_mem(4096, 64), 8)), 4104);
  assert_int_equal(scan_cuda_ptr(scan_host(&memory)), 0);
  test_ok(ctx, scan_free(ctx, memory), "scan_free");
  test_refusal(ctx, scan_cuda_stream(ctx, NULL), SCAN_INVALID_ARGUMENT, "scan_cuda_stream: stream is NULL");
  scan_ctx_destroy(ctx);
  ctx = test_ctx_on("host");
  test_refusal(ctx, scan_cuda_stream(ctx, &stream), SCAN_INVALID_ARGUMENT,
               "scan_cuda_stream: the context is on host, not on CUDA");
  assert_null(stream);
  scan_ctx_destroy(ctx);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
    TEST(test_create_and_destroy),
    TEST(test_destroy_frees_what_is_left),
    TEST(test_every_type_and_strategy),
    TEST(test_textbook),
    TEST(test_host_memory),
    TEST(test_copy_and_offsets),
    TEST(test_no_progress),
    TEST(test_adopted_context),
    TEST(test_no_current_context),
    TEST(test_old_context),
    TEST(test_cuda_handles),
  };
  fake = fake_cuda_use(FAKE_CUDA_LIBRARY);
  return test_exit(cmocka_run_group_tests_name("cuda_fake", tests, NULL, NULL));
}
