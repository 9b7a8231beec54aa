/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_VALIDATE_H
#define SCANRT_VALIDATE_H

#include "core/context.h"
#include "strategy/strategy.h"

/* What the spec asks for, checked (validate.c); no memory is named yet. */
scan_status scan_spec_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem, scan_strategy *strategy);

/* The memory of a run, besides in and out: takes marks and carries over into the problem of a checked spec, and refuses
 * what contradicts it, or what the strategy cannot do. The buffers themselves are checked later. */
scan_status scan_args_take(scan_ctx *ctx, scan_strategy strategy, uint64_t n, const scan_args *args,
                           scan_problem *problem);

/* Refuses what a strategy that was asked for cannot do; AUTO can do all. The sentence begins with `why`. */
scan_status scan_strategy_check(scan_ctx *ctx, scan_strategy strategy, const scan_problem *problem, const char *why);

/* What the caller filled in, of this version's size. */
scan_status scan_args_copy(scan_ctx *ctx, const scan_args *given, scan_args *own);

/* Makes the built-in operator of a checked problem one from source. */
scan_status scan_problem_use_source(scan_ctx *ctx, scan_problem *problem);

/* Refuses a count whose bytes or tiles cannot be counted; `name` is the parameter's. */
scan_status scan_count_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, const char *name);

/* Checks n and the buffers of one scan; in and out are then the backend's, but host memory that scan_run will stage
 * (stageable: 1) stays as it is. */
scan_status scan_buffers_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, int stageable, scan_mem *in,
                               scan_mem *out, int *in_place);

#endif
