/* SPDX-License-Identifier: BSD-2-Clause */
/** @file codec.c @brief The table of codecs, and streams that decode. */
#define _GNU_SOURCE /* fopencookie */
#include "codec.h"
#include "cli.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static const codec *const codecs[] = { &codec_gzip, &codec_zstd };

enum { CODEC_COUNT = sizeof codecs / sizeof codecs[0], CHUNK_BYTES = 1 << 16 };

/** State of a decoding stream. */
typedef struct decoding {
  const codec *codec;
  void *library, *decoder;
  FILE *compressed;
  codec_step step;
  char fault[CODEC_FAULT_BYTES];
  unsigned char chunk[CHUNK_BYTES];
} decoding;

const codec *codec_by_extension(const char *path) {
  const size_t length = strlen(path);
  for (size_t i = 0; i < CODEC_COUNT; i++) {
    const size_t end = strlen(codecs[i]->extension);
    if (length > end && !strcmp(path + length - end, codecs[i]->extension)) return codecs[i];
  }
  return NULL;
}

const codec *codec_by_head(const unsigned char *head, size_t bytes) {
  for (size_t i = 0; i < CODEC_COUNT; i++)
    if (bytes >= codecs[i]->head_bytes && !memcmp(head, codecs[i]->head, codecs[i]->head_bytes)) return codecs[i];
  return NULL;
}

/* ---- the stream ---- */

static ssize_t fail_read(decoding *d, const char *what) {
  snprintf(d->fault, sizeof d->fault, "%s data: %s", d->codec->name, what);
  errno = EBADMSG;
  return -1;
}

/** Reads more compressed bytes if none are left. @return 0 at their end */
static int refill(decoding *d) {
  if (d->step.in_bytes) return 1;
  d->step.in = d->chunk;
  d->step.in_bytes = fread(d->chunk, 1, sizeof d->chunk, d->compressed);
  return d->step.in_bytes != 0;
}

static ssize_t read_decoded(void *cookie, char *buffer, size_t bytes) {
  decoding *d = cookie;
  d->step.out = (unsigned char *)buffer;
  d->step.out_bytes = bytes;
  while (d->step.out_bytes == bytes) {
    const int has_input = refill(d);
    if (ferror(d->compressed)) return -1;
    if (!has_input && d->step.is_complete) return 0;
    const size_t left = d->step.in_bytes;
    const char *fault = d->codec->decode(d->decoder, &d->step);
    if (fault) return fail_read(d, fault);
    const int has_moved = d->step.out_bytes < bytes || d->step.in_bytes < left || d->step.is_complete;
    if (!has_input && !has_moved) return fail_read(d, "they end too early");
  }
  return (ssize_t)(bytes - d->step.out_bytes);
}

static int close_decoded(void *cookie) {
  decoding *d = cookie;
  d->codec->close(d->decoder);
  dlclose(d->library);
  const int rc = d->compressed == stdin ? 0 : fclose(d->compressed);
  free(d);
  return rc;
}

/** Opens the library and a decoder. @return CLI_OK, or CLI_FAILED after saying why */
static int open_decoder(decoding *d, const char *name) {
  const codec *c = d->codec;
  d->library = dlopen(c->library, RTLD_NOW | RTLD_LOCAL);
  if (!d->library)
    return cli_fail("%s is %s data, which %s decodes, and that cannot be opened (%s): install %s, or give the "
                    "decoded file",
                    name, c->name, c->library, dlerror(), c->package);
  d->decoder = c->open(d->library);
  if (d->decoder) return CLI_OK;
  dlclose(d->library);
  return cli_fail("%s: %s makes no decoder of %s data: no memory, or another library of that name", name, c->library,
                  c->name);
}

FILE *codec_open(const codec *chosen, FILE *compressed, const char *name, const char **fault) {
  const cookie_io_functions_t functions = { .read = read_decoded, .close = close_decoded };
  decoding *d = calloc(1, sizeof *d);
  if (!d) return cli_say_failure("no memory to decode %s", name), NULL;
  d->codec = chosen;
  d->compressed = compressed;
  if (open_decoder(d, name) != CLI_OK) return free(d), NULL;
  FILE *file = fopencookie(d, "rb", functions);
  if (file) return *fault = d->fault, file;
  cli_say_failure("cannot open %s: %s", name, strerror(errno));
  chosen->close(d->decoder);
  dlclose(d->library);
  free(d);
  return NULL;
}
