/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: from a checked form to a plan, and from the plan to launches. */
#include "ops/select/select_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_cl/select/select.h"
#include "core/regions.h"
#include "core/launch.h"
#include "ops/scan/scan_plan.h"

/* ---- plans ---- */

static const scan_select_plan *own(const scan_plan *plan) { return scan_select_plan_of(plan); }

/* Variants of a run's launches: VARIANT_FUSED if its marks are its first array, else VARIANT_SPLIT. */
enum { VARIANT_SPLIT, VARIANT_FUSED };

static scan_select_variant variant_of(const scan_plan *plan, uint32_t variant) {
  const scan_select_plan *select = own(plan);
  return (scan_select_variant){ .is_pipelined = select->is_pipelined,
                                .is_fused = select->is_pipelined && variant == VARIANT_FUSED,
                                .sums = select->sums,
                                .is_by_ends = select->is_by_ends };
}

static int list_launches(const scan_plan *plan, uint64_t n, uint32_t variant, scan_launch *launches) {
  return scan_select_steps(&plan->caps, &own(plan)->form, variant_of(plan, variant), n, launches);
}

/* 1 if the pipelined kernels for n elements are compiled in advance or built from a source. */
static int is_compiled(const scan_plan *plan, const scan_select_form *form, int is_fused, uint64_t n) {
  scan_launch *launches = plan->launches->of;
  const scan_select_variant chosen = { .is_pipelined = 1, .is_fused = is_fused };
  const int count = scan_select_steps(&plan->caps, form, chosen, n, launches);
  for (int i = 0; i < count; i++) {
    const scan_kernel_key key = scan_launch_key(&launches[i], NULL);
    if (key.source == NULL && !plan->ctx->ops->is_compiled(plan->ctx->device, &key)) return 0;
  }
  return 1;
}

/* A number of elements that has the kernels of few elements, if there are such. */
enum { FEWEST = 1 };

/* 1 if the device has the pipelined method for the form, and the kernels of both variants. */
static int has_pipelined(const scan_plan *plan, const scan_select_form *form) {
  if (scan_select_is_marked(form)) return 0;
  if (!scan_select_is_pipelined(&plan->caps, form)) return 0;
  if (plan->ctx->ops->is_compiled == NULL) return 1;
  for (int is_fused = 0; is_fused < 2; is_fused++)
    if (!is_compiled(plan, form, is_fused, plan->max_n) || !is_compiled(plan, form, is_fused, FEWEST)) return 0;
  return 1;
}

/* Creates the kernels of both variants. */
static scan_status create_kernels(scan_plan *plan) {
  scan_wanted wanted = { .count = 0 };
  for (uint32_t variant = VARIANT_SPLIT; variant <= (own(plan)->is_pipelined ? VARIANT_FUSED : VARIANT_SPLIT);
       variant++) {
    SCAN_TRY(scan_plan_want(plan, plan->max_n, variant, &wanted));
    SCAN_TRY(scan_plan_want(plan, FEWEST, variant, &wanted));
  }
  return scan_plan_create_kernels(plan, &wanted);
}

/* Bytes of SCAN_REGION_SCRATCH, a copy of the largest array that its output may overwrite; 0 if launches need none. */
static uint64_t scratch_bytes(const scan_plan *plan) {
  const scan_select_form *form = &own(plan)->form;
  uint32_t most = 0;
  const int is_in_order = own(plan)->is_pipelined || scan_select_is_by_threads(&plan->caps, form);
  if (!form->in_place || (is_in_order && form->rest != SCAN_REST_BEHIND)) return 0;
  for (uint32_t a = 0; a < form->arrays; a++) most = form->bytes[a] > most ? form->bytes[a] : most;
  return plan->max_n * most;
}

/* 1 if the plan keeps values of a scan that has a plan of its own. */
static int reads_scan(const scan_plan *plan) {
  const scan_select_plan *select = own(plan);
  if (!scan_select_reduces(&select->form)) return 0;
  return !select->is_pipelined || !scan_select_is_reduced(&plan->caps, &select->form);
}

/* 1 if one launch reduces n elements by key. */
static int is_alone(const scan_plan *plan, uint64_t n) {
  const scan_select_plan *select = own(plan);
  return select->is_by_ends && select->form.by == SCAN_SELECT_LAST && scan_marked_is_alone(&plan->caps, n);
}

static scan_status select_prepare(scan_plan *plan) {
  const scan_select_form *form = &own(plan)->form;
  const int is_pipelined = own(plan)->is_pipelined;
  const int is_encoded = is_pipelined && scan_select_is_encoded(&plan->caps, form);
  const uint64_t counts = scan_select_count_bytes(plan->max_n);
  if (plan->max_n > 0) SCAN_TRY(create_kernels(plan));
  plan->regions[SCAN_REGION_STRATEGY].bytes =
      is_pipelined ? scan_select_lookback_state_bytes(&plan->caps, form, plan->max_n) : counts;
  plan->regions[SCAN_REGION_PLACES].bytes =
      is_pipelined && !is_encoded && (scan_select_has_lengths(form) || reads_scan(plan)) ? counts : 0;
  const int needs_flag_bits = !is_encoded && (!scan_select_reduces(form) || reads_scan(plan));
  plan->regions[SCAN_REGION_FLAG_BITS].bytes = needs_flag_bits ? scan_select_bits_bytes(form, plan->max_n) : 0;
  plan->regions[SCAN_REGION_LEFT].bytes = form->pass != 0 ? sizeof(uint64_t) : 0;
  plan->regions[SCAN_REGION_SCRATCH].bytes = scratch_bytes(plan);
  plan->regions[SCAN_REGION_COUNT].bytes = sizeof(uint64_t);
  plan->regions[SCAN_REGION_N_OVERFLOW].bytes = SCAN_N_OVERFLOW_BYTES;
  return scan_regions_make(plan);
}

static scan_strategy strategy_of(const scan_plan *plan) {
  if (scan_select_is_by_threads(&plan->caps, &own(plan)->form)) return SCAN_STRATEGY_THREADS;
  if (!own(plan)->is_pipelined) return SCAN_STRATEGY_AUTO;
  return plan->caps.info.backend == SCAN_BACKEND_CUDA ? SCAN_STRATEGY_PIPELINED : SCAN_STRATEGY_LOOKBACK;
}

static void select_describe(const scan_plan *plan, scan_plan_facts *facts) {
  scan_launch steps[SCAN_MOST_LAUNCHES];
  const scan_select_variant chosen = variant_of(plan, VARIANT_FUSED);
  const int count = list_launches(plan, plan->max_n, VARIANT_FUSED, steps);
  const uint32_t bytes = own(plan)->form.bytes[steps[0].reduces ? 1 : 0];
  const uint64_t items = chosen.is_pipelined ? steps[0].tile_parts * SELECT_PART_ITEMS(bytes) : SELECT_TILE_ITEMS;
  if (plan->inner != NULL) {
    plan->inner->ops->describe(plan->inner, facts);
    facts->launches = (chosen.sums != NULL ? 0 : facts->launches) + (uint32_t)count;
    if (is_alone(plan, plan->max_n)) facts->launches = 1;
    facts->workspace_bytes += plan->workspace_bytes;
    return;
  }
  *facts = (scan_plan_facts){ .struct_bytes = sizeof *facts,
                              .strategy = strategy_of(plan),
                              .max_n = plan->max_n,
                              .tile_items = items,
                              .tiles = plan->max_n / items + (plan->max_n % items != 0),
                              .workspace_bytes = plan->workspace_bytes,
                              .launches = (uint32_t)count,
                              .groups = steps[0].launch.groups,
                              .items_per_group = steps[0].launch.items_per_group,
                              .work = plan->max_n };
  snprintf(facts->reason, sizeof facts->reason, "%s",
           chosen.is_pipelined ? "a launch an array, which looks back"
           : strategy_of(plan) == SCAN_STRATEGY_THREADS
               ? "one pass over each array, by threads that take tiles in order"
               : "marks, places and elements in launches of their own: nobody waits");
}

static scan_kernel_key launch_key(const scan_plan *plan, const scan_launch *launch) {
  (void)plan;
  return scan_launch_key(launch, NULL);
}

static const scan_plan_ops select_plan_ops = {
  .kind = SCAN_DOES_SELECT, .list = list_launches, .key = launch_key, .describe = select_describe
};

/* Prepares a plan and, for a reduction by key, the inner plan of the scan. With `sums` the reduction is one pass, and
 * the inner plan serves scan_plan_info alone. quick_n: as in scan_plan_make_hidden. */
static scan_status prepare_all(scan_plan *plan, const scan_reduced *reduced, uint64_t quick_n) {
  if (reduced == NULL) return select_prepare(plan);
  scan_select_plan *select = scan_select_plan_of(plan);
  const int is_marked = scan_select_is_marked(&select->form);
  select->reduced = reduced->problem;
  if (!is_marked && scan_select_is_summed(&plan->caps, &reduced->problem, reduced->strategy))
    select->sums = reduced->problem.source;
  select->is_by_ends =
      select->sums == NULL && scan_select_is_by_ends(&plan->caps, &reduced->problem, reduced->strategy);
  const int has_run_starts = !select->is_by_ends || select->form.by == SCAN_SELECT_FLAGS;
  if (own(plan)->sums == NULL && select->form.by != SCAN_SELECT_BITS && has_run_starts)
    plan->regions[SCAN_REGION_RUN_STARTS].bytes = scan_select_bits_bytes(&own(plan)->form, plan->max_n);
  if (!reads_scan(plan)) return select_prepare(plan);
  if (own(plan)->sums == NULL)
    plan->regions[SCAN_REGION_VALUES].bytes =
        select->is_by_ends ? scan_marked_scratch_bytes(&plan->caps, &reduced->problem, plan->max_n)
                           : plan->max_n * scan_problem_output_bytes(&reduced->problem);
  SCAN_TRY(select_prepare(plan));
  const scan_strategy inner = select->is_by_ends ? SCAN_STRATEGY_MARKED_REDUCE : reduced->strategy;
  return scan_plan_make_hidden(plan->ctx, &reduced->problem, inner, plan->max_n, quick_n, &plan->inner);
}

scan_status scan_select_plan_make_hidden(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                         uint64_t max_n, uint64_t quick_n, int is_portable, scan_plan **result) {
  const scan_source *source = reduced != NULL ? reduced->problem.source : form->predicate;
  const scan_problem none = { .source = source }; /* keeps the source alive as long as the plan */
  scan_plan *plan;
  SCAN_TRY(scan_plan_start(ctx, &select_plan_ops, sizeof(scan_select_plan), &none, max_n, &plan));
  plan->needs_args = 1;
  scan_select_plan *select = scan_select_plan_of(plan);
  select->form = *form;
  select->is_pipelined = !is_portable && has_pipelined(plan, form);
  plan->has_control_block = select->is_pipelined;
  plan->tile_capacity = scan_select_tile_capacity(&plan->caps, max_n);
  return scan_plan_finish(plan, prepare_all(plan, reduced, quick_n), result);
}

scan_status scan_select_plan_make(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                  uint64_t max_n, scan_plan **result) {
  return scan_select_plan_make_hidden(ctx, form, reduced, max_n, 0, 0, result);
}

const char *scan_select_call(const scan_select_form *form) {
  if (form->pass != 0) return "partition3";
  if (scan_select_is_marked(form)) return "segmented_reduce";
  if (!scan_select_is_of_runs(form)) return "select";
  return form->by == SCAN_SELECT_FIRST ? "run_length" : "reduce_by_key";
}

scan_status scan_select_plan_check(const scan_plan *plan, const char *call, uint64_t n) {
  scan_ctx *ctx = plan->ctx;
  if (own(plan) == NULL)
    FAIL_INVALID("scan_plan_run_%s: the plan was not made by scan_plan_create_%s; run it as it was made", call, call);
  const char *made = scan_select_call(&own(plan)->form);
  if (strcmp(made, call) != 0)
    FAIL_INVALID("scan_plan_run_%s: the plan was made by scan_plan_create_%s; run it with scan_plan_run_%s", call, made,
                 made);
  if (n > plan->max_n) FAIL_INVALID("n is %" PRIu64 ", but the plan was created for at most %" PRIu64, n, plan->max_n);
  return SCAN_SUCCESS;
}

/* ---- launches ---- */

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
  case SCAN_SELECT_VALUES: return reads_scan(plan) ? scan_region_of(plan, SCAN_REGION_VALUES) : run->values;
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

/* Copies the count over n_from after the last kernel that reads n. A run whose look-back fails may already have done
 * so, and therefore counts as in place. */
static scan_status put_count(scan_plan *plan, const scan_select_run *run) {
  scan_ctx *ctx = plan->ctx;
  if (!scan_select_counts_in_place(run)) return SCAN_SUCCESS;
  plan->ran_in_place = 1;
  return ctx->ops->copy(ctx->device, run->memory.count, scan_region_of(plan, SCAN_REGION_COUNT), sizeof(uint64_t),
                        &ctx->error);
}

scan_status scan_select_launch(scan_plan *plan, const scan_select_run *run) {
  const scan_select_plan *select = own(plan);
  scan_kernel_args args;
  SCAN_TRY(scan_plan_find_launches(plan, run->n, is_fused(&select->form, run) ? VARIANT_FUSED : VARIANT_SPLIT));
  fill_args(plan, run, &args);
  if (run->memory.n_from.kind != SCAN_MEM_NONE && !select->form.clamps) plan->names_n = 1;
  plan->unchecked = plan->has_control_block;
  const int scans = reads_scan(plan) && !select->is_by_ends;
  if (scans && scan_select_is_marked(&select->form) && select->form.by == SCAN_SELECT_BITS)
    SCAN_TRY(scan_values(plan, run));
  const int alone = is_alone(plan, run->n) && scan_select_is_wanted(&select->form, run, 1);
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
