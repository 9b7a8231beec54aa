/* SPDX-License-Identifier: BSD-2-Clause */
/** @file json.c @brief Writes JSON. */
#include "json.h"

#include <inttypes.h>
#include <math.h>

/** Returns the length of the UTF-8 character at p; 0 if there is none. Overlong forms, surrogates and code points
 * above U+10FFFF are invalid (RFC 3629). */
static int utf8_bytes(const unsigned char *p) {
  const int bytes = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
  for (int i = 1; i < bytes; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
  if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0;
  return bytes;
}

/** Writes a string. A byte outside UTF-8 is written as the character with its number, as in ISO 8859-1. */
static void put_string(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    const int bytes = utf8_bytes(p);
    if (*p == '"' || *p == '\\')
      fprintf(file, "\\%c", *p);
    else if (bytes == 0 || *p < 0x20 || *p == 0x7f || *p == '<' || *p == '&') /* these two: JSON may stand in a page */
      fprintf(file, "\\u%04x", *p);
    else
      fwrite(p, 1, (size_t)bytes, file);
    p += bytes > 0 ? bytes : 1;
  }
  fputc('"', file);
}

/** Writes comma, line break, indent and key of the next member. */
static void put_key(json *j, const char *key) {
  if (j->depth) {
    fputs(j->members[j->depth]++ ? ",\n" : "\n", j->file);
    fprintf(j->file, "%*s", 2 * j->depth, "");
  }
  if (!key) return;
  put_string(j->file, key);
  fputs(": ", j->file);
}

void json_open(json *j, const char *key, char bracket) {
  put_key(j, key);
  fputc(bracket, j->file);
  if (j->depth < JSON_MAX_DEPTH - 1) j->depth++;
  j->members[j->depth] = 0;
}

void json_close(json *j, char bracket) {
  int empty = j->members[j->depth] == 0;
  j->depth--;
  if (!empty) fprintf(j->file, "\n%*s", 2 * j->depth, "");
  fputc(bracket, j->file);
  if (j->depth == 0) fputc('\n', j->file);
}

void json_string(json *j, const char *key, const char *value) {
  put_key(j, key);
  put_string(j->file, value);
}

void json_count(json *j, const char *key, uint64_t value) {
  put_key(j, key);
  fprintf(j->file, "%" PRIu64, value);
}

void json_bool(json *j, const char *key, int value) {
  put_key(j, key);
  fputs(value ? "true" : "false", j->file);
}

void json_real(json *j, const char *key, double value) {
  put_key(j, key);
  if (isfinite(value))
    fprintf(j->file, "%.6g", value);
  else
    fputs("null", j->file);
}
