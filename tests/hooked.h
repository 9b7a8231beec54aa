/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts of the library with hooks, whose kernels are built with further options. */
#ifndef SCANRT_TEST_HOOKED_H
#define SCANRT_TEST_HOOKED_H

#include "support.h"

/** The environment's variable that holds those options. */
#define HOOKED_OPTIONS "SCANRT_TEST_BUILD_OPTIONS"

/** A context whose kernels are built with these options; NULL: as they are. AUTO looks back wherever n is more than a
 * tile. */
scan_ctx *hooked_open(const char *options);

/** Destroys it; contexts opened later are as the library is. */
void hooked_close(scan_ctx *ctx);

/** 1 when $SCANRT_TEST_TYPES is not set or names the type. */
int hooked_wants(scan_type type);

/** Inclusive sums by a strategy. */
scan_spec hooked_sum(scan_type type, scan_strategy strategy);

#endif
