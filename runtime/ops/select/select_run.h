/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: its checks (select_check.c), its plans (select_plan.c), its hidden plans (select_lookup.c), its launches
 * (select_launch.c), and its execution (select_execute.c). Encoding and reduction of runs are compactions, too
 * (runs_check.c). */
#ifndef SCANRT_SELECT_RUN_H
#define SCANRT_SELECT_RUN_H

#include <scanrt/scan_partition.h>

#include "core/buffers.h"
#include "core/events.h"
#include "core/plan.h"
#include "strategy/select/select.h"

/* A compaction's part of its plan. */
typedef struct scan_select_plan {
  scan_select_form form;
  scan_problem reduced; /* a reduction by key: the scan whose values at the ends of runs are kept */
  int is_pipelined;
  const scan_source *sums; /* the operator of a one-pass reduction by threads; or NULL */
  int is_by_ends;          /* 1: the inner plan reduces segments by the bits of their last elements */
} scan_select_plan;

/* A compaction's part of its plan; NULL for other plans. */
static inline scan_select_plan *scan_select_plan_of(const scan_plan *plan) {
  return plan->ops->kind == SCAN_DOES_SELECT ? plan->own : NULL;
}

/* Variants of a plan's launches: SCAN_SELECT_FUSED if a run's marks are its first array, else SCAN_SELECT_SPLIT. */
enum { SCAN_SELECT_SPLIT, SCAN_SELECT_FUSED };

/* A checked scan whose values a plan compacts, and its strategy. */
typedef struct scan_reduced {
  scan_problem problem;
  scan_strategy strategy;
} scan_reduced;

/* The checked memory of a run. `memory` has this version's size; scan_mem_is_staged finds the host memory in it.
 * Capacities are at most n. A capacity of 0 means that the output is not written and its memory not checked. */
typedef struct scan_select_run {
  const scan_select_form *form; /* outlives the run */
  uint64_t n;
  uint64_t params[SCAN_OP_MOST_BYTES / sizeof(uint64_t)]; /* the predicate's parameters, in the low bytes */
  const scan_problem *reduced; /* the scan that makes SCAN_SELECT_VALUES at the ends of runs; or NULL */
  scan_mem values;             /* input of that scan */
  int marks_are_moved;         /* 1: `marks` is in[0], because the caller gave no marks */
  scan_mem left;               /* a pass of a partition: receives the number of elements that are not kept; no memory:
                                  SCAN_REGION_LEFT does */
  scan_mem last;               /* SCAN_PASS_BOTH: receives the third part; `rest` receives the second one */
  scan_select_args memory;
} scan_select_run;

/* Checks the spec of a compaction and makes the form of it. */
scan_status scan_select_spec_check(scan_ctx *ctx, const scan_select_spec *given, scan_select_form *form);

/* Refuses invalid spec->element_bytes[a] and element_align[a]. An alignment of 0 becomes the elements' natural one. */
scan_status scan_select_element_check(scan_ctx *ctx, uint32_t a, uint32_t bytes, uint32_t *align);

/* Checks the spec->flags of an operation that has n_from. Sets *clamps to 1 with SCAN_N_FROM_CLAMP, else to 0. */
scan_status scan_select_flags_check(scan_ctx *ctx, uint64_t flags, uint32_t *clamps);

/* Refuses a key type that does not exist or that this device does not support. */
scan_status scan_select_key_check(scan_ctx *ctx, scan_type type);

/* Refuses an n that the form or the device cannot handle. `name` is the parameter's name. */
scan_status scan_select_count_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n, const char *name);

/* Checks and copies the memory of a run over n elements. With stageable, host memory stays as it is. */
scan_status scan_select_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                   const scan_select_args *given, int stageable, scan_select_run *run);

/* Copies the parameters of a predicate or a bucket function, which may be NULL. `unused` says why a run takes none. */
scan_status scan_select_params_check(scan_ctx *ctx, const scan_source *function, const void *given, const char *unused,
                                     uint64_t *params);

/* Completes a run whose n, memory and reduction are set, and checks all but its buffers. */
scan_status scan_select_run_complete(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run);

/* Calls scan_select_run_complete, then resolves and checks the run's buffers. */
scan_status scan_select_run_check(scan_ctx *ctx, const scan_select_form *form, int stageable, scan_select_run *run);

/* Adds an array to a form. An `align` of 0 becomes the largest power of two up to 16 that divides `bytes`. */
void scan_select_add(scan_select_form *form, scan_select_what what, uint32_t bytes, uint32_t align);

/* The parts of the elements, for scan_buffer.part: those that are kept, and with SCAN_REST_APART the others. */
enum { SCAN_SELECT_PART_KEPT, SCAN_SELECT_PART_REST };

/* Lists the buffers of a run. */
void scan_select_buffers(const scan_select_form *form, scan_select_run *run, scan_buffer_list *list);

/* 1 if the run writes the array: an output of it has room, and keys also have memory. */
static inline int scan_select_is_wanted(const scan_select_form *form, const scan_select_run *run, uint32_t array) {
  const scan_select_args *m = &run->memory;
  const int has_room = m->capacity > 0 || (form->rest == SCAN_REST_APART && m->rest_capacity > 0);
  return has_room && (form->what[array] != SCAN_SELECT_KEYS || m->out[array].kind != SCAN_MEM_NONE);
}

/* The numbers that a run counts: of kept elements, or with SCAN_PASS_BOTH of each part. */
static inline uint32_t scan_select_counts(const scan_select_form *form) {
  return form->pass == SCAN_PASS_BOTH ? SCAN_PARTITION3_PARTS : 1;
}

/* 1 if a count is written to the memory that n is read from. */
static inline int scan_select_counts_in_place(const scan_select_run *run) {
  if (run->memory.n_from.kind == SCAN_MEM_NONE || run->memory.count.kind == SCAN_MEM_NONE) return 0;
  for (uint32_t i = 0; i < scan_select_counts(run->form); i++)
    if (scan_mem_same(scan_offset(run->memory.count, i * sizeof(uint64_t)), run->memory.n_from)) return 1;
  return 0;
}

/* Makes a plan of a form. `reduced` is the scan of a reduction by key; else NULL. */
scan_status scan_select_plan_make(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                  uint64_t max_n, scan_plan **result);

/* Makes a hidden plan of a form. quick_n: elements of its first run, as in scan_plan_make_hidden. is_portable: 1: the
 * plan has several launches, even if one would do. */
scan_status scan_select_plan_make_hidden(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                         uint64_t max_n, uint64_t quick_n, int is_portable, scan_plan **result);

/* Finds the hidden plan of a form for n elements, or makes it. */
scan_status scan_select_lookup(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced, uint64_t n,
                               scan_plan **result);

/* 1 if the plan keeps values of a scan that has a plan of its own. */
int scan_select_reads_scan(const scan_plan *plan);

/* 1 if one launch reduces n elements by key. */
int scan_select_is_alone(const scan_plan *plan, uint64_t n);

/* The last part of the names of the calls for such plans: scan_plan_create_..., scan_plan_run_... */
const char *scan_select_call(const scan_select_form *form);

/* Refuses a plan that a different call made, and an n above its max_n. `call` is as scan_select_call returns it. */
scan_status scan_select_plan_check(const scan_plan *plan, const char *call, uint64_t n);

/* Launches a compaction of at least one element in device memory. Without args->count, the count goes to
 * SCAN_REGION_COUNT. */
scan_status scan_select_launch(scan_plan *plan, const scan_select_run *run);

/* Executes a checked run with a plan of its form. The plan must be NULL if n is 0. */
scan_status scan_select_execute(scan_ctx *ctx, scan_plan *plan, scan_select_run *run, const scan_opencl_events *events);

/* Reads how many elements the last run kept; waits for it. */
scan_status scan_select_kept_read(scan_plan *plan, const scan_select_run *run, uint64_t *kept);

#endif
