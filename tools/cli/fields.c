/* SPDX-License-Identifier: BSD-2-Clause */
/** @file fields.c @brief Splits a line of text into fields. */
#include "fields.h"

#include <stddef.h>
#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

span fields_trim(span s) {
  while (s.begin < s.end && is_blank(*s.begin)) s.begin++;
  while (s.begin < s.end && is_blank(s.end[-1])) s.end--;
  return s;
}

static char *skip_blanks(char *p, const char *end, char delimiter) {
  while (p < end && is_blank(*p) && *p != delimiter) p++;
  return p;
}

static char *field_find(char *p, char *end, char wanted) {
  char *found = memchr(p, wanted, (size_t)(end - p));
  return found ? found : end;
}

/** Finds the closing quote. @param p  behind the opening quote. @return it, or NULL */
static char *closing_quote(char *p, char *end) {
  while ((p = field_find(p, end, '"')) < end) {
    if (p + 1 == end || p[1] != '"') return p;
    p += 2;
  }
  return NULL;
}

/** Returns the closing quote of a field that begins with a quote; NULL: none, or the quote is an ordinary character. */
static char *quoted_end(char *p, char *end, char delimiter) {
  if (delimiter != '\t') return closing_quote(p + 1, end);
  char *line_end = field_find(p, end, '\n'), *quote = closing_quote(p + 1, line_end);
  char *next = quote ? skip_blanks(quote + 1, line_end, delimiter) : NULL;
  return next && (next == line_end || *next == delimiter) ? quote : NULL;
}

char *fields_record_end(char *begin, char *end, char delimiter) {
  for (char *p = begin; delimiter; p++) {
    p = skip_blanks(p, end, delimiter);
    if (p < end && *p == '"') {
      char *quote = quoted_end(p, end, delimiter);
      if (!quote && delimiter != '\t') return NULL;
      if (quote) p = quote + 1;
    }
    while (p < end && *p != delimiter && *p != '\n') p++;
    if (p == end || *p == '\n') return p;
  }
  return field_find(begin, end, '\n');
}

/** Replaces doubled quotes by single ones. @return the new end */
static char *undouble(char *begin, const char *end) {
  char *to = begin;
  for (const char *from = begin; from < end; from++) {
    if (*from == '"') from++;
    *to++ = *from;
  }
  return to;
}

static fields_status next_word(span *rest, span *field) {
  char *p;
  *rest = fields_trim(*rest);
  if (rest->begin >= rest->end) return FIELDS_NONE;
  for (p = rest->begin; p < rest->end && !is_blank(*p);) p++;
  *field = (span){ rest->begin, p };
  rest->begin = p < rest->end ? p + 1 : p;
  return FIELDS_ONE;
}

fields_status fields_next(span *rest, char delimiter, span *field) {
  if (!delimiter) return next_word(rest, field);
  if (rest->begin > rest->end) return FIELDS_NONE;
  char *p = skip_blanks(rest->begin, rest->end, delimiter);
  char *quote = p < rest->end && *p == '"' ? quoted_end(p, rest->end, delimiter) : NULL;
  char *next = quote ? skip_blanks(quote + 1, rest->end, delimiter) : field_find(p, rest->end, delimiter);
  if (next < rest->end && *next != delimiter) return FIELDS_AFTER_QUOTE;
  *field = fields_trim(quote ? (span){ p + 1, undouble(p + 1, quote) } : (span){ p, next });
  rest->begin = next + 1;
  return FIELDS_ONE;
}
