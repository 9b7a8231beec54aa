/* SPDX-License-Identifier: BSD-2-Clause */
/* Partitions into three: numbers below one bound, of the others those below a second one or every third, and the rest.
 */
#include "functions.h"
#include "reference.h"

#include <scanrt/scan_partition.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = SCAN_PARTITION3_PARTS, ARRAYS = 4 };

#define BELOW(x, index, bound) ((x) < (bound))
#define THIRD(x, index) ((index) % 3 == 0)
SCAN_KEEP_PARAMS_HOST(below, uint32_t, uint32_t, BELOW);
SCAN_KEEP_HOST(third, uint32_t, THIRD);

static scan_op *predicate_of(scan_ctx *ctx, scan_predicate_source source, scan_keep_host *host) {
  scan_op *op = NULL;
  source.host = host;
  fuzz_done(ctx, scan_predicate_create(ctx, &source, &op), "scan_predicate_create");
  return op;
}

static const scan_predicate_source is_below = SCAN_PREDICATE_PARAMS_INIT("", uint32_t, BELOW, uint32_t);
static const scan_predicate_source is_third = SCAN_PREDICATE_INIT("", uint32_t, THIRD);

typedef struct job {
  scan_partition3_spec spec;
  uint64_t n, items; /* as in the args, and what n_from makes of it */
  uint32_t bounds[2];
  int is_third; /* the second predicate is */
  fuzz_memory in[ARRAYS], out[PARTS][ARRAYS], counts, n_from;
  unsigned char *before[ARRAYS], *want[PARTS][ARRAYS];
  uint64_t want_counts[PARTS];
} job;

/* @return 1 where it is one */
static int decode_spec(fuzz_input *in, job *j) {
  j->spec.arrays = 1 + (uint32_t)fuzz_below(in, ARRAYS);
  for (uint32_t a = 1; a < j->spec.arrays; a++) j->spec.element_bytes[a] = 1 + (uint32_t)fuzz_below(in, 64);
  int is_valid = 1;
  if (fuzz_rarely(in, 16)) is_valid = (j->spec.element_bytes[0] = (uint32_t)fuzz_below(in, 70)) == sizeof(uint32_t);
  if (fuzz_rarely(in, 16)) is_valid &= (j->spec.arrays = fuzz_byte(in)) >= 1 && j->spec.arrays <= ARRAYS;
  for (uint32_t a = 0; a < j->spec.arrays && a < ARRAYS; a++) is_valid &= j->spec.element_bytes[a] > 0;
  return is_valid;
}

static void take_memory(job *j, fuzz_input *in, struct rng *rng) {
  const uint64_t shift = fuzz_below(in, 5);
  j->n_from = fuzz_take(8, 0);
  j->counts = fuzz_take(8 * PARTS, 0);
  memcpy(j->n_from.data, &j->items, 8);
  for (uint32_t a = 0; a < j->spec.arrays; a++) {
    const uint32_t bytes = j->spec.element_bytes[a];
    j->in[a] = functions_random(rng, j->n, bytes, a == 0 ? shift : 0);
    j->before[a] = reference_alloc((size_t)j->in[a].bytes + 1);
    memcpy(j->before[a], j->in[a].data, (size_t)j->in[a].bytes);
    for (int p = 0; p < PARTS; p++) {
      j->out[p][a] = fuzz_take(j->n * bytes, a == 0 ? shift * bytes : 0);
      j->want[p][a] = reference_alloc((size_t)(j->n * bytes) + 1);
      memset(j->want[p][a], FUZZ_POISON, (size_t)(j->n * bytes));
    }
  }
  for (uint64_t i = 0; i < j->n; i++) j->in[0].data[4 * i + 3] = j->before[0][4 * i + 3] = 0; /* bounds cut them */
}

static void expect(job *j) {
  uint64_t others = 0;
  for (uint64_t i = 0; i < j->items; i++) {
    uint32_t x, part = 0;
    memcpy(&x, j->before[0] + 4 * i, sizeof x);
    if (x >= j->bounds[0]) {
      part = (j->is_third ? others % 3 == 0 : x < j->bounds[1]) ? 1 : 2;
      others++;
    }
    const uint64_t at = j->want_counts[part]++;
    for (uint32_t a = 0; a < j->spec.arrays; a++) {
      const uint32_t bytes = j->spec.element_bytes[a];
      memcpy(j->want[part][a] + at * bytes, j->before[a] + i * bytes, bytes);
    }
  }
}

static void check(job *j, int has_counts) {
  uint64_t counts[PARTS];
  for (uint32_t a = 0; a < j->spec.arrays; a++) {
    const uint64_t bytes = j->spec.element_bytes[a], behind = j->want_counts[1] * bytes;
    /* The others go through `second`, whatever becomes of them. */
    memcpy(j->want[1][a] + behind, j->out[1][a].data + behind, (size_t)(j->want_counts[2] * bytes));
    functions_check(&j->in[a], j->before[a], "a partition's input");
    for (int p = 0; p < PARTS; p++) functions_check(&j->out[p][a], j->want[p][a], "a partition");
  }
  memcpy(counts, j->want_counts, sizeof counts);
  if (!has_counts) memset(counts, FUZZ_POISON, sizeof counts);
  functions_check(&j->counts, counts, "a partition's counts");
}

static void run(job *j, scan_ctx *ctx, fuzz_input *in, scan_plan *plan) {
  scan_partition3_args args = { .struct_bytes = sizeof args, .first_params = &j->bounds[0] };
  const int has_counts = !fuzz_rarely(in, 4), by_plan = fuzz_rarely(in, 2);
  if (!j->is_third) args.second_params = &j->bounds[1];
  for (uint32_t a = 0; a < j->spec.arrays; a++) {
    args.in[a] = scan_host(j->in[a].data);
    args.first[a] = scan_host(j->out[0][a].data);
    args.second[a] = scan_host(j->out[1][a].data);
    args.rest[a] = scan_host(j->out[2][a].data);
  }
  if (has_counts) args.counts = scan_host(j->counts.data);
  if (j->items != j->n) args.n_from = scan_host(j->n_from.data);
  scan_status status =
      by_plan ? scan_plan_run_partition3(plan, j->n, &args) : scan_partition3(ctx, &j->spec, j->n, &args);
  if (status == SCAN_SUCCESS) status = scan_sync(ctx);
  fuzz_done(ctx, status, "scan_partition3");
  check(j, has_counts);
}

static void free_memory(job *j) {
  free(j->n_from.begin);
  free(j->counts.begin);
  for (uint32_t a = 0; a < j->spec.arrays; a++) {
    free(j->in[a].begin);
    free(j->before[a]);
    for (int p = 0; p < PARTS; p++) {
      free(j->out[p][a].begin);
      free(j->want[p][a]);
    }
  }
}

void functions_partition(fuzz_input *in) {
  scan_ctx *ctx = fuzz_one_of_contexts(in);
  struct rng rng = { fuzz_number(in, 2) };
  scan_plan *plan = NULL;
  job j = { .is_third = fuzz_rarely(in, 2) };
  scan_op *first = predicate_of(ctx, is_below, below),
          *second = j.is_third ? predicate_of(ctx, is_third, third) : first;
  j.spec = (scan_partition3_spec)SCAN_PARTITION3_SPEC_INIT(first, second, sizeof(uint32_t));
  const int is_valid = decode_spec(in, &j);
  j.n = j.items = fuzz_items(in, FUNCTIONS_MOST_ITEMS);
  if (fuzz_rarely(in, 4)) j.items = fuzz_below(in, j.n + 1);
  for (int b = 0; b < 2; b++) j.bounds[b] = (uint32_t)fuzz_byte(in) << 16;
  const scan_status status = scan_plan_create_partition3(ctx, &j.spec, j.n + 1, &plan);
  if (fuzz_judge(ctx, status, plan, is_valid, "a partition")) {
    take_memory(&j, in, &rng);
    expect(&j);
    run(&j, ctx, in, plan);
    free_memory(&j);
  }
  scan_plan_destroy(plan);
  if (j.is_third) scan_op_destroy(second);
  scan_op_destroy(first);
}
