/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses memory that is given and that the spec does not ask for: a caller who gives it expects something of it, and
 * would not hear that nothing comes. */
#ifndef SCANRT_UNUSED_H
#define SCANRT_UNUSED_H

#include "core/context.h"

/* args->NAME[a] of SCAN_SELECT_MOST_ARRAYS arrays: the first `used` are asked for, and `why` says what the others lack.
 */
scan_status scan_unused_arrays_check(scan_ctx *ctx, const scan_mem *memory, const char *name, uint32_t used,
                                     const char *why);

/* args->NAME, one memory. */
scan_status scan_unused_memory_check(scan_ctx *ctx, scan_mem memory, const char *name, const char *why);

#endif
