/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_PROGRESS_H
#define SCANRT_PROGRESS_H

#include "core/plan.h"

/* Reads the control blocks of the plans that ran since the last check, and then the noted overflows. The device is
 * idle. Returns SCAN_NO_PROGRESS once per failure, after clearing the workspaces; AUTO stops choosing look-back
 * (progress.c). */
scan_status scan_plans_check(scan_ctx *ctx);
/* Waits for the device, then calls scan_plans_check. */
scan_status scan_plans_wait(scan_ctx *ctx);
/* Calls scan_plans_check, then returns SCAN_INVALID_ARGUMENT if an n_from was above its call's n. Only scan_sync and
 * scan_read call it: a call over host memory also waits, but returns the results of its first n elements. */
scan_status scan_plans_report(scan_ctx *ctx);

/* Reads the errors of a plan that is about to be freed and keeps them for the next check. The device is idle. */
void scan_plan_settle(scan_plan *plan);

/* 1 if no plan has launches to check and no failed look-back is pending. */
int scan_plans_are_checked(const scan_ctx *ctx);

#endif
