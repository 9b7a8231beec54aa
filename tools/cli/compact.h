/* SPDX-License-Identifier: BSD-2-Clause */
/** @file compact.h @brief The parts of `scanrt select` and `scanrt unique`: command lines and files (cmd_select.c), the
 * call (compact_run.c), comparisons (compact_keep.c), differences (compact_within.c). */
#ifndef SCANRT_CLI_COMPACT_H
#define SCANRT_CLI_COMPACT_H

#include "files.h"

#include <scanrt/scan_select.h>

enum { COMPACT_MOST_COMPARISONS = 2 };

/** What the command line asks for. */
typedef struct compact_request {
  file_input in;
  const char *out_path;    /**< Output; "-": standard output. */
  const char *flags_path;  /**< NULL: none. */
  const char *keep;        /**< A comparison, or of unique first or last; NULL: none. */
  const char *within;      /**< Of unique: by how much neighbours may differ; NULL: not at all. */
  const char *rest;        /**< "behind", or where those that are not kept go; NULL: nowhere. */
  const char *counts_path; /**< Of unique: where the runs' lengths go; NULL: nowhere. */
  const char *device;      /**< NULL: the default device. */
  const io_format *out_format;
  const io_format *rest_format;
  const io_format *counts_format;
  int indices;     /**< 1: indices in place of elements. */
  int with_counts; /**< 1: of unique, the runs' lengths before the elements. */
  scan_select_by by;
} compact_request;

/** What was found: arrays whose data come from malloc; free them with free. */
typedef struct compact_result {
  io_array out;    /**< Those that are kept; with --rest behind, all. */
  io_array rest;   /**< Those that are not, with --rest FILE. */
  io_array counts; /**< u64: the runs' lengths. */
} compact_result;

/** Compacts `in`. @param flags  of by SCAN_SELECT_FLAGS, u8, at least as many. @return CLI_OK, or a status after saying
 *  why; free the result in both cases */
int compact_run(const compact_request *r, const io_array *in, const io_array *flags, compact_result *result);

/** One comparison or two of an element x, as they are written in --keep. */
typedef struct compact_comparison {
  scan_value bound[COMPACT_MOST_COMPARISONS];
  uint32_t how[COMPACT_MOST_COMPARISONS]; /**< 0 to 5: < <= > >= == != */
  uint32_t joined;                        /**< 0: there is one; 1: both must hold; 2: one of them. */
} compact_comparison;

enum { COMPACT_PARAMS_BYTES = 64 };

/** Makes a predicate from text such as "x > 3". @param[out] params  for scan_select_args.params. @return CLI_OK,
 *  CLI_USAGE or CLI_FAILED */
int compact_predicate(scan_ctx *ctx, scan_type type, const char *text, scan_op **predicate,
                      unsigned char params[COMPACT_PARAMS_BYTES]);

/** Makes a predicate of two neighbours, which are equal where they differ by no more than `text` says. Otherwise as
 *  compact_predicate. */
int compact_within(scan_ctx *ctx, scan_type type, const char *text, scan_op **predicate,
                   unsigned char params[COMPACT_PARAMS_BYTES]);

#endif
