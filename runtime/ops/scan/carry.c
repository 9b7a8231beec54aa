/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of a carry through a scan. The scan's kernels read carry_in in place, and the work-group that has element
 * n - 1 writes the running value to carry_out. A scan with carries therefore has the same launches as one without. */
#include "ops/scan/carry.h"

#include <string.h>

#include "base/types.h"
#include "core/regions.h"
#include "core/launch.h"

/* ---- checks ---- */

int scan_carry_is_replaced(const scan_problem *problem) {
  return problem->carry_in.kind != SCAN_MEM_NONE && problem->carry_out.kind != SCAN_MEM_NONE &&
         (problem->carry_in.handle == problem->carry_out.handle ||
          scan_mem_same(problem->carry_in, problem->carry_out));
}

scan_status scan_carry_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n) {
  const int leaves = problem->carry_out.kind != SCAN_MEM_NONE;
  const scan_source *source = problem->source;
  if (n > 0 || !(leaves || problem->kind == SCAN_TOTAL) || problem->carry_in.kind != SCAN_MEM_NONE) return SCAN_SUCCESS;
  if (source != NULL && !scan_problem_has_seed(problem) && !source->has_identity)
    FAIL_INVALID(
        "n is 0, and there is nothing to %s: operator %s has no identity; give args->carry_in or spec->init_bytes",
        leaves ? "leave in args->carry_out" : "write", source->combine);
  return SCAN_SUCCESS;
}

/* ---- a plan ---- */

void scan_carry_prepare(scan_plan *plan) {
  static const scan_region_id ids[] = { SCAN_REGION_CARRY, SCAN_REGION_SEED };
  for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) plan->regions[ids[i]].bytes = SCAN_CARRY_SLOT_BYTES;
}

scan_status scan_carry_finish_plan(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  const scan_mem at = scan_region_of(plan, SCAN_REGION_SEED);
  return ctx->ops->write(ctx->device, at, plan->problem.seed, sizeof plan->problem.seed, &ctx->error);
}

/* ---- a scan ---- */

/* A work-group reads carry_in when it begins, which in a launch of several may be after the last tile is written. If
 * carry_in shares memory with an output, such a launch therefore reads a copy. A launch of one work-group reads the
 * carry before it writes, and so do the launches of reduce_then_scan. */
void scan_carry_schedule(const scan_problem *problem, scan_schedule *s) {
  const scan_placement *p = &problem->placement;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  s->copies_carry = p->carry_is_shared && s->step_count == 1 && s->steps[0].groups > 1;
  if (s->copies_carry)
    scan_schedule_prepend(s, &(scan_step){ .kind = SCAN_STEP_COPY,
                                           .to = offsetof(scan_kernel_args, carry),
                                           .from = offsetof(scan_kernel_args, carry_in),
                                           .bytes = bytes });
}

/* 1 if the marks have an entry for the first element of the scan: flags and bits of forward scans do; keys, offsets and
 * marks of backward scans do not. */
static int first_is_marked(const scan_problem *problem) {
  const uint32_t kind = problem->segments.kind;
  return (kind == SCAN_SEGMENTS_FLAGS || kind == SCAN_SEGMENTS_BITS) && !problem->reversed;
}

static void begin_from(const scan_plan *plan, const scan_problem *problem, scan_kernel_args *args,
                       scan_placement *placement) {
  const scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const uint64_t out_bytes = scan_problem_out_items(problem, args->n) * scan_problem_output_bytes(problem);
  args->flags |= SCAN_KERNEL_CARRY;
  if (problem->segments.kind == SCAN_SEGMENTS_NONE)
    args->flags |= SCAN_KERNEL_SEED;
  else
    args->flags |= SCAN_KERNEL_CONTINUES | (first_is_marked(problem) ? 0u : (uint32_t)SCAN_KERNEL_UNMARKED);
  args->carry = args->carry_in = problem->carry_in;
  placement->carry_is_shared = scan_mem_shared(ctx, problem->carry_in, bytes, args->carry_out, bytes) ||
                               scan_mem_shared(ctx, problem->carry_in, bytes, args->out, out_bytes);
}

/* Starts an exclusive floating-point sum that has carries from -0.0 and makes its outputs +0.0. It then leaves the same
 * carry as an inclusive sum: -0.0 if all elements are -0.0. In segments this applies beside a carry_in, too, because
 * that belongs to the first segment alone. */
static void begin_from_identity(const scan_problem *problem, scan_kernel_args *args) {
  const scan_source *source = problem->source;
  const scan_type sum = source != NULL ? source->sum : problem->op == SCAN_ADD ? problem->type : SCAN_TYPE_DEFAULT;
  const int begins_from_carry = problem->carry_in.kind != SCAN_MEM_NONE && problem->segments.kind == SCAN_SEGMENTS_NONE;
  if (problem->kind != SCAN_EXCLUSIVE || problem->has_init || begins_from_carry || !scan_type_is_float(sum)) return;
  args->seed_bits = scan_identity_bits(sum, SCAN_ADD);
  args->flags |= SCAN_KERNEL_PLUS_ZERO;
}

void scan_carry_begin(const scan_plan *plan, const scan_problem *problem, scan_kernel_args *args,
                      scan_placement *placement) {
  if (problem->kind == SCAN_TOTAL) args->flags |= SCAN_KERNEL_TOTAL;
  if (problem->carry_out.kind != SCAN_MEM_NONE) {
    args->flags |= SCAN_KERNEL_CARRY_OUT;
    args->carry_out = problem->carry_out;
  }
  if (scan_problem_carries(problem)) begin_from_identity(problem, args);
  if (problem->carry_in.kind != SCAN_MEM_NONE) begin_from(plan, problem, args, placement);
}

/* Finds the seed or carry_in in device memory. A hidden plan serves scans of any seed, so its seed is written from the
 * host for each scan. */
static scan_status place_seed(scan_plan *plan, const scan_problem *problem, scan_mem *at) {
  scan_ctx *ctx = plan->ctx;
  *at = problem->carry_in.kind != SCAN_MEM_NONE ? problem->carry_in : scan_region_of(plan, SCAN_REGION_SEED);
  if (problem->carry_in.kind != SCAN_MEM_NONE || !plan->hidden) return SCAN_SUCCESS;
  return ctx->ops->write(ctx->device, *at, problem->seed, sizeof problem->seed, &ctx->error);
}

static scan_status carry_deliver(scan_plan *plan, scan_mem from, uint64_t bytes, scan_mem to) {
  return scan_mem_same(from, to) ? SCAN_SUCCESS : scan_plan_copy(plan, to, from, bytes);
}

void scan_seed_output(const scan_problem *problem, const void *seed, void *output) {
  scan_source_seed_output(problem->source, scan_problem_output_bytes(problem), seed, output);
}

/* Writes the seed as the output of a total. If the operator emits (halves do), the host reads the seed, which waits,
 * and computes the output. */
static scan_status deliver_output(scan_plan *plan, const scan_problem *problem, scan_mem seed, scan_mem out) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_value_bytes(problem), out_bytes = scan_problem_output_bytes(problem);
  uint64_t value = 0, result = 0;
  if (problem->source == NULL || problem->source->emit_host == NULL) return carry_deliver(plan, seed, bytes, out);
  SCAN_TRY(ctx->ops->read(ctx->device, seed, &value, bytes, &ctx->error));
  scan_seed_output(problem, &value, &result);
  return ctx->ops->write(ctx->device, out, &result, out_bytes, &ctx->error);
}

scan_status scan_carry_pass(scan_plan *plan, const scan_problem *problem, scan_mem out) {
  scan_mem seed;
  if (plan->fallback != NULL) plan = plan->fallback;
  const int leaves = problem->carry_out.kind != SCAN_MEM_NONE, is_total = problem->kind == SCAN_TOTAL;
  if (!leaves && !is_total) return SCAN_SUCCESS;
  SCAN_TRY(place_seed(plan, problem, &seed));
  if (leaves) SCAN_TRY(carry_deliver(plan, seed, scan_problem_value_bytes(problem), problem->carry_out));
  return is_total ? deliver_output(plan, problem, seed, out) : SCAN_SUCCESS;
}
