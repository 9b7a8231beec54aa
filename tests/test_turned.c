/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators from source in other directions: scans from the last element to the first, and along any axis of an array,
 * on every strategy, against the canonical order over the elements gathered one by one; with maps that see where an
 * element lies, with segments, in place; and what is made an operator from source for it. */
#include <scanrt/scan_array.h>

#include "operators.h"
#include "reference.h"
#include "spans.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { struct rng rng; } bench = { { 0x7042ed } };

/* ---- operators ---- */

/* 2 bytes to 8 to 4: affine maps modulo 2^32, which know their places. */
SCAN_OP_TEXT(
    place_text,
    typedef struct place {
      uint32_t a;
      uint32_t b;
    } place;
    static inline place place_combine(place f, place g) {
      place h;
      h.a = f.a * g.a;
      h.b = g.a * f.b + g.b;
      return h;
    } static inline place place_map(int16_t x, uint64_t index) {
      place t;
      t.a = (uint32_t)x * 2 + 1;
      t.b = (uint32_t)index * 2654435761u;
      return t;
    } static inline uint32_t place_emit(place inclusive, place exclusive, int16_t x, uint64_t index) {
      return (inclusive.b * 3 + exclusive.b) ^ ((uint32_t)(uint16_t)x + (uint32_t)index * 7);
    });
SCAN_OP_HOST(place_host, place, place_combine);
SCAN_MAP_HOST(place_map_host, int16_t, place, place_map);
SCAN_EMIT_HOST(place_emit_host, place, int16_t, uint32_t, place_emit);

static const place place_identity = { 1, 0 };
static const scan_op_source place_source = { .struct_bytes = sizeof(scan_op_source),
                                             .text = place_text,
                                             .type = "place",
                                             .combine = "place_combine",
                                             .value_bytes = sizeof(place),
                                             .value_align = SCAN_OP_ALIGN(place),
                                             .identity = &place_identity,
                                             .host = place_host,
                                             .map = "place_map",
                                             .input_type = "int16_t",
                                             .input_bytes = 2,
                                             .input_align = 2,
                                             .map_host = place_map_host,
                                             .emit = "place_emit",
                                             .output_type = "uint32_t",
                                             .output_bytes = 4,
                                             .output_align = 4,
                                             .emit_host = place_emit_host };

static void fill_places(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++) ((int16_t *)out)[i] = (int16_t)rng_next(rng);
}

struct subject {
  const char *name;
  const scan_op_source *source;
  size_t input_bytes, output_bytes;
  void (*fill)(struct rng *rng, uint64_t n, void *out);
};
enum { SUBJECTS = OPERATOR_CASES + 1 };

static struct subject subject_at(size_t index) {
  if (index == 0) return (struct subject){ "place", &place_source, 2, 4, fill_places };
  const struct operator_case *one = &operator_cases[index - 1];
  return (struct subject){ one->name, &one->source, one->source.value_bytes, one->source.value_bytes, one->fill };
}

static size_t order_bytes(const struct subject *s) { return reference_order_bytes(s->source); }

static scan_op *make_operator(const struct subject *s) {
  scan_op *op = NULL;
  test_ok(test_ctx(), scan_op_create(test_ctx(), s->source, &op), "scan_op_create");
  return op;
}

/* A value: an element, where nothing is mapped. */
static void make_init(const struct subject *s, unsigned char init[SCAN_OP_MOST_BYTES]) {
  const place start = { 3, 5 };
  if (s->source->map != NULL)
    memcpy(init, &start, sizeof start);
  else
    s->fill(&bench.rng, 1, init);
}

static scan_spec spec_of(const struct subject *s, scan_op *op, scan_kind kind, uint32_t flags) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, kind);
  if (s->source->emit != NULL) spec.kind = SCAN_INCLUSIVE;
  spec.custom_op = op;
  spec.flags = flags;
  return spec;
}

static void *allocated(uint64_t n, size_t bytes) { return reference_alloc((size_t)n * bytes + 1); }

/* ---- backward, every strategy ---- */

static void run_backward(scan_plan *plan, const struct subject *s, const scan_spec *spec, uint64_t n, uint64_t shift) {
  unsigned char *in = allocated(n, s->input_bytes), *want = allocated(n, s->output_bytes);
  s->fill(&bench.rng, n, in);
  reference_operator_line(s->source, spec,
                          &(struct reference_line){ in, want, (int64_t)s->input_bytes, (int64_t)s->output_bytes, n });
  struct span_scan one = { .in = in,
                           .want = want,
                           .in_bytes = (size_t)n * s->input_bytes,
                           .want_bytes = (size_t)n * s->output_bytes,
                           .in_shift = (size_t)shift * s->input_bytes,
                           .out_shift = (size_t)shift * s->output_bytes,
                           .in_place = n % 2 == 0 && s->input_bytes == s->output_bytes };
  const int64_t at = span_run(plan, n, &one);
  if (at != INT64_MIN)
    test_fail("%s backward, strategy %s, %s, n=%llu, shift %llu%s: byte %lld of the output", s->name,
              scan_strategy_name(spec->strategy), spec->kind == SCAN_INCLUSIVE ? "inclusive" : "exclusive",
              (unsigned long long)n, (unsigned long long)shift, one.in_place ? ", in place" : "", (long long)at);
  free(in);
  free(want);
}

static void run_sizes(const struct subject *s, const scan_spec *spec) {
  const uint64_t sub = reference_subtile_items(order_bytes(s)), tile = sub * reference_most_subtiles(order_bytes(s));
  const uint64_t sizes[] = { 1, 2, 17, 34, sub + 1, tile, tile + 1, 3 * tile + 18, 130 * sub + 5 };
  enum { COUNT = sizeof sizes / sizeof sizes[0] };
  /* The reference takes long over many. */
  const int reaches =
      !spec->has_init && (spec->strategy == SCAN_STRATEGY_AUTO || spec->strategy == SCAN_STRATEGY_LOOKBACK);
  scan_plan *plan = NULL;
  uint64_t max_n = test_is_small() ? 2500 : sizes[COUNT - 1] > sizes[COUNT - 2] ? sizes[COUNT - 1] : sizes[COUNT - 2];
  test_ok(test_ctx(), test_plan_create(spec, &max_n, &plan), "scan_plan_create");
  for (size_t i = 0; i < COUNT; i++)
    if (sizes[i] <= max_n && (sizes[i] <= tile + 1 || reaches)) run_backward(plan, s, spec, sizes[i], i % 3);
  scan_plan_destroy(plan);
  test_ran();
}

/* Where compilers take a second for each program: three operators, each by two strategies. */
static int is_turn(size_t index, scan_strategy strategy) {
  static const scan_strategy others[] = { SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_REDUCE_THEN_SCAN, SCAN_STRATEGY_BLOCK };
  if (test_compiles_quickly()) return 1;
  return index < 3 && (strategy == SCAN_STRATEGY_AUTO || strategy == others[index]);
}

static void test_backward(void **state) {
  const size_t index = (size_t)(uintptr_t)*state;
  const struct subject s = subject_at(index);
  scan_op *op = make_operator(&s);
  _Alignas(64) unsigned char init[SCAN_OP_MOST_BYTES];
  make_init(&s, init);
  for (int strategy = SCAN_STRATEGY_AUTO; strategy <= SCAN_STRATEGY_PIPELINED; strategy++) {
    scan_spec spec = spec_of(&s, op, SCAN_INCLUSIVE, SCAN_BACKWARD);
    spec.strategy = (scan_strategy)strategy;
    if (spec.strategy == SCAN_STRATEGY_SEQUENTIAL || spec.strategy == SCAN_STRATEGY_PIPELINED ||
        !is_turn(index, spec.strategy) || !test_takes_strategy(spec.strategy) ||
        (strategy != SCAN_STRATEGY_AUTO && !test_has_strategy(spec.strategy)))
      continue;
    run_sizes(&s, &spec);
    spec.has_init = 1;
    spec.init_bytes = init;
    if (s.source->emit == NULL) spec.kind = SCAN_EXCLUSIVE;
    if (strategy == SCAN_STRATEGY_AUTO || test_info()->backend == SCAN_BACKEND_HOST) run_sizes(&s, &spec);
  }
  scan_op_destroy(op);
}

/* ---- arrays ---- */

static uint64_t elements_of(const scan_array *array) {
  uint64_t elements = 1;
  for (uint32_t a = 0; a < array->ndim; a++) elements *= array->shape[a];
  return elements;
}

/* Every line of a packed array, by the indices of all other axes. */
static void expect_lines(const struct subject *s, const scan_spec *spec, const scan_array *array, const void *in,
                         void *out) {
  const uint64_t n = array->shape[array->axis];
  for (uint64_t line = 0; line < elements_of(array) / n; line++) {
    uint64_t rest = line;
    int64_t from = 0, to = 0;
    for (uint32_t a = 0; a < array->ndim; a++) {
      if (a == array->axis) continue;
      from += (int64_t)(rest % array->shape[a]) * array->in_strides[a];
      to += (int64_t)(rest % array->shape[a]) * array->out_strides[a];
      rest /= array->shape[a];
    }
    const struct reference_line one = { (const unsigned char *)in + from, (unsigned char *)out + to,
                                        array->in_strides[array->axis], array->out_strides[array->axis], n };
    reference_operator_line(s->source, spec, &one);
  }
}

static void fail_lines(const struct subject *s, const scan_spec *spec, const scan_array *a, const char *why) {
  test_fail("%s%s, %s, shape %llu x %llu x %llu, axis %u: %s", s->name, spec->flags ? " backward" : "",
            spec->kind == SCAN_INCLUSIVE ? "inclusive" : "exclusive", (unsigned long long)a->shape[0],
            (unsigned long long)a->shape[1], (unsigned long long)a->shape[2], a->axis, why);
}

static void run_lines(const struct subject *s, const scan_spec *spec, const scan_array *array, int in_place) {
  const uint64_t elements = elements_of(array);
  const size_t in_bytes = (size_t)elements * s->input_bytes, out_bytes = (size_t)elements * s->output_bytes;
  unsigned char *in = allocated(elements, s->input_bytes), *want = allocated(elements, s->output_bytes);
  unsigned char *got = allocated(elements, s->output_bytes);
  scan_mem from, to;
  s->fill(&bench.rng, elements, in);
  memset(got, 0xA5, out_bytes);
  expect_lines(s, spec, array, in, want);
  test_ok(test_ctx(), scan_alloc(test_ctx(), in_bytes, &from), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), out_bytes, &to), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), from, in, in_bytes), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), to, got, out_bytes), "scan_write");
  if (scan_run_array(test_ctx(), spec, array, from, in_place ? from : to) != SCAN_SUCCESS)
    fail_lines(s, spec, array, scan_last_error(test_ctx()));
  test_ok(test_ctx(), scan_read(test_ctx(), in_place ? from : to, got, out_bytes), "scan_read");
  size_t at = 0;
  while (at < out_bytes && got[at] == want[at]) at++;
  if (at < out_bytes) {
    char why[TEST_TEXT];
    snprintf(why, sizeof why, "byte %zu%s", at, in_place ? ", in place" : "");
    fail_lines(s, spec, array, why);
  }
  test_ok(test_ctx(), scan_free(test_ctx(), from), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), to), "scan_free");
  free(in);
  free(want);
  free(got);
}

static void run_array(const struct subject *s, scan_op *op, const unsigned char *init, const uint64_t shape[3],
                      uint32_t axis, size_t turn) {
  const scan_kind kind = (turn + axis) % 2 && s->source->identity ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE;
  scan_spec spec = spec_of(s, op, kind, (turn + axis / 2) % 2 ? SCAN_BACKWARD : 0);
  scan_array array = SCAN_ARRAY_INIT;
  if (turn % 2 == 0) spec.has_init = 1, spec.init_bytes = init;
  test_ok(test_ctx(), scan_array_packed(&spec, 3, shape, axis, &array), "scan_array_packed");
  run_lines(s, &spec, &array, axis == 1 && s->input_bytes == s->output_bytes);
}

static void test_arrays(void **state) {
  const size_t index = (size_t)(uintptr_t)*state;
  const struct subject s = subject_at(index);
  scan_op *op = make_operator(&s);
  _Alignas(64) unsigned char init[SCAN_OP_MOST_BYTES];
  make_init(&s, init);
  const uint64_t row = reference_subtile_items(order_bytes(&s)) / 8;
  /* Short lines, lines of several rows, few long ones, one element a line; two axes across. */
  const uint64_t shapes[][3] = {
    { 37, 5, 9 }, { 3, row + 3, 7 },      { 2, 3, 9 * row + 5 },
    { 40, 1, 3 }, { 1, 2, 17 * row + 1 }, { 2, 2, 150 * row + 1 },
  };
  enum { SHAPES = sizeof shapes / sizeof shapes[0] };
  for (size_t i = 0; i < (test_is_small() ? 2 : SHAPES); i++)
    for (uint32_t axis = shapes[i][2] > 10 * row ? 2 : 0; axis < 3; axis++) /* the reference takes long over lines */
      run_array(&s, op, init, shapes[i], axis, i);
  const uint64_t many_lines[] = { row + 3, 1, 64 * (uint64_t)test_info()->compute_units + 33 };
  if (!test_is_small()) run_array(&s, op, init, many_lines, 0, 0);
  scan_op_destroy(op);
  test_ran();
}

/* Every other element of rows that run down, into columns. */
static void test_views(void **state) {
  (void)state;
  enum { ROWS = 6, N = 75 };
  const struct subject s = subject_at(0);
  const int64_t in_bytes = (int64_t)s.input_bytes, out_bytes = (int64_t)s.output_bytes;
  scan_array array = SCAN_ARRAY_INIT;
  scan_op *op = make_operator(&s);
  unsigned char *in = allocated(2 * ROWS * N, s.input_bytes), *want = allocated(ROWS * N, s.output_bytes);
  unsigned char *got = allocated(ROWS * N, s.output_bytes);
  const uint64_t first = 2 * (N - 1) * s.input_bytes;
  array.ndim = 2;
  array.axis = 1;
  array.shape[0] = ROWS;
  array.shape[1] = N;
  array.in_strides[0] = 2 * N * in_bytes;
  array.in_strides[1] = -2 * in_bytes;
  array.out_strides[0] = out_bytes;
  array.out_strides[1] = ROWS * out_bytes;
  s.fill(&bench.rng, 2 * ROWS * N, in);
  for (int backward = 0; backward <= 1; backward++) {
    const scan_spec spec = spec_of(&s, op, SCAN_INCLUSIVE, backward ? SCAN_BACKWARD : 0);
    expect_lines(&s, &spec, &array, in + first, want);
    test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &array, scan_offset(scan_host(in), first), scan_host(got)),
            "scan_run_array");
    for (size_t at = 0; at < ROWS * N * s.output_bytes; at++)
      if (got[at] != want[at]) fail_lines(&s, &spec, &array, "a view");
  }
  scan_op_destroy(op);
  free(in);
  free(want);
  free(got);
}

/* ---- segments ---- */

static void sum_u32(const void *a, const void *b, void *result, void *user) {
  (void)user;
  *(uint32_t *)result = *(const uint32_t *)a + *(const uint32_t *)b;
}

/* A segment is what it is forward, scanned from its last element to its first. */
static void expect_segments(scan_op_host *host, size_t bytes, const void *init, uint64_t n, const uint8_t *heads,
                            const unsigned char *in, unsigned char *out) {
  _Alignas(64) unsigned char sum[SCAN_OP_MOST_BYTES], next[SCAN_OP_MOST_BYTES];
  for (uint64_t i = n; i-- > 0;) {
    if (i == n - 1 || heads[i + 1]) memcpy(sum, init, bytes);
    host(sum, in + i * bytes, next, NULL);
    memcpy(out + i * bytes, sum, bytes); /* exclusive */
    memcpy(sum, next, bytes);
  }
}

static void tell(scan_segments kind, uint64_t n, const uint8_t *heads, uint32_t *words, scan_spec *spec,
                 scan_args *args) {
  uint32_t number = 0;
  args->mark_count = n;
  if (kind == SCAN_SEGMENTS_BITS) memset(words, 0, (size_t)(n / 32 + 1) * sizeof *words);
  for (uint64_t i = 0; i < n; i++) {
    number += heads[i];
    if (kind == SCAN_SEGMENTS_BITS && heads[i]) words[i / 32] |= 1u << (i % 32);
    if (kind == SCAN_SEGMENTS_KEYS) words[i] = number;
    if (kind == SCAN_SEGMENTS_OFFSETS && heads[i]) words[number - 1] = (uint32_t)i;
  }
  if (kind == SCAN_SEGMENTS_OFFSETS) {
    words[number] = (uint32_t)n;
    args->mark_count = number + 1;
  }
  spec->segments = kind;
  spec->key_type = kind == SCAN_SEGMENTS_KEYS || kind == SCAN_SEGMENTS_OFFSETS ? SCAN_U32 : SCAN_TYPE_DEFAULT;
  args->marks = scan_host(kind == SCAN_SEGMENTS_FLAGS ? (const void *)heads : words);
}

static void run_segments(const scan_spec *wanted, scan_op_host *host, size_t bytes, const void *init, uint64_t n,
                         void (*fill)(struct rng *, uint64_t, void *)) {
  static const scan_segments kinds[] = { SCAN_SEGMENTS_FLAGS, SCAN_SEGMENTS_BITS, SCAN_SEGMENTS_KEYS,
                                         SCAN_SEGMENTS_OFFSETS };
  unsigned char *in = allocated(n, bytes), *want = allocated(n, bytes), *got = allocated(n, bytes);
  uint8_t *heads = allocated(n, 1);
  uint32_t *words = allocated(n + 2, sizeof *words);
  fill(&bench.rng, n, in);
  for (uint64_t i = 0; i < n; i++) heads[i] = i == 0 || rng_below(&bench.rng, i < n / 2 ? 7 : 300) == 0;
  expect_segments(host, bytes, init, n, heads, in, want);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    scan_spec spec = *wanted;
    scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(got));
    tell(kinds[k], n, heads, words, &spec, &args);
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, n, &args), "scan_run_args");
    for (size_t at = 0; at < n * bytes; at++)
      if (got[at] != want[at])
        test_fail("segments told by %d, n=%llu: element %zu", (int)kinds[k], (unsigned long long)n, at / bytes);
  }
  free(in);
  free(want);
  free(got);
  free(heads);
  free(words);
}

static void fill_words(struct rng *rng, uint64_t n, void *out) {
  for (uint64_t i = 0; i < n; i++) ((uint32_t *)out)[i] = (uint32_t)rng_next(rng);
}

static void test_segments(void **state) {
  (void)state;
  static const uint32_t none = 0;
  const struct operator_case *one = &operator_cases[0];
  const uint64_t sizes[] = { 1, 33, 2400, 50000 };
  const struct subject s = subject_at(1);
  scan_op *op = make_operator(&s);
  scan_spec custom = spec_of(&s, op, SCAN_EXCLUSIVE, SCAN_BACKWARD);
  scan_spec built_in = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_EXCLUSIVE);
  built_in.flags = SCAN_BACKWARD;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    if (sizes[i] > 2500 && (test_is_small() || test_info()->loop_limit)) continue;
    run_segments(&built_in, sum_u32, sizeof none, &none, sizes[i], fill_words);
    if (test_compiles_quickly())
      run_segments(&custom, one->source.host, one->source.value_bytes, one->source.identity, sizes[i], one->fill);
  }
  scan_op_destroy(op);
}

/* ---- what becomes an operator from source ---- */

/* Built-in operators and types whose kernels run forward only, on some device: against the scan of reversed elements.
 */
static void test_lifted(void **state) {
  (void)state;
  enum { N = 3000 };
  static const struct {
    scan_type type, input_type;
    scan_op_id op;
  } all[] = { { SCAN_F16, SCAN_F16, SCAN_ADD }, { SCAN_U16, SCAN_U16, SCAN_XOR }, { SCAN_I32, SCAN_I8, SCAN_ADD } };
  _Alignas(16) unsigned char in[N * 4], reversed[N * 4], forward[N * 4], backward[N * 4];
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    const size_t from = reference_bytes(all[k].input_type), to = reference_bytes(all[k].type);
    scan_spec spec = SCAN_SPEC_INIT(all[k].type, all[k].op, SCAN_INCLUSIVE);
    spec.input_type = all[k].input_type;
    for (size_t i = 0; i < sizeof in; i++) in[i] = (unsigned char)(rng_next(&bench.rng) & 0x3f);
    for (size_t i = 0; i < N; i++) memcpy(reversed + i * from, in + (N - 1 - i) * from, from);
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, scan_host(reversed), scan_host(forward)), "scan_run");
    spec.flags = SCAN_BACKWARD;
    test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, scan_host(in), scan_host(backward)), "scan_run");
    for (size_t i = 0; i < N; i++)
      if (memcmp(forward + i * to, backward + (N - 1 - i) * to, to) != 0)
        test_fail("%s of %s: element %zu from the end", scan_op_name(all[k].op), scan_type_name(all[k].type), i);
  }
}

/* The same along axis 0. */
static void test_lifted_arrays(void **state) {
  (void)state;
  enum { N = 700, LINES = 5 };
  static uint16_t in[N * LINES], want[N * LINES], got[N * LINES];
  const uint64_t shape[] = { N, LINES };
  static const struct {
    scan_type type;
    scan_op_id op;
  } all[] = { { SCAN_U16, SCAN_OR }, { SCAN_BF16, SCAN_MAX } };
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    scan_spec spec = SCAN_SPEC_INIT(all[k].type, all[k].op, SCAN_INCLUSIVE);
    scan_array array = SCAN_ARRAY_INIT;
    test_ok(test_ctx(), scan_array_packed(&spec, 2, shape, 0, &array), "scan_array_packed");
    for (size_t i = 0; i < N * LINES; i++) in[i] = (uint16_t)(rng_next(&bench.rng) & (i % 90 ? 0x0003 : 0x3fff));
    for (size_t line = 0; line < LINES; line++) {
      uint16_t values[N], results[N];
      for (size_t i = 0; i < N; i++) values[i] = in[i * LINES + line];
      test_ok(test_ctx(), scan_run(test_ctx(), &spec, N, scan_host(values), scan_host(results)), "scan_run");
      for (size_t i = 0; i < N; i++) want[i * LINES + line] = results[i];
    }
    test_ok(test_ctx(), scan_run_array(test_ctx(), &spec, &array, scan_host(in), scan_host(got)), "scan_run_array");
    assert_memory_equal(got, want, sizeof want);
  }
}

/* ---- what is refused, and what goes with its operator ---- */

static void test_refusals(void **state) {
  (void)state;
  unsigned char in[64] = { 0 }, out[64];
  scan_spec segmented = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t shape[] = { 4 };
  scan_array array = SCAN_ARRAY_INIT;
  test_ok(test_ctx(), scan_array_packed(&segmented, 1, shape, 0, &array), "scan_array_packed");
  segmented.segments = SCAN_SEGMENTS_FLAGS;
  assert_int_equal(scan_run_array(test_ctx(), &segmented, &array, scan_host(in), scan_host(out)),
                   SCAN_INVALID_ARGUMENT);
  assert_non_null(strstr(scan_last_error(test_ctx()), "args->marks is no memory"));
}

/* Plans that scan_run_array keeps go with their operator; another in its place is not taken for it. */
static void test_operator_goes(void **state) {
  (void)state;
  const struct subject s = subject_at(0);
  const uint64_t shape[] = { 3, 50 };
  for (int turn = 0; turn < 2; turn++) {
    scan_op *op = make_operator(&s);
    const scan_spec spec = spec_of(&s, op, SCAN_INCLUSIVE, 0);
    scan_array array = SCAN_ARRAY_INIT;
    test_ok(test_ctx(), scan_array_packed(&spec, 2, shape, 1, &array), "scan_array_packed");
    run_lines(&s, &spec, &array, 0);
    scan_op_destroy(op);
  }
}

/* ---- in segments, in pieces ---- */

enum { PIECED = 700 };

/* From the last piece to the first. The carry goes on where the segment does: where none begins with the element behind
 * the piece. */
static void run_pieces(const scan_spec *spec, const int32_t *in, const void *marks, uint64_t mark_bytes,
                       const uint8_t *heads, uint64_t piece, int32_t *out) {
  int32_t carry = 0;
  for (uint64_t end = PIECED, begin; end > 0; end = begin) {
    begin = end > piece ? end - piece : 0;
    scan_args args = SCAN_ARGS_INIT(scan_host(in + begin), scan_host(out + begin));
    args.marks = scan_host((const uint8_t *)marks + begin * mark_bytes);
    args.mark_count = end - begin;
    args.carry_out = scan_host(&carry);
    if (end < PIECED && !heads[end]) args.carry_in = scan_host(&carry);
    test_ok(test_ctx(), scan_run_args(test_ctx(), spec, end - begin, &args), "scan_run_args");
    int32_t left = 0; /* the inclusive value at the piece's element 0, whether a segment begins there or not */
    for (uint64_t i = begin; i == begin || (i < PIECED && !heads[i]); i++) left += in[i];
    assert_int_equal(carry, left);
  }
}

static void test_pieces_of_segments(void **state) {
  static int32_t in[PIECED], keys[PIECED], out[PIECED], want[PIECED];
  static uint8_t heads[PIECED];
  static const uint64_t pieces[] = { 64, 333, PIECED };
  (void)state;
  for (int i = 0; i < PIECED; i++) {
    in[i] = i * 7 % 23 - 9;
    heads[i] = i == 0 || i * 31 % 17 == 3 || i % 64 == 60;
    keys[i] = (i > 0 ? keys[i - 1] : 0) + heads[i];
  }
  for (int k = 0; k < 4; k++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, k % 2 ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
    const void *marks = k < 2 ? (const void *)heads : (const void *)keys;
    const uint64_t mark_bytes = k < 2 ? 1 : sizeof keys[0];
    spec.flags = SCAN_BACKWARD;
    spec.segments = k < 2 ? SCAN_SEGMENTS_FLAGS : SCAN_SEGMENTS_KEYS;
    spec.key_type = k < 2 ? SCAN_TYPE_DEFAULT : SCAN_I32;
    for (int32_t i = PIECED - 1, sum = 0; i >= 0; i--) {
      if (i + 1 < PIECED && heads[i + 1]) sum = 0;
      want[i] = k % 2 ? sum : sum + in[i];
      sum += in[i];
    }
    for (size_t p = 0; p < sizeof pieces / sizeof pieces[0]; p++) {
      memset(out, 0x5a, sizeof out);
      run_pieces(&spec, in, marks, mark_bytes, heads, pieces[p], out);
      assert_memory_equal(out, want, sizeof want);
    }
  }
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest others[] = { TEST(test_views),
                                       TEST(test_segments),
                                       TEST(test_lifted),
                                       TEST(test_lifted_arrays),
                                       TEST(test_refusals),
                                       TEST(test_operator_goes),
                                       TEST(test_pieces_of_segments) };
  enum { OTHERS = sizeof others / sizeof others[0] };
  struct CMUnitTest tests[2 * SUBJECTS + OTHERS];
  static char names[2 * SUBJECTS][48];
  size_t count = 0;
  test_share();
  test_device_open();
  const size_t subjects = test_compiles_quickly() ? SUBJECTS : 3;
  for (size_t i = 0; i < subjects; i++) {
    void *which = (void *)(uintptr_t)i;
    snprintf(names[2 * i], sizeof names[0], "backward %s", subject_at(i).name);
    snprintf(names[2 * i + 1], sizeof names[0], "arrays %s", subject_at(i).name);
    tests[count++] = (struct CMUnitTest){ names[2 * i], test_backward, NULL, NULL, which };
    tests[count++] = (struct CMUnitTest){ names[2 * i + 1], test_arrays, NULL, NULL, which };
  }
  for (size_t i = 0; i < OTHERS; i++) tests[count++] = others[i];
  return test_exit(_cmocka_run_group_tests("turned", tests, test_shared(tests, count), NULL, NULL));
}
