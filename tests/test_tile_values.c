/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the values of tiles and of groups of tiles (scan_tiles.h): tiles against plain loops if the order of operations
 * does not matter; groups against trees of tiles, and against results of the scan. */
#include <scanrt/scan_tiles.h>

#include "operators.h"
#include "reference.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = (2 << 20) + 5000, GROUP_TILES = 128, POISON = 0xA5, SLOT = 64 };

typedef scan_status values_call(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in, scan_mem values,
                                uint64_t *value_items);

static struct {
  struct rng rng;
  _Alignas(64) unsigned char in[MOST * 4], want[MOST * 4], got[MOST * 4], tree[MOST];
  scan_mem from, values; /* device memory */
} fixture = { .rng = { 0x711e } };

static const int is_backward[] = { 0, 1 };

static uint64_t most_items(void) {
  if (test_info()->loop_limit) return 8000; /* close to the limit */
  return test_is_small() ? 20000 : MOST;
}

static void fail_tile(const char *what, uint64_t n, int backward, uint64_t tile) {
  test_fail("%s, %llu elements%s: tile %llu is wrong", what, (unsigned long long)n, backward ? ", backward" : "",
            (unsigned long long)tile);
}

/* Reduces into device memory and into host memory; returns the number of values. */
static uint64_t reduce_by(values_call *call, const char *name, const scan_spec *spec, uint64_t n, uint64_t value_bytes,
                          uint64_t *value_items) {
  scan_ctx *ctx = test_ctx();
  test_ok(ctx, call(ctx, spec, n, fixture.from, fixture.values, value_items), name);
  const uint64_t values = n / *value_items;
  memset(fixture.got, POISON, values * value_bytes + SLOT);
  test_ok(ctx, call(ctx, spec, n, fixture.from, scan_host(fixture.got), NULL), name);
  for (uint64_t i = 0; i < SLOT; i++)
    if (fixture.got[values * value_bytes + i] != POISON) test_fail("%s: bytes behind the values were written", name);
  unsigned char *there = fixture.want; /* not in use yet */
  test_ok(ctx, scan_read(ctx, fixture.values, there, values * value_bytes), "scan_read");
  if (memcmp(there, fixture.got, values * value_bytes) != 0)
    test_fail("%s: the host and the device are told different values", name);
  test_ran();
  return values;
}

static uint64_t reduce(const scan_spec *spec, uint64_t n, uint64_t value_bytes, uint64_t *tile_items) {
  return reduce_by(scan_tile_values, "scan_tile_values", spec, n, value_bytes, tile_items);
}

/* ---- groups: trees of 128 tiles ---- */

typedef void combine_call(const void *a, const void *b, void *result, void *user);

static void add_f32(const void *a, const void *b, void *result, void *user) {
  const float sum = *(const float *)a + *(const float *)b;
  (void)user;
  memcpy(result, &sum, sizeof sum);
}

static void multiply_f64(const void *a, const void *b, void *result, void *user) {
  const double product = *(const double *)a * *(const double *)b;
  (void)user;
  memcpy(result, &product, sizeof product);
}

/* Folds pairs, pairs of pairs and so on, in fixture.tree. */
static const unsigned char *fold(combine_call *combine, const unsigned char *tiles, uint64_t bytes) {
  _Alignas(64) unsigned char both[64];
  memcpy(fixture.tree, tiles, GROUP_TILES * bytes);
  for (uint64_t count = GROUP_TILES / 2; count > 0; count /= 2)
    for (uint64_t i = 0; i < count; i++) {
      combine(fixture.tree + 2 * i * bytes, fixture.tree + (2 * i + 1) * bytes, both, NULL);
      memcpy(fixture.tree + i * bytes, both, bytes);
    }
  return fixture.tree;
}

/* Leaves the groups' values in fixture.got. Returns their number; sets *group_items. */
static uint64_t check_trees(const char *what, const scan_spec *spec, combine_call *combine, uint64_t n, uint64_t bytes,
                            uint64_t *group_items) {
  uint64_t tile_items = 0;
  const uint64_t tiles = reduce(spec, n, bytes, &tile_items);
  unsigned char *trees = malloc(tiles / GROUP_TILES * bytes + 1);
  assert_non_null(trees);
  for (uint64_t g = 0; g < tiles / GROUP_TILES; g++)
    memcpy(trees + g * bytes, fold(combine, fixture.got + g * GROUP_TILES * bytes, bytes), bytes);
  const uint64_t groups = reduce_by(scan_group_values, "scan_group_values", spec, n, bytes, group_items);
  assert_int_equal(*group_items, GROUP_TILES * tile_items);
  for (uint64_t g = 0; g < groups; g++)
    if (memcmp(trees + g * bytes, fixture.got + g * bytes, bytes) != 0)
      test_fail("%s, %llu elements: group %llu is no tree of its tiles", what, (unsigned long long)n,
                (unsigned long long)g);
  free(trees);
  return groups;
}

/* ---- integers, and halves with small integer values ---- */

static int64_t value_at(scan_type type, const void *list, uint64_t i) {
  if (type == SCAN_I32) return ((const int32_t *)list)[i];
  if (type == SCAN_I64) return ((const int64_t *)list)[i];
  return (int64_t)((const float *)list)[i];
}

static void check_sums(scan_type input, scan_type type, scan_type value, uint64_t n, int backward) {
  scan_spec spec = SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_EXCLUSIVE);
  uint64_t items = 0;
  spec.input_type = input == type ? SCAN_TYPE_DEFAULT : input;
  spec.flags = backward ? SCAN_BACKWARD : 0u;
  const uint64_t tiles = reduce(&spec, n, value == SCAN_I64 ? 8 : 4, &items);
  for (uint64_t t = 0; t < tiles; t++) {
    int64_t sum = 0;
    for (uint64_t k = t * items; k < (t + 1) * items; k++) {
      const uint64_t i = backward ? n - 1 - k : k;
      sum += input == SCAN_I32 ? ((const int32_t *)(const void *)fixture.in)[i]
                               : (int64_t)(((const uint16_t *)(const void *)fixture.in)[i] != 0);
    }
    if (value_at(value, fixture.got, t) != sum) fail_tile(scan_type_name(type), n, backward, t);
  }
}

static void test_sums(void **state) {
  static const uint64_t sizes[] = { 1, 1023, 1025, 2050, 8192, 8193, 131072, 131073, 700001 };
  scan_ctx *ctx = test_ctx();
  (void)state;
  for (uint64_t i = 0; i < MOST; i++)
    ((int32_t *)(void *)fixture.in)[i] = (int32_t)rng_below(&fixture.rng, 2001) - 1000;
  test_ok(ctx, scan_write(ctx, fixture.from, fixture.in, MOST * 4), "scan_write");
  for (size_t b = 0; b < 2; b++)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] <= most_items(); i++) {
      check_sums(SCAN_I32, SCAN_I32, SCAN_I32, sizes[i], is_backward[b]);
      check_sums(SCAN_I32, SCAN_I64, SCAN_I64, sizes[i], is_backward[b]);
    }
  for (uint64_t i = 0; i < MOST; i++) /* 1.0 or 0 */
    ((uint16_t *)(void *)fixture.in)[i] = rng_below(&fixture.rng, 2) ? 0x3c00 : 0;
  test_ok(ctx, scan_write(ctx, fixture.from, fixture.in, MOST * 2), "scan_write");
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] <= most_items(); i++)
    check_sums(SCAN_F16, SCAN_F16, SCAN_F32, sizes[i], 0);
}

/* ---- floating point ---- */

static void test_groups(void **state) {
  scan_ctx *ctx = test_ctx();
  const uint64_t n = MOST;
  float *out = (float *)(void *)fixture.want, before = 0;
  (void)state;
  if (most_items() < n) skip();
  for (uint64_t i = 0; i < n; i++)
    ((float *)(void *)fixture.in)[i] = (float)rng_below(&fixture.rng, 1 << 20) * 1e-3f - 400.0f;
  test_ok(ctx, scan_write(ctx, fixture.from, fixture.in, n * 4), "scan_write");
  for (size_t b = 0; b < 2; b++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_EXCLUSIVE);
    uint64_t items = 0;
    spec.flags = is_backward[b] ? SCAN_BACKWARD : 0u;
    const uint64_t groups = check_trees(b ? "f32, backward" : "f32", &spec, add_f32, n, 4, &items);
    assert_true(groups >= 2);
    test_ok(ctx, scan_run(ctx, &spec, n, scan_host(fixture.in), scan_host(out)), "scan_run");
    before = 0;
    for (uint64_t g = 0; g < groups; g++) {
      before += ((const float *)(const void *)fixture.got)[g];
      const uint64_t place = (g + 1) * items;
      if (memcmp(&out[is_backward[b] ? n - 1 - place : place], &before, sizeof before) != 0)
        fail_tile("f32, the first of group", n, is_backward[b], g + 1);
    }
  }
}

/* Tests a group of small tiles, the same and a few elements more, and less than a group. */
static void test_small_groups(void **state) {
  static const uint64_t group = 128 * 512;
  scan_ctx *ctx = test_ctx();
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F64, SCAN_MUL, SCAN_INCLUSIVE);
  uint64_t items = 0;
  (void)state;
  if (!test_has_type(SCAN_F64) || test_info()->loop_limit) skip();
  for (uint64_t i = 0; i < group + 5; i++)
    ((double *)(void *)fixture.in)[i] = 1.0 + ((double)rng_below(&fixture.rng, 2001) - 1000.0) * 1e-7;
  test_ok(ctx, scan_write(ctx, fixture.from, fixture.in, (group + 5) * 8), "scan_write");
  assert_int_equal(check_trees("f64", &spec, multiply_f64, group, 8, &items), 1);
  assert_int_equal(check_trees("f64", &spec, multiply_f64, group - 1, 8, &items), 0);
  assert_int_equal(check_trees("f64", &spec, multiply_f64, group + 5, 8, &items), 0); /* would be of large tiles */
  assert_int_equal(items, 8 * group);
}

/* ---- operators from source ---- */

static void check_source(const source_structure *c, scan_op *op, uint64_t n) {
  const uint64_t bytes = c->source.value_bytes;
  const struct reference_operator reference = { bytes, c->source.host, 0, NULL };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, (scan_op_id)0, SCAN_INCLUSIVE);
  uint64_t items = 0;
  spec.custom_op = op;
  const uint64_t tiles = reduce(&spec, n, bytes, &items);
  for (uint64_t t = 0; t < tiles; t++) {
    reference_operator_scan(&reference, 0, SCAN_INCLUSIVE, NULL, items, fixture.in + t * items * bytes, fixture.want);
    if (memcmp(fixture.want + (items - 1) * bytes, fixture.got + t * bytes, bytes) != 0) fail_tile(c->name, n, 0, t);
  }
}

/* Calls `check` with the operator of this name. */
static void with_operator(const char *name, void (*check)(const source_structure *c, scan_op *op)) {
  const source_structure *c = operator_named(name);
  scan_op *op = NULL;
  test_ok(test_ctx(), scan_op_create(test_ctx(), &c->source, &op), "scan_op_create");
  check(c, op);
  scan_op_destroy(op);
}

static void fill(const source_structure *c, uint64_t n) {
  scan_ctx *ctx = test_ctx();
  operator_fill(c, &fixture.rng, n, fixture.in);
  test_ok(ctx, scan_write(ctx, fixture.from, fixture.in, n * c->source.value_bytes), "scan_write");
}

static void check_link(const source_structure *c, scan_op *op) {
  const uint64_t most = most_items() < 19000 ? 7000 : 19000;
  fill(c, most);
  check_source(c, op, 100);
  check_source(c, op, most);
}

/* Tests values that show the order: one group of small tiles and several of large ones, in both directions. */
static void check_affine(const source_structure *c, scan_op *op) {
  static const uint64_t sizes[] = { 128 * 512, 2 * 128 * 4096 + 777 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, (scan_op_id)0, SCAN_INCLUSIVE);
  uint64_t items = 0;
  spec.custom_op = op;
  for (size_t i = 0; i < 2; i++) {
    fill(c, sizes[i]);
    for (size_t b = 0; b < 2; b++) {
      spec.flags = is_backward[b] ? SCAN_BACKWARD : 0u;
      assert_int_equal(check_trees(c->name, &spec, c->source.host, sizes[i], c->source.value_bytes, &items), i + 1);
    }
  }
}

static void test_source(void **state) {
  (void)state;
  with_operator("link", check_link);
}

static void test_source_groups(void **state) {
  (void)state;
  if (test_info()->loop_limit) skip();
  with_operator("affine", check_affine);
}

/* ---- refusals ---- */

static void check_refused(const scan_spec *spec, scan_mem in, scan_mem values, scan_status want, const char *words) {
  test_refusal(test_ctx(), scan_tile_values(test_ctx(), spec, 8192, in, values, NULL), want, words);
}

static void check_no_groups(const scan_spec *spec, const char *words) {
  const scan_status got = scan_group_values(test_ctx(), spec, MOST, fixture.from, fixture.values, NULL);
  test_refusal(test_ctx(), got, SCAN_UNSUPPORTED, words);
}

static void test_refusals(void **state) {
  const scan_spec plain = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_spec spec = plain;
  (void)state;
  spec.segments = SCAN_SEGMENTS_FLAGS;
  check_refused(&spec, fixture.from, fixture.values, SCAN_UNSUPPORTED, "segments must be 0");
  spec = plain;
  spec.flags = SCAN_CHECK_OVERFLOW;
  check_refused(&spec, fixture.from, fixture.values, SCAN_UNSUPPORTED, "SCAN_CHECK_OVERFLOW");
  check_refused(&plain, scan_host(fixture.in), fixture.values, SCAN_UNSUPPORTED, "scan_write");
  check_refused(&plain, scan_offset(fixture.from, 1), fixture.values, SCAN_INVALID_ARGUMENT, "in is not aligned");
  check_refused(&plain, fixture.from, scan_host(NULL), SCAN_INVALID_ARGUMENT, "values");
  check_no_groups(&plain, "scan_group_values: of integers, minima and maxima no order");
  spec = (scan_spec)SCAN_SPEC_INIT(SCAN_F32, SCAN_MAX, SCAN_INCLUSIVE);
  check_no_groups(&spec, "SCAN_TOTAL");
  spec.op = SCAN_ADD;
  spec.segments = SCAN_SEGMENTS_FLAGS;
  check_no_groups(&spec, "scan_group_values: spec->segments must be 0");
  test_ok(test_ctx(), scan_tile_values(test_ctx(), &plain, 0, fixture.from, fixture.values, NULL), "of nothing");
  const scan_mem none = SCAN_NO_MEM;
  test_ok(test_ctx(), scan_tile_values(test_ctx(), &plain, MOST, none, none, NULL), "preparation");
}

static void test_on_the_host(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  (void)state;
  check_refused(&spec, fixture.from, fixture.values, SCAN_UNSUPPORTED, "the host reduces no tiles");
  check_no_groups(&spec, "scan_group_values: the host reduces no tiles");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sums),          cmocka_unit_test(test_groups),
    cmocka_unit_test(test_small_groups),  cmocka_unit_test(test_source),
    cmocka_unit_test(test_source_groups), cmocka_unit_test_setup(test_refusals, test_count_setup),
  };
  const struct CMUnitTest on_the_host[] = { cmocka_unit_test_setup(test_on_the_host, test_count_setup) };
  scan_ctx *ctx = test_device_open();
  if (scan_alloc(ctx, sizeof fixture.in, &fixture.from) != SCAN_SUCCESS ||
      scan_alloc(ctx, sizeof fixture.in, &fixture.values) != SCAN_SUCCESS) {
    fprintf(stderr, "%s\n", scan_last_error(ctx));
    return 1;
  }
  if (test_info()->backend == SCAN_BACKEND_HOST)
    return test_exit(cmocka_run_group_tests_name("tile_values", on_the_host, NULL, NULL));
  return test_exit(cmocka_run_group_tests_name("tile_values", tests, NULL, NULL));
}
