/* SPDX-License-Identifier: BSD-2-Clause */
/* Compactions whose outputs are their inputs, against plain loops: every way to say what is kept, elements of several
 * sizes, one array and two; nothing outside of the arrays changes. */
#include <scanrt/scan_select.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "support.h"
#include "values.h"

enum { TILE = 8192, MARGIN = 64, ARRAYS = 2, MOST_N = 40 * TILE + 77, POISON = 0xA5 };

typedef struct cell {
  scan_select_by by;
  scan_select_rest rest;
  uint32_t bytes, arrays, percent, shift;
  uint64_t n;
  int is_host;
} cell;

static struct {
  struct rng rng;
  unsigned char *kept, *image, *want, *rest, *marks;
  scan_mem memory, rest_memory, marks_memory, count;
  uint64_t bytes;
} bench = { .rng = { 0x1297ace } };

/* Where an array begins, in the image of all. */
static uint64_t array_at(const cell *c, uint32_t a) {
  return (uint64_t)a * (bench.bytes / ARRAYS) + MARGIN + (uint64_t)c->shift * c->bytes;
}

static scan_mem of(const cell *c, scan_mem memory, unsigned char *image, uint64_t at) {
  return c->is_host ? scan_host(image + at) : scan_offset(memory, at);
}

static uint32_t key_at(const cell *c, uint64_t i) {
  uint32_t key;
  memcpy(&key, bench.image + array_at(c, 0) + i * c->bytes, sizeof key);
  return key;
}

static int is_by_runs(const cell *c) { return c->by == SCAN_SELECT_FIRST || c->by == SCAN_SELECT_LAST; }

static void fill(const cell *c) {
  for (uint64_t i = 0; i < bench.bytes; i += 8) {
    const uint64_t random = rng_next(&bench.rng);
    memcpy(bench.image + i, &random, 8);
  }
  for (uint64_t i = 0; i < c->n; i++) {
    unsigned char *element = bench.image + array_at(c, 0) + i * c->bytes;
    bench.kept[i] = rng_below(&bench.rng, 100) < c->percent;
    if (is_by_runs(c) && i > 0 && !bench.kept[i]) memcpy(element, element - c->bytes, c->bytes);
  }
  for (uint64_t i = 0; i < c->n && is_by_runs(c); i++)
    bench.kept[i] = c->by == SCAN_SELECT_FIRST ? i == 0 || key_at(c, i) != key_at(c, i - 1)
                                               : i + 1 == c->n || key_at(c, i) != key_at(c, i + 1);
  memset(bench.marks, 0, MOST_N);
  for (uint64_t i = 0; i < c->n; i++)
    if (bench.kept[i]) bench.marks[c->by == SCAN_SELECT_BITS ? i / 8 : i] |= (unsigned char)(1u << i % 8);
}

/* What the image and the rest must hold; of what is behind the kept nothing is said. Returns how many are kept. */
static uint64_t expect(const cell *c, unsigned char *want_rest) {
  uint64_t kept = 0;
  memcpy(bench.want, bench.image, bench.bytes);
  for (uint32_t a = 0; a < c->arrays; a++) {
    unsigned char *to = bench.want + array_at(c, a), *rest = want_rest + array_at(c, a);
    const unsigned char *from = bench.image + array_at(c, a);
    kept = 0;
    for (uint64_t i = 0; i < c->n; i++)
      if (bench.kept[i]) memcpy(to + kept++ * c->bytes, from + i * c->bytes, c->bytes);
    if (c->rest == SCAN_REST_BEHIND) rest = to + kept * c->bytes;
    for (uint64_t i = 0, others = 0; i < c->n && c->rest != SCAN_REST_DROPPED; i++)
      if (!bench.kept[i]) memcpy(rest + others++ * c->bytes, from + i * c->bytes, c->bytes);
  }
  return kept;
}

static void compare(const cell *c, uint64_t kept, const unsigned char *want_rest) {
  for (uint32_t a = 0; a < c->arrays && c->rest == SCAN_REST_DROPPED; a++) {
    const uint64_t behind = array_at(c, a) + kept * c->bytes;
    memcpy(bench.image + behind, bench.want + behind, (c->n - kept) * c->bytes);
  }
  if (memcmp(bench.image, bench.want, bench.bytes) != 0 ||
      (c->rest == SCAN_REST_APART && memcmp(bench.rest, want_rest, bench.bytes) != 0))
    test_fail("by %d, rest %d, %u arrays of %u bytes, n=%llu, %u%%, shift %u, host %d: a byte is wrong", (int)c->by,
              (int)c->rest, c->arrays, c->bytes, (unsigned long long)c->n, c->percent, c->shift, c->is_host);
}

static scan_select_spec spec_of(const cell *c) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(c->by, c->bytes);
  spec.in_place = 1;
  spec.rest = c->rest;
  spec.arrays = c->arrays;
  spec.element_bytes[1] = c->bytes;
  if (is_by_runs(c)) spec.key_type = SCAN_U32;
  return spec;
}

static void write_all(const cell *c) {
  if (c->is_host) return;
  test_ok(test_ctx(), scan_write(test_ctx(), bench.memory, bench.image, bench.bytes), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), bench.rest_memory, bench.rest, bench.bytes), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), bench.marks_memory, bench.marks, MOST_N), "scan_write");
}

static void read_all(const cell *c, uint64_t *count) {
  test_ok(test_ctx(), scan_read(test_ctx(), bench.count, count, sizeof *count), "scan_read");
  if (c->is_host) return;
  test_ok(test_ctx(), scan_read(test_ctx(), bench.memory, bench.image, bench.bytes), "scan_read");
  test_ok(test_ctx(), scan_read(test_ctx(), bench.rest_memory, bench.rest, bench.bytes), "scan_read");
}

static void check(const cell *c, scan_plan *plan) {
  const scan_select_spec spec = spec_of(c);
  scan_select_args args = { .struct_bytes = sizeof args, .count = bench.count };
  unsigned char *want_rest = reference_alloc(bench.bytes);
  uint64_t count = 0;
  memset(bench.rest, POISON, bench.bytes);
  memset(want_rest, POISON, bench.bytes);
  fill(c);
  const uint64_t kept = expect(c, want_rest);
  write_all(c);
  for (uint32_t a = 0; a < c->arrays; a++) {
    args.in[a] = args.out[a] = of(c, bench.memory, bench.image, array_at(c, a));
    if (c->rest == SCAN_REST_APART) args.rest[a] = of(c, bench.rest_memory, bench.rest, array_at(c, a));
  }
  if (!is_by_runs(c)) args.marks = of(c, bench.marks_memory, bench.marks, 0);
  test_ok(test_ctx(),
          c->is_host ? scan_select(test_ctx(), &spec, c->n, &args) : scan_plan_run_select(plan, c->n, &args),
          "a compaction in place");
  read_all(c, &count);
  if (count != kept) test_fail("%llu are kept, not %llu", (unsigned long long)count, (unsigned long long)kept);
  compare(c, kept, want_rest);
  free(want_rest);
  test_ran();
}

static void check_sizes(cell c) {
  static const uint64_t sizes[] = { 1, 33, TILE - 1, TILE, TILE + 1, 5 * TILE + 123, MOST_N };
  static const uint32_t percents[] = { 50, 1, 99, 0, 100, 50, 90 };
  const scan_select_spec spec = spec_of(&c);
  const int count = test_is_small() ? 4 : test_info()->loop_limit ? 5 : 7;
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_plan_create_select(test_ctx(), &spec, MOST_N, &plan), "scan_plan_create_select");
  for (int i = 0; i < count; i++) {
    c.n = sizes[i];
    c.percent = percents[i];
    c.shift = (uint32_t)i % 5;
    check(&c, plan);
  }
  c.is_host = 1;
  check(&c, NULL);
  scan_plan_destroy(plan);
}

static void test_elements(void **state) {
  static const uint32_t bytes[] = { 1, 2, 3, 4, 8, 12, 16 };
  (void)state;
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i += test_is_small() ? 3 : 1)
    check_sizes((cell){ .by = i % 2 ? SCAN_SELECT_BITS : SCAN_SELECT_FLAGS, .bytes = bytes[i], .arrays = 1 });
}

static void test_rest(void **state) {
  (void)state;
  for (scan_select_rest rest = SCAN_REST_DROPPED; rest <= SCAN_REST_APART; rest++)
    for (uint32_t arrays = 1; arrays <= 2; arrays++)
      check_sizes((cell){ .by = SCAN_SELECT_FLAGS, .rest = rest, .bytes = 4, .arrays = arrays });
}

static void test_unique(void **state) {
  (void)state;
  for (scan_select_by by = SCAN_SELECT_FIRST; by <= SCAN_SELECT_LAST; by++)
    for (scan_select_rest rest = SCAN_REST_DROPPED; rest <= SCAN_REST_APART; rest++)
      check_sizes((cell){ .by = by, .rest = rest, .bytes = 4, .arrays = 1 + (rest == SCAN_REST_APART) });
}

/* Where nothing was said of it, where the places differ, and over bits. */
static void test_refused(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_BITS, 4);
  scan_select_args args = SCAN_SELECT_ARGS_INIT(bench.marks_memory, bench.memory, bench.memory, bench.count);
  (void)state;
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("in place without a word was taken");
  spec.in_place = 1;
  args.out[0] = scan_offset(bench.memory, 4);
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("an output one element off was taken");
  args.out[0] = bench.memory;
  args.marks = bench.memory;
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("an output over bits was taken");
  spec = (scan_select_spec)SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FLAGS, SCAN_U32);
  spec.in_place = 1;
  if (scan_select(ctx, &spec, 100, &args) != SCAN_INVALID_ARGUMENT) test_fail("indices in place were taken");
  test_ran();
}

static void open_bench(void) {
  scan_ctx *ctx = test_device_open();
  bench.bytes = ARRAYS * ((uint64_t)MOST_N * 16 + 4 * MARGIN + 128);
  bench.kept = reference_alloc(MOST_N);
  bench.marks = reference_alloc(MOST_N);
  bench.image = reference_alloc(bench.bytes);
  bench.want = reference_alloc(bench.bytes);
  bench.rest = reference_alloc(bench.bytes);
  test_ok(ctx, scan_alloc(ctx, bench.bytes, &bench.memory), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, bench.bytes, &bench.rest_memory), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, MOST_N, &bench.marks_memory), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, sizeof(uint64_t), &bench.count), "scan_alloc");
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_elements), cmocka_unit_test(test_rest),
                                      cmocka_unit_test(test_unique), cmocka_unit_test(test_refused) };
  open_bench();
  return test_exit(cmocka_run_group_tests_name("select_in_place", tests, NULL, NULL));
}
