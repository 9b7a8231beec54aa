/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: from a checked form to a plan, and from the plan to launches. */
#include "core/select_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_cl/select.h"

/* ---- plans ---- */

static scan_kernel_key key_of(const scan_select_step *step) {
  return (scan_kernel_key){ .file = step->launch.file,
                            .kernel = step->launch.kernel,
                            .arguments = step->launch.arguments,
                            .input_type = step->type,
                            .type = step->type,
                            .op = step->source != NULL ? SCAN_OP_NONE : SCAN_ADD,
                            .source = step->source,
                            .subtiles = 1,
                            .local_bytes = step->launch.local_bytes,
                            .primitive = step->primitive };
}

/* The plan's kernel of a step; its number of sub-tiles tells those of one name and different types apart. */
static scan_kernel *kernel_of(const scan_plan *plan, const scan_select_step *step) {
  for (int i = 0; i < plan->kernel_count; i++)
    if (plan->kernels[i].subtiles == (uint32_t)step->type && strcmp(plan->kernels[i].name, step->launch.kernel) == 0)
      return plan->kernels[i].kernel;
  return NULL;
}

static scan_status create_step_kernels(scan_plan *plan, const scan_select_step *steps, int count) {
  scan_ctx *ctx = plan->ctx;
  scan_kernel_key keys[SCAN_SELECT_MOST_STEPS];
  for (int i = 0; i < count; i++) keys[i] = key_of(&steps[i]);
  if (ctx->ops->kernels_prepare != NULL) ctx->ops->kernels_prepare(ctx->device, keys, count);
  for (int i = 0; i < count; i++) {
    scan_plan_kernel *own = &plan->kernels[plan->kernel_count];
    if (kernel_of(plan, &steps[i]) != NULL) continue;
    SCAN_TRY(ctx->ops->kernel_create(ctx->device, &keys[i], &own->kernel, &ctx->error));
    own->name = steps[i].launch.kernel;
    own->subtiles = (uint32_t)steps[i].type;
    plan->kernel_count++;
  }
  return SCAN_SUCCESS;
}

/* Whether the kernels of both ways of the pipelined form are there, or can be compiled. */
static int has_pipelined(const scan_plan *plan, const scan_select_form *form) {
  const scan_backend_ops *ops = plan->ctx->ops;
  if (!scan_select_is_pipelined(&plan->caps, form)) return 0;
  for (int is_fused = 0; is_fused < 2; is_fused++) {
    scan_select_step steps[SCAN_SELECT_MOST_STEPS];
    const int count = scan_select_pipelined_steps(&plan->caps, form, is_fused, plan->max_n, steps);
    for (int i = 0; i < count; i++) {
      const scan_kernel_key key = key_of(&steps[i]);
      if (key.source == NULL && !ops->is_compiled(plan->ctx->device, &key)) return 0;
    }
  }
  return 1;
}

/* For each way that a run may go. */
static scan_status create_kernels(scan_plan *plan) {
  const struct scan_select_plan *select = plan->select;
  for (int is_fused = 0; is_fused <= select->is_pipelined; is_fused++) {
    scan_select_step steps[SCAN_SELECT_MOST_STEPS];
    const scan_select_way way = { select->is_pipelined, is_fused };
    const int count = scan_select_steps(&plan->caps, &select->form, way, plan->max_n, steps);
    SCAN_TRY(create_step_kernels(plan, steps, count));
  }
  return SCAN_SUCCESS;
}

/* Memory for one array, of which a copy is read where the output is written over it. */
static uint64_t scratch_bytes(const scan_plan *plan) {
  const scan_select_form *form = &plan->select->form;
  uint32_t most = 0;
  if (!form->in_place || (plan->select->is_pipelined && form->rest != SCAN_REST_BEHIND)) return 0;
  for (uint32_t a = 0; a < form->arrays; a++) most = form->bytes[a] > most ? form->bytes[a] : most;
  return plan->max_n * most;
}

static scan_status prepare(scan_plan *plan) {
  if (plan->max_n > 0) SCAN_TRY(create_kernels(plan));
  plan->regions[SCAN_REGION_STRATEGY].bytes = scan_select_count_bytes(&plan->caps, plan->select->is_pipelined, plan->max_n);
  plan->regions[SCAN_REGION_SCRATCH].bytes = scratch_bytes(plan);
  plan->regions[SCAN_REGION_HEADS].bytes = scan_select_bits_bytes(&plan->select->form, plan->max_n);
  plan->regions[SCAN_REGION_KEEP].bytes = plan->regions[SCAN_REGION_EXCESS].bytes = sizeof(uint64_t);
  return scan_regions_make(plan);
}

static void describe(const scan_plan *plan, scan_plan_facts *facts) {
  scan_select_step steps[SCAN_SELECT_MOST_STEPS];
  const scan_select_way way = { plan->select->is_pipelined, 1 };
  const int count = scan_select_steps(&plan->caps, &plan->select->form, way, plan->max_n, steps);
  const uint32_t bytes = plan->select->form.bytes[0];
  const uint64_t items = way.is_pipelined ? steps[0].pieces * SELECT_PART_ITEMS(bytes) : SELECT_TILE_ITEMS;
  *facts = (scan_plan_facts){ .struct_bytes = sizeof *facts,
                              .strategy = way.is_pipelined ? SCAN_STRATEGY_PIPELINED : SCAN_STRATEGY_AUTO,
                              .max_n = plan->max_n,
                              .tile_items = items,
                              .tiles = plan->max_n / items + (plan->max_n % items != 0),
                              .workspace_bytes = plan->workspace_bytes,
                              .launches = (uint32_t)count,
                              .groups = steps[0].launch.groups,
                              .items_per_group = steps[0].launch.items_per_group,
                              .work = plan->max_n };
  snprintf(facts->reason, sizeof facts->reason, "%s",
           way.is_pipelined ? "a launch an array, which looks back"
                            : "marks, places and elements in launches of their own: nobody waits");
}

scan_status scan_select_plan_make(scan_ctx *ctx, const scan_select_form *form, uint64_t max_n, scan_plan **result) {
  const scan_problem none = { .source = form->predicate }; /* lives as long as the plan */
  scan_plan *plan;
  SCAN_TRY(scan_plan_start(ctx, &none, max_n, &plan));
  plan->describe = describe;
  plan->needs_args = 1;
  plan->select = calloc(1, sizeof *plan->select);
  if (plan->select == NULL)
    return scan_plan_finish(plan, scan_fail(&ctx->error, SCAN_OUT_OF_MEMORY, "no host memory for a plan"), result);
  plan->select->form = *form;
  plan->select->is_pipelined = has_pipelined(plan, form);
  plan->has_control_block = plan->select->is_pipelined;
  plan->tile_capacity = scan_select_tile_capacity(&plan->caps, max_n);
  return scan_plan_finish(plan, prepare(plan), result);
}

scan_status scan_select_lookup(scan_ctx *ctx, const scan_select_form *form, uint64_t n, scan_plan **result) {
  uint64_t max_n = 1 << 16;
  scan_key key;
  scan_key_start(&key);
  scan_key_add_text(&key, "select");
  scan_key_add(&key, form, sizeof *form);
  *result = scan_plan_find(ctx, &key, n);
  if (*result != NULL) return SCAN_SUCCESS;
  while (max_n < n) max_n *= 2;
  if (scan_select_count_check(ctx, form, max_n, "n") != SCAN_SUCCESS) max_n = n;
  ctx->error.text[0] = '\0';
  SCAN_TRY(scan_select_plan_make(ctx, form, max_n, result));
  (*result)->hidden = 1;
  (*result)->key = key;
  return SCAN_SUCCESS;
}

/* ---- launches ---- */

/* Polls before a work-group counts the missing tile itself, or, where it may be gone, gives up. */
enum { SPIN_LIMIT = 1 << 14, SPIN_LIMIT_OVER = 1 << 26 };

/* What all launches of a run are given. Memory that no kernel looks at is some that there is. */
static void fill_args(const scan_plan *plan, const scan_select_run *run, scan_kernel_args *args) {
  const scan_select_args *m = &run->memory;
  *args = (scan_kernel_args){ .workspace = plan->workspace,
                              .n = run->n,
                              .heads = scan_region_of(plan, SCAN_REGION_HEADS),
                              .kept = m->count,
                              .n_from = m->n_from.kind != SCAN_MEM_NONE ? m->n_from : plan->workspace,
                              .excess = scan_region_of(plan, SCAN_REGION_EXCESS),
                              .tile_capacity = plan->tile_capacity,
                              .seed_bits = run->params[0],
                              .seed_more = run->params + 1,
                              .predicate = plan->select->form.predicate };
  if (args->kept.kind == SCAN_MEM_NONE) args->kept = scan_region_of(plan, SCAN_REGION_KEEP);
  if (args->heads.kind == SCAN_MEM_NONE) args->heads = m->marks;
}

/* The memory of a step's array; without one nothing has room. */
static void name_array(const scan_plan *plan, const scan_select_run *run, const scan_select_step *step,
                       scan_kernel_args *args) {
  const scan_select_form *form = &plan->select->form;
  const scan_select_args *m = &run->memory;
  args->in = args->out = args->rest = m->marks;
  args->capacity = args->rest_capacity = 0;
  if (step->array == SCAN_SELECT_NO_ARRAY) return;
  const int a = step->array;
  args->out = m->out[a];
  args->in = form->index_type != 0 ? m->out[a] : m->in[a];
  args->rest = form->rest == SCAN_REST_APART ? m->rest[a] : m->out[a];
  args->capacity = m->capacity;
  args->rest_capacity = form->rest == SCAN_REST_BEHIND ? m->capacity : m->rest_capacity;
}

static uint32_t step_flags(const scan_select_run *run, const scan_select_step *step, int is_over) {
  return step->flags | (run->memory.n_from.kind != SCAN_MEM_NONE ? SELECT_N_FROM : 0u) | (is_over ? SELECT_OVER : 0u);
}

static scan_status launch_step(scan_plan *plan, const scan_select_run *run, int i, scan_kernel_args *args) {
  scan_ctx *ctx = plan->ctx;
  struct scan_select_plan *select = plan->select;
  const scan_select_step *step = &select->steps[i];
  const scan_mem scratch = scan_region_of(plan, SCAN_REGION_SCRATCH);
  name_array(plan, run, step, args);
  int is_over = step->array != SCAN_SELECT_NO_ARRAY && select->form.index_type == 0 && scan_mem_same(args->in, args->out);
  if (is_over && scratch.kind != SCAN_MEM_NONE) {
    SCAN_TRY(ctx->ops->copy(ctx->device, scratch, args->in, run->n * select->form.bytes[step->array], &ctx->error));
    args->in = scratch;
    is_over = 0;
  }
  plan->ran_in_place |= (uint32_t)is_over;
  args->marks = step->reads_bits ? args->heads : run->memory.marks;
  args->flags = step_flags(run, step, is_over);
  args->pieces = step->pieces;
  args->spin_limit = is_over ? SPIN_LIMIT_OVER : SPIN_LIMIT;
  return ctx->ops->launch(ctx->device, select->kernels[i], step->launch.groups, step->launch.items_per_group, args,
                          &ctx->error);
}

/* The launches of a run, with their kernels. */
static scan_status find_steps(scan_plan *plan, const scan_select_run *run) {
  struct scan_select_plan *select = plan->select;
  const int is_fused = select->is_pipelined && select->form.index_type == 0 && select->form.by != SCAN_SELECT_FLAGS &&
                       select->form.by != SCAN_SELECT_BITS && scan_mem_same(run->memory.marks, run->memory.in[0]);
  const scan_select_way way = { select->is_pipelined, is_fused };
  if (select->last_n == run->n && select->last_way.is_fused == is_fused) return SCAN_SUCCESS;
  select->step_count = scan_select_steps(&plan->caps, &select->form, way, run->n, select->steps);
  for (int i = 0; i < select->step_count; i++) {
    select->kernels[i] = kernel_of(plan, &select->steps[i]);
    if (select->kernels[i] == NULL)
      return scan_fail(&plan->ctx->error, SCAN_BUILD_FAILED, "internal: the plan has no %s",
                       select->steps[i].launch.kernel);
  }
  select->last_n = run->n;
  select->last_way = way;
  return SCAN_SUCCESS;
}

scan_status scan_select_launch(scan_plan *plan, const scan_select_run *run) {
  struct scan_select_plan *select = plan->select;
  scan_kernel_args args;
  SCAN_TRY(find_steps(plan, run));
  fill_args(plan, run, &args);
  if (run->memory.n_from.kind != SCAN_MEM_NONE) select->names_n = 1;
  plan->unchecked = plan->has_control_block;
  for (int i = 0; i < select->step_count; i++) SCAN_TRY(launch_step(plan, run, i, &args));
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
