/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits and histograms: their specs become forms of sorts, and their memory that of sorts (split_check.c). */
#ifndef SCANRT_SPLIT_CHECK_H
#define SCANRT_SPLIT_CHECK_H

#include <scanrt/scan_split.h>

#include "ops/sort/sort_run.h"

/* Checks the spec of a split and makes the form of it. */
scan_status scan_split_spec_check(scan_ctx *ctx, const scan_split_spec *given, scan_sort_form *form);

/* Checks the spec of a histogram and makes the form of it. */
scan_status scan_histogram_spec_check(scan_ctx *ctx, const scan_histogram_spec *given, scan_sort_form *form);

/* Checks and copies the memory of a split's run over n keys. With stageable, host memory stays as it is. */
scan_status scan_split_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n, const scan_split_args *given,
                                  int stageable, scan_sort_run *run);

/* Checks and copies the memory of a histogram's run over n keys. With stageable, host memory stays as it is. */
scan_status scan_histogram_args_check(scan_ctx *ctx, const scan_sort_form *form, uint64_t n,
                                      const scan_histogram_args *given, int stageable, scan_sort_run *run);

#endif
