/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_raw.c @brief Raw binary elements. */
#define _POSIX_C_SOURCE 200809L
#include "io.h"

#include <inttypes.h>
#include <stdlib.h>

/** Describes the elements in `bytes` bytes. */
static int elements_count(const io_source *source, uint64_t bytes, io_array *whole) {
  const uint64_t item_bytes = scan_type_bytes(source->type);
  if (bytes % item_bytes)
    return cli_fail("%s: %" PRIu64 " bytes are not a whole number of %s elements", source->name, bytes,
                    scan_type_name(source->type));
  *whole = (io_array){ .type = source->type, .n = bytes / item_bytes };
  return CLI_OK;
}

static int read_raw(const io_source *source, io_array *array) {
  char *data;
  uint64_t bytes;
  int rc = io_read_all(source, &data, &bytes);
  if (rc != CLI_OK) return rc;
  rc = elements_count(source, bytes, array);
  if (rc == CLI_OK)
    array->data = data;
  else
    free(data);
  return rc;
}

static int write_raw(FILE *file, const char *name, const io_array *array) {
  return io_write_all(file, name, array->data, array->n * scan_type_bytes(array->type));
}

static int begin_raw(const io_source *source, io_array *whole) {
  return elements_count(source, io_bytes_left(source->file), whole);
}

static int write_begin_raw(FILE *file, const char *name, const io_array *whole) {
  (void)file, (void)name, (void)whole;
  return CLI_OK;
}

const io_format io_raw = { .name = "raw",
                           .extensions = "",
                           .is_binary = 1,
                           .needs_type = 1,
                           .read = read_raw,
                           .write = write_raw,
                           .begin = begin_raw,
                           .write_begin = write_begin_raw };
