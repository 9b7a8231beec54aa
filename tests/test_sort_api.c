/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests sorts: errors at the next wait, host and device memory, scratch memory, a chain of calls, invalid offsets. */
#include <scanrt/scan_opencl.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>

#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { N = 100, PART = 4096, BYTES = 1 << 16, POISON = 0xA5, WILD = 30000, BESIDE = 4096, WILD_BYTES = 1 << 20 };

static struct { scan_mem in, out, count; } memory;
static struct { scan_mem in, out, offsets; } wild; /* larger buffers */

static void said(scan_status status, const char *words) {
  test_refusal(test_ctx(), status, SCAN_INVALID_ARGUMENT, words);
}

static void refused(const scan_sort_spec *spec, uint64_t n, const scan_sort_args *args, const char *words) {
  said(scan_sort(test_ctx(), spec, n, args), words);
}

static scan_mem in_at(uint64_t part) { return scan_offset(memory.in, part * PART); }
static scan_mem out_at(uint64_t part) { return scan_offset(memory.out, part * PART); }

static scan_sort_args keys_args(void) { return (scan_sort_args)SCAN_SORT_ARGS_INIT(in_at(0), out_at(0)); }
static scan_sort_args pairs_args(void) {
  return (scan_sort_args)SCAN_SORT_PAIRS_ARGS_INIT(in_at(0), out_at(0), in_at(1), out_at(1));
}

/* ---- refusals ---- */

/* Events are refused on other backends than OpenCL; there, an empty list is accepted. */
static void test_events(void **state) {
  const scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_sort_args args = keys_args();
  (void)state;
  args.opencl = &events;
  if (test_info()->backend == SCAN_BACKEND_OPENCL)
    test_ok(test_ctx(), scan_sort(test_ctx(), &spec, N, &args), "scan_sort");
  else
    refused(&spec, N, &args, "not on OpenCL");
}

/* ---- plans ---- */

static void test_facts(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  test_ok(ctx, scan_plan_create_sort(ctx, &spec, 50000, &plan), "scan_plan_create_sort");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.work != 50000 || facts.max_n != 50000 || facts.launches == 0)
    test_fail("work %llu, max_n %llu, %u launches", (unsigned long long)facts.work, (unsigned long long)facts.max_n,
              facts.launches);
  scan_plan_destroy(plan);
}

/* ---- runs ---- */

/* Keys and elements in host or device memory: each bit of `on_host` chooses for one memory. */
static void test_mixed_memory(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_I32, 4);
  int32_t in[2][N], out[2][N];
  (void)state;
  for (int32_t i = 0; i < N; i++) in[0][i] = 50 - i * 37 % N, in[1][i] = i;
  for (uint32_t on_host = 0; on_host < 16; on_host++) {
    scan_sort_args args = pairs_args();
    memset(out, POISON, sizeof out);
    for (uint32_t part = 0; part < 2; part++)
      test_ok(ctx, scan_write(ctx, in_at(part), in[part], sizeof in[part]), "scan_write");
    if (on_host & 1) args.keys_in = scan_host(in[0]);
    if (on_host & 2) args.in[0] = scan_host(in[1]);
    if (on_host & 4) args.keys_out = scan_host(out[0]);
    if (on_host & 8) args.out[0] = scan_host(out[1]);
    test_ok(ctx, scan_sort(ctx, &spec, N, &args), "scan_sort");
    for (uint32_t part = 0; part < 2; part++)
      if ((on_host & 4u << part) == 0)
        test_ok(ctx, scan_read(ctx, out_at(part), out[part], sizeof out[part]), "scan_read");
    for (int32_t i = 0; i < N; i++)
      if (out[0][i] != i - N / 2 + 1 || in[0][out[1][i]] != out[0][i])
        test_fail("on the host %x: element %d is %d of %d", on_host, i, out[0][i], out[1][i]);
  }
}

/* scan_sort_spec_init and scan_sort_args_init give the same structs as the macros. */
static void test_init(void **state) {
  const uint8_t keys[5] = { 9, 200, 0, 9, 1 };
  uint8_t sorted[5] = { 0 };
  const uint8_t want[5] = { 0, 1, 9, 9, 200 };
  scan_sort_spec spec;
  scan_sort_args args;
  (void)state;
  memset(&spec, POISON, sizeof spec);
  memset(&args, POISON, sizeof args);
  scan_sort_spec_init(&spec, sizeof spec);
  scan_sort_args_init(&args, sizeof args);
  spec.key_type = SCAN_U8;
  args.keys_in = scan_host(keys);
  args.keys_out = scan_host(sorted);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, 0, &args), "scan_sort of nothing");
  if (sorted[4] != 0) test_fail("a sort of nothing wrote");
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, 5, &args), "scan_sort");
  if (memcmp(sorted, want, sizeof want) != 0) test_fail("the keys are not sorted");
}

static void write_descending(scan_mem to, uint32_t n) {
  uint32_t keys[2 * N];
  for (uint32_t i = 0; i < n; i++) keys[i] = n - i;
  test_ok(test_ctx(), scan_write(test_ctx(), to, keys, n * sizeof keys[0]), "scan_write");
}

static void poison_out(uint32_t words[2 * N]) {
  memset(words, POISON, 2 * N * sizeof words[0]);
  test_ok(test_ctx(), scan_write(test_ctx(), out_at(0), words, 2 * N * sizeof words[0]), "scan_write");
}

/* Checks that the n overflow is reported once, the call's n keys are sorted, and nothing past them has changed. */
static void check_n_overflow(scan_status reported) {
  uint32_t out[2 * N], poison = 0;
  said(reported, "had 101 elements");
  test_ok(test_ctx(), scan_sync(test_ctx()), "what was told is not told again");
  test_ok(test_ctx(), scan_read(test_ctx(), out_at(0), out, sizeof out), "scan_read");
  memset(&poison, POISON, sizeof poison);
  for (uint32_t i = 0; i < 2 * N; i++)
    if (out[i] != (i < N ? N + 1 + i : poison)) test_fail("key %u is %u", i, out[i]);
}

/* More keys than the call's n: reported once, at the next wait, also if the plan has been destroyed. */
static void test_n_overflow(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const uint64_t n = N + 1;
  uint32_t words[2 * N];
  scan_sort_args args = keys_args();
  (void)state;
  args.n_from = memory.count;
  test_ok(ctx, scan_write(ctx, args.n_from, &n, sizeof n), "scan_write");
  write_descending(args.keys_in, 2 * N);
  for (int is_destroyed = 0; is_destroyed < 2; is_destroyed++) {
    scan_plan *plan = NULL;
    test_ok(ctx, scan_plan_create_sort(ctx, &spec, 2 * N, &plan), "scan_plan_create_sort");
    poison_out(words);
    test_ok(ctx, scan_plan_run_sort(plan, N, &args), "scan_plan_run_sort");
    if (is_destroyed) scan_plan_destroy(plan);
    check_n_overflow(scan_sync(ctx));
    if (!is_destroyed) scan_plan_destroy(plan);
  }
  poison_out(words);
  test_ok(ctx, scan_sort(ctx, &spec, N, &args), "scan_sort");
  check_n_overflow(scan_read(ctx, out_at(0), words, sizeof words));
}

/* A compaction's count is the n of an in-place sort, without a wait in between. */
static void test_chain(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U32);
  const scan_select_args kept = SCAN_SELECT_ARGS_INIT(in_at(1), in_at(0), out_at(0), memory.count);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(out_at(0), out_at(0));
  scan_plan *selects = NULL, *sorts = NULL;
  uint8_t flags[2 * N];
  uint32_t out[2 * N], poison = 0;
  (void)state;
  memset(&poison, POISON, sizeof poison);
  sort.in_place = 1;
  args.n_from = memory.count;
  write_descending(in_at(0), 2 * N);
  test_ok(ctx, scan_plan_create_select(ctx, &select, 2 * N, &selects), "scan_plan_create_select");
  test_ok(ctx, scan_plan_create_sort(ctx, &sort, 2 * N, &sorts), "scan_plan_create_sort");
  for (uint32_t every = 1; every < 300; every = 3 * every + 1) {
    const uint32_t count = every > 2 * N ? 0 : (2 * N - 1) / every + 1;
    for (uint32_t i = 0; i < 2 * N; i++) flags[i] = count > 0 && i % every == 0;
    test_ok(ctx, scan_write(ctx, in_at(1), flags, sizeof flags), "scan_write");
    poison_out(out);
    test_ok(ctx, scan_plan_run_select(selects, 2 * N, &kept), "scan_plan_run_select");
    test_ok(ctx, scan_plan_run_sort(sorts, 2 * N, &args), "scan_plan_run_sort");
    test_ok(ctx, scan_read(ctx, out_at(0), out, sizeof out), "scan_read");
    for (uint32_t i = 0; i < 2 * N; i++)
      if (out[i] != (i < count ? 2 * N - (count - 1 - i) * every : poison))
        test_fail("every %u: key %u of %u is %u", every, i, count, out[i]);
  }
  scan_plan_destroy(selects);
  scan_plan_destroy(sorts);
}

/* The number of bytes from scan_sort_scratch_bytes suffices; 256 fewer do not. */
static void test_scratch(void **state) {
  scan_sort_args args = keys_args();
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U64);
  uint64_t bytes = 0;
  (void)state;
  spec.gives_scratch = 1;
  test_ok(test_ctx(), scan_sort_scratch_bytes(test_ctx(), &spec, N, &bytes), "scan_sort_scratch_bytes");
  args.scratch = scan_offset(memory.out, (BYTES - bytes) / 256 * 256 + 256);
  refused(&spec, N, &args, "args->scratch is too small");
  args.scratch = scan_offset(memory.out, (BYTES - bytes) / 256 * 256);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, N, &args), "scan_sort");
  said(scan_sort_scratch_bytes(test_ctx(), &spec, N, NULL), "bytes is NULL");
  said(scan_sort_scratch_bytes(test_ctx(), NULL, N, &bytes), "spec is NULL");
}

/* ---- invalid offsets ---- */

/* Reads the output and the bytes around it. */
static void read_wild(unsigned char *got, uint64_t bytes) {
  test_ok(test_ctx(), scan_read(test_ctx(), wild.out, got, bytes + 2 * BESIDE), "scan_read");
}

/* Offsets that descend, lie past the keys, or break the promised segment length: the output is unspecified, but no
 * bytes around it are written. */
static void check_wild(struct rng *rng, const scan_sort_spec *of, int round) {
  static uint32_t offsets[2001];
  static unsigned char got[WILD * 12 + 2 * BESIDE];
  const uint64_t bytes = WILD * (of->arrays ? (uint64_t)of->element_bytes[0] : scan_type_bytes(of->key_type));
  scan_sort_spec spec = *of;
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = wild.in };
  args.segments = 1 + rng_below(rng, 2000);
  for (uint64_t i = 0; i <= args.segments; i++)
    offsets[i] = (uint32_t)rng_below(rng, round % 3 == 0 ? UINT32_MAX : WILD + 100);
  spec.offset_type = SCAN_U32;
  spec.most_segment_items = round % 5 == 4 ? 10 : 0; /* offsets break this promise */
  spec.drops_keys = spec.arrays;
  memset(got, POISON, sizeof got);
  test_ok(test_ctx(), scan_write(test_ctx(), wild.out, got, bytes + 2 * BESIDE), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), wild.offsets, offsets, sizeof offsets), "scan_write");
  args.offsets = wild.offsets;
  if (spec.arrays) args.in[0] = scan_offset(wild.in, WILD_BYTES / 2), args.out[0] = scan_offset(wild.out, BESIDE);
  if (!spec.arrays) args.keys_out = scan_offset(wild.out, BESIDE);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, WILD, &args), "scan_sort");
  read_wild(got, bytes);
  for (uint64_t i = 0; i < BESIDE; i++)
    if (got[i] != POISON || got[BESIDE + bytes + i] != POISON) test_fail("round %d: a byte beside is wrong", round);
  test_ran();
}

static void test_wild_offsets(void **state) {
  const scan_sort_spec specs[] = { SCAN_SORT_SPEC_INIT(SCAN_U32), SCAN_SORT_PAIRS_INIT(SCAN_U32, 4),
                                   SCAN_SORT_PAIRS_INIT(SCAN_U16, 12), SCAN_SORT_SPEC_INIT(SCAN_U8) };
  struct rng rng = { 0x77 };
  unsigned char *keys = malloc(WILD_BYTES);
  (void)state;
  for (uint64_t i = 0; i < WILD_BYTES; i++) keys[i] = (unsigned char)rng_next(&rng);
  test_ok(test_ctx(), scan_write(test_ctx(), wild.in, keys, WILD_BYTES), "scan_write");
  free(keys);
  for (int round = 0; round < (test_is_small() ? 8 : 40); round++) check_wild(&rng, &specs[round % 4], round);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_events, test_count_setup),       cmocka_unit_test_setup(test_facts, test_count_setup),
    cmocka_unit_test_setup(test_mixed_memory, test_count_setup), cmocka_unit_test_setup(test_init, test_count_setup),
    cmocka_unit_test_setup(test_n_overflow, test_count_setup),   cmocka_unit_test_setup(test_chain, test_count_setup),
    cmocka_unit_test_setup(test_scratch, test_count_setup),      cmocka_unit_test(test_wild_offsets),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, BYTES, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &memory.count), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, WILD_BYTES, &wild.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, WILD_BYTES, &wild.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, WILD_BYTES, &wild.offsets), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("sort_api", tests, NULL, NULL));
}
