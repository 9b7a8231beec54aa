/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_N_FROM_H
#define SCANRT_N_FROM_H

#include "core/plan.h"

/* Numbers of elements in device memory (n_from.c): keeps for the next report what a plan that is about to be freed has
 * noted; and returns SCAN_INVALID_ARGUMENT, once, if a plan found more elements than it was given room for. Both read
 * the device's memory, which is idle. */
void scan_n_from_keep(scan_plan *plan);
scan_status scan_n_from_check(scan_ctx *ctx);

#endif
