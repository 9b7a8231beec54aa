/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/select/partition.h"

#include <string.h>

#include "base/structs.h"
#include "core/execute.h"
#include "core/unused.h"
#include "core/regions.h"

enum { COUNT_BYTES = 8, COUNTS_BYTES = SCAN_PARTITION3_PARTS * COUNT_BYTES };

/* ---- the spec ---- */

scan_status scan_partition_spec_check(scan_ctx *ctx, const scan_partition3_spec *given, scan_partition_forms *forms) {
  scan_partition3_spec spec = { 0 };
  if (given == NULL) FAIL_INVALID("spec is NULL");
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_partition3_spec, &spec, given, "spec", &ctx->error));
  scan_op *const predicates[] = { spec.first, spec.second };
  for (uint32_t p = 0; p < 2; p++) {
    scan_select_spec select = { .struct_bytes = sizeof select,
                                .by = SCAN_SELECT_PREDICATE,
                                .rest = SCAN_REST_APART,
                                .arrays = spec.arrays,
                                .predicate = predicates[p],
                                .in_place = p,
                                .flags = spec.flags };
    if (predicates[p] == NULL)
      FAIL_INVALID("spec->%s is NULL: a partition into three goes by two predicates of scan_predicate_create",
                   p == 0 ? "first" : "second");
    memcpy(select.element_bytes, spec.element_bytes, sizeof select.element_bytes);
    memcpy(select.element_align, spec.element_align, sizeof select.element_align);
    SCAN_TRY(scan_select_spec_check(ctx, &select, &forms->pass[p]));
    const uint32_t looked = forms->pass[p].predicate->input_bytes;
    if (looked != spec.element_bytes[0])
      FAIL_INVALID("spec->element_bytes[0] is %u, but in[0] has what the predicate looks at, of %u bytes",
                   spec.element_bytes[0], looked);
    forms->pass[p].pass = p == 0 ? SCAN_PASS_FIRST : SCAN_PASS_SECOND;
  }
  forms->both = forms->pass[0];
  forms->both.pass = SCAN_PASS_BOTH;
  return SCAN_SUCCESS;
}

/* 1 if one launch partitions n elements. */
static int is_one_launch(const scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n) {
  return forms->pass[0].predicate == forms->pass[1].predicate && scan_select_partitions(&ctx->caps, &forms->both, n);
}

/* ---- the memory of a run ---- */

/* The parts of the elements, for scan_buffer.part. */
enum { PART_FIRST, PART_SECOND, PART_REST };

static void list_arrays(scan_partition_run *run, scan_mem *mem, const char *name, uint32_t part, int is_output,
                        scan_buffer_list *list) {
  const scan_select_form *form = &run->forms->pass[0];
  for (uint32_t a = 0; a < form->arrays; a++)
    scan_buffers_add(list, &(scan_buffer){ .mem = &mem[a],
                                           .bytes = run->pass[0].n * form->bytes[a],
                                           .align = form->align[a],
                                           .item_bytes = form->bytes[a],
                                           .name = name,
                                           .index = a,
                                           .part = part,
                                           .is_indexed = 1,
                                           .is_output = is_output != 0 });
}

static void list_buffers(scan_partition_run *run, scan_buffer_list *list) {
  scan_partition3_args *m = &run->memory;
  list->count = 0;
  list->rule = "a partition writes beside what it reads; give it memory apart";
  scan_buffers_add_counts(list, &m->counts, COUNTS_BYTES, "args->counts", &m->n_from);
  list_arrays(run, m->in, "args->in", PART_FIRST, 0, list);
  list_arrays(run, m->first, "args->first", PART_FIRST, 1, list);
  list_arrays(run, m->second, "args->second", PART_SECOND, 1, list);
  list_arrays(run, m->rest, "args->rest", PART_REST, 1, list);
}

static scan_status check_unused(scan_ctx *ctx, const scan_partition_forms *forms, const scan_partition3_args *args) {
  static const char why[] = "spec->arrays names fewer arrays";
  const uint32_t arrays = forms->pass[0].arrays;
  SCAN_TRY(scan_unused_arrays_check(ctx, args->in, "in", arrays, why));
  SCAN_TRY(scan_unused_arrays_check(ctx, args->first, "first", arrays, why));
  SCAN_TRY(scan_unused_arrays_check(ctx, args->second, "second", arrays, why));
  return scan_unused_arrays_check(ctx, args->rest, "rest", arrays, why);
}

static scan_mem count_of(scan_mem counts, uint32_t part) {
  return counts.kind == SCAN_MEM_NONE ? counts : scan_offset(counts, (uint64_t)part * COUNT_BYTES);
}

/* The word at which a launch of both passes has the second predicate's parameters. */
enum { SECOND_PARAMS = SCAN_OP_MOST_BYTES / sizeof(uint64_t) / 2 };

/* Sets the memory of both passes, or of the one launch. The second one compacts, in place, the elements that the first
 * one does not keep. */
static void link_passes(scan_partition_run *run) {
  const scan_partition3_args *m = &run->memory;
  scan_select_args *first = &run->pass[0].memory, *second = &run->pass[1].memory;
  for (uint32_t a = 0; a < run->forms->pass[0].arrays; a++) {
    first->in[a] = m->in[a];
    first->out[a] = m->first[a];
    first->rest[a] = second->in[a] = second->out[a] = m->second[a];
    second->rest[a] = m->rest[a];
  }
  first->marks = m->in[0];
  first->n_from = m->n_from;
  if (run->second == NULL) {
    first->count = m->counts;
    run->pass[0].last = m->rest[0];
    run->pass[0].form = &run->forms->both;
    memcpy(run->pass[0].params + SECOND_PARAMS, run->pass[1].params, SECOND_PARAMS * sizeof run->pass[1].params[0]);
    return;
  }
  second->marks = m->second[0];
  first->count = count_of(m->counts, PART_FIRST);
  second->count = count_of(m->counts, PART_SECOND);
  run->pass[1].left = count_of(m->counts, PART_REST);
}

scan_status scan_partition_args_check(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n,
                                      const scan_partition3_args *given, int stageable, scan_partition_run *run) {
  scan_partition3_args *m = &run->memory;
  scan_buffer_list list;
  if (given == NULL) FAIL_INVALID("args is NULL");
  *run = (scan_partition_run){ .forms = forms, .pass = { { .n = n }, { .n = n } } };
  SCAN_TRY(scan_struct_copy_in(SCAN_STRUCT_scan_partition3_args, m, given, "args", &ctx->error));
  SCAN_TRY(check_unused(ctx, forms, m));
  run->pass[0].memory.params = m->first_params;
  run->pass[1].memory.params = m->second_params;
  for (uint32_t p = 0; p < 2; p++) SCAN_TRY(scan_select_run_complete(ctx, &forms->pass[p], &run->pass[p]));
  list_buffers(run, &list);
  SCAN_TRY(scan_buffers_resolve(ctx, &list, stageable));
  return scan_buffers_check_apart(ctx, &list);
}

/* ---- plans and runs ---- */

scan_status scan_partition_plan_make(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t max_n,
                                     scan_plan **result) {
  scan_plan *plan = NULL;
  if (is_one_launch(ctx, forms, max_n)) return scan_select_plan_make(ctx, &forms->both, NULL, max_n, result);
  SCAN_TRY(scan_select_plan_make(ctx, &forms->pass[0], NULL, max_n, &plan));
  const scan_status status = scan_select_plan_make(ctx, &forms->pass[1], NULL, max_n, &plan->inner);
  if (status == SCAN_SUCCESS) {
    *result = plan;
    return SCAN_SUCCESS;
  }
  plan->inner = NULL;
  scan_plan_end(plan, 0);
  return status;
}

scan_status scan_partition_lookup(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n, scan_plan **first,
                                  scan_plan **second) {
  *second = NULL;
  if (is_one_launch(ctx, forms, n)) return scan_select_lookup(ctx, &forms->both, NULL, n, first);
  SCAN_TRY(scan_select_lookup(ctx, &forms->pass[0], NULL, n, first));
  return scan_select_lookup(ctx, &forms->pass[1], NULL, n, second);
}

scan_partition_forms scan_partition_forms_of(const scan_plan *plan) {
  const scan_select_form *first = &scan_select_plan_of(plan)->form;
  const scan_select_form *second = plan->inner != NULL ? &scan_select_plan_of(plan->inner)->form : first;
  return (scan_partition_forms){ { *first, *second }, *first };
}

static void partition_list(scan_operation *op, scan_buffer_list *list) { list_buffers(op->run, list); }

static scan_status partition_launch(scan_ctx *ctx, scan_operation *op) {
  scan_partition_run *run = op->run;
  (void)ctx;
  link_passes(run);
  if (run->second == NULL) return scan_select_launch(op->plan, &run->pass[0]);
  run->pass[1].memory.n_from = scan_region_of(op->plan, SCAN_REGION_LEFT);
  run->second->recordable = op->plan->recordable;
  SCAN_TRY(scan_select_launch(op->plan, &run->pass[0]));
  return scan_select_launch(run->second, &run->pass[1]);
}

static scan_status partition_count(scan_ctx *ctx, scan_operation *op) {
  scan_partition_run *run = op->run;
  (void)ctx;
  SCAN_TRY(scan_select_kept_read(op->plan, &run->pass[0], &op->kept[0]));
  if (run->second == NULL) {
    const scan_mem counts = scan_mem_or(run->memory.counts, scan_region_of(op->plan, SCAN_REGION_COUNT));
    return scan_number_read(op->plan->ctx, count_of(counts, PART_SECOND), &op->kept[1]);
  }
  return scan_select_kept_read(run->second, &run->pass[1], &op->kept[1]);
}

static uint64_t partition_items(const scan_operation *op, uint32_t part) {
  return part == PART_REST ? op->n - op->kept[0] - op->kept[1] : op->kept[part];
}

static const scan_operation_ops partition_ops = {
  .list = partition_list, .launch = partition_launch, .count = partition_count, .items = partition_items
};

scan_status scan_partition_execute(scan_ctx *ctx, scan_plan *first, scan_plan *second, scan_partition_run *run,
                                   const scan_opencl_events *events) {
  scan_operation op = {
    .ops = &partition_ops, .plan = first, .run = run, .n = run->pass[0].n, .n_from = run->memory.n_from
  };
  run->second = second;
  return scan_execute(ctx, &op, events);
}
