/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scans of operators from source on CUDA while their kernels are compiled in the background: those of rolled.cl
 * answer first, look-back and then the pipelined scan take over, each with the same bits. The stand-in for NVRTC is
 * held at each step (nvrtc_gate.h). */
#define _GNU_SOURCE /* mkdtemp, setenv */
#include "cuda_driver.h"
#include "nvrtc_gate.h"
#include "operators.h"
#include "reference.h"
#include "ops/scan/quick_plan.h"
#include "ops/select/select_run.h"
#include "support.h"

#include <scanrt/scan_cuda.h>
#include <scanrt/scan_select.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 70001 }; /* large tiles, which the pipelined scan needs, of 8-byte elements */

static const nvrtc_gate *gate;
static const char held_all[] = "lookback.cl pipelined.cuh";

/* ---- a scan that is repeated ---- */

typedef struct fixture {
  scan_ctx *ctx;
  const source_structure *operator;
  scan_spec spec;
  unsigned char *in, *out, *want;
  uint8_t *flags;
  scan_mem memory[3]; /* device memory of in, out and flags, if is_on_device */
  int is_on_device;
} fixture;

typedef struct row {
  const char *operator;
  scan_kind kind;
  scan_segments segments;
  const char *second; /* the stage after `rolled`; "all" if the pipelined scan does not serve */
} row;

static const row rows[] = { { "affine", SCAN_INCLUSIVE, SCAN_SEGMENTS_NONE, "lookback" },
                            { "affine", SCAN_EXCLUSIVE, SCAN_SEGMENTS_FLAGS, "lookback" },
                            { "words3", SCAN_INCLUSIVE, SCAN_SEGMENTS_NONE, "all" } };

static void open_fixture(fixture *f, const row *r, scan_ctx *ctx) {
  struct rng rng = { 0xbac46 };
  memset(f, 0, sizeof *f);
  f->ctx = ctx;
  f->operator= operator_named(r->operator);
  const size_t bytes = MOST * f->operator->source.value_bytes;
  f->in = reference_alloc(bytes);
  f->out = reference_alloc(bytes);
  f->want = reference_alloc(bytes);
  f->flags = reference_alloc(MOST);
  operator_fill(f->operator, & rng, MOST, f->in);
  for (int i = 0; i < MOST; i++) f->flags[i] = rng_below(&rng, 300) == 0;
  f->spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, r->kind);
  f->spec.segments = r->segments;
  f->spec.has_init = r->kind == SCAN_EXCLUSIVE && f->operator->source.identity == NULL;
  if (f->spec.has_init) operator_init(f->operator, & rng, &f->spec.init);
  test_ok(ctx, scan_op_create(ctx, &f->operator->source, &f->spec.custom_op), "scan_op_create");
}

static void put_on_device(fixture *f) {
  void *const host[] = { f->in, f->out, f->flags };
  const size_t item = f->operator->source.value_bytes, bytes[] = { item, item, 1 };
  f->is_on_device = 1;
  for (int i = 0; i < 3; i++) {
    test_ok(f->ctx, scan_alloc(f->ctx, MOST * bytes[i], &f->memory[i]), "scan_alloc");
    test_ok(f->ctx, scan_write(f->ctx, f->memory[i], host[i], MOST * bytes[i]), "scan_write");
  }
}

static void close_fixture(fixture *f) {
  scan_op_destroy(f->spec.custom_op);
  for (int i = 0; i < 3 && f->is_on_device; i++) test_ok(f->ctx, scan_free(f->ctx, f->memory[i]), "scan_free");
  free(f->in);
  free(f->out);
  free(f->want);
  free(f->flags);
}

static scan_args args_of(const fixture *f, uint64_t n) {
  scan_args args = f->is_on_device ? (scan_args)SCAN_ARGS_INIT(f->memory[0], f->memory[1])
                                   : (scan_args)SCAN_ARGS_INIT(scan_host(f->in), scan_host(f->out));
  if (f->spec.segments == SCAN_SEGMENTS_NONE) return args;
  args.marks = f->is_on_device ? f->memory[2] : scan_host(f->flags);
  args.mark_count = n;
  return args;
}

static void check(fixture *f, uint64_t n) {
  const scan_op_source *source = &f->operator->source;
  const struct reference_operator reference = { source->value_bytes, source->host, 0, source->user };
  const void *seed = f->spec.has_init ? (const void *)&f->spec.init : source->identity;
  const uint8_t *flags = f->spec.segments == SCAN_SEGMENTS_NONE ? NULL : f->flags;
  const size_t bytes = n * source->value_bytes;
  if (f->is_on_device) test_ok(f->ctx, scan_read(f->ctx, f->memory[1], f->out, bytes), "scan_read");
  reference_operator_segmented(&reference, 0, f->spec.kind, seed, flags, n, f->in, f->want);
  if (memcmp(f->out, f->want, bytes) != 0) test_fail("%s: wrong results of n=%d", f->operator->name, (int)n);
}

static void run(fixture *f, uint64_t n) {
  const scan_args args = args_of(f, n);
  memset(f->out, 0xa5, n * f->operator->source.value_bytes);
  test_ok(f->ctx, scan_run_args(f->ctx, &f->spec, n, &args), "scan_run_args");
  check(f, n);
}

/* ---- the hidden plan ---- */

static const scan_plan *plan_of(const fixture *f) {
  const scan_plan *plan = f->ctx->plans;
  while (plan != NULL && !plan->hidden) plan = plan->next;
  assert_non_null(plan);
  return plan;
}

static const char *stage_of(const fixture *f) {
  const scan_plan *plan = plan_of(f);
  if (plan->is_quick) return "rolled";
  return plan->caps.avoids & SCAN_AVOID_PIPELINED ? "lookback" : "all";
}

static void need_stage(const fixture *f, const char *want) {
  if (strcmp(stage_of(f), want) != 0) test_fail("%s: %s instead of %s", f->operator->name, stage_of(f), want);
}

/* Scans until the last compilation has ended or failed. */
static void run_to_the_end(fixture *f) {
  do run(f, MOST);
  while (plan_of(f)->quick != NULL);
}

static void *release(void *unused) {
  (void)unused;
  gate->set("", "");
  return NULL;
}

static pthread_t release_beside(void) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, release, NULL), 0);
  return thread;
}

/* ---- tests ---- */

static void test_take_over(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    fixture f;
    gate->set(held_all, "");
    open_fixture(&f, &rows[i], test_ctx_new());
    run(&f, MOST);
    run(&f, 100); /* a tile of another size */
    need_stage(&f, "rolled");
    gate->set("pipelined.cuh", "");
    while (plan_of(&f)->is_quick) run(&f, MOST);
    need_stage(&f, rows[i].second);
    gate->set("", "");
    run_to_the_end(&f);
    need_stage(&f, "all");
    run(&f, 100);
    close_fixture(&f);
    scan_ctx_destroy(f.ctx);
    test_ran();
  }
}

/* Programs that do not compile leave the scans to those that do. */
static void test_faults(void **state) {
  static const char *const refused[][2] = { { "pipelined.cuh", "lookback" }, { "lookback.cl", "rolled" } };
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    fixture f;
    gate->set("", refused[i][0]);
    open_fixture(&f, &rows[0], test_ctx_new());
    run_to_the_end(&f);
    need_stage(&f, refused[i][1]);
    run(&f, 100);
    close_fixture(&f);
    scan_ctx_destroy(f.ctx);
    test_ran();
  }
  gate->set("", "");
}

/* scan_plan_create waits for programs that are compiled in the background, and compiles none twice. */
static void test_plan_waits(void **state) {
  fixture f;
  scan_plan *plan = NULL;
  (void)state;
  gate->set(held_all, "");
  open_fixture(&f, &rows[0], test_ctx_new());
  run(&f, MOST);
  const int before = gate->begun("pipelined.cuh") + gate->begun("lookback.cl");
  const pthread_t thread = release_beside();
  test_ok(f.ctx, scan_plan_create(f.ctx, &f.spec, plan_of(&f)->max_n, &plan), "scan_plan_create");
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(gate->begun("pipelined.cuh") + gate->begun("lookback.cl") - before <= 3);
  assert_false(plan->is_quick);
  put_on_device(&f);
  test_ok(f.ctx, scan_plan_run(plan, MOST, f.memory[0], f.memory[1]), "scan_plan_run");
  check(&f, MOST);
  scan_plan_destroy(plan);
  close_fixture(&f);
  scan_ctx_destroy(f.ctx);
  test_ran();
}

static void test_destroy(void **state) {
  fixture f;
  (void)state;
  gate->set(held_all, "");
  open_fixture(&f, &rows[0], test_ctx_new());
  run(&f, MOST);
  const pthread_t thread = release_beside();
  scan_ctx_destroy(f.ctx);
  assert_int_equal(gate->running(), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  f.spec.custom_op = NULL;
  close_fixture(&f);
  test_ran();
}

/* A stream that is captured records the final kernels. */
static void test_capture(void **state) {
  fixture f;
  scan_ctx *ctx = NULL;
  struct CUctx_st *context;
  struct CUstream_st *stream;
  graph captured;
  graph_exec exec;
  (void)state;
  assert_int_equal(cu.retain(&context, 0), 0);
  assert_int_equal(cu.push(context), 0);
  assert_int_equal(cu.stream_create(&stream, CUDA_DRIVER_NON_BLOCKING), 0);
  test_ok(NULL, scan_cuda_ctx_create(NULL, context, stream, &ctx), "scan_cuda_ctx_create");
  gate->set(held_all, "");
  open_fixture(&f, &rows[0], ctx);
  put_on_device(&f);
  run(&f, MOST);
  need_stage(&f, "rolled");
  const pthread_t thread = release_beside();
  assert_int_equal(cu.capture_begin(stream, CUDA_DRIVER_GLOBAL), 0);
  const scan_args args = args_of(&f, MOST);
  test_ok(ctx, scan_run_args(ctx, &f.spec, MOST, &args), "scan_run_args in a capture");
  assert_int_equal(cu.capture_end(stream, &captured), 0);
  need_stage(&f, "all");
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(cu.instantiate(&exec, captured, 0), 0);
  memset(f.out, 0x5a, MOST * f.operator->source.value_bytes);
  test_ok(ctx, scan_write(ctx, f.memory[1], f.out, MOST * f.operator->source.value_bytes), "scan_write");
  assert_int_equal(cu.graph_launch(exec, stream), 0);
  assert_int_equal(cu.stream_sync(stream), 0);
  check(&f, MOST);
  assert_int_equal(cu.exec_destroy(exec), 0);
  assert_int_equal(cu.graph_destroy(captured), 0);
  close_fixture(&f);
  scan_ctx_destroy(ctx);
  assert_int_equal(cu.stream_destroy(stream), 0);
  assert_int_equal(cu.pop(NULL), 0);
  assert_int_equal(cu.release(0), 0);
  test_ran();
}

/* Programs that were compiled in the background are in the cache: the next context compiles nothing. */
static void test_cache(void **state) {
  char folder[64] = "/tmp/scanrt-background-XXXXXX", command[96];
  fixture f;
  int before = 0;
  (void)state;
  assert_non_null(mkdtemp(folder));
  setenv("SCANRT_CACHE", folder, 1);
  for (int round = 0; round < 2; round++) {
    open_fixture(&f, &rows[0], test_ctx_new());
    run(&f, MOST);
    if (round == 0)
      run_to_the_end(&f);
    else if (gate->begun(NULL) != before)
      test_fail("%d programs were compiled again", gate->begun(NULL) - before);
    need_stage(&f, "all");
    close_fixture(&f);
    scan_ctx_destroy(f.ctx);
    before = gate->begun(NULL);
  }
  setenv("SCANRT_CACHE", "off", 1);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
  test_ran();
}

/* 1 if the newest hidden plan compacts in one launch. */
static int is_one_launch(const scan_ctx *ctx) {
  const scan_plan *plan = ctx->plans;
  while (plan != NULL && !plan->hidden) plan = plan->next;
  assert_non_null(plan);
  return scan_select_plan_of(plan)->is_pipelined;
}

static void keep_even(scan_ctx *ctx, scan_op *predicate, const uint32_t *in) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, sizeof *in);
  uint32_t *out = reference_alloc(MOST * sizeof *out);
  uint64_t count = 0, kept = 0;
  const scan_select_args args =
      SCAN_SELECT_ARGS_INIT(SCAN_NO_MEM, scan_host((void *)(uintptr_t)in), scan_host(out), scan_host(&count));
  spec.predicate = predicate;
  test_ok(ctx, scan_select(ctx, &spec, MOST, &args), "scan_select");
  for (int i = 0; i < MOST; i++)
    if (in[i] % 2 == 0 && (kept >= count || out[kept++] != in[i])) test_fail("element %d is not kept", i);
  assert_int_equal(count, kept);
  free(out);
}

/* A compaction by a predicate takes several launches until its one launch is compiled, or if that fails. */
static void test_predicate(void **state) {
  static const char file[] = "select_pipelined.cuh";
  const scan_predicate_source source =
      SCAN_PREDICATE_INIT("static inline int even(uint32_t x, uint64_t i) { return x % 2 == 0; }", uint32_t, even);
  struct rng rng = { 0xe7e2 };
  uint32_t *in = reference_alloc(MOST * sizeof *in);
  (void)state;
  for (int i = 0; i < MOST; i++) in[i] = (uint32_t)rng_below(&rng, 1000);
  for (int fails = 0; fails < 2; fails++) {
    scan_ctx *ctx = test_ctx_new();
    scan_op *predicate = NULL;
    const int before = gate->begun(file);
    gate->set(fails ? "" : file, fails ? file : "");
    test_ok(ctx, scan_predicate_create(ctx, &source, &predicate), "scan_predicate_create");
    for (int i = 0; i < 3; i++) keep_even(ctx, predicate, in);
    assert_false(is_one_launch(ctx));
    gate->set("", fails ? file : "");
    while (!fails && !is_one_launch(ctx)) keep_even(ctx, predicate, in);
    keep_even(ctx, predicate, in);
    scan_op_destroy(predicate);
    scan_ctx_destroy(ctx);
    assert_true(gate->begun(file) - before <= 1);
    test_ran();
  }
  gate->set("", "");
  free(in);
}

/* SCANRT_TUNE=background=0: the first scan waits for all kernels. */
static void test_off(void **state) {
  fixture f;
  (void)state;
  setenv("SCANRT_TUNE", "pipelined_bytes=0,background=0", 1);
  open_fixture(&f, &rows[0], test_ctx_new());
  run(&f, MOST);
  need_stage(&f, "all");
  close_fixture(&f);
  scan_ctx_destroy(f.ctx);
  test_ran();
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_take_over),  cmocka_unit_test(test_faults),
                                      cmocka_unit_test(test_plan_waits), cmocka_unit_test(test_destroy),
                                      cmocka_unit_test(test_capture),    cmocka_unit_test(test_cache),
                                      cmocka_unit_test(test_predicate),  cmocka_unit_test(test_off) };
  test_device_open();
  gate = nvrtc_gate_open();
  (void)cuda_driver_load();
  return test_exit(cmocka_run_group_tests_name("background", tests, NULL, NULL));
}
