/* SPDX-License-Identifier: BSD-2-Clause */
/* More elements than 32 bits count, in place. Slow and large: runs only when SCANRT_TEST_LARGE=1. */
#include "reference.h"
#include "support.h"
#include "values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 24 };

static unsigned char *input, *got, *want;

static uint64_t free_host_bytes(void) { return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE); }

/* 1 when n bytes and half a GiB for everything else fit. */
static int is_room(uint64_t n) {
  const uint64_t need = n + (UINT64_C(1) << 29);
  const uint64_t have = test_info()->is_cpu ? free_host_bytes() : test_info()->memory_bytes;
  const uint64_t most = test_info()->max_alloc_bytes;
  if (have >= need && most >= n) return 1;
  test_skipped("n=%" PRIu64 " needs %" PRIu64 " MiB on the device (has %" PRIu64 ") in one allocation (largest %" PRIu64
               " MiB), and %d MiB on the host",
               n, need >> 20, have >> 20, most >> 20, 3 * CHUNK >> 20);
  return 0;
}

static uint64_t chunk_items(uint64_t at, uint64_t n) { return n - at < CHUNK ? n - at : CHUNK; }

/* The same values again for the same chunk. */
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

/* Compares chunk by chunk, the total so far being the reference's initial value. */
static void check_output(scan_spec spec, scan_mem memory, uint64_t n) {
  spec.has_init = 1;
  memset(&spec.init, 0, sizeof(spec.init));
  for (uint64_t at = 0; at < n; at += CHUNK) {
    uint64_t items = chunk_items(at, n);
    fill_chunk(spec.type, at, items);
    reference_scan(&spec, items, input, want);
    test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(memory, at), got, items), "scan_read");
    uint64_t bad = values_first_difference(spec.type, items, got, want);
    if (bad != items) test_fail("n=%" PRIu64 " first wrong index %" PRIu64, n, at + bad);
    memcpy(&spec.init, &want[items - 1], 1);
  }
}

static void run_large(scan_type type, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  unsigned char guard[64];
  scan_mem memory;
  memset(guard, 0xA5, sizeof(guard));
  test_ok(test_ctx(), scan_alloc(test_ctx(), n + sizeof(guard), &memory), "scan_alloc");
  write_input(type, memory, n);
  test_ok(test_ctx(), scan_write(test_ctx(), scan_offset(memory, n), guard, sizeof(guard)), "scan_write");
  test_ok(test_ctx(), scan_run(test_ctx(), &spec, n, memory, memory), "scan_run");
  check_output(spec, memory, n);
  test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(memory, n), got, sizeof(guard)), "scan_read");
  assert_memory_equal(got, guard, sizeof(guard));
  test_ok(test_ctx(), scan_free(test_ctx(), memory), "scan_free");
}

static void run_if_room(scan_type type, uint64_t n) {
  if (!is_room(n + 64)) skip();
  run_large(type, n);
  test_ran();
}

static void test_one_below_2_to_32(void **state) {
  (void)state;
  run_if_room(SCAN_U8, (UINT64_C(1) << 32) - 1);
}

static void test_one_above_2_to_32(void **state) {
  (void)state;
  run_if_room(SCAN_I8, (UINT64_C(1) << 32) + 1);
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
    cmocka_unit_test(test_one_above_2_to_32),
  };
  const char *wanted = getenv("SCANRT_TEST_LARGE");
  if (!wanted || strcmp(wanted, "1") != 0) test_skip_program("set SCANRT_TEST_LARGE=1 to scan 2^32 elements");
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("large", tests, group_setup, group_teardown));
}
