/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits and histograms against a plain merge sort: keys of every type and of many shapes, all ranges of bits, arrays
 * of elements of 1 to 64 bytes, indices, in place, n from the device; by plans, by the call and over host memory. */
#include "sort_bench.h"

#include <string.h>

#include "reference.h"

enum { TILE = 4096, MANY = 1000003, MOST_N = 2200003, MOST_BYTES = 24 << 20 };

static const uint64_t edges[] = { 2815, 2816, 2817, TILE - 1, TILE, TILE + 1, 3 * TILE + 33, 65535, 65536, 65537 };
enum { EDGES = sizeof edges / sizeof edges[0] };

static const sort_shape few_shapes[] = { SORT_RANDOM, SORT_FEW, SORT_EQUAL, SORT_SORTED };
enum { FEW_SHAPES = sizeof few_shapes / sizeof few_shapes[0] };

/* Processors that compile kernels, and simulators, take fewer cells of what takes a plan each. */
static int is_thorough(void) { return test_compiles_quickly() && !test_is_small(); }

static sort_cell keys_of(scan_type type, uint32_t first_bit, uint32_t end_bit) {
  sort_cell c = { .spec = SCAN_SORT_SPEC_INIT(type), .call = CALL_SPLIT };
  c.spec.first_bit = first_bit;
  c.spec.end_bit = end_bit;
  return c;
}

static sort_cell pairs_of(scan_type type, uint32_t bytes, uint32_t first_bit, uint32_t end_bit) {
  sort_cell c = keys_of(type, first_bit, end_bit);
  c.spec.arrays = 1;
  c.spec.element_bytes[0] = bytes;
  return c;
}

static sort_cell indices_of(scan_type type, scan_type index_type, uint32_t first_bit, uint32_t end_bit) {
  sort_cell c = keys_of(type, first_bit, end_bit);
  c.spec.index_type = index_type;
  c.spec.drops_keys = 1;
  return c;
}

static sort_cell counts_of(scan_type type, uint32_t first_bit, uint32_t end_bit) {
  sort_cell c = keys_of(type, first_bit, end_bit);
  c.call = CALL_HISTOGRAM;
  c.spec.drops_keys = 1;
  return c;
}

/* So many arrays, of the sizes by turns. */
static sort_cell arrays_of(scan_type type, uint32_t arrays, const uint32_t *bytes, uint32_t end_bit) {
  sort_cell c = keys_of(type, 0, end_bit);
  c.spec.arrays = arrays;
  memcpy(c.spec.element_bytes, bytes, arrays * sizeof *bytes);
  return c;
}

/* A few shapes of about n keys by a plan of their own, from either end. */
static void check_few(sort_cell c, uint64_t n) {
  for (uint32_t descending = 0; descending < (is_thorough() ? 2 : 1); descending++) {
    c.spec.descending = descending;
    scan_plan *plan = sort_bench_plan(&c, n + FEW_SHAPES);
    for (uint32_t s = 0; s < FEW_SHAPES && plan != NULL; s++) {
      c.shape = few_shapes[s];
      c.n = n + s;
      c.shift = s;
      sort_bench_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

/* ---- sizes ---- */

/* Every n up to 260, and around tiles, by one plan. */
static void check_sizes(sort_cell c) {
  scan_plan *plan = sort_bench_plan(&c, 1 << 17);
  const uint64_t step = test_is_small() ? 43 : test_info()->loop_limit ? 7 : 1;
  for (c.n = 0; c.n <= 260 && plan != NULL; c.n += step) {
    c.shape = (sort_shape)(c.n % SORT_SHAPES);
    sort_bench_check(&c, plan);
    c.shape = SORT_RANDOM;
    sort_bench_check(&c, plan);
  }
  for (int e = 0; e < EDGES && plan != NULL; e += test_is_small() ? 2 : 1)
    for (uint32_t s = 0; s < FEW_SHAPES; s++) {
      if (test_is_small() && (edges[e] > 2 * TILE || s > 1)) continue;
      c.n = edges[e];
      c.shape = few_shapes[s];
      c.shift = s;
      sort_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void test_sizes(void **state) {
  sort_cell c = pairs_of(SCAN_U64, 8, 56, 64);
  (void)state;
  check_sizes(keys_of(SCAN_U32, 24, 32));
  check_sizes(pairs_of(SCAN_U32, 4, 0, 3));
  check_sizes(indices_of(SCAN_F32, SCAN_U32, 23, 31));
  c.spec.descending = 1;
  check_sizes(c);
}

static void test_histogram_sizes(void **state) {
  sort_cell c = counts_of(SCAN_I16, 0, 16);
  (void)state;
  check_sizes(counts_of(SCAN_U32, 24, 32));
  check_sizes(counts_of(SCAN_U64, 3, 64));
  c.spec.descending = 1;
  check_sizes(c);
}

static void check_many(sort_cell c, uint64_t n) {
  static const sort_shape shapes[] = { SORT_RANDOM, SORT_FEW, SORT_PIPES, SORT_ONE, SORT_DIGIT, SORT_EQUAL };
  if (test_is_small() || test_info()->loop_limit) {
    test_skipped("%llu keys: the device is slow", (unsigned long long)n);
    return;
  }
  scan_plan *plan = sort_bench_plan(&c, n);
  for (uint32_t s = 0; s < sizeof shapes / sizeof shapes[0] && plan != NULL; s++) {
    c.n = n - s % 3;
    c.shape = shapes[s];
    c.digit = 1;
    c.shift = s;
    sort_bench_check(&c, plan);
  }
  scan_plan_destroy(plan);
}

static void test_many(void **state) {
  (void)state;
  check_many(keys_of(SCAN_U32, 8, 16), MANY);
  check_many(keys_of(SCAN_U32, 0, 8), MOST_N); /* this and the next four are over 8 MiB: by lines on the host */
  check_many(keys_of(SCAN_F64, 52, 60), MOST_N / 2);
  check_many(indices_of(SCAN_I8, SCAN_U64, 0, 0), MANY);
  check_many(pairs_of(SCAN_I16, 8, 8, 16), 900001);
  check_many(pairs_of(SCAN_U64, 4, 8, 16), 900001);
  check_many(pairs_of(SCAN_U32, 4, 24, 32), 300007);
  check_many(pairs_of(SCAN_U32, 12, 5, 9), 300007);
  check_many(counts_of(SCAN_U32, 0, 32), MANY);
  check_many(counts_of(SCAN_U8, 0, 0), MANY);
}

/* ---- keys ---- */

static void test_key_types(void **state) {
  (void)state;
  for (scan_type type = SCAN_I8; type <= SCAN_BF16; type++) {
    const uint32_t bits = 8 * (uint32_t)scan_type_bytes(type);
    check_few(keys_of(type, bits - 8, 0), TILE + 100);
    check_few(pairs_of(type, 4, bits - 5, bits), 3 * TILE + 5);
    check_few(counts_of(type, bits - 7, bits), 2 * TILE + 5);
    check_few(counts_of(type, 0, bits), TILE - 5);
  }
}

static void test_shapes(void **state) {
  static const scan_type types[] = { SCAN_U32, SCAN_F64, SCAN_I8 };
  (void)state;
  for (int t = 0; t < 3; t++)
    for (uint32_t descending = 0; descending < 2; descending++) {
      sort_cell c = pairs_of(types[t], 8, 0, 8);
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

static void check_bits(sort_cell c, uint64_t n) {
  c.spec.descending = (c.spec.first_bit + c.spec.end_bit) % 2;
  scan_plan *plan = sort_bench_plan(&c, n);
  c.n = n;
  if (plan != NULL) sort_bench_check(&c, plan);
  c.spec.descending ^= 1;
  c.how = BY_CALL;
  c.n = n / 2;
  if (plan != NULL && is_thorough()) sort_bench_check(&c, NULL);
  scan_plan_destroy(plan);
}

/* Every range of 8 bits; what is not split by shows that keys of a bucket stay in their order. */
static void test_bits_of_bytes(void **state) {
  (void)state;
  for (uint32_t first = 0; first < 8; first++)
    for (uint32_t end = first + 1; end <= 8; end++) {
      if (!is_thorough() && (first + end) % 3 != 0) continue;
      check_bits(keys_of(SCAN_U8, first, end), 700);
      check_bits(pairs_of(SCAN_I8, 4, first, end), 3000);
      check_bits(counts_of(SCAN_I8, first, end), 3000);
    }
}

static void test_bits_of_words(void **state) {
  static const uint32_t ranges[][2] = { { 0, 1 },   { 0, 7 },   { 0, 8 },   { 1, 9 },   { 3, 11 },
                                        { 4, 0 },   { 7, 15 },  { 8, 16 },  { 15, 16 }, { 13, 0 },
                                        { 20, 23 }, { 24, 32 }, { 31, 32 }, { 29, 36 }, { 32, 40 },
                                        { 20, 0 },  { 55, 63 }, { 56, 64 }, { 63, 64 }, { 61, 0 } };
  static const scan_type types[] = { SCAN_U16, SCAN_I16, SCAN_BF16, SCAN_U32, SCAN_I32,
                                     SCAN_F32, SCAN_U64, SCAN_I64,  SCAN_F64 };
  (void)state;
  for (uint32_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (uint32_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
      const uint32_t bits = 8 * (uint32_t)scan_type_bytes(types[t]);
      if (ranges[r][0] >= bits || ranges[r][1] > bits) continue;
      if (!is_thorough() && (t + r) % 4 != 0) continue;
      check_bits(r % 2 ? keys_of(types[t], ranges[r][0], ranges[r][1])
                       : pairs_of(types[t], 4, ranges[r][0], ranges[r][1]),
                 2500);
      check_bits(counts_of(types[t], ranges[r][0], r % 2 ? bits : ranges[r][1]), 2500);
    }
}

/* ---- arrays and indices ---- */

static void test_elements(void **state) {
  static const uint32_t bytes[] = { 1, 2, 3, 4, 8, 12, 16, 33, 64 };
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) check_few(pairs_of(SCAN_U32, bytes[i], 2, 8), TILE + 300);
}

static const uint32_t mixed[SCAN_SPLIT_MOST_ARRAYS] = { 4, 12, 1, 8, 2, 16, 3, 64 };

static void test_several(void **state) {
  static const uint32_t words[] = { 4, 4 };
  (void)state;
  check_few(arrays_of(SCAN_U32, 3, mixed, 8), TILE + 9);
  check_few(arrays_of(SCAN_U64, 2, words, 5), 2 * TILE + 9);
  check_few(arrays_of(SCAN_F32, SCAN_SPLIT_MOST_ARRAYS, mixed, 4), 2000);
}

/* Keys that nobody asks for. */
static void test_dropped(void **state) {
  sort_cell c = pairs_of(SCAN_F32, 4, 20, 28);
  (void)state;
  c.spec.drops_keys = 1;
  check_few(c, TILE + 50);
  c = arrays_of(SCAN_U8, 3, mixed, 8);
  c.spec.drops_keys = 1;
  check_few(c, 2000);
}

static void test_indices(void **state) {
  static const scan_type types[] = { SCAN_U8, SCAN_F16, SCAN_I32, SCAN_F64 };
  (void)state;
  for (int t = 0; t < 4; t++)
    for (uint32_t drops = 0; drops < 2; drops++) {
      sort_cell c = indices_of(types[t], SCAN_U32, 1, 8);
      c.spec.drops_keys = drops;
      check_few(c, 2 * TILE + 31);
      c.spec.index_type = SCAN_U64;
      check_few(c, 2 * TILE + 31);
    }
}

/* ---- in place ---- */

static void check_in_place(sort_cell c, uint32_t in_place) {
  static const uint64_t sizes[] = { 0, 1, 2, 255, TILE, 2 * TILE + 13, 70001 };
  const int sizes_taken = test_is_small() ? 5 : 7;
  c.spec.in_place = 1;
  scan_plan *plan = sort_bench_plan(&c, 70001);
  for (int i = 0; i < sizes_taken && plan != NULL; i++)
    for (c.how = BY_PLAN; c.how <= ON_HOST; c.how++) {
      c.n = sizes[i];
      c.shape = i % 2 ? SORT_RANDOM : SORT_EQUAL;
      c.in_place = in_place;
      c.shift = (uint32_t)i;
      sort_bench_check(&c, plan);
      if (i > 3) continue;
      c.in_place = 0; /* which it may be, but need not */
      sort_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void test_in_place(void **state) {
  sort_cell c = pairs_of(SCAN_U32, 4, 8, 16);
  (void)state;
  check_in_place(keys_of(SCAN_U32, 0, 8), SORT_ALL_OVER);
  check_in_place(keys_of(SCAN_I8, 0, 8), SORT_ALL_OVER);
  check_in_place(c, SORT_ALL_OVER);
  check_in_place(c, SORT_ARRAY_OVER);
  check_in_place(pairs_of(SCAN_U64, 12, 60, 64), SORT_ALL_OVER);
  c.spec.drops_keys = 1;
  check_in_place(c, SORT_ARRAY_OVER);
  c = indices_of(SCAN_U32, SCAN_U32, 3, 7);
  c.spec.drops_keys = 0;
  check_in_place(c, SORT_KEYS_OVER);
  check_in_place(arrays_of(SCAN_U32, 3, mixed, 8), SORT_ALL_OVER);
}

/* ---- ways to ask ---- */

/* Hidden plans, host memory, and both kinds of memory. */
static void test_calls(void **state) {
  static const uint64_t sizes[] = { 1, 70000, 5, 0, 140000, 33 };
  (void)state;
  for (int how = BY_CALL; how < SORT_WAYS; how++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      sort_cell cells[] = { keys_of(SCAN_F32, 23, 31), pairs_of(SCAN_I32, 12, 0, 8),
                            indices_of(SCAN_U16, SCAN_U64, 8, 16), arrays_of(SCAN_U32, 3, mixed, 6),
                            counts_of(SCAN_U32, 4, 20) };
      if (test_is_small() && sizes[i] > 1000) continue;
      for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++) {
        cells[k].how = how;
        cells[k].n = sizes[i];
        sort_bench_check(&cells[k], NULL);
      }
    }
}

/* At every address, of which vectors are read and written. */
static void test_shifts(void **state) {
  static const uint32_t bytes[] = { 1, 4, 8 };
  static const scan_type types[] = { SCAN_U8, SCAN_U16, SCAN_U32 };
  (void)state;
  for (int t = 0; t < 3; t++) {
    sort_cell c = pairs_of(types[t], bytes[t], 0, 4);
    scan_plan *plan = sort_bench_plan(&c, TILE + 77);
    for (c.shift = 0; c.shift < 16 && plan != NULL; c.shift += test_is_small() ? 5 : 1) {
      c.n = TILE + 77 - c.shift;
      sort_bench_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

/* Nothing behind n_from elements changes. */
static void check_n_from(sort_cell c) {
  static const uint64_t items[] = { 0, 1, 31, 255, TILE, TILE + 1, 2 * TILE + 9, 2 * TILE + 10 };
  c.n = 2 * TILE + 10;
  c.has_n_from = 1;
  scan_plan *plan = sort_bench_plan(&c, c.n + 1000);
  for (c.how = BY_PLAN; c.how <= ON_HOST && plan != NULL; c.how++)
    for (int i = 0; i < 8; i++) {
      c.shape = i % 2 ? SORT_RANDOM : SORT_EQUAL;
      c.n_from = items[i];
      sort_bench_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

static void test_n_from(void **state) {
  sort_cell c = pairs_of(SCAN_U32, 4, 0, 8);
  (void)state;
  check_n_from(keys_of(SCAN_U32, 24, 32));
  check_n_from(c);
  check_n_from(indices_of(SCAN_F32, SCAN_U64, 20, 28));
  check_n_from(counts_of(SCAN_U32, 0, 32));
  c.spec.in_place = 1;
  c.in_place = SORT_ALL_OVER;
  check_n_from(c);
  check_n_from(arrays_of(SCAN_U16, 3, mixed, 7));
}

/* The argument, if any: a pattern of the tests that run. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sizes),         cmocka_unit_test(test_histogram_sizes), cmocka_unit_test(test_many),
    cmocka_unit_test(test_key_types),     cmocka_unit_test(test_shapes),          cmocka_unit_test(test_bits_of_bytes),
    cmocka_unit_test(test_bits_of_words), cmocka_unit_test(test_elements),        cmocka_unit_test(test_several),
    cmocka_unit_test(test_dropped),       cmocka_unit_test(test_indices),         cmocka_unit_test(test_in_place),
    cmocka_unit_test(test_calls),         cmocka_unit_test(test_shifts),          cmocka_unit_test(test_n_from),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  (void)test_device_open();
  sort_bench_open(MOST_BYTES, MOST_N);
  return test_exit(cmocka_run_group_tests_name("split", tests, NULL, NULL));
}
