/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits and histograms against a plain merge sort: keys of every type and of many shapes, all ranges of bits, arrays
 * of elements of 1 to 64 bytes, indices, in place, n from the device; by plans, by the call and over host memory. */
#include "reference.h"
#include "sort_cells.h"

enum { TILE = SORT_TILE, MANY = 1000003, MOST_N = 2200003, MOST_BYTES = 24 << 20 };

static const uint64_t edges[] = { 2815, 2816, 2817, TILE - 1, TILE, TILE + 1, 3 * TILE + 33, 65535, 65536, 65537 };
enum { EDGES = sizeof edges / sizeof edges[0] };

static const sort_shape few_shapes[] = { SORT_RANDOM, SORT_FEW, SORT_EQUAL, SORT_SORTED };
enum { FEW_SHAPES = sizeof few_shapes / sizeof few_shapes[0] };

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

static sort_cell arrays_of(scan_type type, uint32_t arrays, const uint32_t *bytes, uint32_t end_bit) {
  return sort_cells_arrays(keys_of(type, 0, end_bit), arrays, bytes);
}

static void check_few(sort_cell c, uint64_t n) { sort_cells_few(c, n, (sort_shapes){ few_shapes, FEW_SHAPES }); }

static void check_sizes(sort_cell c) {
  sort_cells_sizes(c, (sort_sizes){ edges, EDGES }, (sort_shapes){ few_shapes, FEW_SHAPES });
}

static void check_many(sort_cell c, uint64_t n) {
  static const sort_shape shapes[] = { SORT_RANDOM, SORT_FEW, SORT_PIPES, SORT_ONE, SORT_DIGIT, SORT_EQUAL };
  sort_cells_many(c, n, (sort_shapes){ shapes, sizeof shapes / sizeof shapes[0] }, 1);
}

/* ---- sizes ---- */

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
  for (int t = 0; t < 3; t++) sort_cells_all_shapes(pairs_of(types[t], 8, 0, 8));
}

/* Every range of 8 bits; what is not split by shows that keys of a bucket stay in their order. */
static void test_bits_of_bytes(void **state) {
  (void)state;
  for (uint32_t first = 0; first < 8; first++)
    for (uint32_t end = first + 1; end <= 8; end++) {
      if (!sort_cells_are_thorough() && (first + end) % 3 != 0) continue;
      sort_cells_bits(keys_of(SCAN_U8, first, end), 700);
      sort_cells_bits(pairs_of(SCAN_I8, 4, first, end), 3000);
      sort_cells_bits(counts_of(SCAN_I8, first, end), 3000);
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
      if (!sort_cells_are_thorough() && (t + r) % 4 != 0) continue;
      sort_cells_bits(r % 2 ? keys_of(types[t], ranges[r][0], ranges[r][1])
                            : pairs_of(types[t], 4, ranges[r][0], ranges[r][1]),
                      2500);
      sort_cells_bits(counts_of(types[t], ranges[r][0], r % 2 ? bits : ranges[r][1]), 2500);
    }
}

/* ---- arrays and indices ---- */

static void test_elements(void **state) {
  static const uint32_t bytes[] = { 1, 2, 3, 4, 8, 12, 16, 33, 64 };
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) check_few(pairs_of(SCAN_U32, bytes[i], 2, 8), TILE + 300);
}

static void test_several(void **state) {
  static const uint32_t words[] = { 4, 4 };
  (void)state;
  check_few(arrays_of(SCAN_U32, 3, sort_cells_mixed, 8), TILE + 9);
  check_few(arrays_of(SCAN_U64, 2, words, 5), 2 * TILE + 9);
  check_few(arrays_of(SCAN_F32, SCAN_SPLIT_MOST_ARRAYS, sort_cells_mixed, 4), 2000);
}

/* Keys that nobody asks for. */
static void test_dropped(void **state) {
  sort_cell c = pairs_of(SCAN_F32, 4, 20, 28);
  (void)state;
  c.spec.drops_keys = 1;
  check_few(c, TILE + 50);
  c = arrays_of(SCAN_U8, 3, sort_cells_mixed, 8);
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

static void check_in_place(sort_cell c, uint32_t in_place) { sort_cells_in_place(c, in_place, SORT_EQUAL); }

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
  check_in_place(arrays_of(SCAN_U32, 3, sort_cells_mixed, 8), SORT_ALL_OVER);
}

/* ---- ways to ask ---- */

static void test_calls(void **state) {
  const sort_cell cells[] = { keys_of(SCAN_F32, 23, 31), pairs_of(SCAN_I32, 12, 0, 8),
                              indices_of(SCAN_U16, SCAN_U64, 8, 16), arrays_of(SCAN_U32, 3, sort_cells_mixed, 6),
                              counts_of(SCAN_U32, 4, 20) };
  (void)state;
  sort_cells_calls(cells, sizeof cells / sizeof cells[0]);
}

static void test_shifts(void **state) {
  static const uint32_t bytes[] = { 1, 4, 8 };
  static const scan_type types[] = { SCAN_U8, SCAN_U16, SCAN_U32 };
  (void)state;
  for (int t = 0; t < 3; t++) sort_cells_shifts(pairs_of(types[t], bytes[t], 0, 4));
}

static void test_n_from(void **state) {
  sort_cell c = pairs_of(SCAN_U32, 4, 0, 8);
  (void)state;
  sort_cells_n_from(keys_of(SCAN_U32, 24, 32), SORT_EQUAL);
  sort_cells_n_from(c, SORT_EQUAL);
  sort_cells_n_from(indices_of(SCAN_F32, SCAN_U64, 20, 28), SORT_EQUAL);
  sort_cells_n_from(counts_of(SCAN_U32, 0, 32), SORT_EQUAL);
  c.spec.in_place = 1;
  c.in_place = SORT_ALL_OVER;
  sort_cells_n_from(c, SORT_EQUAL);
  sort_cells_n_from(arrays_of(SCAN_U16, 3, sort_cells_mixed, 7), SORT_EQUAL);
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
