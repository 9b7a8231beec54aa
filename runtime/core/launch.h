/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels and the launches of plans. */
#ifndef SCANRT_LAUNCH_H
#define SCANRT_LAUNCH_H

#include "core/plan.h"

/* The build keys of kernels that a plan needs and does not have yet. They are collected before the first kernel is
 * compiled, so that a backend can compile them together. */
typedef struct scan_wanted {
  int count;
  scan_kernel_key keys[SCAN_PLAN_KERNELS];
} scan_wanted;

/* The build key of a launch's kernel, for operations that are not scans. `primitive` is CUDA's image of launches that
 * name none; or NULL. */
scan_kernel_key scan_launch_key(const scan_launch *launch, const char *primitive);

/* The facts of a plan, by the launches of its run over max_n elements. Tiles and work-groups are the first launch's;
 * the caller adds the reason. */
scan_plan_facts scan_launch_facts(const scan_plan *plan, const scan_launch *launches, int count, uint64_t tile_items);

/* Adds the kernels of a run over n elements. */
scan_status scan_plan_want(scan_plan *plan, uint64_t n, uint32_t variant, scan_wanted *wanted);

/* Creates the kernels that are wanted. */
scan_status scan_plan_create_kernels(scan_plan *plan, const scan_wanted *wanted);

/* Replaces the plan's kernels by others, made for these keys. */
void scan_plan_replace_kernels(scan_plan *plan, const scan_wanted *wanted, scan_kernel *const *kernels);

/* Lists the launches of a run over n elements in plan->launches, with their kernels, which the plan must have. */
scan_status scan_plan_list_launches(scan_plan *plan, uint64_t n, uint32_t variant);

/* Sets plan->launches to those of a run over n elements. Most runs repeat the last one. */
static inline scan_status scan_plan_find_launches(scan_plan *plan, uint64_t n, uint32_t variant) {
  if (plan->launches->n == n && plan->launches->variant == variant) return SCAN_SUCCESS;
  return scan_plan_list_launches(plan, n, variant);
}

/* Creates the kernel of one launch, unless the plan has it, and launches it. */
scan_status scan_plan_launch_once(scan_plan *plan, const scan_launch *launch, const scan_kernel_args *args);

/* Executes a step: a launch of `kernel`, a copy or a fill. */
scan_status scan_plan_step(scan_plan *plan, const scan_step *step, scan_kernel *kernel, const scan_kernel_args *args);

/* Copies on the device, or between host and device. A copy that has host memory on one side waits. */
scan_status scan_plan_copy(scan_plan *plan, scan_mem to, scan_mem from, uint64_t bytes);

#endif
