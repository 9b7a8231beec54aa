/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_report.h @brief The lines of `scanrt bench`, of all families, as a table, JSON and CSV. */
#ifndef SCANRT_CLI_BENCH_REPORT_H
#define SCANRT_CLI_BENCH_REPORT_H

#include <stdint.h>

#include "json.h"
#include "output.h"

typedef struct bench_request bench_request;

/** Columns of a table that not every case has, as bits of bench_row.shown. */
enum {
  BENCH_SHOWS_RATE = 1, /**< Times and rates of finished work. */
  BENCH_SHOWS_HOST = 2, /**< In their place the time until calls return. */
  BENCH_SHOWS_LOOP = 4,
  BENCH_SHOWS_ONE = 8,
  BENCH_SHOWS_PLAIN = 16,
  BENCH_SHOWS_PEER = 32,
  BENCH_SHOWS_COST = 64, /**< Work and span. */
  BENCH_SHOWS_PINS = 128 /**< The time that page-locking takes. */
};

/** One line. A column is absent where its text is NULL, its count UINT64_MAX or its number NaN: bench_row_start makes
 *  all so. Seconds, bytes a second and ratios are scaled to the columns' units by the report. */
typedef struct bench_row {
  unsigned shown;
  const char *device, *device_name, *driver, *what, *series, *role, *mode, *strategy, *title; /**< Of all lines. */
  const char *type, *input_type, *op, *kind, *plain, *peer, *segments, *segment_length;       /**< Of scans. */
  const char *plain_head, *peer_head; /**< What their columns are called; NULL: there is no such subject. */
  const char *by, *rest, *payload, *share, *run_length, *given; /**< Of --select. */
  const char *sort, *shape, *order;                             /**< Of --sort and --split. */
  const char *mpi, *scaling, *op_source, *memory;               /**< Of --mpi and --stream. */
  uint64_t n, bytes, buffers, work, span, segment_count, check_overflow, correct;
  uint64_t reps, in_place, in_offset, out_offset; /**< Of the request. */
  uint64_t kept, key_words, descending, first_bit, end_bit, value_bytes, passes, segment_items;
  uint64_t ranks, takes_device_memory, from_source, sent_bytes, memory_bytes, chunk_items, chunks;
  double median, spread, least, items_per_s, bytes_per_s;
  double limit_ratio, loop_ratio, one_ratio, plain_ratio, peer_ratio; /**< Time of the other divided by this time. */
  double over_empty, kept_ratio, alone, alone_ratio, pin;
  double open, source, plan, first, second, total, later, loop; /**< Of --cold. */
} bench_row;

enum { BENCH_CAPTION_BYTES = 768 };

/** The outputs of a report. */
typedef struct bench_sheet {
  const bench_request *request;
  unsigned columns; /**< The bit that the families' mask of a column must have. */
  json json;
  FILE *csv;                         /**< Of `output`; NULL: none. */
  output output;                     /**< Of --csv. */
  char caption[BENCH_CAPTION_BYTES]; /**< Of the table that is being written, */
  bench_row first;                   /**< and its first line. */
  int printed;                       /**< 1: there is such a table. */
} bench_sheet;

/** Opens the files that the request names and begins CSV and JSON; ends and closes them. @return CLI_OK or CLI_FAILED
 */
int bench_sheet_open(bench_sheet *sheet, const bench_request *request);
int bench_sheet_close(bench_sheet *sheet);

/** Makes all columns absent. */
void bench_row_start(bench_row *row);

/** Writes a line in each form that is asked for. @param caption  lines above a table, which begins where they change */
void bench_sheet_write(bench_sheet *sheet, const bench_row *row, const char *caption);

#endif
