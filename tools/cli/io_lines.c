/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_lines.c @brief Reads the byte length of each line, with its line end. */
#define _POSIX_C_SOURCE 200809L
#include "io.h"

#include <stdlib.h>
#include <string.h>

static uint64_t count_lines(const char *data, uint64_t bytes) {
  uint64_t lines = 0;
  const char *end = data + bytes;
  for (const char *p = data; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) lines++;
  return lines + (bytes && end[-1] != '\n');
}

static int read_lines(const io_source *source, io_array *array) {
  char *data;
  uint64_t bytes, line = 0;
  int rc = io_read_all(source, &data, &bytes);
  if (rc != CLI_OK) return rc;
  uint64_t n = count_lines(data, bytes);
  uint64_t *lengths = malloc((size_t)(n + 1) * sizeof *lengths);
  if (!lengths) {
    rc = io_fail_read(source);
    goto free_data;
  }
  for (const char *p = data, *end = data + bytes; p < end; line++) {
    const char *feed = memchr(p, '\n', (size_t)(end - p));
    const char *next = feed ? feed + 1 : end;
    lengths[line] = (uint64_t)(next - p);
    p = next;
  }
  /* Lengths are far below 2^63, so that their bits are the same as i64. */
  *array = (io_array){ .type = source->type == SCAN_I64 ? SCAN_I64 : SCAN_U64, .n = n, .data = lengths };
free_data:
  free(data);
  return rc;
}

const io_format io_lines = {
  .name = "lines", .extensions = "", .is_binary = 0, .needs_type = 0, .read = read_lines, .write = NULL
};
