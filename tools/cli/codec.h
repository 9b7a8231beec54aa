/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file codec.h
 * @brief Compressed inputs, decoded as they are read. A new codec is one file, one declaration here and one line in
 * codec.c.
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
  const unsigned char *in; /**< Advanced over what was read. */
  size_t in_bytes;         /**< What is left of it. */
  unsigned char *out;      /**< Advanced over what was written. */
  size_t out_bytes;        /**< Room that is left. */
  int is_complete;         /**< Kept between calls. 1: the input may end here. */
} codec_step;

/** One codec. */
typedef struct codec {
  const char *name;                            /**< "gzip" */
  const char *extension;                       /**< ".gz" */
  const char *library;                         /**< What dlopen opens, */
  const char *package;                         /**< and who ships it. */
  unsigned char head[CODEC_HEAD_BYTES];        /**< How its files begin: */
  size_t head_bytes;                           /**< so many bytes of `head`. */
  void *(*open)(void *library);                /**< @return a decoder; NULL: no memory, or another library */
  const char *(*decode)(void *, codec_step *); /**< @return NULL, or what is wrong with the data */
  void (*close)(void *decoder);
} codec;

extern const codec codec_gzip; /**< RFC 1952, one member or several, by zlib. */
extern const codec codec_zstd; /**< RFC 8878, one frame or several, by libzstd. */

/** The codec that a path's extension names, or NULL. */
const codec *codec_by_extension(const char *path);

/** The codec whose files begin with these bytes, or NULL. */
const codec *codec_by_head(const unsigned char *head, size_t bytes);

/** A stream of the decoded bytes. fclose closes `compressed`, too, unless that is standard input.
 *  @param[out] fault  what is wrong with the data, or "", until the stream is closed: set before a read fails
 *  @return NULL after saying why; `compressed` is then the caller's */
FILE *codec_open(const codec *chosen, FILE *compressed, const char *name, const char **fault);

#endif
