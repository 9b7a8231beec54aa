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
  const char *type_option; /**< The option that sets `type`; NULL: `prefix` and "type". */
  const io_format *format; /**< NULL: by the extension, or by the content when it is read. */
  scan_type type;          /**< Of text and raw; SCAN_TYPE_DEFAULT: the format's choice. */
  const char *column;      /**< A number from 1 or, with a header, a name; NULL: not given. */
  int has_header;          /**< 1: the first line has the columns' names. */
  char delimiter;          /**< 0: not given. */
} file_input;

/** Prints what the help texts have in common of files. */
void file_print_notes(void);

/** Parse an option's text, for cli_option.parse. @param[out] format, delimiter  a const io_format *, a char
 *  @return CLI_OK or CLI_USAGE */
int file_parse_format(const char *command, const char *text, void *format);
int file_parse_delimiter(const char *command, const char *text, void *delimiter);

/** Chooses the format, where the command line or the name has one, and the delimiter. @return CLI_OK, CLI_USAGE, or
 * CLI_FAILED where there is no such file */
int file_settle_input(const char *command, file_input *in);

/** Chooses the format of an output. @param given  by --out-format; NULL: by extension, or text */
int file_settle_output(const char *command, const char *path, const io_format *given, const io_format **format);

/** 1 where an input is text, or may turn out to be. */
int file_may_be_text(const file_input *in);

/** Makes the reader's description of an input. */
io_source file_source(const file_input *in);

/** Reads a file. @return CLI_OK or a status after saying why */
int file_read_array(const char *command, const file_input *in, io_array *array);

/** Reads a file of one dimension. @return CLI_OK or a status after saying why */
int file_read(const char *command, const file_input *in, io_array *array);

/** The type of the values' sums and products where none is given: that of the values; of bools i64, as in NumPy. */
scan_type file_sum_type(const io_array *values, scan_op_id op);

/** The type of the values for sums of `type`: theirs; of bools, which are the same bits in both, u8 or i8. */
scan_type file_input_type(const io_array *values, scan_type type, scan_op_id op);

/** Refuses an input whose type is not the one that an option says. @param wanted SCAN_TYPE_DEFAULT: any */
int file_check_type(const char *command, const char *option, scan_type wanted, const io_array *array);

/** Refuses a spec that is not defined, and reads its initial value. @param init  NULL: none. @return CLI_OK or
 * CLI_USAGE
 */
int file_settle_spec(const char *command, const char *init, scan_spec *spec);

#endif
