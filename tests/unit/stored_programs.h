/* SPDX-License-Identifier: BSD-2-Clause */
/** @file stored_programs.h @brief Programs in a cache of their own, for tests of the cache. */
#ifndef SCANRT_TESTS_STORED_PROGRAMS_H
#define SCANRT_TESTS_STORED_PROGRAMS_H

#include "device/program_cache.h"
#include "support.h"

enum { STORED_BYTES = 200, STORED_PATH_BYTES = 512, STORED_SKIPPED = 77 };

/** A folder that is removed after each test, and $SCANRT_CACHE in it. */
extern char stored_base[128], stored_cache[160];

/** A test's setup and teardown. */
int stored_set_up(void **state);
int stored_tear_down(void **state);

program_cache_key stored_key(const char *source, const char *options);

/** Stores a program of STORED_BYTES that depends on the seed. */
void stored_put(const program_cache_key *key, unsigned seed);

/** 1 if the seed's program is loaded, 0 if none is; another program fails the test. */
int stored_holds(const program_cache_key *key, unsigned seed);

/** Writes the path of a key's file. */
void stored_path(const program_cache_key *key, char path[STORED_PATH_BYTES]);

/** Reads a file of at most `room` bytes; returns its bytes. */
size_t stored_read(const char *path, unsigned char *data, size_t room);
void stored_write(const char *path, const void *data, size_t bytes);

/** Counts the files in the cache's folder whose names begin with `prefix`. */
int stored_count(const char *prefix);

/** Runs `body` in a child process, whose limits it may change. Returns 0 if it returned STORED_SKIPPED; fails the test
 * if it returned another number than 0. */
int stored_in_child(int (*body)(void));

#endif
