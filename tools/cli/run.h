/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run.h @brief The parts of `scanrt run`: the command line and files (cmd_run.c), the scan (run_scan.c). */
#ifndef SCANRT_CLI_RUN_H
#define SCANRT_CLI_RUN_H

#include "io.h"

/** What the command line asks for. */
typedef struct run_request {
  const char *path;     /**< Input; "-": standard input. */
  const char *out_path; /**< Output; "-": standard output. */
  const char *init;     /**< NULL: none. */
  const char *device;   /**< NULL: the default device. */
  const io_format *format;
  const io_format *out_format;
  scan_type type;
  scan_type input_type;
  scan_op_id op;
  scan_kind kind;
  scan_strategy strategy;
  uint64_t column; /**< From 1; 0: not given. */
  uint64_t axis;   /**< Of an array, when `has_axis`. */
  uint64_t memory; /**< Bytes of device memory that the data may take; 0: as they need. */
  char delimiter;
  int has_axis;
  int delimiter_given;
  const char *segments[SCAN_SEGMENTS_OFFSETS + 1]; /**< Files, by scan_segments; at most one. */
  int check_overflow;
  int line_lengths;
  int verbose;
} run_request;

/** Scans `in` into `out`, which has its shape and room for its elements. @return CLI_OK, or CLI_FAILED after saying why
 */
int run_scan(const run_request *r, const scan_spec *spec, const scan_args *args, const io_array *in, io_array *out);

#endif
