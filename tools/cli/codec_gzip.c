/* SPDX-License-Identifier: BSD-2-Clause */
/** @file codec_gzip.c @brief Decodes gzip by zlib, without needing its header for the build. */
#define _POSIX_C_SOURCE 200809L
#include "codec.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

/** z_stream of zlib.h, unchanged since version 1.0. */
typedef struct zlib_stream {
  const unsigned char *next_in;
  unsigned avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state, *zalloc, *zfree, *opaque;
  int data_type;
  unsigned long adler, reserved;
} zlib_stream;

/** Constants of zlib.h. */
enum { Z_NO_FLUSH = 0, Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5, GZIP_WINDOW_BITS = 15 + 16 };

typedef struct gzip_decoder {
  zlib_stream stream;
  int (*inflate)(zlib_stream *stream, int flush);
  int (*reset)(zlib_stream *stream);
  int (*end)(zlib_stream *stream);
} gzip_decoder;

static void *open_gzip(void *library) {
  int (*init)(zlib_stream * stream, int window_bits, const char *version, int stream_bytes) = NULL;
  gzip_decoder *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  *(void **)&init = dlsym(library, "inflateInit2_");
  *(void **)&d->inflate = dlsym(library, "inflate");
  *(void **)&d->reset = dlsym(library, "inflateReset");
  *(void **)&d->end = dlsym(library, "inflateEnd");
  if (init && d->inflate && d->reset && d->end &&
      init(&d->stream, GZIP_WINDOW_BITS, "1", (int)sizeof d->stream) == Z_OK)
    return d;
  free(d);
  return NULL;
}

/** Skips zeros behind a member, with which tapes and archives are padded. @return 1 if another member begins */
static int next_member(gzip_decoder *d, codec_step *step) {
  while (step->in_bytes && *step->in == 0) step->in++, step->in_bytes--;
  if (!step->in_bytes) return 0;
  d->reset(&d->stream);
  step->is_complete = 0;
  return 1;
}

static const char *decode_gzip(void *decoder, codec_step *step) {
  gzip_decoder *d = decoder;
  if (step->is_complete && !next_member(d, step)) return NULL;
  d->stream.next_in = step->in;
  d->stream.avail_in = step->in_bytes < UINT_MAX ? (unsigned)step->in_bytes : UINT_MAX;
  d->stream.next_out = step->out;
  d->stream.avail_out = step->out_bytes < UINT_MAX ? (unsigned)step->out_bytes : UINT_MAX;
  const int rc = d->inflate(&d->stream, Z_NO_FLUSH);
  step->in_bytes -= (size_t)(d->stream.next_in - step->in);
  step->in = d->stream.next_in;
  step->out_bytes -= (size_t)(d->stream.next_out - step->out);
  step->out = d->stream.next_out;
  if (rc == Z_STREAM_END) step->is_complete = 1;
  if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR) return NULL;
  return d->stream.msg ? d->stream.msg : "they are damaged";
}

static void close_gzip(void *decoder) {
  gzip_decoder *d = decoder;
  d->end(&d->stream);
  free(d);
}

const codec codec_gzip = { .name = "gzip",
                           .extension = ".gz",
                           .library = "libz.so.1",
                           .package = "zlib",
                           .head = { 0x1f, 0x8b, 0x08 },
                           .head_bytes = 3,
                           .open = open_gzip,
                           .decode = decode_gzip,
                           .close = close_gzip };
