/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sorts by segments against a plain sort of each: segments of many lengths, around those of tiles, of none, and
 * of all keys; keys of every type, ranges of bits, arrays, indices, in place, n from the device, offsets of 4 and of 8
 * bytes; by plans, by the call and over host memory. Offsets that are no offsets write nothing that lies beside. */
#include <stdlib.h>
#include <string.h>

#include "segments_bench.h"

enum { TILE = 2816 };

static cell keys_of(scan_type type) {
  cell c = { .spec = SCAN_SORT_SPEC_INIT(type) };
  c.spec.offset_type = SCAN_U32;
  return c;
}

static cell pairs_of(scan_type type, uint32_t bytes) {
  cell c = keys_of(type);
  c.spec.arrays = 1;
  c.spec.element_bytes[0] = bytes;
  return c;
}

static cell indices_of(scan_type type, scan_type index_type) {
  cell c = keys_of(type);
  c.spec.index_type = index_type;
  c.spec.drops_keys = 1;
  return c;
}

static cell with(cell c, lengths of, uint64_t length) {
  c.lengths = of;
  c.length = length;
  return c;
}

/* ---- many lengths by one plan ---- */

static const struct {
  lengths of;
  uint64_t length, n;
} few[] = { { OF_ONE, 1, 3000 },       { OF_ONE, 10, 12345 },   { OF_UP_TO, 40, 20000 }, { OF_UP_TO, 300, 30000 },
            { OF_MIXED, 0, 60000 },    { OF_EMPTIES, 0, 9000 }, { OF_ALL, 0, 2 * TILE }, { OF_ALL, 0, 40000 },
            { OF_UP_TO, 9000, 70000 }, { OF_ONE, 0, 0 },        { OF_ONE, 1000, 25000 }, { OF_ALL, 0, 1 } };
enum { FEW = sizeof few / sizeof few[0] };

enum { SHAPES = 5 };
static const sort_shape shapes_of_keys[SHAPES] = { SORT_RANDOM, SORT_FEW, SORT_EDGES, SORT_EQUAL, SORT_DIGIT };
static const sort_shape numeric_shapes[SHAPES] = { SORT_EDGES, SORT_EDGES, SORT_EDGES, SORT_SORTED, SORT_TWO };

/* Every one of those, by chance of one shape or another. */
static void check_shapes(cell c, const sort_shape *shapes) {
  scan_plan *plan = segments_plan(&c, 70000);
  for (int i = 0; i < FEW && plan != NULL; i++) {
    if (test_is_small() && few[i].n > 45000) continue;
    c = with(c, few[i].of, few[i].length);
    c.n = few[i].n;
    if (c.lengths == OF_ONE && c.length == 0) c = with(c, OF_ALL, 0);
    c.shape = i % 2 ? shapes[0] : shapes[segments_below(SHAPES)];
    c.shift = (uint32_t)i % 4;
    segments_check(&c, plan);
  }
  scan_plan_destroy(plan);
}

static void check_few(cell c) { check_shapes(c, shapes_of_keys); }

static void test_lengths(void **state) {
  static const uint64_t sizes[] = { 1,    2,    3,    7,    16,   31,   32,           33,       47,           48,
                                    49,   64,   100,  255,  256,  257,  703,          704,      705,          1000,
                                    1791, 1792, 1793, 2047, 2111, 2112, 2113,         TILE - 1, TILE,         TILE + 1,
                                    3839, 3840, 3841, 4095, 4096, 4097, 2 * TILE - 1, 2 * TILE, 2 * TILE + 1, 8191,
                                    8193 };
  cell c = keys_of(SCAN_U32);
  (void)state;
  scan_plan *plan = segments_plan(&c, 30000);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && plan != NULL; i++)
    for (uint32_t k = 0; k < 3; k++) {
      if (test_is_small() && (i + k) % 3 != 0) continue;
      c = with(c, k == 1 ? OF_UP_TO : OF_ONE, sizes[i]);
      c.n = k == 2 ? 20000 - sizes[i] : 2 * sizes[i] + 5000;
      c.shape = k == 1 ? SORT_FEW : SORT_RANDOM;
      segments_check(&c, plan);
    }
  scan_plan_destroy(plan);
}

/* Around what a tile holds of keys of every size. */
static void test_edges(void **state) {
  static const uint64_t tiles[] = { 3840, 3840, 2816, 1792 };
  static const scan_type types[] = { SCAN_U8, SCAN_U16, SCAN_U32, SCAN_U64 };
  (void)state;
  for (int t = 0; t < 4; t++) {
    cell c = pairs_of(types[t], t % 2 ? 4 : 8);
    scan_plan *plan = segments_plan(&c, 40000);
    for (int more = -1; more <= 1 && plan != NULL; more++)
      for (uint64_t part = 1; part <= 8; part *= 2) {
        if (test_is_small() && part != 1 && part != 4) continue;
        c = with(c, OF_ONE, tiles[t] / part + (uint64_t)(int64_t)more);
        c.n = 5 * tiles[t] + 17;
        segments_check(&c, plan);
        c.length = tiles[t] * 3 / 4 + (uint64_t)(int64_t)more;
        if (part == 1) segments_check(&c, plan);
      }
    scan_plan_destroy(plan);
  }
}

static void test_large(void **state) {
  static const struct {
    lengths of;
    uint64_t length;
  } cases[] = { { OF_ALL, 0 }, { OF_ONE, 1000000 }, { OF_MIXED, 0 }, { OF_ONE, 170000 }, { OF_UP_TO, 20 } };
  (void)state;
  if (test_is_small() || test_info()->loop_limit) {
    test_skipped("many keys: the device is slow");
    return;
  }
  for (int k = 0; k < 3; k++) {
    cell c = k == 0 ? keys_of(SCAN_U32) : k == 1 ? pairs_of(SCAN_F32, 4) : indices_of(SCAN_U64, SCAN_U64);
    scan_plan *plan = segments_plan(&c, MOST_N);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && plan != NULL; i++) {
      c = with(c, cases[i].of, cases[i].length);
      c.n = MOST_N - i;
      segments_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

/* ---- keys ---- */

static void test_key_types(void **state) {
  (void)state;
  for (scan_type type = SCAN_I8; type <= SCAN_BF16; type++) {
    cell c = type % 2 ? keys_of(type) : pairs_of(type, 4);
    c.spec.descending = type / 2 % 2;
    check_few(c);
  }
}

static void test_bits(void **state) {
  static const uint32_t ranges[][2] = { { 0, 1 }, { 3, 14 }, { 0, 31 }, { 31, 32 }, { 13, 32 }, { 8, 16 }, { 5, 0 } };
  static const scan_type types[] = { SCAN_U32, SCAN_F32, SCAN_I64, SCAN_F64, SCAN_U8, SCAN_F16 };
  (void)state;
  for (uint32_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (uint32_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
      const uint32_t bits = 8 * (uint32_t)scan_type_bytes(types[t]);
      if (ranges[r][0] >= bits || ranges[r][1] > bits || (t + r) % (test_compiles_quickly() ? 2 : 4) != 0) continue;
      cell c = r % 2 ? pairs_of(types[t], 4) : keys_of(types[t]);
      c.spec.first_bit = ranges[r][0];
      c.spec.end_bit = ranges[r][1];
      c.spec.descending = (t + r) / 2 % 2;
      check_few(c);
    }
}

static void test_numeric(void **state) {
  cell cells[] = { keys_of(SCAN_F32), keys_of(SCAN_F16),       pairs_of(SCAN_F32, 4),          pairs_of(SCAN_F64, 8),
                   keys_of(SCAN_F64), pairs_of(SCAN_BF16, 12), indices_of(SCAN_F32, SCAN_U64), pairs_of(SCAN_F32, 8) };
  (void)state;
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    cells[i].spec.order = SCAN_SORT_NUMERIC_ORDER;
    cells[i].spec.descending = i / 2 % 2;
    check_shapes(cells[i], numeric_shapes);
    if (!test_compiles_quickly()) continue;
    cells[i].spec.in_place = 1;
    cells[i].in_place = cells[i].spec.index_type == 0;
    check_shapes(cells[i], numeric_shapes);
  }
}

/* ---- arrays, indices, in place ---- */

static void test_arrays(void **state) {
  static const uint32_t bytes[] = { 4, 12, 1 };
  (void)state;
  check_few(pairs_of(SCAN_U32, 8));
  check_few(pairs_of(SCAN_U64, 4));
  check_few(pairs_of(SCAN_U16, 12));
  cell c = keys_of(SCAN_U32);
  c.spec.arrays = 3;
  memcpy(c.spec.element_bytes, bytes, sizeof bytes);
  check_few(c);
  c.spec.drops_keys = 1;
  check_few(c);
}

static void test_indices(void **state) {
  (void)state;
  check_few(indices_of(SCAN_U32, SCAN_U32));
  check_few(indices_of(SCAN_F32, SCAN_U64));
  cell c = indices_of(SCAN_U8, SCAN_U32);
  c.spec.drops_keys = 0;
  check_few(c);
}

static void test_in_place(void **state) {
  static const uint32_t bytes[] = { 4, 12, 1 };
  cell cells[] = { keys_of(SCAN_U32),     keys_of(SCAN_U8),      pairs_of(SCAN_U32, 4),  pairs_of(SCAN_U8, 8),
                   pairs_of(SCAN_U64, 4), pairs_of(SCAN_U16, 8), pairs_of(SCAN_F32, 12), keys_of(SCAN_F64) };
  (void)state;
  for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
    cells[i].spec.in_place = 1;
    cells[i].in_place = 1;
    check_few(cells[i]);
  }
  cell c = keys_of(SCAN_U32);
  c.spec.arrays = 3;
  memcpy(c.spec.element_bytes, bytes, sizeof bytes);
  c.spec.in_place = 1;
  c.in_place = 1;
  check_few(c);
}

/* ---- offsets ---- */

static void test_wide_offsets(void **state) {
  cell c = pairs_of(SCAN_U32, 4);
  (void)state;
  c.spec.offset_type = SCAN_U64;
  check_few(c);
}

/* What is promised, and kept to. */
static void test_most(void **state) {
  static const uint32_t most[] = { 1, 10, 32, 33, 500, 704, 705, 1000, TILE, TILE + 1, 5000 };
  (void)state;
  for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
    if (!test_compiles_quickly() && i % 3 != 0) continue;
    cell c = with(i % 2 ? keys_of(SCAN_U32) : pairs_of(SCAN_U32, 4), OF_UP_TO, most[i]);
    c.spec.most_segment_items = most[i];
    scan_plan *plan = segments_plan(&c, 30000);
    for (int k = 0; k < 3 && plan != NULL; k++) {
      c.n = 30000 - (uint64_t)k * 9000;
      c.lengths = k == 1 ? OF_ONE : OF_UP_TO;
      segments_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

static void test_ways(void **state) {
  cell cells[] = { keys_of(SCAN_F32), pairs_of(SCAN_I32, 12), indices_of(SCAN_U16, SCAN_U64) };
  (void)state;
  for (int how = BY_CALL; how < WAYS; how++)
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        cell c = with(cells[i], k == 2 ? OF_ALL : OF_MIXED, 0);
        c.how = how;
        c.n = k == 0 ? 0 : k == 1 ? 33333 : 9000;
        segments_check(&c, NULL);
      }
}

static void test_n_from(void **state) {
  static const uint64_t items[] = { 0, 1, 31, 2111, 2112, 2113, TILE, TILE + 1, 19999, 20000, 20001, UINT64_MAX };
  static const lengths of[] = { OF_MIXED, OF_ALL, OF_UP_TO, OF_ONE };
  cell cells[] = { keys_of(SCAN_U32), pairs_of(SCAN_U32, 4), indices_of(SCAN_F32, SCAN_U64), pairs_of(SCAN_U16, 12) };
  (void)state;
  for (int i = 0; i < 4; i++) {
    cell c = cells[i];
    c.n = 20000;
    c.has_n_from = 1;
    c.spec.in_place = 1;
    c.spec.flags = i % 2 ? SCAN_N_FROM_CLAMP : 0;
    scan_plan *plan = segments_plan(&c, c.n + 1000);
    for (int k = 0; k < 12 && plan != NULL; k++) {
      c = with(c, of[k % 4], 1500);
      c.n_from = items[k];
      c.in_place = k / 4 % 2 && !c.spec.index_type;
      segments_check(&c, plan);
    }
    scan_plan_destroy(plan);
  }
}

/* The next wait says so; as many as the run is for are sorted. */
static void test_too_many(void **state) {
  cell c = with(keys_of(SCAN_U32), OF_MIXED, 0);
  (void)state;
  c.n = 10000;
  c.has_n_from = 1;
  c.n_from = 10001;
  scan_plan *plan = segments_plan(&c, c.n);
  places p;
  if (plan == NULL) return;
  segments_make(&c);
  segments_take(&c, &p);
  memset(bench.out.image, SIDE_POISON, bench.out.used);
  segments_expect(&c, &p);
  side_write(&bench.in, &bench.out);
  if (segments_run(&c, plan, &p) != SCAN_SUCCESS) segments_fail(&c, scan_last_error(test_ctx()), 0);
  if (scan_sync(test_ctx()) != SCAN_INVALID_ARGUMENT) segments_fail(&c, "nothing was said", 0);
  uint64_t bad = 0;
  if (side_differs(&bench.out, 0, bench.want_out, &bad)) segments_fail(&c, "a byte is wrong", bad);
  scan_plan_destroy(plan);
  test_ran();
}

/* Offsets that fall, or lie past the keys, or are not as was promised: what comes is anything, but nothing that lies
 * beside is written. */
static void test_no_offsets(void **state) {
  enum { N = 30000 };
  cell cells[] = { keys_of(SCAN_U32), pairs_of(SCAN_U32, 4), pairs_of(SCAN_U16, 12), keys_of(SCAN_U8) };
  (void)state;
  for (int round = 0; round < (test_is_small() ? 8 : 40); round++) {
    cell c = cells[round % 4];
    places p;
    uint64_t bad = 0;
    c.n = N;
    c.spec.in_place = 1;
    c.in_place = round / 4 % 2;
    if (round % 5 == 4) c.spec.most_segment_items = 10; /* which is not kept */
    scan_plan *plan = segments_plan(&c, N);
    if (plan == NULL) return;
    bench.segments = 1 + segments_below(2000);
    for (uint64_t i = 0; i <= bench.segments; i++)
      bench.offsets[i] = segments_below(round % 3 == 0 ? UINT32_MAX : N + 100);
    segments_take(&c, &p);
    memset(bench.out.image, SIDE_POISON, bench.out.used);
    side_write(&bench.in, &bench.out);
    memcpy(bench.want_in, bench.in.image, bench.in.used);
    memcpy(bench.want_out, bench.out.image, bench.out.used);
    if (segments_run(&c, plan, &p) != SCAN_SUCCESS || scan_sync(test_ctx()) != SCAN_SUCCESS)
      segments_fail(&c, scan_last_error(test_ctx()), 0);
    /* What may change is taken as it is. */
    struct side *to = c.in_place ? &bench.in : &bench.out;
    unsigned char *want = c.in_place ? bench.want_in : bench.want_out;
    const uint64_t bytes = N * scan_type_bytes(c.spec.key_type);
    if (scan_read(test_ctx(), scan_offset(to->memory, p.keys_out), want + p.keys_out, bytes) != SCAN_SUCCESS)
      segments_fail(&c, scan_last_error(test_ctx()), 0);
    for (uint32_t a = 0; a < c.spec.arrays; a++)
      if (scan_read(test_ctx(), scan_offset(to->memory, p.out[a]), want + p.out[a],
                    N * (uint64_t)c.spec.element_bytes[a]) != SCAN_SUCCESS)
        segments_fail(&c, scan_last_error(test_ctx()), 0);
    if (side_differs(&bench.out, 0, bench.want_out, &bad) || side_differs(&bench.in, 0, bench.want_in, &bad))
      segments_fail(&c, "a byte beside is wrong", bad);
    scan_plan_destroy(plan);
    test_ran();
  }
}

/* ---- refusals ---- */

static void refused(const scan_sort_spec *spec, uint64_t n, const scan_sort_args *args, const char *words) {
  const scan_status status = scan_sort(test_ctx(), spec, n, args);
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static void test_refused(void **state) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(bench.in.memory, bench.out.memory), good;
  (void)state;
  spec.offset_type = SCAN_I32;
  refused(&spec, 100, &args, "spec->offset_type is 5");
  spec.offset_type = SCAN_TYPE_DEFAULT;
  spec.most_segment_items = 10;
  refused(&spec, 100, &args, "spec->most_segment_items is 10");
  spec.most_segment_items = 0;
  args.segments = 1;
  refused(&spec, 100, &args, "args->segments is 1");
  args.segments = 0;
  args.offsets = scan_offset(bench.in.memory, 4096);
  refused(&spec, 100, &args, "args->offsets is given");
  spec.offset_type = SCAN_U64;
  args.segments = 7;
  good = args;
  args.offsets = SCAN_NO_MEM;
  refused(&spec, 100, &args, "args->offsets");
  args = good;
  args.offsets = scan_offset(bench.in.memory, 4100);
  refused(&spec, 100, &args, "args->offsets is not aligned to 8 bytes");
  args = good;
  args.offsets = scan_offset(bench.out.memory, 64);
  refused(&spec, 100, &args, "overlap");
  args = good;
  args.segments = BYTES;
  refused(&spec, 100, &args, "is too small");
  args.segments = UINT64_MAX;
  refused(&spec, 100, &args, "args->segments is");
  args = good;
  spec.key_words = 2;
  if (scan_sort(test_ctx(), &spec, 100, &args) != SCAN_UNSUPPORTED ||
      strstr(scan_last_error(test_ctx()), "spec->offset_type and spec->key_words") == NULL)
    test_fail("keys of two words by segments: '%s'", scan_last_error(test_ctx()));
  test_ran();
}

/* The argument, if any: a pattern of the tests that run. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_lengths),   cmocka_unit_test(test_edges),      cmocka_unit_test(test_large),
    cmocka_unit_test(test_key_types), cmocka_unit_test(test_bits),       cmocka_unit_test(test_arrays),
    cmocka_unit_test(test_indices),   cmocka_unit_test(test_in_place),   cmocka_unit_test(test_wide_offsets),
    cmocka_unit_test(test_most),      cmocka_unit_test(test_ways),       cmocka_unit_test(test_n_from),
    cmocka_unit_test(test_too_many),  cmocka_unit_test(test_no_offsets), cmocka_unit_test(test_refused),
    cmocka_unit_test(test_numeric),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  (void)test_device_open();
  segments_bench_open();
  return test_exit(cmocka_run_group_tests_name("sort_segments", tests, NULL, NULL));
}
