/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_LAUNCH_H
#define SCANRT_LAUNCH_H

#include "core/plan.h"

/* The build key of a launch's kernel. */
scan_kernel_key scan_plan_launch_key(const scan_plan *plan, const scan_launch *launch);

/* Creates the kernels of a run over n elements that the plan does not have yet. */
scan_status scan_plan_launches_create(scan_plan *plan, uint64_t n, uint32_t variant);

/* Sets plan->launches to those of a run over n elements. The plan must have their kernels. */
scan_status scan_plan_launches_find(scan_plan *plan, uint64_t n, uint32_t variant);

/* Creates the kernel of one launch, unless the plan has it, and launches it. */
scan_status scan_plan_launch_once(scan_plan *plan, const scan_launch *launch, const scan_kernel_args *args);

/* Executes a step: a launch of `kernel`, a copy or a fill. */
scan_status scan_plan_step(scan_plan *plan, const scan_step *step, scan_kernel *kernel, const scan_kernel_args *args);

/* Copies on the device, or between host and device. A copy that has host memory on one side waits. */
scan_status scan_plan_copy(scan_plan *plan, scan_mem to, scan_mem from, uint64_t bytes);

#endif
