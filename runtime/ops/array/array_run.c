/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of arrays: from a checked form to a plan, and from the plan to launches. */
#include "ops/array/array_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/canonical.h"
#include "core/regions.h"
#include "core/launch.h"
#include "core/progress.h"
#include "core/overflow.h"
#include "base/types.h"
#include "device/control.h"
#include "ops/scan/carry.h"
#include "ops/scan/scan_plan.h"
#include "ops/scan/segments.h"
#include "ops/scan/validate.h"

enum { MOST_HIDDEN = 64 }; /* plans that scan_run_array keeps */

static scan_status plan_make(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                             scan_plan **result);

static scan_mem moved(scan_mem mem, int64_t bytes) {
  mem.offset_bytes += (uint64_t)bytes;
  return mem;
}

/* ---- totals of empty lines ---- */

/* Writes the value of a total of no elements to the plan's workspace. */
static scan_status write_fill(scan_plan *plan, const scan_problem *problem) {
  scan_ctx *ctx = plan->ctx;
  uint8_t value[SCAN_CARRY_SLOT_BYTES] = { 0 };
  scan_seed_output(problem, problem->seed, value);
  return ctx->ops->write(ctx->device, scan_region_of(plan, SCAN_REGION_SEED), value, sizeof value, &ctx->error);
}

/* The bytes that a launch copies to each output: the largest type that the outputs' size and alignment allow. */
static scan_type fill_type(const scan_problem *problem) {
  const uint64_t both = scan_problem_output_bytes(problem) | scan_problem_output_align(problem);
  return both % 8 == 0 ? SCAN_U64 : both % 4 == 0 ? SCAN_U32 : both % 2 == 0 ? SCAN_U16 : SCAN_U8;
}

/* Makes the inner plan, which copies a part of the value: the scan of lines of one element, the same in all lines. */
static scan_status fill_prepare(scan_plan *plan) {
  const scan_array_form *form = scan_array_form_of(plan);
  const scan_type type = fill_type(&plan->problem);
  scan_problem copy = { .input_type = type, .type = type, .op = SCAN_MAX, .kind = SCAN_INCLUSIVE };
  scan_array_form one = { .lines = form->lines };
  array_lines *lines = &one.lines;
  lines->n = 1;
  lines->is_total = 0;
  lines->in_step = lines->out_step = (int64_t)scan_type_bytes(type);
  for (uint64_t a = 0; a < lines->axes; a++) lines->axis[a].in_stride = 0;
  lines->in_start = 0;
  plan->regions[SCAN_REGION_SEED].bytes = SCAN_CARRY_SLOT_BYTES;
  SCAN_TRY(scan_regions_make(plan));
  if (!scan_array_has_kernels(&plan->ctx->caps, &copy)) SCAN_TRY(scan_problem_use_source(plan->ctx, &copy));
  scan_array_set_steps(&one, 0, &copy);
  SCAN_TRY(plan_make(plan->ctx, &copy, &one, &plan->inner));
  return write_fill(plan, &plan->problem);
}

/* Copies the value to the outputs. A hidden plan serves totals of any initial value. */
static scan_status fill_launch(scan_plan *plan, const scan_operands *array) {
  const uint64_t bytes = scan_type_bytes(fill_type(&plan->problem)), all = scan_problem_output_bytes(&plan->problem);
  scan_problem copy = plan->inner->problem;
  if (plan->hidden) SCAN_TRY(write_fill(plan, array->problem));
  for (uint64_t at = 0; at < all; at += bytes) {
    const scan_operands part = { .problem = &copy,
                                 .in = moved(scan_region_of(plan, SCAN_REGION_SEED), (int64_t)at),
                                 .out = moved(array->out, (int64_t)at) };
    SCAN_TRY(scan_array_launch(plan->inner, &part, 0));
  }
  return SCAN_SUCCESS;
}

/* ---- plans ---- */

static int list_launches(const scan_plan *plan, uint64_t n, uint32_t variant, scan_launch *launches) {
  const array_method *method = &scan_array_form_of(plan)->method;
  (void)n, (void)variant;
  launches[0] = (scan_launch){ .launch = method->step, .array = SCAN_NO_ARRAY, .subtiles = method->subtiles };
  return 1;
}

static scan_kernel_key launch_key(const scan_plan *plan, const scan_launch *launch) {
  scan_kernel_key key = scan_plan_launch_key(plan, launch);
  key.backward = scan_array_form_of(plan)->method.backward;
  return key;
}

/* Writes the array's geometry to the workspace, once for all runs of the plan. */
static scan_status write_geometry(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  uint64_t words[ARRAY_WORDS];
  const scan_array_form *form = scan_array_form_of(plan);
  if (form->method.variant == ARRAY_FILL) return write_fill(plan, &plan->problem);
  if (plan->inner != NULL) return SCAN_SUCCESS;
  scan_array_words(&form->lines, scan_problem_bytes(&plan->problem), form->method.sharers, words);
  return ctx->ops->write(ctx->device, plan->workspace, words, sizeof words, &ctx->error);
}

static scan_status array_prepare(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  scan_array_form *form = plan->own;
  scan_problem line = plan->problem;
  if (form->lines.lines == 0) return SCAN_SUCCESS;
  const char *refusal = scan_array_choose(&ctx->caps, &line, &form->lines, &form->method);
  if (refusal != NULL) FAIL_UNSUPPORTED("%s (%s): %s", ctx->caps.info.selector, ctx->caps.info.name, refusal);
  if (form->method.variant == ARRAY_FILL) return fill_prepare(plan);
  line.backward = form->method.backward;
  if (form->method.variant == ARRAY_INNER)
    return scan_plan_make(ctx, &line, SCAN_STRATEGY_AUTO, form->lines.n, &plan->inner);
  scan_wanted wanted = { .count = 0 };
  SCAN_TRY(scan_plan_want(plan, form->lines.n, 0, &wanted));
  SCAN_TRY(scan_plan_create_kernels(plan, &wanted));
  plan->regions[SCAN_REGION_STRATEGY].bytes = ARRAY_WORDS * sizeof(uint64_t);
  scan_overflow_prepare(plan);
  SCAN_TRY(scan_regions_make(plan));
  return write_geometry(plan);
}

static void array_describe(const scan_plan *plan, scan_plan_facts *facts) {
  const scan_array_form *form = plan->own;
  const uint64_t lines = form->lines.lines, n = form->lines.n, bytes = scan_problem_bytes(&plan->problem);
  if (plan->inner != NULL && scan_plan_info(plan->inner, facts) == SCAN_SUCCESS) {
    const uint64_t runs = form->method.variant == ARRAY_INNER ? lines : 1;
    facts->launches *= (uint32_t)runs;
    facts->tiles *= runs;
    facts->work *= runs;
  } else {
    const scan_cost cost = scan_cost_canonical(&plan->problem, n ? n : 1, 0, 1);
    *facts = (scan_plan_facts){ .struct_bytes = sizeof *facts,
                                .strategy = SCAN_STRATEGY_AUTO,
                                .max_n = n,
                                .tile_items = canon_tile_items(n ? n : 1, bytes),
                                .tiles = lines * canon_tiles(n, bytes),
                                .workspace_bytes = plan->workspace_bytes,
                                .launches = lines != 0,
                                .groups = form->method.step.groups,
                                .items_per_group = form->method.step.items_per_group,
                                .work = lines * cost.work,
                                .span = lines ? cost.span : 0 };
  }
  snprintf(facts->reason, sizeof facts->reason, "%s", lines ? form->method.reason : "the array has no elements");
}

static const scan_plan_ops array_plan_ops = { .kind = SCAN_DOES_ARRAY,
                                              .list = list_launches,
                                              .key = launch_key,
                                              .describe = array_describe,
                                              .write_constants = write_geometry };

static scan_status plan_make(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                             scan_plan **result) {
  scan_plan *plan;
  SCAN_TRY(scan_plan_start(ctx, &array_plan_ops, sizeof *form, problem, form->lines.n, &plan));
  plan->needs_args = 1;
  *(scan_array_form *)plan->own = *form;
  return scan_plan_finish(plan, array_prepare(plan), result);
}

/* Evicts the oldest hidden plan of an array if there are MOST_HIDDEN, after reporting its pending errors. */
static scan_status drop_oldest(scan_ctx *ctx) {
  scan_plan *oldest = NULL;
  int count = 0;
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) {
    if (!plan->hidden || plan->ops->kind != SCAN_DOES_ARRAY) continue;
    oldest = plan;
    count++;
  }
  if (count < MOST_HIDDEN) return SCAN_SUCCESS;
  SCAN_TRY(scan_plans_wait(ctx));
  scan_plan_destroy(oldest);
  return SCAN_SUCCESS;
}

scan_status scan_array_lookup(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                              scan_plan **result) {
  scan_key key;
  scan_problem_key(problem, SCAN_STRATEGY_AUTO, &key);
  scan_key_add(&key, &form->lines, sizeof form->lines);
  *result = scan_plan_find(ctx, &key, form->lines.n);
  if (*result != NULL) return SCAN_SUCCESS;
  SCAN_TRY(drop_oldest(ctx));
  SCAN_TRY(plan_make(ctx, problem, form, result));
  scan_plan_hide(*result, &key);
  return SCAN_SUCCESS;
}

scan_status scan_plan_create_array(scan_ctx *ctx, const scan_spec *spec, const scan_array *array, scan_plan **plan) {
  scan_problem problem;
  scan_array_form form = { 0 };
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create_array"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create_array: plan is NULL");
  SCAN_TRY(scan_array_check(ctx, spec, array, NULL, &form, &problem));
  return plan_make(ctx, &problem, &form, plan);
}

/* ---- launches ---- */

/* Scans the lines one after another with the inner plan. `args` has the memory of the first line. */
static scan_status launch_inner(scan_plan *plan, const scan_problem *problem, const scan_kernel_args *args,
                                int in_place) {
  const array_lines *lines = &scan_array_form_of(plan)->lines;
  const int reversed =
      scan_array_form_of(plan)->method.backward || problem->reversed; /* takes the first byte in memory */
  const int64_t last = reversed ? (int64_t)lines->n - 1 : 0;
  scan_problem own = *problem;
  own.segments.memory = args->segment_flags;
  own.segments.count = problem->array_items;
  for (uint64_t line = 0; line < lines->lines; line++) {
    const array_place place = scan_array_place(lines->axis, lines->axes, line);
    const scan_operands operands = { .problem = &own,
                                     .in = moved(args->in, place.in + last * lines->in_step),
                                     .out = moved(args->out, place.out + last * lines->out_step),
                                     .n = lines->n };
    own.step[2] = problem->step[2] + place.index;
    SCAN_TRY(scan_plan_launch(plan->inner, &operands, in_place));
  }
  return SCAN_SUCCESS;
}

scan_status scan_array_launch(scan_plan *plan, const scan_operands *array, int in_place) {
  scan_problem *problem = array->problem;
  const array_lines *lines = &scan_array_form_of(plan)->lines;
  const scan_operands line = { .problem = problem,
                               .in = moved(array->in, lines->in_start),
                               .out = moved(array->out, lines->out_start),
                               .n = lines->n };
  scan_kernel_args args;
  if (scan_array_form_of(plan)->method.variant == ARRAY_FILL) return fill_launch(plan, array);
  scan_plan_args(plan, &line, in_place, &args);
  if (lines->is_total) args.flags |= SCAN_KERNEL_TOTAL;
  if (problem->segments.kind != SCAN_SEGMENTS_NONE) scan_segments_bind(plan, &problem->segments, &args);
  if (plan->inner != NULL) return launch_inner(plan, problem, &args, in_place);
  if (problem->reversed) scan_overflow_begin(plan, lines->n);
  plan->overflow_unread = (int)problem->checks;
  SCAN_TRY(scan_plan_find_launches(plan, lines->n, 0));
  SCAN_TRY(scan_plan_step(plan, &plan->launches->of[0].launch, plan->launches->kernels[0], &args));
  scan_plan_note_recording(plan);
  return SCAN_SUCCESS;
}
