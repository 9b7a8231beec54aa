/* SPDX-License-Identifier: BSD-2-Clause */
/** @file files.c @brief Input and output files of `scanrt select`, `unique`, `rle`, `reduce-by-key` and `sort`. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "codec.h"
#include "number.h"

#include <stdlib.h>
#include <unistd.h>

void file_print_notes(void) {
  puts("Blank lines of text and lines that begin with # are skipped. Between delimiters fields may be quoted, as in\n"
       "RFC 4180. Files of gzip and zstd are decoded. Bools of .npy are u8, and their sums i64. A file of results\n"
       "appears when it is complete: a full disk or a signal leaves the one before.");
}

int file_parse_format(const char *command, const char *text, void *format) {
  const io_format *const found = io_by_name(text);
  *(const io_format **)format = found;
  if (found && found->write) return CLI_OK;
  return cli_usage(command, "unknown format '%s': use one of npy raw text", text);
}

int file_parse_delimiter(const char *command, const char *text, void *delimiter) {
  if (!strcmp(text, "\\t")) text = "\t";
  if (strlen(text) != 1 || *text == '\n') return cli_usage(command, "delimiter '%s' is not one character", text);
  *(char *)delimiter = *text;
  return CLI_OK;
}

/** Refuses options that the input's format does not support. */
static int check_format(const char *command, const file_input *in, const io_format *format) {
  const char *prefix = in->prefix;
  if ((in->column || in->delimiter) && format != &io_text)
    return cli_usage(command, "--%scolumn and --delimiter are for text", prefix);
  if (in->has_header && format != &io_text) return cli_usage(command, "--header is for text");
  if (format->needs_type && in->type == SCAN_TYPE_DEFAULT)
    return cli_usage(command, "format %s needs --%stype", format->name, prefix);
  return CLI_OK;
}

/** Checks that without a header the column is a number. */
static int check_column(const char *command, const file_input *in) {
  char option[32];
  uint64_t column = 0;
  if (!in->column || in->has_header) return CLI_OK;
  snprintf(option, sizeof option, "--%scolumn", in->prefix);
  if (strspn(in->column, "0123456789") != strlen(in->column) || !*in->column)
    return cli_usage(command, "%s '%s' is not a number from 1; --header has columns found by their names", option,
                     in->column);
  const int rc = cli_parse_count(command, option, in->column, &column);
  return rc == CLI_OK && column == 0 ? cli_usage(command, "columns count from 1") : rc;
}

int file_settle_input(const char *command, file_input *in) {
  const int standard = !strcmp(in->path, "-");
  if (!standard && access(in->path, F_OK) != 0) return io_fail("open", in->path);
  if (!in->format && !standard) in->format = io_by_extension(in->path);
  int rc = check_column(command, in);
  if (rc == CLI_OK && in->format) rc = check_format(command, in, in->format);
  in->delimiter = io_delimiter(in->path, in->delimiter);
  return rc;
}

int file_settle_output(const char *command, const char *path, const io_format *given, const io_format **format) {
  const int standard = !strcmp(path, "-");
  const codec *packed = standard ? NULL : codec_by_extension(path);
  if (packed)
    return cli_usage(command, "'%s': compressed files are read, not written: pipe standard output through %s", path,
                     packed->name);
  *format = given || standard ? given : io_by_extension(path);
  if (!*format) *format = &io_text;
  if (standard && (*format)->is_binary && isatty(STDOUT_FILENO))
    return cli_usage(command, "standard output is a terminal: %s is not written there", (*format)->name);
  return CLI_OK;
}

int file_may_be_text(const file_input *in) {
  const io_format *format = in->format ? in->format : strcmp(in->path, "-") ? io_by_extension(in->path) : NULL;
  return !format || format == &io_text;
}

io_source file_source(const file_input *in) {
  static const char *const options[] = { "type", "key-type" };
  io_source source = { .type = in->type, .has_header = in->has_header, .delimiter = in->delimiter };
  source.type_option = in->type_option ? in->type_option : options[*in->prefix != '\0'];
  if (in->has_header) source.column_name = in->column;
  if (in->column && strspn(in->column, "0123456789") == strlen(in->column))
    source.column = strtoull(in->column, NULL, 10);
  return source;
}

int file_read_array(const char *command, const file_input *in, io_array *array) {
  const io_format *format = in->format;
  const int rc = io_read_file(in->path, &format, file_source(in), array);
  if (rc != CLI_OK || in->format) return rc;
  /* Ignores the delimiter and the header, which may be meant for another input. */
  file_input found = *in;
  found.delimiter = '\0';
  found.has_header = 0;
  return check_format(command, &found, format);
}

int file_read(const char *command, const file_input *in, io_array *array) {
  const int rc = file_read_array(command, in, array);
  if (rc != CLI_OK || array->ndim <= 1) return rc;
  return cli_usage(command, "the input has %u dimensions, and must have one", (unsigned)array->ndim);
}

int file_check_type(const char *command, const char *option, scan_type wanted, const io_array *array) {
  if (wanted == SCAN_TYPE_DEFAULT || wanted == array->type) return CLI_OK;
  return cli_usage(command, "the input is %s, --%s says %s", scan_type_name(array->type), option,
                   scan_type_name(wanted));
}

scan_type file_sum_type(const io_array *values, scan_op_id op) {
  return values->is_bool && (op == SCAN_ADD || op == SCAN_MUL) ? SCAN_I64 : values->type;
}

scan_type file_input_type(const io_array *values, scan_type type, scan_op_id op) {
  const int is_signed =
      values->is_bool && !scan_spec_defined(type, SCAN_U8, op) && scan_spec_defined(type, SCAN_I8, op);
  return is_signed ? SCAN_I8 : values->type;
}

int file_settle_spec(const char *command, const char *init, scan_spec *spec) {
  const scan_type input_type = spec->input_type != SCAN_TYPE_DEFAULT ? spec->input_type : spec->type;
  char words[NUMBER_WORDS_BYTES];
  if (!scan_spec_defined(spec->type, input_type, spec->op))
    return cli_usage(command, "operator %s is not defined from %s to %s", scan_op_name(spec->op),
                     scan_type_name(input_type), scan_type_name(spec->type));
  if (!init) return CLI_OK;
  spec->has_init = 1;
  const number_status status = number_parse(spec->type, init, &spec->init);
  if (status == NUMBER_OK) return CLI_OK;
  return cli_usage(command, "--init %s", number_refusal(spec->type, init, status, "type", words));
}
