/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that files of this layer share. */
#ifndef SCANRT_API_SHARED_H
#define SCANRT_API_SHARED_H

#include "core/plan.h"

/* Finds the first device that the selector means. NULL, "" or "auto" mean CUDA, then an OpenCL GPU, then the host. */
scan_status scan_device_find(const char *selector, scan_caps *caps, scan_error *error);

/* Fills the caller's info with a device's facts and AUTO's choice, after checking its size. */
scan_status scan_device_describe(const scan_caps *caps, scan_device_info *info, scan_error *error);

/* Makes a context on an adopted device of the backend; if `adoption` is NULL, on the device that options select. */
scan_status scan_ctx_make(const char *call, const scan_ctx_options *options, scan_backend backend,
                          const scan_adoption *adoption, scan_ctx **ctx);

/* Runs a checked problem with a hidden plan, by a strategy or AUTO. `args` has this version's size. Host memory is
 * copied in and out. */
scan_status scan_run_problem(scan_ctx *ctx, scan_problem *problem, scan_strategy strategy, uint64_t n,
                             const scan_args *args);

#endif
