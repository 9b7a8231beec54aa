/* SPDX-License-Identifier: BSD-2-Clause */
#include "sort_cells.h"

#include <string.h>

enum { TILE = SORT_TILE };

const uint32_t sort_cells_mixed[SCAN_SORT_MOST_ARRAYS] = { 4, 12, 1, 8, 2, 16, 3, 64 };

int sort_cells_are_thorough(void) { return test_compiles_quickly() && !test_is_small(); }

sort_cell sort_cells_arrays(sort_cell c, uint32_t arrays, const uint32_t *bytes) {
  c.spec.arrays = arrays;
  memcpy(c.spec.element_bytes, bytes, arrays * sizeof *bytes);
  return c;
}

void sort_cells_few(sort_cell c, uint64_t n, sort_shapes shapes) {
  for (uint32_t descending = 0; descending < (sort_cells_are_thorough() ? 2 : 1); descending++) {
    c.spec.descending = descending;
    scan_plan *plan = sort_bench_plan(&c, n + (uint64_t)shapes.count);
    for (int s = 0; s < shapes.count && plan != NULL; s++) {
      c.shape = shapes.of[s];
      c.n = n + (uint64_t)s;
      c.shift = (uint32_t)s;
      sort_bench_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

void sort_cells_sizes(sort_cell c, sort_sizes edges, sort_shapes shapes) {
  scan_plan *plan = sort_bench_plan(&c, 1 << 17);
  const uint64_t step = test_is_small() ? 43 : test_info()->loop_limit ? 7 : 1;
  for (c.n = 0; c.n <= 260 && plan != NULL; c.n += step) {
    c.shape = (sort_shape)(c.n % SORT_SHAPES);
    sort_bench_check(&c, plan);
    c.shape = SORT_RANDOM;
    sort_bench_check(&c, plan);
  }
  for (int e = 0; e < edges.count && plan != NULL; e += test_is_small() ? 2 : 1)
    for (int s = 0; s < shapes.count; s++) {
      if (test_is_small() && (edges.of[e] > 2 * TILE || s > 1)) continue;
      c.n = edges.of[e];
      c.shape = shapes.of[s];
      c.shift = (uint32_t)s;
      sort_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

void sort_cells_many(sort_cell c, uint64_t n, sort_shapes shapes, int is_shifted) {
  if (test_is_small() || test_info()->loop_limit) {
    test_skipped("%llu keys: the device is slow", (unsigned long long)n);
    return;
  }
  scan_plan *plan = sort_bench_plan(&c, n);
  for (int s = 0; s < shapes.count && plan != NULL; s++) {
    c.n = n - (uint64_t)s % 3;
    c.shape = shapes.of[s];
    c.digit = 1;
    c.shift = is_shifted ? (uint32_t)s : 0;
    sort_bench_check(&c, plan);
  }
  scan_plan_destroy(plan);
}

void sort_cells_all_shapes(sort_cell c) {
  for (uint32_t descending = 0; descending < 2; descending++) {
    c.spec.descending = descending;
    scan_plan *plan = sort_bench_plan(&c, 80000);
    for (int shape = SORT_RANDOM; shape < SORT_SHAPES && plan != NULL; shape++) {
      c.shape = (sort_shape)shape;
      c.n = 3000 + (uint64_t)shape;
      sort_bench_check(&c, plan);
      c.n = test_is_small() ? 257 : 70001;
      sort_bench_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

void sort_cells_bits(sort_cell c, uint64_t n) {
  c.spec.descending = (c.spec.first_bit + c.spec.end_bit) % 2;
  scan_plan *plan = sort_bench_plan(&c, n);
  c.n = n;
  if (plan != NULL) sort_bench_check(&c, plan);
  c.spec.descending ^= 1;
  c.how = BY_CALL;
  c.n = n / 2;
  if (plan != NULL && sort_cells_are_thorough()) sort_bench_check(&c, NULL);
  scan_plan_destroy(plan);
}

void sort_cells_in_place(sort_cell c, uint32_t in_place, sort_shape other) {
  static const uint64_t sizes[] = { 0, 1, 2, 255, TILE, 2 * TILE + 13, 70001 };
  const int sizes_taken = test_is_small() ? 5 : 7;
  c.spec.in_place = 1;
  scan_plan *plan = sort_bench_plan(&c, 70001);
  for (int i = 0; i < sizes_taken && plan != NULL; i++)
    for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++) {
      c.n = sizes[i];
      c.shape = i % 2 ? SORT_RANDOM : other;
      c.in_place = in_place;
      c.shift = (uint32_t)i;
      sort_bench_check(&c, plan);
      if (i > 3) continue;
      c.in_place = 0; /* which it may be, but need not */
      sort_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

void sort_cells_calls(const sort_cell *cells, int count) {
  static const uint64_t sizes[] = { 1, 70000, 5, 0, 140000, 33 };
  for (int how = BY_CALL; how < SORT_WAYS; how++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      if (test_is_small() && sizes[i] > 1000) continue;
      for (int k = 0; k < count; k++) {
        sort_cell c = cells[k];
        c.how = how;
        c.n = sizes[i];
        sort_bench_check(&c, NULL);
      }
    }
}

void sort_cells_shifts(sort_cell c) {
  scan_plan *plan = sort_bench_plan(&c, TILE + 77);
  for (c.shift = 0; c.shift < 16 && plan != NULL; c.shift += test_is_small() ? 5 : 1) {
    c.n = TILE + 77 - c.shift;
    sort_bench_check(&c, plan);
  }
  scan_plan_destroy(plan);
}

void sort_cells_n_from(sort_cell c, sort_shape other) {
  static const uint64_t items[] = { 0,         1, 31, 255, TILE, TILE + 1, 2 * TILE + 9, 2 * TILE + 10, 2 * TILE + 11,
                                    UINT64_MAX };
  c.n = 2 * TILE + 10;
  c.has_n_from = 1;
  scan_plan *plan = sort_bench_plan(&c, c.n + 1000);
  for (c.how = BY_PLAN; c.how <= ON_HOST && plan != NULL; c.how++)
    for (int i = 0; i < 10; i++) {
      c.shape = i % 2 ? SORT_RANDOM : other;
      c.n_from = items[i];
      sort_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
  c.spec.flags = SCAN_N_FROM_CLAMP;
  c.n_from = c.n + 1;
  plan = sort_bench_plan(&c, c.n);
  for (c.how = BY_PLAN; c.how <= ON_HOST && plan != NULL; c.how++) sort_bench_check(&c, plan);
  scan_plan_destroy(plan);
}
