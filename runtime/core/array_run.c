/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of arrays: from a checked description to a plan, and from the plan to launches. */
#include "core/array_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/structs.h"
#include "base/types.h"

enum { MOST_HIDDEN = 64 }; /* plans that scan_run_array keeps */

/* ---- plans ---- */

static scan_status make_kernel(scan_plan *plan, const scan_problem *problem, const array_method *method) {
  scan_ctx *ctx = plan->ctx;
  const scan_schedule schedule = { .subtiles = method->subtiles };
  scan_problem line = *problem;
  line.backward = method->backward;
  const scan_kernel_key key = scan_plan_kernel_key(&line, &schedule, &method->step, NULL);
  return ctx->ops->kernel_create(ctx->device, &key, &plan->array->kernel, &ctx->error);
}

/* The geometry goes to the device once, with the plan. */
static scan_status write_geometry(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  uint64_t words[ARRAY_WORDS];
  scan_array_words(&plan->array->lines, scan_problem_bytes(&plan->problem), words);
  plan->regions[SCAN_REGION_STRATEGY].bytes = sizeof words;
  scan_overflow_prepare(plan);
  SCAN_TRY(scan_regions_make(plan));
  return ctx->ops->write(ctx->device, plan->workspace, words, sizeof words, &ctx->error);
}

static scan_status make_each(scan_plan *plan, const scan_problem *problem) {
  scan_plan *each = NULL;
  scan_problem line = *problem;
  line.backward = plan->array->method.backward;
  SCAN_TRY(scan_plan_make(plan->ctx, &line, SCAN_STRATEGY_AUTO, plan->array->lines.n, &each));
  plan->array->each = each;
  return SCAN_SUCCESS;
}

static scan_status prepare(scan_plan *plan, const scan_problem *problem) {
  scan_ctx *ctx = plan->ctx;
  scan_array_plan *a = plan->array;
  if (a->lines.lines == 0) return SCAN_SUCCESS;
  const char *refusal = scan_array_choose(&ctx->caps, problem, &a->lines, &a->method);
  if (refusal != NULL) LACKING("%s (%s): %s", ctx->caps.info.selector, ctx->caps.info.name, refusal);
  if (a->method.way == ARRAY_EACH) return make_each(plan, problem);
  SCAN_TRY(make_kernel(plan, problem, &a->method));
  return write_geometry(plan);
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
  const scan_status status = scan_plans_wait(ctx);
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
  SCAN_TRY(drop_oldest(ctx));
  scan_plan *made = NULL;
  SCAN_TRY(plan_make(ctx, problem, array, lines, 1, &made));
  if (made == NULL) return SCAN_SUCCESS;
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
  status = scan_array_check(ctx, spec, array, NULL, &own, &problem, &lines);
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

/* `args` has the first line. */
static scan_status launch_each(scan_plan *plan, const scan_problem *problem, const scan_kernel_args *args,
                               uint32_t flags) {
  const array_lines *lines = &plan->array->lines;
  const int turned = plan->array->method.backward || problem->turned; /* begins where its memory does */
  const int64_t last = turned ? (int64_t)lines->n - 1 : 0;
  scan_problem own = *problem;
  scan_status status = SCAN_SUCCESS;
  own.segments.memory = args->heads;
  own.segments.count = problem->array_items;
  for (uint64_t line = 0; line < lines->lines && status == SCAN_SUCCESS; line++) {
    const array_place place = scan_array_place(lines->axis, lines->axes, line);
    own.step[2] = problem->step[2] + place.index;
    status = scan_plan_launch(plan->array->each, &own, lines->n, moved(args->in, place.in + last * lines->in_step),
                              moved(args->out, place.out + last * lines->out_step), flags);
  }
  return status;
}

static scan_status launch(scan_plan *plan, const scan_problem *problem, scan_mem in, scan_mem out, uint32_t flags) {
  scan_ctx *ctx = plan->ctx;
  const scan_array_plan *a = plan->array;
  scan_kernel_args args;
  scan_plan_args(plan, problem, a->lines.n, moved(in, a->lines.in_start), moved(out, a->lines.out_start), flags, &args);
  if (problem->segments.kind != SCAN_SEGMENTS_NONE) {
    SCAN_TRY(scan_segments_ready(plan, &problem->segments, problem->array_items, moved(out, a->lines.out.first),
                                 (uint64_t)(a->lines.out.end - a->lines.out.first), &args));
  }
  if (a->each != NULL) return launch_each(plan, problem, &args, flags);
  if (problem->steps) args.steps = problem->step;
  if (problem->turned) args.flags |= SCAN_KERNEL_TURNED;
  plan->overflow_unread = (int)problem->checks;
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
  if (status == SCAN_SUCCESS) status = scan_plans_wait(ctx);
  if (status == SCAN_NO_PROGRESS && is_alone) { /* the scans of few long lines: the input is as it was */
    status = launch(plan, problem, in, out, flags);
    if (status == SCAN_SUCCESS) status = scan_plans_wait(ctx);
    if (status == SCAN_SUCCESS) ctx->error.text[0] = '\0';
  }
  if ((status != SCAN_SUCCESS && status != SCAN_OVERFLOW) || !reads_back) return status;
  const scan_status copied =
      ctx->ops->read(ctx->device, moved(out, lines->out.first), host_bytes(host_out, &lines->out),
                     (uint64_t)(lines->out.end - lines->out.first), &ctx->error);
  return copied != SCAN_SUCCESS ? copied : status;
}

static scan_status run_checked(scan_ctx *ctx, const scan_problem *problem, const scan_array *array,
                               const array_lines *lines, scan_mem in, scan_mem out, const scan_opencl_events *events) {
  uint32_t flags = 0;
  scan_plan *plan = NULL;
  const int waits = in.kind == SCAN_MEM_HOST || out.kind == SCAN_MEM_HOST; /* on the host backend, too */
  scan_status status = scan_array_buffers_check(ctx, problem, array, lines, 1, &in, &out, &flags);
  if (status == SCAN_SUCCESS) status = plan_lookup(ctx, problem, array, lines, &plan);
  if (status == SCAN_SUCCESS) status = scan_events_wait(ctx, events);
  if (status != SCAN_SUCCESS || plan == NULL) return status;
  if (scan_mem_is_staged(ctx, in) || scan_mem_is_staged(ctx, out)) return run_staged(plan, problem, in, out, flags);
  status = launch(plan, problem, in, out, flags);
  return status == SCAN_SUCCESS && problem->checks && waits ? scan_plans_check(ctx) : status;
}

static scan_status run_args(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, const scan_args *args) {
  scan_problem problem = { 0 };
  array_lines lines = { 0 };
  scan_array own = { 0 };
  scan_opencl_events events;
  SCAN_TRY(scan_array_check(ctx, spec, array, args, &own, &problem, &lines));
  SCAN_TRY(scan_events_take(ctx, args->opencl, &events));
  if (lines.lines == 0) SCAN_TRY(scan_events_wait(ctx, &events));
  if (lines.lines > 0) SCAN_TRY(run_checked(ctx, &problem, &own, &lines, args->in, args->out, &events));
  return scan_events_leave(ctx, &events);
}

scan_status scan_run_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, scan_mem in, scan_mem out) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_array"));
  return run_args(ctx, spec, array, &(scan_args)SCAN_ARGS_INIT(in, out));
}

scan_status scan_run_array_args(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, const scan_args *args) {
  scan_args own = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_run_array_args"));
  SCAN_TRY(scan_args_copy(ctx, args, &own));
  return run_args(ctx, spec, array, &own);
}

scan_status scan_plan_run_array(scan_plan *plan, scan_mem in, scan_mem out) {
  scan_opencl_events none;
  scan_status status = scan_plan_enter(plan, "scan_plan_run_array");
  if (status != SCAN_SUCCESS) return status;
  scan_ctx *ctx = plan->ctx;
  const scan_array_plan *a = plan->array;
  if (a == NULL) REFUSE("scan_plan_run_array: the plan was made by scan_plan_create; run it with scan_plan_run");
  status = scan_events_take(ctx, NULL, &none);
  if (status != SCAN_SUCCESS) return status;
  return scan_array_plan_run(plan, a->lines.lines * a->lines.n, &(scan_args)SCAN_ARGS_INIT(in, out), &none);
}

scan_status scan_array_plan_run(scan_plan *plan, uint64_t n, const scan_args *args, const scan_opencl_events *events) {
  uint32_t flags = 0;
  scan_ctx *ctx = plan->ctx;
  scan_mem in = args->in, out = args->out;
  const scan_array_plan *a = plan->array;
  const uint64_t items = a->lines.lines * a->lines.n;
  if (n != items) REFUSE("n is %" PRIu64 ", but the plan's array has %" PRIu64 " elements", n, items);
  scan_problem problem = plan->problem;
  SCAN_TRY(scan_array_args_take(ctx, items, args, &problem));
  if (items > 0) SCAN_TRY(scan_array_buffers_check(ctx, &plan->problem, &a->array, &a->lines, 0, &in, &out, &flags));
  SCAN_TRY(scan_events_wait(ctx, events));
  if (items > 0) SCAN_TRY(launch(plan, &problem, in, out, flags));
  return scan_events_leave(ctx, events);
}
