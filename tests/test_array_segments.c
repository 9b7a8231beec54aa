/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays in segments and with SCAN_CHECK_OVERFLOW, on every axis, both ways, in place and apart, by every kind of
 * marks, against a loop over each segment of each line; floats against scan_run_args of each line; refusals. */
#include <inttypes.h>
#include <scanrt/scan_array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators.h"
#include "reference.h"
#include "support.h"

enum { MOST_ITEMS = 1 << 20, MOST_BYTES = MOST_ITEMS * 16 };

static struct {
  scan_mem in, out, marks;
  unsigned char *values, *packed_out, *in_host, *got, *marks_host;
  uint8_t *heads; /* of each element by its index: 1 where a segment of the forward scan begins */
  struct rng rng;
} lab;

enum how { BY_PLAN, BY_RUN, FROM_HOST, HOWS };

/* ---- what is scanned ---- */

static void add_i32(const void *left, const void *right, void *result, void *user) {
  (void)user;
  *(uint32_t *)result = *(const uint32_t *)left + *(const uint32_t *)right;
}
static void max_u8(const void *left, const void *right, void *result, void *user) {
  const uint8_t a = *(const uint8_t *)left, b = *(const uint8_t *)right;
  (void)user;
  *(uint8_t *)result = b > a ? b : a;
}

struct subject {
  const char *name;
  scan_type type;
  scan_op_id op;
  scan_op_host *host;                 /* NULL: floats, for which scan_run_args tells */
  const struct operator_case *custom; /* or NULL */
};
static const struct subject subjects[] = {
  { "i32", SCAN_I32, SCAN_ADD, add_i32, NULL },
  { "f32", SCAN_F32, SCAN_ADD, NULL, NULL },
  { "words3", SCAN_TYPE_DEFAULT, SCAN_OP_NONE, NULL, &operator_cases[0] },
  { "u8", SCAN_U8, SCAN_MAX, max_u8, NULL },
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

static size_t bytes_of(const struct subject *s) {
  return s->custom ? s->custom->source.value_bytes : reference_bytes(s->type);
}

/* ---- where the array lies ---- */

struct shape {
  uint32_t ndim;
  uint64_t extent[3];
};

/* The axes in C order, the other way round, or with a gap behind each and the first turned over. */
enum layout { C_ORDER, REVERSED, GAPS, LAYOUTS };

static uint64_t items_of(const scan_array *a) {
  uint64_t items = 1;
  for (uint32_t i = 0; i < a->ndim; i++) items *= a->shape[i];
  return items;
}

/* Returns the bytes that it takes; *first is where element 0 lies. */
static uint64_t lay(const scan_array *a, enum layout layout, uint64_t bytes, int64_t *strides, uint64_t *first) {
  uint64_t stride = bytes;
  *first = 0;
  for (uint32_t i = 0; i < a->ndim; i++) {
    const uint32_t axis = layout == REVERSED ? i : a->ndim - 1 - i;
    if (layout == GAPS) stride += bytes;
    strides[axis] = (int64_t)stride;
    if (layout == GAPS && axis == 0) {
      *first = (a->shape[0] - 1) * stride;
      strides[axis] = -strides[axis];
    }
    stride *= a->shape[axis];
  }
  return stride;
}

/* Where the element of an index lies, from element 0. */
static int64_t place_of(const scan_array *a, const int64_t *strides, uint64_t index) {
  int64_t at = 0;
  for (uint32_t i = a->ndim; i-- > 0; index /= a->shape[i]) at += (int64_t)(index % a->shape[i]) * strides[i];
  return at;
}

/* ---- lines: by the index of the first element, and the step to the next ---- */

struct line {
  uint64_t first, step, n;
};

static struct line line_of(const scan_array *a, uint64_t number) {
  struct line l = { 0, 1, a->shape[a->axis] };
  for (uint32_t i = a->axis + 1; i < a->ndim; i++) l.step *= a->shape[i];
  l.first = number / l.step * l.step * l.n + number % l.step;
  return l;
}

/* ---- marks ---- */

struct telling {
  scan_segments kind;
  scan_type type;
};
static const struct telling tellings[] = {
  { SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT },
  { SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT },
  { SCAN_SEGMENTS_KEYS, SCAN_I32 },
  { SCAN_SEGMENTS_KEYS, SCAN_F64 },
};
enum { TELLINGS = sizeof tellings / sizeof tellings[0] };

/* Segments of about `mean` elements, and how they are told; the first of a line is marked or not. t may be NULL. */
static void make_heads(const scan_array *a, uint64_t mean, const struct telling *t) {
  memset(lab.marks_host, 0, items_of(a) * 8);
  for (uint64_t number = 0; number < items_of(a) / a->shape[a->axis]; number++) {
    const struct line l = line_of(a, number);
    uint64_t key = rng_below(&lab.rng, 100);
    for (uint64_t k = 0, i = l.first; k < l.n; k++, i += l.step) {
      lab.heads[i] = k == 0 || rng_below(&lab.rng, mean) == 0;
      const int told = lab.heads[i] && (k > 0 || rng_below(&lab.rng, 2));
      const double real = (double)(key += lab.heads[i]);
      if (t == NULL) continue;
      if (t->kind == SCAN_SEGMENTS_FLAGS) lab.marks_host[i] = (unsigned char)(told ? 1 + rng_below(&lab.rng, 255) : 0);
      if (t->kind == SCAN_SEGMENTS_BITS) ((uint32_t *)(void *)lab.marks_host)[i / 32] |= (uint32_t)told << (i % 32);
      if (t->type == SCAN_I32) memcpy(lab.marks_host + 4 * i, &key, 4);
      if (t->type == SCAN_F64) memcpy(lab.marks_host + 8 * i, &real, 8);
    }
  }
}

/* ---- what is wanted: values and results by index, without gaps ---- */

/* The segment of the elements [begin, end) of a line. */
static void segment_want(const struct subject *s, const scan_spec *spec, const struct line *l, uint64_t begin,
                         uint64_t end, const void *seed) {
  const size_t bytes = bytes_of(s);
  unsigned char sum[SCAN_OP_MOST_BYTES], next[SCAN_OP_MOST_BYTES];
  memcpy(sum, seed, bytes);
  for (uint64_t j = 0; j < end - begin; j++) {
    const uint64_t k = spec->flags & SCAN_BACKWARD ? end - 1 - j : begin + j;
    const size_t at = (size_t)(l->first + k * l->step) * bytes;
    (s->custom ? s->custom->source.host : s->host)(sum, lab.values + at, next, NULL);
    memcpy(lab.packed_out + at, spec->kind == SCAN_INCLUSIVE ? next : sum, bytes);
    memcpy(sum, next, bytes);
  }
}

/* A line by scan_run_args. */
static void line_want(const struct subject *s, const scan_spec *given, const struct line *l) {
  const size_t bytes = bytes_of(s);
  unsigned char *in = reference_alloc(l->n * bytes), *out = reference_alloc(l->n * bytes),
                *flags = reference_alloc(l->n);
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  scan_spec spec = *given;
  for (uint64_t k = 0; k < l->n; k++) {
    memcpy(in + k * bytes, lab.values + (l->first + k * l->step) * bytes, bytes);
    flags[k] = lab.heads[l->first + k * l->step];
  }
  spec.segments = SCAN_SEGMENTS_FLAGS;
  spec.key_type = SCAN_TYPE_DEFAULT;
  args.marks = scan_host(flags);
  args.mark_count = l->n;
  test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, l->n, &args), "scan_run_args of a line");
  for (uint64_t k = 0; k < l->n; k++) memcpy(lab.packed_out + (l->first + k * l->step) * bytes, out + k * bytes, bytes);
  free(in);
  free(out);
  free(flags);
}

static void array_want(const struct subject *s, const scan_spec *spec, const scan_array *a, const void *seed) {
  for (uint64_t number = 0; number < items_of(a) / a->shape[a->axis]; number++) {
    const struct line l = line_of(a, number);
    const int is_float = s->host == NULL && s->custom == NULL;
    if (is_float) line_want(s, spec, &l);
    for (uint64_t begin = 0, end; !is_float && begin < l.n; begin = end) {
      for (end = begin + 1; end < l.n && !lab.heads[l.first + end * l.step];) end++;
      segment_want(s, spec, &l, begin, end, seed);
    }
  }
}

/* ---- running ---- */

struct run {
  scan_array array;
  uint64_t in_bytes, out_bytes, in_first, out_first;
  int in_place;
  enum how how;
};

/* A run's status, the wait's among it; `got` then has the output's memory. */
static scan_status run(const struct run *r, const scan_spec *spec) {
  scan_ctx *ctx = test_ctx();
  const int by_host = r->how == FROM_HOST;
  const uint64_t items = items_of(&r->array);
  scan_plan *plan = NULL;
  scan_mem in = by_host ? scan_host(lab.in_host) : lab.in;
  const scan_mem out = by_host ? scan_host(lab.got) : r->in_place ? lab.in : lab.out;
  if (by_host && r->in_place) memcpy(lab.got, lab.in_host, r->in_bytes), in = out;
  scan_args args = SCAN_ARGS_INIT(scan_offset(in, r->in_first), scan_offset(out, r->out_first));
  args.mark_count = spec->segments ? items : 0;
  if (spec->segments) args.marks = by_host ? scan_host(lab.marks_host) : lab.marks;
  scan_status status = by_host ? SCAN_SUCCESS : scan_write(ctx, lab.in, lab.in_host, r->in_bytes);
  if (status == SCAN_SUCCESS && !by_host) status = scan_write(ctx, lab.marks, lab.marks_host, items * 8);
  if (status != SCAN_SUCCESS) return status;
  if (r->how == BY_PLAN) {
    status = scan_plan_create_array(ctx, spec, &r->array, &plan);
    if (status == SCAN_SUCCESS) status = scan_plan_run_args(plan, items, &args);
  } else {
    status = scan_run_array_args(ctx, spec, &r->array, &args);
  }
  if (status == SCAN_SUCCESS && !by_host) status = scan_read(ctx, out, lab.got, r->out_bytes);
  scan_plan_destroy(plan);
  return status;
}

static struct run run_make(const struct shape *shape, uint32_t axis, uint64_t bytes) {
  struct run r = { .array = SCAN_ARRAY_INIT };
  r.array.ndim = shape->ndim;
  r.array.axis = axis;
  memcpy(r.array.shape, shape->extent, sizeof shape->extent);
  const enum layout in = (enum layout)rng_below(&lab.rng, LAYOUTS), other = (enum layout)rng_below(&lab.rng, LAYOUTS);
  r.in_place = rng_below(&lab.rng, 3) == 0;
  r.how = (enum how)rng_below(&lab.rng, HOWS);
  r.in_bytes = lay(&r.array, in, bytes, r.array.in_strides, &r.in_first);
  r.out_bytes = lay(&r.array, r.in_place ? in : other, bytes, r.array.out_strides, &r.out_first);
  if (r.in_bytes > MOST_BYTES || r.out_bytes > MOST_BYTES) test_fail("the array does not fit");
  return r;
}

/* Values to where they are read from. */
static void put_values(const struct run *r, uint64_t bytes) {
  memset(lab.in_host, 0, r->in_bytes);
  for (uint64_t i = 0; i < items_of(&r->array); i++)
    memcpy(lab.in_host + r->in_first + place_of(&r->array, r->array.in_strides, i), lab.values + i * bytes, bytes);
}

static void compare(const struct run *r, uint64_t bytes, const char *text) {
  for (uint64_t i = 0; i < items_of(&r->array); i++)
    if (memcmp(lab.got + r->out_first + place_of(&r->array, r->array.out_strides, i), lab.packed_out + i * bytes,
               bytes) != 0)
      test_fail("%s: the element of index %" PRIu64 " is wrong", text, i);
}

static const char *words_of(const struct run *r, const scan_spec *spec, char text[TEST_TEXT]) {
  const scan_array *a = &r->array;
  snprintf(text, TEST_TEXT,
           "%" PRIu64 "x%" PRIu64 "x%" PRIu64 " axis %u, strides %" PRId64 " to %" PRId64
           ", segments %d of keys %d%s%s, how %d, kind %d, type %d",
           a->shape[0], a->shape[1], a->shape[2], a->axis, a->in_strides[a->axis], a->out_strides[a->axis],
           (int)spec->segments, (int)spec->key_type, spec->flags & SCAN_BACKWARD ? ", backward" : "",
           r->in_place ? ", in place" : "", (int)r->how, (int)spec->kind, (int)spec->type);
  return text;
}

static void check_segments(const struct shape *shape, uint32_t axis, const struct subject *s, const struct telling *t,
                           uint32_t flags) {
  char text[TEST_TEXT];
  unsigned char init[SCAN_OP_MOST_BYTES];
  const uint64_t bytes = bytes_of(s), means[] = { 1, 3, 40, 5000 };
  const struct run r = run_make(shape, axis, bytes);
  const uint64_t items = items_of(&r.array);
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->op, rng_below(&lab.rng, 2) ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
  spec.flags = flags;
  spec.segments = t->kind;
  spec.key_type = t->type;
  spec.has_init = s->custom != NULL || rng_below(&lab.rng, 2);
  spec.init = values_init(&lab.rng, s->custom ? SCAN_I32 : s->type, SCAN_ADD);
  if (s->custom) {
    s->custom->fill(&lab.rng, items, lab.values);
    s->custom->fill(&lab.rng, 1, init);
    spec.init_bytes = init;
    test_ok(test_ctx(), scan_op_create(test_ctx(), &s->custom->source, &spec.custom_op), "scan_op_create");
  } else {
    values_fill(&lab.rng, s->type, s->op, items, items, lab.values);
  }
  make_heads(&r.array, means[rng_below(&lab.rng, 4)], t);
  put_values(&r, bytes);
  test_ok(test_ctx(), run(&r, &spec), words_of(&r, &spec, text));
  if (!s->custom) memcpy(init, &spec.init, sizeof spec.init);
  if (!spec.has_init) memset(init, 0, sizeof init); /* the identity of both */
  array_want(s, &spec, &r.array, init);
  compare(&r, bytes, text);
  scan_op_destroy(spec.custom_op);
  test_ran();
}

/* Lines of all the ways: one, few long ones, contiguous, short, side by side, more than a strip, of several tiles. */
static const struct shape shapes[] = {
  { 1, { 3000, 1, 1 } },  { 2, { 37, 70, 1 } },    { 2, { 300, 5, 1 } },   { 2, { 3, 40001, 1 } },
  { 2, { 5, 9000, 1 } },  { 3, { 9, 35, 33 } },    { 3, { 4, 1, 700 } },   { 2, { 130, 1100, 1 } },
  { 2, { 700, 200, 1 } }, { 2, { 100003, 3, 1 } }, { 3, { 130, 7, 260 } },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Its expected values are scans of each line by itself, a launch a line. */
static int is_scanned_by_line(const struct subject *s) { return s->host == NULL && s->custom == NULL; }

static uint64_t lines_of(const struct shape *shape, uint32_t axis) {
  return shape->extent[0] * shape->extent[1] * shape->extent[2] / shape->extent[axis];
}

/* Small, a third of the shapes; where compiling takes long, each subject has every second way of telling, too, and few
 * lines where each is a launch. */
static int is_taken(const struct subject *s, size_t shape, uint32_t axis, size_t telling) {
  if (test_compiles_quickly()) return !test_is_small() || (shape + axis + telling) % 3 == 0;
  if (is_scanned_by_line(s) && lines_of(&shapes[shape], axis) > 150) return 0;
  return ((size_t)(s - subjects) + telling) % 2 == 0 && (2 * shape + axis + telling) % 3 == 0;
}

static void test_subject(void **state) {
  const struct subject *s = *state;
  for (size_t i = 0; i < SHAPES; i++)
    for (uint32_t axis = 0; axis < shapes[i].ndim; axis++)
      for (uint32_t flags = 0; flags <= SCAN_BACKWARD; flags += SCAN_BACKWARD)
        for (size_t t = 0; t < TELLINGS; t++) {
          if (tellings[t].type == SCAN_F64 && !test_has_type(SCAN_F64)) continue;
          if (!is_taken(s, i, axis, t)) continue;
          if (is_scanned_by_line(s) && i % 3 != 1) continue;
          check_segments(&shapes[i], axis, s, &tellings[t], flags);
        }
}

/* ---- overflow ---- */

/* The index of the element whose place, counted along the axis in the order of the scan, is the least at which the
 * exact value does not fit; UINT64_MAX: none. */
static uint64_t overflow_want(const scan_spec *spec, const scan_array *a) {
  uint64_t least = UINT64_MAX, index = UINT64_MAX;
  for (uint64_t number = 0; number < items_of(a) / a->shape[a->axis]; number++) {
    const struct line l = line_of(a, number);
    int64_t sum = 0;
    for (uint64_t j = 0; j < l.n; j++) {
      const int backward = (spec->flags & SCAN_BACKWARD) != 0, exclusive = spec->kind == SCAN_EXCLUSIVE;
      const uint64_t k = backward ? l.n - 1 - j : j, at = l.first + k * l.step;
      const uint64_t mark = backward ? at + l.step : at; /* of the segment that ends there in memory */
      const int begins = j > 0 && spec->segments && lab.heads[mark];
      int32_t x;
      memcpy(&x, lab.values + 4 * at, sizeof x);
      if (begins) sum = 0;
      const int64_t shown = exclusive ? sum : sum + x;
      sum += x;
      if (shown != (int32_t)shown) {
        if (l.first + j * l.step < least) least = l.first + j * l.step, index = at;
        break;
      }
    }
  }
  return index;
}

static void check_overflow(const struct shape *shape, uint32_t axis, const struct telling *t, uint32_t flags,
                           uint64_t rarity) {
  char text[TEST_TEXT];
  uint64_t index = 0;
  const struct run r = run_make(shape, axis, 4);
  const uint64_t items = items_of(&r.array);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, rng_below(&lab.rng, 2) ? SCAN_INCLUSIVE : SCAN_EXCLUSIVE);
  spec.flags = flags | SCAN_CHECK_OVERFLOW;
  if (t) spec.segments = t->kind, spec.key_type = t->type;
  for (uint64_t i = 0; i < items; i++) {
    const int32_t x = rng_below(&lab.rng, rarity) ? (int32_t)rng_below(&lab.rng, 9) - 4 : INT32_MAX / 2 + 9;
    memcpy(lab.values + 4 * i, &x, sizeof x);
  }
  make_heads(&r.array, t ? 1 + r.array.shape[axis] / 3 : UINT64_MAX, t);
  put_values(&r, 4);
  const scan_status status = run(&r, &spec);
  const uint64_t want = overflow_want(&spec, &r.array);
  words_of(&r, &spec, text);
  if (status != (want == UINT64_MAX ? SCAN_SUCCESS : SCAN_OVERFLOW))
    test_fail("%s: %s; overflow is at %" PRId64, text, scan_status_name(status), (int64_t)want);
  if (status == SCAN_OVERFLOW) test_ok(test_ctx(), scan_overflow_index(test_ctx(), &index), "scan_overflow_index");
  if (status == SCAN_OVERFLOW && index != want)
    test_fail("%s: overflow at %" PRIu64 " instead of %" PRIu64, text, index, want);
  spec.flags = flags; /* what wraps around is the same */
  array_want(&subjects[0], &spec, &r.array, &(int32_t){ 0 });
  compare(&r, 4, text);
  test_ran();
}

static void test_overflow(void **state) {
  (void)state;
  for (size_t i = 0; i < SHAPES; i++)
    for (uint32_t axis = 0; axis < shapes[i].ndim; axis++)
      for (uint32_t flags = 0; flags <= SCAN_BACKWARD; flags += SCAN_BACKWARD) {
        const uint64_t items = shapes[i].extent[0] * shapes[i].extent[1] * shapes[i].extent[2];
        if (test_is_small() && (i + axis) % 3 != 0) continue;
        check_overflow(&shapes[i], axis, NULL, flags, items / 20 + 2); /* in few lines, or in none */
        check_overflow(&shapes[i], axis, NULL, flags, shapes[i].extent[axis] / 4 + 2);
        check_overflow(&shapes[i], axis, &tellings[i % 2], flags, shapes[i].extent[axis] / 4 + 2);
      }
}

/* ---- refusals ---- */

static void refuse(const scan_spec *spec, const scan_args *args, scan_status status, const char *words) {
  const uint64_t shape[] = { 10, 20 };
  scan_array a = SCAN_ARRAY_INIT;
  test_ok(NULL, scan_array_packed(spec, 2, shape, 0, &a), "scan_array_packed");
  const scan_status got = scan_run_array_args(test_ctx(), spec, &a, args);
  if (got != status || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("expected %s with '%s', got %s: %s", scan_status_name(status), words, scan_status_name(got),
              scan_last_error(test_ctx()));
}

static void test_refused(void **state) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(lab.in, lab.out);
  (void)state;
  refuse(&spec, NULL, SCAN_INVALID_ARGUMENT, "args is NULL");
  args.carry_out = lab.marks;
  refuse(&spec, &args, SCAN_INVALID_ARGUMENT, "scans of arrays take no carries");
  args.carry_out = SCAN_NO_MEM;
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = SCAN_U32;
  refuse(&spec, &args, SCAN_UNSUPPORTED, "offsets name places in one line; give flags, bits or keys for arrays");
  spec.segments = SCAN_SEGMENTS_FLAGS;
  spec.key_type = SCAN_TYPE_DEFAULT;
  refuse(&spec, &args, SCAN_INVALID_ARGUMENT, "args->marks is no memory");
  args.marks = lab.marks;
  args.mark_count = 199;
  refuse(&spec, &args, SCAN_INVALID_ARGUMENT, "n is 200, but args->mark_count is 199");
  args.mark_count = 200;
  args.marks = lab.out;
  refuse(&spec, &args, SCAN_INVALID_ARGUMENT, "args->marks and out overlap");
}

/* Marks that lie right behind an output whose elements run down from there. */
static void test_beside(void **state) {
  enum { N = 3000 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_INCLUSIVE);
  scan_array a = SCAN_ARRAY_INIT;
  scan_args args = SCAN_ARGS_INIT(scan_offset(lab.in, N - 1), scan_offset(lab.out, N - 1));
  (void)state;
  a.ndim = 1;
  a.shape[0] = N;
  a.in_strides[0] = a.out_strides[0] = -1;
  spec.segments = SCAN_SEGMENTS_FLAGS;
  args.marks = scan_offset(lab.out, N);
  args.mark_count = N;
  memset(lab.in_host, 1, N);
  memset(lab.marks_host, 0, N);
  test_ok(test_ctx(), scan_write(test_ctx(), lab.in, lab.in_host, N), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), args.marks, lab.marks_host, N), "scan_write");
  test_ok(test_ctx(), scan_run_array_args(test_ctx(), &spec, &a, &args), "scan_run_array_args");
  test_ok(test_ctx(), scan_read(test_ctx(), lab.out, lab.got, N), "scan_read");
  for (int i = 0; i < N; i++) assert_int_equal(lab.got[N - 1 - i], (i + 1) % 256);
}

static int group_setup(void **state) {
  unsigned char **const all[] = { &lab.values, &lab.packed_out, &lab.in_host, &lab.got, &lab.marks_host, &lab.heads };
  scan_mem *const mems[] = { &lab.in, &lab.out, &lab.marks };
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) *all[i] = reference_alloc(MOST_BYTES);
  for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
    test_ok(test_ctx(), scan_alloc(test_ctx(), MOST_BYTES, mems[i]), "scan_alloc");
  lab.rng.state = 20260717;
  return 0;
}

static int group_teardown(void **state) {
  unsigned char *const all[] = { lab.values, lab.packed_out, lab.in_host, lab.got, lab.marks_host, lab.heads };
  const scan_mem mems[] = { lab.in, lab.out, lab.marks };
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
  for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++) (void)scan_free(test_ctx(), mems[i]);
  return 0;
}

int main(void) {
  enum { OTHERS = 3 };
  struct CMUnitTest tests[SUBJECTS + OTHERS] = { cmocka_unit_test_setup(test_refused, test_count_setup),
                                                 cmocka_unit_test_setup(test_beside, test_count_setup),
                                                 cmocka_unit_test(test_overflow) };
  test_share();
  test_device_open();
  for (size_t i = 0; i < SUBJECTS; i++)
    tests[i + OTHERS] = (struct CMUnitTest){ subjects[i].name, test_subject, NULL, NULL, (void *)&subjects[i] };
  const size_t count = test_shared(tests, SUBJECTS + OTHERS);
  return test_exit(_cmocka_run_group_tests("array_segments", tests, count, group_setup, group_teardown));
}
