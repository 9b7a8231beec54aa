/* SPDX-License-Identifier: BSD-2-Clause */
/** @file files.h @brief Input and output files of `scanrt select`, `unique`, `rle`, `reduce-by-key` and `sort`:
 * chooses their formats and refuses unsuitable ones. */
#ifndef SCANRT_CLI_FILES_H
#define SCANRT_CLI_FILES_H

#include "io.h"

/** An input as given on the command line. */
typedef struct file_input {
  const char *path;        /**< "-": standard input. */
  const char *prefix;      /**< Prefix of its options' names, such as "key-"; "": none. */
  const char *type_option; /**< The option that sets `type`; NULL: "type" behind `prefix`. */
  const io_format *format; /**< NULL: chosen by the extension, or by the content on reading. */
  scan_type type;          /**< Type of text and raw files; SCAN_TYPE_DEFAULT: the format's default. */
  const char *column;      /**< A number from 1 or, with a header, a name; NULL: not given. */
  int has_header;          /**< 1: the first line holds the column names. */
  char delimiter;          /**< 0: not given. */
} file_input;

/** Prints the notes on files that the help texts share. */
void file_print_notes(void);

/** Parses a format's name, for cli_option.parse. @param[out] format  a const io_format *
 * @return CLI_OK or CLI_USAGE */
int file_parse_format(const char *command, const char *text, void *format);
/** Parses a delimiter, for cli_option.parse. @param[out] delimiter  a char. @return CLI_OK or CLI_USAGE */
int file_parse_delimiter(const char *command, const char *text, void *delimiter);

/** Chooses the format, if the command line or the name determines it, and the delimiter. @return CLI_OK, CLI_USAGE,
 * or CLI_FAILED if there is no such file */
int file_settle_input(const char *command, file_input *in);

/** Chooses the format of an output. @param given  from --out-format; NULL: by the extension, else text */
int file_settle_output(const char *command, const char *path, const io_format *given, const io_format **format);

/** 1 if an input is text, or may turn out to be. */
int file_may_be_text(const file_input *in);

/** Makes the reader's description of an input. */
io_source file_source(const file_input *in);

/** Reads a file. @return CLI_OK or a status after saying why */
int file_read_array(const char *command, const file_input *in, io_array *array);

/** Reads a file of one dimension. @return CLI_OK or a status after saying why */
int file_read(const char *command, const file_input *in, io_array *array);

/** Returns the type of sums and products if none is given: that of the values; for bools i64, as in NumPy. */
scan_type file_sum_type(const io_array *values, scan_op_id op);

/** Returns the type of the values for sums of `type`: their own; for bools, whose bits are the same in both, u8 or
 * i8. */
scan_type file_input_type(const io_array *values, scan_type type, scan_op_id op);

/** Refuses an input whose type differs from that of an option. @param wanted  SCAN_TYPE_DEFAULT: any */
int file_check_type(const char *command, const char *option, scan_type wanted, const io_array *array);

/** Refuses a spec that is not defined, and parses its initial value. @param init  NULL: none. @return CLI_OK or
 * CLI_USAGE */
int file_settle_spec(const char *command, const char *init, scan_spec *spec);

#endif
