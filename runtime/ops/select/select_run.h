/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: how it is checked (select_check.c), planned and launched (select_run.c), and
 * executed (select_execute.c). Runs of equal keys are compactions, too (runs_check.c). */
#ifndef SCANRT_SELECT_RUN_H
#define SCANRT_SELECT_RUN_H

#include "core/buffers.h"
#include "core/events.h"
#include "core/plan.h"
#include "strategy/select.h"

/* What a plan of compactions keeps. */
typedef struct scan_select_plan {
  scan_select_form form;
  scan_problem reduced; /* the scan whose values at the ends of runs are kept */
  int is_pipelined;
  const scan_source *sums; /* the operator of a reduction in one pass; or NULL */
} scan_select_plan;

/* NULL for other plans. */
static inline scan_select_plan *scan_select_plan_of(const scan_plan *plan) {
  return plan->ops->kind == SCAN_DOES_SELECT ? plan->own : NULL;
}

/* A checked scan whose values a plan compacts, and how it goes. */
typedef struct scan_reduced {
  scan_problem problem;
  scan_strategy strategy;
} scan_reduced;

/* The memory of a run, checked: `memory` is of this version's size, and what the host has is told by
 * scan_mem_is_staged. Capacities are at most n; 0 is no room, and such an output's memory is not checked. */
typedef struct scan_select_run {
  const scan_select_form *form; /* lives as long as the run */
  uint64_t n;
  uint64_t params[SCAN_OP_MOST_BYTES / sizeof(uint64_t)]; /* the predicate's, in the low bytes */
  const scan_problem *reduced; /* the scan whose values at runs' ends are SCAN_SELECT_VALUES; NULL: there is none */
  scan_mem values;             /* what it reads */
  int marks_are_moved;         /* 1: `marks` is in[0], since the caller named none */
  scan_mem left;               /* of a pass: where the number of those that are not kept goes; or none: to its region */
  scan_select_args memory;
} scan_select_run;

/* What the spec asks for, completed. */
scan_status scan_select_spec_check(scan_ctx *ctx, const scan_select_spec *given, scan_select_form *form);

/* Refuses an element of spec->element_bytes[a] and element_align[a] that there is not; 0 becomes its alignment. */
scan_status scan_select_element_check(scan_ctx *ctx, uint32_t a, uint32_t bytes, uint32_t *align);

/* Reads spec->flags of anything that has n_from: *clamps becomes 1 with SCAN_N_FROM_CLAMP. */
scan_status scan_select_flags_check(scan_ctx *ctx, uint64_t flags, uint32_t *clamps);

/* Refuses a type of keys that there is not, or not on this device. */
scan_status scan_select_key_check(scan_ctx *ctx, scan_type type);

/* Refuses an n, or a max_n, that the form has no room for; `name` is the parameter's. */
scan_status scan_select_count_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n, const char *name);

/* Takes the memory of a run over n elements; host memory is left as it is where it may be staged. */
scan_status scan_select_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                   const scan_select_args *given, int stageable, scan_select_run *run);

/* Checks a run that has its n, its memory and its reduction, but for its buffers, and completes it. */
scan_status scan_select_run_complete(scan_ctx *ctx, const scan_select_form *form, scan_select_run *run);

/* Does the same, then resolves and checks the buffers. */
scan_status scan_select_run_check(scan_ctx *ctx, const scan_select_form *form, int stageable, scan_select_run *run);

/* One more array of a form. align: 0: the largest power of two up to 16 that divides the bytes. */
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

/* 1 if the count is written to the memory that n is read from. */
static inline int scan_select_counts_in_place(const scan_select_run *run) {
  return run->memory.n_from.kind != SCAN_MEM_NONE && scan_mem_same(run->memory.count, run->memory.n_from);
}

/* A form's plans, with what is reduced, or NULL: one of the caller's, and the hidden one, made where there is none. */
scan_status scan_select_plan_make(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                  uint64_t max_n, scan_plan **result);
scan_status scan_select_lookup(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced, uint64_t n,
                               scan_plan **result);

/* The end of the names of the calls that make and run such plans: scan_plan_create_..., scan_plan_run_... */
const char *scan_select_call(const scan_select_form *form);

/* Refuses a plan that other calls run, and an n that it is not for. `call` as above. */
scan_status scan_select_plan_check(const scan_plan *plan, const char *call, uint64_t n);

/* Launches a compaction of at least one element, whose memory is the device's. Where no count is asked for it goes to
 * SCAN_REGION_KEEP. */
scan_status scan_select_launch(scan_plan *plan, const scan_select_run *run);

/* Executes a checked run by a plan of its form; NULL where n is 0. */
scan_status scan_select_execute(scan_ctx *ctx, scan_plan *plan, scan_select_run *run, const scan_opencl_events *events);

/* How many elements a run kept, read after it; waits. */
scan_status scan_select_kept_read(scan_plan *plan, const scan_select_run *run, uint64_t *kept);

#endif
