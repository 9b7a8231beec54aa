/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_report.h @brief Writes the lines of `scanrt bench`, of all kinds, as a table, JSON and CSV. */
#ifndef SCANRT_CLI_BENCH_REPORT_H
#define SCANRT_CLI_BENCH_REPORT_H

#include <stdint.h>

#include "json.h"
#include "output.h"

typedef struct bench_request bench_request;

/** Columns of a table that only some cases have, as bits of bench_row.shown. */
enum {
  BENCH_SHOWS_RATE = 1, /**< Times and rates of finished work. */
  BENCH_SHOWS_HOST = 2, /**< The time until calls return, instead of times and rates. */
  BENCH_SHOWS_LOOP = 4,
  BENCH_SHOWS_ONE = 8,
  BENCH_SHOWS_PLAIN = 16,
  BENCH_SHOWS_PEER = 32,
  BENCH_SHOWS_COST = 64,  /**< Work, span, networks and the time of a block. */
  BENCH_SHOWS_PINS = 128, /**< The time of page-locking. */
  BENCH_SHOWS_A100 = 256  /**< Published rates of an A100. */
};

/** One line. A column is absent if its text is NULL, its count UINT64_MAX or its number NaN; bench_row_start makes
 * all absent. The report scales seconds, bytes a second and ratios to the columns' units. */
typedef struct bench_row {
  unsigned shown;
  const char *device, *device_name, *driver, *what, *series, *role, *mode, *strategy, *title; /**< In all lines. */
  const char *type, *input_type, *op, *kind, *plain, *peer, *segments, *segment_length;       /**< In lines of scans. */
  const char *plain_head, *peer_head; /**< Headings of these columns; NULL: there is no such entry. */
  const char *by, *rest, *payload, *share, *run_length, *given; /**< In lines of --select. */
  const char *sort, *shape, *order;                             /**< In lines of --sort and --split. */
  const char *mpi, *scaling, *op_source, *memory;               /**< In lines of --mpi and --stream. */
  const char *primitive;                                        /**< In lines of --versus. */
  uint64_t n, bytes, buffers, work, span, segment_count, check_overflow, correct;
  uint64_t reps, in_place, in_offset, out_offset; /**< As requested. */
  uint64_t kept, key_words, descending, first_bit, end_bit, value_bytes, passes, segment_items;
  uint64_t ranks, takes_device_memory, from_source, sent_bytes, memory_bytes, chunk_items, chunks;
  uint64_t network_depth, network_size, network_sum, published_depth, published_size, block_items; /**< --gallery. */
  double bound_ratio, block, a100, a100_ratio;                                                     /**< --gallery. */
  double median, spread, least, items_per_s, bytes_per_s, peer_median;
  /** Time of the other entry divided by this time. */
  double limit_ratio, loop_ratio, one_ratio, plain_ratio, peer_ratio;
  double over_empty, kept_ratio, alone, alone_ratio, pin;
  double open, source, plan, first, second, total, later, loop; /**< In lines of --cold. */
} bench_row;

enum { BENCH_CAPTION_BYTES = 768 };

/** The outputs of a report. */
typedef struct bench_table {
  const bench_request *request;
  unsigned columns; /**< One bit: columns whose kind mask has it are written. */
  json json;
  FILE *csv;                         /**< The file of `output`; NULL: no CSV. */
  output output;                     /**< The CSV file. */
  char caption[BENCH_CAPTION_BYTES]; /**< Caption of the table being written. */
  bench_row first;                   /**< First line of that table. */
  int printed;                       /**< 1: a table has begun. */
} bench_table;

/** Opens the files that the request names, and begins CSV and JSON. @return CLI_OK or CLI_FAILED */
int bench_table_open(bench_table *table, const bench_request *request);
/** Ends CSV and JSON and closes the files. @return CLI_OK or CLI_FAILED */
int bench_table_close(bench_table *table);

/** Makes all columns absent. */
void bench_row_start(bench_row *row);

/** Writes a line of the table alone; nothing if the request has JSON, or CSV in place of the table. */
void bench_table_print(bench_table *table, const bench_row *row, const char *caption);

/** Writes a line in each requested form. @param caption  lines above the table; a new table begins when they change */
void bench_table_write(bench_table *table, const bench_row *row, const char *caption);

#endif
