/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file codec.h
 * @brief Decoders of compressed inputs, which are decoded as they are read. A new codec is one file, one declaration
 * here and one line in codec.c.
 *
 * The libraries are opened at run time: neither the build nor a program that reads plain files needs them.
 */
#ifndef SCANRT_CLI_CODEC_H
#define SCANRT_CLI_CODEC_H

#include <stddef.h>
#include <stdio.h>

enum { CODEC_FAULT_BYTES = 160, CODEC_HEAD_BYTES = 4 };

/** Input and output of one call of a decoder. */
typedef struct codec_step {
  const unsigned char *in; /**< Advanced over the bytes that were read. */
  size_t in_bytes;         /**< Bytes of input that are left. */
  unsigned char *out;      /**< Advanced over the bytes that were written. */
  size_t out_bytes;        /**< Room that is left. */
  int is_complete;         /**< Kept between calls. 1: the input may end here. */
} codec_step;

/** One codec. */
typedef struct codec {
  const char *name;                     /**< "gzip" */
  const char *extension;                /**< ".gz" */
  const char *library;                  /**< Name passed to dlopen. */
  const char *package;                  /**< Package that contains the library. */
  unsigned char head[CODEC_HEAD_BYTES]; /**< First bytes of a compressed file. */
  size_t head_bytes;                    /**< Length of `head` in bytes. */
  /** @return a decoder; NULL: memory ran out, or the library has an unexpected version */
  void *(*open)(void *library);
  const char *(*decode)(void *, codec_step *); /**< @return NULL, or the fault of the data */
  void (*close)(void *decoder);
} codec;

extern const codec codec_gzip; /**< RFC 1952, one member or several, by zlib. */
extern const codec codec_zstd; /**< RFC 8878, one frame or several, by libzstd. */

/** Returns the codec that a path's extension names, or NULL. */
const codec *codec_by_extension(const char *path);

/** Returns the codec whose files begin with these bytes, or NULL. */
const codec *codec_by_head(const unsigned char *head, size_t bytes);

/** Opens a stream of the decoded bytes. fclose closes `compressed`, too, unless it is standard input.
 * @param[out] fault  the fault of the data, or ""; valid until the stream is closed, set before a read fails
 * @return NULL after saying why; `compressed` then stays the caller's */
FILE *codec_open(const codec *chosen, FILE *compressed, const char *name, const char **fault);

#endif
