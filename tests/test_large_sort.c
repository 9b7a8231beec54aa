/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests sorts of more than 2^32 keys, and of more keys than onesweep sorts at once (kernels_cl/sort/sort.h). Slow and
 * large: runs only if SCANRT_TEST_LARGE=1. */
#include <scanrt/scan_sort.h>

#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 22, DIGITS = 256 };

static uint32_t *chunk;

/* Skips the test if the bytes do not fit on the device, or one allocation is too large for it. */
static void need_room(uint64_t bytes, uint64_t largest) {
  const uint64_t pages = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t need = bytes + (UINT64_C(1) << 29), have = test_info()->is_cpu ? pages : test_info()->memory_bytes;
  if (have >= need && test_info()->max_alloc_bytes >= largest) return;
  test_skipped("it takes %" PRIu64 " MiB on the device (has %" PRIu64 ") in allocations of up to %" PRIu64 " MiB",
               need >> 20, have >> 20, test_info()->max_alloc_bytes >> 20);
  skip();
}

static scan_mem alloc(uint64_t bytes) {
  scan_mem memory;
  test_ok(test_ctx(), scan_alloc(test_ctx(), bytes, &memory), "scan_alloc");
  return memory;
}

static void free_both(scan_mem a, scan_mem b) {
  test_ok(test_ctx(), scan_free(test_ctx(), a), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), b), "scan_free");
}

static uint32_t key_of(uint64_t i) { return (uint32_t)((i * UINT64_C(0x9e3779b97f4a7c15) ^ i >> 7) >> 32); }

static uint64_t chunk_bytes(uint64_t at, uint64_t bytes) {
  const uint64_t most = CHUNK * sizeof *chunk;
  return bytes - at < most ? bytes - at : most;
}

static void write_some(scan_mem memory, uint64_t at, uint64_t bytes) {
  test_ok(test_ctx(), scan_write(test_ctx(), scan_offset(memory, at), chunk, bytes), "scan_write");
}

static void read_some(scan_mem memory, uint64_t at, uint64_t bytes) {
  test_ok(test_ctx(), scan_read(test_ctx(), scan_offset(memory, at), chunk, bytes), "scan_read");
}

/* Sorts 2^32 + 5 bytes: the output has as many of each value as the input, in ascending order. */
static void test_bytes(void **state) {
  static uint64_t count[DIGITS];
  const uint64_t n = (UINT64_C(1) << 32) + 5;
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U8);
  unsigned char *keys = (unsigned char *)chunk, last = 0;
  (void)state;
  need_room(4 * n, n);
  const scan_mem in = alloc(n), out = alloc(n);
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(in, out);
  for (uint64_t at = 0, bytes; at < n; at += bytes) {
    bytes = chunk_bytes(at, n);
    for (uint64_t i = 0; i < bytes; i++) count[keys[i] = (unsigned char)(key_of(at + i) >> 9)]++;
    write_some(in, at, bytes);
  }
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, n, &args), "scan_sort");
  for (uint64_t at = 0, bytes; at < n; at += bytes) {
    bytes = chunk_bytes(at, n);
    read_some(out, at, bytes);
    for (uint64_t i = 0; i < bytes; i++) {
      if (keys[i] < last) test_fail("byte %" PRIu64 " is %u, behind %u", at + i, keys[i], last);
      last = keys[i];
      count[last]--;
    }
  }
  for (int d = 0; d < DIGITS; d++)
    if (count[d] != 0) test_fail("%" PRId64 " bytes of %d are missing", (int64_t)count[d], d);
  free_both(in, out);
  test_ran();
}

/* Sorts indices of n keys. They must ascend strictly by key and then index, so that each index occurs once. */
static void check_indices(uint64_t n) {
  const scan_sort_spec spec = SCAN_SORT_INDEX_INIT(SCAN_U32, SCAN_U32);
  const uint64_t bytes = n * sizeof *chunk;
  uint64_t last = 0;
  need_room(6 * bytes, bytes);
  const scan_mem in = alloc(bytes), out = alloc(bytes);
  const scan_sort_args args = SCAN_SORT_INDEX_ARGS_INIT(in, out);
  for (uint64_t at = 0, some; at < bytes; at += some) {
    some = chunk_bytes(at, bytes);
    for (uint64_t i = 0; i < some / sizeof *chunk; i++) chunk[i] = key_of(at / sizeof *chunk + i);
    write_some(in, at, some);
  }
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, n, &args), "scan_sort");
  for (uint64_t at = 0, some; at < bytes; at += some) {
    some = chunk_bytes(at, bytes);
    read_some(out, at, some);
    for (uint64_t i = 0; i < some / sizeof *chunk; i++) {
      const uint64_t both = (uint64_t)key_of(chunk[i]) << 32 | chunk[i];
      if (chunk[i] >= n || (at + i > 0 && both <= last))
        test_fail("n = %" PRIu64 ": index %" PRIu64 " is %u", n, at / sizeof *chunk + i, chunk[i]);
      last = both;
    }
  }
  free_both(in, out);
  test_ran();
}

static void test_indices(void **state) {
  (void)state;
  check_indices(100000000);
}

/* Sorts in two parts (kernels_cl/sort/sort.h), of which the second is one tile; in one part of the largest size, by the
 * same plan; in four parts. */
static void test_more_indices(void **state) {
  (void)state;
  check_indices((UINT64_C(1) << 30) + 5);
  check_indices((UINT64_C(1) << 30) - 1);
  check_indices((UINT64_C(3) << 30) + 12345);
}

static int group_setup(void **state) {
  (void)state;
  chunk = malloc(CHUNK * sizeof *chunk);
  return chunk == NULL;
}

static int group_teardown(void **state) {
  (void)state;
  free(chunk);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_bytes), cmocka_unit_test(test_indices),
                                      cmocka_unit_test(test_more_indices) };
  const char *wanted = getenv("SCANRT_TEST_LARGE");
  if (!wanted || strcmp(wanted, "1") != 0) test_skip_program("set SCANRT_TEST_LARGE=1 to sort 2^32 keys");
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("large_sort", tests, group_setup, group_teardown));
}
