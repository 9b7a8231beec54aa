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
  uint64_t shape[SCAN_ARRAY_MAX_AXES]; /**< Extents as in the file; n is their product. */
  int is_fortran;                      /**< 1: the first axis is contiguous; 0: the last. */
  int is_bool;                         /**< 1: u8 elements 0 or 1, which .npy stores as bool. */
} io_array;

/** An input and the options for reading it. */
typedef struct io_source {
  FILE *file;
  const char *name; /**< For messages. */
  scan_type type;   /**< Requested type of the elements; SCAN_TYPE_DEFAULT: the format's default. */
  uint64_t column;  /**< Text: number of the column, from 1; 0: the file has one column, or `column_name` is given. */
  const char *column_name; /**< Text: name of the column in the header, takes precedence over `column`; NULL: none. */
  int has_header;          /**< Text: 1: the first line holds the column names. */
  char delimiter;          /**< Text: separator of columns; 0: blanks and tabs. */
  const char *type_option; /**< The option that sets `type`, such as "key-type", for messages; NULL: none. */
  const char *fault;       /**< Fault that a decoder found when a read failed; NULL or "": see errno. */
} io_source;

/** One format. */
typedef struct io_format {
  const char *name;
  const char *extensions;                                            /**< ".a.b." or "" */
  int is_binary;                                                     /**< 1: not written to terminals. */
  int needs_type;                                                    /**< 1: the reader needs source->type. */
  int (*read)(const io_source *source, io_array *array);             /**< Sets array only on success. */
  int (*write)(FILE *file, const char *name, const io_array *array); /**< NULL: input only. */
  /** Reads the header and describes the elements, without data. NULL: the format has no fixed positions, so that no
   * part of a file can be read. */
  int (*begin)(const io_source *source, io_array *whole);
  int (*write_begin)(FILE *file, const char *name, const io_array *whole); /**< Writes the header; set if `begin` is. */
} io_format;

extern const io_format io_npy;   /**< NumPy's .npy, versions 1 to 3, little-endian. */
extern const io_format io_raw;   /**< Elements one after the other, in the machine's representation. */
extern const io_format io_text;  /**< One number a line, or one column of several. */
extern const io_format io_lines; /**< Input only: the byte length of each line. */

enum { IO_SHAPE_BYTES = SCAN_ARRAY_MAX_AXES * 22 };

/** Makes an array of n elements. @return CLI_OK or CLI_FAILED */
int io_allocate(io_array *array, scan_type type, uint64_t n);

/** Sets each nonzero element of an array of bools to 1. */
void io_settle_bools(io_array *array);

/** Formats the shape as Python does: "(5,)" or "(2, 3)". @param text  IO_SHAPE_BYTES */
void io_format_shape(const io_array *array, char *text);

/** Returns the format with that name, or NULL. */
const io_format *io_by_name(const char *name);

/** Returns the format that a file's extension names, or NULL. The extension of a codec (codec.h) is ignored. */
const io_format *io_by_extension(const char *path);

/** Opens a file, decodes it if it is compressed, and detects the format from the content if none is given.
 * @param path  "-": standard input. @param[in,out] format  NULL: becomes .npy by its first bytes, or text
 * @param[in,out] source  gets file, name and fault; close it with io_close. @return CLI_OK or CLI_FAILED */
int io_open(const char *path, const io_format **format, io_source *source);

/** Closes a file of io_open, unless it is standard input. */
void io_close(const io_source *source);

/** Reads the rest of a file with a progress bar. @param[out] data  from malloc, with one zero byte behind the end
 * @param[out] bytes  number of bytes read */
int io_read_all(const io_source *source, char **data, uint64_t *bytes);

/** Words the fault of a failed read. @return CLI_FAILED */
int io_fail_read(const io_source *source);

/** Writes bytes with a progress bar. */
int io_write_all(FILE *file, const char *name, const void *data, uint64_t bytes);

/** Opens and reads a file. @param source  type, columns and delimiter. @param path, format  as in io_open */
int io_read_file(const char *path, const io_format **format, io_source source, io_array *array);

/** Creates and writes a file. @param path  "-": standard output, which is flushed */
int io_write_file(const char *path, const io_format *format, const io_array *array);

/* ---- files that several processes read and write in parts: formats with a `begin` (io_part.c) ---- */

/** Describes a file's content. @param[in,out] format  as in io_open. @param[out] whole  without data */
int io_look(const char *path, const io_format **format, io_source source, io_array *whole);

/** Reads n elements of a file, beginning with element `first`; the file must have them. @param[out] part  of one
 * dimension */
int io_read_span(const char *path, const io_format **format, io_source source, uint64_t first, uint64_t n,
                 io_array *part);

/** Creates a file of the whole's size, for io_write_span. @param[out] begin_bytes  size of the header
 * @param[out] out  if CLI_OK is returned: call output_end when all parts are written */
int io_create(const char *path, const io_format *format, const io_array *whole, uint64_t *begin_bytes, output *out);

/** Writes the elements of a part to their place in a file of io_create. @param token  of its output
 * @param first  number of elements before the part */
int io_write_span(const char *path, uint64_t token, uint64_t begin_bytes, uint64_t first, const io_array *part);

/** Returns the bytes that are left in a regular file; 0 if unknown. */
uint64_t io_bytes_left(FILE *file);

/** Refuses a file with fewer bytes than its elements need. @return CLI_OK or CLI_FAILED */
int io_check_bytes(const char *name, const io_array *whole, uint64_t bytes);

/** Returns the separator of columns: `given`, else a comma for .csv, a tab for .tsv (also before .gz or .zst), else
 * 0. */
char io_delimiter(const char *path, char given);

/** Words a failed call by errno. @param what  "open", "read", "write". @return CLI_FAILED */
static inline int io_fail(const char *what, const char *name) {
  return cli_fail("cannot %s %s: %s", what, name, strerror(errno));
}

#endif
