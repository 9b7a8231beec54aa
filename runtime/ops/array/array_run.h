/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of arrays: their checks (array_check.c), and their plans and launches (array_run.c). */
#ifndef SCANRT_ARRAY_RUN_H
#define SCANRT_ARRAY_RUN_H

#include "strategy/array/array.h"
#include "core/plan.h"
#include "ops/scan/operands.h"

typedef struct scan_array_form {
  scan_array array; /* as the caller described it, for messages */
  array_lines lines;
  array_method method; /* the plan's kernel and geometry; unset before there is a plan */
} scan_array_form;

/* The form of an array's plan; NULL for other plans. */
static inline const scan_array_form *scan_array_form_of(const scan_plan *plan) {
  return plan->ops->kind == SCAN_DOES_ARRAY ? plan->own : NULL;
}

static inline uint64_t scan_array_items(const scan_array_form *form) { return form->lines.lines * form->lines.n; }

/* 1 if the array has outputs. Totals of empty lines have outputs and no elements. */
static inline int scan_array_writes(const scan_array_form *form) { return form->lines.lines > 0; }

/* Checks the caller's spec and array, and fills the form and the problem. `args` is NULL when a plan is made. */
scan_status scan_array_check(scan_ctx *ctx, const scan_spec *spec, const scan_array *given, const scan_args *args,
                             scan_array_form *form, scan_problem *problem);

/* Sets the steps of a problem with a source to those of the array's lines. */
void scan_array_set_steps(const scan_array_form *form, int backward, scan_problem *problem);

/* Copies a run's marks into the problem and refuses carries. `items` is the number of the array's elements. */
scan_status scan_array_args_copy_in(scan_ctx *ctx, uint64_t items, const scan_args *args, scan_problem *problem);

/* Resolves the in and out of an array and compares their elements' places. Sets *in_place to 1 if each result is at the
 * address of its input. */
scan_status scan_array_buffers_check(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                                     int stageable, scan_mem *in, scan_mem *out, int *in_place);

/* Finds the hidden plan of a checked array, or makes it. */
scan_status scan_array_lookup(scan_ctx *ctx, const scan_problem *problem, const scan_array_form *form,
                              scan_plan **result);

/* Launches the scan of an array that has outputs. The operands are checked. */
scan_status scan_array_launch(scan_plan *plan, const scan_operands *array, int in_place);

#endif
