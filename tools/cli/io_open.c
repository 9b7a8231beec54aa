/* SPDX-License-Identifier: BSD-2-Clause */
/** @file io_open.c @brief Opens inputs: decodes compressed ones and detects the format from the content. */
#define _POSIX_C_SOURCE 200809L
#include "codec.h"
#include "io.h"
#include "progress.h"

#include <sys/types.h>
#include <unistd.h>

enum { HEAD_BYTES = 512 };

static const unsigned char npy_head[] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

/** Reads the first bytes and puts them back. Reads nothing from a terminal, where the end of input would be lost.
 * @return their number; -1 if they could not be put back */
static long bytes_peek(FILE *file, unsigned char head[HEAD_BYTES]) {
  const off_t at = ftello(file);
  if (isatty(fileno(file))) return 0;
  const long got = (long)fread(head, 1, HEAD_BYTES, file);
  if (ferror(file)) return got; /* the reader meets the fault again and words it */
  clearerr(file);
  if (at >= 0 && fseeko(file, at, SEEK_SET) == 0) return got;
  for (long i = got; i > 0; i--)
    if (ungetc(head[i - 1], file) == EOF) return -1;
  return got;
}

/** 1 if the content is text. UTF-16 has zero bytes, too, and is left to the text reader, which refuses it by its
 * byte-order mark. */
static int is_text(const unsigned char *head, size_t bytes) {
  const int is_utf16 = bytes >= 2 && (head[0] ^ head[1]) == 1 && (head[0] & head[1]) == 0xfe;
  return is_utf16 || !memchr(head, 0, bytes);
}

static const io_format *find_format(const unsigned char *head, size_t bytes) {
  if (bytes >= sizeof npy_head && !memcmp(head, npy_head, sizeof npy_head)) return &io_npy;
  return is_text(head, bytes) ? &io_text : NULL;
}

/** Puts a decoder before the file if its name or its content says so. A raw file may begin with any bytes, so that only
 * its name counts. */
static int decode(const char *path, const io_format *format, io_source *source) {
  unsigned char head[HEAD_BYTES];
  const codec *named = source->file == stdin ? NULL : codec_by_extension(path);
  if (!named && format == &io_raw) return CLI_OK;
  const long bytes = named ? 0 : bytes_peek(source->file, head);
  if (bytes < 0) return cli_fail("cannot read %s: its first bytes cannot be read twice", source->name);
  const codec *found = named ? named : codec_by_head(head, (size_t)bytes);
  if (!found) return CLI_OK;
  FILE *decoded = codec_open(found, source->file, source->name, &source->fault);
  if (!decoded) return CLI_FAILED;
  source->file = decoded;
  return CLI_OK;
}

static int detect(const io_format **format, const io_source *source) {
  unsigned char head[HEAD_BYTES];
  if (*format) return CLI_OK;
  const long bytes = bytes_peek(source->file, head);
  if (bytes < 0) return cli_fail("cannot read %s: its first bytes cannot be read twice", source->name);
  if (ferror(source->file)) return io_fail_read(source);
  *format = find_format(head, (size_t)bytes);
  if (*format) return CLI_OK;
  return cli_fail("%s: neither .npy nor text: what it holds must be said by its format (raw) and its type",
                  source->name);
}

int io_open(const char *path, const io_format **format, io_source *source) {
  const int standard = !strcmp(path, "-");
  progress bar;
  source->file = standard ? stdin : fopen(path, "rb");
  source->name = standard ? "standard input" : path;
  source->fault = NULL;
  if (!source->file) return io_fail("open", path);
  progress_begin(&bar, "reading", 0); /* a pipe may begin late */
  int rc = decode(path, *format, source);
  if (rc == CLI_OK) rc = detect(format, source);
  progress_end(&bar);
  if (rc != CLI_OK) io_close(source);
  return rc;
}

void io_close(const io_source *source) {
  if (source->file != stdin) fclose(source->file);
}
