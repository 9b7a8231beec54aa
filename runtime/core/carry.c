/* SPDX-License-Identifier: BSD-2-Clause */
/* How a carry passes through a scan. The kernels find their seed in the workspace where the flags say so, and carry_in
 * is copied there before. carry_out is what an inclusive scan gives for the last element: the last output of an
 * inclusive scan; of an exclusive one the last input is kept, because the output may overwrite it, and scanned by
 * itself, with the last output for a seed. */
#include "core/carry.h"

#include "base/canonical.h"

/* Behind all that the strategies use, one after the other: the last input, what is read to host memory, and what a scan
 * of no elements leaves. */
enum {
  KEPT = 0,
  RESULT = SCAN_CARRY_SLOT_BYTES,
  EMPTY = 2 * SCAN_CARRY_SLOT_BYTES,
  PLACES = 3 * SCAN_CARRY_SLOT_BYTES
};

static uint64_t whole_slots(uint64_t bytes) {
  return (bytes + SCAN_CARRY_SLOT_BYTES - 1) / SCAN_CARRY_SLOT_BYTES * SCAN_CARRY_SLOT_BYTES;
}

/* ---- checks ---- */

int scan_carry_is_staged(const scan_ctx *ctx, const scan_problem *problem) {
  return scan_mem_is_staged(ctx, problem->carry_in) || scan_mem_is_staged(ctx, problem->carry_out);
}

int scan_carry_is_replaced(const scan_problem *problem) {
  return problem->carry_in.kind != SCAN_MEM_NONE && problem->carry_out.kind != SCAN_MEM_NONE &&
         (problem->carry_in.handle == problem->carry_out.handle ||
          scan_mem_same(problem->carry_in, problem->carry_out));
}

scan_status scan_carry_take(scan_ctx *ctx, const scan_problem *problem) {
  const char *what = scan_spec_apart(problem);
  if (what != NULL)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED, "carries with %s are not in this version; scan all of it at once",
                     what);
  if (problem->backward || problem->turned)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED, "carries of backward scans are not in this version; use init");
  return SCAN_SUCCESS;
}

/* One carry: a value, which an element of the output is. */
static scan_status check_one(scan_ctx *ctx, const scan_problem *problem, scan_mem mem, int stageable, const char *name,
                             scan_mem *resolved) {
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const uint64_t align = problem->source != NULL ? problem->source->align : bytes;
  *resolved = mem;
  if (mem.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  if (!stageable || !scan_mem_is_staged(ctx, mem)) {
    const scan_status status = scan_mem_resolve(ctx, mem, bytes, name, resolved);
    if (status != SCAN_SUCCESS) return status;
  } else if (mem.handle == NULL) {
    return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, "%s is host memory at NULL", name);
  }
  if (!scan_mem_aligned(*resolved, align))
    return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, "%s is not aligned to %u bytes, as an element is", name,
                     (unsigned)align);
  return SCAN_SUCCESS;
}

scan_status scan_carry_check_places(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable, scan_mem in,
                                    scan_mem out) {
  scan_mem from = { SCAN_MEM_NONE, NULL, 0, 0 }, to = from;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  scan_status status = check_one(ctx, problem, problem->carry_in, stageable, "args->carry_in", &from);
  if (status == SCAN_SUCCESS) status = check_one(ctx, problem, problem->carry_out, stageable, "args->carry_out", &to);
  const int leaves = to.kind != SCAN_MEM_NONE;
  if (status != SCAN_SUCCESS || !(leaves || problem->kind == SCAN_TOTAL)) return status;
  if (leaves && from.kind != SCAN_MEM_NONE && !scan_mem_same(from, to) && scan_mem_overlap(from, bytes, to, bytes))
    return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT,
                     "args->carry_in and args->carry_out overlap: they must be the same memory, or apart");
  if (leaves && n > 0 &&
      (scan_mem_overlap(in, n * scan_problem_input_bytes(problem), to, bytes) ||
       scan_mem_overlap(out, scan_problem_out_items(problem, n) * scan_problem_output_bytes(problem), to, bytes)))
    return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT,
                     "args->carry_out lies within in or out: it must be memory of its own");
  if (n == 0 && from.kind == SCAN_MEM_NONE && problem->source != NULL && !problem->has_seed &&
      !problem->source->has_identity)
    return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT,
                     "n is 0, and there is nothing to %s: operator %s has no identity; give args->carry_in or "
                     "spec->init_bytes",
                     leaves ? "leave in args->carry_out" : "write", problem->source->combine);
  return SCAN_SUCCESS;
}

/* ---- a plan ---- */

uint64_t scan_carry_room_bytes(const scan_plan *plan, const scan_schedule *schedule, uint64_t bytes) {
  if (schedule->carry_after_tiles)
    bytes = whole_slots(plan->tile_capacity * scan_problem_value_bytes(&plan->problem)) + SCAN_CARRY_SLOT_BYTES;
  return bytes < SCAN_CONTROL_BYTES ? SCAN_CONTROL_BYTES : bytes;
}

void scan_carry_prepare(scan_plan *plan, scan_schedule *last) {
  *last = (scan_schedule){ 0 };
  plan->carry_at = whole_slots(scan_carry_room_bytes(plan, last, plan->workspace_bytes));
  plan->workspace_bytes = plan->carry_at + PLACES;
  if (plan->problem.kind == SCAN_TOTAL) {
    const uint64_t bytes = scan_problem_value_bytes(&plan->problem);
    plan->workspace_bytes += canon_small_items(bytes) * bytes;
    return;
  }
  const scan_strategy_ops *one =
      plan->ctx->ops->id == SCAN_BACKEND_HOST ? &scan_strategy_threads : &scan_strategy_block;
  one->schedule(&plan->caps, &plan->problem, 1, last);
}

/* A place in the workspace. */
static scan_mem place(const scan_plan *plan, uint64_t offset_bytes) {
  scan_mem mem = plan->workspace;
  mem.offset_bytes = offset_bytes;
  return mem;
}

scan_mem scan_carry_home(const scan_plan *plan) { return place(plan, SCAN_CARRY_BYTES); }

scan_mem scan_carry_way(const scan_plan *plan) { return place(plan, plan->carry_at + RESULT); }

scan_mem scan_carry_tile(const scan_plan *plan) { return place(plan, plan->carry_at + PLACES); }

/* The seed as bytes; of an operator from source without one, its identity. */
static void seed_words(const scan_problem *problem, uint64_t words[1 + SCAN_SEED_MORE_WORDS]) {
  words[0] = problem->seed_bits;
  for (int i = 0; i < SCAN_SEED_MORE_WORDS; i++) words[1 + i] = problem->seed_more[i];
  if (problem->source == NULL || problem->has_seed) return;
  for (int i = 0; i <= SCAN_SEED_MORE_WORDS; i++) words[i] = problem->source->identity[i];
}

scan_status scan_carry_finish_plan(scan_plan *plan) {
  uint64_t words[1 + SCAN_SEED_MORE_WORDS];
  scan_ctx *ctx = plan->ctx;
  if (plan->carry_kernel == NULL && plan->problem.kind != SCAN_TOTAL) return SCAN_SUCCESS;
  seed_words(&plan->problem, words);
  return ctx->ops->write(ctx->device, place(plan, plan->carry_at + EMPTY), words, sizeof words, &ctx->error);
}

/* ---- a scan ---- */

static char *host_pointer(scan_mem mem) { return (char *)mem.handle + mem.offset_bytes; }

/* From a carry, of the host or of the device, to device memory; and back. */
static scan_status fetch(scan_ctx *ctx, scan_mem carry, uint64_t bytes, scan_mem to) {
  if (scan_mem_is_staged(ctx, carry)) return ctx->ops->write(ctx->device, to, host_pointer(carry), bytes, &ctx->error);
  const scan_status status = scan_mem_resolve(ctx, carry, bytes, "args->carry_in", &carry);
  return status != SCAN_SUCCESS ? status : ctx->ops->copy(ctx->device, to, carry, bytes, &ctx->error);
}

scan_status scan_carry_deliver(scan_ctx *ctx, scan_mem from, uint64_t bytes, scan_mem carry) {
  if (scan_mem_is_staged(ctx, carry)) return ctx->ops->read(ctx->device, from, host_pointer(carry), bytes, &ctx->error);
  const scan_status status = scan_mem_resolve(ctx, carry, bytes, "args->carry_out", &carry);
  return status != SCAN_SUCCESS ? status : ctx->ops->copy(ctx->device, carry, from, bytes, &ctx->error);
}

/* The element that is scanned last. */
static scan_mem last_item(scan_mem items, uint64_t n, uint64_t item_bytes) {
  items.offset_bytes += (n - 1) * item_bytes;
  return items;
}

scan_status scan_carry_begin(scan_plan *plan, const scan_problem *problem, const scan_schedule *schedule, uint64_t n,
                             scan_mem in, uint32_t *flags) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_value_bytes(problem), in_bytes = scan_problem_input_bytes(problem);
  scan_status status = SCAN_SUCCESS;
  if (problem->carry_out.kind != SCAN_MEM_NONE && problem->kind == SCAN_EXCLUSIVE)
    status = ctx->ops->copy(ctx->device, place(plan, plan->carry_at + KEPT), last_item(in, n, in_bytes), in_bytes,
                            &ctx->error);
  if (status != SCAN_SUCCESS || problem->carry_in.kind == SCAN_MEM_NONE) return status;
  *flags |= SCAN_KERNEL_CARRY | SCAN_KERNEL_SEED;
  const uint64_t slot = schedule->carry_after_tiles ? whole_slots(plan->tile_capacity * bytes) : SCAN_CARRY_BYTES;
  if (scan_mem_same(problem->carry_in, place(plan, slot))) return SCAN_SUCCESS;
  return fetch(ctx, problem->carry_in, bytes, place(plan, slot));
}

/* Scans the kept element, inclusively, into `to`. */
static scan_status scan_kept(scan_plan *plan, const scan_problem *problem, scan_mem to) {
  scan_ctx *ctx = plan->ctx;
  scan_kernel_args args;
  scan_plan_args(plan, problem, 1, place(plan, plan->carry_at + KEPT), to,
                 SCAN_KERNEL_INCLUSIVE | SCAN_KERNEL_CARRY | SCAN_KERNEL_SEED, &args);
  return ctx->ops->launch(ctx->device, plan->carry_kernel, 1, plan->carry_group_items, &args, &ctx->error);
}

scan_status scan_carry_end(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_mem out) {
  scan_ctx *ctx = plan->ctx;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const scan_mem last = last_item(out, n, bytes);
  if (problem->carry_out.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  if (problem->kind == SCAN_INCLUSIVE) return scan_carry_deliver(ctx, last, bytes, problem->carry_out);
  scan_mem to = place(plan, plan->carry_at + RESULT);
  const int staged = scan_mem_is_staged(ctx, problem->carry_out);
  scan_status status = ctx->ops->copy(ctx->device, place(plan, SCAN_CARRY_BYTES), last, bytes, &ctx->error);
  if (status == SCAN_SUCCESS && !staged)
    status = scan_mem_resolve(ctx, problem->carry_out, bytes, "args->carry_out", &to);
  if (status == SCAN_SUCCESS) status = scan_kept(plan, problem, to);
  return status == SCAN_SUCCESS && staged ? scan_carry_deliver(ctx, to, bytes, problem->carry_out) : status;
}

/* Where the seed, or the carry that comes in, is found on the device. A hidden plan serves scans of any seed, so that
 * theirs is written from the host. */
static scan_status place_seed(scan_plan *plan, const scan_problem *problem, scan_mem *at) {
  uint64_t words[1 + SCAN_SEED_MORE_WORDS];
  scan_ctx *ctx = plan->ctx;
  *at = place(plan, plan->carry_at + (problem->carry_in.kind != SCAN_MEM_NONE ? RESULT : EMPTY));
  if (problem->carry_in.kind != SCAN_MEM_NONE)
    return fetch(ctx, problem->carry_in, scan_problem_value_bytes(problem), *at);
  if (!plan->hidden) return SCAN_SUCCESS;
  seed_words(problem, words);
  return ctx->ops->write(ctx->device, *at, words, sizeof words, &ctx->error);
}

scan_status scan_carry_pass(scan_plan *plan, const scan_problem *problem, scan_mem out) {
  scan_mem seed;
  if (plan->second != NULL) plan = plan->second;
  const uint64_t bytes = scan_problem_value_bytes(problem);
  const int leaves = problem->carry_out.kind != SCAN_MEM_NONE, is_total = problem->kind == SCAN_TOTAL;
  if (!leaves && !is_total) return SCAN_SUCCESS;
  scan_status status = place_seed(plan, problem, &seed);
  if (status == SCAN_SUCCESS && leaves) status = scan_carry_deliver(plan->ctx, seed, bytes, problem->carry_out);
  if (status == SCAN_SUCCESS && is_total) status = scan_carry_deliver(plan->ctx, seed, bytes, out);
  return status;
}
