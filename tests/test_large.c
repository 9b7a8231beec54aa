/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests 2^32 elements and more: look-back out of place, then the automatic choice in place. Slow and large: runs only
 * if SCANRT_TEST_LARGE=1. */
#include "reference.h"
#include "support.h"
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 24 };

enum { GUARD = 64 };

static unsigned char *input, *got, *want;

static uint64_t free_host_bytes(void) { return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE); }

/* 1 if `buffers` buffers of n bytes and half a GiB for all else fit. */
static int is_room(uint64_t n, unsigned buffers) {
  const uint64_t need = buffers * n + (UINT64_C(1) << 29);
  const uint64_t have = test_info()->is_cpu ? free_host_bytes() : test_info()->memory_bytes;
  const uint64_t most = test_info()->max_alloc_bytes;
  if (have >= need && most >= n) return 1;
  test_skipped("%u buffer%s of %" PRIu64 " bytes need %" PRIu64 " MiB on the device (has %" PRIu64
               ") in one allocation (largest %" PRIu64 " MiB), and %d MiB on the host",
               buffers, buffers == 1 ? "" : "s", n, need >> 20, have >> 20, most >> 20, 3 * CHUNK >> 20);
  return 0;
}

static uint64_t chunk_items(uint64_t at, uint64_t n) { return n - at < CHUNK ? n - at : CHUNK; }

/* Fills a chunk with values that depend only on its place. */
static void fill_chunk(scan_type type, uint64_t at, uint64_t items) {
  struct rng rng = { .state = at };
  values_fill(&rng, type, SCAN_ADD, items, items, input);
}

static void write_input(scan_type type, scan_mem memory, uint64_t n) {
  for (uint64_t at = 0; at < n; at += CHUNK) {
    uint64_t items = chunk_items(at, n);
    fill_chunk(type, at, items);
    test_ok(test_ctx(), scan_write(test_ctx(), scan_offset(memory, at), input, items), "scan_write");
  }
}

static void write_guard(scan_mem memory, uint64_t n) {
  unsigned char guard[GUARD];
  memset(guard, 0xA5, sizeof(guard));
  test_ok(test_ctx(), scan_write(test_ctx(), scan_offset(memory, n), guard, sizeof(guard)), "scan_write");
}

static void check_guard(scan_mem memory, uint64_t n) {
  test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(memory, n), got, GUARD), "scan_read");
  for (int i = 0; i < GUARD; i++)
    if (got[i] != 0xA5) test_fail("n=%" PRIu64 ": byte %d after the output was written", n, i);
}

static void check_chunk(const char *what, scan_type type, scan_mem memory, uint64_t at, uint64_t items, uint64_t n) {
  test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(memory, at), got, items), "scan_read");
  const uint64_t bad = reference_mismatch(type, items, got, want);
  if (bad != items) test_fail("%s, n=%" PRIu64 ": first wrong index %" PRIu64, what, n, at + bad);
}

/* Compares chunk by chunk. The total so far is the reference's initial value. */
static void check_outputs(scan_spec spec, scan_mem in_place, const scan_mem *looked_back, uint64_t n) {
  spec.has_init = 1;
  memset(&spec.init, 0, sizeof(spec.init));
  for (uint64_t at = 0; at < n; at += CHUNK) {
    uint64_t items = chunk_items(at, n);
    fill_chunk(spec.type, at, items);
    reference_scan(&spec, items, input, want);
    check_chunk("in place", spec.type, in_place, at, items, n);
    if (looked_back) check_chunk("look-back", spec.type, *looked_back, at, items, n);
    memcpy(&spec.init, &want[items - 1], 1);
  }
}

static int has_strategy(scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I8, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  spec.strategy = strategy;
  const scan_status status = scan_plan_create(test_ctx(), &spec, 1000, &plan);
  scan_plan_destroy(plan);
  if (status != SCAN_UNSUPPORTED) test_ok(test_ctx(), status, "scan_plan_create");
  return status == SCAN_SUCCESS;
}

/* Checks that AUTO chooses the pipelined scan for so many elements, if there is one. */
static void check_choice(const scan_spec *spec, uint64_t n) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_plan_create(test_ctx(), spec, n, &plan), "scan_plan_create");
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  scan_plan_destroy(plan);
  print_message("n=%" PRIu64 ": auto is %s\n", n, scan_strategy_name(facts.strategy));
  if (has_strategy(SCAN_STRATEGY_PIPELINED)) assert_int_equal(facts.strategy, SCAN_STRATEGY_PIPELINED);
}

/* Fills the device memory and scans it to `out`, unless that is NULL, and in place. */
static void run_scans(const scan_spec *spec, uint64_t n, scan_mem memory, const scan_mem *out) {
  scan_spec looked_back = *spec;
  looked_back.strategy = SCAN_STRATEGY_LOOKBACK;
  write_input(spec->type, memory, n);
  write_guard(memory, n);
  if (out) {
    write_guard(*out, n);
    test_ok(test_ctx(), scan_run(test_ctx(), &looked_back, n, memory, *out), "scan_run");
  }
  test_ok(test_ctx(), scan_run(test_ctx(), spec, n, memory, memory), "scan_run");
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
}

static void run_large(scan_type type, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  const int two = has_strategy(SCAN_STRATEGY_LOOKBACK) && is_room(n + GUARD, 2);
  scan_mem memory, out = { 0 };
  check_choice(&spec, n);
  test_ok(test_ctx(), scan_alloc(test_ctx(), n + GUARD, &memory), "scan_alloc");
  if (two) test_ok(test_ctx(), scan_alloc(test_ctx(), n + GUARD, &out), "scan_alloc");
  run_scans(&spec, n, memory, two ? &out : NULL);
  check_outputs(spec, memory, two ? &out : NULL, n);
  check_guard(memory, n);
  if (two) check_guard(out, n);
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), out), "scan_free");
}

static void run_if_room(scan_type type, uint64_t n) {
  if (!is_room(n + GUARD, 1)) skip();
  run_large(type, n);
  test_ran();
}

static void test_one_below_2_to_32(void **state) {
  (void)state;
  run_if_room(SCAN_I8, (UINT64_C(1) << 32) - 1);
}

static void test_2_to_32(void **state) {
  (void)state;
  run_if_room(SCAN_I8, UINT64_C(1) << 32);
}

static void test_one_above_2_to_32(void **state) {
  (void)state;
  run_if_room(SCAN_I8, (UINT64_C(1) << 32) + 1);
}

static void test_2_to_33(void **state) {
  (void)state;
  run_if_room(SCAN_I8, UINT64_C(1) << 33);
}

static int group_setup(void **state) {
  (void)state;
  input = reference_alloc(CHUNK);
  got = reference_alloc(CHUNK);
  want = reference_alloc(CHUNK);
  return 0;
}

static int group_teardown(void **state) {
  (void)state;
  free(input);
  free(got);
  free(want);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_below_2_to_32),
    cmocka_unit_test(test_2_to_32),
    cmocka_unit_test(test_one_above_2_to_32),
    cmocka_unit_test(test_2_to_33),
  };
  const char *wanted = getenv("SCANRT_TEST_LARGE");
  if (!wanted || strcmp(wanted, "1") != 0) test_skip_program("set SCANRT_TEST_LARGE=1 to scan 2^32 elements");
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("large", tests, group_setup, group_teardown));
}
