/* SPDX-License-Identifier: BSD-2-Clause */
/* How contexts are made, by selector or around what an application owns (interop_cuda.c, interop_opencl.c). */
#ifndef SCANRT_API_CONTEXT_H
#define SCANRT_API_CONTEXT_H

#include "core/context.h"

/* Opens the device of a selector, or an adopted one when adoption is not NULL (caps->info.backend says whose). */
scan_status scan_ctx_open(const scan_ctx_options *options, const scan_caps *caps, const scan_adoption *adoption,
                          scan_ctx **result);

/* Checks the options that a caller filled in. */
scan_status scan_ctx_options_check(const scan_ctx_options *options, scan_ctx_options *checked, scan_error *error);

#endif
