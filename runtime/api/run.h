/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_RUN_H
#define SCANRT_RUN_H

#include "core/plan.h"

/* Refuses what scan_plan_run refuses; else in, out and flags are as scan_buffers_check gives them (not for n = 0). */
scan_status scan_plan_run_check(scan_plan *plan, uint64_t n, scan_mem *in, scan_mem *out, uint32_t *flags);

#endif
