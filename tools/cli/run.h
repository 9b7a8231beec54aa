/* SPDX-License-Identifier: BSD-2-Clause */
/** @file run.h @brief The parts of `scanrt run`: the command line and files (cmd_run.c), the scan (run_scan.c), and
 * what is done otherwise over the ranks of MPI (run_ranks.c). */
#ifndef SCANRT_CLI_RUN_H
#define SCANRT_CLI_RUN_H

#include "files.h"
#include "ranks.h"

/** What the command line asks for. */
typedef struct run_request {
  file_input in;        /**< Its type: `input_type`, or else `type`. */
  const char *out_path; /**< Output; "-": standard output. */
  const char *init;     /**< NULL: none. */
  const char *device;   /**< NULL: the default device. */
  const io_format *out_format;
  scan_type type;
  scan_type input_type;
  scan_op_id op;
  scan_kind kind;
  scan_strategy strategy;
  uint64_t axis;        /**< Of an array, when `has_axis`; */
  int is_axis_from_end; /**< 1: counted from the last one, which is 1, until the input is read. */
  uint64_t memory;      /**< Bytes of device memory that the data may take; 0: as they need. */
  int has_axis;
  const char *segments[SCAN_SEGMENTS_OFFSETS + 1]; /**< Files, by scan_segments; at most one. */
  int check_overflow;
  int line_lengths;
  int verbose;
  uint64_t threads; /**< Of a host device; 0: the library's choice. */
  int mpi;          /**< --mpi, */
  int no_mpi;       /**< and --no-mpi. */
  ranks *ranks;     /**< NULL: this process alone. */
} run_request;

/** What this process reads of an input: all of it, or a rank's part. */
typedef struct run_input {
  io_array whole; /**< Without data. */
  io_array part;  /**< With data, which are the caller's. */
  uint64_t first; /**< Elements of the whole before the part. */
} run_input;

/** Scans `in` into `out`, which has its shape and room for its elements. @return CLI_OK, or CLI_FAILED after saying why
 */
int run_scan(const run_request *r, const scan_spec *spec, const scan_args *args, const io_array *in, io_array *out);

/** The array of --axis. */
scan_status run_describe(const run_request *r, const scan_spec *spec, const io_array *in, scan_array *array);

/** Says where a result left its type. @return CLI_FAILED */
int run_fail_overflow(const scan_spec *spec, uint64_t index);

/* ---- over ranks ---- */

/** Refuses what --mpi does not have. @return CLI_OK or CLI_USAGE */
int run_check_ranks(const char *command, const run_request *r);

/** Reads this rank's part: a piece along the axis of which the lines lie one after the other. */
int run_read_part(const run_request *r, run_input *in);

/** Of the whole's offsets leaves those of this rank's part, counted from its first element. @return how many */
uint64_t run_cut_offsets(const run_input *in, uint64_t count, io_array *marks);

/** Scans the parts of all ranks. @param args  of this rank. @return CLI_OK, or CLI_FAILED on all ranks */
int run_scan_ranks(const run_request *r, const scan_spec *spec, const scan_args *args, const run_input *in);

/** Writes the parts of all ranks to one file. @return the same on all ranks */
int run_write_parts(const run_request *r, const run_input *in, const io_array *out);

#endif
