/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts of the library with test hooks, whose kernels are built with further options. */
#ifndef SCANRT_TEST_HOOKED_H
#define SCANRT_TEST_HOOKED_H

#include "support.h"

/** The environment variable that holds those options. */
#define HOOKED_OPTIONS "SCANRT_TEST_BUILD_OPTIONS"

/** Makes a context whose kernels are built with these options; NULL: without further ones. AUTO uses look-back if n is
 * more than a tile. */
scan_ctx *hooked_open(const char *options);

/** Destroys the context. Contexts that are opened later have no further options. */
void hooked_close(scan_ctx *ctx);

/** 1 if $SCANRT_TEST_TYPES is not set or names the type. */
int hooked_wants(scan_type type);

/** Returns a spec of inclusive sums by a strategy. */
scan_spec hooked_sum(scan_type type, scan_strategy strategy);

#endif
