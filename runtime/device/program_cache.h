/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled programs on disk: under $SCANRT_CACHE (`off` or a folder), $XDG_CACHE_HOME/scanrt or ~/.cache/scanrt.
 *
 * A cache that cannot be read or written costs time and nothing else: every fault is a line of $SCANRT_LOG=debug and
 * the caller compiles. What is handed out was checked byte for byte first, because drivers abort the process on
 * damaged binaries. Threads and processes may load and store at once: a file appears by one rename, whole. */
#ifndef SCANRT_PROGRAM_CACHE_H
#define SCANRT_PROGRAM_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that the folder is kept under, oldest files going first. */
#define PROGRAM_CACHE_MOST_BYTES (UINT64_C(256) << 20)

/* The names of files end with it. What has another name, another owner or does not begin as the cache's files do is
 * somebody else's, and left alone. */
#define PROGRAM_CACHE_SUFFIX ".program"
#define PROGRAM_CLAIM_SUFFIX ".claim" /* of those that are being compiled: program_claim.h */

/* A part of what a binary depends on: the source, the options, the driver's version, ... */
typedef struct program_cache_part {
  const char *name;
  const char *text;
  size_t bytes;
} program_cache_part;

static inline program_cache_part program_cache_text(const char *name, const char *text) {
  return (program_cache_part){ name, text, strlen(text) };
}

/* All of it in one text. A hash of it names the file; the file holds the text, so that a collision is noticed. */
typedef struct program_cache_key {
  char *text;
  size_t bytes;
} program_cache_key;

/* Joins the parts, in order. 0 when memory ran out; scan_program_cache_key_free takes that, too. */
int scan_program_cache_key_make(const program_cache_part *parts, size_t count, program_cache_key *key);
void scan_program_cache_key_free(program_cache_key *key);

/* 1 when a cache is wanted and there is a place for it. */
int scan_program_cache_enabled(void);

/* The binary stored under the key, to be freed by the caller; NULL when there is none that is whole. */
void *scan_program_cache_load(const program_cache_key *key, size_t *binary_bytes);

/* The folder, open, and made first where `make` says so; -1, with a line in the log unless it is just not there yet. */
int scan_program_cache_open(int make);

/* Stores a binary, replacing the one that is there. */
void scan_program_cache_store(const program_cache_key *key, const void *binary, size_t binary_bytes);

/* ---- what the tests see ---- */

/* 128-bit FNV-1a, going on from *hash. */
typedef struct program_cache_hash {
  uint64_t high, low;
} program_cache_hash;
program_cache_hash scan_program_cache_hash_start(void);
void scan_program_cache_hash_add(program_cache_hash *hash, const void *data, size_t bytes);

/* The cache's path; 0, with the reason, when there is to be none. */
int scan_program_cache_folder(char *path, size_t bytes, const char **reason);

/* Name of the key's file. */
enum { PROGRAM_CACHE_NAME_BYTES = 48 };
void scan_program_cache_name(const program_cache_key *key, char name[PROGRAM_CACHE_NAME_BYTES]);

/* Removes the oldest files until the rest is under most_bytes, and what writers that died left behind. */
void scan_program_cache_trim(int folder, uint64_t most_bytes);

#endif
