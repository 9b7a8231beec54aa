/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file refusal_words.c
 * @brief Parses the words of refusals.txt: fields and their values.
 */
#include "refusal.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 128 };

/* ---- numbers ---- */

#define NAME(enumerator)                                                                                               \
  { #enumerator, (uint64_t)enumerator }
static const struct {
  const char *name;
  uint64_t value;
} enumerators[] = {
  NAME(SCAN_SUCCESS),
  NAME(SCAN_INVALID_ARGUMENT),
  NAME(SCAN_UNSUPPORTED),
  NAME(SCAN_OUT_OF_MEMORY),
  NAME(SCAN_TYPE_DEFAULT),
  NAME(SCAN_I8),
  NAME(SCAN_U8),
  NAME(SCAN_I16),
  NAME(SCAN_U16),
  NAME(SCAN_I32),
  NAME(SCAN_U32),
  NAME(SCAN_I64),
  NAME(SCAN_U64),
  NAME(SCAN_F32),
  NAME(SCAN_F64),
  NAME(SCAN_F16),
  NAME(SCAN_BF16),
  NAME(SCAN_OP_NONE),
  NAME(SCAN_ADD),
  NAME(SCAN_MUL),
  NAME(SCAN_MIN),
  NAME(SCAN_MAX),
  NAME(SCAN_AND),
  NAME(SCAN_OR),
  NAME(SCAN_XOR),
  NAME(SCAN_INCLUSIVE),
  NAME(SCAN_EXCLUSIVE),
  NAME(SCAN_TOTAL),
  NAME(SCAN_STRATEGY_SEQUENTIAL),
  NAME(SCAN_STRATEGY_BLOCK),
  NAME(SCAN_STRATEGY_BLELLOCH),
  NAME(SCAN_BACKWARD),
  NAME(SCAN_CHECK_OVERFLOW),
  NAME(SCAN_N_FROM),
  NAME(SCAN_N_FROM_CLAMP),
  NAME(SCAN_SEGMENTS_NONE),
  NAME(SCAN_SEGMENTS_FLAGS),
  NAME(SCAN_SEGMENTS_BITS),
  NAME(SCAN_SEGMENTS_KEYS),
  NAME(SCAN_SEGMENTS_OFFSETS),
  NAME(SCAN_SELECT_FLAGS),
  NAME(SCAN_SELECT_BITS),
  NAME(SCAN_SELECT_FIRST),
  NAME(SCAN_SELECT_LAST),
  NAME(SCAN_SELECT_PREDICATE),
  NAME(SCAN_REST_DROPPED),
  NAME(SCAN_REST_BEHIND),
  NAME(SCAN_REST_APART),
  NAME(SCAN_SORT_NUMERIC_ORDER),
  NAME(SCAN_NO_CAPACITY),
  NAME(UINT64_MAX),
};

int refusal_number(const char *text, uint64_t *number) {
  char *end;
  for (size_t i = 0; i < sizeof enumerators / sizeof enumerators[0]; i++)
    if (strcmp(enumerators[i].name, text) == 0) return *number = enumerators[i].value, 0;
  if (*text < '0' || *text > '9') return -1;
  *number = strtoull(text, &end, 0);
  if (*end == '^') *number = UINT64_C(1) << strtoull(end + 1, &end, 10);
  return *end ? -1 : 0;
}

/* ---- fields ---- */

/** Finds a field, or an element of one: "in[3]". @return its address, or NULL */
static unsigned char *find(refusal *r, const char *name, const refusal_field **found) {
  for (const refusal_field *f = r->call->fields; f->name; f++) {
    const size_t length = strlen(f->name);
    if (strncmp(f->name, name, length) != 0 || (name[length] != '\0' && name[length] != '[')) continue;
    if ((name[length] == '[') != (f->count > 1)) continue;
    const size_t index = f->count > 1 ? strtoull(name + length + 1, NULL, 10) : 0;
    *found = f;
    return index < f->count ? (f->is_argument ? r->args : r->spec) + f->at + index * f->bytes : NULL;
  }
  return NULL;
}

/** Reads the name of a memory, or of a field of the call that holds one. */
static int read_memory(refusal *r, const refusal_names *names, const char *term, scan_mem *mem) {
  const refusal_field *f = NULL;
  const unsigned char *at = find(r, term, &f);
  if (at && f->kind == REFUSAL_MEMORY) return memcpy(mem, at, sizeof *mem), 0;
  for (size_t i = 0; i < REFUSAL_MOST_MEMORIES && names->memories[i].name; i++)
    if (strcmp(names->memories[i].name, term) == 0) return *mem = names->memories[i].mem, 0;
  return -1;
}

/** Reads NULL, the name of host memory, or of a function from source. */
static int read_pointer(refusal *r, const refusal_names *names, const char *term, const void **pointer) {
  scan_mem mem;
  *pointer = NULL;
  if (strcmp(term, "NULL") == 0) return 0;
  if (read_memory(r, names, term, &mem) == 0) return *pointer = scan_host_ptr(mem), 0;
  *pointer = names->function(term);
  return *pointer ? 0 : -1;
}

/** Removes the sum behind a term: "INPUT+8-4" becomes "INPUT" and 4. @return 0, or -1 */
static int cut_sum(char *text, uint64_t *sum) {
  char *rest = text + strcspn(text, "+-");
  *sum = 0;
  while (*rest) {
    char part[WORD_BYTES];
    uint64_t number;
    const char sign = *rest;
    *rest++ = '\0';
    const size_t length = strcspn(rest, "+-");
    memcpy(part, rest, length);
    part[length] = '\0';
    if (refusal_number(part, &number) != 0) return -1;
    *sum += sign == '-' ? 0 - number : number;
    rest += length;
  }
  return 0;
}

/** Reads a number. "SIZE" stands for the field's current value, the size of its struct. */
static int read_number(const char *term, const unsigned char *at, size_t bytes, uint64_t *number) {
  *number = 0;
  if (strcmp(term, "SIZE") != 0) return refusal_number(term, number);
  memcpy(number, at, bytes);
  return 0;
}

static int set_field(refusal *r, const refusal_names *names, const char *name, char *value) {
  const refusal_field *f = NULL;
  unsigned char *at = find(r, name, &f);
  const void *pointer;
  scan_mem mem;
  uint64_t sum, number;
  if (!at || cut_sum(value, &sum) != 0) return -1;
  switch (f->kind) {
  case REFUSAL_MEMORY:
    if (read_memory(r, names, value, &mem) != 0) return -1;
    mem = scan_offset(mem, sum);
    memcpy(at, &mem, sizeof mem);
    return 0;
  case REFUSAL_POINTER:
    if (read_pointer(r, names, value, &pointer) != 0) return -1;
    if (sum) pointer = (const char *)pointer + sum;
    memcpy(at, &pointer, sizeof pointer);
    return 0;
  case REFUSAL_NUMBER: break;
  }
  if (read_number(value, at, f->bytes, &number) != 0) return -1;
  number += sum;
  memcpy(at, &number, f->bytes); /* little-endian: the low bytes come first */
  return 0;
}

static int set_n(char *value, uint64_t *n) {
  uint64_t sum;
  if (cut_sum(value, &sum) != 0 || refusal_number(value, n) != 0) return -1;
  *n += sum;
  return 0;
}

int refusal_set(refusal *r, const refusal_names *names, const char *word) {
  char name[WORD_BYTES], *value;
  if (strlen(word) >= sizeof name) return -1;
  strcpy(name, word);
  value = strchr(name, '=');
  if (!value) return -1;
  *value++ = '\0';
  if (strcmp(name, "n") == 0) return set_n(value, &r->n);
  if (strcmp(name, "plan_n") == 0) return set_n(value, &r->plan_n);
  if (strcmp(name, "spec") == 0) return r->has_no_spec = 1, strcmp(value, "NULL") ? -1 : 0;
  if (strcmp(name, "args") == 0) return r->has_no_args = 1, strcmp(value, "NULL") ? -1 : 0;
  return set_field(r, names, name, value);
}

int refusal_begin(refusal *r, const char *function) {
  memset(r, 0, sizeof *r);
  for (r->call = refusal_calls; r->call->name; r->call++)
    if (strcmp(r->call->name, function) == 0) break;
  if (!r->call->name) return -1;
  for (const refusal_field *f = r->call->fields; f->name; f++)
    if (f->struct_bytes) memcpy((f->is_argument ? r->args : r->spec) + f->at, &f->struct_bytes, sizeof f->struct_bytes);
  return 0;
}
