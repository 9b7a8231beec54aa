/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests run-length encoding and reduction by key: facts of plans, errors at the next wait, maps and emits. */
#include <scanrt/scan_runs.h>

#include "support.h"

#include <string.h>

static struct { scan_mem in, out, count; } memory;

static void said(scan_status status, const char *words) {
  if (status == SCAN_SUCCESS || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static scan_reduce_by_key_args reduce_args(void) {
  return (scan_reduce_by_key_args)SCAN_REDUCE_BY_KEY_ARGS_INIT(memory.in, scan_offset(memory.in, 4096), memory.out,
                                                               scan_offset(memory.out, 4096), memory.count);
}

static void test_facts(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_run_length_spec lengths = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
  const scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  scan_plan *encodes = NULL, *reduces = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  test_ok(ctx, scan_plan_create_run_length(ctx, &lengths, 100, &encodes), "scan_plan_create_run_length");
  test_ok(ctx, scan_plan_create_reduce_by_key(ctx, &sum, 100, &reduces), "scan_plan_create_reduce_by_key");
  test_ok(ctx, scan_plan_info(encodes, &facts), "scan_plan_info");
  /* one launch; or keys with their indices, and lengths; or bits, indices, keys and lengths */
  const int is_pipelined = facts.strategy == SCAN_STRATEGY_PIPELINED;
  const int is_by_threads = facts.strategy == SCAN_STRATEGY_THREADS;
  const uint32_t launches = is_pipelined || is_by_threads ? 1 : facts.strategy == SCAN_STRATEGY_LOOKBACK ? 2 : 4;
  if (facts.launches != launches || facts.tiles != 1 || facts.work != 100)
    test_fail("an encoding has %u launches, %llu tiles", facts.launches, (unsigned long long)facts.tiles);
  test_ok(ctx, scan_plan_info(reduces, &facts), "scan_plan_info");
  /* one pass; or one launch, also of few elements by one work-item; or keys, and tiles and ends of segments; or bits of
   * the runs' starts, a scan, bits of their ends, indices, keys and values */
  const int is_expected = is_by_threads  ? facts.launches == 1
                          : is_pipelined ? facts.launches == 1 && facts.tiles == 1
                                         : (facts.launches == 1 || facts.launches >= 3) && facts.workspace_bytes >= 400;
  if (!is_expected || facts.max_n != 100)
    test_fail("a reduction has %u launches, %llu bytes of workspace", facts.launches,
              (unsigned long long)facts.workspace_bytes);
  scan_plan_destroy(encodes);
  scan_plan_destroy(reduces);
}

/* More elements than the call's n: reported once, at the next wait. */
static void test_n_overflow(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  scan_reduce_by_key_args args = reduce_args();
  const uint64_t n = 101;
  uint32_t keys[200] = { 0 };
  uint64_t count = 0;
  (void)state;
  args.n_from = scan_offset(memory.count, 8);
  test_ok(ctx, scan_write(ctx, args.n_from, &n, sizeof n), "scan_write");
  test_ok(ctx, scan_write(ctx, args.keys, keys, sizeof keys), "scan_write");
  test_ok(ctx, scan_write(ctx, args.values, keys, sizeof keys), "scan_write");
  test_ok(ctx, scan_reduce_by_key(ctx, &sum, 100, &args), "scan_reduce_by_key");
  said(scan_sync(ctx), "had 101 elements");
  test_ok(ctx, scan_read(ctx, memory.count, &count, sizeof count), "scan_read");
  if (count != 1) test_fail("the count is %llu", (unsigned long long)count);
}

/* A plan for narrow keys leaves one for wide keys the local memory that it needs. */
static void test_key_types(void **state) {
  scan_ctx *ctx = test_ctx();
  static const scan_type types[] = { SCAN_U64, SCAN_U8 };
  static const uint64_t keys[100];
  static const int32_t values[100] = { 1, 2, 3 };
  scan_plan *plans[2];
  const scan_reduce_by_key_args args = reduce_args();
  (void)state;
  test_ok(ctx, scan_write(ctx, args.keys, keys, sizeof keys), "scan_write");
  test_ok(ctx, scan_write(ctx, args.values, values, sizeof values), "scan_write");
  for (int p = 0; p < 2; p++) {
    const scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(types[p], SCAN_I32, SCAN_ADD);
    test_ok(ctx, scan_plan_create_reduce_by_key(ctx, &sum, 100, &plans[p]), "scan_plan_create_reduce_by_key");
  }
  for (int p = 0; p < 2; p++) {
    int32_t total = 0;
    test_ok(ctx, scan_plan_run_reduce_by_key(plans[p], 100, &args), "scan_plan_run_reduce_by_key");
    test_ok(ctx, scan_read(ctx, args.values_out, &total, sizeof total), "scan_read");
    if (total != 6) test_fail("plan %d: the sum is %d", p, total);
  }
  scan_plan_destroy(plans[0]);
  scan_plan_destroy(plans[1]);
}

/* An overflow is reported with the index of the value. The results wrap around. */
static void test_overflow(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_U32, SCAN_ADD);
  const uint32_t keys[6] = { 1, 1, 2, 2, 2, 3 };
  const uint32_t values[6] = { 1, 2, UINT32_MAX, 0, 5, 7 };
  const uint32_t want[3] = { 3, 4, 7 };
  uint32_t keys_out[6], values_out[6];
  uint64_t count = 0, index = 0;
  const scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(
      scan_host(keys), scan_host(values), scan_host(keys_out), scan_host(values_out), scan_host(&count));
  (void)state;
  if (test_info()->backend == SCAN_BACKEND_CUDA && test_is_small()) {
    test_skipped("the emulation has no checked sums");
    return;
  }
  sum.flags = SCAN_CHECK_OVERFLOW;
  if (scan_reduce_by_key(ctx, &sum, 6, &args) != SCAN_OVERFLOW) test_fail("no overflow: %s", scan_last_error(ctx));
  test_ok(ctx, scan_overflow_index(ctx, &index), "scan_overflow_index");
  if (index != 4 || count != 3 || memcmp(values_out, want, sizeof want) != 0 || keys_out[1] != 2)
    test_fail("index %llu, count %llu, second result %u", (unsigned long long)index, (unsigned long long)count,
              values_out[1]);
}

/* From 4 bytes to 4 to 8: counts the values of a run above a half, and gives the index of its end. */
SCAN_OP_TEXT(
    above_text,
    typedef struct above_end {
      uint32_t count;
      uint32_t last;
    } above_end;
    static inline uint32_t above_add(uint32_t a, uint32_t b) { return a + b; }

    static inline uint32_t above_map(float x, uint64_t index) { return x > 0.5f && index != 3 ? 1 : 0; }

    static inline above_end above_emit(uint32_t inclusive, uint32_t exclusive, float x, uint64_t index) {
      above_end e;
      (void)exclusive, (void)x;
      e.count = inclusive;
      e.last = (uint32_t)index;
      return e;
    });
SCAN_OP_HOST(above_host, uint32_t, above_add);
SCAN_MAP_HOST(above_map_host, float, uint32_t, above_map);
SCAN_EMIT_HOST(above_emit_host, uint32_t, float, above_end, above_emit);

/* The types of elements, values and results differ. */
static void test_mapped(void **state) {
  enum { N = 5000, RUN = 7 };
  static uint16_t keys[N];
  static float values[N];
  static above_end out[N];
  const uint32_t zero = 0;
  const scan_op_source source = { .struct_bytes = sizeof source,
                                  .text = above_text,
                                  .type = "uint32_t",
                                  .combine = "above_add",
                                  .value_bytes = sizeof(uint32_t),
                                  .value_align = SCAN_OP_ALIGN(uint32_t),
                                  .identity = &zero,
                                  .host = above_host,
                                  .map = "above_map",
                                  .input_type = "float",
                                  .input_bytes = sizeof(float),
                                  .input_align = SCAN_OP_ALIGN(float),
                                  .map_host = above_map_host,
                                  .emit = "above_emit",
                                  .output_type = "above_end",
                                  .output_bytes = sizeof(above_end),
                                  .output_align = SCAN_OP_ALIGN(above_end),
                                  .emit_host = above_emit_host };
  scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U16, SCAN_TYPE_DEFAULT, SCAN_OP_NONE);
  uint64_t count = 0;
  (void)state;
  for (uint32_t i = 0; i < N; i++) keys[i] = (uint16_t)(i / RUN), values[i] = (float)(i * 7919u % 1000u) * 1e-3f;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &source, &spec.custom_op), "scan_op_create");
  const scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(keys), scan_host(values), SCAN_NO_MEM, scan_host(out), scan_host(&count));
  test_ok(test_ctx(), scan_reduce_by_key(test_ctx(), &spec, N, &args), "scan_reduce_by_key");
  if (count != (N + RUN - 1) / RUN) test_fail("the count is %llu", (unsigned long long)count);
  for (uint32_t r = 0, i = 0; r < count; r++) {
    uint32_t above = 0;
    do {
      above += above_map(values[i], i);
      i++;
    } while (i < N && i % RUN != 0);
    if (out[r].count != above || out[r].last != i - 1) test_fail("run %u: %u, %u", r, out[r].count, out[r].last);
  }
  scan_op_destroy(spec.custom_op);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_facts, test_count_setup),     cmocka_unit_test_setup(test_n_overflow, test_count_setup),
    cmocka_unit_test_setup(test_key_types, test_count_setup), cmocka_unit_test_setup(test_overflow, test_count_setup),
    cmocka_unit_test_setup(test_mapped, test_count_setup),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 1 << 16, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &memory.count), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("runs_api", tests, NULL, NULL));
}
