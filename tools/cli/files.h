/* SPDX-License-Identifier: BSD-2-Clause */
/** @file files.h @brief Files on the command lines of `scanrt select`, `unique`, `rle`, `reduce-by-key` and
 * `sort`: which formats they have, and what is refused. */
#ifndef SCANRT_CLI_FILES_H
#define SCANRT_CLI_FILES_H

#include "io.h"

/** An input as the command line has it. */
typedef struct file_input {
  const char *path;        /**< "-": standard input. */
  const char *prefix;      /**< Of its options' names, such as "key-"; "" without. */
  const io_format *format; /**< NULL: by the extension. */
  scan_type type;          /**< Of text and raw; SCAN_TYPE_DEFAULT: the format's choice. */
  uint64_t column;         /**< From 1; 0: not given. */
  char delimiter;          /**< 0: not given. */
} file_input;

/** Parse an option's text. @return CLI_OK or CLI_USAGE */
int file_parse_format(const char *command, const char *text, const io_format **format);
int file_parse_delimiter(const char *command, const char *text, char *delimiter);

/** Chooses the format and the delimiter. @return CLI_OK, CLI_USAGE, or CLI_FAILED where there is no such file */
int file_settle_input(const char *command, file_input *in);

/** Chooses the format of an output. @param given  by --out-format; NULL: by extension, and text on standard output */
int file_settle_output(const char *command, const char *path, const io_format *given, const io_format **format);

/** Reads a file of one dimension. @return CLI_OK or a status after saying why */
int file_read(const char *command, const file_input *in, io_array *array);

/** Refuses an input whose type is not the one that an option says. @param wanted SCAN_TYPE_DEFAULT: any */
int file_check_type(const char *command, const char *option, scan_type wanted, const io_array *array);

#endif
