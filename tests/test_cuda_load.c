/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scans on a GPU that another stream keeps busy. Work-groups start late and few at a time, so that tickets are
 * taken while most of the grid waits for a multiprocessor. Every result is right, and no wait is given up. */
#include <scanrt/scan_cuda.h>

#include <stdlib.h>
#include <string.h>

#include "cuda_driver.h"
#include "guarded.h"
#include "reference.h"
#include "values.h"

enum { LOAD_ITEMS = 1024, LOADS_AHEAD = 16, BLOCK_MOST = (1 << 17) + 3, MOST = 1 << 24 };

/* A kernel that spins for a number of cycles. */
static const char spin_ptx[] = ".version 6.3\n"
                               ".target sm_75\n"
                               ".address_size 64\n"
                               ".visible .entry spin(.param .u64 cycles)\n"
                               "{\n"
                               "  .reg .u64 %rd<5>;\n"
                               "  .reg .pred %p1;\n"
                               "  ld.param.u64 %rd1, [cycles];\n"
                               "  mov.u64 %rd2, %clock64;\n"
                               "again:\n"
                               "  mov.u64 %rd3, %clock64;\n"
                               "  sub.u64 %rd4, %rd3, %rd2;\n"
                               "  setp.lt.u64 %p1, %rd4, %rd1;\n"
                               "  @%p1 bra again;\n"
                               "  ret;\n"
                               "}\n";

/* Launches that keep the GPU busy: 2 million cycles are about a millisecond; 264 groups of 1024 fill an H200. */
static const struct load {
  unsigned groups;
  unsigned long long cycles;
} loads[] = {
  { 64, 4000000 }, { 100, 4000000 }, { 132, 2000000 }, { 200, 2000000 }, { 264, 2000000 }, { 1000, 1000000 }
};

static const uint64_t counts[] = { 1 << 10, (1 << 13) + 5, 1 << 15, (1 << 17) + 3, (1 << 20) + 7, 1 << 22, MOST };
enum { COUNTS = sizeof counts / sizeof counts[0] };

static struct {
  struct CUctx_st *context;
  struct CUstream_st *stream; /* for the load */
  struct CUmod_st *module;
  struct CUfunc_st *spin;
  struct guarded out;
  scan_mem in;
  unsigned char *values;
  struct rng rng;
} fixture;

static void occupy(const struct load *load) {
  unsigned long long cycles = load->cycles;
  void *parameters[] = { &cycles };
  cuda_ok(cu.launch(fixture.spin, load->groups, 1, 1, LOAD_ITEMS, 1, 1, 0, fixture.stream, parameters, NULL),
          "cuLaunchKernel");
}

/* Writes new input, poisons an output for each count, computes the expected results. Returns the number of scans. */
static size_t prepare(const scan_spec *spec, int in_place) {
  const uint64_t bytes = reference_bytes(spec->type);
  struct guarded *out = &fixture.out;
  values_fill(&fixture.rng, spec->type, spec->op, MOST, MOST, fixture.values);
  test_ok(test_ctx(), scan_write(test_ctx(), fixture.in, fixture.values, MOST * bytes), "scan_write");
  guarded_begin(out);
  for (size_t i = 0; i < COUNTS; i++)
    if (spec->strategy != SCAN_STRATEGY_BLOCK || counts[i] <= BLOCK_MOST)
      assert_true(guarded_reserve(out, spec->type, counts[i], 0));
  test_ok(test_ctx(), guarded_poison(out), "guarded_poison");
  for (size_t i = 0; i < out->count; i++) {
    const scan_mem memory = guarded_mem(out, i);
    reference_scan(spec, counts[i], fixture.values, guarded_want(out, i));
    if (in_place) test_ok(test_ctx(), scan_copy(test_ctx(), memory, fixture.in, counts[i] * bytes), "scan_copy");
  }
  return out->count;
}

/* Scans all counts without a wait, behind and between launches of the load. Returns 1 if the load ended last. */
static int run_loaded(const scan_spec *spec, scan_plan *plan, const struct load *load, int in_place) {
  char text[TEST_TEXT], words[TEST_TEXT];
  const size_t scans = prepare(spec, in_place);
  size_t bad = 0;
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
  for (int i = 0; i < LOADS_AHEAD; i++) occupy(load);
  for (size_t i = 0; i < scans; i++) {
    const scan_mem out = guarded_mem(&fixture.out, i);
    occupy(load);
    test_ok(test_ctx(), scan_plan_run(plan, counts[i], in_place ? out : fixture.in, out), "scan_plan_run");
  }
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
  const int busy = cu.stream_query(fixture.stream);
  if (busy != CUDA_DRIVER_NOT_READY) cuda_ok(busy, "cuStreamQuery");
  if (guarded_check(&fixture.out, &bad, text))
    test_fail("%s%s beside %u work-groups: %s", test_spec_text(spec, words), in_place ? " in place" : "", load->groups,
              text);
  cuda_ok(cu.stream_sync(fixture.stream), "cuStreamSynchronize");
  return busy == CUDA_DRIVER_NOT_READY;
}

/* Most rounds must have a load that outlasts the scans; otherwise the test fails. */
static void run_strategy(scan_strategy strategy, scan_type type) {
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  int rounds = 0, loaded = 0;
  spec.strategy = strategy;
  const scan_status status = scan_plan_create(test_ctx(), &spec, MOST, &plan);
  if (status == SCAN_UNSUPPORTED && strategy == SCAN_STRATEGY_PIPELINED) {
    test_skipped("strategy pipelined on %s: %s", test_selector(), scan_last_error(test_ctx()));
    return;
  }
  test_ok(test_ctx(), status, "scan_plan_create");
  for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++)
    for (int in_place = 0; in_place < 2; in_place++, rounds++) loaded += run_loaded(&spec, plan, &loads[l], in_place);
  scan_plan_destroy(plan);
  print_message("%s of %s: %d of %d rounds ended before the load did\n", scan_strategy_name(strategy),
                scan_type_name(type), loaded, rounds);
  assert_true(2 * loaded > rounds);
  test_ran();
}

static void test_block(void **state) {
  (void)state;
  run_strategy(SCAN_STRATEGY_BLOCK, SCAN_I32);
}

static void test_lookback(void **state) {
  (void)state;
  run_strategy(SCAN_STRATEGY_LOOKBACK, SCAN_I32);
  run_strategy(SCAN_STRATEGY_LOOKBACK, SCAN_I64);
}

static void test_pipelined(void **state) {
  (void)state;
  run_strategy(SCAN_STRATEGY_PIPELINED, SCAN_I32);
  run_strategy(SCAN_STRATEGY_PIPELINED, SCAN_I64);
}

static int set_up(void **state) {
  uint64_t out_bytes = 0;
  (void)state;
  for (size_t i = 0; i < COUNTS; i++) out_bytes += guarded_bytes(SCAN_I64, counts[i]);
  fixture.values = reference_alloc(MOST * sizeof(int64_t));
  cuda_ok(cu.push(fixture.context), "cuCtxPushCurrent");
  cuda_ok(cu.stream_create(&fixture.stream, CUDA_DRIVER_NON_BLOCKING), "cuStreamCreate");
  cuda_ok(cu.module_load(&fixture.module, spin_ptx), "cuModuleLoadData");
  cuda_ok(cu.module_function(&fixture.spin, fixture.module, "spin"), "cuModuleGetFunction");
  test_ok(test_ctx(), guarded_open(&fixture.out, test_ctx(), out_bytes), "guarded_open");
  test_ok(test_ctx(), scan_alloc(test_ctx(), MOST * sizeof(int64_t), &fixture.in), "scan_alloc");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  guarded_close(&fixture.out);
  test_ok(test_ctx(), scan_free(test_ctx(), fixture.in), "scan_free");
  free(fixture.values);
  cuda_ok(cu.stream_sync(fixture.stream), "cuStreamSynchronize");
  cuda_ok(cu.module_unload(fixture.module), "cuModuleUnload");
  cuda_ok(cu.stream_destroy(fixture.stream), "cuStreamDestroy");
  cuda_ok(cu.pop(NULL), "cuCtxPopCurrent");
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_block),
    cmocka_unit_test(test_lookback),
    cmocka_unit_test(test_pipelined),
  };
  test_device_open();
  if (test_info()->backend != SCAN_BACKEND_CUDA) test_skip_program("%s is not CUDA", test_selector());
  const int device = atoi(strchr(test_info()->selector, ':') + 1);
  fixture.context = cuda_driver_open(device);
  const int failed = cmocka_run_group_tests_name("cuda_load", tests, set_up, tear_down);
  const int released = cu.release(device);
  if (released != 0) print_error("cuDevicePrimaryCtxRelease gives %d\n", released);
  return test_exit(failed + (released != 0));
}
