/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_text.c @brief Reads and writes text: one number a line, or one column of several. */
#define _POSIX_C_SOURCE 200809L
#include "fields.h"
#include "io.h"
#include "number.h"
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 1024, PROGRESS_LINES = 4096, NAMES_BYTES = 160 };

/** State of the reader. */
typedef struct text_state {
  io_source source; /**< Its `column` is set once the header is read. */
  uint64_t line;    /**< Line number of the record's begin. */
  uint64_t capacity;
  io_array array;
} text_state;

/** Words a fault of one line. */
#define fail_line(state, format, ...)                                                                                  \
  cli_fail("%s:%" PRIu64 ": " format, (state)->source.name, (state)->line, __VA_ARGS__)

/* ---- columns ---- */

static int fail_quote(const text_state *s, uint64_t column) {
  return fail_line(s, "column %" PRIu64 " has text behind its closing quote", column);
}

/** Appends a name of the header to a message, as far as it fits. */
static void add_name(char names[NAMES_BYTES], span name) {
  const size_t used = strlen(names);
  const int length = name.end - name.begin < NAMES_BYTES ? (int)(name.end - name.begin) : NAMES_BYTES;
  snprintf(names + used, NAMES_BYTES - used, "%s%.*s", used ? ", " : "", length, name.begin);
}

/** Finds the requested column by its name. A number that is not a name counts columns. */
static int read_header(text_state *s, span record) {
  const char *wanted = s->source.column_name;
  char names[NAMES_BYTES] = "";
  span field;
  uint64_t at = 0, found = 0;
  fields_status status = FIELDS_NONE;
  while (wanted && (status = fields_next(&record, s->source.delimiter, &field)) == FIELDS_ONE) {
    at++;
    add_name(names, field);
    if ((size_t)(field.end - field.begin) != strlen(wanted) || strncmp(field.begin, wanted, strlen(wanted)) != 0)
      continue;
    if (found)
      return fail_line(s, "columns %" PRIu64 " and %" PRIu64 " have the name '%s': give the column's number", found, at,
                       wanted);
    found = at;
  }
  if (status == FIELDS_AFTER_QUOTE) return fail_quote(s, at + 1);
  if (found) s->source.column = found;
  if (!wanted || s->source.column) return CLI_OK;
  return fail_line(s, "no column has the name '%s'; there are: %s", wanted, names);
}

/** Finds the record's only column, or the requested one. */
static int find_column(const text_state *s, span record, span *column) {
  const uint64_t given = s->source.column, wanted = given ? given : 1;
  const char delimiter = s->source.delimiter;
  span further;
  for (uint64_t k = 1; k <= wanted; k++) {
    const fields_status status = fields_next(&record, delimiter, column);
    if (status == FIELDS_AFTER_QUOTE) return fail_quote(s, k);
    if (status == FIELDS_NONE)
      return fail_line(s, "column %" PRIu64 " is wanted, the line has %" PRIu64, wanted, k - 1);
  }
  if (given || fields_next(&record, delimiter, &further) == FIELDS_NONE) return CLI_OK;
  return fail_line(s, "%s", "more than one column: of the input, --column says which to scan");
}

/* ---- lines ---- */

/** Parses the number of one record. */
static int parse_record(const text_state *s, span record, scan_value *value) {
  const scan_type type = s->array.type;
  char words[NUMBER_WORDS_BYTES];
  span column;
  const int rc = find_column(s, record, &column);
  if (rc != CLI_OK) return rc;
  *column.end = '\0';
  const int is_whole = strlen(column.begin) == (size_t)(column.end - column.begin);
  const number_status status = is_whole ? number_parse(type, column.begin, value) : NUMBER_NOT_ONE;
  if (status == NUMBER_OK) return CLI_OK;
  return fail_line(s, "%s", number_refusal(type, column.begin, status, is_whole ? s->source.type_option : NULL, words));
}

/** Appends a number to the array. */
static int number_append(text_state *s, const scan_value *value) {
  const size_t item_bytes = scan_type_bytes(s->array.type);
  if (s->array.n == s->capacity) {
    const uint64_t wanted = s->capacity ? 2 * s->capacity : FIRST_ITEMS;
    void *more = realloc(s->array.data, (size_t)wanted * item_bytes);
    if (!more) return cli_fail("no memory for the numbers of %s", s->source.name);
    s->array.data = more;
    s->capacity = wanted;
  }
  memcpy((char *)s->array.data + s->array.n++ * item_bytes, value, item_bytes);
  return CLI_OK;
}

/** Reads a record: the header or a number. Skips blank lines and comments. */
static int read_record(text_state *s, span record) {
  const span content = fields_trim(record);
  scan_value value;
  if (content.begin == content.end || *content.begin == '#') return CLI_OK;
  if (s->source.has_header) {
    s->source.has_header = 0;
    return read_header(s, record);
  }
  const int rc = parse_record(s, record, &value);
  return rc == CLI_OK ? number_append(s, &value) : rc;
}

static uint64_t count_feeds(const char *p, const char *end) {
  uint64_t feeds = 0;
  while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) feeds++, p++;
  return feeds;
}

static int parse_lines(text_state *s, char *data, uint64_t bytes) {
  progress bar;
  const char delimiter = s->source.delimiter;
  int rc = CLI_OK;
  progress_begin(&bar, "parsing", bytes);
  for (char *p = data, *end = data + bytes; p < end && rc == CLI_OK;) {
    char *feed = memchr(p, '\n', (size_t)(end - p));
    span record = { p, feed ? feed : end };
    s->line++;
    if (s->line % PROGRESS_LINES == 0) progress_set(&bar, (uint64_t)(p - data));
    /* Only a quoted field may extend over the line's end. */
    const int is_quoted = delimiter && memchr(p, '"', (size_t)(record.end - p));
    if (is_quoted) record.end = fields_record_end(p, end, delimiter);
    if (!record.end) {
      rc = fail_line(s, "%s", "a quote has no end");
      break;
    }
    const uint64_t more_lines = is_quoted ? count_feeds(p, record.end) : 0;
    p = record.end + 1;
    rc = read_record(s, record);
    s->line += more_lines;
  }
  progress_end(&bar);
  return rc;
}

/* ---- the format ---- */

/** Skips a byte-order mark of UTF-8, and refuses those of UTF-16. @param[out] skipped  bytes */
static int skip_mark(const char *name, const char *data, uint64_t *skipped) {
  *skipped = strncmp(data, "\xef\xbb\xbf", 3) ? 0 : 3;
  const int is_little = !strncmp(data, "\xff\xfe", 2), is_big = !strncmp(data, "\xfe\xff", 2);
  if (!is_little && !is_big) return CLI_OK;
  return cli_fail("%s is text in UTF-16, by its byte-order mark: convert it by iconv -f UTF-16 -t UTF-8", name);
}

static int read_text(const io_source *source, io_array *array) {
  char *data;
  uint64_t bytes, skipped;
  text_state s = { .source = *source,
                   .array = { .type = source->type == SCAN_TYPE_DEFAULT ? SCAN_I64 : source->type } };
  int rc = io_read_all(source, &data, &bytes);
  if (rc != CLI_OK) return rc;
  rc = skip_mark(source->name, data, &skipped);
  if (rc == CLI_OK) rc = parse_lines(&s, data + skipped, bytes - skipped);
  free(data);
  if (rc == CLI_OK)
    *array = s.array;
  else
    free(s.array.data);
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
