/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_RUN_H
#define SCANRT_RUN_H

#include "strategy/strategy.h"

/* Runs a checked problem by a strategy, or AUTO, with the memory of the args, which are of this version's size: by a
 * hidden plan, host memory copied in and out. */
scan_status scan_run_problem(scan_ctx *ctx, scan_problem *problem, scan_strategy strategy, uint64_t n,
                             const scan_args *args);

#endif
