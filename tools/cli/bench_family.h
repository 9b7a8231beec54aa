/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_family.h @brief What `scanrt bench --select` and `--sort` have in common: the way through devices and
 *  cases, the lines of their reports and the files. Each has a command line, data and columns of its own. */
#ifndef SCANRT_CLI_BENCH_FAMILY_H
#define SCANRT_CLI_BENCH_FAMILY_H

#include "bench.h"

/** One line of a report. */
typedef struct bench_line {
  bench_role role;
  const char *label;
  uint64_t bytes; /**< That must be read and written. */
  int wrong;
  bench_result time;
  double limit_ratio; /**< Time of the limit divided by this time; 0: not compared. */
  double loop_ratio;  /**< Likewise of the plain loop, */
  double one_ratio;   /**< of one thread, */
  double peer_ratio;  /**< and of the first peer. */
  const char *peer;   /**< "": there is none. */
} bench_line;

/** Where lines are written. */
typedef struct bench_sheet {
  const bench_request *request;
  json json;
  FILE *csv;      /**< Of `output`; NULL: none. */
  output output;  /**< Of --csv. */
  char head[768]; /**< Of the table that is being written. */
} bench_sheet;

/** What is each family's own. Labs begin with their bench_lab, requests with their bench_request. */
typedef struct bench_family {
  const char *csv_head;
  void (*write)(bench_sheet *sheet, const bench_lab *lab, const bench_line *line); /**< In each form asked for. */
  int (*list)(bench_lab *lab);   /**< The subjects. @return CLI_OK or CLI_FAILED */
  void (*clear)(bench_lab *lab); /**< Ends them. */
  /** All cases of a device. @param sheet  NULL: one case alone, into the lab's cold. */
  int (*measure)(const bench_request *request, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                 bench_sheet *sheet);
  bench_cold_way *cold; /**< The same of one case. */
} bench_family;

/** All devices. @return CLI_OK or CLI_FAILED */
int bench_family_run(const bench_family *family, const bench_request *request);

/** One case in each mode that is asked for, or the plan's first two runs. @return CLI_OK or CLI_FAILED */
int bench_family_case(const bench_family *family, bench_lab *lab, bench_sheet *sheet);

/** Appends a subject whose results are compared bit for bit. */
bench_subject *bench_family_subject(bench_lab *lab, bench_role role, int (*start)(bench_subject *, uint64_t),
                                    uint64_t bytes, const char *label);

/** Opens files, prints heads; closes them. @return CLI_OK or CLI_FAILED */
int bench_sheet_open(bench_sheet *sheet, const char *csv_head, const bench_request *request);
int bench_sheet_close(bench_sheet *sheet);

int bench_sheet_prints_table(const bench_sheet *sheet);

/** The end of a line, and the line: how it compares. */
void bench_line_print(const bench_line *line, int beside_loop, int beside_one);
void bench_line_json(json *j, const bench_line *line);
void bench_line_csv(FILE *file, const bench_request *request, const bench_line *line);

/** Refuses options that exclude each other. @return CLI_OK or CLI_USAGE */
int bench_family_check(const char *command, const bench_request *request);

#endif
