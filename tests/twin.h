/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file twin.h
 * @brief Built-in operators again, from source: the same bits are due.
 */
#ifndef SCANRT_TESTS_TWIN_H
#define SCANRT_TESTS_TWIN_H

#include <scanrt/scan.h>

/**
 * The spec with an operator from source in place of the built-in type and operator, made at its first use for ctx and
 * kept. `spec` must not widen; its init must live as long as the result is used. Fails the running test when the
 * operator cannot be made.
 */
scan_spec twin_spec(scan_ctx *ctx, const scan_spec *spec);

/** Destroys all of them. */
void twin_release(void);

#endif
