/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_PROGRESS_H
#define SCANRT_PROGRESS_H

#include "core/plan.h"

/* Reads the control blocks of the plans that ran since the last check; the device is idle. SCAN_NO_PROGRESS, told once:
 * their workspaces are then as new, and AUTO takes no look-back any more (progress.c). */
scan_status scan_plans_check(scan_ctx *ctx);
/* Waits for the device, then the same. */
scan_status scan_plans_wait(scan_ctx *ctx);
/* scan_plans_check, then SCAN_INVALID_ARGUMENT where an n_from had more than its call's n. For scan_sync and scan_read
 * alone: a call over memory of the host waits, too, and brings back the results of its first n elements. */
scan_status scan_plans_report(scan_ctx *ctx);

/* Reads what a plan that is about to be freed has left to tell; the next check tells it. The device is idle. */
void scan_plan_settle(scan_plan *plan);

/* Whether no plan ran since the last check. */
int scan_plans_are_checked(const scan_ctx *ctx);

#endif
