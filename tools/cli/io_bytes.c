/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_bytes.c @brief Reads and writes all bytes of a file with a progress bar, for the formats. */
#define _POSIX_C_SOURCE 200809L
#include "io.h"
#include "progress.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { CHUNK_BYTES = 1 << 20, SLACK_BYTES = 2 * CHUNK_BYTES };

uint64_t io_bytes_left(FILE *file) {
  struct stat facts;
  off_t at = ftello(file);
  if (at < 0 || fstat(fileno(file), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size < at) return 0;
  return (uint64_t)(facts.st_size - at);
}

/** Makes room for one chunk and a final zero byte. */
static int bytes_grow(char **data, uint64_t *capacity, uint64_t used) {
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
  while (buffer && bytes_grow(&buffer, &capacity, used) == 0) {
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
