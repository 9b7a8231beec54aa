/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_scan.h @brief The parts of `scanrt bench` for scans: options, buffers, references, the plain loop. */
#ifndef SCANRT_CLI_BENCH_SCAN_H
#define SCANRT_CLI_BENCH_SCAN_H

#include "bench.h"

/* ---- the command line ---- */

/** Parses the value of --shape. @return CLI_OK or CLI_USAGE */
int bench_parse_shape(const char *command, const char *text, void *request);
/** Parses the value of --axis. @return CLI_OK or CLI_USAGE */
int bench_parse_axis(const char *command, const char *text, void *request);
/** Checks shape and axis against the rest of the request. @return CLI_OK or CLI_USAGE */
int bench_check_shape(const char *command, bench_request *request);

/** Parses a value of --segment-length. @return CLI_OK or CLI_USAGE */
int bench_add_length(const char *command, const char *text, void *request);
/** Checks the segments against the rest of the request. @return CLI_OK or CLI_USAGE */
int bench_check_segments(const char *command, bench_request *request);

/** Functions of bench_kind. */
void bench_scan_help(void);
int bench_scan_complete(const char *command, bench_request *request);

/** Returns the number of combinations of type, operator (from source too), kind, segments and strategy on all
 * devices. With a single one an unsupported strategy is a failure, otherwise it is skipped. */
size_t bench_combinations(const bench_request *request);

/* ---- buffers ---- */

/** Allocates the buffers of bench->spec and bench->n and fills the inputs. @return CLI_OK or CLI_FAILED; call
 * bench_buffers_clear in both cases */
int bench_buffers_make(bench_state *bench);
void bench_buffers_clear(bench_state *bench);
scan_mem bench_pair_in(const bench_state *bench, uint64_t pair);
scan_mem bench_pair_out(const bench_state *bench, uint64_t pair);

uint64_t bench_item_bytes(const bench_state *bench);  /**< Size of an output element. */
uint64_t bench_input_bytes(const bench_state *bench); /**< Size of an input element. */
scan_type bench_input_type(const scan_spec *spec);    /**< Type of the input; SCAN_TYPE_DEFAULT only for composites. */
int bench_maps(const bench_state *bench); /**< 1 if the operator from source maps and has no built-in counterpart. */
int bench_has_plain(const bench_state *bench); /**< 1 if the plain scan is timed too. */

/* ---- references ---- */

/** Returns the number of lines along an axis; with axis -1 the array is one line. */
uint64_t bench_totals(const bench_state *bench, int axis);
/** Moves the last result of each line to the begin of the results, in the order of the lines. */
void bench_keep_totals(const bench_state *bench, int axis, void *results);
/** Computes the reference: of each line of the request's array along `axis`, or with axis -1 of n elements; backward
 * if the spec says so. @param heads  1 where a segment begins; NULL: no segments. @return 0, or -1 if memory ran out */
int bench_reference(const bench_state *bench, int sequential, int axis, const uint8_t *segment_flags, const void *in,
                    void *out);

/** Poisons all outputs; in place it rewrites the inputs. */
int bench_scan_poison(bench_entry *entry);

/** Compares each output written since the last poison. In place it compares none, since every call changes its
 * input. */
int bench_scan_check(bench_entry *entry);

/** In place: makes one call on fresh input and checks it. Otherwise does nothing. */
int bench_scan_check_alone(bench_entry *entry);

/* ---- entries ---- */

/** Lists the entries of a case; with bench->cold only its scans. @return CLI_OK, or CLI_FAILED if no entry can run */
int bench_scan_list(bench_state *bench);
const char *bench_plain_name(const bench_state *bench); /**< Name of the plain scan. */

/** Sets the columns of --gallery, from a scan's times, work and span. */
void bench_gallery_fill(const bench_entry *entry, bench_row *row);

#endif
