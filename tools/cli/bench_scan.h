/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_scan.h @brief The parts of `scanrt bench` for scans: options, buffers, references, the plain loop. */
#ifndef SCANRT_CLI_BENCH_SCAN_H
#define SCANRT_CLI_BENCH_SCAN_H

#include "bench.h"

/* ---- the command line ---- */

/** Reads the values of --shape and --axis, and checks both against the rest of the request. @return CLI_OK or CLI_USAGE
 */
int bench_parse_shape(const char *command, const char *text, void *request);
int bench_parse_axis(const char *command, const char *text, void *request);
int bench_check_shape(const char *command, bench_request *request);

/** Reads a value of --segment-length, and checks segments against the rest of the request. @return CLI_OK or CLI_USAGE
 */
int bench_add_length(const char *command, const char *text, void *request);
int bench_check_segments(const char *command, bench_request *request);

/** As bench_family has them. */
void bench_scan_help(void);
int bench_scan_complete(const char *command, bench_request *request);

/** Combinations of type, operator (from source too), kind, segments and strategy on all devices: of one alone a refusal
 *  is a failure. */
size_t bench_combinations(const bench_request *request);

/* ---- buffers ---- */

/** Allocates the buffers of lab->spec and lab->n and fills the inputs. @return CLI_OK or CLI_FAILED; then clear too */
int bench_buffers_make(bench_lab *lab);
void bench_buffers_clear(bench_lab *lab);
scan_mem bench_pair_in(const bench_lab *lab, uint64_t pair);
scan_mem bench_pair_out(const bench_lab *lab, uint64_t pair);

uint64_t bench_item_bytes(const bench_lab *lab);   /**< Of an output element. */
uint64_t bench_input_bytes(const bench_lab *lab);  /**< Of an input element. */
scan_type bench_input_type(const scan_spec *spec); /**< SCAN_TYPE_DEFAULT of composites only. */
int bench_maps(const bench_lab *lab);              /**< 1: the operator from source maps, and has no built-in twin. */
int bench_has_plain(const bench_lab *lab);         /**< 1: the plain scan is timed beside the others. */

/* ---- references ---- */

/** The reference of each line of the request's array along `axis`, or, with axis -1, of n elements; backward where the
 * spec says so. @param heads of segments; NULL: none. @return 0, or -1 when memory ran out */
int bench_reference(const bench_lab *lab, int sequential, int axis, const uint8_t *heads, const void *in, void *out);

/** Overwrites all outputs; in place it writes the inputs anew. */
int bench_scan_poison(bench_subject *subject);

/** Compares each output written since; in place, where every call changes its input, none. */
int bench_scan_check(bench_subject *subject);

/** In place: one call on fresh input, checked. For others, nothing. */
int bench_scan_check_alone(bench_subject *subject);

/* ---- subjects ---- */

/** Lists what the case is measured with; with lab->cold its scans alone. @return CLI_OK, or CLI_FAILED when nothing of
 *  it can run */
int bench_scan_list(bench_lab *lab);
const char *bench_plain_name(const bench_lab *lab); /**< Of the plain scan. */

#endif
