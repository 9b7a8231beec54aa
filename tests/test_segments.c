/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmented scans: flags, bits, keys and offsets, segments of 1 to n elements, on every strategy; integers and
 * operators from source against a loop over each segment, floats against the canonical order of elements that know
 * where segments begin; keys as C compares them; what is refused, with its words. */
#include "operators.h"
#include "reference.h"
#include "spans.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { struct rng rng; } bench = { { 0x5e95e9 } };

/* ---- operators ---- */

#define COMBINE(NAME, T, EXPRESSION)                                                                                   \
  static void NAME(const void *left, const void *right, void *result, void *user) {                                    \
    (void)user;                                                                                                        \
    const T a = *(const T *)left, b = *(const T *)right;                                                               \
    *(T *)result = (T)(EXPRESSION);                                                                                    \
  }
COMBINE(add_u32, uint32_t, a + b)
COMBINE(max_u8, uint8_t, b > a ? b : a)
COMBINE(min_i64, int64_t, b < a ? b : a)
COMBINE(xor_u16, uint16_t, a ^ b)
COMBINE(add_f32, float, a + b)
COMBINE(mul_f64, double, a *b)
COMBINE(add_i64, int64_t, (uint64_t)a + (uint64_t)b)
COMBINE(add_f64, double, a + b)

static void widen_i8_i64(const void *x, uint64_t index, void *value, void *user) {
  (void)index, (void)user;
  *(int64_t *)value = *(const int8_t *)x;
}
static void widen_f32_f64(const void *x, uint64_t index, void *value, void *user) {
  (void)index, (void)user;
  *(double *)value = (double)*(const float *)x;
}

struct subject {
  const char *name;
  scan_type type, input_type;
  scan_op_id op;
  scan_op_host *host;
  scan_map_host *widen;               /* NULL: none */
  const struct operator_case *custom; /* NULL: built-in */
  uint64_t identity;                  /* its bits, of built-in ones */
};

static const struct subject subjects[] = {
  { "add f32", SCAN_F32, SCAN_F32, SCAN_ADD, add_f32, NULL, NULL, 0 },
  { "add u32", SCAN_U32, SCAN_U32, SCAN_ADD, add_u32, NULL, NULL, 0 },
  { "add i64<-i8", SCAN_I64, SCAN_I8, SCAN_ADD, add_i64, widen_i8_i64, NULL, 0 },
  { "words3", SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE, NULL, NULL, &operator_cases[0], 0 },
  { "max u8", SCAN_U8, SCAN_U8, SCAN_MAX, max_u8, NULL, NULL, 0 },
  { "mul f64", SCAN_F64, SCAN_F64, SCAN_MUL, mul_f64, NULL, NULL, UINT64_C(0x3ff0000000000000) },
  { "xor u16", SCAN_U16, SCAN_U16, SCAN_XOR, xor_u16, NULL, NULL, 0 },
  { "min i64", SCAN_I64, SCAN_I64, SCAN_MIN, min_i64, NULL, NULL, INT64_MAX },
  { "add f64<-f32", SCAN_F64, SCAN_F32, SCAN_ADD, add_f64, widen_f32_f64, NULL, 0 },
  { "affine", SCAN_TYPE_DEFAULT, SCAN_TYPE_DEFAULT, SCAN_OP_NONE, NULL, NULL, &operator_cases[2], 0 },
};
enum { SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* How segments are told. */
struct telling {
  scan_segments kind;
  scan_type type;
};
static const struct telling tellings[] = {
  { SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT }, { SCAN_SEGMENTS_OFFSETS, SCAN_U64 }, { SCAN_SEGMENTS_KEYS, SCAN_F64 },
  { SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT },  { SCAN_SEGMENTS_KEYS, SCAN_U8 },     { SCAN_SEGMENTS_OFFSETS, SCAN_U32 },
  { SCAN_SEGMENTS_KEYS, SCAN_I32 },           { SCAN_SEGMENTS_KEYS, SCAN_U16 },    { SCAN_SEGMENTS_KEYS, SCAN_F32 },
  { SCAN_SEGMENTS_KEYS, SCAN_U64 },
};
enum { TELLINGS = sizeof tellings / sizeof tellings[0] };

static size_t value_bytes(const struct subject *s) {
  return s->custom ? s->custom->source.value_bytes : reference_bytes(s->type);
}
static size_t input_bytes(const struct subject *s) {
  return s->custom ? s->custom->source.value_bytes : reference_bytes(s->input_type);
}
static scan_op_host *host_of(const struct subject *s) { return s->custom ? s->custom->source.host : s->host; }
static int rounds(const struct subject *s) { return s->custom ? s->custom->rounds : reference_is_float(s->type); }

static void fill(const struct subject *s, uint64_t n, void *in) {
  if (s->custom)
    s->custom->fill(&bench.rng, n, in);
  else
    values_fill(&bench.rng, s->input_type, s->op, n, n, in);
}

/* ---- segments: heads[i] is 1 where one begins ---- */

enum { SINGLE, SHORT, LONG, WHOLE, MIXED, PATTERNS };

static void make_heads(int pattern, uint64_t n, uint8_t *heads) {
  static const uint64_t means[] = { 1, 5, 500 };
  memset(heads, 0, n);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t mean = pattern == MIXED ? means[i / 700 % 3] : pattern == WHOLE ? n + 1 : means[pattern];
    heads[i] = i == 0 || rng_below(&bench.rng, mean) == 0;
  }
}

/* The key of the segment of that number. */
static void put_key(scan_type type, uint64_t number, unsigned char *at) {
  const float f = (float)(number % 1000) * 0.5f;
  const double d = 1.0 + (double)(number % 4096) * 0x1p-52; /* they differ in the last bits */
  if (type == SCAN_F32)
    memcpy(at, &f, sizeof f);
  else if (type == SCAN_F64)
    memcpy(at, &d, sizeof d);
  else
    memcpy(at, &number, reference_bytes(type)); /* the low bytes */
}

static uint64_t put_offsets(scan_type type, uint64_t n, const uint8_t *heads, uint64_t segments, unsigned char *at) {
  const size_t bytes = reference_bytes(type);
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; i++)
    for (uint64_t times = heads[i] ? 1 + (rng_below(&bench.rng, 4) == 0) * rng_below(&bench.rng, 5) : 0; times > 0;
         times--)
      memcpy(at + count++ * bytes, &i, bytes);
  while (count <= segments) memcpy(at + count++ * bytes, &n, bytes); /* empty ones */
  return segments;
}

/* The description, which takes at most 48 bytes an element and 64 more; returns scan_segments.count. */
static uint64_t describe(const struct telling *t, uint64_t n, const uint8_t *heads, uint64_t segments,
                         unsigned char *at) {
  uint64_t number = 0;
  memset(at, 0, (size_t)n * (t->kind == SCAN_SEGMENTS_BITS ? 1 : 48) + 64);
  if (t->kind == SCAN_SEGMENTS_OFFSETS) return put_offsets(t->type, n, heads, segments, at);
  for (uint64_t i = 0; i < n; i++) {
    const int tells = heads[i] && (i > 0 || n % 2); /* the first one need not be told */
    number += heads[i];
    if (t->kind == SCAN_SEGMENTS_FLAGS) at[i] = tells ? (uint8_t)(1 + rng_below(&bench.rng, 255)) : 0;
    if (t->kind == SCAN_SEGMENTS_BITS && tells) {
      uint32_t word;
      memcpy(&word, at + i / 32 * 4, sizeof word);
      word |= UINT32_C(1) << (i % 32);
      memcpy(at + i / 32 * 4, &word, sizeof word);
    }
    if (t->kind == SCAN_SEGMENTS_KEYS) put_key(t->type, number, at + i * reference_bytes(t->type));
  }
  return n;
}

/* ---- what must come out ---- */

struct scan_case {
  const struct subject *subject;
  const struct telling *telling;
  scan_strategy strategy;
  scan_kind kind;
  const void *init; /* value_bytes, or NULL */
};

static const void *seed_of(const struct scan_case *c) {
  if (c->init != NULL || c->kind == SCAN_INCLUSIVE) return c->init;
  return c->subject->custom ? c->subject->custom->source.identity : &c->subject->identity;
}

static void value_of(const struct subject *s, const unsigned char *in, uint64_t i, void *value) {
  if (s->widen)
    s->widen(in + i * input_bytes(s), i, value, NULL);
  else
    memcpy(value, in + i * input_bytes(s), value_bytes(s));
}

/* Each segment by itself, left to right. */
static void expect_loop(const struct scan_case *c, uint64_t n, const uint8_t *heads, const unsigned char *in,
                        unsigned char *out) {
  const size_t bytes = value_bytes(c->subject);
  const void *seed = seed_of(c);
  _Alignas(64) unsigned char sum[64], x[64], next[64];
  for (uint64_t i = 0; i < n; i++) {
    value_of(c->subject, in, i, x);
    if (heads[i] && seed) memcpy(sum, seed, bytes);
    if (c->kind == SCAN_EXCLUSIVE) memcpy(out + i * bytes, sum, bytes);
    if (heads[i] && !seed)
      memcpy(next, x, bytes);
    else
      host_of(c->subject)(sum, x, next, NULL);
    memcpy(sum, next, bytes);
    if (c->kind == SCAN_INCLUSIVE) memcpy(out + i * bytes, sum, bytes);
  }
}

/* A value of at most 16 bytes and whether a segment begins in what it covers. */
typedef struct lifted {
  _Alignas(16) unsigned char value[16];
  uint32_t head;
} lifted;
static scan_op_host *lifted_host;

static void lifted_combine(const void *left, const void *right, void *result, void *user) {
  const lifted *a = left, *b = right;
  lifted *c = result;
  *c = *b;
  if (b->head) return;
  lifted_host(a->value, b->value, c->value, user);
  c->head = a->head;
}

/* The canonical order of such values; the seed comes before each segment's first element. */
static void expect_lifted(const struct scan_case *c, uint64_t n, const uint8_t *heads, const unsigned char *in,
                          unsigned char *out) {
  const size_t bytes = value_bytes(c->subject);
  const struct reference_operator op = { sizeof(lifted), lifted_combine, bytes, NULL };
  const void *seed = seed_of(c);
  lifted *x = reference_alloc((size_t)n * sizeof *x), *y = reference_alloc((size_t)n * sizeof *y);
  memset(x, 0, (size_t)n * sizeof *x);
  lifted_host = host_of(c->subject);
  for (uint64_t i = 0; i < n; i++) {
    lifted element = { .head = heads[i] };
    value_of(c->subject, in, i, element.value);
    x[i] = element;
    if (heads[i] && seed) {
      _Alignas(16) unsigned char before[16];
      memcpy(before, seed, bytes);
      lifted_host(before, element.value, x[i].value, NULL);
    }
  }
  reference_operator_scan(&op, 0, c->kind, NULL, n, x, y);
  for (uint64_t i = 0; i < n; i++)
    memcpy(out + i * bytes, c->kind == SCAN_EXCLUSIVE && heads[i] ? seed : y[i].value, bytes);
  free(x);
  free(y);
}

/* ---- one scan ---- */

static void fail_case(const struct scan_case *c, uint64_t n, int pattern, int in_place, const char *why) {
  static const char *const kinds[] = { "", "flags", "bits", "keys", "offsets" };
  static const char *const patterns[] = { "single", "short", "long", "whole", "mixed" };
  test_fail("%s, %s of %s, %s segments, strategy %s, %s%s%s, n=%llu: %s", c->subject->name, kinds[c->telling->kind],
            c->telling->type ? scan_type_name(c->telling->type) : "elements", patterns[pattern],
            scan_strategy_name(c->strategy), c->kind == SCAN_INCLUSIVE ? "inclusive" : "exclusive",
            c->init ? " from init" : "", in_place ? " in place" : "", (unsigned long long)n, why);
}

static void run_one(const struct scan_case *c, scan_plan *plan, scan_mem marks, uint64_t n, uint64_t segments,
                    int pattern) {
  const size_t bytes = value_bytes(c->subject);
  uint8_t *heads = reference_alloc((size_t)n);
  unsigned char *in = reference_alloc((size_t)n * input_bytes(c->subject)), *want = reference_alloc((size_t)n * bytes);
  unsigned char *marks_here = reference_alloc((size_t)n * 48 + 64);
  make_heads(pattern, n, heads);
  const uint64_t count = describe(c->telling, n, heads, segments, marks_here);
  const size_t entry_bytes = c->telling->type ? reference_bytes(c->telling->type) : 4;
  const size_t told = (size_t)(c->telling->kind == SCAN_SEGMENTS_FLAGS  ? n
                               : c->telling->kind == SCAN_SEGMENTS_BITS ? (n + 31) / 32 * 4
                                                                        : (count + 1) * entry_bytes);
  fill(c->subject, n, in);
  test_ok(test_ctx(), scan_write(test_ctx(), marks, marks_here, told), "scan_write");
  if (rounds(c->subject) && c->strategy != SCAN_STRATEGY_SEQUENTIAL)
    expect_lifted(c, n, heads, in, want);
  else
    expect_loop(c, n, heads, in, want);
  struct span_scan one = { .in = in,
                           .want = want,
                           .in_bytes = (size_t)n * input_bytes(c->subject),
                           .want_bytes = (size_t)n * bytes,
                           .in_shift = (size_t)(n % 3) * input_bytes(c->subject),
                           .out_shift = (size_t)(n % 2) * bytes,
                           .in_place = n % 2 == 0 && input_bytes(c->subject) == bytes,
                           .marks = marks,
                           .mark_count = count };
  const int64_t at = span_run(plan, n, &one);
  if (at != INT64_MIN) {
    char why[TEST_TEXT];
    snprintf(why, sizeof why, "byte %lld of the output, element %lld", (long long)at, (long long)at / (long long)bytes);
    fail_case(c, n, pattern, one.in_place, why);
  }
  free(heads);
  free(in);
  free(want);
  free(marks_here);
}

/* ---- many ---- */

static scan_spec spec_of(const struct scan_case *c, scan_op *op) {
  const struct subject *s = c->subject;
  scan_spec spec = SCAN_SPEC_INIT(s->type, s->op, c->kind);
  spec.input_type = s->input_type;
  spec.custom_op = op;
  spec.strategy = c->strategy;
  spec.has_init = c->init != NULL;
  if (c->init && op) spec.init_bytes = c->init;
  if (c->init && !op) memcpy(&spec.init, c->init, value_bytes(s));
  spec.segments = c->telling->kind;
  spec.key_type = c->telling->type;
  return spec;
}

/* Bytes that the kernels read of an element's mark, rounded up. */
static size_t mark_bytes(const struct telling *t) {
  return t->kind == SCAN_SEGMENTS_KEYS ? reference_bytes(t->type) : 1;
}

/* The pipelined scan takes 1, 2, 4 and 8 bytes, and keys no larger. */
static int is_pipelined(const struct scan_case *c) {
  const size_t bytes = value_bytes(c->subject);
  return bytes <= 8 && 16 % bytes == 0 && (mark_bytes(c->telling) <= bytes);
}

/* Offsets are as many as a plan's spec says, for n and for n - 1 elements, the last of them of empty segments. */
static void run_sizes(const struct scan_case *c, scan_op *op) {
  const size_t bytes = value_bytes(c->subject);
  const uint64_t sub = reference_subtile_items(bytes), tile = sub * reference_most_subtiles(bytes);
  const int is_long = c->strategy == SCAN_STRATEGY_PIPELINED && !test_is_small();
  const uint64_t sizes[] = { 1, 2, 33, sub + 2, tile + 1, 3 * tile + 18, is_long ? 131 * tile + 7 : 129 * sub + 6, 40 };
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  const size_t shift = c->telling->type                         ? reference_bytes(c->telling->type)
                       : c->telling->kind == SCAN_SEGMENTS_BITS ? 4
                                                                : 1;
  const uint64_t max_n = sizes[6] > sizes[5] ? sizes[6] : sizes[5];
  scan_mem marks;
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_alloc(test_ctx(), max_n * 48 + 128, &marks), "scan_alloc");
  for (size_t i = 0; i < SIZES; i++) {
    const uint64_t n = sizes[i], segments = 5 * n + 1;
    const scan_mem at = scan_offset(marks, (i + (c->init != NULL)) % 2 ? shift : 0);
    const scan_spec spec = spec_of(c, op);
    if (test_info()->loop_limit && n != 33 && n != 40)
      continue; /* llvmpipe takes seconds to compile a plan's kernels */
    if (c->strategy == SCAN_STRATEGY_PIPELINED && i != 6) continue; /* the others are look-back's */
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, n, &plan), "scan_plan_create");
    run_one(c, plan, at, n, segments, (int)(i % PATTERNS));
    if (n > 1000) run_one(c, plan, at, n - 1, segments, (int)((i + 3) % PATTERNS));
    scan_plan_destroy(plan);
  }
  test_ok(test_ctx(), scan_free(test_ctx(), marks), "scan_free");
  test_ran();
}

/* Where compilers are quick, every description and strategy; else by turns. */
static void run_subject(size_t index, size_t telling, scan_strategy strategy) {
  const struct subject *s = &subjects[index];
  _Alignas(64) unsigned char init[64];
  scan_op *op = NULL;
  struct scan_case c = { .subject = s, .telling = &tellings[telling], .strategy = strategy, .kind = SCAN_INCLUSIVE };
  if (!s->custom && !test_has_type(s->type)) return;
  if (s->custom) test_ok(test_ctx(), scan_op_create(test_ctx(), &s->custom->source, &op), "scan_op_create");
  run_sizes(&c, op);
  c.kind = SCAN_EXCLUSIVE;
  if (test_compiles_quickly()) run_sizes(&c, op);
  if (s->custom) {
    s->custom->fill(&bench.rng, 1, init);
  } else {
    const scan_value v = values_init(&bench.rng, s->type, s->op);
    memcpy(init, &v, sizeof v);
  }
  c.init = init;
  run_sizes(&c, op);
  c.kind = SCAN_INCLUSIVE;
  if (test_compiles_quickly()) run_sizes(&c, op);
  scan_op_destroy(op);
}

/* Bytes, bits, and keys of several sizes. */
static void run_pipelined(size_t index) {
  for (size_t t = 0; t < TELLINGS; t++) {
    const struct scan_case c = { .subject = &subjects[index], .telling = &tellings[t] };
    if (test_takes_strategy(SCAN_STRATEGY_PIPELINED) && is_pipelined(&c) &&
        (t + index) % (test_is_small() ? 3 : 2) == 0)
      run_subject(index, t, SCAN_STRATEGY_PIPELINED);
  }
}

static void test_subject(void **state) {
  const size_t index = (size_t)((const struct subject *)*state - subjects);
  const int few = !test_compiles_quickly();
  static const scan_strategy others[] = { SCAN_STRATEGY_SEQUENTIAL, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                          SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_BLOCK };
  if (test_has_strategy(SCAN_STRATEGY_PIPELINED)) run_pipelined(index);
  if (!test_takes_strategy(SCAN_STRATEGY_AUTO)) return;
  if (few) {
    run_subject(index, index % TELLINGS, index % 2 ? SCAN_STRATEGY_AUTO : others[index / 2 % 4]);
    return;
  }
  for (size_t t = 0; t < TELLINGS; t++) {
    if (test_info()->backend != SCAN_BACKEND_HOST && (t + index) % 3 != 0) continue;
    run_subject(index, t, SCAN_STRATEGY_AUTO);
    const scan_strategy other = others[(t + index) % 4];
    if (other == SCAN_STRATEGY_SEQUENTIAL || test_has_strategy(other)) run_subject(index, t, other);
  }
}

/* ---- where the last segment of a tile begins ---- */

/* Segments a little longer than a sub-tile of u32, so that tiles end so many elements after a segment's first: each row
 * of the last sub-tile is once the only one in which a segment begins. Sums are in CUDA's catalogue, XOR is not. */
static void test_places(void **state) {
  (void)state;
  enum { N = 20 * 8192 + 5, LENGTH = 1160 };
  static const scan_strategy strategies[] = { SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                              SCAN_STRATEGY_PIPELINED, SCAN_STRATEGY_THREADS };
  static const scan_op_id ops[] = { SCAN_ADD, SCAN_XOR };
  if (test_info()->loop_limit) skip(); /* as run_sizes */
  uint32_t *in = reference_alloc(N * sizeof *in), *out = reference_alloc(N * sizeof *out);
  uint8_t *flags = reference_alloc(N);
  for (uint32_t i = 0; i < N; i++) {
    in[i] = i * 2654435761u;
    flags[i] = i % LENGTH == 0;
  }
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  args.marks = scan_host(flags);
  args.mark_count = N;
  for (size_t k = 0; k < sizeof strategies / sizeof strategies[0] * 2; k++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, ops[k % 2], SCAN_INCLUSIVE);
    spec.segments = SCAN_SEGMENTS_FLAGS;
    spec.strategy = strategies[k / 2];
    if (!test_has_strategy(spec.strategy)) continue;
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, N, &args), "scan_run_args");
    uint32_t want = 0;
    for (uint32_t i = 0; i < N; i++) {
      want = flags[i] ? in[i] : spec.op == SCAN_ADD ? want + in[i] : want ^ in[i];
      if (out[i] != want)
        test_fail("strategy %s, %s: element %u, of its tile %u, is %u, expected %u", scan_strategy_name(spec.strategy),
                  spec.op == SCAN_ADD ? "add" : "xor", i, i % 8192, out[i], want);
    }
    test_ran();
  }
  free(in);
  free(out);
  free(flags);
}

/* ---- keys as C compares them ---- */

static void test_keys(void **state) {
  (void)state;
  enum { N = 14 };
  const float tiny = 1e-45f;
  const float keys[N] = { NAN,       NAN,       0.0f,     -0.0f, tiny, tiny, -tiny,
                          -INFINITY, -INFINITY, INFINITY, 2.0f,  2.0f, NAN,  2.0f };
  const uint32_t ones[N] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  const uint32_t want[N] = { 1, 1, 1, 2, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1 };
  double doubles[N];
  uint32_t out[N];
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  for (int i = 0; i < N; i++) doubles[i] = (double)keys[i];
  doubles[4] = doubles[5] = 5e-324, doubles[6] = -5e-324;
  scan_args args = SCAN_ARGS_INIT(scan_host(ones), scan_host(out));
  args.mark_count = N;
  spec.segments = SCAN_SEGMENTS_KEYS;
  spec.key_type = SCAN_F32;
  args.marks = scan_host(keys);
  test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, N, &args), "scan_run_args");
  assert_memory_equal(out, want, sizeof want);
  spec.key_type = SCAN_F64;
  args.marks = scan_host(doubles);
  test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, N, &args), "scan_run_args");
  assert_memory_equal(out, want, sizeof want);
}

/* ---- refusals ---- */

static void refuse(int segments, scan_type key_type, scan_mem marks, uint64_t count, const char *words) {
  enum { N = 8 };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint32_t in[N] = { 0 };
  uint32_t out[N] = { 0 };
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  spec.segments = (scan_segments)segments;
  spec.key_type = key_type;
  args.marks = marks;
  args.mark_count = count;
  const scan_status status = scan_run_args(test_ctx(), &spec, N, &args);
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("%s, not \"%s\": %s", scan_status_name(status), words, scan_last_error(test_ctx()));
}

static void test_refusals(void **state) {
  (void)state;
  static const uint64_t some[16];
  const scan_mem memory = scan_host(some), none = SCAN_NO_MEM;
  refuse(5, SCAN_TYPE_DEFAULT, memory, 8, "is no scan_segments");
  refuse(0, SCAN_TYPE_DEFAULT, memory, 8, "spec->segments is 0");
  refuse(SCAN_SEGMENTS_FLAGS, SCAN_U8, memory, 8, "names neither keys nor offsets");
  refuse(SCAN_SEGMENTS_KEYS, SCAN_TYPE_DEFAULT, memory, 8, "which is no type");
  refuse(SCAN_SEGMENTS_OFFSETS, SCAN_I32, memory, 8, "offsets are SCAN_U32 or SCAN_U64");
  refuse(SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, none, 8, "is no memory");
  refuse(SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, memory, 0, "mark_count is 0");
  refuse(SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, memory, 7, "mark_count is 7");
  static const uint64_t counts[] = { (UINT64_C(1) << 61) - 1, (UINT64_C(1) << 62) - 1, UINT64_MAX };
  for (int i = 0; i < 3; i++) {
    refuse(SCAN_SEGMENTS_OFFSETS, SCAN_U32, memory, counts[i], "more than an address");
    refuse(SCAN_SEGMENTS_OFFSETS, SCAN_U64, memory, counts[i], "more than an address");
    refuse(SCAN_SEGMENTS_KEYS, SCAN_U64, memory, counts[i], "more than an address");
  }
  refuse(SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT, scan_offset(memory, 2), 8, "not aligned");
  refuse(SCAN_SEGMENTS_KEYS, SCAN_U64, scan_offset(memory, 4), 8, "not aligned");
}

/* A matrix without rows: nothing is looked at, nothing is launched. */
static void test_nothing(void **state) {
  (void)state;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  uint32_t out[1] = { 7 };
  for (int kind = SCAN_SEGMENTS_FLAGS; kind <= SCAN_SEGMENTS_OFFSETS; kind++) {
    const scan_mem nowhere = scan_host(NULL);
    scan_args args = SCAN_ARGS_INIT(scan_host(out), scan_host(out));
    spec.segments = (scan_segments)kind;
    spec.key_type = kind < SCAN_SEGMENTS_KEYS ? SCAN_TYPE_DEFAULT : SCAN_U32;
    args.marks = nowhere;
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, 0, &args), "scan_run_args");
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 0, &plan), "scan_plan_create");
    test_ok(test_ctx(), scan_plan_run(plan, 0, nowhere, nowhere), "scan_plan_run");
    scan_plan_destroy(plan);
    refuse(kind, spec.key_type, scan_host(out), 0, "args->mark_count is 0");
  }
  assert_int_equal(out[0], 7);
}

/* A description that says more than its memory holds is refused, though the scan would not read it all. */
static void test_count_beyond_memory(void **state) {
  (void)state;
  static const struct {
    scan_segments kind;
    scan_type key_type;
    uint64_t fits;
  } kinds[] = { { SCAN_SEGMENTS_FLAGS, SCAN_TYPE_DEFAULT, 64 },
                { SCAN_SEGMENTS_BITS, SCAN_TYPE_DEFAULT, 512 },
                { SCAN_SEGMENTS_KEYS, SCAN_U32, 16 },
                { SCAN_SEGMENTS_OFFSETS, SCAN_U32, 15 } };
  static const uint32_t zeros[16];
  scan_mem in, out, marks;
  test_ok(test_ctx(), scan_alloc(test_ctx(), 64, &in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), 64, &out), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), 64, &marks), "scan_alloc");
  test_ok(test_ctx(), scan_write(test_ctx(), marks, zeros, 64), "scan_write");
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
    scan_args args = SCAN_ARGS_INIT(in, out);
    spec.segments = kinds[i].kind;
    spec.key_type = kinds[i].key_type;
    args.marks = marks;
    args.mark_count = kinds[i].fits;
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, 8, &args), "scan_run_args");
    args.mark_count++;
    assert_int_equal(scan_run_args(test_ctx(), &spec, 8, &args), SCAN_INVALID_ARGUMENT);
    assert_non_null(strstr(scan_last_error(test_ctx()), "args->marks is too small"));
  }
  test_ok(test_ctx(), scan_free(test_ctx(), in), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), out), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), marks), "scan_free");
}

static void test_memory(void **state) {
  (void)state;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_mem in, out;
  scan_plan *plan = NULL;
  test_ok(test_ctx(), scan_alloc(test_ctx(), 64, &in), "scan_alloc");
  test_ok(test_ctx(), scan_alloc(test_ctx(), 64, &out), "scan_alloc");
  scan_args args = SCAN_ARGS_INIT(in, out);
  spec.segments = SCAN_SEGMENTS_KEYS;
  spec.key_type = SCAN_U32;
  args.marks = out;
  args.mark_count = 16;
  assert_int_equal(scan_run_args(test_ctx(), &spec, 16, &args), SCAN_INVALID_ARGUMENT);
  assert_non_null(strstr(scan_last_error(test_ctx()), "args->marks and out overlap"));
  args.marks = scan_offset(in, 4);
  assert_int_equal(scan_run_args(test_ctx(), &spec, 16, &args), SCAN_INVALID_ARGUMENT);
  assert_non_null(strstr(scan_last_error(test_ctx()), "args->marks is too small"));
  args.marks = in; /* the input itself may be the keys */
  test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, 16, &args), "scan_run_args");
  if (test_info()->backend != SCAN_BACKEND_HOST) {
    static const uint32_t here[16];
    args.marks = scan_host(here);
    test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, 16, &plan), "scan_plan_create");
    assert_int_equal(scan_plan_run_args(plan, 16, &args), SCAN_INVALID_ARGUMENT);
    assert_non_null(strstr(scan_last_error(test_ctx()), "host memory"));
    assert_int_equal(scan_plan_run(plan, 16, in, out), SCAN_INVALID_ARGUMENT);
    assert_non_null(strstr(scan_last_error(test_ctx()), "args->marks is no memory"));
    scan_plan_destroy(plan);
  }
  test_ok(test_ctx(), scan_sync(test_ctx()), "scan_sync");
  test_ok(test_ctx(), scan_free(test_ctx(), in), "scan_free");
  test_ok(test_ctx(), scan_free(test_ctx(), out), "scan_free");
}

#define TEST(function) cmocka_unit_test_setup(function, test_count_setup)

int main(void) {
  const struct CMUnitTest others[] = { TEST(test_places), TEST(test_keys),    TEST(test_refusals),
                                       TEST(test_memory), TEST(test_nothing), TEST(test_count_beyond_memory) };
  enum { OTHERS = sizeof others / sizeof others[0] };
  struct CMUnitTest tests[SUBJECTS + OTHERS];
  size_t count = 0;
  test_share();
  test_device_open();
  for (size_t i = 0; i < OTHERS; i++) tests[count++] = others[i];
  for (size_t i = 0; i < (test_info()->loop_limit   ? 1
                          : test_is_small()         ? 3
                          : test_compiles_quickly() ? SUBJECTS
                                                    : 7);
       i++)
    tests[count++] = (struct CMUnitTest){ subjects[i].name, test_subject, NULL, NULL, (void *)&subjects[i] };
  return test_exit(_cmocka_run_group_tests("segments", tests, test_shared(tests, count), NULL, NULL));
}
