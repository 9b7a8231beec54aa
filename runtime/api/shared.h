/* SPDX-License-Identifier: BSD-2-Clause */
/* What files of this layer use of each other. */
#ifndef SCANRT_API_SHARED_H
#define SCANRT_API_SHARED_H

#include "core/plan.h"

/* The first device that the selector means; NULL, "" or "auto": CUDA, then an OpenCL GPU, then the host. */
scan_status scan_device_find(const char *selector, scan_caps *caps, scan_error *error);

/* Fills the caller's struct, after checking its size. */
scan_status scan_device_describe(const scan_caps *caps, scan_device_info *info, scan_error *error);

/* Opens an adopted device of the backend, or the one that the options select where adoption is NULL. */
scan_status scan_ctx_make(const char *call, const scan_ctx_options *options, scan_backend backend,
                          const scan_adoption *adoption, scan_ctx **ctx);

/* Runs a checked problem by a strategy, or AUTO, with the memory of the args, which are of this version's size: by a
 * hidden plan, host memory copied in and out. */
scan_status scan_run_problem(scan_ctx *ctx, scan_problem *problem, scan_strategy strategy, uint64_t n,
                             const scan_args *args);

#endif
