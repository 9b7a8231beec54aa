/* SPDX-License-Identifier: BSD-2-Clause */
/** @file runs_write.c @brief Writes the columns of `scanrt rle` and `scanrt reduce-by-key`: as a text table, and as
 * files of one column. */
#define _POSIX_C_SOURCE 200809L
#include "number.h"
#include "output.h"
#include "progress.h"
#include "runs.h"

enum { PROGRESS_LINES = 4096 };

static int write_line(FILE *file, const runs_request *r, const runs_result *result, uint64_t run, char delimiter) {
  char text[NUMBER_TEXT_BYTES];
  for (int c = 0; c < r->column_count; c++) {
    const io_array *column = &result->column[r->columns[c]];
    number_format(column->type, (const char *)column->data + run * scan_type_bytes(column->type), text);
    if (fputs(text, file) == EOF || fputc(c + 1 < r->column_count ? delimiter : '\n', file) == EOF) return -1;
  }
  return 0;
}

static int write_lines(FILE *file, const char *name, const runs_request *r, const runs_result *result, char delimiter) {
  const uint64_t runs = result->column[r->columns[0]].n;
  progress bar;
  int rc = CLI_OK;
  progress_begin(&bar, "writing", runs);
  for (uint64_t i = 0; i < runs && rc == CLI_OK; i++) {
    if (write_line(file, r, result, i, delimiter) != 0) rc = CLI_FAILED;
    if (i % PROGRESS_LINES == 0) progress_set(&bar, i);
  }
  progress_end(&bar);
  return rc == CLI_OK ? rc : io_fail("write", name);
}

static int write_table(const runs_request *r, const runs_result *result) {
  const char given = io_delimiter(r->out_path, '\0'), delimiter = given ? given : '\t';
  output out;
  const int rc = output_begin(r->out_path, &out);
  return rc == CLI_OK ? output_end(&out, write_lines(out.file, out.name, r, result, delimiter)) : rc;
}

int runs_write(const runs_request *r, const runs_result *result) {
  int rc = CLI_OK;
  if (r->column_count > 1)
    rc = write_table(r, result);
  else if (r->column_count == 1)
    rc = io_write_file(r->out_path, r->out_format, &result->column[r->columns[0]]);
  for (int c = 0; c < RUNS_COLUMNS && rc == CLI_OK; c++)
    if (r->apart[c]) rc = io_write_file(r->apart[c], r->apart_format[c], &result->column[c]);
  return rc;
}
