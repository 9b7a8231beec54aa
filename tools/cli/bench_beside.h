/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_beside.h @brief `--beside`: busy loops beside the timed calls, and a context of one thread. */
#ifndef SCANRT_CLI_BENCH_BESIDE_H
#define SCANRT_CLI_BENCH_BESIDE_H

#include "bench.h"

/** Of --beside, and it with the rest of the request. @return CLI_OK or CLI_USAGE */
int bench_parse_beside(const char *command, const char *text, void *request);
int bench_check_beside(const char *command, const bench_request *request);

/** ", beside 4 busy loops" for captions; "" without --beside. */
void bench_beside_words(const bench_request *request, char *text, size_t bytes);

/** Starts the busy loops and opens the context of one thread, if the request has --beside. @return CLI_OK or
 *  CLI_FAILED; then close too */
int bench_beside_open(bench_lab *lab);
void bench_beside_close(bench_lab *lab);

/** Exchanges lab->ctx and its operator with those of one thread, so that what is made next is made there. */
void bench_beside_swap(bench_lab *lab);

/** Labels a scan that was made in the context of one thread. */
void bench_beside_mark(bench_subject *subject);

/** Median of the same scan by one thread; 0: it is not timed. */
double bench_beside_median(const bench_lab *lab, const bench_subject *subject);

#endif
