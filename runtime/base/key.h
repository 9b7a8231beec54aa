/* SPDX-License-Identifier: BSD-2-Clause */
/* What a plan, a kernel or a program was made for, as bytes: compared by a hash first, then whole. */
#ifndef SCANRT_KEY_H
#define SCANRT_KEY_H

#include <stddef.h>
#include <stdint.h>

enum { SCAN_KEY_BYTES = 504 };

typedef struct scan_key {
  uint64_t hash; /* of the bytes, by words as in FNV-1a (Fowler, Noll, Vo), the upper half folded in */
  uint32_t used;
  unsigned char bytes[SCAN_KEY_BYTES];
} scan_key;

/* A key of nothing yet. */
void scan_key_start(scan_key *key);

/* Appends bytes, a number, or a string with its end. */
void scan_key_add(scan_key *key, const void *bytes, size_t count);
void scan_key_add_number(scan_key *key, uint64_t number);
void scan_key_add_text(scan_key *key, const char *text);

int scan_key_same(const scan_key *a, const scan_key *b);

#endif
