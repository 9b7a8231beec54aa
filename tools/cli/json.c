/* SPDX-License-Identifier: BSD-2-Clause */
/** @file json.c @brief Writes JSON. */
#include "json.h"

#include <inttypes.h>
#include <math.h>

static void put_string(FILE *file, const char *text) {
  fputc('"', file);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\')
      fprintf(file, "\\%c", *p);
    else if (*p < 0x20 || *p == '<' || *p == '&') /* these two, so that JSON may stand in a page */
      fprintf(file, "\\u%04x", *p);
    else
      fputc(*p, file);
  }
  fputc('"', file);
}

/** Comma, line break, indent and key of the next member. */
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
