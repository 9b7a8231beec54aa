/* SPDX-License-Identifier: BSD-2-Clause */
/** @file compact.h @brief The parts of `scanrt select` and `scanrt unique`: command lines and files (cmd_select.c), the
 * call (compact_run.c), comparisons (compact_keep.c), differences (compact_within.c). */
#ifndef SCANRT_CLI_COMPACT_H
#define SCANRT_CLI_COMPACT_H

#include "files.h"

#include <scanrt/scan_select.h>

enum { COMPACT_MOST_COMPARISONS = 2 };

/** The parsed command line. */
typedef struct compact_request {
  file_input in;
  const char *out_path;   /**< Output; "-": standard output. */
  const char *flags_path; /**< NULL: none. */
  const char *keep;       /**< A comparison, or for unique "first" or "last"; NULL: none. */
  const char *within; /**< For unique: the largest difference of equal neighbours; NULL: neighbours must be equal. */
  const char *rest;   /**< "behind", or the file for elements that are not kept; NULL: they are dropped. */
  const char *counts_path; /**< For unique: the file for the lengths of runs; NULL: none. */
  const char *device;      /**< NULL: the default device. */
  const io_format *out_format;
  const io_format *rest_format;
  const io_format *counts_format;
  int indices;     /**< 1: writes indices instead of elements. */
  int with_counts; /**< 1: for unique, writes the lengths of runs before the elements. */
  scan_select_by by;
} compact_request;

/** The output arrays. Their data come from malloc; free them with free. */
typedef struct compact_result {
  io_array out;    /**< Elements that are kept; with --rest behind, all elements. */
  io_array rest;   /**< Elements that are not kept, with --rest FILE. */
  io_array counts; /**< Lengths of runs, u64. */
} compact_result;

/** Compacts `in`. @param flags  for SCAN_SELECT_FLAGS: u8, at least in->n of them. @return CLI_OK, or a status after
 * saying why; free the result in both cases */
int compact_run(const compact_request *r, const io_array *in, const io_array *flags, compact_result *result);

/** One or two comparisons of an element x, as written in --keep. */
typedef struct compact_comparison {
  scan_value bound[COMPACT_MOST_COMPARISONS];
  uint32_t how[COMPACT_MOST_COMPARISONS]; /**< 0 to 5: < <= > >= == != */
  uint32_t joined; /**< 0: there is one comparison; 1: both must hold; 2: one of them must hold. */
} compact_comparison;

enum { COMPACT_PARAMS_BYTES = 64 };

/** Makes a predicate from text such as "x > 3". @param[out] params  for scan_select_args.params. @return CLI_OK,
 *  CLI_USAGE or CLI_FAILED */
int compact_predicate(scan_ctx *ctx, scan_type type, const char *text, scan_op **predicate,
                      unsigned char params[COMPACT_PARAMS_BYTES]);

/** Makes a predicate of two neighbours, which counts them as equal if they differ by no more than `text` says. @see
 * compact_predicate */
int compact_within(scan_ctx *ctx, scan_type type, const char *text, scan_op **predicate,
                   unsigned char params[COMPACT_PARAMS_BYTES]);

#endif
