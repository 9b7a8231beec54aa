/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io.c @brief The table of formats; reads and writes whole files by it. */
#include "codec.h"
#include "io.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const io_format *const formats[] = { &io_npy, &io_raw, &io_text, &io_lines };

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0], EXTENSION_BYTES = 16 };

int io_allocate(io_array *array, scan_type type, uint64_t n) {
  *array = (io_array){ .type = type, .n = n, .data = malloc((size_t)n * scan_type_bytes(type) + 1) };
  return array->data ? CLI_OK : cli_fail("no memory for %" PRIu64 " elements", n);
}

const io_format *io_by_name(const char *name) {
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (!strcmp(formats[i]->name, name)) return formats[i];
  return NULL;
}

/** Returns the path's last extension before that of a codec, such as ".csv" of "a.csv.gz". @return 0 if there is
 * none */
static int find_extension(const char *path, char extension[EXTENSION_BYTES]) {
  const codec *packed = codec_by_extension(path);
  const char *end = path + strlen(path) - (packed ? strlen(packed->extension) : 0), *begin = end;
  do {
    if (begin == path || *--begin == '/') return 0;
  } while (*begin != '.');
  if (end - begin + 2 > EXTENSION_BYTES) return 0;
  snprintf(extension, EXTENSION_BYTES, "%.*s", (int)(end - begin), begin);
  return 1;
}

const io_format *io_by_extension(const char *path) {
  char wanted[EXTENSION_BYTES];
  if (!find_extension(path, wanted)) return NULL;
  strcat(wanted, ".");
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (wanted[1] != '.' && strstr(formats[i]->extensions, wanted)) return formats[i];
  return NULL;
}

int io_read_file(const char *path, const io_format **format, io_source source, io_array *array) {
  int rc = io_open(path, format, &source);
  if (rc != CLI_OK) return rc;
  rc = (*format)->read(&source, array);
  io_close(&source);
  return rc;
}

int io_write_file(const char *path, const io_format *format, const io_array *array) {
  output out;
  const int rc = output_begin(path, &out);
  return rc == CLI_OK ? output_end(&out, format->write(out.file, out.name, array)) : rc;
}

char io_delimiter(const char *path, char given) {
  char extension[EXTENSION_BYTES];
  if (given || !find_extension(path, extension)) return given;
  if (!strcmp(extension, ".csv")) return ',';
  return !strcmp(extension, ".tsv") ? '\t' : '\0';
}
