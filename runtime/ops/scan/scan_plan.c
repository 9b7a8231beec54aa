/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of scans: schedules, kernels and launches. */
#include "ops/scan/scan_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/structs.h"
#include "base/types.h"
#include "core/launch.h"
#include "core/buffers.h"
#include "core/n_from.h"
#include "core/overflow.h"
#include "core/regions.h"
#include "ops/scan/carry.h"
#include "ops/scan/quick_plan.h"
#include "ops/scan/segmented_reduce.h"
#include "ops/scan/segments.h"
#include "ops/scan/validate.h"

static const scan_strategy_ops *strategy_for(const scan_plan *plan, const scan_problem *problem, uint64_t n,
                                             const char **reason) {
  *reason = "forced by the caller";
  if (plan->forced != SCAN_STRATEGY_AUTO) return scan_strategy_get(plan->forced);
  return scan_strategy_choose(&plan->caps, problem, n, reason);
}

static void make_schedule(const scan_plan *plan, const scan_problem *problem, uint64_t n, scan_schedule *schedule) {
  const char *reason;
  strategy_for(plan, problem, n, &reason)->schedule(&plan->caps, problem, n, schedule);
  scan_carry_schedule(problem, schedule);
  scan_segments_schedule(plan, n, schedule);
}

/* The variant of a scan's launches is its placement: a bit a field, and the rest for segment_groups. */
static inline uint32_t variant_of(const scan_placement *p) {
  return p->misaligned | p->marks_misaligned << 1 | p->in_place << 2 | p->carry_is_shared << 3 | p->segment_groups << 4;
}

static scan_placement placement_of(uint32_t variant) {
  return (scan_placement){ .misaligned = variant & 1,
                           .marks_misaligned = variant >> 1 & 1,
                           .in_place = variant >> 2 & 1,
                           .carry_is_shared = variant >> 3 & 1,
                           .segment_groups = variant >> 4 };
}

static int list_launches(const scan_plan *plan, uint64_t n, uint32_t variant, scan_launch *launches) {
  const char *reason;
  scan_problem problem = plan->problem;
  scan_schedule schedule;
  problem.placement = placement_of(variant);
  const scan_strategy_ops *strategy = strategy_for(plan, &problem, n, &reason);
  make_schedule(plan, &problem, n, &schedule);
  for (int i = 0; i < schedule.step_count; i++)
    launches[i] =
        (scan_launch){ .launch = schedule.steps[i],
                       .primitive = strategy->primitive,
                       .group_items = schedule.group_items,
                       .array = SCAN_NO_ARRAY,
                       .subtiles = schedule.steps[i].builds_segment_bits ? 1 : schedule.subtiles,
                       .spin_limit = problem.placement.in_place ? schedule.spin_limit_in_place : schedule.spin_limit,
                       .copies_carry = schedule.copies_carry };
  return schedule.step_count;
}

/* The type of segment keys that a kernel is built for. Signed and unsigned keys of one size share a kernel. */
static scan_type key_type_for_kernel(const scan_marks *segments) {
  if (scan_segments_in_kernel(segments) != SCAN_SEGMENTS_KEYS) return SCAN_TYPE_DEFAULT;
  return scan_type_for_kernel(segments->key_type, SCAN_ADD);
}

/* The build key of the kernel that turns marks into bits. */
static scan_kernel_key marks_key(const scan_marks *segments, const scan_step *step) {
  const scan_type given = segments->kind == SCAN_SEGMENTS_FLAGS ? SCAN_U8 : segments->key_type;
  const scan_type type = scan_type_for_kernel(given, SCAN_ADD);
  return (scan_kernel_key){ .file = step->file,
                            .kernel = step->kernel,
                            .arguments = step->arguments,
                            .input_type = type,
                            .type = type,
                            .op = SCAN_ADD,
                            .subtiles = 1,
                            .primitive = "segment_bits" };
}

scan_kernel_key scan_plan_launch_key(const scan_plan *plan, const scan_launch *launch) {
  const scan_problem *problem = &plan->problem;
  const scan_step *step = &launch->launch;
  if (step->builds_segment_bits) return marks_key(&problem->segments, step);
  const scan_type type = problem->source != NULL ? SCAN_TYPE_DEFAULT : scan_type_for_kernel(problem->type, problem->op);
  scan_kernel_key key = { .file = step->file,
                          .kernel = step->kernel,
                          .arguments = step->arguments,
                          .source = problem->source,
                          .key_type = key_type_for_kernel(&problem->segments),
                          .subtiles = launch->subtiles,
                          .primitive = launch->primitive,
                          .is_quick = plan->is_quick };
  if (plan->is_quick) key.file = "rolled.cl";
  key.input_type = problem->input_type == problem->type ? type : problem->input_type;
  key.type = type;
  key.op = problem->op;
  key.backward = launch->primitive == NULL && problem->backward;
  key.checks = problem->checks;
  key.steps = problem->steps;
  key.reads_n = problem->reads_n;
  key.segments = scan_segments_in_kernel(&problem->segments);
  key.flags_known = step->flags_known;
  key.flags = step->flags_known & (scan_problem_flags(problem) | (problem->reversed ? SCAN_KERNEL_REVERSED : 0u));
  key.local_bytes = step->local_bytes;
  key.group_items = launch->group_items;
  return key;
}

/* Adds the kernels and the workspace that a scan of n elements needs. */
static scan_status want_scan(scan_plan *plan, const scan_problem *problem, uint64_t n, scan_wanted *wanted) {
  const char *reason;
  const scan_strategy_ops *strategy = strategy_for(plan, problem, n, &reason);
  const char *name = scan_strategy_name(strategy->id);
  if (n > strategy->limit(&plan->caps, &plan->problem))
    return scan_fail(&plan->ctx->error, SCAN_UNSUPPORTED,
                     "%s%s: %s ends loops silently after %u iterations, which allows n up to %" PRIu64
                     " here, not %" PRIu64,
                     name ? "strategy " : "this operation", name ? name : "", plan->caps.info.name,
                     plan->caps.loop_limit, strategy->limit(&plan->caps, &plan->problem), n);
  const uint64_t bytes = strategy->workspace_bytes(&plan->problem, plan->max_n);
  scan_region *own = &plan->regions[SCAN_REGION_STRATEGY];
  if (bytes > own->bytes) own->bytes = bytes;
  if (strategy->has_control_block) plan->has_control_block = 1;
  return scan_plan_want(plan, n, variant_of(&problem->placement), wanted);
}

/* Collects the kernels for every n up to max_n. Strategy and tile size change only at the n of `samples`; look-back
 * gives way to pipelined between the last two, earlier if buffers are misaligned. */
static scan_status want_all(scan_plan *plan, scan_wanted *wanted) {
  const uint64_t bytes = scan_problem_bytes(&plan->problem), subtile_items = canon_subtile_items(bytes);
  const int reduces = plan->forced == SCAN_STRATEGY_SEGMENTED_REDUCE;
  const uint64_t samples[] = { 1,
                               subtile_items + 1,
                               4 * subtile_items + 1,
                               canon_small_items(bytes) + 1,
                               plan->caps.tuning.one_group_items + 1,
                               canon_large_items(bytes) + 1,
                               reduces ? scan_segments_most_ranged(&plan->problem) : 0,
                               plan->max_n };
  scan_problem problem = plan->problem;
  int has_groups = reduces && scan_segments_are_direct(&plan->caps, &problem);
  if (plan->forced == SCAN_STRATEGY_MARKED_REDUCE) has_groups = scan_marked_is_alone(&plan->caps, 1);
  wanted->count = 0;
  for (uint32_t placement = 0; placement < (has_groups ? 8u : 4u); placement++)
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
      problem.placement.misaligned = placement & 1;
      problem.placement.in_place = placement >> 1 & 1;
      problem.placement.segment_groups = placement >> 2;
      if (samples[i] > 0 && samples[i] <= plan->max_n) SCAN_TRY(want_scan(plan, &problem, samples[i], wanted));
    }
  return SCAN_SUCCESS;
}

/* ---- what was compiled in advance ---- */

/* A variant of a plan with the same results, for use if only the variant's kernels were compiled in advance.
 * marks_as_bits: 1: a launch before the scan turns marks into bits; avoids: strategies that AUTO passes over. */
typedef struct plan_variant {
  uint32_t marks_as_bits, avoids;
} plan_variant;

static scan_status want_variant(scan_plan *plan, const plan_variant *form, scan_wanted *wanted) {
  plan->problem.segments.as_bits = form->marks_as_bits;
  plan->caps.avoids = form->avoids;
  plan->regions[SCAN_REGION_STRATEGY].bytes = 0;
  plan->has_control_block = 0;
  return want_all(plan, wanted);
}

static int are_compiled(const scan_plan *plan, const scan_wanted *wanted) {
  for (int i = 0; i < wanted->count; i++)
    if (!plan->ctx->ops->is_compiled(plan->ctx->device, &wanted->keys[i])) return 0;
  return 1;
}

/* 1 if the plan can take the variant. Lines of arrays cannot turn marks into bits: marks.cl compares neighbouring keys,
 * not keys a step apart. */
static int variant_fits(const scan_plan *plan, const plan_variant *form) {
  const scan_problem *problem = &plan->problem;
  const int has_marks = problem->segments.kind == SCAN_SEGMENTS_FLAGS || problem->segments.kind == SCAN_SEGMENTS_KEYS;
  if (form->marks_as_bits && (!has_marks || problem->array_items != 0)) return 0;
  return form->avoids == 0 || plan->forced == SCAN_STRATEGY_AUTO;
}

/* 1 if the variant costs more in the long run than compiling the plain kernels once: it needs another pass over the
 * marks, or look-back although the plan is large enough for the pipelined scan. */
static int variant_is_slow(const scan_plan *plan, const plan_variant *form) {
  const char *reason;
  scan_caps plain = plan->caps;
  plain.avoids = 0;
  const int is_large =
      scan_strategy_choose(&plain, &plan->problem, plan->max_n, &reason)->id == SCAN_STRATEGY_PIPELINED;
  return form->marks_as_bits || (form->avoids & SCAN_AVOID_PIPELINED && is_large);
}

/* Collects the kernels of the first variant that is compiled, and not slow unless there is no compiler. If there is
 * none, collects those of the plain variant. */
static scan_status want_compiled(scan_plan *plan, scan_wanted *wanted) {
  static const plan_variant forms[] = { { 0, 0 },
                                        { 1, 0 },
                                        { 0, SCAN_AVOID_BLOCK },
                                        { 1, SCAN_AVOID_BLOCK },
                                        { 0, SCAN_AVOID_BLOCK | SCAN_AVOID_PIPELINED },
                                        { 1, SCAN_AVOID_BLOCK | SCAN_AVOID_PIPELINED } };
  const scan_backend_ops *ops = plan->ctx->ops;
  SCAN_TRY(want_variant(plan, &forms[0], wanted));
  if (ops->is_compiled == NULL || !scan_source_is_known(plan->problem.source) || are_compiled(plan, wanted))
    return SCAN_SUCCESS;
  for (size_t i = 1; i < sizeof forms / sizeof forms[0]; i++) {
    if (!variant_fits(plan, &forms[i])) continue;
    SCAN_TRY(want_variant(plan, &forms[i], wanted));
    if (!are_compiled(plan, wanted)) continue;
    if (!variant_is_slow(plan, &forms[i]) || !ops->has_compiler()) return SCAN_SUCCESS;
  }
  return want_variant(plan, &forms[0], wanted);
}

/* Begins with the kernels that compile fastest; those in `wanted` follow, first without the pipelined scan's. */
static scan_status begin_quick(scan_plan *plan, uint64_t n, const scan_wanted *wanted) {
  scan_quick *quick = calloc(1, sizeof *quick);
  if (quick == NULL) return scan_fail(&plan->ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a plan");
  const uint32_t avoids = plan->caps.avoids;
  scan_quick_stage *stage = quick->stages;
  plan->caps.avoids = stage->avoids = avoids | SCAN_AVOID_PIPELINED;
  const scan_status status = want_all(plan, &stage->wanted);
  if (status != SCAN_SUCCESS) {
    free(quick);
    return status;
  }
  if (!scan_quick_is_same(&stage->wanted, wanted)) stage++;
  *stage = (scan_quick_stage){ .avoids = avoids, .wanted = *wanted };
  quick->count = (int)(stage - quick->stages) + 1;
  return scan_quick_begin(plan, quick, n);
}

/* Creates the kernels. quick_n: elements of a hidden plan's first scan, which is to be answered soon; 0: none. */
static scan_status create_kernels(scan_plan *plan, uint64_t quick_n) {
  scan_wanted wanted = { .count = 0 };
  SCAN_TRY(want_compiled(plan, &wanted));
  if (quick_n > 0 && scan_quick_pays(plan, &wanted)) return begin_quick(plan, quick_n, &wanted);
  return scan_plan_create_kernels(plan, &wanted);
}

static void plan_describe(const scan_plan *plan, scan_plan_facts *info) {
  const char *reason;
  const uint64_t retired_bytes = plan->fallback ? plan->workspace_bytes : 0;
  if (plan->fallback != NULL) plan = plan->fallback;
  const uint64_t n = plan->max_n ? plan->max_n : 1;
  const scan_strategy_ops *strategy = strategy_for(plan, &plan->problem, n, &reason);
  scan_schedule schedule;
  make_schedule(plan, &plan->problem, n, &schedule);
  const scan_cost cost = strategy->cost(&plan->caps, &plan->problem, n);
  *info = (scan_plan_facts){ .struct_bytes = sizeof *info,
                             .strategy = scan_strategy_name(strategy->id) ? strategy->id : SCAN_STRATEGY_AUTO,
                             .max_n = plan->max_n,
                             .tile_items = schedule.tile_items,
                             .tiles = schedule.tiles,
                             .workspace_bytes = plan->workspace_bytes + retired_bytes,
                             .work = cost.work,
                             .span = cost.span };
  snprintf(info->reason, sizeof info->reason, "%s", reason);
  for (int i = 0; i < schedule.step_count; i++) {
    const scan_step *step = &schedule.steps[i];
    if (step->kind != SCAN_STEP_LAUNCH) continue;
    info->launches++;
    if (step->builds_segment_bits) continue;
    if (step->groups > info->groups) info->groups = step->groups;
    info->items_per_group = step->items_per_group;
  }
}

static scan_status make_fallback(const scan_plan *plan, scan_plan **fallback) {
  return scan_plan_make(plan->ctx, &plan->problem, SCAN_STRATEGY_AUTO, plan->max_n, fallback);
}

static const scan_plan_ops scan_ops = { .kind = SCAN_DOES_SCAN,
                                        .list = list_launches,
                                        .key = scan_plan_launch_key,
                                        .describe = plan_describe,
                                        .write_constants = scan_carry_finish_plan,
                                        .make_fallback = make_fallback };

static scan_status plan_complete(scan_plan *plan, uint64_t quick_n) {
  if (plan->max_n > 0) SCAN_TRY(create_kernels(plan, quick_n));
  scan_carry_prepare(plan);
  scan_segments_prepare(plan);
  if (plan->forced == SCAN_STRATEGY_SEGMENTED_REDUCE) scan_segmented_reduce_prepare(plan);
  scan_overflow_prepare(plan);
  if (plan->problem.reads_n) plan->regions[SCAN_REGION_N_OVERFLOW].bytes = SCAN_N_OVERFLOW_BYTES;
  SCAN_TRY(scan_regions_make(plan));
  return scan_carry_finish_plan(plan);
}

scan_status scan_plan_make_hidden(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t max_n,
                                  uint64_t quick_n, scan_plan **result) {
  scan_plan *plan;
  SCAN_TRY(scan_plan_start(ctx, &scan_ops, 0, problem, max_n, &plan));
  plan->needs_args = problem->segments.kind != SCAN_SEGMENTS_NONE || problem->reads_n ||
                     scan_source_has_members(problem->source) ||
                     (problem->kind == SCAN_EXCLUSIVE && problem->source != NULL && !scan_problem_has_seed(problem));
  plan->forced = strategy;
  plan->tile_capacity = (uint32_t)canon_tile_capacity(max_n, scan_problem_bytes(problem));
  return scan_plan_finish(plan, plan_complete(plan, quick_n), result);
}

scan_status scan_plan_make(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t max_n,
                           scan_plan **result) {
  return scan_plan_make_hidden(ctx, problem, strategy, max_n, 0, result);
}

/* Sets fields one by one: the assignment of a whole struct would clear it first, in a quarter of the time of a short
 * scan on the host. */
void scan_plan_args(const scan_plan *plan, const scan_operands *o, int in_place, scan_kernel_args *args) {
  const scan_mem none = SCAN_NO_MEM;
  const scan_problem *problem = o->problem;
  args->in = o->in;
  args->out = o->out;
  args->workspace = plan->workspace;
  args->n = o->n;
  args->seed_bits = problem->seed[0];
  args->tile_capacity = plan->tile_capacity;
  args->flags = scan_problem_flags(problem) | (in_place ? SCAN_KERNEL_IN_PLACE : 0u) |
                (plan->problem.backward || problem->reversed ? SCAN_KERNEL_REVERSED : 0u);
  args->spin_limit = 1;
  args->carry = none;
  args->carry_out = none;
  args->seed_more = problem->source != NULL ? problem->seed + 1 : NULL;
  args->segment_flags = none;
  args->checks = scan_region_of(plan, SCAN_REGION_CHECKS);
  args->steps = problem->steps ? problem->step : NULL;
  args->origin = problem->origin;
  if (!scan_source_has_members(problem->source)) return;
  memcpy(args->more_in, problem->more_in, sizeof args->more_in);
  memcpy(args->more_out, problem->more_out, sizeof args->more_out);
}

/* Moves the arguments of a backward scan from the memory's first element to the scan's first element. The one output of
 * a total stays. */
static void reverse_arguments(const scan_problem *problem, uint64_t n, scan_kernel_args *args) {
  args->in.offset_bytes -= (n - 1) * (uint64_t)problem->step[0] * scan_problem_input_bytes(problem);
  if (problem->kind != SCAN_TOTAL)
    args->out.offset_bytes -= (n - 1) * (uint64_t)problem->step[1] * scan_problem_output_bytes(problem);
}

/* Passes n_from to the kernels. On the host the number is read here: launches are synchronous. */
static scan_status bind_n_from(scan_plan *plan, const scan_problem *problem, scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  uint64_t found;
  if (ctx->ops->id != SCAN_BACKEND_HOST) {
    args->n_from = problem->n_from;
    args->n_overflow = scan_n_overflow_of(plan, problem->clamps);
    args->flags |= scan_problem_has_start(problem) ? SCAN_KERNEL_STARTS : 0u;
    plan->names_n |= !problem->clamps;
    return SCAN_SUCCESS;
  }
  SCAN_TRY(scan_number_read(ctx, problem->n_from, &found));
  if (found > args->n && !problem->clamps) scan_n_from_note(plan, found);
  if (found < args->n) args->n = found;
  return SCAN_SUCCESS;
}

scan_status scan_plan_launch(scan_plan *plan, const scan_operands *o, int in_place) {
  const scan_problem *problem = o->problem;
  if (plan->fallback != NULL) plan = plan->fallback;
  scan_placement placement = { .misaligned = !scan_mem_aligned(o->in, 16) || !scan_mem_aligned(o->out, 16),
                               .marks_misaligned =
                                   !plan->problem.segments.as_bits && scan_segments_misaligned(&problem->segments),
                               .in_place = in_place != 0 };
  scan_kernel_args args;
  scan_plan_args(plan, o, in_place, &args);
  if (problem->segments.kind != SCAN_SEGMENTS_NONE) scan_segments_bind(plan, &problem->segments, &args);
  if (plan->forced == SCAN_STRATEGY_SEGMENTED_REDUCE) {
    scan_segmented_reduce_bind(plan, problem, &args);
    placement.segment_groups = scan_segments_groups(&plan->caps, problem, o->n);
  }
  if (plan->forced == SCAN_STRATEGY_MARKED_REDUCE) {
    scan_marked_reduce_bind(plan, problem, &args);
    placement.segment_groups = problem->alone != NULL;
  }
  if (scan_carry_has_places(problem)) scan_carry_begin(plan, problem, &args, &placement);
  if (plan->quick != NULL || plan->is_quick) SCAN_TRY(scan_quick_advance(plan, o->n, variant_of(&placement)));
  if (plan->is_quick) args.workspace = scan_region_of(plan, SCAN_REGION_VALUES); /* look-back's state stays clear */
  SCAN_TRY(scan_plan_find_launches(plan, o->n, variant_of(&placement)));
  const scan_launches *launches = plan->launches;
  if (launches->of[0].copies_carry) args.carry = scan_region_of(plan, SCAN_REGION_CARRY);
  args.spin_limit = launches->of[0].spin_limit;
  if (problem->reads_n) SCAN_TRY(bind_n_from(plan, problem, &args));
  if (args.n == 0) return scan_problem_has_start(problem) ? scan_carry_pass(plan, problem, o->out) : SCAN_SUCCESS;
  if (problem->reversed) reverse_arguments(problem, args.n, &args);
  plan->unchecked = plan->has_control_block;
  if (problem->reversed) scan_overflow_begin(plan, o->n);
  plan->overflow_unread = (int)plan->problem.checks;
  plan->ran_in_place |= placement.in_place;
  for (int i = 0; i < launches->count; i++)
    SCAN_TRY(scan_plan_step(plan, &launches->of[i].launch, launches->kernels[i], &args));
  scan_plan_note_recording(plan);
  return SCAN_SUCCESS;
}

void scan_problem_key(const scan_problem *problem, scan_strategy strategy, scan_key *key) {
  const int is_built_in = problem->segments.kind != SCAN_SEGMENTS_NONE; /* kind and seed, into segmented kernels */
  const uint64_t parts[] = { (uint64_t)(uintptr_t)problem->source,
                             (uint64_t)strategy,
                             (uint64_t)problem->input_type,
                             (uint64_t)problem->type,
                             (uint64_t)problem->op,
                             problem->kind == SCAN_TOTAL,
                             (uint64_t)problem->segments.kind,
                             (uint64_t)problem->segments.key_type,
                             problem->checks,
                             problem->backward,
                             problem->steps,
                             problem->reversed,
                             problem->reads_n,
                             is_built_in ? 1 + scan_problem_flags(problem) : 0 };
  scan_key_start(key);
  scan_key_add(key, parts, sizeof parts);
}

scan_status scan_plan_lookup(scan_ctx *ctx, const scan_problem *problem, scan_strategy strategy, uint64_t n,
                             scan_plan **result) {
  scan_key key;
  scan_problem_key(problem, strategy, &key);
  *result = scan_plan_find(ctx, &key, n);
  if (*result != NULL) return SCAN_SUCCESS;
  const uint64_t max_n = ctx->caps.loop_limit ? n : scan_plan_hidden_n(n);
  SCAN_TRY(scan_plan_make_hidden(ctx, problem, strategy, max_n, n, result));
  scan_plan_hide(*result, &key);
  return SCAN_SUCCESS;
}

scan_status scan_plan_create(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n, scan_plan **plan) {
  scan_problem problem;
  scan_strategy strategy;
  SCAN_TRY(scan_ctx_enter(ctx, "scan_plan_create"));
  if (plan == NULL) FAIL_INVALID("scan_plan_create: plan is NULL");
  SCAN_TRY(scan_spec_check(ctx, spec, &problem, &strategy));
  SCAN_TRY(scan_count_check(ctx, &problem, max_n, "max_n"));
  return scan_plan_make(ctx, &problem, strategy, max_n, plan);
}
