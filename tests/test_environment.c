/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the host backend in an application that rounds upward, or flushes denormals as programs linked with -ffast-math
 * do. Results have the bits of the default environment, with one thread and with many, and the application's
 * environment is restored. */
#include "support.h"

#include <fenv.h>
#include <scanrt/scan_op.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { SMALL = 1000, LARGE = 300000, THREADS = 4 };

SCAN_OP_TEXT(
    sum_text, static inline float sum(float a, float b) { return a + b; });
SCAN_OP_HOST(sum_host, float, sum);
SCAN_OP_TEXT(
    long_text, static inline double long_sum(double a, double b) { return (double)((long double)a + b); });
SCAN_OP_HOST(long_host, double, long_sum);

/* ---- environments ---- */

typedef void set_environment(void);

static void set_upward(void) { (void)fesetround(FE_UPWARD); }

static void set_downward(void) { (void)fesetround(FE_DOWNWARD); }

/* Sets the flags that the start-up code of -ffast-math sets. */
static void flush_denormals(void) {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  uint64_t control;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(control));
  __asm__ __volatile__("msr fpcr, %0" ::"r"(control | UINT64_C(1) << 24));
#endif
}

static set_environment *const environments[] = { set_upward, set_downward, flush_denormals };
enum { ENVIRONMENTS = sizeof environments / sizeof environments[0] };

/* Returns a number that identifies the environment, from rounded sums and a sum of denormals. */
static int environment_now(void) {
  volatile float one = 1.0f, tiny = 1e-10f, denormal = 1e-42f;
  const volatile float up = one + tiny, down = -one - tiny, kept = denormal + denormal;
  return (up > one) + 2 * (down < -one) + 4 * (kept != 0) + 8 * fegetround();
}

/* ---- scans ---- */

/* A sum of a type, built-in or from source. */
typedef struct sum_case {
  const char *name;
  scan_type type;
  const scan_op_source *source;
} sum_case;

/* Fills the first half with denormals, the rest with values whose sums are rounded. */
static void fill(scan_type type, uint64_t n, void *values) {
  for (uint64_t i = 0; i < n; i++) {
    const double fraction = 1.0 / (double)(3 + i % 1009);
    const int is_tiny = i < n / 2;
    if (type == SCAN_F32)
      ((float *)values)[i] = is_tiny ? 1e-41f * (float)(1 + i % 3) : (float)fraction;
    else
      ((double *)values)[i] = is_tiny ? 1e-320 * (double)(1 + i % 3) : fraction;
  }
}

static void run(const sum_case *c, uint32_t threads, int backward, uint64_t n, const void *in, void *out) {
  scan_spec spec = SCAN_SPEC_INIT(c->type, SCAN_ADD, SCAN_INCLUSIVE);
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  scan_op *op = NULL;
  options.device = "host";
  options.threads = threads;
  test_ok(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create");
  if (c->source != NULL) {
    test_ok(ctx, scan_op_create(ctx, c->source, &op), "scan_op_create");
    spec.type = SCAN_TYPE_DEFAULT;
    spec.op = SCAN_OP_NONE;
    spec.custom_op = op;
  }
  if (backward) spec.flags |= SCAN_BACKWARD;
  test_ok(ctx, scan_run(ctx, &spec, n, scan_host(in), scan_host(out)), "scan_run");
  scan_op_destroy(op);
  scan_ctx_destroy(ctx);
}

static void check(const sum_case *c, uint32_t threads, int backward, uint64_t n) {
  const size_t bytes = (size_t)n * (c->type == SCAN_F32 ? sizeof(float) : sizeof(double));
  void *in = malloc(bytes), *want = malloc(bytes), *got = malloc(bytes);
  fenv_t before;
  assert_true(in != NULL && want != NULL && got != NULL);
  fill(c->type, n, in);
  run(c, threads, backward, n, in, want);
  for (int e = 0; e < ENVIRONMENTS; e++) {
    memset(got, 0xA5, bytes);
    (void)fegetenv(&before);
    environments[e]();
    const int mine = environment_now();
    run(c, threads, backward, n, in, got); /* also starts the threads of the pool */
    const int after = environment_now();
    (void)fesetenv(&before);
    if (memcmp(want, got, bytes) != 0)
      test_fail("%s, n=%llu, %u threads, backward %d: environment %d changes the bits", c->name, (unsigned long long)n,
                threads, backward, e);
    assert_int_equal(after, mine);
  }
  free(in);
  free(want);
  free(got);
}

static void test_environments(void **state) {
  (void)state;
  const scan_op_source source = { .struct_bytes = sizeof(scan_op_source),
                                  .text = sum_text,
                                  .type = "float",
                                  .combine = "sum",
                                  .value_bytes = 4,
                                  .value_align = 4,
                                  .host = sum_host };
  const scan_op_source long_source = { .struct_bytes = sizeof(scan_op_source),
                                       .text = long_text,
                                       .type = "double",
                                       .combine = "long_sum",
                                       .value_bytes = 8,
                                       .value_align = 8,
                                       .host = long_host };
  const sum_case cases[] = { { "f32", SCAN_F32, NULL },
                             { "f64", SCAN_F64, NULL },
                             { "float from source", SCAN_F32, &source },
                             { "long double from source", SCAN_F64, &long_source } };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    for (int backward = 0; backward < 2; backward++) {
      check(&cases[c], 1, backward, SMALL);
      check(&cases[c], 1, backward, LARGE);
      check(&cases[c], THREADS, backward, LARGE);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup(test_environments, test_count_setup) };
  return test_exit(cmocka_run_group_tests_name("environment", tests, NULL, NULL));
}
