/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_family.h @brief What `scanrt bench --select` and `--sort` have in common: the way through devices and
 *  cases, the lines of their reports and the files. Each has a command line, data and columns of its own. */
#ifndef SCANRT_CLI_BENCH_FAMILY_H
#define SCANRT_CLI_BENCH_FAMILY_H

#include <stdatomic.h>

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

/** A family's own columns. */
typedef struct bench_columns {
  const char *table;                         /**< Heads of what `print` prints. */
  const char *csv_columns;                   /**< Names of what `csv` writes. */
  const char *unit;                          /**< Of times, such as "us". */
  double per_second;                         /**< So many units are a second. */
  int decimals;                              /**< Of the median in a table. */
  int label_width;                           /**< Of a line's label in a table. */
  const char *(*role)(const bench_lab *lab); /**< Of the library's own calls, such as "sort". */
  uint64_t (*keys)(const bench_lab *lab);    /**< Keys a second are a column, too; NULL: they are none. */
  void (*describe)(const bench_lab *lab, char *text, size_t bytes); /**< The case, in the head of a table. */
  void (*print)(const bench_lab *lab);                              /**< The case in a line of a table. */
  void (*json)(json *j, const bench_lab *lab);
  void (*csv)(FILE *file, const bench_lab *lab, const bench_line *line);
} bench_columns;

/** What is each family's own. Labs begin with their bench_lab, requests with their bench_request. */
typedef struct bench_family {
  const bench_columns *columns;
  int (*list)(bench_lab *lab); /**< The subjects. @return CLI_OK or CLI_FAILED */
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

/* ---- memory and chunks ---- */

/** Memory of the device, and on the host backend the pointer to free. */
typedef struct bench_memory {
  scan_mem mem;
  void *host;
  uint64_t bytes; /**< 0: there is none. */
} bench_memory;

/** Allocates memory; frees it, which may be none. */
scan_status bench_memory_make(const bench_lab *lab, uint64_t bytes, bench_memory *memory);
void bench_memory_free(const bench_lab *lab, bench_memory *memory);

/** Bytes up to the alignment of such memory. */
uint64_t bench_aligned(uint64_t bytes);

/** Makes memory to poison others of up to so many bytes with; overwrites such memory. */
scan_status bench_poison_make(const bench_lab *lab, uint64_t bytes, bench_memory *poison);
scan_status bench_memory_poison(const bench_lab *lab, const bench_memory *poison, const bench_memory *memory);

/** Words a failure of the lab's device. @return CLI_OK or CLI_FAILED */
int bench_forward(const bench_lab *lab, scan_status status);

/** Appends the copy, on the host memcpy, which reads and writes so many bytes. */
void bench_family_copy(bench_lab *lab, uint64_t bytes, const bench_memory *from, const bench_memory *to);

/** Has all of `from` copied to `to` before each call of a subject that works in place there. */
void bench_family_restored(bench_subject *subject, const bench_memory *from, const bench_memory *to);

enum { BENCH_CHUNK = 1 << 16 };

/** Calls work(state, chunk) for each BENCH_CHUNK of n elements, by several threads. */
void bench_each_chunk(uint64_t n, void (*work)(void *state, uint64_t chunk), void *state);
uint64_t bench_chunks(uint64_t n);
uint64_t bench_chunk_end(uint64_t n, uint64_t chunk); /**< The element before which a chunk ends. */

/** Sets the lowest place that was noted, by several threads. @param lowest  UINT64_MAX before */
void bench_note_lowest(atomic_uint_fast64_t *lowest, uint64_t place);

/** Writes a line in each form that is asked for. */
void bench_line_write(const bench_columns *columns, bench_sheet *sheet, const bench_lab *lab, const bench_line *line);

/** The first line of CSV, for bench_sheet_open. */
void bench_csv_columns(const bench_columns *columns, char *text, size_t bytes);

/** Refuses options that exclude each other. @return CLI_OK or CLI_USAGE */
int bench_family_check(const char *command, const bench_request *request);

#endif
