/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmented reductions: checks, and the arguments that they have besides those of the scan in segments. */
#include "ops/scan/segmented_reduce.h"

#include <inttypes.h>
#include <string.h>

#include "base/canonical.h"
#include "base/structs.h"
#include "base/types.h"
#include "core/regions.h"
#include "core/unused.h"
#include "kernels_cl/scan/segment_marked.h"
#include "kernels_cl/select/select.h"
#include "ops/scan/segments.h"
#include "ops/scan/validate.h"

/* ---- checks ---- */

static scan_status check_reduction(scan_ctx *ctx, const scan_spec *spec) {
  if (spec->segments != SCAN_SEGMENTS_OFFSETS && spec->segments != SCAN_SEGMENTS_FLAGS &&
      spec->segments != SCAN_SEGMENTS_BITS)
    FAIL_INVALID("spec->segments is %d: a segmented reduction takes SCAN_SEGMENTS_OFFSETS, SCAN_SEGMENTS_FLAGS or "
                 "SCAN_SEGMENTS_BITS; initialise spec with SCAN_SEGMENTED_REDUCE_INIT",
                 (int)spec->segments);
  if (spec->kind != SCAN_TOTAL)
    FAIL_INVALID("spec->kind is %d: a segmented reduction has one result a segment; set it to SCAN_TOTAL",
                 (int)spec->kind);
  if (spec->flags & SCAN_BACKWARD)
    FAIL_INVALID("spec->flags has SCAN_BACKWARD: a segmented reduction goes forward; clear it");
  if (spec->flags & (SCAN_N_FROM | SCAN_N_FROM_CLAMP))
    FAIL_UNSUPPORTED("spec->flags has SCAN_N_FROM or SCAN_N_FROM_CLAMP: the ends of segments say which elements count");
  if (spec->strategy != SCAN_STRATEGY_AUTO)
    FAIL_UNSUPPORTED("spec->strategy is %d: a segmented reduction has launches of its own; set it to 0",
                     (int)spec->strategy);
  return SCAN_SUCCESS;
}

scan_status scan_segmented_reduce_spec_copy_in(scan_ctx *ctx, const scan_spec *given, scan_spec *spec) {
  memset(spec, 0, sizeof *spec);
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_spec, spec, given, "spec", &ctx->error));
  return check_reduction(ctx, spec);
}

scan_status scan_segmented_reduce_source_check(scan_ctx *ctx, const scan_spec *spec, const scan_problem *problem) {
  SCAN_TRY(scan_members_refuse(ctx, problem, "a segmented reduction reads one array; scan in segments"));
  if (spec->custom_op != NULL && problem->source->emit != NULL)
    FAIL_INVALID("%s emits an element for each of the input, and a segmented reduction has one result a segment",
                 problem->source->emit);
  return SCAN_SUCCESS;
}

/* The problem is an inclusive scan in segments. Its seed is also the result of a segment without elements, so that a
 * sum of floating-point numbers without an initial value has the seed +0.0, which no element is added to. */
scan_status scan_segmented_reduce_spec_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem) {
  scan_spec spec = *given;
  scan_strategy strategy;
  spec.kind = SCAN_INCLUSIVE;
  SCAN_TRY(scan_spec_check(ctx, &spec, problem, &strategy));
  SCAN_TRY(scan_segmented_reduce_source_check(ctx, &spec, problem));
  if (!problem->has_init && spec.custom_op == NULL && spec.op == SCAN_ADD && scan_type_is_float(spec.type))
    problem->seed[0] = 0;
  return SCAN_SUCCESS;
}

static uint64_t begin_count(const scan_problem *problem) {
  return problem->segments.count + (problem->ends.kind == SCAN_MEM_NONE);
}

/* Lists what is read before what is written, so that the message about an overlap is the output's. */
void scan_segmented_reduce_list(scan_segmented_run *run, scan_buffer_list *list) {
  scan_problem *problem = &run->problem;
  const uint64_t offset_bytes = scan_segments_entry_bytes(&problem->segments), segments = problem->segments.count;
  const uint64_t out_bytes = scan_problem_output_bytes(problem);
  list->count = 0;
  list->rule = "results would overwrite what is still to be read";
  if (segments == 0) return;
  scan_buffers_add(list, &(scan_buffer){ .mem = &run->values,
                                         .bytes = run->n * scan_problem_input_bytes(problem),
                                         .align = scan_problem_input_align(problem),
                                         .item_bytes = scan_problem_input_bytes(problem),
                                         .name = "args->values",
                                         .has_elements = 1 });
  scan_buffers_add(list, &(scan_buffer){ .mem = &problem->segments.memory,
                                         .bytes = begin_count(problem) * offset_bytes,
                                         .align = offset_bytes,
                                         .name = "args->begins" });
  if (problem->ends.kind != SCAN_MEM_NONE)
    scan_buffers_add(list, &(scan_buffer){ .mem = &problem->ends,
                                           .bytes = segments * offset_bytes,
                                           .align = offset_bytes,
                                           .name = "args->ends" });
  scan_buffers_add(list, &(scan_buffer){ .mem = &problem->totals,
                                         .bytes = segments * out_bytes,
                                         .align = scan_problem_output_align(problem),
                                         .item_bytes = out_bytes,
                                         .name = "args->out",
                                         .is_filled = !scan_problem_has_start(problem),
                                         .has_elements = 1,
                                         .is_output = 1 });
}

scan_status scan_segmented_reduce_args_check(scan_ctx *ctx, const scan_segmented_reduce_args *given, int stageable,
                                             scan_segmented_run *run) {
  scan_segmented_reduce_args args = { 0 };
  scan_problem *problem = &run->problem;
  scan_buffer_list list;
  if (given == NULL) FAIL_INVALID("args is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_segmented_reduce_args, &args, given, "args", &ctx->error));
  SCAN_TRY(scan_unused_memory_check(ctx, args.count, "count", "spec->segments is SCAN_SEGMENTS_OFFSETS"));
  if (problem->checks && args.ends.kind != SCAN_MEM_NONE)
    FAIL_UNSUPPORTED("args->ends and SCAN_CHECK_OVERFLOW: elements between two segments would be checked, too; give "
                     "offsets alone, or leave the check");
  if (args.segments >= PTRDIFF_MAX / SCAN_OP_MOST_BYTES)
    FAIL_INVALID("args->segments is %" PRIu64 ": that many results are more than an address can reach", args.segments);
  SCAN_TRY(scan_count_check(ctx, problem, run->n, "n"));
  run->values = args.values;
  run->opencl = args.opencl;
  problem->segments.memory = args.begins;
  problem->segments.count = args.segments;
  problem->ends = args.ends;
  problem->totals = args.out;
  scan_segmented_reduce_list(run, &list);
  SCAN_TRY(scan_buffers_resolve(ctx, &list, stageable));
  return scan_buffers_check_apart(ctx, &list);
}

/* ---- a plan ---- */

void scan_segmented_reduce_prepare(scan_plan *plan) {
  const scan_problem *problem = &plan->problem;
  const scan_segments_method method = scan_segments_method_of(&plan->caps, problem);
  if (method == SCAN_SEGMENTS_SCANNED)
    plan->regions[SCAN_REGION_VALUES].bytes = plan->max_n * scan_problem_output_bytes(problem);
  if (method == SCAN_SEGMENTS_BY_THREADS || method == SCAN_SEGMENTS_BY_ITEMS)
    plan->regions[SCAN_REGION_FLAG_BITS].bytes = 0;
  if (method == SCAN_SEGMENTS_BY_ITEMS || method == SCAN_SEGMENTS_STAGED)
    plan->regions[SCAN_REGION_PLACES].bytes = (plan->tile_capacity + (uint64_t)1) * sizeof(uint64_t);
}

void scan_segmented_reduce_bind(const scan_plan *plan, const scan_problem *problem, scan_kernel_args *args) {
  const uint64_t offset_bytes = scan_segments_entry_bytes(&problem->segments);
  args->ends = problem->ends;
  if (problem->ends.kind == SCAN_MEM_NONE) args->ends = scan_offset(problem->segments.memory, offset_bytes);
  args->totals = problem->totals;
  args->places = scan_mem_or(scan_region_of(plan, SCAN_REGION_PLACES), plan->workspace);
  args->tile_items = (uint32_t)canon_tile_items(args->n, scan_problem_bytes(problem));
  args->element_bytes = (uint32_t)scan_problem_output_bytes(problem);
  args->predicate = problem->source;
  args->carry = args->carry_out = plan->workspace; /* not read */
  args->flags |= offset_bytes == 8 ? SCAN_KERNEL_WIDE_OFFSETS : 0u;
  args->flags |= scan_problem_has_start(problem) ? SCAN_KERNEL_STARTS : 0u;
}

void scan_marked_reduce_bind(const scan_plan *plan, const scan_problem *problem, scan_kernel_args *args) {
  args->places = problem->places;
  args->totals = problem->totals;
  args->capacity = problem->capacity;
  args->n_from = scan_mem_or(problem->n_from, plan->workspace);
  args->carry = args->carry_out = plan->workspace; /* not read */
  args->flags |= problem->n_from.kind != SCAN_MEM_NONE ? FLAG_COUNTED : 0u;
  if (problem->alone == NULL) return;
  args->ends = problem->alone->in;
  args->rest = problem->alone->out;
  args->kept = problem->alone->kept;
  args->n_overflow = problem->alone->n_overflow;
  args->rest_capacity = problem->alone->capacity;
  args->element_bytes = (uint32_t)scan_type_bytes(problem->alone->type);
  args->flags |= SELECT_OF_KEYS((uint32_t)problem->alone->type);
}
