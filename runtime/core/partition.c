/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/partition.h"

#include <stdio.h>
#include <string.h>

#include "base/structs.h"
#include "core/unused.h"

enum { COUNT_BYTES = 8, COUNTS_BYTES = SCAN_PARTITION3_PARTS * COUNT_BYTES };

/* ---- the spec ---- */

scan_status scan_partition_spec_check(scan_ctx *ctx, const scan_partition3_spec *given, scan_partition_forms *forms) {
  scan_partition3_spec spec = { 0 };
  if (given == NULL) REFUSE("spec is NULL");
  SCAN_TRY(scan_struct_take(SCAN_STRUCT_scan_partition3_spec, &spec, given, "spec", &ctx->error));
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
      REFUSE("spec->%s is NULL: a partition into three goes by two predicates of scan_predicate_create",
             p == 0 ? "first" : "second");
    memcpy(select.element_bytes, spec.element_bytes, sizeof select.element_bytes);
    memcpy(select.element_align, spec.element_align, sizeof select.element_align);
    SCAN_TRY(scan_select_spec_check(ctx, &select, &forms->pass[p]));
    const uint32_t looked = forms->pass[p].predicate->input_bytes;
    if (looked != spec.element_bytes[0])
      REFUSE("spec->element_bytes[0] is %u, but in[0] has what the predicate looks at, of %u bytes",
             spec.element_bytes[0], looked);
    forms->pass[p].pass = p + 1;
  }
  return SCAN_SUCCESS;
}

/* ---- the memory of a run ---- */

static scan_mem count_of(scan_mem counts, uint32_t part) {
  return counts.kind == SCAN_MEM_NONE ? counts : scan_offset(counts, (uint64_t)part * COUNT_BYTES);
}

static scan_status take_counts(scan_ctx *ctx, int stageable, scan_mem *counts) {
  if (counts->kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  SCAN_TRY(scan_mem_take(ctx, counts, COUNTS_BYTES, stageable, "args->counts"));
  if (!scan_mem_aligned(*counts, COUNT_BYTES)) REFUSE("args->counts is not aligned to 8 bytes");
  return SCAN_SUCCESS;
}

typedef struct part_span {
  scan_mem mem;
  uint64_t bytes;
  const char *name;
  uint32_t array;
} part_span;

static scan_status check_span(scan_ctx *ctx, const part_span *a, const part_span *b) {
  if (!scan_mem_shared(ctx, a->mem, a->bytes, b->mem, b->bytes)) return SCAN_SUCCESS;
  REFUSE("args->%s[%u] and args->%s overlap: a partition writes beside what it reads; give it memory apart", a->name,
         a->array, b->name);
}

/* What neither compaction has both of: the rest beside the input and the first part, and all three counts. */
static scan_status check_apart(scan_ctx *ctx, const scan_partition_forms *forms, const scan_partition_run *run) {
  const scan_select_args *m = &run->pass[0].memory, *more = &run->pass[1].memory;
  const uint64_t n = run->pass[0].n, counts_bytes = run->counts.kind == SCAN_MEM_NONE ? 0 : COUNTS_BYTES;
  const uint32_t arrays = forms->pass[0].arrays;
  for (uint32_t a = 0; a < arrays; a++) {
    const uint64_t bytes = n * forms->pass[0].bytes[a];
    const part_span own[] = { { m->in[a], bytes, "in", a },
                              { m->out[a], bytes, "first", a },
                              { m->rest[a], bytes, "second", a },
                              { more->rest[a], bytes, "rest", a } };
    for (int i = 0; i < 4 && counts_bytes > 0; i++)
      SCAN_TRY(check_span(ctx, &own[i], &(part_span){ run->counts, counts_bytes, "counts", 0 }));
    for (uint32_t b = 0; b < arrays; b++)
      for (int i = 0; i < 2; i++) {
        const part_span rest = { more->rest[b], n * forms->pass[0].bytes[b], "rest", b };
        SCAN_TRY(check_span(ctx, &own[i], &rest));
      }
  }
  return SCAN_SUCCESS;
}

static scan_status check_unused(scan_ctx *ctx, const scan_partition_forms *forms, const scan_partition3_args *args) {
  static const char why[] = "spec->arrays names fewer arrays";
  const uint32_t arrays = forms->pass[0].arrays;
  SCAN_TRY(scan_unused_arrays_check(ctx, args->in, "in", arrays, why));
  SCAN_TRY(scan_unused_arrays_check(ctx, args->first, "first", arrays, why));
  SCAN_TRY(scan_unused_arrays_check(ctx, args->second, "second", arrays, why));
  return scan_unused_arrays_check(ctx, args->rest, "rest", arrays, why);
}

scan_status scan_partition_args_check(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t n,
                                      const scan_partition3_args *given, int stageable, scan_partition_run *run) {
  scan_partition3_args args = { 0 };
  scan_select_args passes[2] = { { .struct_bytes = sizeof passes[0] }, { .struct_bytes = sizeof passes[1] } };
  if (given == NULL) REFUSE("args is NULL");
  SCAN_TRY(scan_struct_take(SCAN_STRUCT_scan_partition3_args, &args, given, "args", &ctx->error));
  SCAN_TRY(check_unused(ctx, forms, &args));
  run->counts = args.counts;
  SCAN_TRY(take_counts(ctx, stageable, &run->counts));
  for (uint32_t a = 0; a < forms->pass[0].arrays; a++) {
    passes[0].in[a] = args.in[a];
    passes[0].out[a] = args.first[a];
    passes[0].rest[a] = passes[1].in[a] = passes[1].out[a] = args.second[a];
    passes[1].rest[a] = args.rest[a];
  }
  passes[0].params = args.first_params;
  passes[1].params = args.second_params;
  passes[0].n_from = args.n_from;
  for (uint32_t p = 0; p < 2; p++) {
    passes[p].count = count_of(args.counts, p);
    SCAN_TRY(scan_select_args_check(ctx, &forms->pass[p], n, &passes[p], stageable, &run->pass[p]));
  }
  run->pass[1].left = count_of(run->counts, 2);
  run->pass[0].memory.opencl = args.opencl;
  return n == 0 ? SCAN_SUCCESS : check_apart(ctx, forms, run);
}

int scan_partition_is_staged(const scan_ctx *ctx, const scan_partition_forms *forms, const scan_partition_run *run) {
  int staged = scan_mem_is_staged(ctx, run->counts);
  for (uint32_t p = 0; p < 2; p++)
    for (uint32_t a = 0; a < forms->pass[p].arrays; a++) {
      const scan_select_args *m = &run->pass[p].memory;
      staged |= scan_mem_is_staged(ctx, m->in[a]) || scan_mem_is_staged(ctx, m->out[a]) ||
                scan_mem_is_staged(ctx, m->rest[a]);
    }
  return staged;
}

/* ---- plans and runs ---- */

scan_status scan_partition_plan_make(scan_ctx *ctx, const scan_partition_forms *forms, uint64_t max_n,
                                     scan_plan **result) {
  scan_plan *plan = NULL;
  SCAN_TRY(scan_select_plan_make(ctx, &forms->pass[0], NULL, max_n, &plan));
  const scan_status status = scan_select_plan_make(ctx, &forms->pass[1], NULL, max_n, &plan->each);
  if (status == SCAN_SUCCESS) {
    *result = plan;
    return SCAN_SUCCESS;
  }
  plan->each = NULL;
  scan_plan_end(plan, 0);
  return status;
}

static scan_status write_counts(scan_ctx *ctx, scan_mem counts, const uint64_t values[SCAN_PARTITION3_PARTS]) {
  if (counts.kind == SCAN_MEM_NONE) return SCAN_SUCCESS;
  if (counts.kind != SCAN_MEM_HOST) return ctx->ops->write(ctx->device, counts, values, COUNTS_BYTES, &ctx->error);
  memcpy(scan_mem_bytes(counts), values, COUNTS_BYTES);
  return SCAN_SUCCESS;
}

static scan_status count_nothing(scan_ctx *ctx, scan_mem counts) {
  static const uint64_t none[SCAN_PARTITION3_PARTS] = { 0 };
  if (counts.kind == SCAN_MEM_NONE || counts.kind == SCAN_MEM_HOST) return write_counts(ctx, counts, none);
  return ctx->ops->fill(ctx->device, counts, 0, COUNTS_BYTES, &ctx->error);
}

scan_status scan_partition_go(scan_ctx *ctx, scan_plan *first, scan_plan *second, scan_partition_run *run) {
  if (first == NULL) return count_nothing(ctx, run->counts);
  run->pass[1].memory.n_from = scan_region_of(first, SCAN_REGION_LEFT);
  if (ctx->ops->id == SCAN_BACKEND_CUDA) first->recordable = second->recordable = 1;
  SCAN_TRY(scan_select_launch(first, &run->pass[0]));
  return scan_select_launch(second, &run->pass[1]);
}

/* One compaction, with its count for the host. */
static scan_status count_pass(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run, uint64_t *kept) {
  const scan_opencl_events none = { 0 };
  scan_plan *plan = NULL;
  *kept = 0;
  if (run->n == 0) return SCAN_SUCCESS;
  run->memory.count = scan_host(kept);
  run->left = SCAN_NO_MEM;
  SCAN_TRY(scan_select_lookup(ctx, form, NULL, run->n, &plan));
  return scan_select_go(ctx, form, plan, run, &none);
}

scan_status scan_partition_go_staged(scan_ctx *ctx, const scan_partition_forms *forms, scan_partition_run *run) {
  scan_select_run *first = &run->pass[0], *second = &run->pass[1];
  uint64_t counts[SCAN_PARTITION3_PARTS] = { 0 }, n = first->n;
  SCAN_TRY(count_pass(ctx, &forms->pass[0], first, &counts[0]));
  if (first->n > 0 && first->memory.n_from.kind != SCAN_MEM_NONE)
    SCAN_TRY(ctx->ops->read(ctx->device, first->memory.n_from, &n, sizeof n, &ctx->error));
  second->n = (n < first->n ? n : first->n) - counts[0];
  second->memory.capacity = second->memory.rest_capacity = second->n;
  SCAN_TRY(count_pass(ctx, &forms->pass[1], second, &counts[1]));
  counts[2] = second->n - counts[1];
  return write_counts(ctx, run->counts, counts);
}
