/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits and histograms: their specs and the memory of their runs, as those of sorts (split_check.c). */
#ifndef SCANRT_SPLIT_CHECK_H
#define SCANRT_SPLIT_CHECK_H

#include <scanrt/scan_split.h>

#include "ops/sort/sort_run.h"

/* What the spec asks for, completed. */
scan_status scan_split_spec_check(scan_ctx *ctx, const scan_split_spec *given, scan_sort_form *form);
scan_status scan_histogram_spec_check(scan_ctx *ctx, const scan_histogram_spec *given, scan_sort_form *form);

/* Takes the memory of a run over n keys; host memory is left as it is where it may be staged. */
scan_status scan_split_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, const scan_split_args *given,
                                  int stageable, scan_sort_run *run);
scan_status scan_histogram_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n,
                                      const scan_histogram_args *given, int stageable, scan_sort_run *run);

#endif
