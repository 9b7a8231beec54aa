/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: makes a plan of a checked form. Chooses its kernels and sizes its workspace. */
#include "ops/select/select_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels_cl/select/select.h"
#include "core/regions.h"
#include "core/launch.h"
#include "ops/scan/scan_plan.h"

static const scan_select_plan *own(const scan_plan *plan) { return scan_select_plan_of(plan); }

static scan_select_variant variant_of(const scan_plan *plan, uint32_t variant) {
  const scan_select_plan *select = own(plan);
  return (scan_select_variant){ .is_pipelined = select->is_pipelined,
                                .is_fused = select->is_pipelined && variant == SCAN_SELECT_FUSED,
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

/* Writes numbers of elements whose kernels are those of every n up to max_n, and returns how many: the kernels change
 * with few elements, and where one launch reduces runs. */
static int list_samples(const scan_plan *plan, const scan_select_form *form, uint64_t samples[3]) {
  const uint64_t alone = scan_select_alone_items(&plan->caps, form);
  samples[0] = plan->max_n;
  samples[1] = 1;
  samples[2] = alone < plan->max_n ? alone : plan->max_n;
  return alone > 0 ? 3 : 2;
}

/* 1 if the device has the pipelined method for the form, and the kernels of both variants. */
static int has_pipelined(const scan_plan *plan, const scan_select_form *form) {
  if (scan_select_is_marked(form)) return 0;
  if (!scan_select_is_pipelined(&plan->caps, form)) return 0;
  if (plan->ctx->ops->is_compiled == NULL) return 1;
  uint64_t samples[3];
  const int count = list_samples(plan, form, samples);
  for (int i = 0; i < 2 * count; i++)
    if (!is_compiled(plan, form, i % 2, samples[i / 2])) return 0;
  return 1;
}

/* Creates the kernels of both variants. */
static scan_status create_kernels(scan_plan *plan) {
  scan_wanted wanted = { .count = 0 };
  uint64_t samples[3];
  const int count = list_samples(plan, &own(plan)->form, samples);
  for (uint32_t variant = SCAN_SELECT_SPLIT;
       variant <= (own(plan)->is_pipelined ? SCAN_SELECT_FUSED : SCAN_SELECT_SPLIT); variant++)
    for (int i = 0; i < count; i++) SCAN_TRY(scan_plan_want(plan, samples[i], variant, &wanted));
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

int scan_select_reads_scan(const scan_plan *plan) {
  const scan_select_plan *select = own(plan);
  if (!scan_select_reduces(&select->form)) return 0;
  return !select->is_pipelined || !scan_select_is_reduced(&plan->caps, &select->form);
}

int scan_select_is_alone(const scan_plan *plan, uint64_t n) {
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
      is_pipelined && !is_encoded && (scan_select_has_lengths(form) || scan_select_reads_scan(plan)) ? counts : 0;
  const int needs_flag_bits = !is_encoded && (!scan_select_reduces(form) || scan_select_reads_scan(plan));
  plan->regions[SCAN_REGION_FLAG_BITS].bytes = needs_flag_bits ? scan_select_bits_bytes(form, plan->max_n) : 0;
  plan->regions[SCAN_REGION_LEFT].bytes =
      form->pass == SCAN_PASS_FIRST || form->pass == SCAN_PASS_SECOND ? sizeof(uint64_t) : 0;
  plan->regions[SCAN_REGION_SCRATCH].bytes = scratch_bytes(plan);
  plan->regions[SCAN_REGION_COUNT].bytes = scan_select_counts(form) * sizeof(uint64_t);
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
  const scan_select_variant chosen = variant_of(plan, SCAN_SELECT_FUSED);
  const int count = list_launches(plan, plan->max_n, SCAN_SELECT_FUSED, steps);
  const uint32_t bytes = own(plan)->form.bytes[steps[0].reduces ? 1 : 0];
  const uint64_t items = chosen.is_pipelined ? steps[0].tile_parts * SELECT_PART_ITEMS(bytes) : SELECT_TILE_ITEMS;
  if (plan->inner != NULL) {
    plan->inner->ops->describe(plan->inner, facts);
    facts->launches = (chosen.sums != NULL ? 0 : facts->launches) + (uint32_t)count;
    if (scan_select_is_alone(plan, plan->max_n)) facts->launches = 1;
    facts->workspace_bytes += plan->workspace_bytes;
    return;
  }
  *facts = scan_launch_facts(plan, steps, count, items);
  facts->strategy = strategy_of(plan);
  snprintf(facts->reason, sizeof facts->reason, "%s",
           chosen.is_pipelined ? "a launch an array, which looks back"
           : facts->strategy == SCAN_STRATEGY_THREADS
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
  if (!scan_select_reads_scan(plan)) return select_prepare(plan);
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
