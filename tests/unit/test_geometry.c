/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the geometry of the canonical order, and the bytes of workspace that strategies derive from it. */
#include "base/canonical.h"
#include "base/types.h"
#include "core/plan.h"
#include "support.h"

#include <inttypes.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

/* ---- tiles ---- */

static void check_tiles(uint64_t n, uint64_t type_bytes, uint32_t subtiles, uint64_t tile_items, uint64_t tiles) {
  if (canon_subtiles(n, type_bytes) == subtiles && canon_tile_items(n, type_bytes) == tile_items &&
      canon_tiles(n, type_bytes) == tiles)
    return;
  test_fail("n=%" PRIu64 " of %" PRIu64 " bytes: S=%u, tiles of %" PRIu64 ", %" PRIu64 " tiles", n, type_bytes,
            canon_subtiles(n, type_bytes), canon_tile_items(n, type_bytes), canon_tiles(n, type_bytes));
}

/* kernels_cl/README.md: S is 8 up to 32 KiB, 1 up to 512 KiB, 8 above. */
static void test_tiles_at_the_bounds(void **state) {
  (void)state;
  for (uint64_t bytes = 1; bytes <= 8; bytes *= 2) {
    const uint64_t small = 32 * KIB / bytes, large = 512 * KIB / bytes, items = 4 * KIB / bytes;
    check_tiles(1, bytes, 8, 8 * items, 1);
    check_tiles(items, bytes, 8, 8 * items, 1);
    check_tiles(small - 1, bytes, 8, 8 * items, 1);
    check_tiles(small, bytes, 8, 8 * items, 1);
    check_tiles(small + 1, bytes, 1, items, 9);
    check_tiles(127 * items + 1, bytes, 1, items, 128);
    check_tiles(large - 1, bytes, 1, items, 128);
    check_tiles(large, bytes, 1, items, 128);
    check_tiles(large + 1, bytes, 8, 8 * items, 17);
    check_tiles(large + 8 * items, bytes, 8, 8 * items, 17);
    check_tiles(large + 8 * items + 1, bytes, 8, 8 * items, 18);
    check_tiles((uint64_t)1 << 32, bytes, 8, 8 * items, ((uint64_t)1 << 32) / (8 * items));
    check_tiles(((uint64_t)1 << 40) + 1, bytes, 8, 8 * items, ((uint64_t)1 << 40) / (8 * items) + 1);
  }
}

/* Chooses counts that represent all up to `most`: around every bound, and spread between. */
static size_t sample_counts(uint64_t most, uint64_t bytes, uint64_t counts[512]) {
  const uint64_t bounds[] = { 1, 4 * KIB / bytes, 32 * KIB / bytes, 512 * KIB / bytes, 4 * MIB / bytes, most };
  size_t count = 0;
  for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
    for (uint64_t n = bounds[i] > 2 ? bounds[i] - 2 : 1; n <= bounds[i] + 2; n++)
      if (n <= most) counts[count++] = n;
  for (uint64_t i = 1; i <= 400; i++)
    if (most / 400 * i > 0) counts[count++] = most / 400 * i;
  return count;
}

static void test_capacity_covers_every_count(void **state) {
  (void)state;
  uint64_t counts[512];
  for (uint64_t bytes = 1; bytes <= 8; bytes *= 2) {
    const uint64_t most[] = { 1,
                              32 * KIB / bytes,
                              32 * KIB / bytes + 1,
                              1 * MIB / bytes,
                              4 * MIB / bytes,
                              4 * MIB / bytes + 1,
                              5 * MIB / bytes,
                              64 * MIB / bytes,
                              (uint64_t)1 << 34 };
    for (size_t m = 0; m < sizeof most / sizeof most[0]; m++) {
      const uint64_t capacity = canon_tile_capacity(most[m], bytes);
      const size_t count = sample_counts(most[m], bytes, counts);
      uint64_t reached = 0;
      for (size_t i = 0; i < count; i++) {
        const uint64_t tiles = canon_tiles(counts[i], bytes);
        if (tiles > capacity) test_fail("n=%" PRIu64 " of max %" PRIu64 " has more tiles", counts[i], most[m]);
        if (tiles > reached) reached = tiles;
      }
      assert_int_equal(reached, capacity); /* no larger than needed */
    }
  }
}

/* ---- workspaces ---- */

static scan_problem sum_of(scan_type type) {
  return (scan_problem){ .input_type = type, .type = type, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
}

/* kernels_cl/lib/descriptor.h: 512 bytes of control block, a descriptor for each tile, one for each whole group of 128
 * tiles, and one spare. A descriptor is one 64-bit word, or two for values of 8 bytes. */
static void test_lookback_workspace(void **state) {
  (void)state;
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_problem problem = sum_of((scan_type)type);
    const uint64_t bytes = scan_type_bytes(problem.type), word_bytes = bytes == 8 ? 16 : 8;
    for (uint64_t max_n = 1; max_n < (uint64_t)1 << 36; max_n = max_n * 3 + 1) {
      const uint64_t capacity = canon_tile_capacity(max_n, bytes);
      const uint64_t last_group = 512 + (capacity + capacity / 128) * word_bytes;
      assert_int_equal(scan_strategy_lookback.workspace_bytes(&problem, max_n), last_group + word_bytes);
    }
  }
  assert_int_equal(scan_strategy_lookback.has_control_block, 1);
  assert_int_equal(SCAN_CONTROL_EPOCH_BYTES, 4);
  assert_int_equal(SCAN_CONTROL_ERROR_BYTES, 260);
}

static void test_other_workspaces(void **state) {
  (void)state;
  uint64_t counts[512];
  for (int type = SCAN_I8; type <= SCAN_F64; type++) {
    const scan_problem problem = sum_of((scan_type)type);
    const uint64_t bytes = scan_type_bytes(problem.type), max_n = 5 * MIB / bytes;
    const uint64_t workspace = scan_strategy_reduce_then_scan.workspace_bytes(&problem, max_n);
    const size_t count = sample_counts(max_n, bytes, counts);
    for (size_t i = 0; i < count; i++) assert_true(canon_tiles(counts[i], bytes) * bytes <= workspace);
    assert_int_equal(workspace, 160 * bytes); /* 5 MiB in tiles of 32 KiB */
    assert_int_equal(scan_strategy_groups.workspace_bytes(&problem, max_n), 161 * bytes);
    assert_int_equal(scan_strategy_sequential.workspace_bytes(&problem, max_n), 0);
    assert_int_equal(scan_strategy_block.workspace_bytes(&problem, max_n), 0);
    assert_int_equal(scan_strategy_threads.workspace_bytes(&problem, max_n), 0);
  }
  assert_int_equal(scan_strategy_reduce_then_scan.has_control_block, 0);
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest tests[] = { TEST(test_tiles_at_the_bounds), TEST(test_capacity_covers_every_count),
                                      TEST(test_lookback_workspace), TEST(test_other_workspaces) };
  return test_exit(cmocka_run_group_tests_name("unit.geometry", tests, NULL, NULL));
}
