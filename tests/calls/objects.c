/* SPDX-License-Identifier: BSD-2-Clause */
/** @file objects.c @brief Contexts, operators and plans that are alive, with the fields that they bring to keys. */
#include "calls/calls.h"

#include <pthread.h>

/** More objects than any test program has at once. An object without a slot is not known. */
enum { MOST_OBJECTS = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static call_object objects[MOST_OBJECTS];
static uint32_t used; /* Slots from here on have never been used. */

/** @return the slot of an object, or NULL */
static call_object *find(const void *at) {
  for (uint32_t i = 0; i < used; i++)
    if (objects[i].at == at) return &objects[i];
  return NULL;
}

void object_put(const call_object *object) {
  pthread_mutex_lock(&lock);
  call_object *slot = find(object->at);
  if (!slot) slot = find(NULL);
  if (!slot && used < MOST_OBJECTS) slot = &objects[used++];
  if (slot) *slot = *object;
  pthread_mutex_unlock(&lock);
}

int object_get(const void *at, call_object *object) {
  if (!at) return -1;
  pthread_mutex_lock(&lock);
  const call_object *slot = find(at);
  if (slot) *object = *slot;
  pthread_mutex_unlock(&lock);
  return slot ? 0 : -1;
}

void object_drop(const void *at) {
  if (!at) return;
  pthread_mutex_lock(&lock);
  call_object *slot = find(at);
  if (slot) slot->at = NULL;
  pthread_mutex_unlock(&lock);
}

void key_operator(call_key *key, const scan_op *op) {
  call_object object;
  key_text(key, object_get(op, &object) == 0 ? object.key.text : " op=unknown");
}

void key_function(call_key *key, const char *name, const scan_op *op) {
  call_object object;
  if (op) key_word(key, name, object_get(op, &object) == 0 ? object.key.text : NULL);
}
