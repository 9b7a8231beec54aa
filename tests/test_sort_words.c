/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sorts of keys of two words against a plain merge sort: of every type of words, either of which may be the more
 * significant one, with all that goes with keys; and sorts of any keys in memory that the caller gives. */
#include "reference.h"
#include "sort_cells.h"

#include <string.h>

enum { TILE = SORT_TILE, MOST_N = 1000003, MOST_BYTES = 48 << 20 };

/* Tiles of keys of 16 bytes have 768. */
static const uint64_t edges[] = { 767, 768, 769, 1535, 1537, 2048, TILE - 1, TILE, TILE + 1, 3 * TILE + 33, 65537 };
enum { EDGES = sizeof edges / sizeof edges[0] };

static const scan_type types[] = { SCAN_U32, SCAN_I64, SCAN_I32, SCAN_U64 };
enum { TYPES = sizeof types / sizeof types[0] };

static const sort_shape few_shapes[] = { SORT_RANDOM, SORT_FEW, SORT_EDGES, SORT_EQUAL };
enum { FEW_SHAPES = sizeof few_shapes / sizeof few_shapes[0] };

static sort_cell of_words(sort_cell c, scan_type type, uint32_t low_word_first) {
  c.spec.key_type = type;
  c.spec.key_words = 2;
  c.spec.low_word_first = low_word_first;
  return c;
}

static sort_cell keys_of(scan_type type, uint32_t low_word_first) {
  return of_words((sort_cell){ .spec = SCAN_SORT_SPEC_INIT(type) }, type, low_word_first);
}

static sort_cell pairs_of(scan_type type, uint32_t low_word_first, uint32_t bytes) {
  return of_words((sort_cell){ .spec = SCAN_SORT_PAIRS_INIT(type, bytes) }, type, low_word_first);
}

static sort_cell indices_of(scan_type type, uint32_t low_word_first, scan_type index_type) {
  return of_words((sort_cell){ .spec = SCAN_SORT_INDEX_INIT(type, index_type) }, type, low_word_first);
}

static void check_few(sort_cell c, uint64_t n) { sort_cells_few(c, n, (sort_shapes){ few_shapes, FEW_SHAPES }); }

static void check_many(sort_cell c, uint64_t n) {
  static const sort_shape shapes[] = { SORT_RANDOM, SORT_FEW, SORT_PIPES, SORT_ONE, SORT_DIGIT, SORT_TWO };
  sort_cells_many(c, n, (sort_shapes){ shapes, sizeof shapes / sizeof shapes[0] }, 1);
}

/* ---- keys ---- */

static void check_sizes(sort_cell c) {
  sort_cells_sizes(c, (sort_sizes){ edges, EDGES }, (sort_shapes){ few_shapes, 2 });
}

static void test_sizes(void **state) {
  sort_cell c = pairs_of(SCAN_U64, 0, 8);
  (void)state;
  check_sizes(keys_of(SCAN_U32, 0));
  check_sizes(keys_of(SCAN_I64, 0));
  check_sizes(indices_of(SCAN_I32, 1, SCAN_U32));
  c.spec.descending = 1;
  check_sizes(c);
}

static void test_keys(void **state) {
  (void)state;
  for (int t = 0; t < TYPES; t++)
    for (uint32_t low_first = 0; low_first < 2; low_first++) {
      check_few(keys_of(types[t], low_first), TILE + 100);
      check_few(pairs_of(types[t], low_first, 4), 2 * TILE + 5);
    }
}

static void test_many(void **state) {
  (void)state;
  check_many(keys_of(SCAN_I32, 0), MOST_N);
  check_many(keys_of(SCAN_I64, 0), MOST_N);
  check_many(keys_of(SCAN_U64, 1), 300007);
  check_many(pairs_of(SCAN_U32, 0, 8), 300007);
  check_many(pairs_of(SCAN_I64, 1, 4), 300007);
  check_many(indices_of(SCAN_U64, 0, SCAN_U32), 300007);
  check_many(pairs_of(SCAN_U64, 0, 12), 300007);
}

static void test_wide_shapes(void **state) {
  (void)state;
  sort_cells_all_shapes(keys_of(SCAN_I64, 0));
  sort_cells_all_shapes(pairs_of(SCAN_U64, 1, 8));
}

static void test_shapes(void **state) {
  (void)state;
  sort_cells_all_shapes(pairs_of(SCAN_I32, 0, 4));
  sort_cells_all_shapes(keys_of(SCAN_U32, 1));
}

/* Keys that differ in one digit: every other pass is left out. */
static void check_digits(sort_cell c) {
  const uint32_t digits = 2 * (uint32_t)scan_type_bytes(c.spec.key_type);
  scan_plan *plan = sort_bench_plan(&c, 2 * TILE);
  c.shape = SORT_DIGIT;
  for (c.digit = 0; c.digit < digits && plan != NULL; c.digit++) {
    c.n = 300 + c.digit;
    sort_bench_check(&c, plan);
    c.n = TILE + 77 + c.digit;
    sort_bench_check(&c, plan);
  }
  scan_plan_destroy(plan);
}

static void test_digits(void **state) {
  (void)state;
  for (uint32_t t = 0; t < TYPES; t++) check_digits(t % 2 ? keys_of(types[t], t / 2) : pairs_of(types[t], t / 2, 4));
}

/* ---- bits ---- */

static void test_bits(void **state) {
  static const uint32_t ranges[][2] = { { 0, 8 },  { 0, 32 }, { 32, 0 },  { 24, 40 },  { 8, 56 },    { 56, 64 },
                                        { 0, 64 }, { 64, 0 }, { 40, 88 }, { 16, 128 }, { 120, 128 }, { 64, 72 } };
  (void)state;
  for (uint32_t t = 0; t < TYPES; t++)
    for (uint32_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
      const uint32_t bits = 16 * (uint32_t)scan_type_bytes(types[t]);
      sort_cell c = r % 2 ? keys_of(types[t], r / 2 % 2) : pairs_of(types[t], r / 2 % 2, 4);
      if (ranges[r][0] >= bits || ranges[r][1] > bits) continue;
      if (!sort_cells_are_thorough() && (t + r) % 3 != 0) continue;
      c.spec.first_bit = ranges[r][0];
      c.spec.end_bit = ranges[r][1];
      sort_cells_bits(c, 2500);
    }
}

/* ---- all forms ---- */

static void test_forms(void **state) {
  static const uint32_t bytes[] = { 1, 8, 12, 64 };
  (void)state;
  for (uint32_t i = 0; i < 4; i++) check_few(pairs_of(types[i], i / 2, bytes[i]), TILE + 300);
  check_few(sort_cells_arrays(keys_of(SCAN_I32, 0), 3, sort_cells_mixed), TILE + 9);
  check_few(sort_cells_arrays(keys_of(SCAN_U64, 0), 2, sort_cells_mixed), 2000);
  check_few(indices_of(SCAN_U32, 0, SCAN_U64), 2 * TILE + 31);
  check_few(indices_of(SCAN_I64, 1, SCAN_U32), 2 * TILE + 31);
}

static void check_in_place(sort_cell c, uint32_t in_place) { sort_cells_in_place(c, in_place, SORT_DIGIT); }

static void test_in_place(void **state) {
  sort_cell c = sort_cells_arrays(keys_of(SCAN_I64, 0), 3, sort_cells_mixed);
  (void)state;
  check_in_place(keys_of(SCAN_I32, 0), SORT_ALL_OVER);
  check_in_place(keys_of(SCAN_U64, 1), SORT_ALL_OVER);
  check_in_place(pairs_of(SCAN_U32, 0, 4), SORT_ALL_OVER);
  check_in_place(pairs_of(SCAN_I64, 0, 8), SORT_ARRAY_OVER);
  check_in_place(c, SORT_ALL_OVER);
}

static void test_calls(void **state) {
  const sort_cell cells[] = { keys_of(SCAN_U32, 0), pairs_of(SCAN_I64, 0, 12), indices_of(SCAN_I32, 1, SCAN_U64),
                              keys_of(SCAN_U64, 0) };
  (void)state;
  sort_cells_calls(cells, sizeof cells / sizeof cells[0]);
}

static void test_shifted(void **state) {
  (void)state;
  sort_cells_shifts(pairs_of(SCAN_U32, 0, 4));
  sort_cells_shifts(pairs_of(SCAN_U64, 0, 8));
}

static void test_n_from(void **state) {
  sort_cell c = pairs_of(SCAN_I64, 0, 4);
  (void)state;
  sort_cells_n_from(keys_of(SCAN_U32, 0), SORT_DIGIT);
  sort_cells_n_from(c, SORT_DIGIT);
  c.spec.in_place = 1;
  c.in_place = SORT_ALL_OVER;
  sort_cells_n_from(c, SORT_DIGIT);
}

/* The order of pairs, told by C's comparisons. */
static void check_order(uint32_t low_word_first) {
  enum { N = 3000 };
  static int64_t in[N][2], out[N][2];
  const sort_cell c = { .spec = keys_of(SCAN_I64, low_word_first).spec, .n = N, .shape = SORT_EDGES };
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(in), scan_host(out));
  const int upper = low_word_first ? 1 : 0;
  sort_bench_keys(&c, (unsigned char *)in);
  const scan_status status = scan_sort(test_ctx(), &c.spec, N, &args);
  test_ok(test_ctx(), status, "scan_sort");
  for (int i = 1; i < N; i++) {
    const int64_t *a = out[i - 1], *b = out[i];
    if (a[upper] > b[upper] || (a[upper] == b[upper] && a[1 - upper] > b[1 - upper]))
      test_fail("low first %u: key %d comes before the one before it", low_word_first, i);
  }
  test_ran();
}

static void test_order(void **state) {
  (void)state;
  check_order(0);
  check_order(1);
}

/* ---- memory that the caller gives ---- */

static sort_cell with_scratch(sort_cell c) {
  c.spec.gives_scratch = 1;
  return c;
}

static void test_scratch_forms(void **state) {
  sort_cell c = { .spec = SCAN_SORT_SPEC_INIT(SCAN_U16) }, dropped = pairs_of(SCAN_U32, 0, 12);
  (void)state;
  check_few(with_scratch(c), TILE + 9);
  c.spec = (scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_U32, 4);
  check_few(with_scratch(c), TILE + 9);
  c.spec = (scan_sort_spec)SCAN_SORT_PAIRS_INIT(SCAN_F64, 8);
  check_few(with_scratch(c), TILE + 9);
  c.spec = (scan_sort_spec)SCAN_SORT_INDEX_INIT(SCAN_F32, SCAN_U64);
  check_few(with_scratch(c), TILE + 9);
  dropped.spec.drops_keys = 1;
  check_few(with_scratch(dropped), 2000);
  check_few(with_scratch(sort_cells_arrays(keys_of(SCAN_U64, 0), 3, sort_cells_mixed)), 2000);
}

static void test_scratch_ways(void **state) {
  sort_cell cells[] = { { .spec = SCAN_SORT_PAIRS_INIT(SCAN_U8, 3) }, keys_of(SCAN_U32, 0) };
  (void)state;
  for (int i = 0; i < 2; i++) cells[i] = with_scratch(cells[i]);
  sort_cells_calls(cells, 2);
  sort_cells_n_from(cells[0], SORT_DIGIT);
  sort_cells_in_place(cells[0], SORT_ALL_OVER, SORT_DIGIT);
  sort_cells_in_place(cells[1], SORT_ALL_OVER, SORT_DIGIT);
}

static void test_scratch_sizes(void **state) {
  sort_cell c = { .spec = SCAN_SORT_PAIRS_INIT(SCAN_U32, 4) };
  (void)state;
  check_sizes(with_scratch(c));
  check_many(with_scratch(c), 300007);
  check_many(with_scratch(keys_of(SCAN_I64, 0)), 300007);
}

/* What the plan of so many keys owns. */
static uint64_t own_bytes(sort_cell c, uint64_t n) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  scan_plan *plan = sort_bench_plan(&c, n);
  if (plan == NULL) return 0;
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  scan_plan_destroy(plan);
  return facts.workspace_bytes;
}

/* What the plan owns has no part for each key; the context's calls need no more than a plan for as many keys. */
static void check_facts(sort_cell c) {
  enum { N = 1 << 20 };
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  uint64_t bytes = 0, least_bytes = N * reference_key_bytes(&c.spec);
  for (c.spec.gives_scratch = 0; c.spec.gives_scratch < 2; c.spec.gives_scratch++) {
    scan_plan *plan = sort_bench_plan(&c, N);
    if (plan == NULL) return;
    test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
    test_ok(test_ctx(), scan_sort_scratch_bytes(test_ctx(), &c.spec, N, &bytes), "scan_sort_scratch_bytes");
    if (bytes != facts.scratch_bytes || (bytes != 0) != (c.spec.gives_scratch != 0))
      test_fail("scratch of %llu bytes, and of %llu", (unsigned long long)facts.scratch_bytes,
                (unsigned long long)bytes);
    const uint64_t of_twice = c.spec.gives_scratch ? own_bytes(c, 2 * N) : 0;
    if (c.spec.gives_scratch && (of_twice > facts.workspace_bytes + bytes / 4 || bytes < least_bytes))
      test_fail("plans of %llu and %llu bytes, and %llu that are given", (unsigned long long)facts.workspace_bytes,
                (unsigned long long)of_twice, (unsigned long long)bytes);
    if (!c.spec.gives_scratch && facts.workspace_bytes < least_bytes)
      test_fail("a plan of %llu bytes", (unsigned long long)facts.workspace_bytes);
    scan_plan_destroy(plan);
  }
  test_ran();
}

static void test_scratch_facts(void **state) {
  (void)state;
  if (test_info()->loop_limit) {
    test_skipped("2^20 keys: more than the device takes, or of tiles that are small");
    return;
  }
  check_facts(keys_of(SCAN_U32, 0));
  check_facts(pairs_of(SCAN_I64, 0, 12));
  check_facts((sort_cell){ .spec = SCAN_SORT_PAIRS_INIT(SCAN_U8, 8) });
}

/* ---- refusals ---- */

enum { PART = 8192, FEW = 100 };

static struct { scan_mem in, out, scratch; } memory;

static void refused(const scan_sort_spec *spec, const scan_sort_args *args, const char *words) {
  const scan_status status = scan_sort(test_ctx(), spec, FEW, args);
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
  test_ran();
}

static int refusals_setup(void **state) {
  (void)state;
  if (memory.in.kind != SCAN_MEM_NONE) return 0;
  test_ok(test_ctx(), scan_alloc(test_ctx(), PART, &memory.in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), PART, &memory.out), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), PART, &memory.scratch), "scan_alloc");
  return 0;
}

static void test_refused_words(void **state) {
  scan_sort_args args = SCAN_SORT_ARGS_INIT(memory.in, memory.out);
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  (void)state;
  spec.key_words = 3;
  refused(&spec, &args, "spec->key_words is 3");
  spec.key_words = 2;
  spec.low_word_first = 2;
  refused(&spec, &args, "spec->low_word_first is 2");
  for (spec.key_words = 0; spec.key_words < 2; spec.key_words++) {
    spec.low_word_first = 1;
    refused(&spec, &args, "spec->low_word_first is 1");
  }
  spec.low_word_first = 0;
  for (spec.key_type = SCAN_I8; spec.key_type <= SCAN_BF16; spec.key_type++)
    if ((spec.key_type < SCAN_I32 || spec.key_type > SCAN_U64) && test_has_type(spec.key_type))
      refused(&spec, &args, "SCAN_I32, SCAN_U32, SCAN_I64 or SCAN_U64");
  spec.key_type = SCAN_U32;
  args.keys_in = scan_offset(memory.in, 4);
  refused(&spec, &args, "args->keys_in is not aligned to 8 bytes");
  args.keys_in = scan_offset(memory.in, PART - 8 * FEW + 8);
  refused(&spec, &args, "is too small");
  spec.key_type = SCAN_U64;
  args.keys_in = scan_offset(memory.in, PART - 16 * FEW + 8);
  refused(&spec, &args, "is too small");
}

static void test_refused_bits(void **state) {
  static const struct {
    scan_type type;
    uint32_t first_bit, end_bit;
    const char *words;
  } cases[] = { { SCAN_U32, 0, 65, "spec->end_bit is 65" },     { SCAN_I64, 0, 129, "spec->end_bit is 129" },
                { SCAN_U32, 64, 0, "spec->first_bit is 64" },   { SCAN_I64, 128, 0, "spec->first_bit is 128" },
                { SCAN_I32, 4, 0, "both are multiples of 8" },  { SCAN_U64, 0, 127, "both are multiples of 8" },
                { SCAN_I64, 60, 68, "both are multiples of 8" } };
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(memory.in, memory.out);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    scan_sort_spec spec = keys_of(cases[i].type, i % 2).spec;
    spec.first_bit = cases[i].first_bit;
    spec.end_bit = cases[i].end_bit;
    refused(&spec, &args, cases[i].words);
  }
}

static void test_refused_scratch(void **state) {
  scan_sort_args args = SCAN_SORT_ARGS_INIT(memory.in, memory.out);
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U64);
  uint64_t bytes = 0;
  (void)state;
  args.scratch = memory.scratch;
  refused(&spec, &args, "args->scratch is given");
  spec.gives_scratch = 2;
  refused(&spec, &args, "spec->gives_scratch is 2");
  spec.gives_scratch = 1;
  args.scratch = SCAN_NO_MEM;
  refused(&spec, &args, "args->scratch is no memory");
  args.scratch = scan_offset(memory.scratch, 128);
  refused(&spec, &args, "args->scratch is not aligned to 256 bytes");
  test_ok(test_ctx(), scan_sort_scratch_bytes(test_ctx(), &spec, FEW, &bytes), "scan_sort_scratch_bytes");
  args.scratch = scan_offset(memory.scratch, (PART - bytes) / 256 * 256 + 256);
  refused(&spec, &args, "args->scratch is too small");
  args.scratch = scan_offset(memory.in, 512);
  refused(&spec, &args, "args->scratch and args->keys_in overlap");
  args.scratch = memory.out;
  refused(&spec, &args, "args->scratch and args->keys_out overlap");
  if (test_info()->backend != SCAN_BACKEND_HOST) {
    args.scratch = scan_host(&bytes);
    refused(&spec, &args, "args->scratch");
  }
  args.scratch = scan_offset(memory.scratch, (PART - bytes) / 256 * 256);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, FEW, &args), "scan_sort");
  if (scan_sort_scratch_bytes(test_ctx(), &spec, FEW, NULL) != SCAN_INVALID_ARGUMENT) test_fail("no bytes were taken");
  if (scan_sort_scratch_bytes(test_ctx(), NULL, FEW, &bytes) != SCAN_INVALID_ARGUMENT) test_fail("no spec was taken");
}

/* The argument, if any: a pattern of the tests that run. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sizes),
    cmocka_unit_test(test_keys),
    cmocka_unit_test(test_many),
    cmocka_unit_test(test_wide_shapes),
    cmocka_unit_test(test_shapes),
    cmocka_unit_test(test_digits),
    cmocka_unit_test(test_bits),
    cmocka_unit_test(test_forms),
    cmocka_unit_test(test_in_place),
    cmocka_unit_test(test_calls),
    cmocka_unit_test(test_shifted),
    cmocka_unit_test(test_n_from),
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_scratch_forms),
    cmocka_unit_test(test_scratch_ways),
    cmocka_unit_test(test_scratch_sizes),
    cmocka_unit_test(test_scratch_facts),
    cmocka_unit_test_setup(test_refused_words, refusals_setup),
    cmocka_unit_test_setup(test_refused_bits, refusals_setup),
    cmocka_unit_test_setup(test_refused_scratch, refusals_setup),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  (void)test_device_open();
  sort_bench_open(MOST_BYTES, MOST_N);
  return test_exit(cmocka_run_group_tests_name("sort_words", tests, NULL, NULL));
}
