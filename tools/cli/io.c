/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io.c @brief The table of formats, and whole files at once. */
#define _POSIX_C_SOURCE 200809L
#include "codec.h"
#include "io.h"
#include "output.h"
#include "progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const io_format *const formats[] = { &io_npy, &io_raw, &io_text, &io_lines };

enum {
  FORMAT_COUNT = sizeof formats / sizeof formats[0],
  CHUNK_BYTES = 1 << 20,
  SLACK_BYTES = 2 * CHUNK_BYTES,
  EXTENSION_BYTES = 16
};

const io_format *io_by_name(const char *name) {
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (!strcmp(formats[i]->name, name)) return formats[i];
  return NULL;
}

/** The path's last extension but that of a codec, such as ".csv" of "a.csv.gz". @return 0 where there is none */
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

uint64_t io_bytes_left(FILE *file) {
  struct stat facts;
  off_t at = ftello(file);
  if (at < 0 || fstat(fileno(file), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size < at) return 0;
  return (uint64_t)(facts.st_size - at);
}

/** Makes room for one chunk and a final zero. */
static int grow(char **data, uint64_t *capacity, uint64_t used) {
  if (*capacity - used > CHUNK_BYTES) return 0;
  uint64_t wanted = *capacity + *capacity / 2 + SLACK_BYTES;
  char *more = wanted <= SIZE_MAX ? realloc(*data, (size_t)wanted) : NULL;
  if (!more) return -1;
  *data = more;
  *capacity = wanted;
  return 0;
}

int io_fail_read(const io_source *source) {
  if (source->fault && *source->fault) return cli_fail("cannot read %s: %s", source->name, source->fault);
  return io_fail("read", source->name);
}

int io_read_all(const io_source *source, char **data, uint64_t *bytes) {
  progress bar;
  uint64_t expected = io_bytes_left(source->file), capacity = expected + SLACK_BYTES, used = 0;
  char *buffer = malloc((size_t)capacity);
  int rc = CLI_FAILED;
  progress_begin(&bar, "reading", expected);
  while (buffer && grow(&buffer, &capacity, used) == 0) {
    size_t got = fread(buffer + used, 1, CHUNK_BYTES, source->file);
    progress_set(&bar, used += got);
    if (got == CHUNK_BYTES) continue;
    rc = ferror(source->file) ? CLI_FAILED : CLI_OK;
    break;
  }
  progress_end(&bar);
  if (rc != CLI_OK) {
    io_fail_read(source);
    free(buffer);
    return rc;
  }
  buffer[used] = '\0';
  *data = buffer;
  *bytes = used;
  return CLI_OK;
}

int io_write_all(FILE *file, const char *name, const void *data, uint64_t bytes) {
  progress bar;
  int rc = CLI_OK;
  progress_begin(&bar, "writing", bytes);
  for (uint64_t done = 0; done < bytes && rc == CLI_OK;) {
    size_t part = bytes - done < CHUNK_BYTES ? (size_t)(bytes - done) : CHUNK_BYTES;
    if (fwrite((const char *)data + done, 1, part, file) != part) rc = CLI_FAILED;
    progress_set(&bar, done += part);
  }
  progress_end(&bar);
  return rc == CLI_OK ? rc : io_fail("write", name);
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
