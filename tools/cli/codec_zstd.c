/* SPDX-License-Identifier: BSD-2-Clause */
/** @file codec_zstd.c @brief Decodes Zstandard by libzstd, without needing its header for the build. */
#define _POSIX_C_SOURCE 200809L
#include "codec.h"

#include <dlfcn.h>
#include <stdlib.h>

/** ZSTD_inBuffer of zstd.h. */
typedef struct zstd_in {
  const void *src;
  size_t size, pos;
} zstd_in;

/** ZSTD_outBuffer of zstd.h. */
typedef struct zstd_out {
  void *dst;
  size_t size, pos;
} zstd_out;

typedef struct zstd_decoder {
  void *stream;
  size_t (*decompress)(void *stream, zstd_out *out, zstd_in *in);
  unsigned (*is_error)(size_t code);
  const char *(*error_name)(size_t code);
  size_t (*free_stream)(void *stream);
} zstd_decoder;

static void *open_zstd(void *library) {
  void *(*create)(void) = NULL;
  zstd_decoder *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  *(void **)&create = dlsym(library, "ZSTD_createDStream");
  *(void **)&d->decompress = dlsym(library, "ZSTD_decompressStream");
  *(void **)&d->is_error = dlsym(library, "ZSTD_isError");
  *(void **)&d->error_name = dlsym(library, "ZSTD_getErrorName");
  *(void **)&d->free_stream = dlsym(library, "ZSTD_freeDStream");
  if (create && d->decompress && d->is_error && d->error_name && d->free_stream && (d->stream = create())) return d;
  free(d);
  return NULL;
}

static const char *decode_zstd(void *decoder, codec_step *step) {
  zstd_decoder *d = decoder;
  zstd_in in = { step->in, step->in_bytes, 0 };
  zstd_out out = { step->out, step->out_bytes, 0 };
  const size_t left = d->decompress(d->stream, &out, &in);
  if (d->is_error(left)) return d->error_name(left);
  step->in += in.pos;
  step->in_bytes -= in.pos;
  step->out += out.pos;
  step->out_bytes -= out.pos;
  step->is_complete = left == 0; /* 1 if a frame has ended and is written out */
  return NULL;
}

static void close_zstd(void *decoder) {
  zstd_decoder *d = decoder;
  d->free_stream(d->stream);
  free(d);
}

const codec codec_zstd = { .name = "zstd",
                           .extension = ".zst",
                           .library = "libzstd.so.1",
                           .package = "libzstd",
                           .head = { 0x28, 0xb5, 0x2f, 0xfd },
                           .head_bytes = 4,
                           .open = open_zstd,
                           .decode = decode_zstd,
                           .close = close_zstd };
