/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled programs on disk: under $SCANRT_CACHE (`off` or a folder), $XDG_CACHE_HOME/scanrt or ~/.cache/scanrt.
 *
 * A cache that cannot be read or written only costs time: every fault is a line of $SCANRT_LOG=debug, and the caller
 * compiles. Every loaded binary is checked byte for byte first, because drivers abort the process on damaged binaries.
 * Threads and processes may load and store at once: a file appears whole, by one rename. */
#ifndef SCANRT_PROGRAM_CACHE_H
#define SCANRT_PROGRAM_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Limit of the folder's size; the oldest files are removed first. */
#define PROGRAM_CACHE_MOST_BYTES (UINT64_C(256) << 20)

/* Suffix of the files' names. Files with another name, another owner or another beginning are not the cache's, and are
 * left alone. */
#define PROGRAM_CACHE_SUFFIX ".program"
#define PROGRAM_CLAIM_SUFFIX ".claim" /* suffix of claims of programs that are being compiled: program_claim.h */

/* A part of a program's key: the source, the options, the driver's version, ... */
typedef struct program_cache_part {
  const char *name;
  const char *text;
  size_t bytes;
} program_cache_part;

static inline program_cache_part program_cache_text(const char *name, const char *text) {
  return (program_cache_part){ name, text, strlen(text) };
}

/* All parts in one text. Its hash names the file; the file holds the text, so that a collision is noticed. */
typedef struct program_cache_key {
  char *text;
  size_t bytes;
} program_cache_key;

/* Joins the parts, in order. Returns 0 without memory. */
int scan_program_cache_key_make(const program_cache_part *parts, size_t count, program_cache_key *key);

/* Frees the key's text; a key that could not be made is allowed. */
void scan_program_cache_key_free(program_cache_key *key);

/* 1 if the cache is not switched off and a folder is named for it. */
int scan_program_cache_enabled(void);

/* Returns the binary stored under the key, to be freed by the caller; NULL if there is no valid one. */
void *scan_program_cache_load(const program_cache_key *key, size_t *binary_bytes);

/* Opens the folder, and makes it first if `make` is 1. Returns -1, with a line in the log unless the folder merely does
 * not exist yet. */
int scan_program_cache_open(int make);

/* Stores a binary; replaces an existing one. */
void scan_program_cache_store(const program_cache_key *key, const void *binary, size_t binary_bytes);

/* ---- also used by tests ---- */

/* A 128-bit FNV-1a hash. */
typedef struct program_cache_hash {
  uint64_t high, low;
} program_cache_hash;

/* The hash of no bytes. */
program_cache_hash scan_program_cache_hash_start(void);

/* Adds bytes to a hash. */
void scan_program_cache_hash_add(program_cache_hash *hash, const void *data, size_t bytes);

/* Writes the cache's path. Returns 0, with the reason, if there is no cache. */
int scan_program_cache_folder(char *path, size_t bytes, const char **reason);

/* Bytes of a file's name. */
enum { PROGRAM_CACHE_NAME_BYTES = 48 };

/* Writes the name of the key's file. */
void scan_program_cache_name(const program_cache_key *key, char name[PROGRAM_CACHE_NAME_BYTES]);

/* Removes the oldest files until the rest is within most_bytes, and the leftovers of writers that died. */
void scan_program_cache_trim(int folder, uint64_t most_bytes);

#endif
