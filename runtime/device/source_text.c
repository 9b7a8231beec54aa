/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/source_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a text, as a preprocessor reads it ---- */

typedef struct reader {
  const char *at;
  int line;
  int comment_line;   /* line of a comment without an end; 0: none */
  int directive_line; /* line of the last directive, on which no other can begin; 0: none yet */
} reader;

static int is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static int is_word(int c) { return is_letter(c) || (c >= '0' && c <= '9'); }

/* Skips backslashes at line ends, which join a line with the next. */
static void skip_splices(reader *r) {
  while (r->at[0] == '\\' && (r->at[1] == '\n' || (r->at[1] == '\r' && r->at[2] == '\n')))
    r->at += r->at[1] == '\n' ? 2 : 3, r->line++;
}

static int token_peek(reader *r) {
  skip_splices(r);
  return (unsigned char)*r->at;
}

static int token_next(reader *r) {
  const int c = token_peek(r);
  if (c != '\0') r->at++;
  if (c == '\n') r->line++;
  return c;
}

/* The character after the next one, which must not be the end. */
static int peek_second(const reader *r) {
  reader ahead = *r;
  (void)token_next(&ahead);
  return token_peek(&ahead);
}

static void skip_quoted(reader *r) {
  const int quote = token_next(r);
  for (int c = token_peek(r); c != '\0' && c != '\n'; c = token_peek(r)) {
    (void)token_next(r);
    if (c == quote) return;
    if (c == '\\') (void)token_next(r);
  }
}

/* Skips a comment. Returns 1 if there was one. */
static int skip_comment(reader *r) {
  if (token_peek(r) != '/') return 0;
  const int second = peek_second(r);
  if (second == '/') {
    while (token_peek(r) != '\0' && token_peek(r) != '\n') (void)token_next(r);
    return 1;
  }
  if (second != '*') return 0;
  const int line = r->line;
  (void)token_next(r), (void)token_next(r);
  while (token_peek(r) != '\0') {
    if (token_next(r) != '*' || token_peek(r) != '/') continue;
    (void)token_next(r);
    return 1;
  }
  r->comment_line = line;
  return 1;
}

static void skip_blanks(reader *r) {
  for (;;) {
    const int c = token_peek(r);
    if (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r')
      (void)token_next(r);
    else if (!skip_comment(r))
      return;
  }
}

/* Reads the next identifier, truncated to fit; empty if there is none. */
static void read_word(reader *r, char *word, size_t word_bytes) {
  size_t count = 0;
  if (is_letter(token_peek(r)))
    while (is_word(token_peek(r))) {
      const int c = token_next(r);
      if (count + 1 < word_bytes) word[count++] = (char)c;
    }
  word[count] = '\0';
}

/* Skips the `#` of a directive or its digraph. Returns 1 if there was one. */
static int skip_hash(reader *r) {
  if (token_peek(r) == '%' && peek_second(r) == ':')
    (void)token_next(r);
  else if (token_peek(r) != '#')
    return 0;
  (void)token_next(r);
  return 1;
}

enum { MOST_NAME = 256 };

/* Reads the next directive's name and, for #define, the macro's name; empty if missing. Returns 0 if there are no
 * more directives. */
static int next_directive(reader *r, char name[MOST_NAME], char macro[MOST_NAME]) {
  for (int line_begins = !r->directive_line; token_peek(r) != '\0';) {
    skip_blanks(r);
    const int c = token_peek(r), line = r->line;
    if (line_begins && skip_hash(r)) {
      skip_blanks(r);
      read_word(r, name, MOST_NAME);
      skip_blanks(r);
      macro[0] = '\0';
      if (strcmp(name, "define") == 0) read_word(r, macro, MOST_NAME);
      r->directive_line = line;
      return 1;
    }
    line_begins = c == '\n';
    if (c == '"' || c == '\'')
      skip_quoted(r);
    else if (c != '\0')
      (void)token_next(r);
  }
  return 0;
}

size_t scan_source_undefine(const char *text, char *out, size_t out_bytes) {
  char name[MOST_NAME], macro[MOST_NAME];
  reader r = { .at = text, .line = 1 };
  size_t bytes = 0;
  if (out_bytes > 0) out[0] = '\0';
  while (next_directive(&r, name, macro)) {
    const int room = bytes < out_bytes;
    if (macro[0] != '\0')
      bytes += (size_t)snprintf(room ? out + bytes : NULL, room ? out_bytes - bytes : 0, "#undef %s\n", macro);
  }
  return bytes;
}

const char *scan_source_open(const char *text, int *line) {
  enum { MOST_DEPTH = 64 };
  char name[MOST_NAME], macro[MOST_NAME];
  reader r = { .at = text, .line = 1 };
  int depth = 0, lines[MOST_DEPTH] = { 0 };
  while (next_directive(&r, name, macro)) {
    if (strncmp(name, "if", 2) == 0) {
      if (depth < MOST_DEPTH) lines[depth] = r.directive_line;
      depth++;
    } else if (strcmp(name, "endif") == 0 && depth > 0) {
      depth--;
    }
  }
  *line = r.comment_line != 0 ? r.comment_line : depth > 0 ? lines[depth <= MOST_DEPTH ? depth - 1 : 0] : 0;
  if (r.comment_line != 0) return "a comment";
  return depth > 0 ? "a conditional (#if)" : NULL;
}

static int is_reserved(const char *name) { return strncmp(name, "scanrt_", 7) == 0; }

int scan_source_reserved(const char *text, char name[SCAN_SOURCE_NAME_BYTES], int *line) {
  reader r = { .at = text, .line = 1 };
  for (;;) {
    skip_blanks(&r);
    const int c = token_peek(&r);
    *line = r.line;
    if (c == '\0') return 0;
    if (c == '"' || c == '\'')
      skip_quoted(&r);
    else if (is_letter(c))
      read_word(&r, name, SCAN_SOURCE_NAME_BYTES);
    else if (is_word(c)) /* a number */
      while (is_word(token_peek(&r))) (void)token_next(&r);
    else
      (void)token_next(&r);
    if (is_letter(c) && is_reserved(name)) return 1;
  }
}

/* ---- names ---- */

static int is_name(const char *name) {
  if (name == NULL || !is_letter((unsigned char)name[0])) return 0;
  for (; *name != '\0'; name++)
    if (!is_word((unsigned char)*name)) return 0;
  return 1;
}

int scan_source_is_function(const char *name) {
  return is_name(name) && strlen(name) <= SCAN_SOURCE_MOST_WORDS && !is_reserved(name);
}

int scan_source_is_type(const char *type) {
  if (type == NULL || strlen(type) > SCAN_SOURCE_MOST_WORDS || !is_letter((unsigned char)type[0])) return 0;
  for (; *type != '\0'; type++)
    if (!is_word((unsigned char)*type) && !(type[0] == ' ' && is_letter((unsigned char)type[1]))) return 0;
  return 1;
}

/* ---- a compiler's log ---- */

static int count_lines(const char *text) {
  int lines = 1;
  for (; *text != '\0'; text++) lines += *text == '\n';
  return lines;
}

void scan_source_relocate(const char *log, const char *text, int lines_before, char *out, size_t out_bytes) {
  static const char file[] = "<kernel>:";
  const int lines = count_lines(text);
  size_t used = 0;
  while (*log != '\0' && used + 1 < out_bytes) {
    char *end = NULL;
    const long line = strncmp(log, file, sizeof file - 1) == 0 ? strtol(log + sizeof file - 1, &end, 10) : 0;
    if (end == NULL || line <= lines_before || line > (long)lines_before + lines) {
      out[used++] = *log++;
      continue;
    }
    const int written = snprintf(out + used, out_bytes - used, "operator:%ld", line - lines_before);
    used = used + (size_t)written < out_bytes ? used + (size_t)written : out_bytes - 1;
    log = end;
  }
  out[used] = '\0';
}
