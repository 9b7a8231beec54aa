/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of arrays: from the caller's description to a plan, and from the plan to launches. */
#include "core/array_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/structs.h"
#include "base/types.h"

enum { MOST_HIDDEN = 64 }; /* plans that scan_run_array keeps */

#define REFUSE(...) return scan_fail(&ctx->error, SCAN_INVALID_ARGUMENT, __VA_ARGS__)

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
  const uint64_t in_bytes = source != NULL ? source->input_bytes : scan_type_bytes(input_type);
  const uint64_t out_bytes = source != NULL ? source->output_bytes : scan_type_bytes(spec->type);
  uint64_t items = 1;
  if (spec->custom_op != NULL && source == NULL)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_array_packed: spec->custom_op is not an operator");
  if (in_bytes == 0 || out_bytes == 0)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_array_packed: the spec's types are no types");
  packed.ndim = ndim;
  packed.axis = axis;
  for (uint32_t i = 0; i < ndim && ndim <= SCAN_ARRAY_MAX_AXES; i++) {
    const uint32_t a = ndim - 1 - i;
    packed.shape[a] = shape[a];
    packed.in_strides[a] = (int64_t)(items * in_bytes); /* unsigned: what overflows is refused below */
    packed.out_strides[a] = (int64_t)(items * out_bytes);
    items *= shape[a] ? shape[a] : 1;
  }
  const scan_status status = scan_array_normalise(&packed, in_bytes, out_bytes, 0, &lines, error);
  if (status != SCAN_SUCCESS) return status;
  return scan_struct_give(&packed, sizeof packed, array, "array", "initialise it with SCAN_ARRAY_INIT", error);
}

/* ---- checks ---- */

/* One side's memory: where it lies, and that all of the array is in it. */
static scan_status check_side(scan_ctx *ctx, const scan_array *array, const int64_t *strides, const array_span *span,
                              scan_mem mem, uint64_t item_align, int stageable, const char *name, scan_mem *resolved) {
  uint64_t there = 0;
  *resolved = mem;
  if (stageable && scan_mem_is_staged(ctx, mem)) {
    if (mem.handle == NULL) REFUSE("%s is host memory at NULL", name);
  } else {
    scan_status status = scan_mem_resolve(ctx, mem, 0, name, resolved);
    if (status == SCAN_SUCCESS && mem.kind == SCAN_MEM_ALLOCATED) there = resolved->size_bytes;
    if (status == SCAN_SUCCESS && mem.kind != SCAN_MEM_ALLOCATED)
      status = ctx->ops->mem_bytes(ctx->device, mem, &there, &ctx->error);
    if (status != SCAN_SUCCESS) return status;
    if ((uint64_t)span->end > there)
      REFUSE("axis %u: %s is too small: the array ends %" PRId64 " bytes behind its element 0, and %" PRIu64
             " are there",
             scan_array_reaching_axis(array, strides, 1), name, span->end, there);
    if (span->first < 0 && (mem.kind == SCAN_MEM_ALLOCATED || mem.kind == SCAN_MEM_OPENCL) &&
        resolved->offset_bytes < (uint64_t)-span->first)
      REFUSE("axis %u: %s begins %" PRIu64 " bytes before the array's element 0, and the array %" PRId64,
             scan_array_reaching_axis(array, strides, -1), name, resolved->offset_bytes, -span->first);
  }
  if (!scan_mem_aligned(*resolved, item_align))
    REFUSE("%s is not aligned to %" PRIu64 " bytes, as its elements are", name, item_align);
  return SCAN_SUCCESS;
}

/* Memories that can have bytes in common have addresses that compare. */
static int may_meet(scan_mem a, scan_mem b) {
  return a.kind == b.kind && (a.kind != SCAN_MEM_OPENCL || a.handle == b.handle);
}

/* Whether memories whose addresses do not compare have bytes in common between the first and the last of the array. */
static int spans_share(const scan_ctx *ctx, const array_lines *lines, scan_mem in, scan_mem out) {
  in.offset_bytes += (uint64_t)lines->in.first;
  out.offset_bytes += (uint64_t)lines->out.first;
  return scan_mem_shared(ctx, in, (uint64_t)(lines->in.end - lines->in.first), out,
                         (uint64_t)(lines->out.end - lines->out.first));
}

scan_status scan_array_buffers_check(scan_ctx *ctx, const scan_problem *problem, const scan_array *array,
                                     const array_lines *lines, int stageable, scan_mem *in, scan_mem *out,
                                     uint32_t *flags) {
  scan_mem from, to;
  const scan_source *source = problem->source;
  const uint64_t in_bytes = scan_problem_input_bytes(problem), out_bytes = scan_problem_output_bytes(problem);
  const uint64_t in_align = source != NULL ? source->input_align : in_bytes;
  const uint64_t out_align = source != NULL ? source->output_align : out_bytes;
  int relation = 0;
  scan_status status = check_side(ctx, array, array->in_strides, &lines->in, *in, in_align, stageable, "in", &from);
  if (status == SCAN_SUCCESS)
    status = check_side(ctx, array, array->out_strides, &lines->out, *out, out_align, stageable, "out", &to);
  if (status != SCAN_SUCCESS) return status;
  if (may_meet(from, to))
    relation =
        scan_array_relation(lines, in_bytes, out_bytes, (int64_t)(scan_mem_address(to) - scan_mem_address(from)));
  else if (spans_share(ctx, lines, from, to))
    relation = -1;
  if (relation < 0)
    REFUSE(
        "in and out overlap along axis %u: each result must be at the address of its input, with the same strides and "
        "elements of one size, or at that of none",
        scan_array_reaching_axis(array, array->out_strides, 1));
  *in = from;
  *out = to;
  *flags = (problem->kind == SCAN_INCLUSIVE ? SCAN_KERNEL_INCLUSIVE : 0u) | (relation > 0 ? SCAN_KERNEL_IN_PLACE : 0u);
  return SCAN_SUCCESS;
}

/* Whether the CUDA images have no kernel for the lines of a built-in operator. */
static int lacks_kernel(const scan_ctx *ctx, const scan_problem *problem, const array_lines *lines) {
  array_method method;
  return problem->source == NULL && lines->lines > 0 && ctx->ops->id == SCAN_BACKEND_CUDA &&
         scan_array_choose(&ctx->caps, problem, lines, &method) != NULL;
}

static scan_status check_all(scan_ctx *ctx, const scan_spec *spec, const scan_array *given, scan_array *array,
                             scan_problem *problem, array_lines *lines) {
  scan_strategy strategy;
  scan_status status = scan_spec_check(ctx, spec, problem, &strategy);
  if (status == SCAN_SUCCESS) status = scan_args_take(ctx, strategy, 0, &(scan_args){ 0 }, problem);
  if (status != SCAN_SUCCESS) return status;
  if (problem->segments.kind != SCAN_SEGMENTS_NONE || problem->checks)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "scans of arrays with %s are not in this version; scan each line with scan_run",
                     problem->segments.kind != SCAN_SEGMENTS_NONE ? "segments" : "SCAN_CHECK_OVERFLOW");
  if (problem->kind == SCAN_TOTAL)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "scans of arrays have no totals in this version: use the last of each line");
  if (spec->strategy != SCAN_STRATEGY_AUTO)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED,
                     "spec->strategy is %s: scans of arrays choose their kernels by "
                     "themselves; set SCAN_STRATEGY_AUTO",
                     scan_strategy_name(spec->strategy));
  if (given == NULL) REFUSE("array is NULL");
  status = scan_struct_take(array, sizeof *array, given, "array", "initialise it with SCAN_ARRAY_INIT", &ctx->error);
  if (status != SCAN_SUCCESS) return status;
  const int backward = (int)(problem->backward | problem->turned);
  problem->backward = 0; /* by strides */
  status = scan_array_normalise(array, scan_problem_input_bytes(problem), scan_problem_output_bytes(problem), backward,
                                lines, &ctx->error);
  if (status == SCAN_SUCCESS && lacks_kernel(ctx, problem, lines)) status = scan_problem_lift(ctx, spec, problem);
  if (status != SCAN_SUCCESS) return status;
  if (problem->source != NULL) {
    problem->steps = 1;
    problem->turned = backward != 0;
    problem->step[0] = lines->in_step / (int64_t)scan_problem_input_bytes(problem);
    problem->step[1] = lines->out_step / (int64_t)scan_problem_output_bytes(problem);
  }
  return scan_count_check(ctx, problem, lines->n, "the axis' length");
}

/* ---- plans ---- */

static scan_status make_kernel(scan_plan *plan, const scan_problem *problem, const array_method *method) {
  scan_ctx *ctx = plan->ctx;
  const scan_type type = problem->source != NULL ? SCAN_TYPE_DEFAULT : scan_type_for_kernel(problem->type, problem->op);
  const scan_kernel_key key = { .file = method->step.file,
                                .kernel = method->step.kernel,
                                .arguments = method->step.arguments,
                                .input_type = problem->input_type == problem->type ? type : problem->input_type,
                                .type = type,
                                .op = problem->op,
                                .source = problem->source,
                                .steps = problem->steps,
                                .subtiles = method->subtiles,
                                .backward = method->backward };
  return ctx->ops->kernel_create(ctx->device, &key, &plan->array->kernel, &ctx->error);
}

/* The geometry goes to the device once, with the plan. */
static scan_status write_geometry(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  uint64_t words[ARRAY_WORDS];
  scan_array_words(&plan->array->lines, scan_problem_bytes(&plan->problem), words);
  plan->workspace_bytes = sizeof words;
  const scan_status status = scan_plan_allocate(plan);
  return status != SCAN_SUCCESS ? status
                                : ctx->ops->write(ctx->device, plan->workspace, words, sizeof words, &ctx->error);
}

static scan_status make_each(scan_plan *plan, const scan_problem *problem) {
  scan_plan *each = NULL;
  scan_problem line = *problem;
  line.backward = plan->array->method.backward;
  const scan_status status = scan_plan_make(plan->ctx, &line, SCAN_STRATEGY_AUTO, plan->array->lines.n, &each);
  plan->array->each = each;
  return status;
}

static scan_status prepare(scan_plan *plan, const scan_problem *problem) {
  scan_ctx *ctx = plan->ctx;
  scan_array_plan *a = plan->array;
  if (a->lines.lines == 0) return SCAN_SUCCESS;
  const char *refusal = scan_array_choose(&ctx->caps, problem, &a->lines, &a->method);
  if (refusal != NULL)
    return scan_fail(&ctx->error, SCAN_UNSUPPORTED, "%s (%s): %s", ctx->caps.info.selector, ctx->caps.info.name,
                     refusal);
  if (a->method.way == ARRAY_EACH) return make_each(plan, problem);
  const scan_status status = make_kernel(plan, problem, &a->method);
  return status == SCAN_SUCCESS ? write_geometry(plan) : status;
}

static const scan_array_plan_ops array_ops;

static scan_status plan_make(scan_ctx *ctx, const scan_problem *problem, const scan_array *array,
                             const array_lines *lines, int hidden, scan_plan **result) {
  scan_plan *plan = calloc(1, sizeof *plan);
  scan_array_plan *a = calloc(1, sizeof *a);
  if (plan == NULL || a == NULL) {
    free(plan);
    free(a);
    return scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a plan");
  }
  a->array = *array;
  a->lines = *lines;
  plan->ctx = ctx;
  plan->caps = ctx->caps;
  plan->problem = *problem;
  plan->max_n = lines->n;
  plan->array = a;
  plan->needs_args = 1;
  plan->array_ops = &array_ops;
  plan->hidden = hidden;
  if (problem->source) scan_op_keep(ctx, problem->source);
  const scan_status status = prepare(plan, problem);
  if (status != SCAN_SUCCESS) {
    scan_plan_release(plan);
    return status;
  }
  scan_plan_link(plan);
  *result = plan;
  return SCAN_SUCCESS;
}

static scan_status wait_checked(scan_ctx *ctx) {
  const scan_status status = ctx->ops->sync(ctx->device, &ctx->error);
  return status == SCAN_SUCCESS ? scan_plans_check(ctx) : status;
}

/* Makes room for one more hidden plan: the one made first goes, and what its scans have to tell is told before. */
static scan_status drop_oldest(scan_ctx *ctx) {
  scan_plan *oldest = NULL;
  int count = 0;
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) {
    if (!plan->hidden || plan->array == NULL) continue;
    oldest = plan;
    count++;
  }
  if (count < MOST_HIDDEN) return SCAN_SUCCESS;
  const scan_status status = wait_checked(ctx);
  if (status == SCAN_SUCCESS) scan_plan_destroy(oldest);
  return status;
}

static scan_status plan_lookup(scan_ctx *ctx, const scan_problem *problem, const scan_array *array,
                               const array_lines *lines, scan_plan **result) {
  scan_key key;
  scan_problem_key(problem, SCAN_STRATEGY_AUTO, &key);
  scan_key_add(&key, lines, sizeof *lines);
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) {
    if (!plan->hidden || !scan_key_same(&plan->key, &key)) continue;
    *result = plan;
    return SCAN_SUCCESS;
  }
  scan_status status = drop_oldest(ctx);
  scan_plan *made = NULL;
  if (status == SCAN_SUCCESS) status = plan_make(ctx, problem, array, lines, 1, &made);
  if (status != SCAN_SUCCESS || made == NULL) return status;
  made->key = key;
  *result = made;
  return SCAN_SUCCESS;
}

scan_status scan_plan_create_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, scan_plan **plan) {
  scan_problem problem = { 0 };
  array_lines lines = { 0 };
  scan_array own = { 0 };
  scan_status status = scan_ctx_enter(ctx, "scan_plan_create_array");
  if (status != SCAN_SUCCESS) return status;
  if (plan == NULL) REFUSE("scan_plan_create_array: plan is NULL");
  status = check_all(ctx, spec, array, &own, &problem, &lines);
  return status != SCAN_SUCCESS ? status : plan_make(ctx, &problem, &own, &lines, 0, plan);
}

static void array_release(scan_plan *plan) {
  scan_array_plan *a = plan->array;
  if (a->kernel) plan->ctx->ops->kernel_destroy(plan->ctx->device, a->kernel);
  plan->array = NULL;
  free(a);
}

static scan_plan *array_each(const scan_plan *plan) { return plan->array->each; }

static void array_info(const scan_plan *plan, scan_plan_facts *info) {
  const scan_array_plan *a = plan->array;
  const uint64_t lines = a->lines.lines, bytes = scan_problem_bytes(&plan->problem);
  const uint64_t tile_items = canon_tile_items(a->lines.n ? a->lines.n : 1, bytes);
  if (a->each != NULL && scan_plan_info(a->each, info) == SCAN_SUCCESS) {
    info->launches *= (uint32_t)lines;
    info->tiles *= lines;
    info->work *= lines;
  } else {
    const scan_cost cost = scan_cost_canonical(&plan->problem, a->lines.n ? a->lines.n : 1, 0, 1);
    *info = (scan_plan_facts){ .struct_bytes = sizeof *info,
                               .strategy = SCAN_STRATEGY_AUTO,
                               .max_n = a->lines.n,
                               .tile_items = tile_items,
                               .tiles = lines * canon_tiles(a->lines.n, bytes),
                               .workspace_bytes = plan->workspace_bytes,
                               .launches = lines != 0,
                               .groups = a->method.step.groups,
                               .items_per_group = a->method.step.items_per_group,
                               .work = lines * cost.work,
                               .span = lines ? cost.span : 0 };
  }
  snprintf(info->reason, sizeof info->reason, "%s", lines ? a->method.reason : "the array has no elements");
}

static const scan_array_plan_ops array_ops = { .release = array_release, .info = array_info, .each = array_each };

/* ---- launches ---- */

static scan_mem moved(scan_mem mem, int64_t bytes) {
  mem.offset_bytes += (uint64_t)bytes;
  return mem;
}

static scan_status launch_each(scan_plan *plan, const scan_problem *problem, scan_mem in, scan_mem out,
                               uint32_t flags) {
  const array_lines *lines = &plan->array->lines;
  scan_status status = SCAN_SUCCESS;
  for (uint64_t line = 0; line < lines->lines && status == SCAN_SUCCESS; line++) {
    int64_t in_bytes, out_bytes;
    scan_array_place(lines->axis, lines->axes, line, &in_bytes, &out_bytes);
    in_bytes += lines->in_start;
    out_bytes += lines->out_start;
    if (plan->array->method.backward || problem->turned) { /* begins where its memory does */
      in_bytes += (int64_t)(lines->n - 1) * lines->in_step;
      out_bytes += (int64_t)(lines->n - 1) * lines->out_step;
    }
    status = scan_plan_launch(plan->array->each, problem, lines->n, moved(in, in_bytes), moved(out, out_bytes), flags);
  }
  return status;
}

static scan_status launch(scan_plan *plan, const scan_problem *problem, scan_mem in, scan_mem out, uint32_t flags) {
  scan_ctx *ctx = plan->ctx;
  const scan_array_plan *a = plan->array;
  if (a->each != NULL) return launch_each(plan, problem, in, out, flags);
  const scan_kernel_args args = { .in = moved(in, a->lines.in_start),
                                  .out = moved(out, a->lines.out_start),
                                  .workspace = plan->workspace,
                                  .n = a->lines.n,
                                  .seed_bits = problem->seed_bits,
                                  .seed_more = problem->source != NULL ? problem->seed_more : NULL,
                                  .steps = problem->steps ? problem->step : NULL,
                                  .flags = flags | (problem->has_seed ? SCAN_KERNEL_SEED : 0u) |
                                           (problem->turned ? SCAN_KERNEL_TURNED : 0u) };
  return ctx->ops->launch(ctx->device, a->kernel, a->method.step.groups, a->method.step.items_per_group, &args,
                          &ctx->error);
}

/* ---- host memory ---- */

static char *host_bytes(scan_mem mem, const array_span *span) {
  return (char *)mem.handle + mem.offset_bytes + span->first;
}

/* Device memory for the bytes that one side spans, with a copy of them where it matters; `mem` is then its element 0.
 */
static scan_status stage(scan_ctx *ctx, scan_staging *staging, const array_span *span, int filled, scan_mem *mem) {
  const uint64_t bytes = (uint64_t)(span->end - span->first);
  const char *source = host_bytes(*mem, span);
  scan_status status = scan_staging_reserve(ctx, staging, bytes, mem);
  if (status == SCAN_SUCCESS && filled) status = ctx->ops->write(ctx->device, *mem, source, bytes, &ctx->error);
  if (status == SCAN_SUCCESS) mem->offset_bytes = (uint64_t)-span->first;
  return status;
}

static scan_status run_staged(scan_plan *plan, const scan_problem *problem, scan_mem in, scan_mem out, uint32_t flags) {
  scan_ctx *ctx = plan->ctx;
  const array_lines *lines = &plan->array->lines;
  const scan_mem host_out = out;
  const int reads_back = scan_mem_is_staged(ctx, out),
            has_gaps = !scan_array_is_dense(lines, scan_problem_output_bytes(problem));
  const int is_alone = scan_plans_are_checked(ctx);
  scan_status status = SCAN_SUCCESS;
  flags &= ~(uint32_t)SCAN_KERNEL_IN_PLACE; /* each side passes through memory of its own */
  if (scan_mem_is_staged(ctx, in)) status = stage(ctx, &ctx->in, &lines->in, 1, &in);
  if (status == SCAN_SUCCESS && reads_back) status = stage(ctx, &ctx->out, &lines->out, has_gaps, &out);
  if (status == SCAN_SUCCESS) status = launch(plan, problem, in, out, flags);
  if (status == SCAN_SUCCESS) status = wait_checked(ctx);
  if (status == SCAN_NO_PROGRESS && is_alone) { /* the scans of few long lines: the input is as it was */
    status = launch(plan, problem, in, out, flags);
    if (status == SCAN_SUCCESS) status = wait_checked(ctx);
    if (status == SCAN_SUCCESS) ctx->error.text[0] = '\0';
  }
  if (status != SCAN_SUCCESS || !reads_back) return status;
  out.offset_bytes += (uint64_t)lines->out.first;
  return ctx->ops->read(ctx->device, out, host_bytes(host_out, &lines->out),
                        (uint64_t)(lines->out.end - lines->out.first), &ctx->error);
}

static scan_status run_checked(scan_ctx *ctx, const scan_problem *problem, const scan_array *array,
                               const array_lines *lines, scan_mem in, scan_mem out) {
  uint32_t flags = 0;
  scan_plan *plan = NULL;
  scan_status status = scan_array_buffers_check(ctx, problem, array, lines, 1, &in, &out, &flags);
  if (status == SCAN_SUCCESS) status = plan_lookup(ctx, problem, array, lines, &plan);
  if (status != SCAN_SUCCESS || plan == NULL) return status;
  if (scan_mem_is_staged(ctx, in) || scan_mem_is_staged(ctx, out)) return run_staged(plan, problem, in, out, flags);
  return launch(plan, problem, in, out, flags);
}

scan_status scan_run_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, scan_mem in, scan_mem out) {
  scan_problem problem = { 0 };
  array_lines lines = { 0 };
  scan_array own = { 0 };
  scan_status status = scan_ctx_enter(ctx, "scan_run_array");
  if (status == SCAN_SUCCESS) status = check_all(ctx, spec, array, &own, &problem, &lines);
  if (status != SCAN_SUCCESS || lines.lines == 0) return status;
  return run_checked(ctx, &problem, &own, &lines, in, out);
}

scan_status scan_plan_run_array(scan_plan *plan, scan_mem in, scan_mem out) {
  uint32_t flags = 0;
  scan_status status = scan_plan_enter(plan, "scan_plan_run_array");
  if (status != SCAN_SUCCESS) return status;
  scan_ctx *ctx = plan->ctx;
  const scan_array_plan *a = plan->array;
  if (a == NULL) REFUSE("scan_plan_run_array: the plan was made by scan_plan_create; run it with scan_plan_run");
  if (a->lines.lines == 0) return SCAN_SUCCESS;
  status = scan_array_buffers_check(ctx, &plan->problem, &a->array, &a->lines, 0, &in, &out, &flags);
  return status == SCAN_SUCCESS ? launch(plan, &plan->problem, in, out, flags) : status;
}

scan_status scan_array_plan_run(scan_plan *plan, uint64_t n, const scan_args *args, const scan_opencl_events *events) {
  uint32_t flags = 0;
  scan_ctx *ctx = plan->ctx;
  scan_mem in = args->in, out = args->out;
  const scan_array_plan *a = plan->array;
  const uint64_t items = a->lines.lines * a->lines.n;
  if (n != items) REFUSE("n is %" PRIu64 ", but the plan's array has %" PRIu64 " elements", n, items);
  if (args->marks.kind != SCAN_MEM_NONE || args->carry_in.kind != SCAN_MEM_NONE ||
      args->carry_out.kind != SCAN_MEM_NONE)
    REFUSE("args->marks, carry_in and carry_out: scans of arrays take in and out alone");
  scan_status status = SCAN_SUCCESS;
  if (items > 0) status = scan_array_buffers_check(ctx, &plan->problem, &a->array, &a->lines, 0, &in, &out, &flags);
  if (status == SCAN_SUCCESS) status = scan_events_wait(ctx, events);
  if (status == SCAN_SUCCESS && items > 0) status = launch(plan, &plan->problem, in, out, flags);
  return status == SCAN_SUCCESS ? scan_events_leave(ctx, events) : status;
}
