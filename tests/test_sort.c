/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sorts against a plain merge sort: keys of every type and of many shapes, all ranges of bits, arrays of
 * elements of 1 to 64 bytes, indices, in place, n from the device; by plans, by the call and over host memory. */
#include "reference.h"
#include "sort_cells.h"

enum { TILE = SORT_TILE, MOST_N = 1000003, MOST_BYTES = 24 << 20 };

static const uint64_t edges[] = { 2047, 2048, 2049, TILE - 1, TILE, TILE + 1, 3 * TILE + 33, 65535, 65536, 65537 };
enum { EDGES = sizeof edges / sizeof edges[0] };

static const sort_shape few_shapes[] = { SORT_RANDOM, SORT_FEW, SORT_EDGES, SORT_EQUAL };
enum { FEW_SHAPES = sizeof few_shapes / sizeof few_shapes[0] };

static sort_cell keys_of(scan_type type) { return (sort_cell){ .spec = SCAN_SORT_SPEC_INIT(type) }; }

static sort_cell pairs_of(scan_type type, uint32_t bytes) {
  return (sort_cell){ .spec = SCAN_SORT_PAIRS_INIT(type, bytes) };
}

static sort_cell indices_of(scan_type type, scan_type index_type) {
  return (sort_cell){ .spec = SCAN_SORT_INDEX_INIT(type, index_type) };
}

static sort_cell arrays_of(scan_type type, uint32_t arrays, const uint32_t *bytes) {
  return sort_cells_arrays(keys_of(type), arrays, bytes);
}

static void check_few(sort_cell c, uint64_t n) { sort_cells_few(c, n, (sort_shapes){ few_shapes, FEW_SHAPES }); }

static void check_sizes(sort_cell c) {
  sort_cells_sizes(c, (sort_sizes){ edges, EDGES }, (sort_shapes){ few_shapes, 2 });
}

static void check_many(sort_cell c, uint64_t n) {
  static const sort_shape shapes[] = { SORT_RANDOM, SORT_FEW, SORT_PIPES, SORT_ONE, SORT_DIGIT, SORT_TWO };
  sort_cells_many(c, n, (sort_shapes){ shapes, sizeof shapes / sizeof shapes[0] }, 0);
}

/* ---- sizes ---- */

static void test_sizes(void **state) {
  sort_cell c = pairs_of(SCAN_U64, 8);
  (void)state;
  check_sizes(keys_of(SCAN_U32));
  check_sizes(pairs_of(SCAN_U32, 4));
  check_sizes(indices_of(SCAN_F32, SCAN_U64));
  c.spec.descending = 1;
  check_sizes(c);
}

static void test_many(void **state) {
  (void)state;
  check_many(keys_of(SCAN_U32), MOST_N);
  check_many(pairs_of(SCAN_U32, 4), 300007);
  check_many(indices_of(SCAN_F32, SCAN_U32), 300007);
  check_many(indices_of(SCAN_I32, SCAN_U64), 300007);
  check_many(keys_of(SCAN_U64), 300007);
  check_many(keys_of(SCAN_U8), 300007);
  check_many(indices_of(SCAN_I8, SCAN_U64), MOST_N); /* lines of 8 and 64 bytes, which the host streams */
  check_many(pairs_of(SCAN_I16, 8), 300007);
  check_many(pairs_of(SCAN_U32, 12), 300007);
}

/* ---- keys ---- */

static void test_key_types(void **state) {
  (void)state;
  for (scan_type type = SCAN_I8; type <= SCAN_BF16; type++) {
    check_few(keys_of(type), TILE + 100);
    check_few(pairs_of(type, 4), 3 * TILE + 5);
  }
}

static void test_shapes(void **state) {
  static const scan_type types[] = { SCAN_U32, SCAN_F64, SCAN_I8 };
  (void)state;
  for (int t = 0; t < 3; t++) sort_cells_all_shapes(pairs_of(types[t], 8));
}

/* Keys that differ in one digit: every other pass may be left out. */
static void test_digits(void **state) {
  static const scan_type types[] = { SCAN_U8, SCAN_I16, SCAN_F32, SCAN_I64 };
  (void)state;
  for (int t = 0; t < 4; t++)
    for (int is_pair = 0; is_pair < 2; is_pair++) {
      sort_cell c = is_pair ? pairs_of(types[t], 4) : keys_of(types[t]);
      scan_plan *plan = sort_bench_plan(&c, 2 * TILE);
      c.shape = SORT_DIGIT;
      for (c.digit = 0; c.digit < scan_type_bytes(types[t]) && plan != NULL; c.digit++) {
        c.n = 300 + c.digit;
        sort_bench_check(&c, plan);
        c.n = TILE + 77 + c.digit;
        sort_bench_check(&c, plan);
        c.n = 1;
        sort_bench_check(&c, plan);
      }
      scan_plan_destroy(plan);
    }
}

static sort_cell by_bits(sort_cell c, uint32_t first_bit, uint32_t end_bit) {
  c.spec.first_bit = first_bit;
  c.spec.end_bit = end_bit;
  return c;
}

/* Every range of 8 bits; what is not sorted by shows that equal ones stay in their order. */
static void test_bits_of_bytes(void **state) {
  (void)state;
  for (uint32_t first = 0; first < 8; first++)
    for (uint32_t end = first + 1; end <= 8; end++) {
      if (!sort_cells_are_thorough() && (first + end) % 3 != 0) continue;
      sort_cells_bits(by_bits(keys_of(SCAN_U8), first, end), 700);
      sort_cells_bits(by_bits(pairs_of(SCAN_I8, 4), first, end), 3000);
    }
}

static void test_bits_of_words(void **state) {
  static const uint32_t ranges[][2] = { { 0, 1 },   { 0, 7 },   { 0, 9 },   { 1, 8 },   { 3, 14 },  { 4, 12 },
                                        { 7, 16 },  { 8, 16 },  { 15, 16 }, { 5, 23 },  { 8, 24 },  { 0, 31 },
                                        { 31, 32 }, { 13, 32 }, { 20, 0 },  { 11, 37 }, { 32, 64 }, { 30, 34 },
                                        { 1, 63 },  { 63, 64 }, { 0, 64 },  { 40, 56 }, { 5, 0 } };
  static const scan_type types[] = { SCAN_U16, SCAN_I16, SCAN_BF16, SCAN_U32, SCAN_I32,
                                     SCAN_F32, SCAN_U64, SCAN_I64,  SCAN_F64 };
  (void)state;
  for (uint32_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (uint32_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
      const uint32_t bits = 8 * (uint32_t)scan_type_bytes(types[t]);
      if (ranges[r][0] >= bits || ranges[r][1] > bits) continue;
      if (!sort_cells_are_thorough() && (t + r) % 4 != 0) continue;
      sort_cells_bits(by_bits(r % 2 ? keys_of(types[t]) : pairs_of(types[t], 4), ranges[r][0], ranges[r][1]), 2500);
    }
}

/* The order of the type itself, told by C's comparisons. */
static void check_order(scan_type type) {
  enum { N = 4000 };
  static uint64_t in[N], out[N];
  sort_cell c = keys_of(type);
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  c.n = N;
  c.shape = SORT_EDGES;
  sort_bench_keys(&c, (unsigned char *)in);
  test_ok(test_ctx(), scan_sort(test_ctx(), &c.spec, N, &args), "scan_sort");
  int has_positive_nan = 0, has_number = 0;
  for (uint64_t i = 0; i < N; i++) {
    const double x = reference_load(type, out, i), before = i > 0 ? reference_load(type, out, i - 1) : 0;
    const size_t bytes = scan_type_bytes(type);
    const int is_negative = ((const unsigned char *)out)[(i + 1) * bytes - 1] >> 7;
    const int was_negative = i > 0 && ((const unsigned char *)out)[i * bytes - 1] >> 7;
    if (x == x) {
      if (has_positive_nan) test_fail("%s: a number behind a NaN without a sign", scan_type_name(type));
      if (has_number && !(before < x) && !(before == x && was_negative >= is_negative))
        test_fail("%s: %g comes before %g", scan_type_name(type), before, x);
      has_number = 1;
    } else if (!is_negative) {
      has_positive_nan = 1;
    } else if (has_number) {
      test_fail("%s: a NaN with a sign behind a number", scan_type_name(type));
    }
  }
  test_ran();
}

static void test_float_order(void **state) {
  (void)state;
  check_order(SCAN_F32);
  check_order(SCAN_F16);
  check_order(SCAN_BF16);
  if (test_has_type(SCAN_F64)) check_order(SCAN_F64);
}

/* ---- the numeric order ---- */

static sort_cell numeric(sort_cell c) {
  c.spec.order = SCAN_SORT_NUMERIC_ORDER;
  return c;
}

static const scan_type floats[] = { SCAN_F32, SCAN_F64, SCAN_F16, SCAN_BF16 };
enum { FLOATS = sizeof floats / sizeof floats[0] };

static void test_numeric_types(void **state) {
  (void)state;
  for (int t = 0; t < FLOATS; t++) {
    check_few(numeric(keys_of(floats[t])), TILE + 100);
    check_few(numeric(pairs_of(floats[t], 4)), 3 * TILE + 5);
    check_few(numeric(pairs_of(floats[t], 8)), 700);
    check_few(numeric(indices_of(floats[t], t % 2 ? SCAN_U32 : SCAN_U64)), TILE + 3);
  }
  check_few(numeric(keys_of(SCAN_I32)), 1000); /* integers have one order */
  check_few(numeric(arrays_of(SCAN_F32, 3, sort_cells_mixed)), TILE + 9);
}

static void test_numeric_sizes(void **state) {
  static const sort_shape shapes[] = { SORT_EDGES, SORT_RANDOM };
  const sort_cell cells[] = { keys_of(SCAN_F32), pairs_of(SCAN_F64, 8), indices_of(SCAN_BF16, SCAN_U64) };
  (void)state;
  for (int i = 0; i < 3; i++) {
    sort_cell c = numeric(cells[i]);
    c.spec.descending = i == 1;
    sort_cells_sizes(c, (sort_sizes){ edges, EDGES }, (sort_shapes){ shapes, 2 });
  }
}

static void test_numeric_many(void **state) {
  static const sort_shape shapes[] = { SORT_EDGES, SORT_RANDOM, SORT_PIPES, SORT_TWO };
  const sort_shapes some = { shapes, sizeof shapes / sizeof shapes[0] };
  sort_cell c = numeric(pairs_of(SCAN_F32, 4));
  (void)state;
  sort_cells_many(numeric(keys_of(SCAN_F32)), MOST_N, some, 1);
  sort_cells_many(c, 300007, some, 0);
  c.spec.descending = 1;
  sort_cells_many(c, 300007, some, 0);
  sort_cells_many(numeric(keys_of(SCAN_F64)), 300007, some, 0);
  sort_cells_many(numeric(pairs_of(SCAN_F64, 8)), 300007, some, 0);
  sort_cells_many(numeric(keys_of(SCAN_F16)), 300007, some, 0);
  sort_cells_many(numeric(indices_of(SCAN_BF16, SCAN_U32)), 300007, some, 0);
}

/* Numbers rise, zeros of both signs among them, and NaNs follow; or the other way round. */
static void check_numeric_order(scan_type type, uint32_t descending) {
  enum { N = 4000 };
  static uint64_t in[N], out[N];
  sort_cell c = numeric(keys_of(type));
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  c.spec.descending = descending;
  c.n = N;
  c.shape = SORT_EDGES;
  sort_bench_keys(&c, (unsigned char *)in);
  test_ok(test_ctx(), scan_sort(test_ctx(), &c.spec, N, &args), "scan_sort");
  for (uint64_t i = 1; i < N; i++) {
    const double one = reference_load(type, out, i - 1), other = reference_load(type, out, i);
    const double low = descending ? other : one, high = descending ? one : other;
    if (low != low && high == high) test_fail("%s: a NaN below %g", scan_type_name(type), high);
    if (low > high) test_fail("%s: %g comes before %g", scan_type_name(type), low, high);
  }
  test_ran();
}

static void test_numeric_order(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 2 * FLOATS; k++)
    if (test_has_type(floats[k / 2])) check_numeric_order(floats[k / 2], k % 2);
}

/* ---- arrays and indices ---- */

static void test_elements(void **state) {
  static const uint32_t bytes[] = { 1, 2, 3, 4, 8, 12, 16, 33, 64 };
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) check_few(pairs_of(SCAN_U32, bytes[i]), TILE + 300);
}

/* Aligned to less than the elements might be. */
static void test_aligned(void **state) {
  static const uint32_t bytes[] = { 4, 8, 8, 8, 12, 16, 16, 64, 64 };
  static const uint32_t aligns[] = { 2, 4, 2, 1, 2, 8, 4, 8, 4 };
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
    sort_cell c = pairs_of(SCAN_U16, bytes[i]);
    c.spec.element_align[0] = aligns[i];
    check_few(c, 1500);
  }
}

static void test_several(void **state) {
  static const uint32_t words[] = { 4, 4 };
  (void)state;
  check_few(arrays_of(SCAN_U32, 3, sort_cells_mixed), TILE + 9);
  check_few(arrays_of(SCAN_U64, 2, words), 2 * TILE + 9);
  check_few(arrays_of(SCAN_F32, SCAN_SORT_MOST_ARRAYS, sort_cells_mixed), 2000);
}

/* Keys that nobody asks for. */
static void test_dropped(void **state) {
  sort_cell c = pairs_of(SCAN_F32, 4);
  (void)state;
  c.spec.drops_keys = 1;
  check_few(c, TILE + 50);
  c = arrays_of(SCAN_U8, 3, sort_cells_mixed);
  c.spec.drops_keys = 1;
  check_few(c, 2000);
}

static void test_indices(void **state) {
  static const scan_type types[] = { SCAN_U8, SCAN_F16, SCAN_I32, SCAN_F64 };
  (void)state;
  for (int t = 0; t < 4; t++)
    for (uint32_t drops = 0; drops < 2; drops++) {
      sort_cell c = indices_of(types[t], SCAN_U32);
      c.spec.drops_keys = drops;
      check_few(c, 2 * TILE + 31);
      c.spec.index_type = SCAN_U64;
      check_few(c, 2 * TILE + 31);
    }
}

/* ---- in place ---- */

/* An odd number of passes, or of as many as may be. */
static void check_in_place(sort_cell c, uint32_t in_place) { sort_cells_in_place(c, in_place, SORT_DIGIT); }

static void test_keys_in_place(void **state) {
  sort_cell c = indices_of(SCAN_U32, SCAN_U32);
  (void)state;
  check_in_place(keys_of(SCAN_U32), SORT_ALL_OVER);
  check_in_place(keys_of(SCAN_I8), SORT_ALL_OVER);
  check_in_place(keys_of(SCAN_F64), SORT_ALL_OVER);
  c.spec.drops_keys = 0;
  check_in_place(c, SORT_KEYS_OVER);
}

static void test_pairs_in_place(void **state) {
  sort_cell c = pairs_of(SCAN_U32, 4);
  (void)state;
  check_in_place(c, SORT_ALL_OVER);
  check_in_place(c, SORT_KEYS_OVER);
  check_in_place(c, SORT_ARRAY_OVER);
  check_in_place(pairs_of(SCAN_U16, 8), SORT_ALL_OVER);
  check_in_place(pairs_of(SCAN_U64, 12), SORT_ALL_OVER);
  check_in_place(pairs_of(SCAN_U32, 1), SORT_ALL_OVER);
  c.spec.drops_keys = 1;
  check_in_place(c, SORT_ARRAY_OVER);
  c = pairs_of(SCAN_U32, 8);
  c.spec.element_align[0] = 4;
  check_in_place(c, SORT_ALL_OVER);
}

static void test_numeric_in_place(void **state) {
  (void)state;
  sort_cells_in_place(numeric(keys_of(SCAN_F32)), SORT_ALL_OVER, SORT_EDGES);
  sort_cells_in_place(numeric(keys_of(SCAN_F16)), SORT_ALL_OVER, SORT_EDGES);
  sort_cells_in_place(numeric(pairs_of(SCAN_F64, 8)), SORT_ALL_OVER, SORT_EDGES);
  sort_cells_in_place(numeric(pairs_of(SCAN_F32, 12)), SORT_ALL_OVER, SORT_EDGES);
}

static void test_several_in_place(void **state) {
  sort_cell c = arrays_of(SCAN_U32, 3, sort_cells_mixed);
  (void)state;
  check_in_place(c, SORT_ALL_OVER);
  check_in_place(c, SORT_ARRAY_OVER << 1);
  check_in_place(c, SORT_KEYS_OVER | SORT_ARRAY_OVER | SORT_ARRAY_OVER << 2);
}

/* ---- ways to ask ---- */

static void test_calls(void **state) {
  const sort_cell cells[] = { keys_of(SCAN_F32), pairs_of(SCAN_I32, 12), indices_of(SCAN_U16, SCAN_U64),
                              arrays_of(SCAN_U32, 3, sort_cells_mixed) };
  (void)state;
  sort_cells_calls(cells, sizeof cells / sizeof cells[0]);
}

static void test_numeric_calls(void **state) {
  sort_cell cells[] = { numeric(keys_of(SCAN_F32)), numeric(indices_of(SCAN_F16, SCAN_U64)),
                        numeric(pairs_of(SCAN_F32, 4)) };
  (void)state;
  for (int i = 0; i < 3; i++) cells[i].shape = SORT_EDGES;
  cells[2].spec.gives_scratch = 1;
  sort_cells_calls(cells, 3);
  sort_cells_n_from(cells[0], SORT_EDGES);
  sort_cells_n_from(cells[1], SORT_EDGES);
}

static void test_shifts(void **state) {
  static const uint32_t bytes[] = { 1, 4, 12 };
  static const scan_type types[] = { SCAN_U8, SCAN_U16, SCAN_U32 };
  (void)state;
  for (int t = 0; t < 3; t++) sort_cells_shifts(pairs_of(types[t], bytes[t]));
}

static void test_n_from(void **state) {
  sort_cell c = pairs_of(SCAN_U32, 4);
  (void)state;
  sort_cells_n_from(keys_of(SCAN_U32), SORT_DIGIT);
  sort_cells_n_from(c, SORT_DIGIT);
  sort_cells_n_from(indices_of(SCAN_F32, SCAN_U64), SORT_DIGIT);
  c.spec.in_place = 1;
  c.in_place = SORT_ALL_OVER;
  sort_cells_n_from(c, SORT_DIGIT);
  c = arrays_of(SCAN_U16, 3, sort_cells_mixed);
  sort_cells_n_from(c, SORT_DIGIT);
  c.spec.in_place = 1;
  c.in_place = SORT_ALL_OVER;
  sort_cells_n_from(c, SORT_DIGIT);
}

/* The argument, if any: a pattern of the tests that run. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sizes),          cmocka_unit_test(test_many),
    cmocka_unit_test(test_key_types),      cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_digits),         cmocka_unit_test(test_bits_of_bytes),
    cmocka_unit_test(test_bits_of_words),  cmocka_unit_test(test_float_order),
    cmocka_unit_test(test_elements),       cmocka_unit_test(test_aligned),
    cmocka_unit_test(test_several),        cmocka_unit_test(test_dropped),
    cmocka_unit_test(test_indices),        cmocka_unit_test(test_keys_in_place),
    cmocka_unit_test(test_pairs_in_place), cmocka_unit_test(test_several_in_place),
    cmocka_unit_test(test_calls),          cmocka_unit_test(test_shifts),
    cmocka_unit_test(test_n_from),         cmocka_unit_test(test_numeric_types),
    cmocka_unit_test(test_numeric_sizes),  cmocka_unit_test(test_numeric_many),
    cmocka_unit_test(test_numeric_order),  cmocka_unit_test(test_numeric_in_place),
    cmocka_unit_test(test_numeric_calls),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  (void)test_device_open();
  sort_bench_open(MOST_BYTES, MOST_N);
  return test_exit(cmocka_run_group_tests_name("sort", tests, NULL, NULL));
}
