/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests compaction and runs of more than 2^32 bytes: kept elements, indices, lengths and starts past 2^32. Slow and
 * large: runs only if SCANRT_TEST_LARGE=1. */
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>

#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 24, DROPPED = 3, MOST_RUNS = 8192 };

/* n: elements; run_items: elements of a run. */
static const uint64_t n = (UINT64_C(1) << 32) + 5, run_items = 1000003;

static unsigned char *chunk;

static uint64_t free_host_bytes(void) { return (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE); }

/* Skips the test if this number of buffers of n bytes, and a bit for each element, do not fit. */
static void need_room(unsigned buffers) {
  const uint64_t need = buffers * n + n / 4 + (UINT64_C(1) << 29);
  const uint64_t have = test_info()->is_cpu ? free_host_bytes() : test_info()->memory_bytes;
  if (have >= need && test_info()->max_alloc_bytes >= n) return;
  test_skipped("%u buffers of %" PRIu64 " bytes need %" PRIu64 " MiB on the device (has %" PRIu64
               ") in allocations of up to %" PRIu64 " MiB",
               buffers, n, need >> 20, have >> 20, test_info()->max_alloc_bytes >> 20);
  skip();
}

static scan_mem alloc(uint64_t bytes) {
  scan_mem memory;
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &memory), "scan_alloc");
  return memory;
}

static void free_all(const scan_mem *memories, int count) {
  for (int i = 0; i < count; i++) test_ok(test_ctx(), scan_free(test_ctx(), memories[i]), "scan_free");
}

static unsigned char key_of(uint64_t i) { return (unsigned char)(i / run_items); }

static uint64_t chunk_items(uint64_t at, uint64_t items) { return items - at < CHUNK ? items - at : CHUNK; }

static void write_keys(scan_mem keys) {
  for (uint64_t at = 0; at < n; at += CHUNK) {
    const uint64_t items = chunk_items(at, n);
    for (uint64_t i = 0; i < items; i++) chunk[i] = key_of(at + i);
    test_ok(test_ctx(), scan_write(test_ctx(), scan_offset(keys, at), chunk, items), "scan_write");
  }
}

static void read_some(scan_mem memory, void *to, uint64_t bytes) {
  test_ok(test_ctx(), scan_read(test_ctx(), memory, to, bytes), "scan_read");
}

static void check_count(scan_mem count, uint64_t want) {
  uint64_t got;
  read_some(count, &got, sizeof got);
  if (got != want) test_fail("the count is %" PRIu64 ", not %" PRIu64, got, want);
}

/* Sets all bits but the first DROPPED ones. */
static void write_bits(scan_mem bits) {
  const uint64_t bytes = (n + 31) / 32 * 4;
  for (uint64_t at = 0; at < bytes; at += CHUNK) {
    const uint64_t some = chunk_items(at, bytes);
    memset(chunk, 0xff, some);
    if (at == 0) chunk[0] = (unsigned char)(0xff << DROPPED);
    test_ok(test_ctx(), scan_write(test_ctx(), scan_offset(bits, at), chunk, some), "scan_write");
  }
}

static void check_moved(scan_mem out) {
  for (uint64_t at = 0; at < n - DROPPED; at += CHUNK) {
    const uint64_t items = chunk_items(at, n - DROPPED);
    read_some(scan_offset(out, at), chunk, items);
    for (uint64_t i = 0; i < items; i++)
      if (chunk[i] != key_of(at + i + DROPPED)) test_fail("element %" PRIu64 " is wrong", at + i);
  }
}

static void test_moved(void **state) {
  (void)state;
  need_room(2);
  const scan_mem memory[] = { alloc(n), alloc(n), alloc((n + 31) / 32 * 4), alloc(sizeof(uint64_t)) };
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_BITS, 1);
  const scan_select_args args = SCAN_SELECT_ARGS_INIT(memory[2], memory[0], memory[1], memory[3]);
  write_keys(memory[0]);
  write_bits(memory[2]);
  test_ok(test_ctx(), scan_select(test_ctx(), &spec, n, &args), "scan_select");
  check_count(memory[3], n - DROPPED);
  check_moved(memory[1]);
  free_all(memory, 4);
  test_ran();
}

/* Checks the start of each run, and its length unless `lengths` is NULL. */
static void check_runs(const uint64_t *starts, const uint64_t *lengths, uint64_t runs) {
  for (uint64_t r = 0; r < runs; r++) {
    const uint64_t start = r * run_items, end = r + 1 < runs ? start + run_items : n;
    if (starts[r] != start) test_fail("run %" PRIu64 " begins with %" PRIu64 ", not %" PRIu64, r, starts[r], start);
    if (lengths != NULL && lengths[r] != end - start)
      test_fail("run %" PRIu64 " has %" PRIu64 " keys, not %" PRIu64, r, lengths[r], end - start);
  }
}

static void test_indices(void **state) {
  static uint64_t got[MOST_RUNS];
  const uint64_t runs = (n - 1) / run_items + 1;
  (void)state;
  need_room(1);
  const scan_mem memory[] = { alloc(n), alloc(sizeof got), alloc(sizeof(uint64_t)) }, none = SCAN_NO_MEM;
  scan_select_spec spec = SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FIRST, SCAN_U64);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(memory[0], none, memory[1], memory[2]);
  spec.key_type = SCAN_U8;
  args.capacity = MOST_RUNS;
  write_keys(memory[0]);
  test_ok(test_ctx(), scan_select(test_ctx(), &spec, n, &args), "scan_select");
  check_count(memory[2], runs);
  read_some(memory[1], got, runs * sizeof *got);
  check_runs(got, NULL, runs);
  free_all(memory, 3);
  test_ran();
}

static void test_encoded(void **state) {
  static uint64_t starts[MOST_RUNS], lengths[MOST_RUNS];
  const uint64_t runs = (n - 1) / run_items + 1;
  (void)state;
  need_room(1);
  const scan_mem memory[] = { alloc(n), alloc(MOST_RUNS), alloc(sizeof starts), alloc(sizeof lengths),
                              alloc(sizeof(uint64_t)) };
  scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U8, SCAN_U64);
  scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(memory[0], memory[1], memory[3], memory[4]);
  spec.start_type = SCAN_U64;
  args.starts = memory[2];
  args.capacity = MOST_RUNS;
  write_keys(memory[0]);
  test_ok(test_ctx(), scan_run_length_encode(test_ctx(), &spec, n, &args), "scan_run_length_encode");
  check_count(memory[4], runs);
  read_some(memory[2], starts, runs * sizeof *starts);
  read_some(memory[3], lengths, runs * sizeof *lengths);
  check_runs(starts, lengths, runs);
  free_all(memory, 5);
  test_ran();
}

/* Sums of bytes, modulo 256. */
static void test_reduced(void **state) {
  static unsigned char got[MOST_RUNS];
  const uint64_t runs = (n - 1) / run_items + 1;
  (void)state;
  need_room(2); /* the workspace holds the values of all elements */
  const scan_mem memory[] = { alloc(n), alloc(MOST_RUNS), alloc(MOST_RUNS), alloc(sizeof(uint64_t)) };
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U8, SCAN_U8, SCAN_ADD);
  scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(memory[0], memory[0], memory[1], memory[2], memory[3]);
  scan_plan *plan = NULL;
  args.capacity = MOST_RUNS;
  write_keys(memory[0]);
  test_ok(test_ctx(), scan_plan_create_reduce_by_key(test_ctx(), &spec, n, &plan), "scan_plan_create_reduce_by_key");
  test_ok(test_ctx(), scan_plan_run_reduce_by_key(plan, n, &args), "scan_plan_run_reduce_by_key");
  check_count(memory[3], runs);
  read_some(memory[2], got, runs);
  for (uint64_t r = 0; r < runs; r++) {
    const uint64_t items = r + 1 < runs ? run_items : n - r * run_items;
    if (got[r] != (unsigned char)(items * key_of(r * run_items))) test_fail("the sum of run %" PRIu64 " is wrong", r);
  }
  scan_plan_destroy(plan);
  free_all(memory, 4);
  test_ran();
}

static int group_setup(void **state) {
  (void)state;
  chunk = malloc(CHUNK);
  return chunk == NULL;
}

static int group_teardown(void **state) {
  (void)state;
  free(chunk);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_moved),
    cmocka_unit_test(test_indices),
    cmocka_unit_test(test_encoded),
    cmocka_unit_test(test_reduced),
  };
  const char *wanted = getenv("SCANRT_TEST_LARGE");
  if (!wanted || strcmp(wanted, "1") != 0) test_skip_program("set SCANRT_TEST_LARGE=1 to compact 2^32 elements");
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("large_select", tests, group_setup, group_teardown));
}
