/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of scans of arrays, all made before anything is launched. */
#include <inttypes.h>

#include "base/structs.h"
#include "base/types.h"
#include "ops/array/array_run.h"
#include "core/op.h"
#include "ops/scan/validate.h"

scan_status scan_array_packed(const scan_spec *spec, uint32_t ndim, const uint64_t *shape, uint32_t axis,
                              scan_array *array) {
  scan_error *error = scan_thread_error();
  array_lines lines;
  scan_array packed = SCAN_ARRAY_INIT;
  if (spec == NULL || shape == NULL || array == NULL)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_array_packed: %s is NULL",
                     spec == NULL    ? "spec"
                     : shape == NULL ? "shape"
                                     : "array");
  const scan_type input_type = spec->input_type == SCAN_TYPE_DEFAULT ? spec->type : spec->input_type;
  const scan_source *source = spec->custom_op != NULL ? scan_op_source_of(spec->custom_op) : NULL;
  const scan_problem types = { .source = source, .input_type = input_type, .type = spec->type };
  const uint64_t in_bytes = scan_problem_input_bytes(&types), out_bytes = scan_problem_output_bytes(&types);
  uint64_t items = 1, outputs = 1;
  if (spec->custom_op != NULL && source == NULL)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_array_packed: spec->custom_op is not an operator");
  if (in_bytes == 0 || out_bytes == 0)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_array_packed: the spec's types are no types");
  packed.ndim = ndim;
  packed.axis = axis;
  for (uint32_t i = 0; i < ndim && ndim <= SCAN_ARRAY_MAX_AXES; i++) {
    const uint32_t a = ndim - 1 - i;
    packed.shape[a] = shape[a];
    packed.in_strides[a] = (int64_t)(items * in_bytes); /* unsigned: scan_array_normalise refuses an overflow */
    packed.out_strides[a] = (int64_t)(outputs * out_bytes);
    items *= shape[a] ? shape[a] : 1;
    if (spec->kind != SCAN_TOTAL || a != axis) outputs *= shape[a] ? shape[a] : 1;
  }
  const array_scan scan = { .in_bytes = in_bytes, .out_bytes = out_bytes, .is_total = spec->kind == SCAN_TOTAL };
  SCAN_TRY(scan_array_normalise(&packed, &scan, &lines, error));
  return scan_struct_give(SCAN_STRUCT_scan_array, &packed, array, "array", error);
}

/* ---- checks ---- */

/* Resolves the input's or the output's memory, and checks that the whole array lies in it. */
static scan_status check_side(scan_ctx *ctx, const scan_array *array, const int64_t *strides, const array_span *span,
                              scan_mem mem, uint64_t item_align, int stageable, const char *name, scan_mem *resolved) {
  uint64_t there = UINT64_MAX;
  *resolved = mem;
  SCAN_TRY(scan_mem_resolve_argument(ctx, resolved, 0, stageable, name));
  if (mem.kind == SCAN_MEM_ALLOCATED)
    there = resolved->size_bytes;
  else if (mem.kind != SCAN_MEM_HOST)
    SCAN_TRY(ctx->ops->mem_bytes(ctx->device, mem, &there, &ctx->error));
  if ((uint64_t)span->end > there)
    FAIL_INVALID("axis %u: %s is too small: the array ends %" PRId64 " bytes behind its element 0, and %" PRIu64
                 " are there",
                 scan_array_reaching_axis(array, strides, 1), name, span->end, there);
  if (span->first < 0 && (mem.kind == SCAN_MEM_ALLOCATED || mem.kind == SCAN_MEM_OPENCL) &&
      resolved->offset_bytes < (uint64_t)-span->first)
    FAIL_INVALID("axis %u: %s begins %" PRIu64 " bytes before the array's element 0, and the array %" PRId64,
                 scan_array_reaching_axis(array, strides, -1), name, resolved->offset_bytes, -span->first);
  if (!scan_mem_aligned(*resolved, item_align))
    FAIL_INVALID("%s is not aligned to %" PRIu64 " bytes, as its elements are", name, item_align);
  return SCAN_SUCCESS;
}

/* 1 if the array's input and output share bytes although their addresses cannot be compared (OpenCL sub-buffers). */
static int ranges_overlap(const scan_ctx *ctx, const array_lines *lines, scan_mem in, scan_mem out) {
  in.offset_bytes += (uint64_t)lines->in.first;
  out.offset_bytes += (uint64_t)lines->out.first;
  return scan_mem_shared(ctx, in, (uint64_t)(lines->in.end - lines->in.first), out,
                         (uint64_t)(lines->out.end - lines->out.first));
}

scan_status scan_array_buffers_check(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                                     int stageable, scan_mem *in, scan_mem *out, int *in_place) {
  const scan_array *array = &form->array;
  const array_lines *lines = &form->lines;
  const scan_array outputs = scan_array_of_outputs(array, (int)lines->is_total);
  scan_mem from = *in, to;
  const uint64_t in_bytes = scan_problem_input_bytes(problem), out_bytes = scan_problem_output_bytes(problem);
  const uint64_t in_align = scan_problem_input_align(problem), out_align = scan_problem_output_align(problem);
  int relation = 0;
  if (lines->n > 0)
    SCAN_TRY(check_side(ctx, array, array->in_strides, &lines->in, *in, in_align, stageable, "in", &from));
  SCAN_TRY(check_side(ctx, &outputs, array->out_strides, &lines->out, *out, out_align, stageable, "out", &to));
  if (lines->n == 0)
    relation = 0;
  else if (scan_mem_comparable(from, to))
    relation =
        scan_array_relation(lines, in_bytes, out_bytes, (int64_t)(scan_mem_address(to) - scan_mem_address(from)));
  else if (ranges_overlap(ctx, lines, from, to))
    relation = -1;
  if (relation != 0 && scan_source_has_members(problem->source))
    FAIL_INVALID("in and out overlap along axis %u: outputs of operators with members are apart from all inputs",
                 scan_array_reaching_axis(array, array->out_strides, 1));
  if (relation < 0 && lines->is_total)
    FAIL_INVALID("in and out overlap along axis %u: totals must be apart from what they cover",
                 scan_array_reaching_axis(&outputs, array->out_strides, 1));
  if (relation < 0)
    FAIL_INVALID(
        "in and out overlap along axis %u: each result must be at the address of its input, with the same strides "
        "and elements of one size, or at that of none",
        scan_array_reaching_axis(array, array->out_strides, 1));
  *in = from;
  *out = to;
  *in_place = relation > 0;
  return SCAN_SUCCESS;
}

/* 1 if the CUDA images have no kernel for the lines of a built-in operator. */
static int lacks_kernel(const scan_ctx *ctx, const scan_problem *problem, const array_lines *lines) {
  array_method method;
  return problem->source == NULL && lines->lines > 0 && ctx->ops->id == SCAN_BACKEND_CUDA &&
         scan_array_choose(&ctx->caps, problem, lines, &method) != NULL;
}

scan_status scan_array_args_copy_in(scan_ctx *ctx, uint64_t items, const scan_args *args, scan_problem *problem) {
  if (args->carry_in.kind != SCAN_MEM_NONE || args->carry_out.kind != SCAN_MEM_NONE)
    FAIL_INVALID("args->carry_in and carry_out: scans of arrays take no carries, of which each line would need one");
  return scan_args_copy_in(ctx, SCAN_STRATEGY_AUTO, items, args, problem);
}

void scan_array_set_steps(const scan_array_form *form, int backward, scan_problem *problem) {
  const array_lines *lines = &form->lines;
  if (problem->source == NULL) return;
  problem->steps = 1;
  problem->reversed = backward != 0;
  problem->step[0] = lines->in_step / (int64_t)scan_problem_input_bytes(problem);
  problem->step[1] = lines->out_step / (int64_t)scan_problem_output_bytes(problem);
  problem->step[2] = lines->index_start;
  problem->step[3] = lines->index_step;
  problem->array_items = scan_array_items(form);
}

scan_status scan_array_check(scan_ctx *ctx, const scan_spec *spec, const scan_array *given, const scan_args *args,
                             scan_array_form *form, scan_problem *problem) {
  scan_array *array = &form->array;
  array_lines *lines = &form->lines;
  scan_strategy strategy;
  SCAN_TRY(scan_spec_check(ctx, spec, problem, &strategy));
  SCAN_TRY(scan_reads_n_refuse(ctx, problem,
                               "an array's shape is fixed when its plan is made; scan lines of n elements each"));
  if (problem->segments.kind == SCAN_SEGMENTS_OFFSETS)
    FAIL_UNSUPPORTED("spec->segments: offsets name places in one line; give flags, bits or keys for arrays");
  const int is_total = problem->kind == SCAN_TOTAL;
  if (is_total && problem->segments.kind != SCAN_SEGMENTS_NONE)
    FAIL_UNSUPPORTED("spec->segments: the total of a line of an array covers the whole line; scan inclusively, and "
                     "take the last element of each segment");
  if (spec->strategy != SCAN_STRATEGY_AUTO)
    FAIL_UNSUPPORTED("spec->strategy is %s: scans of arrays choose their kernels by themselves; set SCAN_STRATEGY_AUTO",
                     scan_strategy_name(spec->strategy));
  if (given == NULL) FAIL_INVALID("array is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_array, array, given, "array", &ctx->error));
  const int backward = (int)(problem->backward | problem->reversed);
  problem->backward = 0; /* strides express the direction */
  const array_scan scan = { .in_bytes = scan_problem_input_bytes(problem),
                            .out_bytes = scan_problem_output_bytes(problem),
                            .backward = backward,
                            .indexed = problem->segments.kind != SCAN_SEGMENTS_NONE || problem->checks ||
                                       scan_source_has_members(problem->source),
                            .is_total = is_total };
  SCAN_TRY(scan_array_normalise(array, &scan, lines, &ctx->error));
  const uint64_t items = scan_array_items(form);
  SCAN_TRY(scan_array_args_copy_in(ctx, args != NULL ? items : 0, args != NULL ? args : &(scan_args){ 0 }, problem));
  if (lacks_kernel(ctx, problem, lines)) SCAN_TRY(scan_problem_use_source(ctx, problem));
  scan_array_set_steps(form, backward, problem);
  return scan_count_check(ctx, problem, lines->n, "the axis' length");
}
