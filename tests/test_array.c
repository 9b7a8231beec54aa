/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of arrays: every line of an n-dimensional array against the reference of that line alone, bit for bit, on every
 * axis, for many layouts; what lies between and around the outputs must stay as it was. */
#include <inttypes.h>
#include <scanrt/scan_array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "support.h"
#include "values.h"

enum { BORDER = 64, POISON = 0xA5, MOST_BYTES = 24 << 20 };

/* How an array lies in memory: the order of its axes, the outermost first, elements left free behind each axis, and
 * which of them run backwards. */
struct layout {
  uint32_t order[SCAN_ARRAY_MAX_AXES];
  uint64_t gap[SCAN_ARRAY_MAX_AXES];
  uint32_t negative; /* a bit an axis */
};

/* One side: strides, where element 0 lies, and how much memory it takes. */
struct side {
  int64_t strides[SCAN_ARRAY_MAX_AXES];
  uint64_t first, bytes;
};

enum how { BY_PLAN, BY_RUN, FROM_HOST };

struct subject {
  const char *name;
  uint32_t ndim;
  uint64_t shape[SCAN_ARRAY_MAX_AXES];
  struct layout in, out;
  int in_place;
  enum how how;
};

static struct {
  scan_mem in, out;
  unsigned char *in_host, *want, *got;
  struct rng rng;
} lab;

static struct side side_make(uint32_t ndim, const uint64_t *shape, const struct layout *layout, uint64_t item_bytes) {
  struct side s = { { 0 }, BORDER, 0 };
  uint64_t stride = item_bytes;
  for (uint32_t i = ndim; i-- > 0;) {
    const uint32_t a = layout->order[i];
    stride += layout->gap[a] * item_bytes;
    s.strides[a] = (int64_t)stride;
    if (layout->negative >> a & 1) {
      s.first += (shape[a] - 1) * stride;
      s.strides[a] = -s.strides[a];
    }
    stride *= shape[a];
  }
  s.bytes = stride + 2 * BORDER;
  return s;
}

/* ---- the reference ---- */

static void line_copy(unsigned char *to, int64_t to_step, const unsigned char *from, int64_t from_step, uint64_t n,
                      uint64_t bytes) {
  for (uint64_t i = 0; i < n; i++, to += to_step, from += from_step) memcpy(to, from, bytes);
}

/* Scans the line that begins at `in` into the one at `out`. */
static void line_reference(const scan_spec *spec, const scan_array *a, const unsigned char *in, unsigned char *out) {
  const uint64_t n = a->shape[a->axis], in_bytes = reference_bytes(spec->input_type ? spec->input_type : spec->type);
  const uint64_t out_bytes = reference_bytes(spec->type);
  const int back = (spec->flags & SCAN_BACKWARD) != 0;
  unsigned char *x = reference_alloc(n * in_bytes), *y = reference_alloc(n * out_bytes);
  const int64_t in_step = a->in_strides[a->axis], out_step = a->out_strides[a->axis], last = (int64_t)n - 1;
  line_copy(x, (int64_t)in_bytes, back ? in + last * in_step : in, back ? -in_step : in_step, n, in_bytes);
  reference_scan(spec, n, x, y);
  line_copy(back ? out + last * out_step : out, back ? -out_step : out_step, y, (int64_t)out_bytes, n, out_bytes);
  free(x);
  free(y);
}

static void array_reference(const scan_spec *spec, const scan_array *a, const unsigned char *in, unsigned char *out) {
  uint64_t index[SCAN_ARRAY_MAX_AXES] = { 0 };
  for (;;) {
    int64_t in_at = 0, out_at = 0;
    uint32_t d = 0;
    for (uint32_t i = 0; i < a->ndim; i++) {
      in_at += (int64_t)index[i] * a->in_strides[i];
      out_at += (int64_t)index[i] * a->out_strides[i];
    }
    line_reference(spec, a, in + in_at, out + out_at);
    for (; d < a->ndim; d++) {
      if (d == a->axis) continue;
      if (++index[d] < a->shape[d]) break;
      index[d] = 0;
    }
    if (d == a->ndim) return;
  }
}

/* ---- running ---- */

static const char *words_of(const struct subject *s, const scan_spec *spec, uint32_t axis, char text[TEST_TEXT]) {
  char spec_text[TEST_TEXT], shape[128] = "";
  for (uint32_t i = 0; i < s->ndim; i++)
    snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%" PRIu64, i ? "x" : "", s->shape[i]);
  snprintf(text, TEST_TEXT, "%.60s: %s axis %u%s%s%s, %.300s", s->name, shape, axis, s->in_place ? " in place" : "",
           s->how == FROM_HOST ? " host memory" : "", spec->flags & SCAN_BACKWARD ? " backward" : "",
           test_spec_text(spec, spec_text));
  return text;
}

static scan_status run_planned(const scan_spec *spec, const scan_array *array, scan_mem in, scan_mem out) {
  scan_plan *plan = NULL;
  scan_status status = scan_plan_create_array(test_ctx(), spec, array, &plan);
  if (status == SCAN_SUCCESS) status = scan_plan_run_array(plan, in, out);
  scan_plan_destroy(plan);
  return status;
}

/* On the device, or from host memory; `got` then holds all bytes of the output's side. */
static scan_status run_case(const struct subject *s, const scan_spec *spec, const scan_array *array,
                            const struct side *in, const struct side *out) {
  scan_ctx *ctx = test_ctx();
  const int by_host = s->how == FROM_HOST;
  const scan_mem whole_in = by_host ? scan_host(lab.in_host) : lab.in;
  const scan_mem whole_out = by_host ? scan_host(lab.got) : s->in_place ? lab.in : lab.out;
  const scan_mem from = scan_offset(s->in_place ? whole_out : whole_in, in->first);
  const scan_mem to = scan_offset(whole_out, out->first);
  scan_status status = SCAN_SUCCESS;
  if (by_host) {
    memcpy(lab.got, s->in_place ? lab.in_host : lab.want, out->bytes);
  } else {
    status = scan_write(ctx, lab.in, lab.in_host, in->bytes);
    if (status == SCAN_SUCCESS && !s->in_place) status = scan_write(ctx, lab.out, lab.want, out->bytes);
  }
  if (status == SCAN_SUCCESS)
    status = s->how == BY_PLAN ? run_planned(spec, array, from, to) : scan_run_array(ctx, spec, array, from, to);
  if (status == SCAN_SUCCESS && !by_host) status = scan_read(ctx, whole_out, lab.got, out->bytes);
  return status;
}

static void check_case(const struct subject *s, const scan_spec *spec, uint32_t axis) {
  char text[TEST_TEXT];
  scan_array array = SCAN_ARRAY_INIT;
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  const uint64_t out_bytes = reference_bytes(spec->type);
  const struct side in = side_make(s->ndim, s->shape, &s->in, reference_bytes(input_type));
  const struct side out = s->in_place ? in : side_make(s->ndim, s->shape, &s->out, out_bytes);
  array.ndim = s->ndim;
  array.axis = axis;
  memcpy(array.shape, s->shape, sizeof array.shape);
  memcpy(array.in_strides, in.strides, sizeof array.in_strides);
  memcpy(array.out_strides, out.strides, sizeof array.out_strides);
  if (in.bytes > MOST_BYTES || out.bytes > MOST_BYTES) test_fail("%s does not fit", words_of(s, spec, axis, text));
  values_fill(&lab.rng, input_type, spec->op, s->shape[axis], in.bytes / reference_bytes(input_type), lab.in_host);
  memset(lab.want, POISON, out.bytes);
  if (s->in_place) memcpy(lab.want, lab.in_host, in.bytes);
  const scan_status status = run_case(s, spec, &array, &in, &out);
  if (status == SCAN_UNSUPPORTED && (test_info()->loop_limit != 0 || test_info()->backend == SCAN_BACKEND_CUDA)) {
    test_skipped("%s: %s", words_of(s, spec, axis, text), scan_last_error(test_ctx()));
    return;
  }
  test_ok(test_ctx(), status, words_of(s, spec, axis, text));
  array_reference(spec, &array, lab.in_host + in.first, lab.want + out.first);
  for (uint64_t i = 0; memcmp(lab.got, lab.want, out.bytes) != 0 && i < out.bytes; i++)
    if (lab.got[i] != lab.want[i])
      test_fail("%s: byte %" PRId64 " from element 0 is 0x%02x instead of 0x%02x", words_of(s, spec, axis, text),
                (int64_t)(i - out.first), lab.got[i], lab.want[i]);
  test_ran();
}

static void check_kinds(const struct subject *s, scan_type type, scan_op_id op, uint32_t axis) {
  if (!test_has_type(type)) return;
  for (uint32_t flags = 0; flags <= SCAN_BACKWARD; flags += SCAN_BACKWARD) {
    scan_spec spec = SCAN_SPEC_INIT(type, op, rng_below(&lab.rng, 2) ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
    spec.flags = flags;
    spec.has_init = rng_below(&lab.rng, 2) != 0;
    spec.init = values_init(&lab.rng, type, op);
    check_case(s, &spec, axis);
  }
}

static void check_axes(const struct subject *s, scan_type type, scan_op_id op) {
  for (uint32_t axis = 0; axis < s->ndim; axis++) check_kinds(s, type, op, axis);
}

/* ---- the tests ---- */

#define C_ORDER                                                                                                        \
  { { 0, 1, 2, 3, 4 }, { 0 }, 0 }
#define SUBJECT(name, ndim, ...)                                                                                       \
  { name, ndim, __VA_ARGS__ }

static const struct subject layouts[] = {
  SUBJECT("one axis", 1, { 1000 }, C_ORDER, C_ORDER, 0, BY_PLAN),
  SUBJECT("one axis, apart", 1, { 333 }, { { 0 }, { 2 }, 0 }, { { 0 }, { 1 }, 0 }, 0, BY_RUN),
  SUBJECT("one axis, turned", 1, { 600 }, { { 0 }, { 0 }, 1 }, C_ORDER, 0, BY_RUN),
  SUBJECT("packed", 2, { 37, 70 }, C_ORDER, C_ORDER, 0, BY_PLAN),
  SUBJECT("packed, in place", 2, { 41, 67 }, C_ORDER, C_ORDER, 1, BY_PLAN),
  SUBJECT("from the host", 2, { 33, 50 }, C_ORDER, C_ORDER, 0, FROM_HOST),
  SUBJECT("from the host, in place", 2, { 20, 35 }, { { 0, 1 }, { 3, 1 }, 1 }, C_ORDER, 1, FROM_HOST),
  SUBJECT("from the host, gaps", 2, { 17, 40 }, { { 0, 1 }, { 2, 1 }, 2 }, { { 1, 0 }, { 1, 2 }, 1 }, 0, FROM_HOST),
  SUBJECT("transposed", 2, { 48, 61 }, C_ORDER, { { 1, 0 }, { 0 }, 0 }, 0, BY_RUN),
  SUBJECT("gaps", 2, { 30, 64 }, { { 0, 1 }, { 8, 0 }, 0 }, { { 0, 1 }, { 16, 0 }, 0 }, 0, BY_PLAN),
  SUBJECT("all turned", 2, { 40, 36 }, { { 0, 1 }, { 0 }, 3 }, { { 0, 1 }, { 0 }, 3 }, 0, BY_RUN),
  SUBJECT("turned against each other", 2, { 40, 36 }, { { 0, 1 }, { 0 }, 1 }, { { 0, 1 }, { 0 }, 2 }, 0, BY_RUN),
  SUBJECT("turned, in place", 2, { 34, 45 }, { { 1, 0 }, { 0, 1 }, 2 }, C_ORDER, 1, BY_RUN),
  SUBJECT("three axes", 3, { 9, 35, 33 }, C_ORDER, C_ORDER, 0, BY_RUN),
  SUBJECT("three axes, permuted", 3, { 9, 20, 7 }, { { 2, 0, 1 }, { 0 }, 0 }, { { 1, 2, 0 }, { 0, 1 }, 0 }, 0, BY_RUN),
  SUBJECT("pixels", 3, { 40, 50, 3 }, C_ORDER, C_ORDER, 1, BY_PLAN),
  SUBJECT("ones", 4, { 1, 40, 1, 17 }, { { 0, 1, 2, 3 }, { 5, 0, 3, 0 }, 5 }, C_ORDER, 0, BY_RUN),
  SUBJECT("five axes", 5, { 3, 4, 5, 6, 7 }, C_ORDER, { { 4, 3, 2, 1, 0 }, { 0 }, 0 }, 0, BY_RUN),
  SUBJECT("five axes, gaps", 5, { 4, 3, 2, 9, 5 }, { { 0, 1, 2, 3, 4 }, { 1, 0, 2, 0, 1 }, 10 }, C_ORDER, 0, BY_PLAN),
};

static void test_layouts(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    check_axes(&layouts[i], SCAN_F32, SCAN_ADD);
    check_axes(&layouts[i], SCAN_I32, SCAN_ADD);
  }
}

static void test_types(void **state) {
  static const scan_type types[] = { SCAN_I8,  SCAN_U8,  SCAN_I16, SCAN_U16, SCAN_I32,
                                     SCAN_U32, SCAN_I64, SCAN_U64, SCAN_F32, SCAN_F64 };
  static const scan_op_id ops[] = { SCAN_ADD, SCAN_MUL, SCAN_MIN, SCAN_MAX, SCAN_AND, SCAN_XOR };
  static const struct subject subjects[] = {
    SUBJECT("packed", 2, { 35, 300 }, C_ORDER, C_ORDER, 0, BY_PLAN),
    SUBJECT("in place", 2, { 150, 36 }, C_ORDER, C_ORDER, 1, BY_RUN),
    SUBJECT("one line", 1, { 1100 }, C_ORDER, C_ORDER, 0, BY_RUN),
  };
  (void)state;
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
      if (!reference_defined(types[t], types[t], ops[o]) || (test_is_small() && (t + o) % 6 != 0)) continue;
      for (size_t s = 0; s < sizeof subjects / sizeof subjects[0]; s++) check_axes(&subjects[s], types[t], ops[o]);
    }
}

static void test_widening(void **state) {
  static const scan_type pairs[][2] = { { SCAN_U8, SCAN_U32 }, { SCAN_I8, SCAN_I64 }, { SCAN_F32, SCAN_F64 } };
  const struct subject s = SUBJECT("widening", 2, { 45, 130 }, C_ORDER, C_ORDER, 0, BY_PLAN);
  const struct subject one = SUBJECT("widening, one line", 2, { 1, 1300 }, C_ORDER, C_ORDER, 0, BY_PLAN);
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    for (uint32_t axis = 0; axis < 2 && test_has_type(pairs[i][1]); axis++) {
      scan_spec spec = SCAN_SPEC_INIT(pairs[i][1], SCAN_ADD, SCAN_EXCLUSIVE);
      spec.input_type = pairs[i][0];
      for (spec.flags = 0; spec.flags <= SCAN_BACKWARD; spec.flags += SCAN_BACKWARD) {
        check_case(&s, &spec, axis);
        check_case(&one, &spec, axis);
      }
    }
}

/* Lines of every length that the order of operations tells apart, few and many of them, along both axes; the most,
 * where the lines of one work-group would be too few for GPUs, of some lengths. */
static void test_lengths(void **state) {
  static const uint64_t lengths[] = {
    1,   2,   3,   4,   5,    8,    15,   16,   17,   31,   33,    64,    127,
    128, 129, 255, 257, 1000, 1024, 1025, 4097, 8192, 8193, 16385, 32769, (131072 + 7)
  };
  const uint64_t many = 64 * (uint64_t)test_info()->compute_units + 33, counts[] = { 1, 2, 7, 33, 1100, many };
  (void)state;
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      const uint64_t n = lengths[i], lines = counts[c];
      if (n * lines > (test_is_small() ? 40000 : lines == many && i % 3 == 0 ? 5u << 19 : 1u << 20)) continue;
      struct subject s = SUBJECT("lengths", 2, { lines, n }, C_ORDER, C_ORDER, (int)(i % 2), BY_PLAN);
      const int only_sums = i % 3 || test_is_small(); /* an operator more is a dozen programs more */
      check_kinds(&s, SCAN_F32, only_sums ? SCAN_ADD : SCAN_MUL, 1);
      check_kinds(&s, SCAN_U8, SCAN_ADD, 1);
      s.shape[0] = n;
      s.shape[1] = lines;
      check_kinds(&s, SCAN_F32, only_sums ? SCAN_ADD : SCAN_MIN, 0);
      check_kinds(&s, SCAN_I64, SCAN_ADD, 0);
    }
}

/* Lines of more than 512 KiB have tiles of another size. */
static void test_long_lines(void **state) {
  const uint64_t n = (600u << 10) / 4 + 3;
  const struct subject rows = SUBJECT("long rows", 2, { 3, n }, C_ORDER, C_ORDER, 0, BY_RUN);
  const struct subject columns = SUBJECT("long columns", 2, { n, 5 }, C_ORDER, C_ORDER, 1, BY_PLAN);
  (void)state;
  if (test_is_small()) {
    test_skipped("long lines at this scale");
    return;
  }
  check_axes(&rows, SCAN_F32, SCAN_ADD);
  check_axes(&rows, SCAN_I32, SCAN_XOR);
  check_axes(&columns, SCAN_F32, SCAN_ADD);
  check_axes(&columns, SCAN_U32, SCAN_ADD);
}

/* Backward scans of one line, by scan_run. */
static void check_backward(scan_type type, scan_op_id op, scan_kind kind, int has_init, uint64_t n) {
  const int64_t step = (int64_t)reference_bytes(type);
  const scan_array a = { .ndim = 1, .shape = { n }, .in_strides = { step }, .out_strides = { step } };
  scan_spec spec = SCAN_SPEC_INIT(type, op, kind);
  char text[TEST_TEXT];
  spec.flags = SCAN_BACKWARD;
  spec.has_init = has_init != 0;
  spec.init = values_init(&lab.rng, type, op);
  values_fill(&lab.rng, type, op, n, n, lab.in_host);
  memset(lab.got, POISON, n * (uint64_t)step);
  const scan_status status = scan_run(test_ctx(), &spec, n, scan_host(lab.in_host), scan_host(lab.got));
  test_ok(test_ctx(), status, test_spec_text(&spec, text));
  line_reference(&spec, &a, lab.in_host, lab.want);
  const uint64_t wrong = reference_mismatch(type, n, lab.got, lab.want);
  if (wrong < n)
    test_fail("backward, n = %" PRIu64 ", %s: element %" PRIu64 " is wrong", n, test_spec_text(&spec, text), wrong);
  test_ran();
}

static void test_backward_run(void **state) {
  static const uint64_t lengths[] = { 1, 5, 31, 1000, 8192, 16385, 100000, 300001 };
  (void)state;
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
    for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++)
      if (!test_is_small() || lengths[i] <= 20000) check_backward(SCAN_F32, SCAN_ADD, (scan_kind)kind, 0, lengths[i]);
}

/* Where one kernel serves several types and operators, too. */
static void test_backward_types(void **state) {
  static const uint64_t lengths[] = { 5, 1000, 8193, 40000, 300001 };
  (void)state;
  for (int type = SCAN_I8; type <= SCAN_F64; type++)
    for (int op = SCAN_ADD; op <= SCAN_MAX; op++) {
      if (!test_has_type((scan_type)type) || (test_is_small() && (type + op) % 12 != 0)) continue;
      for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        if (test_is_small() && lengths[i] > 20000) continue;
        check_backward((scan_type)type, (scan_op_id)op, i % 2 ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE, i % 3 == 2,
                       lengths[i]);
        check_backward((scan_type)type, (scan_op_id)op, i % 2 ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE, i % 3 == 1,
                       lengths[i]);
      }
    }
}

/* ---- refusals ---- */

static scan_array packed(uint64_t rows, uint64_t columns, uint32_t axis) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t shape[] = { rows, columns };
  scan_array a = SCAN_ARRAY_INIT;
  test_ok(NULL, scan_array_packed(&spec, 2, shape, axis, &a), "scan_array_packed");
  return a;
}

static void refuse(const scan_array *a, scan_mem in, scan_mem out, scan_status status, const char *words) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_status got = scan_run_array(test_ctx(), &spec, a, in, out);
  if (got != status || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("expected %s with '%s', got %s: %s", scan_status_name(status), words, scan_status_name(got),
              scan_last_error(test_ctx()));
}

static void refuse_shape(scan_array a, const char *words) { refuse(&a, lab.in, lab.out, SCAN_INVALID_ARGUMENT, words); }

static void test_refused_shapes(void **state) {
  scan_array a = packed(10, 20, 1);
  (void)state;
  refuse(NULL, lab.in, lab.out, SCAN_INVALID_ARGUMENT, "array is NULL");
  a.struct_bytes = 8;
  refuse_shape(a, "SCAN_ARRAY_INIT");
  a = packed(10, 20, 1), a.ndim = 0;
  refuse_shape(a, "array->ndim is 0");
  a.ndim = 9;
  refuse_shape(a, "array->ndim is 9");
  a = packed(10, 20, 1), a.axis = 2;
  refuse_shape(a, "array->axis is 2");
  a = packed(10, 20, 1), a.in_strides[0] = 82;
  refuse_shape(a, "axis 0: the input's stride of 82 bytes is no multiple");
  a = packed(10, 20, 1), a.out_strides[1] = 6;
  refuse_shape(a, "axis 1: the output's stride of 6 bytes is no multiple");
  a = packed(10, 20, 1), a.out_strides[0] = 0;
  refuse_shape(a, "axis 0: the output's stride is 0");
  a = packed(10, 20, 1), a.out_strides[0] = 76;
  refuse_shape(a, "axis 0: the output's stride of 76 bytes is less than the 80");
  a = packed(10, 20, 1), a.shape[0] = (uint64_t)1 << 62;
  refuse_shape(a, "axis 1: with its length of 20");
  a = packed(10, 20, 1), a.shape[0] = (uint64_t)1 << 57;
  refuse_shape(a, "axis 0: ");
}

static void test_refused_memory(void **state) {
  scan_array a = packed(1000, 1000, 0);
  scan_mem small = SCAN_NO_MEM, none = SCAN_NO_MEM;
  (void)state;
  test_ok(test_ctx(), scan_alloc(test_ctx(), 4000000 - 4, &small), "scan_alloc");
  refuse(&a, none, lab.out, SCAN_INVALID_ARGUMENT, "in is no memory");
  refuse(&a, lab.in, small, SCAN_INVALID_ARGUMENT, "axis 0: out is too small");
  refuse(&a, small, lab.out, SCAN_INVALID_ARGUMENT, "axis 0: in is too small");
  refuse(&a, scan_offset(lab.in, 2), lab.out, SCAN_INVALID_ARGUMENT, "in is not aligned");
  a.out_strides[1] = -4;
  refuse(&a, lab.in, lab.out, SCAN_INVALID_ARGUMENT, "axis 1: out begins 0 bytes before");
  a = packed(1000, 1000, 0);
  refuse(&a, lab.in, scan_offset(lab.in, 4), SCAN_INVALID_ARGUMENT, "in and out overlap along axis 0");
  a.out_strides[1] = -4;
  refuse(&a, lab.in, scan_offset(lab.in, 3996), SCAN_INVALID_ARGUMENT, "in and out overlap along axis 0");
  test_ok(test_ctx(), scan_free(test_ctx(), small), "scan_free");
}

static void test_refused_calls(void **state) {
  const scan_array a = packed(10, 20, 1);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  test_ok(test_ctx(), scan_plan_create_array(test_ctx(), &spec, &a, &plan), "scan_plan_create_array");
  assert_int_equal(scan_plan_run(plan, 200, lab.in, lab.out), SCAN_INVALID_ARGUMENT);
  assert_non_null(strstr(scan_last_error(test_ctx()), "scan_plan_run_array"));
  test_ok(test_ctx(), scan_plan_info(plan, &facts), "scan_plan_info");
  assert_true(facts.max_n == 20 && facts.tiles == 10 && facts.reason[0] != '\0' && facts.launches >= 1);
  scan_plan_destroy(plan);
  test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 10, &plan), "scan_plan_create");
  assert_int_equal(scan_plan_run_array(plan, lab.in, lab.out), SCAN_INVALID_ARGUMENT);
  scan_plan_destroy(plan);
  assert_int_equal(scan_plan_create_array(test_ctx(), &spec, &a, NULL), SCAN_INVALID_ARGUMENT);
  spec.strategy = SCAN_STRATEGY_SEQUENTIAL;
  assert_int_equal(scan_run_array(test_ctx(), &spec, &a, lab.in, lab.out), SCAN_UNSUPPORTED);
  spec.strategy = SCAN_STRATEGY_AUTO;
  spec.kind = SCAN_TOTAL;
  assert_int_equal(scan_run_array(test_ctx(), &spec, &a, lab.in, lab.out), SCAN_UNSUPPORTED);
}

/* What lies in one array and never meets is no overlap. */
static void test_interleaved(void **state) {
  scan_array a = packed(100, 10, 1);
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  (void)state;
  for (int i = 0; i < 2; i++) a.in_strides[i] *= 2, a.out_strides[i] *= 2;
  test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &a, lab.in, scan_offset(lab.in, 4)), "every other element");
  a = packed(100, 10, 0);
  a.in_strides[0] = a.out_strides[0] = 80;
  test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &a, lab.in, scan_offset(lab.in, 40)), "every other row");
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
}

/* Arrays without elements do nothing; more arrays than plans are kept. */
static void test_empty_and_many(void **state) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_mem none = SCAN_NO_MEM;
  scan_array a = packed(0, 20, 1);
  (void)state;
  test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &a, none, none), "no rows");
  a = packed(20, 0, 1);
  test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &a, none, none), "no columns");
  test_ok(test_ctx(), run_planned(&spec, &a, none, none), "a plan without columns");
  for (uint64_t n = 1; n <= 150; n++) {
    const struct subject s = SUBJECT("many arrays", 2, { n, 3 }, C_ORDER, C_ORDER, 0, BY_RUN);
    check_case(&s, &spec, (uint32_t)(n % 2));
  }
}

static int group_setup(void **state) {
  (void)state;
  test_ok(test_ctx(), scan_alloc(test_ctx(), MOST_BYTES, &lab.in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), MOST_BYTES, &lab.out), "scan_alloc");
  lab.in_host = reference_alloc(MOST_BYTES);
  lab.want = reference_alloc(MOST_BYTES);
  lab.got = reference_alloc(MOST_BYTES);
  lab.rng.state = 20260717;
  return 0;
}

static int group_teardown(void **state) {
  (void)state;
  (void)scan_free(test_ctx(), lab.in);
  (void)scan_free(test_ctx(), lab.out);
  free(lab.in_host);
  free(lab.want);
  free(lab.got);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_layouts),
    cmocka_unit_test(test_lengths),
    cmocka_unit_test(test_types),
    cmocka_unit_test(test_widening),
    cmocka_unit_test(test_long_lines),
    cmocka_unit_test(test_backward_run),
    cmocka_unit_test(test_backward_types),
    cmocka_unit_test_setup(test_refused_shapes, test_count_setup),
    cmocka_unit_test_setup(test_refused_memory, test_count_setup),
    cmocka_unit_test_setup(test_refused_calls, test_count_setup),
    cmocka_unit_test_setup(test_interleaved, test_count_setup),
    cmocka_unit_test(test_empty_and_many),
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("array", tests, group_setup, group_teardown));
}
