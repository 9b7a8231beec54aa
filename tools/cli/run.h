/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run.h @brief The parts of `scanrt run`: the command line and files (cmd_run.c), the scan (run_scan.c), and
 * the steps that differ over the ranks of MPI (run_ranks.c). */
#ifndef SCANRT_CLI_RUN_H
#define SCANRT_CLI_RUN_H

#include "files.h"
#include "ranks.h"

/** The parsed command line. */
typedef struct run_request {
  file_input in;        /**< Its type is `input_type`, or else `type`. */
  const char *out_path; /**< Output; "-": standard output. */
  const char *init;     /**< NULL: none. */
  const char *device;   /**< NULL: the default device. */
  const io_format *out_format;
  scan_type type;
  scan_type input_type;
  scan_op_id op;
  scan_kind kind;
  scan_strategy strategy;
  uint64_t axis;        /**< Axis of an array, if `has_axis`. */
  int is_axis_from_end; /**< 1: until the input is read, `axis` counts from the last axis, which is 1. */
  uint64_t memory;      /**< Bytes of device memory that the data may take; 0: no limit. */
  int has_axis;
  const char *segments[SCAN_SEGMENTS_OFFSETS + 1]; /**< Files, by scan_segments; at most one. */
  int check_overflow;
  int line_lengths;
  int verbose;
  uint64_t threads; /**< Threads of a host device; 0: the library's default. */
  int mpi;          /**< 1: --mpi was given. */
  int no_mpi;       /**< 1: --no-mpi was given. */
  ranks *ranks;     /**< NULL: this process works alone. */
} run_request;

/** The input of this process: the whole input, or a rank's part. */
typedef struct run_input {
  io_array whole; /**< Without data. */
  io_array part;  /**< With data, which the caller frees. */
  uint64_t first; /**< Elements of the whole before `part`. */
} run_input;

/* ---- also of `scanrt reduce` (run_input.c) ---- */

/** Parses --axis, for cli_option.parse. @param[out] request  a run_request */
int run_parse_axis(const char *command, const char *text, void *request);

/** Checks the axis against the input, and counts it from the first axis. @return CLI_OK or CLI_USAGE */
int run_check_axis(const char *command, run_request *r, const io_array *in);

/** Makes the spec from the request and the input's type. @return CLI_OK or CLI_USAGE */
int run_make_spec(const char *command, const run_request *r, const io_array *in, scan_spec *spec);

/** Reads the segments' marks and sets the spec and args for them. @param[out] marks  the marks; the caller frees
 * their data */
int run_read_segments(const run_request *r, const run_input *in, scan_spec *spec, scan_args *args, io_array *marks);

/* ---- the scan (run_scan.c) ---- */

/** Scans `in` into `out`, which has the same shape and room for its elements. @return CLI_OK, or CLI_FAILED after
 * saying why */
int run_scan(const run_request *r, const scan_spec *spec, const scan_args *args, const io_array *in, io_array *out);

/** Describes the input as the scan_array of --axis. */
scan_status run_describe(const run_request *r, const scan_spec *spec, const io_array *in, scan_array *array);

/** Reports the index at which a result overflowed its type. @return CLI_FAILED */
int run_fail_overflow(const scan_spec *spec, uint64_t index);

/* ---- over ranks ---- */

/** Refuses options that --mpi does not support. @return CLI_OK or CLI_USAGE */
int run_check_ranks(const char *command, const run_request *r);

/** Reads this rank's part: a range along the axis whose lines are contiguous. */
int run_read_part(const run_request *r, run_input *in);

/** Reduces the whole's offsets to those of this rank's part, counted from its first element. @return their number */
uint64_t run_cut_offsets(const run_input *in, uint64_t count, io_array *marks);

/** Scans the parts of all ranks. @param args  of this rank. @return CLI_OK, or CLI_FAILED on all ranks */
int run_scan_ranks(const run_request *r, const scan_spec *spec, const scan_args *args, const run_input *in);

/** Writes the parts of all ranks to one file. @return the same status on all ranks */
int run_write_parts(const run_request *r, const run_input *in, const io_array *out);

#endif
