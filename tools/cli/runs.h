/* SPDX-License-Identifier: BSD-2-Clause */
/** @file runs.h @brief The parts of `scanrt rle` and `scanrt reduce-by-key`: command lines and files (cmd_runs.c),
 * the calls (runs_run.c), the output (runs_write.c). */
#ifndef SCANRT_CLI_RUNS_H
#define SCANRT_CLI_RUNS_H

#include "files.h"

#include <scanrt/scan_runs.h>

/** Columns of the output, with one entry a run. */
typedef enum runs_column { RUNS_KEY, RUNS_LENGTH, RUNS_START, RUNS_VALUE, RUNS_COLUMNS } runs_column;

/** The parsed command line. */
typedef struct runs_request {
  int reduces; /**< 1: `scanrt reduce-by-key`; 0: `scanrt rle`. */
  file_input keys, values;
  char delimiter;       /**< Delimiter of text inputs; 0: not given. */
  int has_header;       /**< 1: the first line of text holds the column names. */
  const char *out_path; /**< NULL: standard output, if any column is left for it. */
  const io_format *out_format;
  runs_column columns[RUNS_COLUMNS]; /**< Columns of OUT, in their order. */
  int column_count;
  const char *apart[RUNS_COLUMNS]; /**< Files of single columns; NULL: none. */
  const io_format *apart_format[RUNS_COLUMNS];
  const char *device;   /**< NULL: the default device. */
  scan_type type;       /**< Type of the results; SCAN_TYPE_DEFAULT: that of the values. */
  scan_type input_type; /**< Type of the values; SCAN_TYPE_DEFAULT: not given. */
  scan_op_id op;
  const char *init; /**< NULL: none. */
  scan_strategy strategy;
  int check_overflow;
} runs_request;

/** The requested columns, with one number a run. Their data come from malloc; free them with free. */
typedef struct runs_result {
  io_array column[RUNS_COLUMNS];
} runs_result;

/** 1 if a column is written anywhere. */
int runs_is_wanted(const runs_request *r, runs_column column);

/** Encodes the keys, or reduces the values by `spec`. @param values, spec  for reductions. @return CLI_OK, or a
 * status after saying why; free the result in both cases */
int runs_run(const runs_request *r, const scan_spec *spec, const io_array *keys, const io_array *values,
             runs_result *result);

/** Writes the requested columns. @return CLI_OK or CLI_FAILED */
int runs_write(const runs_request *r, const runs_result *result);

#endif
