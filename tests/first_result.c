/* SPDX-License-Identifier: BSD-2-Clause */
/* Times the first results of operators from source on CUDA with nothing cached: from the open device to the operator,
 * the first result, and the calls by which look-back and all kernels have taken over. Every result has the bits of the
 * first one. Usage: first_result [N]; prints a line a case, without and with compilations in the background. */
#define _GNU_SOURCE /* setenv */
#include "core/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CALLS = 1 << 20 };

typedef struct first_case {
  const char *name;
  scan_op_source source;
  scan_segments segments;
} first_case;

static const float zero = 0;
static const float one_zero[2] = { 1, 0 };

#define SUM                                                                                                            \
  {                                                                                                                    \
    .struct_bytes = sizeof(scan_op_source), .text = "static inline float sum(float a, float b) { return a + b; }",     \
    .type = "float", .combine = "sum", .value_bytes = 4, .value_align = 4, .identity = &zero                           \
  }
static const first_case cases[] = {
  { "sum", SUM, SCAN_SEGMENTS_NONE },
  { "affine",
    { .struct_bytes = sizeof(scan_op_source),
      .text = "typedef struct { float a, b; } map;\n"
              "static inline map then(map f, map g) { map h; h.a = f.a * g.a; h.b = g.a * f.b + g.b; return h; }",
      .type = "map",
      .combine = "then",
      .value_bytes = 8,
      .value_align = 4,
      .identity = one_zero },
    SCAN_SEGMENTS_NONE },
  { "flags", SUM, SCAN_SEGMENTS_FLAGS },
};

static double begun;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - begun;
}

static void need(const scan_ctx *ctx, scan_status status, const char *call) {
  if (status == SCAN_SUCCESS) return;
  printf("%s: %s: %s\n", call, scan_status_name(status), scan_last_error(ctx));
  exit(1);
}

/* Numbers near 1, whose products stay finite. */
static void fill(float *values, uint64_t count, uint8_t *flags, uint64_t n) {
  uint32_t seed = 1;
  for (uint64_t i = 0; i < count; i++) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5F;
  }
  for (uint64_t i = 0; i < n; i++) flags[i] = i % 501 == 0;
}

static const scan_plan *hidden_plan(const scan_ctx *ctx) {
  const scan_plan *plan = ctx->plans;
  while (plan != NULL && !plan->hidden) plan = plan->next;
  return plan;
}

/* 0: rolled.cl; 1: look-back, too; 2: all kernels. */
static int stage_of(const scan_plan *plan) { return plan->is_quick ? 0 : plan->quick != NULL ? 1 : 2; }

static void run_case(const first_case *c, uint64_t n) {
  const uint64_t bytes = n * c->source.value_bytes;
  float *values = malloc(bytes), *first = malloc(bytes), *later = malloc(bytes);
  uint8_t *flags = malloc(n);
  scan_ctx *ctx = NULL;
  scan_mem in, out, marks;
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  double at[3] = { 0 }, call[3] = { 0 };
  const scan_ctx_options options = { .struct_bytes = sizeof options, .device = "cuda:0" };
  if (values == NULL || first == NULL || later == NULL || flags == NULL) exit(1);
  fill(values, bytes / sizeof(float), flags, n);
  begun = seconds() + begun;
  need(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create");
  const double opened = seconds();
  need(ctx, scan_op_create(ctx, &c->source, &spec.custom_op), "scan_op_create");
  const double made = seconds();
  need(ctx, scan_alloc(ctx, bytes, &in), "scan_alloc");
  need(ctx, scan_alloc(ctx, bytes, &out), "scan_alloc");
  need(ctx, scan_alloc(ctx, n, &marks), "scan_alloc");
  need(ctx, scan_write(ctx, in, values, bytes), "scan_write");
  need(ctx, scan_write(ctx, marks, flags, n), "scan_write");
  spec.segments = c->segments;
  scan_args args = SCAN_ARGS_INIT(in, out);
  if (c->segments != SCAN_SEGMENTS_NONE) args.marks = marks, args.mark_count = n;
  int stage = -1, wrong = 0;
  double result = 0;
  for (int i = 0; i < MOST_CALLS && stage != 2; i++) {
    const double before = seconds();
    need(ctx, scan_run_args(ctx, &spec, n, &args), "scan_run_args");
    need(ctx, scan_sync(ctx), "scan_sync");
    const double after = seconds();
    const int now = stage_of(hidden_plan(ctx));
    if (i == 0) result = after;
    call[now] = after - before;
    if (now == stage) continue;
    need(ctx, scan_read(ctx, out, i == 0 ? first : later, bytes), "scan_read");
    wrong |= i > 0 && memcmp(first, later, bytes) != 0;
    at[now] = after;
    stage = now;
  }
  need(ctx, scan_run_args(ctx, &spec, n, &args), "scan_run_args");
  need(ctx, scan_sync(ctx), "scan_sync");
  printf("%-7s %6.3f %7.3f %7.3f %8.3f %8.3f %10.3f  %s\n", c->name, opened, made - opened, result - opened,
         at[1] > 0 ? at[1] - opened : 0, at[2] - opened, 1e3 * call[0], wrong ? "BITS DIFFER" : "same bits");
  fflush(stdout);
  scan_op_destroy(spec.custom_op);
  scan_ctx_destroy(ctx);
}

int main(int argc, char **argv) {
  const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)1 << 24;
  int failed = 0;
  setenv("SCANRT_CACHE", "off", 1);
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  for (int background = 0; background < 2; background++) {
    setenv("SCANRT_TUNE", background ? "background=1" : "background=0", 1);
    printf("%s, n = %llu; seconds after the device is open:\n", background ? "background" : "all kernels first",
           (unsigned long long)n);
    printf("case      open      op  result lookback      all rolled (ms)\n");
    fflush(stdout);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      int status = 0;
      const pid_t child = fork();
      if (child == 0) {
        run_case(&cases[i], n);
        exit(0);
      }
      if (child < 0 || waitpid(child, &status, 0) != child || status != 0) failed = 1;
    }
  }
  return failed;
}
