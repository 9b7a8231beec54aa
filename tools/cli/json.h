/* SPDX-License-Identifier: BSD-2-Clause */
/** @file json.h @brief Writes JSON with commas and indentation. */
#ifndef SCANRT_CLI_JSON_H
#define SCANRT_CLI_JSON_H

#include <stdint.h>
#include <stdio.h>

enum { JSON_MAX_DEPTH = 8 };

/** State of the writer. Zero-initialise, with `file` set. */
typedef struct json {
  FILE *file;
  int depth;
  int members[JSON_MAX_DEPTH]; /**< Members written so far at each depth. */
} json;

/* In every call `key` is NULL inside an array and at the top. */
void json_open(json *j, const char *key, char bracket); /**< Starts an object ('{') or an array ('['). */
void json_close(json *j, char bracket);                 /**< Ends it ('}' or ']'); at the top, ends the line. */
void json_string(json *j, const char *key, const char *value);
void json_count(json *j, const char *key, uint64_t value);
void json_bool(json *j, const char *key, int value);
void json_real(json *j, const char *key, double value); /**< Six digits; null when not finite. */

#endif
