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

/* Checks and resolves the memory of one carry, which holds one value. */
static scan_status check_one(scan_ctx *ctx, const scan_problem *problem, scan_mem mem, int stageable, const char *name,
                             scan_mem *resolved) {
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const uint64_t align = problem->source != NULL ? problem->source->align : bytes;
  *resolved = mem;
  if (mem.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  SCAN_TRY(scan_mem_resolve_argument(ctx, resolved, bytes, stageable, name));
  if (!scan_mem_aligned(*resolved, align))
    FAIL_INVALID("%s is not aligned to %u bytes, as an element is", name, (unsigned)align);
  return SCAN_SUCCESS;
}

scan_status scan_carry_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable, scan_mem in,
                             scan_mem out) {
  scan_mem from = { SCAN_MEM_NONE, NULL, 0, 0 }, to = from;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  SCAN_TRY(check_one(ctx, problem, problem->carry_in, stageable, "args->carry_in", &from));
  SCAN_TRY(check_one(ctx, problem, problem->carry_out, stageable, "args->carry_out", &to));
  const int leaves = to.kind != SCAN_MEM_NONE;
  if (!(leaves || problem->kind == SCAN_TOTAL)) return SCAN_SUCCESS;
  if (leaves && from.kind != SCAN_MEM_NONE && !scan_mem_same(from, to) && scan_mem_shared(ctx, from, bytes, to, bytes))
    FAIL_INVALID("args->carry_in and args->carry_out overlap: they must be the same memory, or apart");
  if (leaves && n > 0 &&
      (scan_mem_shared(ctx, in, n * scan_problem_input_bytes(problem), to, bytes) ||
       scan_mem_shared(ctx, out, scan_problem_out_items(problem, n) * scan_problem_output_bytes(problem), to, bytes)))
    FAIL_INVALID("args->carry_out lies within in or out: it must be memory of its own");
  if (n == 0 && from.kind == SCAN_MEM_NONE && problem->source != NULL && !scan_problem_has_seed(problem) &&
      !problem->source->has_identity)
    FAIL_INVALID(
        "n is 0, and there is nothing to %s: operator %s has no identity; give args->carry_in or spec->init_bytes",
        leaves ? "leave in args->carry_out" : "write", problem->source->combine);
  return SCAN_SUCCESS;
}

/* ---- a plan ---- */

void scan_carry_prepare(scan_plan *plan) {
  static const scan_region_id ids[] = { SCAN_REGION_CARRY, SCAN_REGION_CARRY_OUT, SCAN_REGION_SEED };
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
  const int is_read_late = p->carry_is_shared && s->step_count == 1 && s->steps[0].groups > 1;
  s->copies_carry = p->carry_is_host || is_read_late;
  if (s->copies_carry)
    scan_schedule_prepend(s, &(scan_step){ .kind = SCAN_STEP_COPY,
                                           .to = offsetof(scan_kernel_args, carry),
                                           .from = offsetof(scan_kernel_args, caller_carry_in),
                                           .bytes = bytes });
  if (p->carry_out_is_host)
    scan_schedule_add(s, &(scan_step){ .kind = SCAN_STEP_COPY,
                                       .to = offsetof(scan_kernel_args, caller_carry_out),
                                       .from = offsetof(scan_kernel_args, carry_out),
                                       .bytes = bytes });
}

/* 1 if the marks have an entry for the first element of the scan: flags and bits of forward scans do; keys, offsets and
 * marks of backward scans do not. */
static int first_is_marked(const scan_problem *problem) {
  const uint32_t kind = problem->segments.kind;
  return (kind == SCAN_SEGMENTS_FLAGS || kind == SCAN_SEGMENTS_BITS) && !problem->reversed;
}

static scan_status begin_from(scan_plan *plan, const scan_problem *problem, scan_kernel_args *args,
                              scan_placement *placement) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const uint64_t out_bytes = scan_problem_out_items(problem, args->n) * scan_problem_output_bytes(problem);
  args->flags |= SCAN_KERNEL_CARRY;
  if (problem->segments.kind == SCAN_SEGMENTS_NONE)
    args->flags |= SCAN_KERNEL_SEED;
  else
    args->flags |= SCAN_KERNEL_CONTINUES | (first_is_marked(problem) ? 0u : (uint32_t)SCAN_KERNEL_UNMARKED);
  args->caller_carry_in = problem->carry_in;
  SCAN_TRY(scan_mem_resolve_argument(ctx, &args->caller_carry_in, bytes, 1, "args->carry_in"));
  args->carry = args->caller_carry_in;
  placement->carry_is_host = (uint32_t)scan_mem_is_staged(ctx, args->caller_carry_in);
  placement->carry_is_shared = scan_mem_shared(ctx, args->caller_carry_in, bytes, args->carry_out, bytes) ||
                               scan_mem_shared(ctx, args->caller_carry_in, bytes, args->out, out_bytes);
  return SCAN_SUCCESS;
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

scan_status scan_carry_begin(scan_plan *plan, const scan_problem *problem, scan_kernel_args *args,
                             scan_placement *placement) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  if (problem->kind == SCAN_TOTAL) args->flags |= SCAN_KERNEL_TOTAL;
  if (problem->carry_out.kind != SCAN_MEM_NONE) {
    args->flags |= SCAN_KERNEL_CARRY_OUT;
    args->caller_carry_out = problem->carry_out;
    SCAN_TRY(scan_mem_resolve_argument(ctx, &args->caller_carry_out, bytes, 1, "args->carry_out"));
    placement->carry_out_is_host = (uint32_t)scan_mem_is_staged(ctx, args->caller_carry_out);
    args->carry_out =
        placement->carry_out_is_host ? scan_region_of(plan, SCAN_REGION_CARRY_OUT) : args->caller_carry_out;
  }
  if (problem->carry_out.kind != SCAN_MEM_NONE || problem->carry_in.kind != SCAN_MEM_NONE)
    begin_from_identity(problem, args);
  return problem->carry_in.kind != SCAN_MEM_NONE ? begin_from(plan, problem, args, placement) : SCAN_SUCCESS;
}

/* Finds the seed or carry_in in device memory. A hidden plan serves scans of any seed, so its seed is written from the
 * host for each scan. */
static scan_status place_seed(scan_plan *plan, const scan_problem *problem, scan_mem *at) {
  scan_ctx *ctx = plan->ctx;
  *at = scan_region_of(plan, SCAN_REGION_SEED);
  if (problem->carry_in.kind != SCAN_MEM_NONE) {
    const uint64_t bytes = scan_problem_value_bytes(problem);
    *at = problem->carry_in;
    SCAN_TRY(scan_mem_resolve_argument(ctx, at, bytes, 1, "args->carry_in"));
    if (!scan_mem_is_staged(ctx, *at)) return SCAN_SUCCESS;
    *at = scan_region_of(plan, SCAN_REGION_CARRY);
    return scan_plan_copy(plan, *at, problem->carry_in, bytes);
  }
  if (!plan->hidden) return SCAN_SUCCESS;
  return ctx->ops->write(ctx->device, *at, problem->seed, sizeof problem->seed, &ctx->error);
}

static scan_status carry_deliver(scan_plan *plan, scan_mem from, uint64_t bytes, scan_mem to, const char *name) {
  SCAN_TRY(scan_mem_resolve_argument(plan->ctx, &to, bytes, 1, name));
  return scan_mem_same(from, to) ? SCAN_SUCCESS : scan_plan_copy(plan, to, from, bytes);
}

/* Writes the seed as the output of a total. If the operator emits (halves do), the host reads the seed, which waits,
 * and computes the output. */
static scan_status deliver_output(scan_plan *plan, const scan_problem *problem, scan_mem seed, scan_mem out) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_value_bytes(problem), out_bytes = scan_problem_output_bytes(problem);
  uint64_t value = 0, element = 0, result = 0;
  if (problem->source == NULL || problem->source->emit_host == NULL)
    return carry_deliver(plan, seed, bytes, out, "out");
  SCAN_TRY(ctx->ops->read(ctx->device, seed, &value, bytes, &ctx->error));
  SCAN_TRY(scan_mem_resolve_argument(ctx, &out, out_bytes, 1, "out"));
  problem->source->emit_host(&value, &value, &element, 0, &result, NULL);
  if (!scan_mem_is_staged(ctx, out)) return ctx->ops->write(ctx->device, out, &result, out_bytes, &ctx->error);
  memcpy(scan_mem_bytes(out), &result, out_bytes);
  return SCAN_SUCCESS;
}

scan_status scan_carry_pass(scan_plan *plan, const scan_problem *problem, scan_mem out) {
  scan_mem seed;
  if (plan->fallback != NULL) plan = plan->fallback;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const int leaves = problem->carry_out.kind != SCAN_MEM_NONE, is_total = problem->kind == SCAN_TOTAL;
  if (!leaves && !is_total) return SCAN_SUCCESS;
  SCAN_TRY(place_seed(plan, problem, &seed));
  if (leaves) SCAN_TRY(carry_deliver(plan, seed, bytes, problem->carry_out, "args->carry_out"));
  return is_total ? deliver_output(plan, problem, seed, out) : SCAN_SUCCESS;
}
