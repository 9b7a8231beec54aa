/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the normalisation of shapes and strides, the overlap of inputs and outputs, and the choice of kernels for lines
 * on a device. Arithmetic only, no device. */
#include "strategy/array/array.h"
#include "support.h"
#include "base/types.h"
#include "device/cuda/cuda_catalogue.h"

#include <string.h>

static const scan_caps h200 = { .info = { .backend = SCAN_BACKEND_CUDA, .compute_units = 132, .max_group_items = 1024 },
                                .tuning = { .group_items = 256, .groups_per_unit = 2 } };
static const scan_caps gpu = { .info = { .backend = SCAN_BACKEND_OPENCL, .compute_units = 16, .max_group_items = 512 },
                               .tuning = { .group_items = 256, .groups_per_unit = 2 } };
static const scan_caps pocl = { .info = { .backend = SCAN_BACKEND_OPENCL, .compute_units = 2, .is_cpu = 1 },
                                .tuning = { .group_items = 1, .groups_per_unit = 2 } };
static const scan_caps llvmpipe = { .info = { .backend = SCAN_BACKEND_OPENCL, .compute_units = 8, .is_cpu = 1 },
                                    .tuning = { .group_items = 1, .groups_per_unit = 2 },
                                    .loop_limit = 65535 };
static const scan_caps host = { .info = { .backend = SCAN_BACKEND_HOST, .compute_units = 6, .is_cpu = 1 },
                                .tuning = { .group_items = 1, .one_thread_bytes = 1 << 16 } };

static scan_array array_of(uint32_t ndim, const uint64_t *shape, const int64_t *in, const int64_t *out, uint32_t axis) {
  scan_array a = SCAN_ARRAY_INIT;
  a.ndim = ndim;
  a.axis = axis;
  memcpy(a.shape, shape, ndim * sizeof *shape);
  memcpy(a.in_strides, in, ndim * sizeof *in);
  memcpy(a.out_strides, out, ndim * sizeof *out);
  return a;
}

static array_lines normalised(const scan_array *a, int backward) {
  array_lines lines;
  const array_scan scan = { .in_bytes = 4, .out_bytes = 4, .backward = backward };
  test_ok(NULL, scan_array_normalise(a, &scan, &lines, scan_thread_error()), "scan_array_normalise");
  return lines;
}

static array_lines packed_either(uint64_t a, uint64_t b, uint64_t c, uint32_t axis, int backward) {
  const uint64_t shape[] = { a, b, c };
  const int64_t strides[] = { (int64_t)(4 * b * c), (int64_t)(4 * c), 4 };
  const scan_array array = array_of(3, shape, strides, strides, axis);
  return normalised(&array, backward);
}

static array_lines packed(uint64_t a, uint64_t b, uint64_t c, uint32_t axis) { return packed_either(a, b, c, axis, 0); }

static void expect_axis(const array_lines *lines, uint64_t a, uint64_t extent, int64_t in, int64_t out) {
  assert_true(a < lines->axes);
  assert_int_equal(lines->axis[a].extent, extent);
  assert_int_equal(lines->axis[a].in_stride, in);
  assert_int_equal(lines->axis[a].out_stride, out);
}

static void test_merging(void **state) {
  (void)state;
  array_lines l = packed(5, 6, 7, 2);
  assert_true(l.n == 7 && l.lines == 30 && l.axes == 1 && l.in_step == 4);
  expect_axis(&l, 0, 30, 28, 28);
  l = packed(5, 6, 7, 0);
  assert_true(l.n == 5 && l.lines == 42 && l.axes == 1 && l.in_step == 168);
  expect_axis(&l, 0, 42, 4, 4);
  l = packed(5, 6, 7, 1);
  assert_true(l.n == 6 && l.lines == 35 && l.axes == 2 && l.in_step == 28);
  expect_axis(&l, 0, 7, 4, 4);
  expect_axis(&l, 1, 5, 168, 168);
  l = packed(1, 6, 1, 1);
  assert_true(l.n == 6 && l.lines == 1 && l.axes == 0 && l.in_step == 4);
  l = packed(5, 1, 7, 1);
  assert_true(l.n == 1 && l.lines == 35 && l.axes == 1 && l.in_step == 4 && l.out_step == 4);
  l = packed(5, 0, 7, 0);
  assert_true(l.lines == 0 && l.n == 0);
}

static void test_strides(void **state) {
  const uint64_t shape[] = { 5, 6 };
  const int64_t transposed[] = { 4, 20 }, straight[] = { 24, 4 }, mirrored[] = { -24, -4 }, shared[] = { 0, 4 };
  (void)state;
  scan_array a = array_of(2, shape, transposed, straight, 1);
  array_lines l = normalised(&a, 0);
  assert_true(l.in_step == 20 && l.out_step == 4);
  expect_axis(&l, 0, 5, 4, 24);
  a = array_of(2, shape, mirrored, mirrored, 1);
  l = normalised(&a, 0);
  assert_true(l.in_step == -4 && l.in_start == -96 && l.out_start == -96); /* other axes are reversed */
  assert_true(l.in.first == -116 && l.in.end == 4 && l.out.first == -116);
  expect_axis(&l, 0, 5, 24, 24);
  l = normalised(&a, 1);
  assert_true(l.in_step == 4 && l.in_start == -96 - 20 && l.out_start == -116);
  a = array_of(2, shape, straight, straight, 0);
  l = normalised(&a, 1);
  assert_true(l.in_step == -24 && l.in_start == 96);
  a = array_of(2, shape, shared, straight, 1);
  l = normalised(&a, 0);
  expect_axis(&l, 0, 5, 0, 24);
  assert_true(l.in.end == 24 && l.out.end == 120);
  assert_true(scan_array_is_dense(&l, 4));
}

/* If indices are needed, axes that are contiguous only in memory are not merged. */
static void test_indices(void **state) {
  const uint64_t shape[] = { 5, 6, 7 };
  const int64_t reversed[] = { -4, 20, 120 };
  (void)state;
  const scan_array a = array_of(3, shape, reversed, reversed, 2), c = array_of(3, shape, reversed, reversed, 0);
  array_lines l;
  for (int indexed = 0; indexed < 2; indexed++) {
    const array_scan scan = { .in_bytes = 4, .out_bytes = 4, .indexed = indexed };
    test_ok(NULL, scan_array_normalise(&a, &scan, &l, scan_thread_error()), "scan_array_normalise");
    assert_true(l.axes == (indexed ? 2 : 1) && l.axis[0].extent == (indexed ? 5 : 30));
    assert_true(l.index_step == indexed && l.index_start == indexed * 4 * 42);
  }
  assert_true(l.axis[0].index_stride == -42 && l.axis[1].index_stride == 7);
  const array_scan scan = { .in_bytes = 4, .out_bytes = 4, .backward = 1, .indexed = 1 };
  test_ok(NULL, scan_array_normalise(&c, &scan, &l, scan_thread_error()), "scan_array_normalise");
  assert_true(l.index_step == 42 && l.index_start == 0 && l.axes == 2); /* steps along the line */
}

/* Strides near 2^63, whose negatives and sums do not fit 64 bits, are refused with the number of the axis. */
static void test_far_strides(void **state) {
  (void)state;
  const uint64_t shape[] = { 2, 3 };
  const int64_t near[] = { 12, 4 }, far[] = { INT64_MIN, INT64_MIN / 2, INT64_MAX / 4 * 4, (INT64_C(1) << 61) + 4 };
  const array_scan scan = { .in_bytes = 4, .out_bytes = 4, .backward = 1 };
  array_lines lines;
  for (size_t f = 0; f < sizeof far / sizeof far[0]; f++) {
    const int64_t strides[] = { far[f], 4 };
    scan_array a = array_of(2, shape, strides, near, f % 2);
    assert_int_equal(scan_array_normalise(&a, &scan, &lines, scan_thread_error()), SCAN_INVALID_ARGUMENT);
    assert_non_null(strstr(scan_thread_error()->text, "axis 0"));
    a = array_of(2, shape, near, strides, f % 2);
    assert_int_equal(scan_array_normalise(&a, &scan, &lines, scan_thread_error()), SCAN_INVALID_ARGUMENT);
  }
  const int64_t last[] = { -(INT64_C(1) << 61), 4 };
  const scan_array a = array_of(2, shape, last, last, 0);
  lines = normalised(&a, 1);
  assert_true(lines.in_step == INT64_C(1) << 61);
  assert_int_equal(scan_array_relation(&lines, 4, 4, INT64_MAX), 0);
  assert_int_equal(scan_array_relation(&lines, 4, 4, INT64_MIN), 0);
}

static void test_relations(void **state) {
  const uint64_t shape[] = { 5, 6 };
  const int64_t straight[] = { 24, 4 }, wide[] = { 48, 4 }, apart[] = { 48, 8 };
  (void)state;
  scan_array a = array_of(2, shape, straight, straight, 1);
  array_lines l = normalised(&a, 0);
  assert_int_equal(scan_array_relation(&l, 4, 4, 0), 1);
  assert_int_equal(scan_array_relation(&l, 4, 4, 120), 0);
  assert_int_equal(scan_array_relation(&l, 4, 4, -120), 0);
  assert_int_equal(scan_array_relation(&l, 4, 4, 116), -1);
  assert_int_equal(scan_array_relation(&l, 4, 4, 4), -1);
  assert_int_equal(scan_array_relation(&l, 4, 8, 0), -1);
  a = array_of(2, shape, wide, wide, 0);
  l = normalised(&a, 0);
  assert_int_equal(scan_array_relation(&l, 4, 4, 24), 0); /* every other row */
  assert_int_equal(scan_array_relation(&l, 4, 4, -24), 0);
  assert_int_equal(scan_array_relation(&l, 4, 4, 20), -1);
  assert_int_equal(scan_array_relation(&l, 4, 4, 48), -1);
  a = array_of(2, shape, apart, apart, 0);
  l = normalised(&a, 1);
  assert_int_equal(scan_array_relation(&l, 4, 4, 4), 0); /* every other element */
  assert_int_equal(scan_array_relation(&l, 4, 4, 8), -1);
  a = array_of(2, shape, wide, apart, 1);
  l = normalised(&a, 0);
  assert_int_equal(scan_array_relation(&l, 4, 4, 0), -1); /* other strides */
}

/* Totals have no output along the axis, whose output stride is not looked at, and are never in place. */
static void test_totals(void **state) {
  const uint64_t shape[] = { 5, 6, 7 }, none[] = { 5, 0, 7 }, no_outputs[] = { 0, 0, 7 };
  const int64_t in[] = { 168, 28, 4 }, out[] = { 28, 3, 4 };
  const array_scan scan = { .in_bytes = 4, .out_bytes = 4, .backward = 1, .is_total = 1 };
  array_lines l;
  (void)state;
  const scan_array a = array_of(3, shape, in, out, 1), empty = array_of(3, none, in, out, 1),
                   nothing = array_of(3, no_outputs, in, out, 1);
  test_ok(NULL, scan_array_normalise(&a, &scan, &l, scan_thread_error()), "scan_array_normalise");
  assert_true(l.n == 6 && l.lines == 35 && l.in_step == -28 && l.in_start == 140 && l.out_step == 0 &&
              l.out_start == 0);
  assert_true(l.axes == 2 && l.out.end == 140 && scan_array_is_dense(&l, 4));
  assert_int_equal(scan_array_relation(&l, 4, 4, 0), -1);
  assert_int_equal(scan_array_relation(&l, 4, 4, 840), 0);
  test_ok(NULL, scan_array_normalise(&empty, &scan, &l, scan_thread_error()), "scan_array_normalise");
  assert_true(l.n == 0 && l.lines == 35 && l.in.end == 0 && l.out.end == 140);
  test_ok(NULL, scan_array_normalise(&nothing, &scan, &l, scan_thread_error()), "scan_array_normalise");
  assert_int_equal(l.lines, 0);
}

static array_method method_of(const scan_caps *caps, scan_type type, array_lines lines) {
  const scan_problem problem = { .input_type = type, .type = type, .op = SCAN_ADD, .kind = SCAN_INCLUSIVE };
  array_method method = { 0 };
  const char *refusal = scan_array_choose(caps, &problem, &lines, &method);
  if (refusal != NULL) test_fail("refused: %s", refusal);
  return method;
}

static void test_methods(void **state) {
  const uint64_t big = 1 << 14;
  (void)state;
  array_method m = method_of(&h200, SCAN_F32, packed(1, big, big, 2));
  assert_true(m.variant == ARRAY_ROWS && m.step.groups == big / 8 && m.step.items_per_group == 256 && m.subtiles == 8);
  m = method_of(&h200, SCAN_F32, packed(1, big, big, 1)); /* two strips of 32 lines a work-group */
  assert_true(m.variant == ARRAY_APART && m.step.groups == big / 64);
  assert_string_equal(m.step.kernel, "scan_lines_apart_wide");
  m = method_of(&h200, SCAN_F32, packed(1, big, big / 4, 1)); /* one strip, so that no multiprocessor is idle */
  assert_true(m.variant == ARRAY_APART && m.step.groups == big / 4 / 32);
  assert_string_equal(m.step.kernel, "scan_lines_apart");
  m = method_of(&h200, SCAN_F32, packed(1, 1 << 20, 8, 2));
  assert_true(m.variant == ARRAY_SHORT && m.step.groups == (1 << 20) / (256 / 2 * 4));
  m = method_of(&h200, SCAN_F32, packed(1, 3, 1 << 22, 2));
  assert_true(m.variant == ARRAY_INNER);
  m = method_of(&gpu, SCAN_F32, packed(1, 1, 100, 2));
  assert_true(m.variant == ARRAY_INNER);
  m = method_of(&pocl, SCAN_F32, packed(1, big, big, 1));
  assert_true(m.variant == ARRAY_APART && m.step.items_per_group == 1 && m.step.groups == 32);
  m = method_of(&pocl, SCAN_F32, packed(1, big, big, 2));
  assert_true(m.variant == ARRAY_ROWS && m.subtiles == 1);
  m = method_of(&host, SCAN_F32, packed(1, 2, 1 << 20, 2));
  assert_true(m.variant == ARRAY_INNER);
  m = method_of(&llvmpipe, SCAN_F32, packed(1, 50, 1 << 15, 2));
  assert_true(m.variant == ARRAY_INNER);
  m = method_of(&llvmpipe, SCAN_F32, packed(1, 50, 100, 1));
  assert_true(m.variant == ARRAY_APART && m.step.groups == 100);
}

/* Totals of lines apart: fewer warps share 32 lines the more lines there are. */
static void test_total_methods(void **state) {
  const struct {
    uint64_t n, lines;
    uint32_t sharers, groups;
  } expected[] = {
    { 1 << 14, 1 << 14, 4, 256 }, { 1 << 14, 1 << 20, 1, 4096 }, { 1 << 14, 40, 8, 2 }, { 200, 40, 2, 1 }
  };
  (void)state;
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    array_lines lines = packed(1, expected[i].n, expected[i].lines, 1);
    lines.is_total = 1;
    lines.out_step = 0;
    const array_method m = method_of(&h200, SCAN_F32, lines);
    assert_string_equal(m.step.kernel, "total_lines");
    assert_true(m.variant == ARRAY_APART && m.sharers == expected[i].sharers && m.step.groups == expected[i].groups);
  }
  array_lines rows = packed(1, 1 << 14, 1 << 14, 2);
  rows.is_total = 1;
  rows.out_step = 0;
  assert_string_equal(method_of(&h200, SCAN_F32, rows).step.kernel, "total_rows");
  rows.n = 100;
  assert_string_equal(method_of(&h200, SCAN_F32, rows).step.kernel, "total_rows_short");
  rows.n = 0;
  assert_int_equal(method_of(&h200, SCAN_F32, rows).variant, ARRAY_FILL);
}

/* Operators from source support any steps. */
static void test_source_methods(void **state) {
  static const scan_source pair = { .bytes = 8, .input_bytes = 8, .output_bytes = 8 };
  static const scan_source block = { .bytes = 64, .input_bytes = 64, .output_bytes = 64 };
  const scan_source *both[] = { &pair, &block };
  const uint64_t big = 1 << 14;
  array_method m = { 0 };
  (void)state;
  for (int i = 0; i < 2; i++) {
    const scan_problem problem = { .source = both[i] };
    const int64_t bytes = (int64_t)both[i]->bytes;
    array_lines rows = { .n = big, .lines = big, .in_step = bytes, .out_step = bytes }, apart = rows, shorter = rows;
    apart.in_step = apart.out_step = bytes * (int64_t)big;
    shorter.n = 3;
    assert_null(scan_array_choose(&h200, &problem, &rows, &m));
    assert_true(m.variant == ARRAY_ROWS && m.step.groups == big / 8 && m.subtiles == (i ? 1 : 8));
    assert_null(scan_array_choose(&h200, &problem, &apart, &m));
    assert_int_equal(m.variant, i ? ARRAY_ROWS : ARRAY_APART); /* 32 lines of large values do not fit local memory */
    if (i == 0) assert_int_equal(m.step.groups, big / 32);     /* 64 lines of 8 bytes do not fit, either */
    assert_null(scan_array_choose(&h200, &problem, &shorter, &m));
    assert_true(m.variant == ARRAY_SHORT && m.step.groups == (i ? big / (256 / 4 * 4) : big / (256 / 2 * 4)));
    assert_null(scan_array_choose(&pocl, &problem, &apart, &m));
    assert_true(m.variant == ARRAY_ROWS && m.step.items_per_group == 1);
    rows.lines = 2;
    rows.n = apart.n = 1 << 22;
    apart.lines = 1;
    assert_null(scan_array_choose(&h200, &problem, &rows, &m));
    assert_int_equal(m.variant, ARRAY_INNER);
    assert_null(scan_array_choose(&h200, &problem, &apart, &m));
    assert_int_equal(m.variant, ARRAY_INNER);
    apart.lines = big;
    assert_null(scan_array_choose(&llvmpipe, &problem, &apart, &m)); /* limit of loop iterations */
    assert_int_equal(m.variant, ARRAY_INNER);
  }
}

static void test_refused_methods(void **state) {
  const scan_problem sum = { .input_type = SCAN_F32, .type = SCAN_F32, .op = SCAN_ADD };
  const scan_problem bits = { .input_type = SCAN_U32, .type = SCAN_U32, .op = SCAN_XOR };
  array_lines lines = packed(1, 1 << 15, 50, 1);
  array_method method;
  (void)state;
  assert_non_null(strstr(scan_array_choose(&llvmpipe, &sum, &lines, &method), "ends loops silently"));
  assert_non_null(strstr(scan_array_choose(&h200, &bits, &lines, &method), "compiled for add, mul, min and max"));
  lines = packed(1, 4096, 50, 2);
  assert_null(scan_array_choose(&h200, &bits, &lines, &method));
  assert_true(method.variant == ARRAY_INNER);
  lines = packed(1, 4097, 50, 2);
  assert_non_null(scan_array_choose(&h200, &bits, &lines, &method));
  for (uint64_t few = 1; few <= 3; few += 2) { /* one scan a line; its kernels only scan forward */
    lines = packed(1, few, 1 << 22, 2);
    assert_null(scan_array_choose(&h200, &bits, &lines, &method));
    lines = packed_either(1, few, 1 << 22, 2, 1);
    assert_non_null(scan_array_choose(&h200, &bits, &lines, &method));
    assert_null(scan_array_choose(&h200, &sum, &lines, &method));
    assert_true(method.variant == ARRAY_INNER && method.backward);
  }
}

/* Returns the value that replaces the bits `x` of an element in the image's kernel. */
static int64_t flipped(cuda_served image, uint64_t x) { return (int64_t)((x ^ image.flip) & 0xff); }

static void check_or(scan_type type) {
  const cuda_served image = scan_cuda_serve(type, SCAN_OR);
  assert_true(image.type == SCAN_U8 && image.op == SCAN_AND);
  for (uint64_t a = 0; a < 256; a++)
    for (uint64_t b = 0; b < 256; b++)
      assert_int_equal(flipped(image, (uint64_t)(flipped(image, a) & flipped(image, b))), a | b);
}

/* Checks that one kernel serves several operators: for all pairs of bytes, and all identities. */
static void test_images(void **state) {
  (void)state;
  for (int type = SCAN_I8; type <= SCAN_U8; type++)
    for (int op = SCAN_MIN; op <= SCAN_MAX; op++) {
      const cuda_served image = scan_cuda_serve((scan_type)type, (scan_op_id)op);
      assert_true(image.type == SCAN_U8 && image.op == SCAN_MIN);
      for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
          const int a_first = type == SCAN_I8 ? (int8_t)a < (int8_t)b : a < b;
          assert_int_equal(flipped(image, (uint64_t)a) < flipped(image, (uint64_t)b),
                           op == SCAN_MIN ? a_first : a != b && !a_first);
        }
    }
  check_or(SCAN_I8);
  check_or(SCAN_U8);
  for (int type = SCAN_I8; type <= SCAN_F64; type++)
    for (int op = SCAN_ADD; op <= SCAN_XOR; op++) {
      if (!scan_spec_defined((scan_type)type, SCAN_TYPE_DEFAULT, (scan_op_id)op)) continue;
      const cuda_served image = scan_cuda_serve((scan_type)type, (scan_op_id)op);
      const uint64_t identity = scan_identity_bits((scan_type)type, (scan_op_id)op);
      const uint64_t mask = UINT64_MAX >> (64 - 8 * scan_type_bytes((scan_type)type));
      const uint64_t sign = mask ^ mask >> 1;
      assert_true(((identity ^ image.flip) & mask) == (scan_identity_bits(image.type, image.op) & mask));
      assert_int_equal((image.flags & SCAN_KERNEL_FLIP_SIGN) != 0, (image.flip & sign) != 0);
      assert_true((image.flip & ~sign) == (image.flags & SCAN_KERNEL_FLIP_REST ? mask ^ sign : 0));
    }
}

static void test_words(void **state) {
  uint64_t words[ARRAY_WORDS];
  (void)state;
  const array_lines lines = packed(5, 6, 7, 1);
  scan_array_words(&lines, 4, 2, words);
  assert_true(words[ARRAY_WORD_COUNT] == 35 && words[ARRAY_WORD_AXES] == 2 && words[ARRAY_WORD_IN_STEP] == 28);
  assert_true(words[ARRAY_WORD_SUBTILES] == 8 && words[ARRAY_WORD_LANES] == 2 && words[ARRAY_WORD_SHARERS] == 2);
  assert_true(words[ARRAY_WORD_AXIS] == 7 && words[ARRAY_WORD_AXIS + 4] == 5 && words[ARRAY_WORD_AXIS + 5] == 168);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_merging, test_count_setup),
    cmocka_unit_test_setup(test_strides, test_count_setup),
    cmocka_unit_test_setup(test_indices, test_count_setup),
    cmocka_unit_test_setup(test_far_strides, test_count_setup),
    cmocka_unit_test_setup(test_relations, test_count_setup),
    cmocka_unit_test_setup(test_totals, test_count_setup),
    cmocka_unit_test_setup(test_methods, test_count_setup),
    cmocka_unit_test_setup(test_total_methods, test_count_setup),
    cmocka_unit_test_setup(test_source_methods, test_count_setup),
    cmocka_unit_test_setup(test_refused_methods, test_count_setup),
    cmocka_unit_test_setup(test_images, test_count_setup),
    cmocka_unit_test_setup(test_words, test_count_setup),
  };
  return test_exit(cmocka_run_group_tests_name("array", tests, NULL, NULL));
}
