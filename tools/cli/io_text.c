/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_text.c @brief One number a line, or one column of several. */
#define _POSIX_C_SOURCE 200809L
#include "io.h"
#include "number.h"
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 1024, PROGRESS_LINES = 4096 };

/** A piece of a line. */
typedef struct span {
  char *begin;
  char *end;
} span;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static span trim(span s) {
  while (s.begin < s.end && is_blank(*s.begin)) s.begin++;
  while (s.begin < s.end && is_blank(s.end[-1])) s.end--;
  return s;
}

/** Takes the next column off a line. @return 0 when there is none left */
static int next_column(span *rest, char delimiter, span *column) {
  char *p = rest->begin;
  if (!delimiter) {
    *rest = trim(*rest);
    p = rest->begin;
  }
  if (p > rest->end || (!delimiter && p == rest->end)) return 0;
  while (p < rest->end && (delimiter ? *p != delimiter : !is_blank(*p))) p++;
  *column = trim((span){ rest->begin, p });
  rest->begin = p + 1 > rest->end && !delimiter ? rest->end : p + 1;
  return 1;
}

/** Reads one line's number. */
static int parse_line(const io_source *source, scan_type type, uint64_t line, span text, scan_value *value) {
  span column = { text.begin, text.begin }, further;
  const uint64_t wanted = source->column ? source->column : 1;
  for (uint64_t k = 1; k <= wanted; k++) {
    if (next_column(&text, source->delimiter, &column)) continue;
    return cli_fail("%s:%" PRIu64 ": column %" PRIu64 " is wanted, the line has %" PRIu64, source->name, line, wanted,
                    k - 1);
  }
  if (!source->column && next_column(&text, source->delimiter, &further))
    return cli_fail("%s:%" PRIu64 ": more than one column: of the input, --column says which to scan", source->name,
                    line);
  *column.end = '\0';
  int whole = strlen(column.begin) == (size_t)(column.end - column.begin);
  number_status status = whole ? number_parse(type, column.begin, value) : NUMBER_NOT_ONE;
  if (status == NUMBER_OK) return CLI_OK;
  return cli_fail("%s:%" PRIu64 ": '%.40s' %s %s", source->name, line, column.begin,
                  status == NUMBER_OUT_OF_RANGE ? "is outside the range of" : "is not a number of type",
                  scan_type_name(type));
}

/** Appends a number to the array. */
static int append(const io_source *source, io_array *array, uint64_t *capacity, const scan_value *value) {
  size_t item_bytes = scan_type_bytes(array->type);
  if (array->n == *capacity) {
    uint64_t wanted = *capacity ? 2 * *capacity : FIRST_ITEMS;
    void *more = realloc(array->data, (size_t)wanted * item_bytes);
    if (!more) return io_fail("read", source->name);
    array->data = more;
    *capacity = wanted;
  }
  memcpy((char *)array->data + array->n++ * item_bytes, value, item_bytes);
  return CLI_OK;
}

static int parse_lines(const io_source *source, char *data, uint64_t bytes, io_array *array) {
  progress bar;
  uint64_t capacity = 0, line = 0;
  int rc = CLI_OK;
  progress_begin(&bar, "parsing", bytes);
  for (char *p = data, *end = data + bytes; p < end && rc == CLI_OK;) {
    char *feed = memchr(p, '\n', (size_t)(end - p));
    span text = { p, feed ? feed : end }, content = trim(text);
    scan_value value;
    line++;
    p = text.end + 1;
    if (line % PROGRESS_LINES == 0) progress_set(&bar, (uint64_t)(p - data));
    if (content.begin == content.end || *content.begin == '#') continue;
    rc = parse_line(source, array->type, line, text, &value);
    if (rc == CLI_OK) rc = append(source, array, &capacity, &value);
  }
  progress_end(&bar);
  return rc;
}

static int read_text(const io_source *source, io_array *array) {
  char *data;
  uint64_t bytes;
  io_array found = { .type = source->type == SCAN_TYPE_DEFAULT ? SCAN_I64 : source->type };
  int rc = io_read_all(source->file, source->name, &data, &bytes);
  if (rc != CLI_OK) return rc;
  rc = parse_lines(source, data, bytes, &found);
  free(data);
  if (rc == CLI_OK)
    *array = found;
  else
    free(found.data);
  return rc;
}

static int write_text(FILE *file, const char *name, const io_array *array) {
  progress bar;
  char text[NUMBER_TEXT_BYTES];
  size_t item_bytes = scan_type_bytes(array->type);
  int rc = CLI_OK;
  progress_begin(&bar, "writing", array->n);
  for (uint64_t i = 0; i < array->n && rc == CLI_OK; i++) {
    number_format(array->type, (const char *)array->data + i * item_bytes, text);
    if (fputs(text, file) == EOF || fputc('\n', file) == EOF) rc = CLI_FAILED;
    if (i % PROGRESS_LINES == 0) progress_set(&bar, i);
  }
  progress_end(&bar);
  return rc == CLI_OK ? rc : io_fail("write", name);
}

const io_format io_text = {
  .name = "text", .extensions = ".txt.csv.tsv.", .is_binary = 0, .needs_type = 0, .read = read_text, .write = write_text
};
