/* SPDX-License-Identifier: BSD-2-Clause */
/* What scans leave: carries and totals beside segments, halves, overflow, widening and backward scans, on every
 * strategy, in chains of uneven pieces, against plain loops. Values are small integers, so that every order of
 * operations gives the same bits; test_carry.c and test_total.c have the digits. */
#include "support.h"
#include "values.h"

#include <scanrt/scan_stream.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1200000, PIECES = 16, BOUND = 900, POISON = 0xA5, SLOT = 64, OFFSETS = 5 };

struct subject {
  scan_type type, input_type;
  uint32_t checks;
};

struct manner {
  scan_kind kind;
  scan_segments segments; /* 0: none */
  int backward, has_init, in_place;
};

static struct {
  struct rng rng;
  int32_t value[MOST];
  uint8_t head[MOST + 1];
  _Alignas(64) uint8_t in[MOST * 8], out[MOST * 8 + SLOT], want[MOST * 8 + SLOT];
  _Alignas(64) uint8_t flags[MOST];
  _Alignas(64) uint32_t bits[MOST / 32 + 2], keys[MOST], offsets[MOST + 1];
} bench = { .rng = { 0x4ee9 } };

static size_t bytes_of(scan_type type) { return type == SCAN_F16 ? 2 : type == SCAN_I64 || type == SCAN_F64 ? 8 : 4; }

static uint16_t half_of(int value) {
  int exponent;
  if (value == 0) return 0;
  const double fraction = frexp(abs(value), &exponent); /* 0.5 to 1 */
  return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 | ((int)(fraction * 2048) & 0x3ff));
}

static void put(scan_type type, void *to, int32_t value) {
  const uint16_t half = half_of(value);
  const int64_t wide = value;
  const float single = (float)value;
  memcpy(to,
         type == SCAN_F16   ? (const void *)&half
         : type == SCAN_F32 ? (const void *)&single
                            : (const void *)&wide,
         bytes_of(type));
}

/* A carry is a value: of halves one of binary32. */
static scan_type value_type(const struct subject *s) { return s->type == SCAN_F16 ? SCAN_F32 : s->type; }
static scan_type input_type(const struct subject *s) { return s->input_type ? s->input_type : s->type; }

/* Sums of any run stay between -2 * BOUND and 2 * BOUND. */
static void fill(const struct subject *s, uint64_t n) {
  int32_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    int32_t v = (int32_t)rng_below(&bench.rng, 7) - 3;
    if (abs(sum + v) > BOUND) v = -v;
    sum += v;
    bench.value[i] = v;
    bench.head[i] = i == 0 || rng_below(&bench.rng, 1000) < 9;
    put(input_type(s), bench.in + i * bytes_of(input_type(s)), v);
  }
  bench.head[n] = 1;
}

/* ---- a piece ---- */

struct piece {
  uint64_t first, items;
  int carried; /* it goes on from what the one before has left */
};

/* How the segments of a piece are told, and its memory. */
static void describe(scan_segments kind, const struct piece *p, scan_spec *spec, scan_args *args) {
  spec->segments = kind;
  args->mark_count = p->items;
  uint64_t count = 0;
  memset(bench.bits, 0, (p->items / 32 + 1) * sizeof bench.bits[0]);
  for (uint64_t i = 0; i < p->items; i++) {
    const int begins = bench.head[p->first + i];
    bench.flags[i] = (uint8_t)begins;
    bench.bits[i / 32] |= (uint32_t)begins << (i % 32);
    if (begins || i == 0) bench.offsets[count++] = (uint32_t)i;
    bench.keys[i] = i == 0 ? 7 : bench.keys[i - 1] + (uint32_t)begins;
  }
  bench.offsets[count] = (uint32_t)p->items;
  switch (kind) {
  case SCAN_SEGMENTS_FLAGS: args->marks = scan_host(bench.flags); break;
  case SCAN_SEGMENTS_BITS: args->marks = scan_host(bench.bits); break;
  case SCAN_SEGMENTS_KEYS:
    args->marks = scan_host(bench.keys);
    spec->key_type = SCAN_U32;
    break;
  case SCAN_SEGMENTS_OFFSETS:
    args->marks = scan_host(bench.offsets);
    spec->key_type = SCAN_U32;
    args->mark_count = count;
    break;
  default: args->mark_count = 0;
  }
}

enum { INIT = 5 };

/* The outputs of a piece, in bench.want; returns what it leaves. `before`: what it goes on from. */
static int32_t expect(const struct subject *s, const struct manner *m, const struct piece *p, int32_t before) {
  const int32_t seed = m->has_init ? INIT : 0;
  int32_t sum = p->carried ? before : seed;
  for (uint64_t k = 0; k < p->items; k++) {
    const uint64_t i = m->backward ? p->first + p->items - 1 - k : p->first + k;
    const uint64_t mark = m->backward ? i + 1 : i; /* a segment begins here, in the order of the scan */
    const int is_known =
        k > 0 || (!m->backward && (m->segments == SCAN_SEGMENTS_FLAGS || m->segments == SCAN_SEGMENTS_BITS));
    if (m->segments && is_known && bench.head[mark]) sum = seed;
    const int32_t next = sum + bench.value[i];
    if (m->kind != SCAN_TOTAL)
      put(s->type, bench.want + (i - p->first) * bytes_of(s->type), m->kind == SCAN_EXCLUSIVE ? sum : next);
    sum = next;
  }
  if (m->kind == SCAN_TOTAL) put(s->type, bench.want, sum);
  return sum;
}

static scan_spec spec_of(const struct subject *s, const struct manner *m, scan_strategy strategy) {
  scan_spec spec = SCAN_SPEC_INIT(s->type, SCAN_ADD, m->kind);
  spec.input_type = s->input_type;
  spec.strategy = strategy;
  spec.flags = (m->backward ? SCAN_BACKWARD : 0u) | (s->checks ? SCAN_CHECK_OVERFLOW : 0u);
  return spec;
}

static void fail_piece(const struct subject *s, const struct manner *m, scan_strategy strategy, const struct piece *p,
                       const char *why) {
  test_fail("%s from %s%s, kind %d, segments %d, %s%s%s, strategy %s: %llu elements from %llu on%s: %s",
            scan_type_name(s->type), scan_type_name(input_type(s)), s->checks ? ", checked" : "", (int)m->kind,
            (int)m->segments, m->backward ? "backward" : "forward", m->has_init ? ", from init" : "",
            m->in_place ? ", in place" : "", scan_strategy_name(strategy), (unsigned long long)p->items,
            (unsigned long long)p->first, p->carried ? ", carried" : "", why);
}

static void scan_piece(const struct subject *s, const struct manner *m, scan_strategy strategy, const struct piece *p,
                       uint8_t carry[2][SLOT], int turn, int32_t before) {
  const size_t size = bytes_of(s->type), out_bytes = (m->kind == SCAN_TOTAL ? 1 : p->items) * size;
  scan_spec spec = spec_of(s, m, strategy);
  scan_args args = SCAN_ARGS_INIT(scan_host(NULL), scan_host(bench.out));
  uint8_t left[SLOT];
  memset(bench.want, POISON, out_bytes + SLOT);
  memset(bench.out, POISON, out_bytes + SLOT);
  memset(left, POISON, sizeof left);
  put(value_type(s), left, expect(s, m, p, before));
  describe(m->segments, p, &spec, &args);
  uint8_t *in = bench.in + p->first * bytes_of(input_type(s));
  args.in = scan_host(m->in_place ? bench.out : in);
  if (m->in_place) memcpy(bench.out, in, p->items * size);
  if (m->has_init && (!p->carried || m->segments)) { /* every other segment begins with it */
    spec.has_init = 1;
    put(value_type(s), &spec.init, INIT);
    if (s->type == SCAN_F16) spec.init.f16 = half_of(INIT);
  }
  if (p->carried) args.carry_in = scan_host(carry[0]);
  const int same = turn % 2; /* carry_in and carry_out are one place */
  if (!same) memset(carry[1], POISON, SLOT);
  args.carry_out = scan_host(carry[same ? 0 : 1]);
  if (same && !p->carried) memset(carry[0], POISON, SLOT);
  if (scan_run_args(test_ctx(), &spec, p->items, &args) != SCAN_SUCCESS)
    fail_piece(s, m, strategy, p, scan_last_error(test_ctx()));
  if (!same) memcpy(carry[0], carry[1], SLOT);
  if (memcmp(bench.out, bench.want, out_bytes + SLOT) != 0) {
    char why[TEST_TEXT];
    size_t at = 0;
    while (bench.out[at] == bench.want[at]) at++;
    snprintf(why, sizeof why, "element %zu is wrong", at / size);
    fail_piece(s, m, strategy, p, why);
  }
  if (memcmp(carry[0], left, SLOT) != 0) fail_piece(s, m, strategy, p, "what it leaves is wrong");
  test_ran();
}

/* ---- a chain ---- */

static int is_lacking(const struct subject *s, const struct manner *m, scan_strategy strategy) {
  scan_plan *plan = NULL;
  const struct piece p = { 0, 100, 0 };
  scan_spec spec = spec_of(s, m, strategy);
  scan_args args = SCAN_ARGS_INIT(scan_host(NULL), scan_host(NULL));
  describe(m->segments, &p, &spec, &args);
  const scan_status status = scan_plan_create(test_ctx(), &spec, MOST, &plan);
  scan_plan_destroy(plan);
  if (status != SCAN_SUCCESS && status != SCAN_UNSUPPORTED) fail_piece(s, m, strategy, &p, scan_last_error(test_ctx()));
  return status != SCAN_SUCCESS;
}

/* `sizes` end with 0; the pieces of a backward scan are taken from the last on. */
static void scan_chain(const struct subject *s, const struct manner *m, scan_strategy strategy, const uint64_t *sizes) {
  _Alignas(64) uint8_t carry[2][SLOT];
  struct piece pieces[PIECES];
  int count = 0;
  uint64_t n = 0;
  int32_t before = 0;
  for (; sizes[count] != 0; n += sizes[count++]) pieces[count] = (struct piece){ n, sizes[count], 0 };
  if (is_lacking(s, m, strategy)) return;
  for (int k = 0; k < count; k++) {
    struct piece *p = &pieces[m->backward ? count - 1 - k : k];
    const uint64_t border = m->backward ? p->first + p->items : p->first;
    const int tells_itself = !m->backward && (m->segments == SCAN_SEGMENTS_FLAGS || m->segments == SCAN_SEGMENTS_BITS);
    p->carried = k > 0 && (m->segments == SCAN_SEGMENTS_NONE || tells_itself || !bench.head[border]);
    scan_piece(s, m, strategy, p, carry, k, before);
    before = expect(s, m, p, before);
  }
}

static const scan_strategy strategies[] = { SCAN_STRATEGY_AUTO,     SCAN_STRATEGY_SEQUENTIAL,
                                            SCAN_STRATEGY_BLOCK,    SCAN_STRATEGY_REDUCE_THEN_SCAN,
                                            SCAN_STRATEGY_LOOKBACK, SCAN_STRATEGY_PIPELINED,
                                            SCAN_STRATEGY_THREADS };
static const scan_kind kinds[] = { SCAN_INCLUSIVE, SCAN_EXCLUSIVE, SCAN_TOTAL };

static const uint64_t short_pieces[] = { 1, 5, 37, 300, 1030, 127, 0 };
static const uint64_t pieces[] = { 3, 4, 129, 1024, 4097, 33000, 1, 9001, 70000, 0 };
static const uint64_t long_pieces[] = { 140001, 1050001, 77, 0 };

static const uint64_t *sizes_for(scan_strategy strategy) {
  if (test_is_small() || test_info()->loop_limit) return short_pieces;
  return strategy == SCAN_STRATEGY_SEQUENTIAL ? short_pieces : pieces;
}

static const struct subject subjects[] = {
  { SCAN_I32, SCAN_TYPE_DEFAULT, 0 }, { SCAN_F32, SCAN_TYPE_DEFAULT, 0 }, { SCAN_F16, SCAN_TYPE_DEFAULT, 0 },
  { SCAN_I64, SCAN_I32, 0 },          { SCAN_I32, SCAN_TYPE_DEFAULT, 1 },
};

/* The stand-in for CUDA has no kernels for backward scans by built-in operators. */
static int lacks_images(const struct subject *s, int segments, int backward) {
  return backward && test_is_small() && test_info()->backend == SCAN_BACKEND_CUDA && !segments && !s->checks &&
         s->type != SCAN_F16;
}

/* Compilers for processors, where CUDA is emulated too, take a second or more for each combination: of subject,
 * segments and strategy each two meet once, with the directions by turns; kinds share a program as a rule. GPUs' take
 * less: a fourth of all. */
static int is_slow(void) {
  const scan_device_info *device = test_info();
  return device->backend == SCAN_BACKEND_OPENCL ? (int)device->is_cpu
                                                : device->backend == SCAN_BACKEND_CUDA && test_is_small();
}

static int is_left_out(size_t subject, size_t segments, size_t strategy, size_t backward) {
  if (is_slow()) return strategy != (2 * subject + segments) % 5 || backward != (subject + segments) % 2;
  if (!test_is_small() && test_info()->backend == SCAN_BACKEND_HOST) return 0;
  return (subject + segments + strategy + backward) % 4 != 0;
}

/* Of these strategies of theirs AUTO has the programs: itself, block and look-back. */
static int is_built(size_t subject, size_t segments, size_t backward) {
  return (2 * subject + segments) % 5 % 2 == 0 && backward == (subject + segments) % 2;
}

/* A subject, by its number: each kind of segments, and each strategy; manners go round. */
static void test_combinations(void **state) {
  const size_t i = (size_t)(uintptr_t)*state;
  const struct subject *s = &subjects[i];
  if (!test_has_type(s->type)) skip();
  fill(s, 120000);
  for (int segments = 0; segments < OFFSETS; segments++)
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      for (int backward = 0; backward < 2; backward++)
        for (size_t t = 0; t < sizeof strategies / sizeof strategies[0]; t++) {
          if (lacks_images(s, segments, backward)) continue;
          if (is_left_out(i, (size_t)segments, t, (size_t)backward)) continue;
          const struct manner m = { .kind = kinds[k],
                                    .segments = (scan_segments)segments,
                                    .backward = backward,
                                    .has_init = (int)(t + k) % 2,
                                    .in_place = !s->input_type && kinds[k] != SCAN_TOTAL && (t + i) % 2 };
          scan_chain(s, &m, strategies[t], sizes_for(strategies[t]));
        }
}

/* One strategy alone ($SCANRT_TEST_STRATEGY), for emulated GPUs: pieces that end with a tile, behind its first vector,
 * in a row and in a sub-tile. */
static void test_tiled(void **state) {
  static const uint64_t sizes[] = { 139264, 5, 139265, 140294, 131100, 0 };
  static const struct subject s = { SCAN_F32, SCAN_TYPE_DEFAULT, 0 };
  const char *name = getenv("SCANRT_TEST_STRATEGY");
  scan_strategy strategy;
  (void)state;
  test_ok(test_ctx(), scan_strategy_parse(name, &strategy), "scan_strategy_parse");
  fill(&s, 560000);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (int segments = 0; segments < (getenv("SCANRT_TEST_SEGMENTS") ? OFFSETS : 1); segments += 3) {
      const struct manner m = { .kind = kinds[k],
                                .segments = (scan_segments)segments,
                                .in_place = kinds[k] == SCAN_INCLUSIVE };
      scan_chain(&s, &m, strategy, sizes);
    }
}

/* More than a group of 128 tiles, and of pipelined more than a ring. */
static void test_long(void **state) {
  static const struct subject s = { SCAN_I32, SCAN_TYPE_DEFAULT, 0 };
  (void)state;
  if (test_is_small() || test_info()->loop_limit) return;
  fill(&s, MOST);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (size_t t = 0; t < sizeof strategies / sizeof strategies[0]; t++) {
      const struct manner plain = { .kind = kinds[k] }, keyed = { .kind = kinds[k], .segments = SCAN_SEGMENTS_KEYS };
      scan_chain(&s, &plain, strategies[t], long_pieces);
      scan_chain(&s, &keyed, strategies[t], long_pieces);
    }
}

/* ---- streams ---- */

/* Chunks of whatever segments, kinds and directions give the whole. */
static void test_streams(void **state) {
  enum { N = 10000, CHUNK = 1376 };
  (void)state;
  for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
    const struct subject *s = &subjects[i];
    if (!test_has_type(s->type)) continue;
    fill(s, N);
    for (int segments = 0; segments < OFFSETS; segments++)
      for (int kind = 0; kind < 4; kind++) {
        const struct piece whole = { 0, N, 0 };
        const struct manner m = {
          .kind = kinds[kind % 2], .segments = (scan_segments)segments, .backward = kind / 2, .has_init = kind % 2
        };
        scan_spec spec = spec_of(s, &m, SCAN_STRATEGY_AUTO);
        scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
        uint8_t left[SLOT], want[SLOT];
        const size_t bytes = N * bytes_of(s->type);
        if (lacks_images(s, segments, m.backward)) continue;
        if (is_slow() && !is_built(i, (size_t)segments, (size_t)m.backward)) continue;
        memset(left, POISON, SLOT);
        memset(want, POISON, SLOT);
        memset(bench.out, POISON, bytes + SLOT);
        memset(bench.want, POISON, bytes + SLOT);
        put(value_type(s), want, expect(s, &m, &whole, 0));
        scan_args args = SCAN_ARGS_INIT(scan_host(NULL), scan_host(NULL));
        describe(m.segments, &whole, &spec, &args);
        options.marks = args.marks;
        options.mark_count = args.mark_count;
        spec.has_init = (uint32_t)m.has_init;
        put(value_type(s), &spec.init, INIT);
        if (s->type == SCAN_F16) spec.init.f16 = half_of(INIT);
        options.carry_out = scan_host(left);
        options.chunk_items = CHUNK;
        if (scan_stream(test_ctx(), &spec, N, bench.in, bench.out, &options) != SCAN_SUCCESS)
          fail_piece(s, &m, SCAN_STRATEGY_AUTO, &whole, scan_last_error(test_ctx()));
        if (memcmp(bench.out, bench.want, bytes + SLOT) != 0)
          fail_piece(s, &m, SCAN_STRATEGY_AUTO, &whole, "the stream is wrong");
        if (memcmp(left, want, SLOT) != 0)
          fail_piece(s, &m, SCAN_STRATEGY_AUTO, &whole, "what the stream leaves is wrong");
        test_ran();
      }
  }
}

/* The first result that does not fit is told by its place in the whole. */
static void test_stream_overflow(void **state) {
  enum { N = 5000 };
  static const int places[] = { 10, 999, 1000, 4321 };
  static int32_t in[N], out[N];
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  (void)state;
  options.chunk_items = 1000;
  for (int exclusive = 0; exclusive < 2; exclusive++)
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
      scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, exclusive ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
      uint64_t index = 0;
      spec.flags = SCAN_CHECK_OVERFLOW;
      memset(in, 0, sizeof in);
      in[0] = INT32_MAX;
      in[places[k]] = 1;
      assert_int_equal(scan_stream(test_ctx(), &spec, N, in, out, &options), SCAN_OVERFLOW);
      test_ok(test_ctx(), scan_overflow_index(test_ctx(), &index), "scan_overflow_index");
      assert_int_equal(index, places[k] + exclusive);
      test_ran();
    }
}

/* ---- zeros ---- */

/* Numbers whose value is a zero, by their bits. */
static int is_zero(scan_type type, const uint8_t *x, int negative) {
  const size_t bytes = type == SCAN_BF16 ? 2 : bytes_of(type);
  for (size_t i = 0; i + 1 < bytes; i++)
    if (x[i] != 0) return 0;
  return x[bytes - 1] == (negative ? 0x80 : 0);
}

static void put_zeros(scan_type type, uint8_t *to, uint64_t n) {
  const size_t bytes = type == SCAN_BF16 ? 2 : bytes_of(type);
  memset(to, 0, n * bytes);
  for (uint64_t i = 0; i < n; i++) to[i * bytes + bytes - 1] = 0x80;
}

enum { FROM_IDENTITY, FROM_PLUS, FROM_MINUS, FROM_CARRY, BEGINNINGS };

/* An exclusive sum of -0.0 shows +0.0, whether it keeps a value or not, and leaves what an inclusive one does. From
 * -0.0 it shows that, but where a carry is of the first segment alone. */
static void check_zeros(const struct subject *s, scan_segments segments, scan_strategy strategy, int n, int beginning,
                        int keeps) {
  const scan_type value = s->type == SCAN_BF16 ? SCAN_F32 : value_type(s);
  const size_t bytes = s->type == SCAN_BF16 ? 2 : bytes_of(s->type);
  const struct manner m = { .kind = SCAN_EXCLUSIVE, .segments = segments };
  const struct piece whole = { 0, (uint64_t)n, 0 };
  const int shows_minus = beginning == FROM_MINUS || (beginning == FROM_CARRY && !segments);
  scan_spec spec = spec_of(s, &m, strategy);
  scan_args args = SCAN_ARGS_INIT(scan_host(bench.in), scan_host(bench.out));
  _Alignas(8) uint8_t carry[8], left[8];
  put_zeros(value, carry, 1);
  memset(left, POISON, sizeof left);
  describe(segments, &whole, &spec, &args);
  spec.has_init = beginning == FROM_PLUS || beginning == FROM_MINUS;
  if (beginning == FROM_MINUS) put_zeros(s->type, (uint8_t *)&spec.init, 1);
  if (beginning == FROM_CARRY) args.carry_in = scan_host(carry);
  if (keeps) args.carry_out = scan_host(left);
  memset(bench.out, POISON, (size_t)n * bytes);
  test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, (uint64_t)n, &args), "scan_run_args");
  for (int i = 0; i < n; i++)
    if (!is_zero(s->type, bench.out + (size_t)i * bytes, shows_minus))
      test_fail("%s, segments %d, strategy %s, beginning %d, keeps %d: element %d of %d has the wrong sign",
                scan_type_name(s->type), (int)segments, scan_strategy_name(strategy), beginning, keeps, i, n);
  if (keeps && !is_zero(value, left, beginning != FROM_PLUS))
    test_fail("%s, segments %d, strategy %s, beginning %d: %d elements leave another zero", scan_type_name(s->type),
              (int)segments, scan_strategy_name(strategy), beginning, n);
  test_ran();
}

static void test_zeros(void **state) {
  enum { N = 5000 };
  static const struct subject sums[] = { { SCAN_F32, SCAN_TYPE_DEFAULT, 0 },
                                         { SCAN_F16, SCAN_TYPE_DEFAULT, 0 },
                                         { SCAN_BF16, SCAN_TYPE_DEFAULT, 0 },
                                         { SCAN_F64, SCAN_F32, 0 } };
  (void)state;
  for (int i = 0; i <= N; i++) bench.head[i] = i % 300 == 0;
  for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++)
    for (int segments = 0; segments < OFFSETS; segments += 3)
      for (size_t t = 0; t < sizeof strategies / sizeof strategies[0]; t++) {
        const struct subject *s = &sums[k];
        const struct manner m = { .kind = SCAN_EXCLUSIVE, .segments = (scan_segments)segments };
        if (!test_has_type(s->type) || is_lacking(s, &m, strategies[t])) continue;
        if (is_slow() && k + (size_t)segments > 0 && t != (k + (size_t)segments) % 5) continue;
        put_zeros(input_type(s), bench.in, N);
        for (int n = 1; n <= N; n += 1237)
          for (int from = 0; from <= BEGINNINGS; from++) /* the last: from a carry, and nothing is kept */
            check_zeros(s, (scan_segments)segments, strategies[t], n, from < BEGINNINGS ? from : FROM_CARRY,
                        from < BEGINNINGS);
      }
}

/* A scan of nothing leaves what it begins from, whatever its kernels are made of. */
static void test_nothing(void **state) {
  (void)state;
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
    scan_spec spec = SCAN_SPEC_INIT(SCAN_U32, SCAN_MUL, (scan_kind)kind);
    uint32_t left = 7;
    spec.segments = SCAN_SEGMENTS_FLAGS;
    scan_args args = SCAN_ARGS_INIT(scan_host(NULL), scan_host(NULL));
    args.carry_out = scan_host(&left);
    test_ok(test_ctx(), scan_run_args(test_ctx(), &spec, 0, &args), "scan_run_args of nothing");
    assert_int_equal(left, 1);
    test_ran();
  }
}

/* ---- overflow ---- */

/* What an exclusive scan leaves is noted as the element behind its last. */
static void test_overflow(void **state) {
  enum { N = 3000, AT = 2000 };
  static int32_t in[N], out[N];
  (void)state;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    for (int n = AT; n <= N; n += N - AT)
      for (int backward = 0; backward < 2; backward++) {
        scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, kinds[k]);
        int32_t from = INT32_MAX - 10, left;
        uint64_t index = 0;
        memset(in, 0, sizeof in);
        in[backward ? n - AT : AT - 1] = 11; /* the element AT - 1 of the scan */
        spec.flags = SCAN_CHECK_OVERFLOW | (backward ? SCAN_BACKWARD : 0u);
        scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
        args.carry_in = scan_host(&from);
        args.carry_out = scan_host(&left);
        scan_status status = scan_run_args(test_ctx(), &spec, (uint64_t)n, &args);
        if (status == SCAN_SUCCESS) status = scan_sync(test_ctx());
        if (status != SCAN_OVERFLOW) test_fail("kind %d, n = %d: %s", (int)kinds[k], n, scan_status_name(status));
        test_ok(test_ctx(), scan_overflow_index(test_ctx(), &index), "scan_overflow_index");
        const int place = AT - (kinds[k] != SCAN_EXCLUSIVE);
        assert_int_equal(index, backward && place < n ? n - 1 - place : place);
        test_ran();
      }
}

/* ---- as many launches as without ---- */

static void test_launches(void **state) {
  static const uint64_t sizes[] = { 100, 20000, 1000000 };
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    scan_plan_facts facts[3];
    for (int k = 0; k < 3; k++) {
      scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, kinds[k]);
      scan_plan *plan = NULL;
      facts[k] = (scan_plan_facts)SCAN_PLAN_FACTS_INIT;
      if (test_info()->loop_limit && sizes[i] > 20000) continue;
      test_ok(test_ctx(), scan_plan_create(test_ctx(), &spec, sizes[i], &plan), "scan_plan_create");
      test_ok(test_ctx(), scan_plan_info(plan, &facts[k]), "scan_plan_info");
      scan_plan_destroy(plan);
      assert_int_equal(facts[k].launches, facts[0].launches);
    }
  }
}

#define SUBJECT(k)                                                                                                     \
  { "combinations, subject " #k, test_combinations, NULL, NULL, (void *)(uintptr_t)(k) }

int main(void) {
  const struct CMUnitTest tiled[] = { cmocka_unit_test(test_tiled) };
  struct CMUnitTest tests[] = {
    SUBJECT(0),
    SUBJECT(1),
    SUBJECT(2),
    SUBJECT(3),
    SUBJECT(4),
    cmocka_unit_test_setup(test_long, test_count_setup),
    cmocka_unit_test(test_streams),
    cmocka_unit_test(test_stream_overflow),
    cmocka_unit_test(test_zeros),
    cmocka_unit_test(test_nothing),
    cmocka_unit_test(test_overflow),
    cmocka_unit_test_setup(test_launches, test_count_setup),
  };
  _Static_assert(sizeof subjects / sizeof subjects[0] == 5, "a test for each");
  test_share();
  test_device_open();
  if (getenv("SCANRT_TEST_STRATEGY") != NULL) return test_exit(cmocka_run_group_tests_name("keep", tiled, NULL, NULL));
  const size_t count = test_shared(tests, sizeof tests / sizeof tests[0]);
  return test_exit(_cmocka_run_group_tests("keep", tests, count, NULL, NULL));
}
