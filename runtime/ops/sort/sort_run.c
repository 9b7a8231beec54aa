/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting: from a checked form to a plan, from the plan to launches, and their execution. */
#include "ops/sort/sort_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/execute.h"
#include "kernels_cl/select/select.h"
#include "kernels_cl/sort/sort_segments.h"
#include "core/regions.h"
#include "core/launch.h"

/* ---- plans ---- */

static const scan_sort_form *form_of(const scan_plan *plan) { return &scan_sort_plan_of(plan)->form; }

/* Variants of a run's launches: VARIANT_OVER if its first pass would write over its input, else VARIANT_APART; and the
 * kind of its sort by segments. */
enum { VARIANT_APART = 0, VARIANT_OVER = 1 };
#define VARIANT_OF(kind) (2u * (uint32_t)(kind))

static int list_launches(const scan_plan *plan, uint64_t n, uint32_t variant, scan_launch *launches) {
  return scan_sort_steps(&plan->caps, form_of(plan), n, plan->max_n, (variant & VARIANT_OVER) != 0,
                         (scan_sort_segments_kind)(variant / 2), launches);
}

/* Creates the kernels for each range of n, with outputs apart from inputs and over them. */
static scan_status create_kernels(scan_plan *plan) {
  const scan_sort_form *form = form_of(plan);
  const uint64_t ranked = scan_sort_ranked_items(&plan->caps, form), merged = scan_sort_merged_items(&plan->caps, form);
  const uint64_t alone = scan_sort_alone_items(&plan->caps, form, plan->max_n), max_n = plan->max_n;
  const uint64_t ranked_segments = scan_sort_ranked_segments_items(&plan->caps, form);
  const uint64_t in_segments = scan_sort_has_segments(form) ? UINT64_MAX : 0;
  const struct {
    uint64_t n;
    uint32_t variant;
  } ends[] = { { ranked != 0 ? SORT_RANKED_FEW : 0, VARIANT_APART },
               { ranked, VARIANT_APART },
               { merged, VARIANT_OVER },
               { scan_sort_split_items(&plan->caps, form, 0), VARIANT_APART },
               { scan_sort_split_items(&plan->caps, form, 1), VARIANT_OVER },
               { alone, VARIANT_APART },
               { alone, VARIANT_OVER },
               { scan_sort_kind_items(&plan->caps, form, max_n, 0), VARIANT_OVER },
               { scan_sort_kind_items(&plan->caps, form, max_n, 1), VARIANT_OVER },
               { ranked_segments != 0 ? SORT_RANKED_FEW : 0, VARIANT_OF(SCAN_SEGMENTS_RANKED) },
               { ranked_segments, VARIANT_OF(SCAN_SEGMENTS_RANKED) },
               { in_segments, VARIANT_OVER | VARIANT_OF(SCAN_SEGMENTS_BY_WARPS) },
               { in_segments, VARIANT_OVER | VARIANT_OF(SCAN_SEGMENTS_BY_GROUPS) },
               { UINT64_MAX, VARIANT_OVER } };
  scan_wanted wanted = { .count = 0 };
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    if (ends[i].n != 0) SCAN_TRY(scan_plan_want(plan, max_n < ends[i].n ? max_n : ends[i].n, ends[i].variant, &wanted));
  return scan_plan_create_kernels(plan, &wanted);
}

/* 1 if the passes need spare memory: a sort always does, other operations only if their output may be their input. */
static int has_spare(const scan_sort_form *form) { return form->what == SCAN_SORT_ALL_BITS || form->in_place; }

/* Sets the bytes of the regions that grow with the number of keys. */
static void measure_copies(scan_plan *plan) {
  const scan_sort_form *form = form_of(plan);
  const scan_sort_values values = scan_sort_plan_of(plan)->values;
  const int moves = form->what != SCAN_SORT_HISTOGRAM;
  const uint64_t keys = moves ? plan->max_n * scan_sort_key_bytes(form) : 0;
  plan->regions[SCAN_REGION_KEYS].bytes = form->drops_keys ? keys : 0;
  if (has_spare(form)) {
    uint32_t apart = values.bytes;
    plan->regions[SCAN_REGION_KEYS_SPARE].bytes =
        scan_sort_uses_onesweep(&plan->caps, form, plan->max_n)
            ? scan_sort_onesweep_spare_bytes(&plan->caps, form, plan->max_n, &apart)
            : keys;
    plan->regions[SCAN_REGION_VALUES].bytes = plan->max_n * apart;
  }
  plan->regions[SCAN_REGION_INDICES].bytes = values.values_are_gathered ? plan->max_n * values.bytes : 0;
  plan->regions[SCAN_REGION_SCRATCH].bytes = scan_sort_copy_bytes(form, values, plan->max_n);
}

static scan_status sort_prepare(scan_plan *plan) {
  const scan_sort_form *form = form_of(plan);
  if (plan->max_n > 0) SCAN_TRY(create_kernels(plan));
  plan->regions[SCAN_REGION_STRATEGY].bytes = scan_sort_number_bytes(&plan->caps, form, plan->max_n);
  plan->regions[SCAN_REGION_DIGITS].bytes = scan_sort_digit_bytes(&plan->caps, form, plan->max_n);
  if (!form->gives_scratch) measure_copies(plan);
  plan->regions[SCAN_REGION_BUCKETS].bytes = form->bucket != NULL ? plan->max_n : 0;
  plan->regions[SCAN_REGION_N_OVERFLOW].bytes = SCAN_N_OVERFLOW_BYTES;
  return scan_regions_make(plan);
}

static const char *reason_of(const scan_plan *plan) {
  const scan_sort_form *form = form_of(plan);
  const int uses_onesweep = scan_sort_uses_onesweep(&plan->caps, form, plan->max_n);
  const int looks_back = scan_sort_looks_back(&plan->caps, form, plan->max_n);
  const int by_threads = scan_sort_is_by_threads(&plan->caps);
  if (form->what == SCAN_SORT_HISTOGRAM)
    return uses_onesweep || looks_back ? "all digits counted in one launch"
                                       : "counts of work-groups, and their sums in a launch of its own";
  if (plan->max_n <= scan_sort_split_items(&plan->caps, form, 0))
    return "one launch, each work-group of which counts all keys and moves some";
  if (form->what == SCAN_SORT_SPLIT && !uses_onesweep && !looks_back)
    return "counts of tiles, places, where digits begin, and keys, in launches of their own";
  if (scan_sort_has_segments(form))
    return by_threads ? "segments by one thread each, in its cache"
           : scan_sort_segments_look_back(&plan->caps, form, plan->max_n)
               ? "segments by tiles, larger ones by digits, a launch each"
               : "segments by tiles, larger ones by launches for each digit";
  if (form->what == SCAN_SORT_ALL_BITS && by_threads)
    return "the keys of each highest digit by one thread, in its cache";
  if (plan->max_n <= scan_sort_ranked_items(&plan->caps, form))
    return "one launch, each work-group of which ranks some keys among all";
  if (scan_sort_is_clustered(&plan->caps, form, plan->max_n, plan->max_n))
    return "all digits in one launch, by a cluster of work-groups";
  if (uses_onesweep) return "each digit in one launch, whose tiles prove their order";
  if (scan_sort_has_ranges(&plan->caps, form, plan->max_n))
    return "by ranges of about as many keys, each sorted by one work-item";
  return looks_back ? "each digit in one launch, whose work-groups look back"
                    : "counts, places and keys of each digit in launches of their own";
}

static void sort_describe(const scan_plan *plan, scan_plan_facts *facts) {
  scan_launch steps[SCAN_MOST_LAUNCHES];
  const int count = list_launches(plan, plan->max_n, VARIANT_APART, steps);
  *facts = scan_launch_facts(plan, steps, count, steps[0].tile_items);
  facts->scratch_bytes = scan_sort_scratch_of(form_of(plan), plan->max_n, plan->max_n);
  snprintf(facts->reason, sizeof facts->reason, "%s", reason_of(plan));
}

static scan_kernel_key launch_key(const scan_plan *plan, const scan_launch *launch) {
  (void)plan;
  return scan_launch_key(launch, "sort");
}

static const scan_plan_ops sort_plan_ops = {
  .kind = SCAN_DOES_SORT, .list = list_launches, .key = launch_key, .describe = sort_describe
};

/* Tests, once per context, whether onesweep pays on its device: it does if the test launch counts no repairs.
 * The plan must be one that uses onesweep. */
static scan_status try_lanes(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  const scan_launch step = scan_sort_lanes_step(&plan->caps, form_of(plan), plan->max_n);
  scan_mem repairs = scan_region_of(plan, SCAN_REGION_DIGITS);
  const scan_kernel_args args = { .digits = repairs };
  uint64_t found;
  repairs.offset_bytes += SORT_WORD_REPAIRS * sizeof found;
  SCAN_TRY(scan_plan_launch_once(plan, &step, &args));
  SCAN_TRY(scan_number_read(ctx, repairs, &found));
  ctx->caps.onesweep = found == 0 ? SCAN_ONESWEEP_OK : SCAN_ONESWEEP_FAILS;
  return SCAN_SUCCESS;
}

/* Tests, once per context, whether the device can start a cluster: launches one without keys. */
static scan_status try_cluster(scan_plan *plan) {
  const scan_launch step = scan_sort_cluster_step(&plan->caps, form_of(plan), plan->max_n);
  const scan_mem some = plan->workspace;
  const scan_kernel_args args = { .in = some,
                                  .out = some,
                                  .keys_spare = some,
                                  .digits = some,
                                  .workspace = some,
                                  .n_from = some,
                                  .values_in = some,
                                  .values_out = some,
                                  .values_spare = some,
                                  .n_overflow = some,
                                  .first_bit = form_of(plan)->first_bit,
                                  .end_bit = form_of(plan)->end_bit };
  return scan_plan_launch_once(plan, &step, &args);
}

/* Tests the device with the context's first plan that uses onesweep. Returns 1 if the plan can stay as it is. Otherwise
 * it must be made again, or the test failed with *status. */
static int try_device(scan_plan *plan, scan_status *status) {
  scan_ctx *ctx = plan->ctx;
  *status = try_lanes(plan);
  if (*status != SCAN_SUCCESS || ctx->caps.onesweep != SCAN_ONESWEEP_OK) return 0;
  if (!scan_sort_is_clustered(&ctx->caps, form_of(plan), 0, plan->max_n)) return 1;
  scan_error before;
  scan_error_copy(&before, &ctx->error);
  if (try_cluster(plan) == SCAN_SUCCESS) return 1;
  ctx->caps.clusters = 0;
  scan_error_copy(&ctx->error, &before);
  return 0;
}

static scan_status make_plan(scan_ctx *ctx, const scan_sort_form *form, uint64_t max_n, scan_plan **result) {
  const scan_problem none = { .source = form->bucket }; /* keeps the source alive as long as the plan */
  scan_plan *plan;
  SCAN_TRY(scan_plan_start(ctx, &sort_plan_ops, sizeof(scan_sort_plan), &none, max_n, &plan));
  plan->needs_args = 1;
  *scan_sort_plan_of(plan) = (scan_sort_plan){ *form, scan_sort_values_of(form, max_n) };
  return scan_plan_finish(plan, sort_prepare(plan), result);
}

scan_status scan_sort_plan_make(scan_ctx *ctx, const scan_sort_form *form, uint64_t max_n, scan_plan **result) {
  SCAN_TRY(make_plan(ctx, form, max_n, result));
  if (max_n == 0 || ctx->caps.onesweep != SCAN_ONESWEEP_UNTRIED || ctx->caps.tuning.sort_sweeps != 1 ||
      !scan_sort_uses_onesweep(&ctx->caps, form, max_n))
    return SCAN_SUCCESS;
  scan_status status;
  if (try_device(*result, &status)) return SCAN_SUCCESS;
  const scan_error words = ctx->error;
  scan_plan_destroy(*result); /* may overwrite the message */
  ctx->error = words;
  *result = NULL;
  return status == SCAN_SUCCESS ? make_plan(ctx, form, max_n, result) : status;
}

uint64_t scan_sort_hidden_n(scan_ctx *ctx, const scan_sort_form *form, uint64_t n) {
  uint64_t max_n = scan_plan_hidden_n(n);
  if (n <= SORT_ONESWEEP_MOST && max_n > SORT_ONESWEEP_MOST) max_n = SORT_ONESWEEP_MOST;
  scan_error before;
  scan_error_copy(&before, &ctx->error);
  if (scan_sort_count_check(ctx, form, max_n, "n") == SCAN_SUCCESS) return max_n;
  scan_error_copy(&ctx->error, &before);
  return n;
}

/* Finds the hidden plan for n keys, or makes it. A plan above SORT_ONESWEEP_MOST is not reused for fewer keys: onesweep
 * is faster there. With gives_scratch the key has the bytes of values, too, which scratch is laid out by. */
static scan_status lookup(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, scan_plan **result) {
  const uint64_t max_n = scan_sort_hidden_n(ctx, form, n);
  const scan_sort_values values = scan_sort_values_of(form, max_n);
  const uint32_t is_beyond_onesweep = max_n > SORT_ONESWEEP_MOST;
  scan_key key;
  scan_key_start(&key);
  scan_key_add_text(&key, "sort");
  scan_key_add(&key, form, sizeof *form);
  scan_key_add(&key, &is_beyond_onesweep, sizeof is_beyond_onesweep);
  if (form->gives_scratch) scan_key_add(&key, &values.bytes, sizeof values.bytes);
  *result = scan_plan_find(ctx, &key, n);
  if (*result != NULL) return SCAN_SUCCESS;
  SCAN_TRY(scan_sort_plan_make(ctx, form, max_n, result));
  scan_plan_hide(*result, &key);
  return SCAN_SUCCESS;
}

/* ---- launches ---- */

/* 1 if the first pass would write over its input. */
static int is_in_place(const scan_plan *plan, const scan_sort_run *run) {
  const scan_sort_form *form = form_of(plan);
  const scan_sort_args *m = &run->memory;
  if (!form->drops_keys && scan_mem_same(m->keys_in, m->keys_out)) return 1;
  return scan_sort_plan_of(plan)->values.bytes != 0 && !scan_sort_plan_of(plan)->values.are_indices &&
         scan_mem_same(m->in[0], m->out[0]);
}

/* Fills the arguments that all launches of a run share. Unused arguments get a valid dummy address. */
static void fill_args(const scan_plan *plan, const scan_sort_run *run, scan_kernel_args *args) {
  const scan_sort_form *form = form_of(plan);
  const scan_sort_values values = scan_sort_plan_of(plan)->values;
  const scan_sort_args *m = &run->memory;
  const scan_mem some = plan->workspace;
  const int has_segments = scan_sort_has_segments(form);
  const scan_mem out = values.values_are_gathered ? scan_sort_memory_of(plan, run, SCAN_REGION_INDICES) : m->out[0];
  *args = (scan_kernel_args){ .n = run->n,
                              .in = scan_mem_or(scan_region_of(plan, SCAN_REGION_BUCKETS), m->keys_in),
                              .out = scan_mem_or(scan_sort_memory_of(plan, run, SCAN_REGION_KEYS), m->keys_out),
                              .keys_spare = scan_mem_or(scan_sort_memory_of(plan, run, SCAN_REGION_KEYS_SPARE), some),
                              .values_in = values.bytes != 0 && !values.are_indices ? m->in[0] : some,
                              .values_out = values.bytes != 0 ? out : some,
                              .values_spare = scan_mem_or(scan_sort_memory_of(plan, run, SCAN_REGION_VALUES), some),
                              .digits = scan_region_of(plan, SCAN_REGION_DIGITS),
                              .workspace = plan->workspace,
                              .n_from = scan_mem_or(m->n_from, some),
                              .n_overflow = scan_n_overflow_of(plan, form->clamps),
                              .bins = scan_mem_or(run->bins, some),
                              .marks = has_segments ? m->offsets : some,
                              .count = has_segments ? m->segments : 0,
                              .first_bit = form->first_bit,
                              .end_bit = form->end_bit,
                              .seed_bits = run->params[0],
                              .seed_more = run->params + 1,
                              .predicate = form->bucket };
}

/* Sets the arguments of the launch that computes each element's bucket. */
static void name_elements(const scan_plan *plan, const scan_sort_run *run, scan_kernel_args *args) {
  args->in = form_of(plan)->moves_elements ? run->memory.in[0] : run->memory.keys_in;
  args->out = scan_region_of(plan, SCAN_REGION_BUCKETS);
  args->flags = run->memory.n_from.kind != SCAN_MEM_NONE ? SELECT_N_FROM : 0u;
}

/* Sets the memory of an array that is gathered. If its output is its input, a copy is made and read. */
static scan_status name_array(scan_plan *plan, const scan_sort_run *run, int a, scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  const scan_mem scratch = scan_sort_memory_of(plan, run, SCAN_REGION_SCRATCH);
  args->in = run->memory.in[a];
  args->out = run->memory.out[a];
  args->values_in = scan_sort_memory_of(plan, run, SCAN_REGION_INDICES);
  if (!scan_mem_same(args->in, args->out)) return SCAN_SUCCESS;
  SCAN_TRY(ctx->ops->copy(ctx->device, scratch, args->in, run->n * form_of(plan)->bytes[a], &ctx->error));
  args->in = scratch;
  return SCAN_SUCCESS;
}

/* Returns a launch's work-groups: no more than there are segments, if each takes one. */
static uint32_t groups_of(const scan_launch *step, const scan_sort_run *run) {
  const uint64_t segments = run->memory.segments;
  const int by_segments = (step->flags & SORT_HELD_FIRST) != 0 && segments != 0;
  return by_segments && segments < step->launch.groups ? (uint32_t)segments : step->launch.groups;
}

static scan_status launch_all(scan_plan *plan, const scan_sort_run *run) {
  scan_ctx *ctx = plan->ctx;
  const scan_sort_form *form = form_of(plan);
  const scan_launches *launches = plan->launches;
  const int over = is_in_place(plan, run), has_n_from = run->memory.n_from.kind != SCAN_MEM_NONE;
  const scan_sort_segments_kind kind =
      scan_sort_segments_kind_of(&plan->caps, form, run->n, plan->max_n, run->memory.segments, over);
  scan_kernel_args all;
  SCAN_TRY(scan_plan_find_launches(plan, run->n, (over ? VARIANT_OVER : VARIANT_APART) | VARIANT_OF(kind)));
  fill_args(plan, run, &all);
  if (has_n_from && !form->clamps) plan->names_n = 1;
  if (scan_sort_segments_have_table(&plan->caps, form, run->n, kind))
    SCAN_TRY(ctx->ops->fill(ctx->device, all.digits, 0, SEGMENTS_COUNTER_BYTES, &ctx->error));
  for (int i = 0; i < launches->count; i++) {
    const scan_launch *step = &launches->of[i];
    scan_kernel_args args = all;
    args.flags = step->flags | (over ? SORT_IN_PLACE : 0u) | (has_n_from ? SORT_N_FROM : 0u);
    args.tile_items = step->tile_items;
    args.tiles = args.tile_capacity = step->tiles;
    args.part_tiles = step->part_tiles;
    args.part = step->part;
    args.pass = step->pass;
    args.step_items = step->step_items;
    args.element_words = step->element_words;
    args.element_bytes = step->element_bytes;
    args.tile_parts = step->tile_parts;
    args.buckets = step->buckets;
    if (step->source != NULL) name_elements(plan, run, &args);
    if (step->array != SCAN_NO_ARRAY) SCAN_TRY(name_array(plan, run, step->array, &args));
    SCAN_TRY(ctx->ops->launch(ctx->device, launches->kernels[i], groups_of(step, run), step->launch.items_per_group,
                              &args, &ctx->error));
  }
  return SCAN_SUCCESS;
}

/* ---- a run ---- */

static void sort_list(scan_operation *op, scan_buffer_list *list) {
  scan_sort_run *run = op->run;
  scan_sort_buffers(run->form, run, list);
}

static scan_status sort_launch(scan_ctx *ctx, scan_operation *op) {
  (void)ctx;
  return launch_all(op->plan, op->run);
}

static uint64_t sort_items(const scan_operation *op, uint32_t part) {
  (void)part;
  return op->n;
}

static const scan_operation_ops sort_ops = { .list = sort_list, .launch = sort_launch, .items = sort_items };

static scan_status sort_execute(scan_ctx *ctx, scan_plan *plan, scan_sort_run *run, const scan_opencl_events *events) {
  scan_operation op = { .ops = &sort_ops, .plan = plan, .run = run, .n = run->n, .n_from = run->memory.n_from };
  return scan_execute(ctx, &op, events);
}

scan_status scan_sort_run_now(scan_ctx *ctx, const scan_sort_form *form, scan_sort_run *run) {
  scan_opencl_events events;
  scan_plan *plan = NULL;
  SCAN_TRY(scan_events_copy_in(ctx, run->memory.opencl, &events));
  if (run->n > 0) SCAN_TRY(lookup(ctx, form, run->n, &plan));
  return sort_execute(ctx, plan, run, &events);
}

scan_status scan_sort_run_planned(scan_plan *plan, scan_sort_run *run) {
  scan_opencl_events events;
  SCAN_TRY(scan_events_copy_in(plan->ctx, run->memory.opencl, &events));
  return sort_execute(plan->ctx, run->n > 0 ? plan : NULL, run, &events);
}
