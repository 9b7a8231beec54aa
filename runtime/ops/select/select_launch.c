/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: launches a plan's kernels over the memory of a run. */
#include "ops/select/select_run.h"

#include "kernels_cl/select/select.h"
#include "core/launch.h"
#include "core/regions.h"
#include "ops/scan/scan_plan.h"

static const scan_select_plan *own(const scan_plan *plan) { return scan_select_plan_of(plan); }

/* SPIN_LIMIT: polls before a work-group counts a missing tile itself. SPIN_LIMIT_OVER: polls before it gives up, if the
 * tile's input may have been overwritten. */
enum { SPIN_LIMIT = 1 << 14, SPIN_LIMIT_OVER = 1 << 26 };

/* Fills the arguments that all launches of a run share. Unused arguments get a valid dummy address. */
static void fill_args(const scan_plan *plan, const scan_select_run *run, scan_kernel_args *args) {
  const scan_select_args *m = &run->memory;
  const scan_mem kept = scan_region_of(plan, SCAN_REGION_COUNT);
  *args = (scan_kernel_args){ .n = run->n,
                              .segment_flags = scan_mem_or(scan_region_of(plan, SCAN_REGION_FLAG_BITS), m->marks),
                              .places = scan_mem_or(scan_region_of(plan, SCAN_REGION_PLACES), plan->workspace),
                              .kept = scan_select_counts_in_place(run) ? kept : scan_mem_or(m->count, kept),
                              .n_from = scan_mem_or(m->n_from, plan->workspace),
                              .n_overflow = scan_n_overflow_of(plan, own(plan)->form.clamps),
                              .tile_capacity = plan->tile_capacity,
                              .seed_bits = run->params[0],
                              .seed_more = run->params + 1,
                              .predicate = own(plan)->form.predicate };
}

/* The memory that an array's elements are read from; for indices and lengths a valid dummy address. */
static scan_mem in_of(const scan_plan *plan, const scan_select_run *run, int a) {
  switch (own(plan)->form.what[a]) {
  case SCAN_SELECT_MOVED: return run->memory.in[a];
  case SCAN_SELECT_KEYS: return run->memory.marks;
  case SCAN_SELECT_VALUES: return scan_select_reads_scan(plan) ? scan_region_of(plan, SCAN_REGION_VALUES) : run->values;
  default: return run->memory.marks;
  }
}

/* Sets the memory of a step's array. An output that is not wanted gets a valid dummy address and the capacity 0. */
static void name_array(const scan_plan *plan, const scan_select_run *run, const scan_launch *step,
                       scan_kernel_args *args) {
  const scan_select_form *form = &own(plan)->form;
  const scan_select_args *m = &run->memory;
  const int a = step->array;
  args->in = args->out = args->rest = m->marks;
  args->capacity = args->rest_capacity = 0;
  if (a == SCAN_NO_ARRAY) return;
  args->in = in_of(plan, run, a);
  if (!scan_select_is_wanted(form, run, (uint32_t)a)) return;
  if (m->capacity > 0) args->out = m->out[a];
  if (form->rest != SCAN_REST_APART) args->rest = args->out;
  if (form->rest == SCAN_REST_APART && m->rest_capacity > 0) args->rest = m->rest[a];
  args->capacity = m->capacity;
  args->rest_capacity = form->rest == SCAN_REST_BEHIND ? m->capacity : m->rest_capacity;
}

/* Sets the memory of the second array of a launch that moves two. */
static void name_second(const scan_plan *plan, const scan_select_run *run, scan_kernel_args *args) {
  const scan_select_args *m = &run->memory;
  const int is_wanted = scan_select_is_wanted(&own(plan)->form, run, 1) && m->capacity > 0;
  args->segment_flags = m->in[1];
  args->rest = is_wanted ? m->out[1] : m->marks;
  args->rest_capacity = is_wanted ? m->capacity : 0;
}

/* Sets the memory of an encoding's outputs. An output that is not wanted gets a valid dummy address; for the keys,
 * SELECT_RUN_KEYS then stays clear. */
static void name_runs(const scan_plan *plan, const scan_select_run *run, scan_kernel_args *args) {
  const scan_select_form *form = &own(plan)->form;
  const scan_select_args *m = &run->memory;
  args->in = args->out = args->lengths = args->starts = m->marks;
  args->capacity = m->capacity;
  for (uint32_t a = 0; a < form->arrays; a++) {
    if (!scan_select_is_wanted(form, run, a)) continue;
    if (form->what[a] == SCAN_SELECT_KEYS) args->out = m->out[a], args->flags |= SELECT_RUN_KEYS;
    if (form->what[a] == SCAN_SELECT_LENGTHS) args->lengths = m->out[a];
    if (form->what[a] == SCAN_SELECT_INDICES) args->starts = m->out[a];
  }
}

/* Sets the memory of a one-pass reduction. `rest` receives the keys; its capacity is 0 if they are not wanted. */
static void name_sums(const scan_plan *plan, const scan_select_run *run, scan_kernel_args *args) {
  const scan_select_form *form = &own(plan)->form;
  const scan_select_args *m = &run->memory;
  const int has_keys = scan_select_is_wanted(form, run, 0);
  args->in = run->values;
  args->out = scan_select_is_wanted(form, run, 1) ? m->out[1] : m->marks;
  args->rest = has_keys ? m->out[0] : m->marks;
  args->capacity = m->capacity;
  args->rest_capacity = has_keys ? m->capacity : 0;
}

/* Handles an array whose output is its input. If the plan has scratch memory, copies the input there and reads the
 * copy. Otherwise the launch itself can write over its input, and *in_place becomes SELECT_OVER. */
static scan_status put_aside(scan_plan *plan, const scan_select_run *run, const scan_launch *step,
                             scan_kernel_args *args, uint32_t *in_place) {
  scan_ctx *ctx = plan->ctx;
  const scan_select_form *form = &own(plan)->form;
  const scan_mem scratch = scan_region_of(plan, SCAN_REGION_SCRATCH);
  *in_place = 0;
  if (step->array == SCAN_NO_ARRAY || !scan_select_is_read(form, (uint32_t)step->array)) return SCAN_SUCCESS;
  if (args->capacity == 0 || !scan_mem_same(args->in, args->out)) return SCAN_SUCCESS;
  *in_place = scratch.kind == SCAN_MEM_NONE ? SELECT_OVER : 0u;
  if (*in_place) return SCAN_SUCCESS;
  SCAN_TRY(ctx->ops->copy(ctx->device, scratch, args->in, run->n * form->bytes[step->array], &ctx->error));
  args->in = scratch;
  return SCAN_SUCCESS;
}

/* The bits of runs' first elements: the caller's, or those that an earlier launch made. */
static scan_mem run_starts_of(const scan_plan *plan, const scan_select_run *run) {
  const int are_given = scan_select_is_marked(run->form) && run->form->by == SCAN_SELECT_BITS;
  return are_given ? run->memory.marks : scan_region_of(plan, SCAN_REGION_RUN_STARTS);
}

static scan_status launch_step(scan_plan *plan, const scan_select_run *run, int i, const scan_kernel_args *all) {
  scan_ctx *ctx = plan->ctx;
  const scan_select_plan *select = own(plan);
  const scan_launch *step = &plan->launches->of[i];
  const scan_mem run_starts = run_starts_of(plan, run), places = scan_region_of(plan, SCAN_REGION_PLACES);
  const int is_of_all =
      step->makes_run_starts && step->array == SCAN_NO_ARRAY; /* the inner scan reads all n elements */
  const uint32_t has_n_from = run->memory.n_from.kind != SCAN_MEM_NONE && !is_of_all ? SELECT_N_FROM : 0u;
  uint32_t in_place;
  scan_kernel_args args = *all;
  if (step->encodes)
    name_runs(plan, run, &args);
  else if (step->reduces)
    name_sums(plan, run, &args);
  else
    name_array(plan, run, step, &args);
  if (step->flags & SELECT_SECOND) name_second(plan, run, &args);
  if (select->form.pass == SCAN_PASS_BOTH) args.segment_flags = args.rest, args.rest = run->last;
  SCAN_TRY(put_aside(plan, run, step, &args, &in_place));
  plan->ran_in_place |= in_place != 0;
  args.workspace = step->has_places ? scan_mem_or(places, plan->workspace) : plan->workspace;
  args.marks = step->reads_bits ? all->segment_flags : step->reads_run_starts ? run_starts : run->memory.marks;
  if (step->writes_left) args.places = scan_mem_or(run->left, scan_region_of(plan, SCAN_REGION_LEFT));
  if (step->makes_run_starts) args.segment_flags = run_starts;
  if (step->has_places && select->form.by == SCAN_SELECT_BITS && !scan_select_is_marked(&select->form))
    args.segment_flags = run->memory.marks;
  args.flags |= step->flags | has_n_from | in_place;
  args.element_words = step->element_words;
  args.element_bytes = step->element_bytes;
  args.tile_parts = step->tile_parts;
  args.buckets = step->buckets;
  args.spin_limit = in_place ? SPIN_LIMIT_OVER : SPIN_LIMIT;
  return ctx->ops->launch(ctx->device, plan->launches->kernels[i], step->launch.groups, step->launch.items_per_group,
                          &args, &ctx->error);
}

static int is_fused(const scan_select_form *form, const scan_select_run *run) {
  return form->what[0] == SCAN_SELECT_MOVED && form->by != SCAN_SELECT_FLAGS && form->by != SCAN_SELECT_BITS &&
         scan_mem_same(run->memory.marks, run->memory.in[0]);
}

/* Scans all values into SCAN_REGION_VALUES; later launches keep those at the ends of runs. */
static scan_status scan_values(scan_plan *plan, const scan_select_run *run) {
  scan_problem problem = *run->reduced;
  problem.segments.memory = run_starts_of(plan, run);
  problem.segments.count = run->n;
  const scan_operands operands = {
    .problem = &problem, .in = run->values, .out = scan_region_of(plan, SCAN_REGION_VALUES), .n = run->n
  };
  return scan_plan_launch(plan->inner, &operands, 0);
}

/* Reduces the segments by the bits of their last elements and the places that earlier launches left. With `alone` this
 * launch makes both, and is the only one. */
static scan_status reduce_by_ends(scan_plan *plan, const scan_select_run *run, const scan_alone_keys *alone) {
  scan_problem problem = *run->reduced;
  problem.segments.memory = scan_region_of(plan, SCAN_REGION_FLAG_BITS);
  problem.segments.count = run->n;
  problem.places = scan_mem_or(scan_region_of(plan, SCAN_REGION_PLACES), plan->workspace);
  problem.totals = run->memory.out[1];
  problem.capacity = run->memory.capacity;
  problem.n_from = run->memory.n_from;
  problem.alone = alone;
  const scan_operands operands = { .problem = &problem,
                                   .in = run->values,
                                   .out = scan_mem_or(scan_region_of(plan, SCAN_REGION_VALUES), plan->workspace),
                                   .n = run->n };
  return scan_plan_launch(plan->inner, &operands, 0);
}

static scan_status reduce_alone(scan_plan *plan, const scan_select_run *run, const scan_kernel_args *args) {
  const scan_select_form *form = &own(plan)->form;
  const int has_keys = scan_select_is_wanted(form, run, 0);
  const scan_alone_keys keys = { .in = run->memory.marks,
                                 .out = has_keys ? run->memory.out[0] : run->memory.marks,
                                 .kept = args->kept,
                                 .n_overflow = args->n_overflow,
                                 .capacity = has_keys ? run->memory.capacity : 0,
                                 .type = (scan_type)form->key_type };
  return reduce_by_ends(plan, run, &keys);
}

/* 1 if the step only writes an array that is not wanted: it is then left out. */
static int is_unused(const scan_select_form *form, const scan_select_run *run, const scan_launch *step) {
  return step->array != SCAN_NO_ARRAY && (step->reads_bits || step->has_places) && !step->counts &&
         !scan_select_is_wanted(form, run, (uint32_t)step->array);
}

/* Copies the counts over n_from after the last kernel that reads n. A run whose look-back fails may already have done
 * so, and therefore counts as in place. */
static scan_status put_count(scan_plan *plan, const scan_select_run *run) {
  scan_ctx *ctx = plan->ctx;
  if (!scan_select_counts_in_place(run)) return SCAN_SUCCESS;
  plan->ran_in_place = 1;
  return ctx->ops->copy(ctx->device, run->memory.count, scan_region_of(plan, SCAN_REGION_COUNT),
                        scan_select_counts(run->form) * sizeof(uint64_t), &ctx->error);
}

scan_status scan_select_launch(scan_plan *plan, const scan_select_run *run) {
  const scan_select_plan *select = own(plan);
  scan_kernel_args args;
  SCAN_TRY(scan_plan_find_launches(plan, run->n, is_fused(&select->form, run) ? SCAN_SELECT_FUSED : SCAN_SELECT_SPLIT));
  fill_args(plan, run, &args);
  if (run->memory.n_from.kind != SCAN_MEM_NONE && !select->form.clamps) plan->names_n = 1;
  plan->unchecked = plan->has_control_block;
  const int scans = scan_select_reads_scan(plan) && !select->is_by_ends;
  if (scans && scan_select_is_marked(&select->form) && select->form.by == SCAN_SELECT_BITS)
    SCAN_TRY(scan_values(plan, run));
  const int alone = scan_select_is_alone(plan, run->n) && scan_select_is_wanted(&select->form, run, 1);
  if (alone) SCAN_TRY(reduce_alone(plan, run, &args));
  for (int i = 0; i < plan->launches->count && !alone; i++) {
    if (is_unused(&select->form, run, &plan->launches->of[i])) continue;
    SCAN_TRY(launch_step(plan, run, i, &args));
    if (plan->launches->of[i].makes_run_starts && scans) SCAN_TRY(scan_values(plan, run));
  }
  if (select->is_by_ends && !alone && scan_select_is_wanted(&select->form, run, 1))
    SCAN_TRY(reduce_by_ends(plan, run, NULL));
  SCAN_TRY(put_count(plan, run));
  scan_plan_note_recording(plan);
  return SCAN_SUCCESS;
}
