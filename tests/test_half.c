/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests SCAN_F16 and SCAN_BF16: all 65536 values to binary32, and rounded products and sums of pairs against a search
 * for the nearest value. Cases have scans of halves (tools/cases/). */
#include "reference.h"
#include "support.h"
#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct { struct rng rng; } fixture = { { 0x4a1f4a1f } };

/* ---- the types, by their definition ---- */

struct format {
  scan_type type;
  int fraction_bits, bias;
};
static const struct format formats[] = { { SCAN_F16, 10, 15 }, { SCAN_BF16, 7, 127 } };

static double value_of(const struct format *f, uint16_t bits) {
  const int top = (1 << (15 - f->fraction_bits)) - 1, exponent = (bits & 0x7fff) >> f->fraction_bits;
  const int rest = bits & ((1 << f->fraction_bits) - 1);
  double v = exponent ? ldexp(1 + ldexp(rest, -f->fraction_bits), exponent - f->bias)
                      : ldexp(rest, 1 - f->bias - f->fraction_bits);
  if (exponent == top) v = rest ? (double)NAN : (double)INFINITY;
  return bits & 0x8000 ? -v : v;
}

/* Returns the nearest value, ties to even, by a search in the values above zero. Infinity counts as the next number. */
static uint16_t nearest(const struct format *f, float x) {
  const uint16_t sign = signbit(x) ? 0x8000 : 0, infinity = (uint16_t)(0x7fff >> f->fraction_bits << f->fraction_bits);
  const double a = fabs((double)x), last = value_of(f, (uint16_t)(infinity - 1));
  const double beyond = last + (last - value_of(f, (uint16_t)(infinity - 2)));
  uint16_t low = 0, high = infinity;
  if (isnan(x)) return 0x7fff;
  if (isinf(x)) return sign | infinity;
  while (high - low > 1) {
    const uint16_t middle = (uint16_t)((low + high) / 2);
    if (value_of(f, middle) <= a)
      low = middle;
    else
      high = middle;
  }
  const double down = a - value_of(f, low), up = (high == infinity ? beyond : value_of(f, high)) - a;
  if (a >= beyond) return sign | infinity;
  return sign | (down < up || (down == up && low % 2 == 0) ? low : high);
}

static int is_nan(const struct format *f, uint16_t bits) { return isnan(value_of(f, bits)); }

/* 0 for denormals of bfloat16 on devices that flush those of binary32. */
static int is_sure(double v) { return !test_info()->flushes_denormals || v == 0 || fabs(v) >= 0x1p-126; }

/* ---- conversions ---- */

enum { ALL = 65536 };

/* Returns the most elements of a scan: few on a device with a limit of loop iterations. */
static uint64_t most(uint64_t n) { return test_info()->loop_limit && n > 1000 ? 1000 : n; }

static void run_marked(const scan_spec *spec, uint64_t n, const void *in, void *out, const void *marks) {
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  args.marks = scan_host(marks);
  args.mark_count = n;
  test_ok(test_ctx(), scan_run_args(test_ctx(), spec, n, &args), "scan_run_args");
}

static void test_widen(void **state) {
  const struct format *f = *state;
  uint16_t *in = reference_alloc(ALL * sizeof *in);
  float *out = reference_alloc(ALL * sizeof *out);
  uint8_t *flags = reference_alloc(ALL);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.input_type = f->type;
  spec.segments = SCAN_SEGMENTS_FLAGS;
  memset(flags, 1, ALL);
  for (int i = 0; i < ALL; i++) in[i] = (uint16_t)i;
  const uint64_t step = most(ALL);
  for (uint64_t at = 0; at < ALL; at += step)
    run_marked(&spec, at + step < ALL ? step : ALL - at, in + at, out + at, flags);
  for (int i = 0; i < ALL; i++) {
    const float want = (float)value_of(f, in[i]);
    if (isnan(want) ? !isnan(out[i]) : memcmp(&want, &out[i], sizeof want) != 0)
      if (is_sure((double)want))
        test_fail("%s 0x%04x is %a, not %a", scan_type_name(f->type), i, (double)out[i], (double)want);
  }
  free(in);
  free(out);
  free(flags);
}

/* Scans segments of two elements. The second output of each is a rounded product or sum. */
static void test_narrow(void **state) {
  enum { N = 4 * ALL };
  const struct format *f = *state;
  uint16_t *in = reference_alloc(N * sizeof *in), *out = reference_alloc(N * sizeof *out);
  uint32_t *bits = reference_alloc(N / 8);
  memset(bits, 0x55, N / 8);
  for (int i = 0; i < N; i++) in[i] = (uint16_t)(i % 2 ? (int)rng_next(&fixture.rng) : i / 2 % ALL);
  for (int i = 1; i < N; i += 6)
    in[i] = (uint16_t)(in[i - 1] ^ (1 + rng_below(&fixture.rng, 0x3f))); /* close to the first one */
  for (int op = SCAN_ADD; op <= SCAN_MUL; op++) {
    scan_spec spec = SCAN_SPEC_INIT(f->type, (scan_op_id)op, SCAN_INCLUSIVE);
    if (!test_compiles_quickly() && (op == SCAN_ADD) != (f == formats)) continue;
    spec.segments = SCAN_SEGMENTS_BITS;
    const int n = (int)most(N);
    run_marked(&spec, (uint64_t)n, in, out, bits);
    for (int i = 1; i < n; i += 2) {
      const float a = (float)value_of(f, in[i - 1]), b = (float)value_of(f, in[i]);
      const float exact = op == SCAN_ADD ? a + b : a * b;
      const uint16_t want = nearest(f, exact);
      if (!is_sure((double)a) || !is_sure((double)b) || !is_sure((double)exact)) continue;
      if (isnan(exact) ? is_nan(f, out[i]) : out[i] == want) continue;
      test_fail("%s: %a %c %a is 0x%04x, not 0x%04x", scan_type_name(f->type), (double)a, op == SCAN_ADD ? '+' : '*',
                (double)b, out[i], want);
    }
    for (int i = 0; i < n; i += 2) /* the first output of a segment is its input */
      if (is_nan(f, in[i]) ? !is_nan(f, out[i]) : out[i] != in[i])
        if (is_sure(value_of(f, in[i])))
          test_fail("%s 0x%04x came back as 0x%04x", scan_type_name(f->type), in[i], out[i]);
  }
  free(in);
  free(out);
  free(bits);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    { "widen f16", test_widen, test_count_setup, NULL, (void *)&formats[0] },
    { "widen bf16", test_widen, test_count_setup, NULL, (void *)&formats[1] },
    { "narrow f16", test_narrow, test_count_setup, NULL, (void *)&formats[0] },
    { "narrow bf16", test_narrow, test_count_setup, NULL, (void *)&formats[1] },
  };
  test_device_open();
  return test_exit(cmocka_run_group_tests_name("half", tests, NULL, NULL));
}
