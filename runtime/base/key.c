/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/key.h"

#include <assert.h>
#include <string.h>

void scan_key_start(scan_key *key) {
  key->hash = 0xcbf29ce484222325u;
  key->used = 0;
}

/* Mixes one word: keys are made in every call of scan_run, so that speed matters. */
static uint64_t key_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3u;
  return hash ^ hash >> 32;
}

void scan_key_add(scan_key *key, const void *bytes, size_t count) {
  const unsigned char *from = bytes;
  uint64_t word;
  assert(count <= sizeof key->bytes - key->used);
  memcpy(key->bytes + key->used, bytes, count);
  key->used += (uint32_t)count;
  for (; count >= sizeof word; count -= sizeof word, from += sizeof word) {
    memcpy(&word, from, sizeof word);
    key->hash = key_mix(key->hash, word);
  }
  for (; count > 0; count--) key->hash = key_mix(key->hash, *from++);
}

void scan_key_add_number(scan_key *key, uint64_t number) { scan_key_add(key, &number, sizeof number); }

void scan_key_add_text(scan_key *key, const char *text) { scan_key_add(key, text, strlen(text) + 1); }

int scan_key_same(const scan_key *a, const scan_key *b) {
  return a->hash == b->hash && a->used == b->used && memcmp(a->bytes, b->bytes, a->used) == 0;
}
