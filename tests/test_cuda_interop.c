/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests an application's own CUDA objects on a real driver: adopted context, stream and memory, and graphs. */
#include <stdint.h>
#include <stdlib.h>

#include <scanrt/scan_cuda.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "cuda_driver.h"
#include "support.h"

enum { MOST = 3000001, REPLAYS = 1000, STRATEGIES = 4 };

/* The application's objects. */
static struct {
  struct CUctx_st *context;
  struct CUstream_st *stream;
  unsigned long long in, out;
  int32_t *values, *results;
  scan_ctx *ctx;
} app;

static uint32_t seed = 1;

static int32_t draw(void) {
  seed = seed * 1664525u + 1013904223u;
  return (int32_t)(seed >> 8) - (1 << 23);
}

static int set_up(void **state) {
  (void)state;
  app.values = malloc(MOST * sizeof *app.values);
  app.results = malloc(MOST * sizeof *app.results);
  if (app.values == NULL || app.results == NULL) return -1;
  return cu.push(app.context) | cu.stream_create(&app.stream, CUDA_DRIVER_NON_BLOCKING) |
         cu.alloc(&app.in, MOST * sizeof(int32_t)) | cu.alloc(&app.out, MOST * sizeof(int32_t)) |
         (scan_cuda_ctx_create(NULL, NULL, app.stream, &app.ctx) != SCAN_SUCCESS);
}

static int tear_down(void **state) {
  (void)state;
  scan_ctx_destroy(app.ctx);
  free(app.values);
  free(app.results);
  return cu.free(app.in) | cu.free(app.out) | cu.stream_destroy(app.stream) | cu.pop(NULL) | cu.release(0);
}

static void fresh_input(uint64_t n) {
  for (uint64_t i = 0; i < n; i++) app.values[i] = draw();
  assert_int_equal(cu.write(app.in, app.values, n * sizeof(int32_t), app.stream), 0);
}

static void check_output(uint64_t n) {
  uint32_t sum = 0;
  assert_int_equal(cu.read(app.results, app.out, n * sizeof(int32_t), app.stream), 0);
  assert_int_equal(cu.stream_sync(app.stream), 0);
  for (uint64_t i = 0; i < n; i++) {
    sum += (uint32_t)app.values[i];
    if (app.results[i] != (int32_t)sum) fail_msg("element %llu of %llu", (unsigned long long)i, (unsigned long long)n);
  }
}

static scan_plan *make_plan(scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  spec.strategy = strategy;
  const scan_status status = scan_plan_create(app.ctx, &spec, MOST, &plan);
  if (status != SCAN_SUCCESS) fail_msg("scan_plan_create: %s", scan_last_error(app.ctx));
  return plan;
}

static void enqueue(scan_plan *plan, uint64_t n) {
  const uint64_t bytes = n * sizeof(int32_t);
  const scan_status status = scan_plan_run(plan, n, scan_cuda_mem(app.in, bytes), scan_cuda_mem(app.out, bytes));
  if (status != SCAN_SUCCESS) fail_msg("scan_plan_run: %s", scan_last_error(app.ctx));
}

static graph_exec record(scan_plan *plan, uint64_t n) {
  assert_int_equal(cu.capture_begin(app.stream, 0), 0);
  enqueue(plan, n);
  return cuda_end_capture(app.stream);
}

/* Records a scan in a graph that reads and writes the carry. */
static graph_exec record_chained(scan_plan *plan, uint64_t n, scan_mem carry) {
  scan_args args =
      SCAN_ARGS_INIT(scan_cuda_mem(app.in, n * sizeof(int32_t)), scan_cuda_mem(app.out, n * sizeof(int32_t)));
  args.carry_in = args.carry_out = carry;
  assert_int_equal(cu.capture_begin(app.stream, 0), 0);
  assert_int_equal(scan_plan_run_args(plan, n, &args), SCAN_SUCCESS);
  return cuda_end_capture(app.stream);
}

static const scan_strategy strategies[STRATEGIES] = { SCAN_STRATEGY_BLOCK, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                                      SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED };

static void test_adopted_objects(void **state) {
  (void)state;
  struct CUctx_st *before, *after;
  struct CUstream_st *stream;
  assert_int_equal(cu.current(&before), 0);
  assert_int_equal(scan_cuda_stream(app.ctx, &stream), SCAN_SUCCESS);
  assert_ptr_equal(stream, app.stream);
  for (int s = 0; s < STRATEGIES; s++) {
    scan_plan *plan = make_plan(strategies[s]);
    fresh_input(MOST);
    enqueue(plan, MOST);
    check_output(MOST);
    scan_plan_destroy(plan);
  }
  assert_int_equal(scan_sync(app.ctx), SCAN_SUCCESS);
  assert_int_equal(cu.current(&after), 0);
  assert_ptr_equal(before, after);
}

/* Replays a recorded scan with new input, between eager scans of another n with the same plan. */
static void replay(scan_strategy strategy, uint64_t n, int replays) {
  scan_plan *plan = make_plan(strategy);
  graph_exec exec = record(plan, n);
  for (int r = 0; r < replays; r++) {
    const uint64_t other = 1 + (uint64_t)(draw() & 0xffff);
    fresh_input(n);
    assert_int_equal(cu.graph_launch(exec, app.stream), 0);
    check_output(n);
    if (r % 3 != 0) continue;
    fresh_input(other);
    enqueue(plan, other);
    check_output(other);
  }
  assert_int_equal(scan_sync(app.ctx), SCAN_SUCCESS);
  assert_int_equal(cu.exec_destroy(exec), 0);
  scan_plan_destroy(plan);
}

static void test_graph_replays(void **state) {
  (void)state;
  for (int s = 0; s < STRATEGIES; s++) replay(strategies[s], 20011, REPLAYS);
}

static void test_graph_replays_of_many_tiles(void **state) {
  (void)state;
  for (int s = 1; s < STRATEGIES; s++) replay(strategies[s], MOST, 20);
}

/* A graph that is launched repeatedly continues where it ended, as the carry stays on the device. */
static void test_graph_of_a_chain(void **state) {
  (void)state;
  const uint64_t n = 20011;
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++)
    for (int s = 0; s < STRATEGIES; s++) {
      scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, (scan_kind)kind);
      scan_plan *plan = NULL;
      uint32_t total = 77;
      spec.strategy = strategies[s];
      scan_mem carry;
      assert_int_equal(scan_alloc(app.ctx, sizeof total, &carry), SCAN_SUCCESS);
      assert_int_equal(scan_write(app.ctx, carry, &total, sizeof total), SCAN_SUCCESS);
      assert_int_equal(scan_plan_create(app.ctx, &spec, n, &plan), SCAN_SUCCESS);
      graph_exec exec = record_chained(plan, n, carry);
      for (int r = 0; r < 5; r++) {
        fresh_input(n);
        assert_int_equal(cu.graph_launch(exec, app.stream), 0);
        assert_int_equal(cu.read(app.results, app.out, n * sizeof(int32_t), app.stream), 0);
        assert_int_equal(cu.stream_sync(app.stream), 0);
        for (uint64_t i = 0; i < n; i++) {
          const uint32_t before = total;
          total += (uint32_t)app.values[i];
          assert_int_equal((uint32_t)app.results[i], kind == SCAN_INCLUSIVE ? total : before);
        }
      }
      uint32_t left = 0;
      assert_int_equal(scan_read(app.ctx, carry, &left, sizeof left), SCAN_SUCCESS);
      assert_int_equal(left, total);
      assert_int_equal(cu.exec_destroy(exec), 0);
      scan_plan_destroy(plan);
      assert_int_equal(scan_free(app.ctx, carry), SCAN_SUCCESS);
    }
}

/* ---- compaction ---- */

/* Two compactions in one graph: elements by flags, whose n is in device memory; then, in place, the first of equal
 * elements. */
static struct {
  scan_plan *select, *unique;
  scan_mem flags, counts; /* counts: n, and the numbers that the two compactions keep */
  unsigned char marks[MOST];
  uint64_t numbers[3];
} chain;

static void open_chain(void) {
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(int32_t));
  scan_select_spec unique = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, sizeof(int32_t));
  unique.key_type = SCAN_I32;
  unique.in_place = 1;
  assert_int_equal(scan_alloc(app.ctx, MOST, &chain.flags), SCAN_SUCCESS);
  assert_int_equal(scan_alloc(app.ctx, sizeof chain.numbers, &chain.counts), SCAN_SUCCESS);
  assert_int_equal(scan_plan_create_select(app.ctx, &select, MOST, &chain.select), SCAN_SUCCESS);
  assert_int_equal(scan_plan_create_select(app.ctx, &unique, MOST, &chain.unique), SCAN_SUCCESS);
}

static graph_exec record_compactions(void) {
  const scan_mem in = scan_cuda_mem(app.in, MOST * sizeof(int32_t)),
                 out = scan_cuda_mem(app.out, MOST * sizeof(int32_t));
  scan_select_args first = SCAN_SELECT_ARGS_INIT(chain.flags, in, out, scan_offset(chain.counts, 8));
  scan_select_args second = { .struct_bytes = sizeof second, .in = { out }, .out = { out } };
  first.n_from = chain.counts;
  second.n_from = scan_offset(chain.counts, 8);
  second.count = scan_offset(chain.counts, 16);
  assert_int_equal(cu.capture_begin(app.stream, 0), 0);
  assert_int_equal(scan_plan_run_select(chain.select, MOST, &first), SCAN_SUCCESS);
  assert_int_equal(scan_plan_run_select(chain.unique, MOST, &second), SCAN_SUCCESS);
  return cuda_end_capture(app.stream);
}

static void fresh_chain(uint64_t n, uint32_t share) {
  for (uint64_t i = 0; i < MOST; i++) {
    app.values[i] = draw() % 3;
    chain.marks[i] = (uint32_t)draw() % 100 < share;
  }
  assert_int_equal(cu.write(app.in, app.values, MOST * sizeof(int32_t), app.stream), 0);
  assert_int_equal(scan_write(app.ctx, chain.flags, chain.marks, MOST), SCAN_SUCCESS);
  assert_int_equal(scan_write(app.ctx, chain.counts, &n, sizeof n), SCAN_SUCCESS);
}

static void check_chain(uint64_t n) {
  uint64_t kept = 0, distinct = 0;
  int32_t before = 0;
  assert_int_equal(cu.read(app.results, app.out, MOST * sizeof(int32_t), app.stream), 0);
  assert_int_equal(scan_read(app.ctx, chain.counts, chain.numbers, sizeof chain.numbers), SCAN_SUCCESS);
  assert_int_equal(cu.stream_sync(app.stream), 0);
  for (uint64_t i = 0; i < n; i++) {
    if (!chain.marks[i]) continue;
    if (kept++ > 0 && app.values[i] == before) continue;
    before = app.values[i];
    if (app.results[distinct++] != before)
      fail_msg("element %llu of n=%llu", (unsigned long long)i, (unsigned long long)n);
  }
  assert_int_equal(chain.numbers[1], kept);
  assert_int_equal(chain.numbers[2], distinct);
}

static void test_graph_of_compactions(void **state) {
  static const uint64_t counts[] = { MOST, 0, 1, 8192, 8193, 100000, 2999999 };
  static const uint32_t shares[] = { 50, 50, 100, 1, 99, 0, 10 };
  (void)state;
  open_chain();
  graph_exec exec = record_compactions();
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    fresh_chain(counts[i], shares[i]);
    assert_int_equal(cu.graph_launch(exec, app.stream), 0);
    check_chain(counts[i]);
  }
  assert_int_equal(scan_sync(app.ctx), SCAN_SUCCESS);
  assert_int_equal(cu.exec_destroy(exec), 0);
  scan_plan_destroy(chain.select);
  scan_plan_destroy(chain.unique);
  assert_int_equal(scan_free(app.ctx, chain.flags), SCAN_SUCCESS);
  assert_int_equal(scan_free(app.ctx, chain.counts), SCAN_SUCCESS);
}

/* ---- sorts ---- */

/* Records a compaction and an in-place sort of the kept elements in one graph; n of both is in device memory. */
static graph_exec record_sort(scan_plan *select, scan_plan *sort) {
  const scan_mem in = scan_cuda_mem(app.in, MOST * sizeof(int32_t)),
                 out = scan_cuda_mem(app.out, MOST * sizeof(int32_t));
  scan_select_args first = SCAN_SELECT_ARGS_INIT(chain.flags, in, out, scan_offset(chain.counts, 8));
  scan_sort_args second = SCAN_SORT_ARGS_INIT(out, out);
  first.n_from = chain.counts;
  second.n_from = scan_offset(chain.counts, 8);
  assert_int_equal(cu.capture_begin(app.stream, 0), 0);
  assert_int_equal(scan_plan_run_select(select, MOST, &first), SCAN_SUCCESS);
  assert_int_equal(scan_plan_run_sort(sort, MOST, &second), SCAN_SUCCESS);
  return cuda_end_capture(app.stream);
}

static uint64_t mixed(int32_t x) {
  const uint64_t product = (uint32_t)x * UINT64_C(0x9E3779B97F4A7C15);
  return product ^ product >> 32;
}

/* Checks that the kept elements are in order, and by a sum of their mixed bits that they are the same keys. */
static void check_sorted(uint64_t n) {
  uint64_t kept = 0, sums[2] = { 0, 0 };
  assert_int_equal(cu.read(app.results, app.out, MOST * sizeof(int32_t), app.stream), 0);
  assert_int_equal(scan_read(app.ctx, chain.counts, chain.numbers, sizeof chain.numbers), SCAN_SUCCESS);
  assert_int_equal(cu.stream_sync(app.stream), 0);
  for (uint64_t i = 0; i < n; i++) {
    if (!chain.marks[i]) continue;
    sums[0] += mixed(app.values[i]);
    kept++;
  }
  assert_int_equal(chain.numbers[1], kept);
  for (uint64_t i = 0; i < kept; i++) {
    sums[1] += mixed(app.results[i]);
    if (i > 0 && app.results[i] < app.results[i - 1]) fail_msg("key %llu is too small", (unsigned long long)i);
  }
  assert_true(sums[0] == sums[1]);
}

static void test_graph_of_a_sort(void **state) {
  static const uint64_t counts[] = { MOST, 0, 1, 8193, 2999999 };
  static const uint32_t shares[] = { 50, 50, 100, 10, 100 };
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, sizeof(int32_t));
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_I32);
  scan_plan *selects = NULL, *sorts = NULL;
  (void)state;
  sort.in_place = 1;
  assert_int_equal(scan_alloc(app.ctx, MOST, &chain.flags), SCAN_SUCCESS);
  assert_int_equal(scan_alloc(app.ctx, sizeof chain.numbers, &chain.counts), SCAN_SUCCESS);
  assert_int_equal(scan_plan_create_select(app.ctx, &select, MOST, &selects), SCAN_SUCCESS);
  assert_int_equal(scan_plan_create_sort(app.ctx, &sort, MOST, &sorts), SCAN_SUCCESS);
  graph_exec exec = record_sort(selects, sorts);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    fresh_chain(counts[i], shares[i]);
    if (i % 2 == 0) { /* digits beyond the lowest */
      for (uint64_t k = 0; k < MOST; k++) app.values[k] = draw();
      assert_int_equal(cu.write(app.in, app.values, MOST * sizeof(int32_t), app.stream), 0);
    }
    assert_int_equal(cu.graph_launch(exec, app.stream), 0);
    check_sorted(counts[i]);
  }
  assert_int_equal(scan_sync(app.ctx), SCAN_SUCCESS);
  assert_int_equal(cu.exec_destroy(exec), 0);
  scan_plan_destroy(selects);
  scan_plan_destroy(sorts);
  assert_int_equal(scan_free(app.ctx, chain.flags), SCAN_SUCCESS);
  assert_int_equal(scan_free(app.ctx, chain.counts), SCAN_SUCCESS);
}

/* Each replay has segments of other lengths, some larger than a tile: no table of the replay before is used. */
static void test_graph_of_segments(void **state) {
  static const uint32_t lengths[] = { 10, MOST, 5000, 300, 100000 };
  enum { SEGMENTS = MOST / 10 + 1 };
  static uint32_t offsets[SEGMENTS + 1];
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_I32);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_cuda_mem(app.in, MOST * sizeof(int32_t)),
                                            scan_cuda_mem(app.out, MOST * sizeof(int32_t)));
  scan_plan *plan = NULL;
  (void)state;
  spec.offset_type = SCAN_U32;
  args.segments = SEGMENTS;
  assert_int_equal(scan_alloc(app.ctx, sizeof offsets, &args.offsets), SCAN_SUCCESS);
  assert_int_equal(scan_plan_create_sort(app.ctx, &spec, MOST, &plan), SCAN_SUCCESS);
  assert_int_equal(cu.capture_begin(app.stream, 0), 0);
  assert_int_equal(scan_plan_run_sort(plan, MOST, &args), SCAN_SUCCESS);
  graph_exec exec = cuda_end_capture(app.stream);
  for (size_t r = 0; r < sizeof lengths / sizeof lengths[0]; r++) {
    for (uint64_t s = 0; s <= SEGMENTS; s++) offsets[s] = (uint32_t)(s * lengths[r] < MOST ? s * lengths[r] : MOST);
    for (uint64_t k = 0; k < MOST; k++) app.values[k] = draw();
    assert_int_equal(scan_write(app.ctx, args.offsets, offsets, sizeof offsets), SCAN_SUCCESS);
    assert_int_equal(cu.write(app.in, app.values, MOST * sizeof(int32_t), app.stream), 0);
    assert_int_equal(cu.graph_launch(exec, app.stream), 0);
    assert_int_equal(cu.read(app.results, app.out, MOST * sizeof(int32_t), app.stream), 0);
    assert_int_equal(cu.stream_sync(app.stream), 0);
    uint64_t sums[2] = { 0, 0 };
    for (uint64_t i = 0; i < MOST; i++) {
      const uint64_t segment = i / lengths[r];
      if (i % lengths[r] != 0 && app.results[i] < app.results[i - 1])
        fail_msg("key %llu is too small", (unsigned long long)i);
      sums[0] += mixed(app.values[i]) * (segment + 1);
      sums[1] += mixed(app.results[i]) * (segment + 1);
    }
    assert_true(sums[0] == sums[1]);
  }
  assert_int_equal(scan_sync(app.ctx), SCAN_SUCCESS);
  assert_int_equal(cu.exec_destroy(exec), 0);
  scan_plan_destroy(plan);
  assert_int_equal(scan_free(app.ctx, args.offsets), SCAN_SUCCESS);
}

/* ---- splits ---- */

enum { SPLIT_BUCKETS = 16 };

/* Records a split by the lowest bits and a histogram of them; n is in device memory. Offsets precede counts. */
static graph_exec record_split(scan_plan *split, scan_plan *histogram, scan_mem bins) {
  const scan_mem in = scan_cuda_mem(app.in, MOST * sizeof(int32_t)),
                 out = scan_cuda_mem(app.out, MOST * sizeof(int32_t));
  scan_split_args first = SCAN_SPLIT_ARGS_INIT(in, out, bins);
  scan_histogram_args second = SCAN_HISTOGRAM_ARGS_INIT(out, scan_offset(bins, (SPLIT_BUCKETS + 1) * 8));
  first.n_from = second.n_from = chain.counts;
  assert_int_equal(cu.capture_begin(app.stream, 0), 0);
  assert_int_equal(scan_plan_run_split(split, MOST, &first), SCAN_SUCCESS);
  assert_int_equal(scan_plan_run_histogram(histogram, MOST, &second), SCAN_SUCCESS);
  return cuda_end_capture(app.stream);
}

static void check_split(uint64_t n, scan_mem bins) {
  uint64_t numbers[2 * SPLIT_BUCKETS + 1], place[SPLIT_BUCKETS];
  assert_int_equal(cu.read(app.results, app.out, MOST * sizeof(int32_t), app.stream), 0);
  assert_int_equal(scan_read(app.ctx, bins, numbers, sizeof numbers), SCAN_SUCCESS);
  assert_int_equal(cu.stream_sync(app.stream), 0);
  assert_int_equal(numbers[0], 0);
  assert_int_equal(numbers[SPLIT_BUCKETS], n);
  for (uint32_t b = 0; b < SPLIT_BUCKETS; b++) {
    place[b] = numbers[b];
    assert_int_equal(numbers[b + 1] - numbers[b], numbers[SPLIT_BUCKETS + 1 + b]);
  }
  for (uint64_t i = 0; i < n; i++) {
    const uint32_t bucket = (uint32_t)app.values[i] % SPLIT_BUCKETS;
    assert_int_equal(app.results[place[bucket]++], app.values[i]);
  }
  for (uint32_t b = 0; b < SPLIT_BUCKETS; b++) assert_int_equal(place[b], numbers[b + 1]);
}

static void test_graph_of_a_split(void **state) {
  static const uint64_t counts[] = { MOST, 0, 1, 8193, 2999999 };
  const scan_split_spec split = SCAN_SPLIT_SPEC_INIT(SCAN_I32, 0, 4);
  const scan_histogram_spec histogram = SCAN_HISTOGRAM_SPEC_INIT(SCAN_I32, 0, 4);
  scan_plan *splits = NULL, *histograms = NULL;
  scan_mem bins;
  (void)state;
  assert_int_equal(scan_alloc(app.ctx, sizeof chain.numbers, &chain.counts), SCAN_SUCCESS);
  assert_int_equal(scan_alloc(app.ctx, (2 * SPLIT_BUCKETS + 1) * 8, &bins), SCAN_SUCCESS);
  assert_int_equal(scan_plan_create_split(app.ctx, &split, MOST, &splits), SCAN_SUCCESS);
  assert_int_equal(scan_plan_create_histogram(app.ctx, &histogram, MOST, &histograms), SCAN_SUCCESS);
  graph_exec exec = record_split(splits, histograms, bins);
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    for (uint64_t k = 0; k < MOST; k++) app.values[k] = draw();
    assert_int_equal(cu.write(app.in, app.values, MOST * sizeof(int32_t), app.stream), 0);
    assert_int_equal(scan_write(app.ctx, chain.counts, &counts[i], sizeof counts[i]), SCAN_SUCCESS);
    assert_int_equal(cu.graph_launch(exec, app.stream), 0);
    check_split(counts[i], bins);
  }
  assert_int_equal(scan_sync(app.ctx), SCAN_SUCCESS);
  assert_int_equal(cu.exec_destroy(exec), 0);
  scan_plan_destroy(splits);
  scan_plan_destroy(histograms);
  assert_int_equal(scan_free(app.ctx, bins), SCAN_SUCCESS);
  assert_int_equal(scan_free(app.ctx, chain.counts), SCAN_SUCCESS);
}

int main(void) {
  app.context = cuda_driver_open(0);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_adopted_objects),
    cmocka_unit_test(test_graph_replays),
    cmocka_unit_test(test_graph_replays_of_many_tiles),
    cmocka_unit_test(test_graph_of_a_chain),
    cmocka_unit_test(test_graph_of_compactions),
    cmocka_unit_test(test_graph_of_a_sort),
    cmocka_unit_test(test_graph_of_segments),
    cmocka_unit_test(test_graph_of_a_split),
  };
  return cmocka_run_group_tests_name("cuda_interop", tests, set_up, tear_down);
}
