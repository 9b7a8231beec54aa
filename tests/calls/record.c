/* SPDX-License-Identifier: BSD-2-Clause */
/** @file record.c @brief Makes the key of a call, of a plan and of a plan's run. */
#include "calls/calls.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int depth;

void record_enter(void) { depth++; }

int record_leave(void) { return --depth == 0 && key_is_recorded(); }

/** A copy of a spec or of args, whatever version of the struct the caller has. */
typedef struct whole_struct {
  _Alignas(16) unsigned char bytes[CALL_STRUCT_BYTES];
} whole_struct;

/** Copies what the caller's struct has; the rest is 0. @return the copy, or NULL */
static const void *copy_struct(call_key *key, const char *name, whole_struct *copy, size_t bytes, const void *from) {
  size_t given = 0;
  if (!from) {
    key_word(key, name, "null");
    return NULL;
  }
  memset(copy, 0, sizeof *copy);
  memcpy(&given, from, sizeof given);
  memcpy(copy->bytes, from, given < bytes ? given : bytes);
  if (given != bytes) key_word(key, name, given < bytes ? "older" : "larger");
  return copy->bytes;
}

/* ---- parts of a key ---- */

/** Appends the device under test, the family and how it is called. */
static void begin(call_key *key, const char *family, const char *manner) {
  const char *device = getenv("SCANRT_TEST_DEVICE"), *tune = getenv("SCANRT_TUNE");
  key_word(key, "device", device && *device ? device : "host");
  if (tune && *tune) key_word(key, "tune", tune);
  key_word(key, "family", family);
  key_word(key, "manner", manner);
}

static void append_status(call_key *key, scan_status status) {
  char word[CALL_WORD_BYTES];
  snprintf(word, sizeof word, "%s", scan_status_name(status) + sizeof "SCAN_" - 1);
  for (char *c = word; *c; c++) *c = (char)tolower((unsigned char)*c);
  key_word(key, "status", word);
}

/** Appends the fields of the context, the spec and the array. */
static void append_spec(call_key *key, const public_call *call) {
  whole_struct copy;
  call_object ctx;
  if (object_get(call->ctx, &ctx) == 0) key_text(key, ctx.key.text);
  const void *spec = copy_struct(key, "spec", &copy, call->family->spec_bytes, call->spec);
  if (!spec) return;
  call->family->describe_spec(key, spec);
  if (call->family == &call_arrays) key_array(key, spec, call->array);
}

static void append_args(call_key *key, const call_family *family, uint64_t n, const void *args, scan_status status) {
  const int succeeded = status == SCAN_SUCCESS || status == SCAN_OVERFLOW;
  whole_struct copy;
  key_items(key, "n", n);
  const void *whole = copy_struct(key, "args", &copy, family->args_bytes, args);
  if (whole) family->describe_args(key, n, whole, succeeded);
}

/* ---- keys ---- */

void record_call(const public_call *call, scan_status status) {
  call_key key = { .used = 0 };
  begin(&key, call->family->name, "call");
  append_status(&key, status);
  append_spec(&key, call);
  append_args(&key, call->family, call->n, call->args, status);
  key_record(&key);
}

void record_plan(const public_call *call, const scan_plan *plan, scan_status status) {
  call_object object = { .at = plan, .family = call->family, .most_items = call->n };
  append_spec(&object.key, call);
  if (status == SCAN_SUCCESS) {
    object_put(&object);
    return;
  }
  call_key key = { .used = 0 };
  begin(&key, call->family->name, "plan_create");
  append_status(&key, status);
  key_text(&key, object.key.text);
  key_items(&key, "n", call->n);
  key_record(&key);
}

void record_run(const scan_plan *plan, uint64_t n, const void *args, scan_status status) {
  call_key key = { .used = 0 };
  call_object object = { .most_items = n };
  const int is_known = object_get(plan, &object) == 0;
  begin(&key, is_known ? object.family->name : "unknown", "plan");
  append_status(&key, status);
  key_text(&key, object.key.text);
  if (n < object.most_items) key_flag(&key, "below_max_n", 1);
  if (is_known) append_args(&key, object.family, n, args, status);
  key_record(&key);
}
