/* SPDX-License-Identifier: BSD-2-Clause */
/* Operators, predicates and bucket functions from source. */
#include "sweep/sweep.h"

#include <scanrt/scan_composite.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_split.h>
#include <string.h>

enum { N = SWEEP_N, BUCKETS = 5 };

SCAN_OP_TEXT(
    affine_text, typedef struct affine { uint32_t a, b; } affine; static inline affine after(affine x, affine y) {
      affine r;
      r.a = x.a * y.a;
      r.b = y.a * x.b + y.b;
      return r;
    });
SCAN_OP_HOST(affine_host, affine, after);

SCAN_OP_TEXT(
    low_text, static inline int is_low(uint32_t x, uint64_t index) { return (x + 0 * index) % 10 < 3; });
SCAN_KEEP_HOST(low_host, uint32_t, is_low);

SCAN_OP_TEXT(
    high_text, static inline int is_high(uint32_t x, uint64_t index) { return (x + 0 * index) % 10 > 6; });
SCAN_KEEP_HOST(high_host, uint32_t, is_high);

/* ---- operators ---- */

static affine maps[N], got_maps[N], want_maps[N];

static void run_operator(sweep_trial *t) {
  scan_op_source source = SCAN_OP_SOURCE_INIT(affine_text, affine, after);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_op *op = NULL;
  source.host = affine_host;
  for (uint32_t i = 0; i < N; i++) maps[i] = (affine){ i % 3 + 1, i };
  want_maps[0] = maps[0];
  for (uint32_t i = 1; i < N; i++) want_maps[i] = after(want_maps[i - 1], maps[i]);
  memset(got_maps, 0x5a, sizeof got_maps);
  if (!sweep_step(t, "scan_op_create", scan_op_create(t->ctx, &source, &op))) return;
  spec.custom_op = op;
  (void)sweep_step(t, "scan_run, operator", scan_run(t->ctx, &spec, N, scan_host(maps), scan_host(got_maps)));
  sweep_expect(t, "what the operator gives", got_maps, want_maps, sizeof got_maps);
  scan_op_destroy(op);
}

static void run_composite(sweep_trial *t) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_op *op = NULL;
  for (uint32_t i = 0; i < N; i++) maps[i] = (affine){ i % 3 + 1, i };
  want_maps[0] = maps[0];
  for (uint32_t i = 1; i < N; i++) want_maps[i] = after(want_maps[i - 1], maps[i]);
  memset(got_maps, 0x5a, sizeof got_maps);
  if (!sweep_step(t, "scan_composite_create", scan_composite_create(t->ctx, SCAN_AFFINE_U32, &op))) return;
  spec.custom_op = op;
  (void)sweep_step(t, "scan_run, composite", scan_run(t->ctx, &spec, N, scan_host(maps), scan_host(got_maps)));
  sweep_expect(t, "what the composite gives", got_maps, want_maps, sizeof got_maps);
  scan_op_destroy(op);
}

/* ---- predicates ---- */

static uint32_t numbers[N], parts[3][N], want_parts[3][N];
static uint64_t counts[3], want_counts[3];

static void begin_parts(void) {
  memset(want_counts, 0, sizeof want_counts);
  memset(counts, 0x5a, sizeof counts);
  memset(parts, 0x5a, sizeof parts);
  for (uint32_t i = 0; i < N; i++) {
    numbers[i] = i * 2654435761u;
    const int part = is_low(numbers[i], i) ? 0 : is_high(numbers[i], i) ? 1 : 2;
    want_parts[part][want_counts[part]++] = numbers[i];
  }
}

static scan_status create_predicate(sweep_trial *t, const char *text, const char *name, scan_keep_host *host,
                                    scan_op **predicate) {
  scan_predicate_source source = SCAN_PREDICATE_INIT(text, uint32_t, is_low);
  source.keep = name;
  source.host = host;
  return scan_predicate_create(t->ctx, &source, predicate);
}

static void run_partition(sweep_trial *t) {
  scan_op *low = NULL, *high = NULL;
  scan_partition3_args args = SCAN_PARTITION3_ARGS_INIT(scan_host(numbers), scan_host(parts[0]), scan_host(parts[1]),
                                                        scan_host(parts[2]), scan_host(counts));
  begin_parts();
  if (sweep_step(t, "scan_predicate_create", create_predicate(t, low_text, "is_low", low_host, &low)) &&
      sweep_step(t, "scan_predicate_create", create_predicate(t, high_text, "is_high", high_host, &high))) {
    const scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(low, high, 4);
    (void)sweep_step(t, "scan_partition3", scan_partition3(t->ctx, &spec, N, &args));
  }
  for (int p = 0; p < 3; p++) sweep_expect(t, "a part", parts[p], want_parts[p], want_counts[p] * sizeof *numbers);
  sweep_expect(t, "the counts of parts", counts, want_counts, sizeof counts);
  scan_op_destroy(low);
  scan_op_destroy(high);
}

/* ---- buckets ---- */

SCAN_OP_TEXT(
    bucket_text,
    static inline uint32_t bucket_of(uint32_t x, uint64_t index) { return (uint32_t)((x + 0 * index) % 5); });
SCAN_BUCKET_HOST(bucket_host, uint32_t, bucket_of);

static void run_buckets(sweep_trial *t) {
  scan_bucket_source source = SCAN_BUCKET_INIT(bucket_text, uint32_t, bucket_of);
  uint64_t got[BUCKETS], want[BUCKETS] = { 0 };
  scan_op *op = NULL;
  source.host = bucket_host;
  begin_parts();
  memset(got, 0x5a, sizeof got);
  for (uint32_t i = 0; i < N; i++) want[numbers[i] % BUCKETS]++;
  if (!sweep_step(t, "scan_bucket_create", scan_bucket_create(t->ctx, &source, &op))) return;
  const scan_histogram_spec spec = SCAN_HISTOGRAM_BUCKETS_INIT(op, BUCKETS);
  const scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(scan_host(numbers), scan_host(got));
  (void)sweep_step(t, "scan_histogram, buckets", scan_histogram(t->ctx, &spec, N, &args));
  sweep_expect(t, "the histogram of buckets", got, want, sizeof got);
  scan_op_destroy(op);
}

const sweep_scenario sweep_operators[] = {
  { .name = "operator", .run = run_operator },
  { .name = "composite", .run = run_composite },
  { .name = "partition", .run = run_partition },
  { .name = "buckets", .run = run_buckets },
  { .name = NULL },
};
