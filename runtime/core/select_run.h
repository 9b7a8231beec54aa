/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction: what is checked (select_check.c), planned and launched (select_run.c) in its own way. */
#ifndef SCANRT_SELECT_RUN_H
#define SCANRT_SELECT_RUN_H

#include "core/plan.h"
#include "strategy/select.h"

/* A plan's own part. */
struct scan_select_plan {
  scan_select_form form;
  int is_pipelined;
  int names_n; /* n was read from memory of the device since the last check */
  /* The launches of the last run, of so many elements and in that way: the next one's are often the same. */
  uint64_t last_n;
  scan_select_way last_way;
  int step_count;
  scan_select_step steps[SCAN_SELECT_MOST_STEPS];
  scan_kernel *kernels[SCAN_SELECT_MOST_STEPS]; /* the plan owns each once */
};

/* The memory of a run, checked: `memory` is of this version's size, and what the host has is told by
 * scan_mem_is_staged. Capacities are at most n. */
typedef struct scan_select_run {
  uint64_t n;
  uint64_t params[SCAN_OP_MOST_BYTES / sizeof(uint64_t)]; /* the predicate's, in the low bytes */
  scan_select_args memory;
} scan_select_run;

/* What the spec asks for, completed. */
scan_status scan_select_spec_check(scan_ctx *ctx, const scan_select_spec *given, scan_select_form *form);

/* Refuses an n, or a max_n, that the form has no room for; `name` is the parameter's. */
scan_status scan_select_count_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n, const char *name);

/* Takes the memory of a run over n elements; host memory is left as it is where it may be staged. */
scan_status scan_select_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                   const scan_select_args *given, int stageable, scan_select_run *run);

/* Elements of the run's memory: those that an output has room for, `rest` or the other, and the bytes of all. */
uint64_t scan_select_out_items(const scan_select_form *form, const scan_select_run *run, int is_rest);

/* Plans: one of the caller's, and the hidden one for a form, made where there is none. */
scan_status scan_select_plan_make(scan_ctx *ctx, const scan_select_form *form, uint64_t max_n, scan_plan **result);
scan_status scan_select_lookup(scan_ctx *ctx, const scan_select_form *form, uint64_t n, scan_plan **result);

/* Launches a compaction of at least one element, whose memory is the device's. Where no count is asked for it goes to
 * SCAN_REGION_KEEP. */
scan_status scan_select_launch(scan_plan *plan, const scan_select_run *run);

/* What a plan that is about to be freed has noted of n_from, for the next check. */
void scan_select_excess_keep(scan_plan *plan);

/* SCAN_INVALID_ARGUMENT, told once, where a plan found more elements in n_from than it is for; the device is idle. */
scan_status scan_select_excess_check(scan_ctx *ctx);

#endif
