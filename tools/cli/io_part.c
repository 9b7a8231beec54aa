/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_part.c @brief Reads and writes parts of a file, for several processes. */
#define _POSIX_C_SOURCE 200809L
#include "io.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/** Refuses compressed files, special files, and formats without a `begin`. */
static int check_parts(const io_source *source, const io_format *format) {
  struct stat facts;
  if (source->fault)
    return cli_fail("%s is compressed: ranks find no parts in it; give them the decoded file", source->name);
  if (fstat(fileno(source->file), &facts) != 0 || !S_ISREG(facts.st_mode))
    return cli_fail("%s is not a regular file, of which each rank could read a part", source->name);
  if (format->begin) return CLI_OK;
  return cli_fail("%s is %s: ranks find their parts in .npy and raw", source->name, format->name);
}

/** Opens a regular file and positions it at its first element. */
static int open_whole(const char *path, const io_format **format, io_source *source, io_array *whole) {
  int rc = io_open(path, format, source);
  if (rc != CLI_OK) return rc;
  rc = check_parts(source, *format);
  if (rc == CLI_OK) rc = (*format)->begin(source, whole);
  if (rc == CLI_OK) rc = io_check_bytes(path, whole, io_bytes_left(source->file));
  if (rc != CLI_OK) io_close(source);
  return rc;
}

int io_look(const char *path, const io_format **format, io_source source, io_array *whole) {
  const int rc = open_whole(path, format, &source, whole);
  if (rc == CLI_OK) io_close(&source);
  return rc;
}

int io_read_span(const char *path, const io_format **format, io_source source, uint64_t first, uint64_t n,
                 io_array *part) {
  io_array whole;
  int rc = open_whole(path, format, &source, &whole);
  if (rc != CLI_OK) return rc;
  const size_t item_bytes = scan_type_bytes(whole.type);
  char *data = malloc((size_t)n * item_bytes + 1);
  if (!data)
    rc = io_fail("read", path);
  else if (fseeko(source.file, (off_t)(first * item_bytes), SEEK_CUR) != 0 ||
           fread(data, item_bytes, (size_t)n, source.file) != n)
    rc = cli_fail("cannot read %s: %s", path, ferror(source.file) ? strerror(errno) : "it has become shorter");
  io_close(&source);
  if (rc != CLI_OK) {
    free(data);
    return rc;
  }
  *part = (io_array){ .type = whole.type, .n = n, .data = data, .is_bool = whole.is_bool };
  io_settle_bools(part);
  return CLI_OK;
}

int io_create(const char *path, const io_format *format, const io_array *whole, uint64_t *begin_bytes, output *out) {
  int rc = output_begin(path, out);
  if (rc != CLI_OK) return rc;
  rc = format->write_begin(out->file, path, whole);
  const off_t at = ftello(out->file);
  const off_t end = at + (off_t)(whole->n * scan_type_bytes(whole->type));
  if (rc == CLI_OK && (at < 0 || fflush(out->file) != 0 || ftruncate(fileno(out->file), end) != 0))
    rc = io_fail("create", path);
  *begin_bytes = (uint64_t)at;
  return rc == CLI_OK ? rc : output_end(out, rc);
}

int io_write_span(const char *path, uint64_t token, uint64_t begin_bytes, uint64_t first, const io_array *part) {
  const uint64_t item_bytes = scan_type_bytes(part->type);
  char written[OUTPUT_PATH_BYTES];
  if (output_path(path, token, written) != CLI_OK) return CLI_FAILED;
  FILE *file = fopen(written, "r+b");
  if (!file) return io_fail("write", path);
  int rc = fseeko(file, (off_t)(begin_bytes + first * item_bytes), SEEK_SET) == 0 ? CLI_OK : io_fail("write", path);
  if (rc == CLI_OK) rc = io_write_all(file, path, part->data, part->n * item_bytes);
  if (fclose(file) != 0 && rc == CLI_OK) rc = io_fail("write", path);
  return rc;
}
