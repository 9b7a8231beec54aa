/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_difference.h
 * @brief Differences of neighbours: the inverse of an inclusive sum.
 *
 * out[0] = in[0] and out[i] = in[i] - in[i - 1]; with SCAN_BACKWARD, out[n - 1] = in[n - 1] and
 * out[i] = in[i] - in[i + 1]. Of integers modulo 2^bits, so that the differences of a sum are what was summed. Of
 * floating-point numbers the rounded difference: of SCAN_F16 and SCAN_BF16 that of binary32, rounded once more to the
 * element; what is copied keeps its bits. All devices give the same bits: a difference that is a NaN is the one of
 * scan_op_id.
 */
#ifndef SCANRT_SCAN_DIFFERENCE_H
#define SCANRT_SCAN_DIFFERENCE_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Undoes an inclusive sum. Memory and waiting are as in scan_run: host memory is copied in and out, device memory makes
 * the call asynchronous.
 * @param spec  the sum: SCAN_ADD, SCAN_INCLUSIVE and any type, with SCAN_BACKWARD or no flag. It neither widens nor has
 *              an initial value, segments or an operator from source; `strategy` is SCAN_STRATEGY_AUTO.
 * @param n     elements; 0: nothing is done.
 * @param in    n elements of spec->type, aligned to them.
 * @param out   n elements of spec->type, aligned to them; the same memory as in, or apart.
 * @return as scan_run.
 */
SCAN_API scan_status scan_adjacent_difference(scan_ctx *ctx, const scan_spec *spec, uint64_t n, scan_mem in,
                                              scan_mem out);

/**
 * Compiles and allocates what differences of up to max_n elements need.
 * @param[out] plan  for scan_plan_run, scan_plan_run_args (in, out and OpenCL's events), scan_plan_info (whose strategy
 *                   is SCAN_STRATEGY_AUTO) and scan_plan_destroy, with what they say of allocation, waiting and graphs.
 */
SCAN_API scan_status scan_plan_create_adjacent_difference(scan_ctx *ctx, const scan_spec *spec, uint64_t max_n,
                                                          scan_plan **plan);

#ifdef __cplusplus
}
#endif
#endif
