/* SPDX-License-Identifier: BSD-2-Clause */
/** @file lines.c @brief Expands lines that stand for many cases, such as "n=0..260", "kind=|exclusive|total",
 * "key_type=*". */
#include "parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 48, FEW = 8 };

/** A word of a line, such as "n=0..40|4095" or "plan|", and the number of its values. */
typedef struct word {
  char text[CASE_LINE_BYTES];
  size_t name_bytes; /**< Length of the name with the equals sign; 0: a flag. */
  uint64_t count;
  int is_n;
} word;

/** One alternative of a word: a value, a range, or all names of a field. */
typedef struct piece {
  const char *text;
  size_t bytes;
  int is_all, is_range;
  uint64_t first, count;
} piece;

static piece piece_at(const word *w, const char *text) {
  piece p = { .text = text, .bytes = strcspn(text, "|"), .count = 1 };
  const char *dots = strstr(text, "..");
  p.is_all = p.bytes == 1 && *text == '*';
  p.is_range = dots && dots < text + p.bytes;
  if (p.is_range) {
    p.first = strtoull(text, NULL, 10);
    p.count = strtoull(dots + 2, NULL, 10) - p.first + 1;
  }
  if (p.is_all)
    for (p.count = 0; case_value_name(w->text, w->name_bytes - 1, p.count);) p.count++;
  return p;
}

static const char *after(const piece *p) { return p->text[p->bytes] ? p->text + p->bytes + 1 : NULL; }

static void read_word(word *w, const char *text, size_t bytes) {
  memcpy(w->text, text, bytes);
  w->text[bytes] = '\0';
  const char *equals = strchr(w->text, '=');
  w->name_bytes = equals ? (size_t)(equals - w->text) + 1 : 0;
  w->is_n = strncmp(w->text, "n=", 2) == 0;
  w->count = 0;
  for (const char *at = w->text + w->name_bytes; at;) {
    const piece p = piece_at(w, at);
    w->count += p.count;
    at = after(&p);
  }
}

/** Appends the word with its value k, or nothing if that value is empty. */
static void append_value(const word *w, uint64_t k, char line[CASE_LINE_BYTES]) {
  char value[CASE_LINE_BYTES];
  const size_t used = strlen(line);
  piece p = piece_at(w, w->text + w->name_bytes);
  for (; k >= p.count; p = piece_at(w, after(&p))) k -= p.count;
  if (p.is_range)
    snprintf(value, sizeof value, "%" PRIu64, p.first + k);
  else
    snprintf(value, sizeof value, "%.*s", (int)p.bytes, p.text);
  const char *named = p.is_all ? case_value_name(w->text, w->name_bytes - 1, k) : value;
  if (*named)
    snprintf(line + used, CASE_LINE_BYTES - used, "%s%.*s%s", used ? " " : "", (int)w->name_bytes, w->text, named);
}

/** The words of a line. `products` is the number of choices over all words but n. */
typedef struct choices {
  word words[MOST_WORDS];
  size_t count;
  uint64_t products, n_count;
} choices;

static void read_choices(const char *line, choices *c) {
  *c = (choices){ .products = 1, .n_count = 1 };
  for (const char *at = line; *at && c->count < MOST_WORDS;) {
    at += strspn(at, " ");
    const size_t bytes = strcspn(at, " ");
    if (!bytes) break;
    word *w = &c->words[c->count++];
    read_word(w, at, bytes);
    *(w->is_n ? &c->n_count : &c->products) *= w->count;
    at += bytes;
  }
}

static void write_line(const choices *c, uint64_t product, uint64_t n, char line[CASE_LINE_BYTES]) {
  *line = '\0';
  for (size_t i = 0; i < c->count; i++) {
    const word *w = &c->words[i];
    append_value(w, w->is_n ? n : product % w->count, line);
    if (!w->is_n) product /= w->count;
  }
}

/** 1 if the choice is a case; 0: the oracle cannot compute it; -1: a word is wrong. */
static int is_case(const choices *c, uint64_t product, char words[CASE_WORDS_BYTES]) {
  char one[CASE_LINE_BYTES];
  scan_case read;
  write_line(c, product, 0, one);
  const int fault = case_from_line(one, &read, words);
  if (fault > 0 && c->products > 1) return 0;
  return fault ? -1 : 1;
}

/** Visits all n of a choice, or one in `every` if there are more than FEW. */
static int visit_each_n(const choices *c, uint64_t product, uint64_t every, case_line_visit *visit, void *user) {
  const uint64_t step = c->n_count > FEW && every > 1 ? (every < FEW ? every : FEW) : 1;
  char one[CASE_LINE_BYTES];
  int result = 0;
  for (uint64_t n = product % step; !result && n < c->n_count; n += step) {
    write_line(c, product, n, one);
    result = visit(one, user);
  }
  return result;
}

int case_lines_each(const char *line, uint64_t every, case_line_visit *visit, void *user,
                    char words[CASE_WORDS_BYTES]) {
  choices *c = malloc(sizeof *c);
  uint64_t found = 0;
  int result = c ? 0 : -1;
  if (c) read_choices(line, c);
  for (uint64_t product = 0; result == 0 && product < c->products; product++) {
    const int is = is_case(c, product, words);
    if (is < 0) result = -1;
    if (is > 0 && found++ % every == 0) result = visit_each_n(c, product, every, visit, user);
  }
  if (result == 0 && found == 0) {
    snprintf(words, CASE_WORDS_BYTES, "no choice is a case: %.300s", line);
    result = -1;
  }
  free(c);
  return result;
}

int case_file_each(const char *name, uint64_t every, case_line_visit *visit, void *user, char words[CASE_WORDS_BYTES]) {
  char line[CASE_LINE_BYTES];
  FILE *file = fopen(name, "r");
  int result = 0;
  if (!file) {
    snprintf(words, CASE_WORDS_BYTES, "cannot read %.300s", name);
    return -1;
  }
  while (result == 0 && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    if (*line && *line != '#') result = case_lines_each(line, every, visit, user, words);
  }
  fclose(file);
  return result;
}
