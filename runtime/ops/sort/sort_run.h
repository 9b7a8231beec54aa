/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting, with splits and histograms: what is checked (sort_check.c, split_check.c), planned and launched
 * (sort_run.c), in its own way. */
#ifndef SCANRT_SORT_RUN_H
#define SCANRT_SORT_RUN_H

#include "core/buffers.h"
#include "core/events.h"
#include "core/plan.h"
#include "strategy/sort.h"

/* What a plan of sorts keeps. */
typedef struct scan_sort_plan {
  scan_sort_form form;
  scan_sort_values values;
} scan_sort_plan;

/* NULL for other plans. */
static inline scan_sort_plan *scan_sort_plan_of(const scan_plan *plan) {
  return plan->ops->kind == SCAN_DOES_SORT ? plan->own : NULL;
}

/* The memory of a run, checked: `memory` is of this version's size, and what the host has is told by
 * scan_mem_is_staged. */
typedef struct scan_sort_run {
  const scan_sort_form *form; /* lives as long as the run */
  uint64_t n;
  scan_sort_args memory;
  scan_mem bins;                                          /* where a split or a histogram leaves its numbers, */
  uint64_t bins_bytes;                                    /* which have so many bytes; 0: it leaves none */
  uint64_t params[SCAN_OP_MOST_BYTES / sizeof(uint64_t)]; /* the bucket function's, in the low bytes */
  uint64_t scratch_bytes;                                 /* of the caller's that it needs */
} scan_sort_run;

/* What the spec asks for, completed. */
scan_status scan_sort_spec_check(scan_ctx *ctx, const scan_sort_spec *given, scan_sort_form *form);

/* Refuses an n, or a max_n, that the form has no room for; `name` is the parameter's. */
scan_status scan_sort_count_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, const char *name);

/* Takes the memory of a run over n keys, by a plan for max_n; host memory is left as it is where it may be staged. */
scan_status scan_sort_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, uint64_t max_n,
                                 const scan_sort_args *given, int stageable, scan_sort_run *run);

/* Lists the buffers of a run. */
void scan_sort_buffers(const scan_sort_form *form, scan_sort_run *run, scan_buffer_list *list);

/* Bytes of a run's offsets; the check has seen that they are not too many. */
static inline uint64_t scan_sort_offset_bytes(const scan_sort_form *form, const scan_sort_args *args) {
  return (args->segments + 1) * form->offset_bytes;
}

/* Refuses arrays that the form has no use for, of sorts and splits. */
scan_status scan_sort_unused_check(scan_ctx *ctx, const scan_sort_form *form, const scan_mem *in, const scan_mem *out);

/* The same of a run that has n and its memory. */
scan_status scan_sort_run_check(scan_ctx *ctx, const scan_sort_form *form, int stageable, scan_sort_run *run);

/* The end of the names of the calls that make and run such plans: scan_plan_create_..., scan_plan_run_... */
const char *scan_sort_call(const scan_sort_form *form);

/* Refuses a plan that other calls run, and an n that it is not for. `call` as above. */
scan_status scan_sort_plan_check(const scan_plan *plan, const char *call, uint64_t n);

/* Memory that has a part for each key (sort_scratch.c): what n keys need of the caller's, 0 where the plan has it, in a
 * plan for max_n; where each part is, laid out for n keys; the one of a run, of the plan's or of the caller's; and the
 * bytes of one, a copy of an array. */
uint64_t scan_sort_scratch_of(const scan_sort_form *form, uint64_t n, uint64_t max_n);
uint64_t scan_sort_scratch_lay(const scan_sort_form *form, scan_sort_values values, uint64_t n,
                               scan_region regions[SCAN_REGIONS]);
scan_mem scan_sort_memory_of(const scan_plan *plan, const scan_sort_run *run, scan_region_id id);
uint64_t scan_sort_copy_bytes(const scan_sort_form *form, scan_sort_values values, uint64_t n);

/* Refuses memory that is not asked for, and none where some is. */
scan_status scan_sort_scratch_check(scan_ctx *ctx, const scan_sort_form *form, const scan_sort_run *run);

/* What the hidden plan for n keys is made for, at least. */
uint64_t scan_sort_hidden_n(scan_ctx *ctx, const scan_sort_form *form, uint64_t n);

/* A plan of the caller's. */
scan_status scan_sort_plan_make(scan_ctx *ctx, const scan_sort_form *form, uint64_t max_n, scan_plan **result);

/* A run, start to end, between the events that its memory names: by the form's hidden plan, made where there is none,
 * or by the caller's. Memory of the host's is copied in before and out after, which waits. */
scan_status scan_sort_run_now(scan_ctx *ctx, const scan_sort_form *form, scan_sort_run *run);
scan_status scan_sort_run_planned(scan_plan *plan, scan_sort_run *run);

#endif
