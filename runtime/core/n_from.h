/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_N_FROM_H
#define SCANRT_N_FROM_H

#include "core/plan.h"

/* Keeps an n overflow that a plan has noted for the next report; called before the plan is freed. The device is idle.
 */
void scan_n_from_keep(scan_plan *plan);

/* Notes a number above the plan's n, which the next check reports. */
void scan_n_from_note(scan_plan *plan, uint64_t found);

/* Returns SCAN_INVALID_ARGUMENT once if a plan noted an n_from above its call's n. The device is idle. */
scan_status scan_n_from_check(scan_ctx *ctx);

#endif
