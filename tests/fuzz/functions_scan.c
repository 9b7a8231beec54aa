/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans with the operators of the tests, none of which is commutative: forward and backward, in segments by flags, from
 * an element of one's own, by plans and by calls. */
#include "functions.h"
#include "operators.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

/* A scan; elements and heads are in the order of the scan. */
typedef struct job {
  const struct operator_case *by;
  scan_spec spec;
  uint64_t n, bytes; /* of an element */
  unsigned char init[SCAN_OP_MOST_BYTES];
  unsigned char *in, *out;
  uint8_t *heads; /* NULL: no segments */
  int in_place, has_begin;
} job;

static scan_op *operator_of(scan_ctx *ctx, const struct operator_case *by) {
  scan_op *op = NULL;
  fuzz_done(ctx, scan_op_create(ctx, &by->source, &op), "scan_op_create");
  return op;
}

static int is_backward(const job *j) { return (j->spec.flags & SCAN_BACKWARD) != 0; }

/* @return 1 where it is one */
static int decode_spec(fuzz_input *in, job *j) {
  scan_spec *s = &j->spec;
  scan_spec_init(s, sizeof *s);
  s->kind = (scan_kind)fuzz_choice(in, SCAN_INCLUSIVE, SCAN_EXCLUSIVE);
  if (s->kind == SCAN_TOTAL) s->kind = SCAN_INCLUSIVE; /* a kind, but one element: no scan of this file */
  s->flags = fuzz_rarely(in, 4) ? SCAN_BACKWARD : 0;
  if (fuzz_rarely(in, 16)) s->flags |= SCAN_CHECK_OVERFLOW;
  if (fuzz_rarely(in, 16)) s->type = (scan_type)fuzz_choice(in, SCAN_I8, SCAN_BF16);
  if (fuzz_rarely(in, 16)) s->op = (scan_op_id)fuzz_choice(in, SCAN_ADD, SCAN_XOR);
  s->segments = fuzz_rarely(in, 4) ? SCAN_SEGMENTS_FLAGS : SCAN_SEGMENTS_NONE;
  s->strategy = (scan_strategy)(fuzz_rarely(in, 16) ? SCAN_STRATEGY_SEQUENTIAL : SCAN_STRATEGY_AUTO);
  s->has_init = (uint32_t)fuzz_rarely(in, 2);
  s->init_bytes = s->has_init ? j->init : NULL;
  j->has_begin = s->kind == SCAN_INCLUSIVE || s->has_init || j->by->source.identity != NULL;
  const int is_kind = s->kind == SCAN_INCLUSIVE || s->kind == SCAN_EXCLUSIVE;
  const int is_built_in = s->type != SCAN_TYPE_DEFAULT || s->op != SCAN_OP_NONE;
  if (s->strategy == SCAN_STRATEGY_SEQUENTIAL && s->flags & SCAN_BACKWARD) return 0;
  return is_kind && !is_built_in && !(s->flags & SCAN_CHECK_OVERFLOW);
}

static void expect(const job *j) {
  const struct reference_operator op = { j->bytes, j->by->source.host, 0, NULL };
  const void *seed = j->spec.has_init ? j->init : j->spec.kind == SCAN_EXCLUSIVE ? j->by->source.identity : NULL;
  reference_operator_segmented(&op, j->spec.strategy == SCAN_STRATEGY_SEQUENTIAL, j->spec.kind, seed, j->heads, j->n,
                               j->in, j->out);
}

/* Element i of the scan's order, in memory. */
static uint64_t place(const job *j, uint64_t i) { return is_backward(j) ? j->n - 1 - i : i; }

static void put(const job *j, const unsigned char *ordered, unsigned char *memory) {
  for (uint64_t i = 0; i < j->n; i++) memcpy(memory + place(j, i) * j->bytes, ordered + i * j->bytes, j->bytes);
}

/* In memory a flag is at a segment's first element, which a scan backward comes to last. */
static fuzz_memory flags_of(const job *j) {
  const fuzz_memory flags = fuzz_take(j->heads ? j->n : 0, 0);
  for (uint64_t i = 0; j->heads != NULL && i < j->n; i++) {
    const uint64_t at = place(j, i);
    flags.data[i] = is_backward(j) ? (uint8_t)(at + 1 == j->n || j->heads[at + 1]) : j->heads[i];
  }
  return flags;
}

static void run(job *j, scan_ctx *ctx, fuzz_input *in, scan_plan *plan) {
  const uint64_t shift = fuzz_below(in, 5), bytes = j->n * j->bytes;
  fuzz_memory from = fuzz_take(bytes, shift * j->bytes), to = fuzz_take(bytes, fuzz_below(in, 5) * j->bytes);
  fuzz_memory flags = flags_of(j);
  unsigned char *want = reference_alloc((size_t)bytes + 1), *before = reference_alloc((size_t)bytes + 1);
  put(j, j->in, from.data);
  put(j, j->out, want);
  memcpy(before, from.data, (size_t)bytes);
  scan_args args = SCAN_ARGS_INIT(scan_host(from.data), scan_host(j->in_place ? from.data : to.data));
  if (j->heads != NULL) args.marks = scan_host(flags.data), args.mark_count = j->n;
  scan_status status;
  if (fuzz_rarely(in, 2))
    status = scan_run_args(ctx, &j->spec, j->n, &args);
  else if ((status = scan_plan_run_args(plan, j->n, &args)) == SCAN_SUCCESS)
    status = scan_sync(ctx);
  if (j->has_begin)
    fuzz_done(ctx, status, j->by->name);
  else if (j->n > 0) /* a carry could say what it begins from, but there is none */
    fuzz_refused(ctx, status, j->by->name);
  if (j->has_begin || j->n == 0) functions_check(j->in_place ? &from : &to, want, j->by->name);
  if (!j->in_place || !j->has_begin) functions_check(&from, before, j->by->name);
  free(from.begin);
  free(to.begin);
  free(flags.begin);
  free(want);
  free(before);
}

static void fill(job *j, fuzz_input *in, struct rng *rng) {
  const unsigned every = 1u << fuzz_byte(in) % 12;
  j->n = fuzz_items(in, FUNCTIONS_MOST_ITEMS);
  j->in_place = fuzz_rarely(in, 4);
  j->in = reference_alloc((size_t)(j->n * j->bytes) + 1);
  j->out = reference_alloc((size_t)(j->n * j->bytes) + 1);
  j->heads = j->spec.segments ? reference_alloc((size_t)j->n + 1) : NULL;
  j->by->fill(rng, j->n, j->in);
  for (uint64_t i = 0; j->heads != NULL && i < j->n; i++) j->heads[i] = i == 0 || rng_below(rng, every) == 0;
}

void functions_scan(fuzz_input *in) {
  scan_ctx *ctx = fuzz_one_of_contexts(in);
  struct rng rng = { fuzz_number(in, 2) };
  job j = { .by = &operator_cases[fuzz_below(in, OPERATOR_CASES)] };
  scan_plan *plan = NULL;
  j.bytes = j.by->source.value_bytes;
  (j.by->init ? j.by->init(&rng, j.init) : j.by->fill(&rng, 1, j.init));
  const int is_valid = decode_spec(in, &j);
  scan_op *op = operator_of(ctx, j.by);
  j.spec.custom_op = op;
  fill(&j, in, &rng);
  const scan_status status = scan_plan_create(ctx, &j.spec, j.n + 1, &plan);
  if (fuzz_judge(ctx, status, plan, is_valid, j.by->name)) {
    if (j.has_begin) expect(&j);
    run(&j, ctx, in, plan);
  }
  scan_plan_destroy(plan);
  scan_op_destroy(op);
  free(j.in);
  free(j.out);
  free(j.heads);
}
