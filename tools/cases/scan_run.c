/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_run.c @brief Runs cases of scans, arrays, streams and differences. */
#include <scanrt/scan_difference.h>

#include "scan_parts.h"

#include <stdio.h>

typedef scan_calls calls;

/** Mirrors the index of an array's element along the scan's axis. */
static uint64_t array_flip(const scan_array *array, uint64_t index) {
  uint64_t inner = 1;
  for (uint32_t k = array->axis + 1; k < array->ndim; k++) inner *= array->shape[k];
  const uint64_t extent = array->shape[array->axis], at = index / inner % extent;
  return index - at * inner + (extent - 1 - at) * inner;
}

/** Records the lowest overflow that a wait reports, as an index in scan order (all runs of a backward scan have n
 * elements). The index n stands for an overflow in the aggregate alone. */
static scan_status array_note(const calls *k, scan_status status) {
  uint64_t index = 0;
  if (status != SCAN_OVERFLOW) return status;
  status = scan_overflow_index(k->ctx, &index);
  if (k->spec.flags & SCAN_BACKWARD && index < k->c->n)
    index = k->c->by == CASE_ARRAY ? array_flip(&k->c->scan.array, index) : k->c->n - 1 - index;
  if (status == SCAN_SUCCESS && index < k->c->scan.reported) k->c->scan.reported = index;
  return status;
}

/* ---- plans ---- */

static scan_status make_plan(calls *k) {
  const scan_case *c = k->c;
  switch (c->by) {
  case CASE_ARRAY: return scan_plan_create_array(k->ctx, &k->spec, &c->scan.array, &k->plan);
  case CASE_DIFFERENCE: return scan_plan_create_adjacent_difference(k->ctx, &k->spec, case_plan_n(c), &k->plan);
  default: return scan_plan_create(k->ctx, &k->spec, case_plan_n(c), &k->plan);
  }
}

static scan_status learn_chain(const calls *k) {
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  const scan_status status = scan_plan_info(k->plan, &facts);
  k->c->scan.chain = facts.span;
  return status;
}

/* ---- one run ---- */

static scan_status run_array(const calls *k, const scan_args *args) {
  const case_scan *r = &k->c->scan;
  if (k->plan && !k->spec.segments) return scan_plan_run_array(k->plan, args->in, args->out);
  if (k->plan) return scan_plan_run_args(k->plan, k->c->n, args);
  return scan_run_array_args(k->ctx, &k->spec, &r->array, args);
}

scan_args case_scan_args(const scan_calls *k, uint32_t a) {
  const scan_case *c = k->c;
  const case_scan *r = &c->scan;
  const scan_mem out = scan_offset(k->out, c->out[a].at + r->out_first);
  const scan_mem in = c->in_place ? out : scan_offset(k->in, c->in[0].at + r->in_first);
  scan_args args = SCAN_ARGS_INIT(in, out);
  if (k->spec.segments) args.marks = scan_offset(k->in, c->marks.at);
  if (k->spec.segments) args.mark_count = r->marks;
  args.n_from = k->n_from;
  if (case_scan_reads_carry(r)) args.carry_in = scan_offset(k->carries, case_scan_carry_in(r, a));
  if (case_scan_leaves_carry(r)) args.carry_out = scan_offset(k->carries, case_scan_carry_out(r, a));
  return args;
}

static scan_status array_run(const calls *k, uint32_t a) {
  const scan_case *c = k->c;
  const case_scan *r = &c->scan;
  const scan_args args = case_scan_args(k, a);
  if (c->by == CASE_STREAM) return case_scan_stream(k, &args);
  if (c->by == CASE_ARRAY) return run_array(k, &args);
  if (k->plan) return scan_plan_run_args(k->plan, r->run_n[a], &args);
  if (c->by == CASE_DIFFERENCE) return scan_adjacent_difference(k->ctx, &k->spec, r->run_n[a], args.in, args.out);
  return scan_run_args(k->ctx, &k->spec, r->run_n[a], &args);
}

/* ---- all runs ---- */

/** Waits for all runs. A number above n in n_from must be reported, once. */
static scan_status wait(const calls *k, case_memory *m) {
  const scan_status status = scan_sync(k->ctx);
  if (!case_scan_exceeds(k->c)) return array_note(k, status);
  m->is_silent = status == SCAN_SUCCESS;
  return status == SCAN_INVALID_ARGUMENT ? array_note(k, scan_sync(k->ctx)) : status;
}

static scan_status run_all(calls *k, case_memory *m) {
  const scan_case *c = k->c;
  scan_status status = c->by_plan ? make_plan(k) : SCAN_SUCCESS;
  status = case_give_memory(k->ctx, c, m, k->plan, status);
  if (status == SCAN_SUCCESS && c->by == CASE_SCAN && k->plan) status = learn_chain(k);
  for (uint32_t a = 0; a < c->outputs && status == SCAN_SUCCESS; a++) status = array_note(k, array_run(k, a));
  if (status == SCAN_SUCCESS) status = wait(k, m);
  if (status != SCAN_SUCCESS) snprintf(k->c->scan.words, sizeof k->c->scan.words, "%s", scan_last_error(k->ctx));
  case_end_plan(k->ctx, m, k->plan); /* clears the context's error text, as destroying an operator does */
  return status;
}

scan_status case_scan_calls(scan_ctx *ctx, case_functions *functions, scan_case *c, const case_memory *m,
                            scan_calls *k) {
  const case_scan *r = &c->scan;
  scan_op *op = NULL;
  *k = (scan_calls){ .ctx = ctx, .c = c, .spec = r->spec, .in = m->in, .out = m->out, .carries = m->out };
  if (r->device_carry) k->carries = m->device_out;
  k->n_from = case_n_from(c, m);
  if (c->has_n_from) k->spec.flags |= SCAN_N_FROM | (c->clamps ? SCAN_N_FROM_CLAMP : 0u);
  if (!r->source.name) return SCAN_SUCCESS;
  const scan_status status = case_last_operator(ctx, functions, &r->source, r->spec.type, &op);
  k->spec.type = k->spec.input_type = SCAN_TYPE_DEFAULT;
  k->spec.op = SCAN_OP_NONE;
  k->spec.custom_op = op;
  if (k->spec.has_init) k->spec.init_bytes = r->init;
  return status;
}

scan_status case_scan_call(scan_ctx *ctx, case_functions *functions, scan_case *c, case_memory *m) {
  calls k;
  c->scan.reported = UINT64_MAX;
  *c->scan.words = '\0';
  const scan_status status = case_scan_calls(ctx, functions, c, m, &k);
  return status == SCAN_SUCCESS ? run_all(&k, m) : status;
}
