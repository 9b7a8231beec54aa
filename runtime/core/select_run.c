/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: from a checked form to a plan, and from the plan to launches. */
#include "core/select_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_cl/select.h"

/* ---- plans ---- */

static scan_kernel_key key_of(const scan_select_form *form, const scan_select_step *step) {
  const int is_predicate = step->primitive == NULL;
  return (scan_kernel_key){ .file = step->launch.file,
                            .kernel = step->launch.kernel,
                            .arguments = step->launch.arguments,
                            .input_type = step->type,
                            .type = step->type,
                            .op = is_predicate ? SCAN_OP_NONE : SCAN_ADD,
                            .source = is_predicate ? form->predicate : NULL,
                            .subtiles = 1,
                            .primitive = step->primitive };
}

/* The kernel of an earlier step that this one shares; NULL: none. */
static scan_kernel *shared_kernel(const struct scan_select_plan *select, const scan_select_step *steps, int own) {
  for (int i = 0; i < own; i++)
    if (steps[i].type == steps[own].type && strcmp(steps[i].launch.kernel, steps[own].launch.kernel) == 0)
      return select->kernels[i];
  return NULL;
}

static scan_status create_kernels(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  struct scan_select_plan *select = plan->select;
  scan_select_step steps[SCAN_SELECT_MOST_STEPS];
  scan_kernel_key keys[SCAN_SELECT_MOST_STEPS];
  select->step_count = scan_select_steps(&plan->caps, &select->form, plan->max_n, steps);
  for (int i = 0; i < select->step_count; i++) keys[i] = key_of(&select->form, &steps[i]);
  if (ctx->ops->kernels_prepare != NULL) ctx->ops->kernels_prepare(ctx->device, keys, select->step_count);
  for (int i = 0; i < select->step_count; i++) {
    select->kernels[i] = shared_kernel(select, steps, i);
    if (select->kernels[i] != NULL) continue;
    SCAN_TRY(ctx->ops->kernel_create(ctx->device, &keys[i], &select->kernels[i], &ctx->error));
    plan->kernels[plan->kernel_count++].kernel = select->kernels[i];
  }
  return SCAN_SUCCESS;
}

static scan_status prepare(scan_plan *plan) {
  if (plan->max_n > 0) SCAN_TRY(create_kernels(plan));
  plan->regions[SCAN_REGION_STRATEGY].bytes = scan_select_count_bytes(plan->max_n);
  plan->regions[SCAN_REGION_HEADS].bytes = scan_select_bits_bytes(&plan->select->form, plan->max_n);
  plan->regions[SCAN_REGION_KEEP].bytes = plan->regions[SCAN_REGION_EXCESS].bytes = sizeof(uint64_t);
  return scan_regions_make(plan);
}

static void describe(const scan_plan *plan, scan_plan_facts *facts) {
  scan_select_step steps[SCAN_SELECT_MOST_STEPS];
  const int count = scan_select_steps(&plan->caps, &plan->select->form, plan->max_n, steps);
  if (plan->each != NULL) {
    plan->each->describe(plan->each, facts);
    facts->launches += (uint32_t)count;
    facts->workspace_bytes += plan->workspace_bytes;
    return;
  }
  *facts = (scan_plan_facts){ .struct_bytes = sizeof *facts,
                              .strategy = SCAN_STRATEGY_AUTO,
                              .max_n = plan->max_n,
                              .tile_items = SELECT_TILE_ITEMS,
                              .tiles = SELECT_TILES(plan->max_n),
                              .workspace_bytes = plan->workspace_bytes,
                              .launches = (uint32_t)count,
                              .groups = steps[0].launch.groups,
                              .items_per_group = steps[0].launch.items_per_group,
                              .work = plan->max_n };
  snprintf(facts->reason, sizeof facts->reason, "marks, places and elements in launches of their own: nobody waits");
}

/* The scan whose values are compacted has a plan of its own, which ends with this one. */
static scan_status prepare_all(scan_plan *plan, const scan_reduced *reduced) {
  if (reduced == NULL) return prepare(plan);
  plan->regions[SCAN_REGION_BEGINS].bytes = scan_select_bits_bytes(&plan->select->form, plan->max_n);
  plan->regions[SCAN_REGION_VALUES].bytes = plan->max_n * scan_problem_output_bytes(&reduced->problem);
  SCAN_TRY(prepare(plan));
  return scan_plan_make(plan->ctx, &reduced->problem, reduced->strategy, plan->max_n, &plan->each);
}

scan_status scan_select_plan_make(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                  uint64_t max_n, scan_plan **result) {
  const scan_source *source = reduced != NULL ? reduced->problem.source : form->predicate;
  const scan_problem none = { .source = source }; /* lives as long as the plan */
  scan_plan *plan;
  SCAN_TRY(scan_plan_start(ctx, &none, max_n, &plan));
  plan->describe = describe;
  plan->needs_args = 1;
  plan->select = calloc(1, sizeof *plan->select);
  if (plan->select == NULL)
    return scan_plan_finish(plan, scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a plan"), result);
  plan->select->form = *form;
  return scan_plan_finish(plan, prepare_all(plan, reduced), result);
}

/* What hidden plans are found by. */
static void make_key(const scan_select_form *form, const scan_reduced *reduced, scan_key *key) {
  if (reduced != NULL)
    scan_problem_key(&reduced->problem, reduced->strategy, key);
  else
    scan_key_start(key);
  scan_key_add_text(key, "select");
  scan_key_add(key, form, sizeof *form);
}

scan_status scan_select_lookup(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced, uint64_t n,
                               scan_plan **result) {
  uint64_t max_n = 1 << 16;
  scan_key key;
  make_key(form, reduced, &key);
  *result = scan_plan_find(ctx, &key, n);
  if (*result != NULL) return SCAN_SUCCESS;
  while (max_n < n) max_n *= 2;
  const int is_too_large = scan_select_count_check(ctx, form, max_n, "n") != SCAN_SUCCESS;
  if (is_too_large || (reduced != NULL && ctx->caps.loop_limit != 0)) max_n = n;
  ctx->error.text[0] = '\0';
  SCAN_TRY(scan_select_plan_make(ctx, form, reduced, max_n, result));
  (*result)->hidden = 1;
  (*result)->key = key;
  return SCAN_SUCCESS;
}

const char *scan_select_call(const scan_select_form *form) {
  if (!scan_select_is_of_runs(form)) return "select";
  return form->by == SCAN_SELECT_FIRST ? "run_length" : "reduce_by_key";
}

scan_status scan_select_plan_check(const scan_plan *plan, const char *call, uint64_t n) {
  scan_ctx *ctx = plan->ctx;
  if (plan->select == NULL)
    REFUSE("scan_plan_run_%s: the plan was not made by scan_plan_create_%s; run it as it was made", call, call);
  const char *made = scan_select_call(&plan->select->form);
  if (strcmp(made, call) != 0)
    REFUSE("scan_plan_run_%s: the plan was made by scan_plan_create_%s; run it with scan_plan_run_%s", call, made,
           made);
  if (n > plan->max_n) REFUSE("n is %" PRIu64 ", but the plan was created for at most %" PRIu64, n, plan->max_n);
  return SCAN_SUCCESS;
}

/* ---- launches ---- */

/* What all launches of a run are given. Memory that no kernel looks at is some that there is. */
static void fill_args(const scan_plan *plan, const scan_select_run *run, scan_kernel_args *args) {
  const scan_select_form *form = &plan->select->form;
  const scan_select_args *m = &run->memory;
  const int has_n_from = m->n_from.kind != SCAN_MEM_NONE;
  *args =
      (scan_kernel_args){ .workspace = plan->workspace,
                          .n = run->n,
                          .marks = m->marks,
                          .heads = form->by == SCAN_SELECT_BITS ? m->marks : scan_region_of(plan, SCAN_REGION_HEADS),
                          .kept = m->count,
                          .n_from = has_n_from ? m->n_from : plan->workspace,
                          .excess = scan_region_of(plan, SCAN_REGION_EXCESS),
                          .capacity = m->capacity,
                          .rest_capacity = form->rest == SCAN_REST_BEHIND ? m->capacity : m->rest_capacity,
                          .seed_bits = run->params[0],
                          .seed_more = run->params + 1,
                          .predicate = form->predicate,
                          .flags = scan_select_flags(form, has_n_from) };
  if (args->kept.kind == SCAN_MEM_NONE) args->kept = scan_region_of(plan, SCAN_REGION_KEEP);
}

/* Where an array's elements come from; of what has none, some memory that there is. */
static scan_mem in_of(const scan_plan *plan, const scan_select_run *run, uint32_t a) {
  switch (plan->select->form.what[a]) {
  case SCAN_SELECT_MOVED: return run->memory.in[a];
  case SCAN_SELECT_KEYS: return run->memory.marks;
  case SCAN_SELECT_VALUES: return scan_region_of(plan, SCAN_REGION_VALUES);
  default: return run->memory.out[a];
  }
}

/* One array's. */
static void name_array(const scan_plan *plan, const scan_select_run *run, uint32_t a, scan_kernel_args *args) {
  const scan_select_form *form = &plan->select->form;
  const scan_select_args *m = &run->memory;
  args->out = m->out[a];
  args->in = in_of(plan, run, a);
  args->rest = form->rest == SCAN_REST_APART ? m->rest[a] : m->out[a];
  args->pieces = scan_select_pieces(form, a);
}

/* Where runs begin, and the values of all elements, of which those that end a run are then kept; `args` then has the
 * beginnings for marks. */
static scan_status reduce(scan_plan *plan, const scan_select_run *run, const scan_select_step *step,
                          scan_kernel *kernel, scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  scan_problem problem = *run->reduced;
  scan_kernel_args own = *args;
  own.heads = scan_region_of(plan, SCAN_REGION_BEGINS);
  own.flags = 0; /* the first elements, of all n */
  SCAN_TRY(ctx->ops->launch(ctx->device, kernel, step->launch.groups, step->launch.items_per_group, &own, &ctx->error));
  args->marks = own.heads;
  problem.segments.memory = own.heads;
  problem.segments.count = run->n;
  return scan_plan_launch(plan->each, &problem, run->n, run->values, scan_region_of(plan, SCAN_REGION_VALUES), 0);
}

scan_status scan_select_launch(scan_plan *plan, const scan_select_run *run) {
  scan_ctx *ctx = plan->ctx;
  struct scan_select_plan *select = plan->select;
  scan_select_step steps[SCAN_SELECT_MOST_STEPS];
  scan_kernel_args args;
  const int reduces = scan_select_reduces(&select->form);
  const int count = scan_select_steps(&plan->caps, &select->form, run->n, steps) - reduces;
  fill_args(plan, run, &args);
  if (run->memory.n_from.kind != SCAN_MEM_NONE) select->names_n = 1;
  if (reduces) SCAN_TRY(reduce(plan, run, &steps[count], select->kernels[count], &args));
  for (int i = 0; i < count; i++) {
    const uint32_t array = (uint32_t)(i - SCAN_SELECT_FIRST_MOVE);
    if (i >= SCAN_SELECT_FIRST_MOVE && !scan_select_is_wanted(&select->form, run, array)) continue;
    if (i >= SCAN_SELECT_FIRST_MOVE) name_array(plan, run, array, &args);
    SCAN_TRY(ctx->ops->launch(ctx->device, select->kernels[i], steps[i].launch.groups, steps[i].launch.items_per_group,
                              &args, &ctx->error));
  }
  return SCAN_SUCCESS;
}

/* ---- what a run finds out ---- */

/* On CUDA a graph may hold the plan's launches, and replay them unseen: there it is looked at whenever somebody waits.
 */
static scan_status read_excess(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  uint64_t found = 0;
  if (plan->select == NULL || !plan->select->names_n) return SCAN_SUCCESS;
  plan->select->names_n = ctx->ops->id == SCAN_BACKEND_CUDA;
  SCAN_TRY(ctx->ops->read(ctx->device, scan_region_of(plan, SCAN_REGION_EXCESS), &found, sizeof found, &ctx->error));
  if (found == 0) return SCAN_SUCCESS;
  ctx->owed_excess = found;
  ctx->owed_excess_most = plan->max_n;
  return scan_region_clear(plan, SCAN_REGION_EXCESS);
}

void scan_select_excess_keep(scan_plan *plan) { (void)read_excess(plan); }

scan_status scan_select_excess_check(scan_ctx *ctx) {
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) SCAN_TRY(read_excess(plan));
  const uint64_t excess = ctx->owed_excess;
  ctx->owed_excess = 0;
  if (excess == 0) return SCAN_SUCCESS;
  REFUSE("args->n_from had %" PRIu64 " elements, more than the n that the call was given (its plan is for %" PRIu64
         "): what is past n was left out; give room for as many",
         excess, ctx->owed_excess_most);
}
