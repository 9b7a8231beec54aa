/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sort.h @brief The parts of `scanrt sort`: command line and files (cmd_sort.c), the call (sort_run.c), the
 * ranks of MPI (sort_ranks.c). */
#ifndef SCANRT_CLI_SORT_H
#define SCANRT_CLI_SORT_H

#include "files.h"
#include "ranks.h"

#include <scanrt/scan_sort.h>

/** The parsed command line. */
typedef struct sort_request {
  char *const *paths; /**< Files whose elements are sorted together. */
  int path_count;
  file_input in;        /**< Options that all files share; its path is unused. */
  file_input key;       /**< The keys; path NULL: elements are their own keys. */
  char delimiter;       /**< Delimiter of text inputs; 0: not given. */
  int has_header;       /**< 1: the first line of text holds the column names. */
  const char *out_path; /**< "-": standard output. */
  const io_format *out_format;
  const char *keys_path; /**< File for the sorted keys; NULL: none. */
  const io_format *keys_format;
  const char *device; /**< NULL: the default device. */
  uint32_t first_bit, end_bit;
  uint64_t order; /**< A scan_sort_order. */
  int descending;
  int argsort;  /**< 1: writes indices instead of elements. */
  int verbose;  /**< 1: prints facts of the sort. */
  int mpi;      /**< 1: --mpi was given. */
  int no_mpi;   /**< 1: --no-mpi was given. */
  ranks *ranks; /**< NULL: this process works alone. */
} sort_request;

/** The output arrays. Their data come from malloc; free them with free. */
typedef struct sort_result {
  io_array out;  /**< Sorted elements, or indices (u64). */
  io_array keys; /**< With keys_path: the sorted keys. */
} sort_result;

/** Parses the name of an order, total or numeric, for cli_option.parse. @param[out] order  a uint64_t
 *  @return CLI_OK or CLI_USAGE */
int sort_parse_order(const char *command, const char *text, void *order);

/** Makes the spec of a sort. @param by  the keys. @param is_apart  1: the keys are not the elements */
scan_sort_spec sort_spec_of(const sort_request *r, const io_array *in, const io_array *by, int is_apart);

/** Makes the args of a sort of host arrays. */
scan_sort_args sort_args_of(const scan_sort_spec *spec, const io_array *in, const io_array *by,
                            const sort_result *result);

/** Allocates the outputs of a sort. @return CLI_OK or CLI_FAILED; free the result in both cases */
int sort_allocate(const sort_request *r, const io_array *in, const io_array *by, sort_result *result);

/** Checks options that depend on types: NumPy has no bf16, and --bits must end within a key. */
int sort_check_types(const sort_request *r, scan_type type, scan_type key_type);

/** Sorts `in` by `keys`. @param keys  as many as `in`; NULL: elements are their own keys. @return CLI_OK, or a
 * status after saying why; free the result in both cases */
int sort_run(const sort_request *r, const io_array *in, const io_array *keys, sort_result *result);

/* ---- over ranks ---- */

/** A rank's part of the input. */
typedef struct sort_parts {
  io_array whole, whole_keys; /**< Without data. */
  io_array in, keys;          /**< With data. */
  uint64_t first;             /**< Elements of the ranks before. */
} sort_parts;

/** Refuses options that --mpi does not support. @return CLI_OK or CLI_USAGE */
int sort_check_ranks(const char *command, const sort_request *r);

/** Reads, sorts and writes the parts of all ranks. @return the same status on all ranks */
int sort_over_ranks(const sort_request *r);

#endif
