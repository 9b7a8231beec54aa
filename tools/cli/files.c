/* SPDX-License-Identifier: BSD-2-Clause */
/** @file files.c @brief Files on the command lines of `scanrt select`, `unique`, `rle`, `reduce-by-key` and
 * `sort`. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include <unistd.h>

int file_parse_format(const char *command, const char *text, const io_format **format) {
  *format = io_by_name(text);
  if (*format && (*format)->write) return CLI_OK;
  return cli_usage(command, "unknown format '%s': use one of npy raw text", text);
}

int file_parse_delimiter(const char *command, const char *text, char *delimiter) {
  if (!strcmp(text, "\\t")) text = "\t";
  if (strlen(text) != 1 || *text == '\n') return cli_usage(command, "delimiter '%s' is not one character", text);
  *delimiter = *text;
  return CLI_OK;
}

int file_settle_input(const char *command, file_input *in) {
  const int standard = !strcmp(in->path, "-");
  const char *prefix = in->prefix;
  if (!standard && access(in->path, F_OK) != 0) return io_fail("open", in->path);
  if (!in->format) in->format = io_by_extension(in->path);
  if (!in->format && standard) return cli_usage(command, "standard input needs --%sformat npy, raw or text", prefix);
  if (!in->format)
    return cli_usage(command, "the format of '%s' is not known: give --%sformat npy, raw or text", in->path, prefix);
  if ((in->column || in->delimiter) && in->format != &io_text)
    return cli_usage(command, "--%scolumn and --delimiter are for text", prefix);
  if (in->format->needs_type && in->type == SCAN_TYPE_DEFAULT)
    return cli_usage(command, "format %s needs --%stype", in->format->name, prefix);
  in->delimiter = io_delimiter(in->path, in->delimiter);
  return CLI_OK;
}

int file_settle_output(const char *command, const char *path, const io_format *given, const io_format **format) {
  const int standard = !strcmp(path, "-");
  *format = given ? given : standard ? &io_text : io_by_extension(path);
  if (!*format) return cli_usage(command, "the format of '%s' is not known: give --out-format npy, raw or text", path);
  if (standard && (*format)->is_binary && isatty(STDOUT_FILENO))
    return cli_usage(command, "standard output is a terminal: %s is not written there", (*format)->name);
  return CLI_OK;
}

int file_read(const char *command, const file_input *in, io_array *array) {
  const io_source source = { .type = in->type, .column = in->column, .delimiter = in->delimiter };
  const int rc = io_read_file(in->path, in->format, source, array);
  if (rc != CLI_OK || array->ndim <= 1) return rc;
  return cli_usage(command, "the input has %u dimensions, and must have one", (unsigned)array->ndim);
}

int file_check_type(const char *command, const char *option, scan_type wanted, const io_array *array) {
  if (wanted == SCAN_TYPE_DEFAULT || wanted == array->type) return CLI_OK;
  return cli_usage(command, "the input is %s, --%s says %s", scan_type_name(array->type), option,
                   scan_type_name(wanted));
}
