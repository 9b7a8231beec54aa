/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify.h @brief The parts of `scanrt verify`: cases on one device, their counts, the report. */
#ifndef SCANRT_CLI_VERIFY_H
#define SCANRT_CLI_VERIFY_H

#include <stdint.h>

#include "cli.h"
#include "json.h"

enum { VERIFY_MAX_STRATEGIES = 16, VERIFY_MAX_WORDS = 10, VERIFY_WORDS_BYTES = 512, VERIFY_MAX_SIZES = 16 };

/** How many cases ended how. A plan that is refused as unsupported counts once. */
typedef struct verify_counts {
  uint64_t passed;
  uint64_t failed;
  uint64_t not_applicable;
} verify_counts;

/** One line of the table: a device and a type, columns by strategy. */
typedef struct verify_row {
  const char *device;
  char type[16]; /**< "i32", or "i8->i32". */
  verify_counts cells[VERIFY_MAX_STRATEGIES];
} verify_row;

/** Where and how the report is written. */
typedef struct verify_report {
  int as_json;
  json json;
  scan_strategy strategies[VERIFY_MAX_STRATEGIES]; /**< The columns. */
  int strategy_count;
  verify_counts total;
  char words[VERIFY_MAX_WORDS][VERIFY_WORDS_BYTES]; /**< The first failures. */
} verify_report;

/** An opened device with buffers for the largest case. */
typedef struct verify_lab {
  scan_ctx *ctx;
  scan_device_info info;
  const char *selector;
  verify_report *report;
  uint64_t capacity_bytes; /**< Of a case's elements, guards apart. */
  scan_mem device_in;
  scan_mem device_out;
  unsigned char *host_in; /**< Guards, elements, guards. */
  unsigned char *host_out;
  void *expected;
  int quick;
  int large;
  uint64_t seed; /**< Another for every case, so that stale results cannot pass. */
} verify_lab;

/** What varies between cases, apart from n. */
typedef struct verify_subject {
  scan_spec spec; /**< With type, input_type, op, kind, init and strategy. */
  verify_counts *counts;
} verify_subject;

/** Opens the device and allocates the buffers. @return CLI_OK or CLI_FAILED; then `lab` holds nothing */
int verify_lab_open(verify_lab *lab);

/** Frees what verify_lab_open got. */
void verify_lab_close(verify_lab *lab);

/** Largest n that the options lead to. */
uint64_t verify_max_n(const verify_lab *lab);

/** Plans the subject and runs it for every n, in place and not. @return CLI_FAILED when the device cannot go on */
int verify_subject_run(verify_lab *lab, const verify_subject *subject);

/** Counts a failure; keeps the words of a cell's first one while there is room. */
void verify_report_failure(verify_report *report, verify_counts *counts, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void verify_report_begin(verify_report *report);                      /**< Prints the table's head. */
void verify_report_row(verify_report *report, const verify_row *row); /**< Adds to the total and prints a row. */
void verify_report_end(verify_report *report);                        /**< Prints the failures and the summary. */

#endif
