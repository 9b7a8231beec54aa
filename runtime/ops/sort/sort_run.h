/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts, splits and histograms: their checks (sort_check.c, split_check.c), and their plans and launches
 * (sort_run.c). */
#ifndef SCANRT_SORT_RUN_H
#define SCANRT_SORT_RUN_H

#include "core/buffers.h"
#include "core/events.h"
#include "core/plan.h"
#include "strategy/sort/sort.h"

/* A sort's part of its plan. */
typedef struct scan_sort_plan {
  scan_sort_form form;
  scan_sort_values values;
} scan_sort_plan;

/* A sort's part of its plan; NULL for other plans. */
static inline scan_sort_plan *scan_sort_plan_of(const scan_plan *plan) {
  return plan->ops->kind == SCAN_DOES_SORT ? plan->own : NULL;
}

/* The checked memory of a run. `memory` has this version's size; scan_mem_is_staged finds the host memory in it. */
typedef struct scan_sort_run {
  const scan_sort_form *form; /* outlives the run */
  uint64_t n;
  scan_sort_args memory;
  scan_mem bins;                                          /* receives a split's offsets or a histogram's counts */
  uint64_t bins_bytes;                                    /* bytes of `bins`; 0: the run writes none */
  uint64_t params[SCAN_OP_MOST_BYTES / sizeof(uint64_t)]; /* the bucket function's parameters, in the low bytes */
  uint64_t scratch_bytes;                                 /* bytes of args->scratch that the run needs */
} scan_sort_run;

/* Checks the spec of a sort and makes the form of it. */
scan_status scan_sort_spec_check(scan_ctx *ctx, const scan_sort_spec *given, scan_sort_form *form);

/* Refuses an n that the form or the device cannot handle. `name` is the parameter's name. */
scan_status scan_sort_count_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, const char *name);

/* Checks and copies the memory of a run over n keys by a plan for max_n. With stageable, host memory stays as it is. */
scan_status scan_sort_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                                 const scan_sort_args *given, int stageable, scan_sort_run *run);

/* Lists the buffers of a run. */
void scan_sort_buffers(const scan_sort_form *form, scan_sort_run *run, scan_buffer_list *list);

/* Bytes of a run's segment offsets. The check of args->segments excludes an overflow. */
static inline uint64_t scan_sort_offset_bytes(const scan_sort_form *form, const scan_sort_args *args) {
  return (args->segments + 1) * form->offset_bytes;
}

/* Refuses arrays of a sort or a split that the form does not use. */
scan_status scan_sort_unused_check(scan_ctx *ctx, const scan_sort_form *form, const scan_mem *in, const scan_mem *out);

/* Checks a run whose n and memory are set, and resolves its buffers. With stageable, host memory stays as it is. */
scan_status scan_sort_run_check(scan_ctx *ctx, const scan_sort_form *form, int stageable, scan_sort_run *run);

/* The last part of the names of the calls for such plans: scan_plan_create_..., scan_plan_run_... */
const char *scan_sort_call(const scan_sort_form *form);

/* Refuses a plan that a different call made, and an n above its max_n. `call` is as scan_sort_call returns it. */
scan_status scan_sort_plan_check(const scan_plan *plan, const char *call, uint64_t n);

/* ---- scratch: memory that grows with the number of keys (sort_scratch.c) ---- */

/* Bytes of args->scratch that n keys need with a plan for max_n; 0 if the plan has the scratch itself. */
uint64_t scan_sort_scratch_of(const scan_sort_form *form, uint64_t n, uint64_t max_n);

/* Lays out the regions of args->scratch for n keys and returns their bytes; 0 if the plan has the scratch itself. */
uint64_t scan_sort_scratch_lay(const scan_sort_form *form, scan_sort_values values, uint64_t n,
                               scan_region regions[SCAN_REGIONS]);

/* The memory of a scratch region in a run: in the plan's workspace or in args->scratch. */
scan_mem scan_sort_memory_of(const scan_plan *plan, const scan_sort_run *run, scan_region_id id);

/* Bytes of SCAN_REGION_SCRATCH, a copy of the largest array that is gathered; 0 if no array is gathered in place. */
uint64_t scan_sort_copy_bytes(const scan_sort_form *form, scan_sort_values values, uint64_t n);

/* Refuses args->scratch without spec->gives_scratch, and the reverse if n > 0. */
scan_status scan_sort_scratch_check(scan_ctx *ctx, const scan_sort_form *form, const scan_sort_run *run);

/* The max_n that a hidden plan for n keys is made with. */
uint64_t scan_sort_hidden_n(scan_ctx *ctx, const scan_sort_form *form, uint64_t n);

/* Makes a plan of a checked form. */
scan_status scan_sort_plan_make(scan_ctx *ctx, const scan_sort_form *form, uint64_t max_n, scan_plan **result);

/* Executes a checked run between its events, with the form's hidden plan. Stages host memory, which waits. */
scan_status scan_sort_run_now(scan_ctx *ctx, const scan_sort_form *form, scan_sort_run *run);

/* Executes a checked run between its events, with the caller's plan. */
scan_status scan_sort_run_planned(scan_plan *plan, scan_sort_run *run);

#endif
