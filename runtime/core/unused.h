/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses memory that the caller gives and the spec does not use. A caller who gives memory expects a result in it, and
 * would otherwise get no message. */
#ifndef SCANRT_UNUSED_H
#define SCANRT_UNUSED_H

#include "core/context.h"

/* Refuses arrays of args->NAME from index `used` on. `why` is the message's reason. */
scan_status scan_unused_arrays_check(scan_ctx *ctx, const scan_mem *memory, const char *name, uint32_t used,
                                     const char *why);

/* Refuses the memory args->NAME. `why` is the message's reason. */
scan_status scan_unused_memory_check(scan_ctx *ctx, scan_mem memory, const char *name, const char *why);

#endif
