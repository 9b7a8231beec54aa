/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes that identify a plan, a kernel or a program: compared by a hash first, then whole. */
#ifndef SCANRT_KEY_H
#define SCANRT_KEY_H

#include <stddef.h>
#include <stdint.h>

enum { SCAN_KEY_BYTES = 504 };

typedef struct scan_key {
  uint64_t hash; /* of the bytes, word by word as in FNV-1a (Fowler, Noll, Vo), with the upper half folded in */
  uint32_t used;
  unsigned char bytes[SCAN_KEY_BYTES];
} scan_key;

/* Starts an empty key. */
void scan_key_start(scan_key *key);

/* Appends bytes. */
void scan_key_add(scan_key *key, const void *bytes, size_t count);

/* Appends a number. */
void scan_key_add_number(scan_key *key, uint64_t number);

/* Appends a string with its terminating 0. */
void scan_key_add_text(scan_key *key, const char *text);

int scan_key_same(const scan_key *a, const scan_key *b);

#endif
