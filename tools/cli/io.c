/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io.c @brief The table of formats, and whole files at once. */
#define _POSIX_C_SOURCE 200809L
#include "io.h"
#include "output.h"
#include "progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const io_format *const formats[] = { &io_npy, &io_raw, &io_text, &io_lines };

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0], CHUNK_BYTES = 1 << 20, SLACK_BYTES = 2 * CHUNK_BYTES };

const io_format *io_by_name(const char *name) {
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (!strcmp(formats[i]->name, name)) return formats[i];
  return NULL;
}

const io_format *io_by_extension(const char *path) {
  char wanted[16];
  const char *file_name = strrchr(path, '/');
  const char *extension = strrchr(file_name ? file_name : path, '.');
  if (!extension || strlen(extension) + 2 > sizeof wanted) return NULL;
  snprintf(wanted, sizeof wanted, "%s.", extension);
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

int io_read_all(FILE *file, const char *name, char **data, uint64_t *bytes) {
  progress bar;
  uint64_t expected = io_bytes_left(file), capacity = expected + SLACK_BYTES, used = 0;
  char *buffer = malloc((size_t)capacity);
  int rc = CLI_FAILED;
  progress_begin(&bar, "reading", expected);
  while (buffer && grow(&buffer, &capacity, used) == 0) {
    size_t got = fread(buffer + used, 1, CHUNK_BYTES, file);
    progress_set(&bar, used += got);
    if (got == CHUNK_BYTES) continue;
    rc = ferror(file) ? CLI_FAILED : CLI_OK;
    break;
  }
  progress_end(&bar);
  if (rc != CLI_OK) {
    io_fail("read", name);
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

int io_read_file(const char *path, const io_format *format, io_source source, io_array *array) {
  const int standard = !strcmp(path, "-");
  source.file = standard ? stdin : fopen(path, "rb");
  source.name = standard ? "standard input" : path;
  if (!source.file) return io_fail("open", path);
  const int rc = format->read(&source, array);
  if (!standard) fclose(source.file);
  return rc;
}

int io_write_file(const char *path, const io_format *format, const io_array *array) {
  output out;
  const int rc = output_begin(path, &out);
  return rc == CLI_OK ? output_end(&out, format->write(out.file, out.name, array)) : rc;
}

char io_delimiter(const char *path, char given) {
  const size_t length = strlen(path);
  if (given || length <= 4) return given;
  if (!strcmp(path + length - 4, ".csv")) return ',';
  return !strcmp(path + length - 4, ".tsv") ? '\t' : '\0';
}
