/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_raw.c @brief Raw binary elements. */
#define _POSIX_C_SOURCE 200809L
#include "io.h"

#include <inttypes.h>
#include <stdlib.h>

static int read_raw(const io_source *source, io_array *array) {
  char *data;
  uint64_t bytes, item_bytes = scan_type_bytes(source->type);
  int rc = io_read_all(source->file, source->name, &data, &bytes);
  if (rc != CLI_OK) return rc;
  if (bytes % item_bytes) {
    free(data);
    return cli_fail("%s: %" PRIu64 " bytes are not a whole number of %s elements", source->name, bytes,
                    scan_type_name(source->type));
  }
  *array = (io_array){ .type = source->type, .n = bytes / item_bytes, .data = data };
  return CLI_OK;
}

static int write_raw(FILE *file, const char *name, const io_array *array) {
  return io_write_all(file, name, array->data, array->n * scan_type_bytes(array->type));
}

const io_format io_raw = {
  .name = "raw", .extensions = "", .is_binary = 1, .needs_type = 1, .read = read_raw, .write = write_raw
};
