/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the tool's files. Data that a reader accepts is written and read again in every format, and stays the same;
 * other data is refused with a sentence. Numbers, JSON and file options are checked too. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "fuzz.h"
#include "json.h"
#include "number.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

static char words[1024]; /* the tool's messages, in place of standard error */

static void expect_words(const char *what, int rc) {
  if ((rc != CLI_OK) != (words[0] != '\0')) fuzz_fail("%s ends with %d and says '%s'", what, rc, words);
  memset(words, 0, sizeof words);
}

/* ---- readers and writers ---- */

/* 1 if the format can store the array. NumPy has no bfloat16, so commands refuse to write it. */
static int has_writer(const io_format *format, const io_array *array) {
  return format->write != NULL && (format != &io_npy || array->type != SCAN_BF16);
}

static void expect_same(const io_format *format, const io_array *array, const io_array *again) {
  const uint64_t bytes = array->n * scan_type_bytes(array->type);
  if (again->type != array->type || again->n != array->n) fuzz_fail("%s: another type or number", format->name);
  if (format == &io_npy && (again->ndim != (array->ndim ? array->ndim : 1) || again->is_fortran != array->is_fortran))
    fuzz_fail("npy: another shape");
  for (uint32_t i = 0; format == &io_npy && i < array->ndim; i++)
    if (again->shape[i] != array->shape[i]) fuzz_fail("npy: another shape");
  if (array->n == 0) return;
  const int same = format == &io_text ? reference_mismatch(array->type, array->n, array->data, again->data) == array->n
                                      : memcmp(array->data, again->data, (size_t)bytes) == 0;
  if (!same) fuzz_fail("%s: what was written is read as something else", format->name);
}

static void write_and_read(const io_format *format, const io_array *array) {
  char *text = NULL;
  size_t bytes = 0;
  io_array again = { .n = 0 };
  FILE *file = open_memstream(&text, &bytes);
  if (file == NULL) abort();
  if (format->write(file, "memory", array) != CLI_OK) fuzz_fail("%s cannot be written: %s", format->name, words);
  fclose(file);
  file = fuzz_stream(text, bytes);
  const io_source source = { .file = file, .name = "memory", .type = format == &io_npy ? 0 : array->type };
  if (format->read(&source, &again) != CLI_OK) fuzz_fail("%s cannot be read again: %s", format->name, words);
  fclose(file);
  expect_same(format, array, &again);
  free(again.data);
  free(text);
}

/* Checks the shape, then writes and reads the array in each format. An array without elements may have any shape. */
static void check_array(const io_array *array) {
  const io_format *const formats[] = { &io_npy, &io_raw, &io_text };
  uint64_t items = 1;
  for (uint32_t i = 0; i < array->ndim; i++) items *= array->shape[i];
  if (array->ndim > 0 && items != array->n)
    fuzz_fail("the shape is not that of %llu elements", (unsigned long long)array->n);
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (has_writer(formats[i], array)) write_and_read(formats[i], array);
}

static io_source decode_source(fuzz_input *in, const io_format *format) {
  io_source source = { .name = "input" };
  source.type = (scan_type)(format->needs_type ? 1 + fuzz_below(in, SCAN_BF16) : fuzz_below(in, SCAN_BF16 + 1));
  const uint64_t column = fuzz_below(in, 8);
  source.column = column % 4;
  source.has_header = column >= 4;
  source.column_name = source.has_header && source.column != 1 ? "name" : NULL;
  source.delimiter = (char)fuzz_byte(in);
  if (source.delimiter == '\n') source.delimiter = ',';
  return source;
}

static void check_reader(fuzz_input *in) {
  const io_format *const formats[] = { &io_npy, &io_raw, &io_text, &io_lines };
  const io_format *format = formats[fuzz_below(in, 4)];
  io_source source = decode_source(in, format);
  io_array array = { .n = UINT64_MAX };
  source.file = fuzz_stream(in->at, in->left);
  const int rc = format->read(&source, &array);
  fclose(source.file);
  expect_words(format->name, rc);
  if (rc != CLI_OK) {
    if (array.n != UINT64_MAX || array.data != NULL)
      fuzz_fail("%s: an array is set by a reader that fails", format->name);
    return;
  }
  check_array(&array);
  free(array.data);
}

/* ---- parts of files ---- */

static void put_file(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) fuzz_fail("cannot write %s", path);
}

static void check_span(const char *path, const io_format *format, io_source source, fuzz_input *in) {
  io_array whole = { .n = 0 }, all = { .n = 0 }, part = { .n = 0 };
  if (io_look(path, &format, source, &whole) != CLI_OK) {
    expect_words("io_look", CLI_FAILED);
    return;
  }
  if (io_read_file(path, &format, source, &all) != CLI_OK) fuzz_fail("%s: seen, and not read: %s", format->name, words);
  if (whole.type != all.type || whole.n != all.n) fuzz_fail("%s: seen and read are not the same", format->name);
  const uint64_t bytes = scan_type_bytes(whole.type), first = fuzz_below(in, whole.n + 1);
  const uint64_t n = fuzz_below(in, whole.n - first + 1);
  if (io_read_span(path, &format, source, first, n, &part) != CLI_OK) fuzz_fail("no part is read: %s", words);
  if (part.n != n || (n > 0 && memcmp(part.data, (char *)all.data + first * bytes, (size_t)(n * bytes)) != 0))
    fuzz_fail("%s: a part is not that of the whole", format->name);
  free(part.data);
  free(all.data);
}

static void check_part(fuzz_input *in) {
  const io_format *format = fuzz_below(in, 2) ? &io_npy : &io_raw;
  const io_source source = decode_source(in, format);
  char path[300];
  fuzz_input numbers = { in->at, in->left < 16 ? in->left : 16 };
  snprintf(path, sizeof path, "%s/file", fuzz_folder());
  put_file(path, in->at, in->left);
  check_span(path, format, source, &numbers);
}

/* ---- compressed files, and formats from the content ---- */

static void check_packed(fuzz_input *in) {
  static const char *const extensions[] = { ".gz", ".zst", "" };
  const io_format *format = NULL;
  const char *extension = extensions[fuzz_below(in, 3)];
  const io_source source = { .column = 0, .type_option = "type" };
  io_array array = { .n = 0 };
  char path[300];
  snprintf(path, sizeof path, "%s/file%s", fuzz_folder(), extension);
  put_file(path, in->at, in->left);
  const int rc = io_read_file(path, &format, source, &array);
  expect_words("io_read_file", rc);
  if (rc == CLI_OK) check_array(&array);
  if (rc == CLI_OK) free(array.data);
}

/* ---- numbers, options, JSON ---- */

static void check_number(fuzz_input *in) {
  const scan_type type = (scan_type)(1 + fuzz_below(in, SCAN_BF16));
  char text[512], written[NUMBER_TEXT_BYTES];
  scan_value value, again;
  memset(&value, 0, sizeof value);
  fuzz_text(in, text, sizeof text);
  if (number_parse(type, text, &value) != NUMBER_OK) return;
  if (number_format(type, &value, written) >= NUMBER_TEXT_BYTES) fuzz_fail("the text of %s is cut", text);
  if (number_parse(type, written, &again) != NUMBER_OK) fuzz_fail("%s is written as %s, no number", text, written);
  if (reference_mismatch(type, 1, &value, &again) == 0) fuzz_fail("%s is written as %s, another number", text, written);
}

static void check_options(fuzz_input *in) {
  char text[256];
  uint64_t count = 0, within = 0;
  const io_format *format = NULL;
  char delimiter = 0;
  scan_type type;
  fuzz_text(in, text, sizeof text);
  const int rc = cli_parse_count("fuzz", "n", text, &count);
  expect_words("cli_parse_count", rc);
  const int inside = cli_parse_within("fuzz", "n", text, 3, 1000, &within);
  expect_words("cli_parse_within", inside);
  if ((inside == CLI_OK) != (rc == CLI_OK && count >= 3 && count <= 1000)) fuzz_fail("'%s' is within, or is not", text);
  expect_words("file_parse_format", file_parse_format("fuzz", text, &format));
  expect_words("file_parse_delimiter", file_parse_delimiter("fuzz", text, &delimiter));
  expect_words("cli_parse_type", cli_parse_type("fuzz", text, &type));
  (void)io_by_extension(text);
  (void)io_delimiter(text, delimiter);
}

/* Reads one character of a JSON string; \u00XX stands for one byte. Returns the rest, or NULL if it is invalid. */
static const char *skip_character(const char *at, char *byte) {
  static const char *const digits = "0123456789abcdef";
  if ((unsigned char)*at < 0x20 || *at == '"') return NULL;
  *byte = *at;
  if (*at++ != '\\') return at;
  *byte = *at;
  if (*at == '"' || *at == '\\') return at + 1;
  if (strncmp(at, "u00", 3) != 0 || !strchr(digits, at[3]) || !strchr(digits, at[4]) || !at[3] || !at[4]) return NULL;
  *byte = (char)((strchr(digits, at[3]) - digits) * 16 + (strchr(digits, at[4]) - digits));
  return at + 5;
}

static void check_json(fuzz_input *in) {
  char text[512], *written = NULL, byte = 0;
  size_t bytes = 0;
  fuzz_text(in, text, sizeof text);
  json j = { .file = open_memstream(&written, &bytes) };
  if (j.file == NULL) abort();
  json_string(&j, NULL, text);
  fclose(j.file);
  const char *at = written + 1;
  for (const char *wanted = text; *wanted != '\0'; wanted++)
    if ((at = skip_character(at, &byte)) == NULL || byte != *wanted) fuzz_fail("'%s' is written as %s", text, written);
  if (written[0] != '"' || strcmp(at, "\"") != 0) fuzz_fail("'%s' has no end in %s", text, written);
  free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  fuzz_input in = { data, bytes };
  cli_keep_words(words, sizeof words);
  memset(words, 0, sizeof words);
  switch (fuzz_below(&in, 8)) {
  case 0: check_number(&in); break;
  case 1: check_options(&in); break;
  case 2: check_json(&in); break;
  case 3: check_part(&in); break;
  case 4: check_packed(&in); break;
  default: check_reader(&in); break;
  }
  return 0;
}
