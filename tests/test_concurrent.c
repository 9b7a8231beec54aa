/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests two contexts on one device, each with its plan: scans of many n in flight, started by two threads or
 * alternately by one, without synchronisation between the contexts. */
#include "guarded.h"
#include "reference.h"
#include "support.h"
#include "values.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANES = 2, ROUNDS = 4, SCANS = 24, OUTPUT_BYTES = 16 << 20, SLACK = 64 };

/* A context and its scans in flight. */
struct lane {
  scan_ctx *ctx;
  scan_spec spec;
  scan_plan *plan;
  struct guarded out;
  scan_mem in;
  unsigned char *values;
  struct rng rng;
  uint64_t first[SCANS]; /* offset of the scan's input, in elements */
  pthread_barrier_t *start;
  int failed;
  char text[TEST_TEXT];
};

static uint64_t log2_of_most(void) { return test_is_small() ? 12 : 20; }

static uint64_t most_items(void) { return UINT64_C(1) << log2_of_most(); }

static int is_in_place(size_t scan) { return scan % 3 == 2; }

/* 1 if the call succeeded; otherwise keeps its error text, because only the main thread may use cmocka's assertions. */
static int went_well(struct lane *lane, scan_status status, const char *call) {
  if (status == SCAN_SUCCESS) return 1;
  lane->failed = 1;
  snprintf(lane->text, TEST_TEXT, "%s: %s: %s", call, scan_status_name(status), scan_last_error(lane->ctx));
  return 0;
}

/* Draws n for each scan, whose upper bound is a random power of two, and the offsets of input and output. */
static void choose_counts(struct lane *lane) {
  guarded_begin(&lane->out);
  for (size_t i = 0; i < SCANS; i++) {
    const uint64_t bound = UINT64_C(2) << rng_below(&lane->rng, log2_of_most());
    if (!guarded_reserve(&lane->out, lane->spec.type, 1 + rng_below(&lane->rng, bound), rng_below(&lane->rng, 2)))
      return;
    lane->first[i] = rng_below(&lane->rng, 2) ? 0 : rng_below(&lane->rng, SLACK);
  }
}

/* Makes new input and expected outputs. Scans in place get a copy of their input. */
static void prepare(struct lane *lane) {
  const uint64_t item_bytes = reference_bytes(lane->spec.type), items = most_items() + SLACK;
  struct guarded *out = &lane->out;
  values_fill(&lane->rng, lane->spec.type, lane->spec.op, items, items, lane->values);
  if (!went_well(lane, scan_write(lane->ctx, lane->in, lane->values, items * item_bytes), "scan_write")) return;
  choose_counts(lane);
  if (!went_well(lane, guarded_poison(out), "guarded_poison")) return;
  for (size_t i = 0; i < out->count; i++) {
    const uint64_t n = out->regions[i].n, first_byte = lane->first[i] * item_bytes;
    reference_scan(&lane->spec, n, lane->values + first_byte, guarded_want(out, i));
    if (is_in_place(i) &&
        !went_well(lane, scan_copy(lane->ctx, guarded_mem(out, i), scan_offset(lane->in, first_byte), n * item_bytes),
                   "scan_copy"))
      return;
  }
}

static void launch(struct lane *lane, size_t scan) {
  const scan_mem out = guarded_mem(&lane->out, scan);
  const scan_mem in = scan_offset(lane->in, lane->first[scan] * reference_bytes(lane->spec.type));
  if (lane->failed || scan >= lane->out.count) return;
  went_well(lane, scan_plan_run(lane->plan, lane->out.regions[scan].n, is_in_place(scan) ? out : in, out),
            "scan_plan_run");
}

static void check(struct lane *lane) {
  size_t bad = 0;
  if (lane->failed || !went_well(lane, scan_sync(lane->ctx), "scan_sync")) return;
  lane->failed = guarded_check(&lane->out, &bad, lane->text);
}

static void lane_open(struct lane *lane, const scan_spec *spec, uint64_t seed) {
  const uint64_t in_bytes = (most_items() + SLACK) * reference_bytes(spec->type);
  *lane = (struct lane){ .spec = *spec, .rng = { seed }, .ctx = test_ctx_new() };
  lane->values = reference_alloc((size_t)in_bytes);
  test_ok(lane->ctx, scan_plan_create(lane->ctx, spec, most_items(), &lane->plan), "scan_plan_create");
  test_ok(lane->ctx, scan_alloc(lane->ctx, in_bytes, &lane->in), "scan_alloc");
  test_ok(lane->ctx, guarded_open(&lane->out, lane->ctx, OUTPUT_BYTES), "guarded_open");
}

static void lane_close(struct lane *lane) {
  char words[TEST_TEXT];
  if (lane->failed) test_fail("%s: %s", test_spec_text(&lane->spec, words), lane->text);
  test_ok(lane->ctx, scan_free(lane->ctx, lane->in), "scan_free");
  guarded_close(&lane->out);
  scan_plan_destroy(lane->plan);
  scan_ctx_destroy(lane->ctx);
  free(lane->values);
}

/* Runs the lanes alternately in one thread. */
static void run_lanes_in_turn(struct lane lanes[LANES]) {
  for (int round = 0; round < ROUNDS; round++) {
    for (int l = 0; l < LANES; l++) prepare(&lanes[l]);
    for (size_t i = 0; i < SCANS; i++)
      for (int l = 0; l < LANES; l++) launch(&lanes[l], i);
    for (int l = 0; l < LANES; l++) check(&lanes[(round + l) % LANES]);
  }
}

/* Runs a lane in its own thread. All threads start each round's scans together. */
static void *work(void *argument) {
  struct lane *lane = argument;
  for (int round = 0; round < ROUNDS; round++) {
    if (!lane->failed) prepare(lane);
    pthread_barrier_wait(lane->start);
    for (size_t i = 0; i < SCANS; i++) launch(lane, i);
    check(lane);
  }
  return NULL;
}

static void work_at_once(struct lane lanes[LANES]) {
  pthread_barrier_t start;
  pthread_t threads[LANES];
  assert_int_equal(pthread_barrier_init(&start, NULL, LANES), 0);
  for (int l = 0; l < LANES; l++) {
    lanes[l].start = &start;
    assert_int_equal(pthread_create(&threads[l], NULL, work, &lanes[l]), 0);
  }
  for (int l = 0; l < LANES; l++) assert_int_equal(pthread_join(threads[l], NULL), 0);
  assert_int_equal(pthread_barrier_destroy(&start), 0);
}

/* Runs lanes with the same kernel, and lanes with different kernels. */
static void run_lanes(void (*run)(struct lane lanes[LANES])) {
  static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO, SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED,
                                              SCAN_STRATEGY_REDUCE_THEN_SCAN };
  static const scan_spec pairs[][LANES] = {
    { SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE), SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE) },
    { SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE), SCAN_SPEC_INIT(SCAN_U16, SCAN_MAX, SCAN_EXCLUSIVE) },
  };
  for (size_t s = 0; s < sizeof(strategies) / sizeof(strategies[0]); s++) {
    if (!test_needs_strategy(strategies[s])) continue;
    for (size_t p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++) {
      struct lane lanes[LANES];
      for (int l = 0; l < LANES; l++) {
        scan_spec spec = pairs[p][l];
        spec.strategy = strategies[s];
        lane_open(&lanes[l], &spec, 100 * s + 10 * p + (uint64_t)l);
      }
      run(lanes);
      for (int l = 0; l < LANES; l++) lane_close(&lanes[l]);
      test_ran();
    }
  }
}

static void test_two_contexts_one_thread(void **state) {
  (void)state;
  run_lanes(run_lanes_in_turn);
}

static void test_two_contexts_two_threads(void **state) {
  (void)state;
  run_lanes(work_at_once);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_contexts_one_thread),
    cmocka_unit_test(test_two_contexts_two_threads),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("concurrent", tests, NULL, NULL));
}
