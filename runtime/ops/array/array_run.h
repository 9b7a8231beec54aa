/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of arrays: what is checked (array_check.c), planned and launched (array_run.c) in their own way. */
#ifndef SCANRT_ARRAY_RUN_H
#define SCANRT_ARRAY_RUN_H

#include "strategy/array.h"
#include "core/plan.h"

typedef struct scan_array_form {
  scan_array array; /* as the caller described it, for messages */
  array_lines lines;
  array_method method; /* of a plan */
} scan_array_form;

/* The form of a plan for arrays; NULL for other plans. */
static inline const scan_array_form *scan_array_form_of(const scan_plan *plan) {
  return plan->ops->kind == SCAN_DOES_ARRAY ? plan->own : NULL;
}

static inline uint64_t scan_array_items(const scan_array_form *form) { return form->lines.lines * form->lines.n; }

/* Takes the caller's description: a copy of the array with its lines, and the checked problem. `args` is NULL where a
 * plan is made. */
scan_status scan_array_check(scan_ctx *ctx, const scan_spec *spec, const scan_array *given, const scan_args *args,
                             scan_array_form *form, scan_problem *problem);

/* The memory of a run over so many elements, besides in and out. */
scan_status scan_array_args_take(scan_ctx *ctx, uint64_t items, const scan_args *args, scan_problem *problem);

/* Checks the buffers of one scan of an array, as scan_buffers_check does for a plain one. */
scan_status scan_array_buffers_check(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                                     int stageable, scan_mem *in, scan_mem *out, int *in_place);

/* The hidden plan for a checked array, made when there is none. */
scan_status scan_array_lookup(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                              scan_plan **result);

/* Launches the scan of an array of some elements, with checked buffers. */
scan_status scan_array_launch(scan_plan *plan, const scan_problem *problem, scan_mem in, scan_mem out, int in_place);

#endif
