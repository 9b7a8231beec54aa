/* SPDX-License-Identifier: BSD-2-Clause */
/* Run-length encoding and reduction by key, checked: they are compactions then (select_run.h). */
#ifndef SCANRT_RUNS_CHECK_H
#define SCANRT_RUNS_CHECK_H

#include <scanrt/scan_runs.h>

#include "ops/select/select_run.h"

/* What the specs ask for, completed. */
scan_status scan_run_length_spec_check(scan_ctx *ctx, const scan_run_length_spec *given, scan_select_form *form);
scan_status scan_reduce_by_key_spec_check(scan_ctx *ctx, const scan_spec *given, scan_reduced *reduced,
                                          scan_select_form *form);

/* As scan_select_count_check, with what the scan has no room for. */
scan_status scan_reduce_by_key_count_check(scan_ctx *ctx, const scan_select_form *form, const scan_reduced *reduced,
                                           uint64_t n, const char *name);

/* Take the memory of a run over n elements, as scan_select_args_check. `problem` must outlive the run. */
scan_status scan_run_length_args_check(scan_ctx *ctx, const scan_select_form *form, uint64_t n,
                                       const scan_run_length_args *given, int stageable, scan_select_run *run);
scan_status scan_reduce_by_key_args_check(scan_ctx *ctx, const scan_select_form *form, const scan_problem *problem,
                                          uint64_t n, const scan_reduce_by_key_args *given, int stageable,
                                          scan_select_run *run);

#endif
