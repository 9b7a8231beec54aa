/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of run-length encoding, reduction by key, and segmented reduction by flags or bits, which run as
 * compactions (select_run.h). */
#ifndef SCANRT_RUNS_CHECK_H
#define SCANRT_RUNS_CHECK_H

#include <scanrt/scan_reduce.h>
#include <scanrt/scan_runs.h>

#include "ops/select/select_run.h"

/* Checks the spec of a run-length encoding and makes the form of it. */
scan_status scan_run_length_spec_check(scan_ctx *ctx, const scan_run_length_spec *given, scan_select_form *form);

/* Checks the spec of a reduction by key, and makes the form of the compaction and the scan of the values. */
scan_status scan_reduce_by_key_spec_check(scan_ctx *ctx, const scan_spec *given, scan_reduced *reduced,
                                          scan_select_form *form);

/* Refuses an n that the compaction or the scan of the values cannot handle; `name` is the parameter's name. */
scan_status scan_reduce_by_key_count_check(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                           uint64_t n, const char *name);

/* Checks and copies the memory of an encoding's run over n elements, as scan_select_args_check does. */
scan_status scan_run_length_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                       const scan_run_length_args *given, int stageable, scan_select_run *run);

/* Checks and copies the memory of a reduction's run over n elements. `problem` must outlive the run. */
scan_status scan_reduce_by_key_args_check(scan_ctx *ctx, const scan_select_form *form, const scan_problem *problem,
                                          uint64_t n, const scan_reduce_by_key_args *given, int stageable,
                                          scan_select_run *run);

/* Makes the form and the scan of a segmented reduction whose segments flags or bits begin. The spec is one
 * of scan_segmented_reduce_spec_copy_in. */
scan_status scan_marked_reduce_spec_check(scan_ctx *ctx, const scan_spec *given, scan_reduced *reduced,
                                          scan_select_form *form);

/* Checks and copies the memory of its run. `problem` must outlive the run. */
scan_status scan_marked_reduce_args_check(scan_ctx *ctx, const scan_select_form *form, const scan_problem *problem,
                                          uint64_t n, const scan_segmented_reduce_args *given, int stageable,
                                          scan_select_run *run);

#endif
