/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the textbook strategies on a real OpenCL device, in a build with test hooks. Applications of the
 * operator, and the longest chain of them, are counted where they are executed and compared with scan_plan_info; then
 * scans of many tiles, and waits that are given up. At small scale applications are not counted: that needs a device in
 * this process that runs one work-group after another, PoCL with one thread. */
#include "hooked.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 140001, WORD = 4 };

/* 1 for a strategy with an order of its own: the textbook strategies and the sequential loop. */
static int is_counted(scan_strategy strategy) {
  return strategy != SCAN_STRATEGY_AUTO && !scan_strategy_is_canonical(strategy);
}

static int is_textbook(scan_strategy strategy) { return is_counted(strategy) && strategy != SCAN_STRATEGY_SEQUENTIAL; }

/* ---- one scan ---- */

static struct {
  scan_mem in, out;
  uint32_t *values, *got;
} buffers;

static void open_buffers(scan_ctx *ctx) {
  test_ok(ctx, scan_alloc(ctx, (uint64_t)MOST * WORD, &buffers.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, (uint64_t)MOST * WORD, &buffers.out), "scan_alloc");
  buffers.values = reference_alloc((size_t)MOST * WORD);
  buffers.got = reference_alloc((size_t)MOST * WORD);
}

static void close_buffers(scan_ctx *ctx) {
  test_ok(ctx, scan_free(ctx, buffers.in), "scan_free");
  test_ok(ctx, scan_free(ctx, buffers.out), "scan_free");
  free(buffers.values);
  free(buffers.got);
}

static scan_status run(scan_ctx *ctx, scan_plan *plan, uint64_t n, int in_place) {
  const scan_mem out = in_place ? buffers.in : buffers.out;
  test_ok(ctx, scan_write(ctx, buffers.in, buffers.values, n * WORD), "scan_write");
  test_ok(ctx, scan_plan_run(plan, n, buffers.in, out), "scan_plan_run");
  const scan_status status = scan_sync(ctx);
  if (status == SCAN_SUCCESS) test_ok(ctx, scan_read(ctx, out, buffers.got, n * WORD), "scan_read");
  return status;
}

static scan_plan_facts facts_of(scan_ctx *ctx, const scan_plan *plan) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  return facts;
}

/* Returns a plan, or NULL if the device does not support the strategy. */
static scan_plan *plan_of(scan_ctx *ctx, const scan_spec *spec, uint64_t n) {
  scan_plan *plan = NULL;
  const scan_status status = scan_plan_create(ctx, spec, n, &plan);
  if (status == SCAN_UNSUPPORTED) {
    test_skipped("%s: %s", scan_strategy_name(spec->strategy), scan_last_error(ctx));
  } else {
    test_ok(ctx, status, "scan_plan_create");
  }
  return plan;
}

/* ---- work and span ---- */

typedef void check_cost(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_plan *plan, void *data);

/* Around tiles of 64 to 512 elements, whole batches of 64 and 128 tiles, and windows of 32. */
static const uint64_t counts[] = { 1,   2,    8,    9,    33,   64,   65,    128,   129,   512,   513,
                                   777, 4096, 4097, 4161, 8193, 8257, 16384, 16385, 16513, 32769, 70001 };

static void check_costs(scan_ctx *ctx, int (*takes_part)(scan_strategy), check_cost *check, void *data) {
  open_buffers(ctx);
  memset(buffers.values, 0, (size_t)MOST * WORD);
  for (int s = SCAN_STRATEGY_AUTO; scan_strategy_name((scan_strategy)s) != NULL; s++)
    for (int kind = SCAN_INCLUSIVE; takes_part((scan_strategy)s) && kind <= SCAN_EXCLUSIVE; kind++) {
      scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, (scan_kind)kind);
      spec.strategy = (scan_strategy)s;
      for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        scan_plan *plan = plan_of(ctx, &spec, counts[i]);
        if (plan == NULL) break;
        check(ctx, &spec, counts[i], plan, data);
        scan_plan_destroy(plan);
        test_ran();
      }
    }
  close_buffers(ctx);
}

static void check_work(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_plan *plan, void *data) {
  volatile uint32_t *counter = data;
  const uint64_t work = facts_of(ctx, plan).work;
  char text[TEST_TEXT];
  *counter = 0;
  test_ok(ctx, run(ctx, plan, n, 0), "scan_sync");
  if (*counter != work)
    test_fail("%s n=%" PRIu64 ": %" PRIu64 " applications said, %u made", test_spec_text(spec, text), n, work,
              *counter);
}

/* Counts applications in a word of this process, which a kernel reaches because the device runs in it. PoCL is set to
 * run work-groups one after another, so that each finds the tile before it finished. */
static void test_work(void **state) {
  (void)state;
  char options[80];
  if (test_is_small()) {
    test_skipped("applications are not counted at small scale");
    skip();
  }
  void *page =
      mmap((void *)(uintptr_t)0x5ca000000000u, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(page, MAP_FAILED);
  snprintf(options, sizeof options, "-DSCAN_TEST_COUNTER=%" PRIuPTR "ul", (uintptr_t)page);
  scan_ctx *ctx = hooked_open(options);
  check_costs(ctx, is_counted, check_work, page);
  hooked_close(ctx);
  munmap(page, 4096);
}

static void check_span(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_plan *plan, void *data) {
  const uint64_t span = facts_of(ctx, plan).span;
  char text[TEST_TEXT];
  uint32_t deepest = 0;
  (void)data;
  test_ok(ctx, run(ctx, plan, n, 0), "scan_sync");
  for (uint64_t i = 0; i < n; i++) deepest = buffers.got[i] > deepest ? buffers.got[i] : deepest;
  /* If work-groups are concurrent, the tile before may publish its prefix while a tile of lookback_classic adds
   * aggregates. The chain may then be shorter than the span, but never longer. */
  const int may_be_less = spec->strategy == SCAN_STRATEGY_LOOKBACK_CLASSIC && !test_info()->is_cpu;
  if (deepest > span || (deepest < span && !may_be_less))
    test_fail("%s n=%" PRIu64 ": a span of %" PRIu64 " said, %u seen", test_spec_text(spec, text), n, span, deepest);
}

static void test_span(void **state) {
  (void)state;
  scan_ctx *ctx = hooked_open("-DSCAN_TEST_DEPTH");
  check_costs(ctx, is_counted, check_span, NULL);
  hooked_close(ctx);
}

/* ---- many tiles ---- */

static void check_scan(scan_ctx *ctx, const scan_spec *spec, scan_plan *plan, uint64_t n, int in_place) {
  uint32_t *want = reference_alloc((size_t)n * WORD);
  double *slack = reference_alloc((size_t)n * sizeof *slack);
  char text[TEST_TEXT];
  struct rng rng = { n + (uint64_t)in_place };
  uint64_t wrong;
  values_fill(&rng, spec->type, spec->op, n, n, buffers.values);
  test_ok(ctx, run(ctx, plan, n, in_place), "scan_sync");
  if (reference_is_exact(spec)) {
    reference_scan(spec, n, buffers.values, want);
    wrong = reference_mismatch(spec->type, n, buffers.got, want);
  } else {
    reference_scan_close(spec, n, facts_of(ctx, plan).span, buffers.values, want, slack);
    wrong = values_first_far(spec->type, n, buffers.got, want, slack);
  }
  if (wrong != n)
    test_fail("%s n=%" PRIu64 "%s: element %" PRIu64 " is wrong", test_spec_text(spec, text), n,
              in_place ? " in place" : "", wrong);
  free(want);
  free(slack);
}

/* Uses one plan for all counts, the largest first, so that stale words of an earlier scan are in the workspace. */
static void test_many_tiles(void **state) {
  (void)state;
  static const uint64_t sizes[] = { MOST, 140000, 4097, 70001, 33281, 1, 100000 };
  static const struct {
    scan_type type;
    scan_op_id op;
    scan_kind kind;
  } specs[] = { { SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE }, { SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE } };
  scan_ctx *ctx = test_ctx();
  unsetenv(HOOKED_OPTIONS); /* a failed test may have left it */
  open_buffers(ctx);
  for (int s = SCAN_STRATEGY_AUTO; scan_strategy_name((scan_strategy)s) != NULL; s++)
    for (size_t p = 0; is_textbook((scan_strategy)s) && p < sizeof specs / sizeof specs[0]; p++) {
      scan_spec spec = SCAN_SPEC_INIT(specs[p].type, specs[p].op, specs[p].kind);
      spec.strategy = (scan_strategy)s;
      scan_plan *plan = plan_of(ctx, &spec, MOST);
      for (size_t i = 0; plan != NULL && i < sizeof sizes / sizeof sizes[0]; i++)
        check_scan(ctx, &spec, plan, sizes[i], i % 2 == 1);
      if (plan != NULL) test_ran();
      scan_plan_destroy(plan);
    }
  close_buffers(ctx);
}

/* ---- waits that are given up ---- */

/* Every third tile is not published: the tile after it waits in vain, and the host reports it. */
static void test_no_progress(void **state) {
  (void)state;
  static const scan_strategy strategies[] = { SCAN_STRATEGY_CHAINED, SCAN_STRATEGY_LOOKBACK_CLASSIC };
  for (size_t s = 0; s < 2; s++) { /* a context each, because it does not wait again after a failure */
    scan_ctx *ctx = hooked_open("-DSCAN_TEST_WITHHOLD=3");
    open_buffers(ctx);
    memset(buffers.values, 0, (size_t)MOST * WORD);
    scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
    spec.strategy = strategies[s];
    scan_plan *plan = plan_of(ctx, &spec, MOST);
    if (plan != NULL) {
      const uint64_t tile_items = facts_of(ctx, plan).tile_items;
      test_refusal(ctx, run(ctx, plan, 4 * tile_items, 0), SCAN_NO_PROGRESS, "gave up waiting for another work-group");
      test_ok(ctx, scan_sync(ctx), "scan_sync, told once");
      test_ok(ctx, run(ctx, plan, 2 * tile_items, 0), "two tiles, of which nobody waits for the third");
      scan_plan_destroy(plan);
      test_ran();
    }
    close_buffers(ctx);
    hooked_close(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_work),
    cmocka_unit_test(test_span),
    cmocka_unit_test(test_many_tiles),
    cmocka_unit_test(test_no_progress),
  };
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_OPENCL) test_skip_program("%s is not OpenCL", test_selector());
  return test_exit(cmocka_run_group_tests_name("textbook", tests, NULL, NULL));
}
