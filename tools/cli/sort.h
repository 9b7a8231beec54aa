/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sort.h @brief The parts of `scanrt sort`: command line and files (cmd_sort.c), the call (sort_run.c). */
#ifndef SCANRT_CLI_SORT_H
#define SCANRT_CLI_SORT_H

#include "files.h"

#include <scanrt/scan_sort.h>

/** What the command line asks for. */
typedef struct sort_request {
  char *const *paths; /**< The files whose elements are sorted, as one. */
  int path_count;
  file_input in;        /**< What they have in common: all but the path. */
  file_input key;       /**< The keys; path NULL: elements are their own keys. */
  char delimiter;       /**< Of both, where they are text; 0: not given. */
  int has_header;       /**< 1: the first line of text has the columns' names. */
  const char *out_path; /**< "-": standard output. */
  const io_format *out_format;
  const char *keys_path; /**< Where the sorted keys go; NULL: nowhere. */
  const io_format *keys_format;
  const char *device; /**< NULL: the default device. */
  uint32_t first_bit, end_bit;
  uint64_t order; /**< A scan_sort_order. */
  int descending;
  int argsort; /**< 1: indices in place of elements. */
} sort_request;

/** Arrays whose data come from malloc; free them with free. */
typedef struct sort_result {
  io_array out;  /**< Elements, or indices (u64). */
  io_array keys; /**< With keys_path: the sorted keys. */
} sort_result;

/** Parses the name of an order, total or numeric, for cli_option.parse. @param[out] order  a uint64_t
 *  @return CLI_OK or CLI_USAGE */
int sort_parse_order(const char *command, const char *text, void *order);

/** Sorts `in` by `keys`. @param keys  as many, or NULL: elements are their own keys. @return CLI_OK, or a status after
 *  saying why; free the result in both cases */
int sort_run(const sort_request *r, const io_array *in, const io_array *keys, sort_result *result);

#endif
