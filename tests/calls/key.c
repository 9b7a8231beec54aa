/* SPDX-License-Identifier: BSD-2-Clause */
/** @file key.c @brief The text of a key, the set of keys that were recorded, and the file. */
#include "calls/calls.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- text ---- */

void key_text(call_key *key, const char *text) {
  const size_t room = sizeof key->text - 1 - key->used, bytes = strlen(text), taken = bytes < room ? bytes : room;
  memcpy(key->text + key->used, text, taken);
  key->used += taken;
  key->text[key->used] = '\0';
}

void key_word(call_key *key, const char *name, const char *value) {
  char word[CALL_WORD_BYTES];
  snprintf(word, sizeof word, "%s", value ? value : "unknown");
  for (char *c = word; *c; c++)
    if (*c <= ' ') *c = '_';
  key_text(key, " ");
  key_text(key, name);
  key_text(key, "=");
  key_text(key, word);
}

void key_number(call_key *key, const char *name, uint64_t number) {
  char word[32];
  if (number == 0) return;
  snprintf(word, sizeof word, "%" PRIu64, number);
  key_word(key, name, word);
}

void key_flag(call_key *key, const char *name, int is_set) { key_number(key, name, is_set != 0); }

void key_numbers(call_key *key, const char *name, const uint32_t *numbers, uint32_t count) {
  char word[CALL_WORD_BYTES] = "";
  uint32_t all = 0;
  for (uint32_t i = 0; i < count; i++) {
    const size_t used = strlen(word);
    snprintf(word + used, sizeof word - used, "%s%" PRIu32, i ? "," : "", numbers[i]);
    all |= numbers[i];
  }
  if (all) key_word(key, name, word);
}

void key_type(call_key *key, const char *name, scan_type type) {
  if (type != SCAN_TYPE_DEFAULT) key_word(key, name, scan_type_name(type));
}

static const char *class_of(uint64_t items) {
  if (items < 2) return items ? "1" : "0";
  if (items < 32) return "2..31";
  if (items <= 260) return "32..260";
  if (items < 4096) return "261..4095";
  return items <= 65536 ? "4096..65536" : "more";
}

void key_items(call_key *key, const char *name, uint64_t items) {
  char at[64];
  key_word(key, name, class_of(items));
  if (items < 1023 || (items + 1) % 1024 > 2) return;
  snprintf(at, sizeof at, "%s_at", name);
  key_word(key, at, items % 1024 == 0 ? "0" : items % 1024 == 1 ? "+1" : "-1");
}

void key_compared(call_key *key, const char *name, uint64_t number, uint64_t n) {
  if (number != 0) key_word(key, name, number < n ? "less" : number == n ? "equal" : "more");
}

void key_flags(call_key *key, uint64_t flags) {
  static const char *const names[] = { "backward", "check_overflow", "n_from_clamp" };
  char word[CALL_WORD_BYTES] = "";
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (flags >> i & 1) {
      const size_t used = strlen(word);
      snprintf(word + used, sizeof word - used, "%s%s", used ? "+" : "", names[i]);
    }
  if (flags) key_word(key, "flags", *word ? word : NULL);
}

/* ---- keys that were recorded ---- */

enum { SEEN_SLOTS = 1 << 18, SEEN_MOST = SEEN_SLOTS / 4 * 3 };

static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t seen[SEEN_SLOTS]; /* Hashes; 0: the slot is free. */
static uint64_t seen_count;

/** FNV-1a; never 0. */
static uint64_t hash_of(const char *text) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return hash ? hash : 1;
}

/** Adds a hash. A full set takes none and says that all are new. @return 1 where it is new */
static int add_hash(uint64_t hash) {
  uint64_t slot = hash % SEEN_SLOTS;
  while (seen[slot] != 0 && seen[slot] != hash) slot = (slot + 1) % SEEN_SLOTS;
  if (seen[slot] == hash) return 0;
  if (seen_count == SEEN_MOST) return 1;
  seen[slot] = hash;
  seen_count++;
  return 1;
}

/* ---- the file ---- */

/** @return the path, or NULL */
static const char *file_path(void) {
  const char *path = getenv("SCANRT_TEST_CALLS_FILE");
  return path && *path ? path : NULL;
}

int key_is_recorded(void) { return file_path() != NULL; }

/** One write a line: several processes may share the file. */
static void append_line(const char *path, const char *line, size_t bytes) {
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || write(file, line, bytes) != (ssize_t)bytes) perror(path);
  if (file >= 0) close(file);
}

void key_record(const call_key *key) {
  char line[CALL_KEY_BYTES + 1];
  const char *path = file_path();
  const char *text = key->text + (key->text[0] == ' ');
  pthread_mutex_lock(&seen_lock);
  const int is_new = add_hash(hash_of(text));
  pthread_mutex_unlock(&seen_lock);
  if (!is_new || !path) return;
  snprintf(line, sizeof line, "%s\n", text);
  append_line(path, line, strlen(line));
}
