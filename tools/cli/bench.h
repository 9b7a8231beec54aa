/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench.h @brief The parts of `scanrt bench`: timing, measurements on a device, the report. */
#ifndef SCANRT_CLI_BENCH_H
#define SCANRT_CLI_BENCH_H

#include <stdint.h>

#include "cli.h"
#include "json.h"

enum { BENCH_MAX_REPS = 1000, BENCH_MAX_SIZES = 32, BENCH_MAX_STRATEGIES = 16, BENCH_LABEL_BYTES = 40 };

/** What the command line asks for. */
typedef struct bench_request {
  cli_devices devices;
  uint64_t sizes[BENCH_MAX_SIZES];
  size_t size_count;
  scan_strategy strategies[BENCH_MAX_STRATEGIES];
  size_t strategy_count;
  scan_type type;
  scan_op_id op;
  scan_kind kind;
  uint64_t reps;
  int cold;
  int as_json;
} bench_request;

/* ---- timing ---- */

/** Something to time. `start` may return before the work is done, `finish` waits for it. */
typedef struct bench_subject {
  char label[BENCH_LABEL_BYTES];
  scan_status (*start)(void *state);
  scan_status (*finish)(void *state);
  void *state;
  uint64_t batch;                 /**< Starts between two finishes; bench_measure sets it. */
  double seconds[BENCH_MAX_REPS]; /**< Of one start, by repetition; sorted at the end. */
} bench_subject;

/** Median and spread of a subject. */
typedef struct bench_result {
  double median_seconds;
  double spread; /**< Interquartile range divided by the median. */
} bench_result;

/** Warms up, finds batches of more than 2 ms, then times all subjects in turn, `reps` rounds. @return the first
 *  status that is not SCAN_SUCCESS */
scan_status bench_measure(bench_subject *subjects, size_t count, uint64_t reps);

/** Evaluates a measured subject. */
bench_result bench_evaluate(const bench_subject *subject, uint64_t reps);

/* ---- report ---- */

/** One line. */
typedef struct bench_row {
  const char *device;
  const char *label;
  uint64_t n;
  uint64_t bytes; /**< Read and written. */
  bench_result time;
  double copy_ratio; /**< Time of the copy divided by this time. */
  double loop_ratio; /**< Time of the plain loop divided by this time; 0: not compared. */
  int wrong;         /**< 1: the result was wrong. */
} bench_row;

typedef struct bench_report {
  int as_json;
  json json;
} bench_report;

void bench_report_begin(bench_report *report, const bench_request *request); /**< Prints the table's head. */
void bench_report_row(bench_report *report, const bench_row *row);
void bench_report_end(bench_report *report);

/* ---- measurements ---- */

/** Measures one device at all sizes and strategies. @return CLI_OK, or CLI_FAILED (also after a wrong result) */
int bench_device(const bench_request *request, const char *selector, bench_report *report);

/** Times a first scan on a device: opening, first run, second run. */
int bench_cold(const char *selector, bench_report *report);

#endif
