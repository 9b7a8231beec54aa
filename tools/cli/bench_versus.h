/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file bench_versus.h
 * @brief The parts of `scanrt bench --versus`: cases of the other kinds, timed beside peers alone, and their ratios.
 *
 * bench_versus_lines.c lists the cases as command lines of `scanrt bench`. bench_versus.c runs each of them at each n
 * in one context, collects a row for each peer, and writes the rows when all are there, the lowest ratio first.
 */
#ifndef SCANRT_CLI_BENCH_VERSUS_H
#define SCANRT_CLI_BENCH_VERSUS_H

#include "bench.h"

/** The primitives, as --primitive names them. */
typedef enum versus_primitive {
  VERSUS_EXCLUSIVE,
  VERSUS_INCLUSIVE,
  VERSUS_SCAN_BY_KEY,
  VERSUS_REDUCE,
  VERSUS_SEGMENTED_REDUCE,
  VERSUS_SELECT,
  VERSUS_UNIQUE,
  VERSUS_PARTITION,
  VERSUS_RLE,
  VERSUS_REDUCE_BY_KEY,
  VERSUS_SORT,
  VERSUS_SORT_PAIRS,
  VERSUS_ARGSORT,
  VERSUS_SEGMENTED_SORT,
  VERSUS_SPLIT,
  VERSUS_HISTOGRAM,
  VERSUS_PRIMITIVES
} versus_primitive;

/** A family of cases. */
typedef struct versus_line {
  versus_primitive primitive;
  const char *types;   /**< Types of elements or keys, separated by blanks. */
  const char *values;  /**< Values of an option, separated by blanks; "": one case a type. */
  const char *options; /**< Options of `scanrt bench`: '@' is the type, '#' its bytes, '$' the value. */
} versus_line;

/** The lines; the last one has no options. */
extern const versus_line versus_lines[];

enum { VERSUS_OPTIONS_BYTES = 96, VERSUS_WORD_BYTES = 16 };

/** One case: a line with one of its types and one of its values. */
typedef struct versus_case {
  versus_primitive primitive;
  char type_name[VERSUS_WORD_BYTES];
  char value[VERSUS_WORD_BYTES];
  scan_type type;
  char options[VERSUS_OPTIONS_BYTES]; /**< Options of `scanrt bench` that repeat it, without --n and --device. */
  double seconds;                     /**< Time of its last measurement, with all that belongs to it. */
} versus_case;

/** The parsed command line. */
typedef struct versus_request {
  bench_request base;                /**< First member, since the shared options are stored there. */
  int primitives[VERSUS_PRIMITIVES]; /**< 1 if requested. */
  uint64_t limit, row_limit;         /**< Seconds of a device and of a case. */
} versus_request;

/** Functions of bench_kind. */
void versus_help(void);
int versus_complete(const char *command, bench_request *request);

/** Returns the name that --primitive takes. */
const char *versus_primitive_name(versus_primitive primitive);

/** Lists the requested cases. @param[out] count  their number. @return to be freed; NULL if memory ran out */
versus_case *versus_cases_make(const versus_request *request, size_t *count);

#endif
