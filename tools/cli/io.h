/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file io.h
 * @brief File formats of `scanrt run` and the commands of files.h. A new format is one file, one declaration here and
 * one line in io.c.
 *
 * Readers and writers return CLI_OK or CLI_FAILED and have then worded the fault, with the file's name.
 */
#ifndef SCANRT_CLI_IO_H
#define SCANRT_CLI_IO_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "output.h"

#include <scanrt/scan_array.h>

/** n elements of one type. `data` comes from malloc; free it with free. */
typedef struct io_array {
  scan_type type;
  uint64_t n;
  void *data;
  uint32_t ndim;                       /**< 0: the format has no shapes. */
  uint64_t shape[SCAN_ARRAY_MAX_AXES]; /**< As the file has it; n is the product. */
  int is_fortran;                      /**< 1: the first axis is contiguous; 0: the last. */
  int is_bool;                         /**< 1: u8 elements that are 0 or 1, which .npy has as bool. */
} io_array;

/** What to read, and how. */
typedef struct io_source {
  FILE *file;
  const char *name;        /**< For messages. */
  scan_type type;          /**< Wanted type of the elements; SCAN_TYPE_DEFAULT: the format's choice. */
  uint64_t column;         /**< Text: which column, from 1; 0: there must be one only, or `column_name` says which. */
  const char *column_name; /**< Text: the column's name in the header, before `column`; NULL: none. */
  int has_header;          /**< Text: 1: the first line has the columns' names. */
  char delimiter;          /**< Text: what separates columns; 0: blanks and tabs. */
  const char *type_option; /**< The option that sets `type`, such as "key-type", for messages; NULL: there is none. */
  const char *fault;       /**< What a decoder says of a read that failed; NULL or "": errno has the cause. */
} io_source;

/** One format. */
typedef struct io_format {
  const char *name;
  const char *extensions;                                            /**< ".a.b." or "" */
  int is_binary;                                                     /**< 1: not for terminals. */
  int needs_type;                                                    /**< 1: the reader needs source->type. */
  int (*read)(const io_source *source, io_array *array);             /**< Sets array only on success. */
  int (*write)(FILE *file, const char *name, const io_array *array); /**< NULL: input only. */
  int (*begin)(const io_source *source, io_array *whole); /**< Reads what stands before the elements and says what they
                                                               are, without data. NULL: they have no places of their
                                                               own, of which a part could be read. */
  int (*write_begin)(FILE *file, const char *name, const io_array *whole); /**< What stands there; where `begin` is. */
} io_format;

extern const io_format io_npy;   /**< NumPy's .npy, versions 1 to 3, little-endian. */
extern const io_format io_raw;   /**< Elements one after the other, in the machine's own representation. */
extern const io_format io_text;  /**< One number a line, or one column of several. */
extern const io_format io_lines; /**< Input only: the byte length of each line. */

enum { IO_SHAPE_BYTES = SCAN_ARRAY_MAX_AXES * 22 };

/** Makes 1 of all but 0 in an array of bools. */
void io_settle_bools(io_array *array);

/** The shape as Python writes it: "(5,)" or "(2, 3)". @param text IO_SHAPE_BYTES */
void io_format_shape(const io_array *array, char *text);

/** The format of that name, or NULL. */
const io_format *io_by_name(const char *name);

/** The format that a file's extension names, or NULL. The extension of a codec (codec.h) does not count. */
const io_format *io_by_extension(const char *path);

/** Opens a file, decodes it where it is compressed, and finds the format from the content where there is none.
 *  @param path  "-": standard input. @param[in,out] format  NULL: .npy by its first bytes, or text
 *  @param[in,out] source  gets file, name and fault; then io_close. @return CLI_OK or CLI_FAILED */
int io_open(const char *path, const io_format **format, io_source *source);

/** Closes what io_open has opened, but for standard input. */
void io_close(const io_source *source);

/** Reads the rest of a file with a progress bar. @param[out] data from malloc, one zero byte after the end.
 *  @param[out] bytes how many were read. */
int io_read_all(const io_source *source, char **data, uint64_t *bytes);

/** Words a read that failed. @return CLI_FAILED */
int io_fail_read(const io_source *source);

/** Writes bytes with a progress bar. */
int io_write_all(FILE *file, const char *name, const void *data, uint64_t bytes);

/** Opens and reads a file. @param source  type, columns and delimiter. @param path, format  of io_open */
int io_read_file(const char *path, const io_format **format, io_source source, io_array *array);

/** Creates and writes a file. @param path  "-": standard output, which is flushed */
int io_write_file(const char *path, const io_format *format, const io_array *array);

/* ---- files of which several processes read and write a part each: formats that have a `begin` (io_part.c) ---- */

/** Says what a file holds. @param[in,out] format  as of io_open. @param[out] whole  without data */
int io_look(const char *path, const io_format **format, io_source source, io_array *whole);

/** Reads n elements of a file from `first` on, which must be there. @param[out] part  of one dimension */
int io_read_span(const char *path, const io_format **format, io_source source, uint64_t first, uint64_t n,
                 io_array *part);

/** Begins a file of the whole's size, for io_write_span. @param[out] begin_bytes  before the first element
 *  @param[out] out  begun where CLI_OK is returned: output_end, when all parts are written */
int io_create(const char *path, const io_format *format, const io_array *whole, uint64_t *begin_bytes, output *out);

/** Writes a part's elements to their place in a file that io_create has begun. @param token  of its output
 *  @param first  elements before the part */
int io_write_span(const char *path, uint64_t token, uint64_t begin_bytes, uint64_t first, const io_array *part);

/** Bytes that the rest of a regular file holds; 0 when not known. */
uint64_t io_bytes_left(FILE *file);

/** Refuses a file of fewer bytes than its elements need. @return CLI_OK or CLI_FAILED */
int io_check_bytes(const char *name, const io_array *whole, uint64_t bytes);

/** The separator of columns: `given`, or else a comma for .csv, a tab for .tsv, also before .gz or .zst, or 0. */
char io_delimiter(const char *path, char given);

/** Words a failed call (errno). @param what "open", "read", "write". @return CLI_FAILED */
static inline int io_fail(const char *what, const char *name) {
  return cli_fail("cannot %s %s: %s", what, name, strerror(errno));
}

#endif
