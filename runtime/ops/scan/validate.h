/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_VALIDATE_H
#define SCANRT_VALIDATE_H

#include "core/context.h"
#include "strategy/strategy.h"

/* Checks a spec and makes the problem and the strategy of it (validate.c). The problem names no memory yet. */
scan_status scan_spec_check(scan_ctx *ctx, const scan_spec *given, scan_problem *problem, scan_strategy *strategy);

/* Copies a run's marks and carries into the problem of a checked spec. Refuses those that contradict the spec, or that
 * the strategy cannot handle. The buffers themselves are checked later. */
scan_status scan_args_copy_in(scan_ctx *ctx, scan_strategy strategy, uint64_t n, const scan_args *args,
                              scan_problem *problem);

/* Refuses a problem that the named strategy cannot scan. AUTO is never refused. The message begins with `why`. */
scan_status scan_strategy_check(scan_ctx *ctx, scan_strategy strategy, const scan_problem *problem, const char *why);

/* Checks the caller's args and copies them to a struct of this version's size. */
scan_status scan_args_copy(scan_ctx *ctx, const scan_args *given, scan_args *own);

/* Replaces the built-in operator of a checked problem by its source. */
scan_status scan_problem_use_source(scan_ctx *ctx, scan_problem *problem);

/* Refuses an n whose bytes or tiles overflow their type. `name` is the parameter's name. */
scan_status scan_count_check(scan_ctx *ctx, const scan_problem *problem, uint64_t n, const char *name);

/* Refuses an operator whose input or output has members: SCAN_UNSUPPORTED with `what`, the reason. */
scan_status scan_members_refuse(scan_ctx *ctx, const scan_problem *problem, const char *what);

/* Refuses a spec with SCAN_N_FROM: SCAN_UNSUPPORTED with `what`, the reason. */
scan_status scan_reads_n_refuse(scan_ctx *ctx, const scan_problem *problem, const char *what);

#endif
