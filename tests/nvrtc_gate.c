/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the gate that is in the stand-ins for NVRTC. */
#include "nvrtc_gate.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 256, NAME_BYTES = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_changed = PTHREAD_COND_INITIALIZER;
static char held[128], refused[128], names[MOST_NAMES][NAME_BYTES];
static int count, in_progress;

static void set(const char *new_held, const char *new_refused) {
  pthread_mutex_lock(&lock);
  snprintf(held, sizeof held, "%s", new_held);
  snprintf(refused, sizeof refused, "%s", new_refused);
  pthread_cond_broadcast(&is_changed);
  pthread_mutex_unlock(&lock);
}

static int begun(const char *name) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++) found += name == NULL || strcmp(names[i], name) == 0;
  pthread_mutex_unlock(&lock);
  return found;
}

static int running(void) {
  pthread_mutex_lock(&lock);
  const int now = in_progress;
  pthread_mutex_unlock(&lock);
  return now;
}

__attribute__((visibility("default"))) const nvrtc_gate *nvrtc_gate_get(void) {
  static const nvrtc_gate gate = { set, begun, running };
  return &gate;
}

int nvrtc_gate_enter(const char *name) {
  pthread_mutex_lock(&lock);
  if (count < MOST_NAMES) snprintf(names[count++], NAME_BYTES, "%s", name);
  in_progress++;
  while (strstr(held, name) != NULL) pthread_cond_wait(&is_changed, &lock);
  const int may_compile = strstr(refused, name) == NULL;
  pthread_mutex_unlock(&lock);
  return may_compile;
}

void nvrtc_gate_leave(void) {
  pthread_mutex_lock(&lock);
  in_progress--;
  pthread_mutex_unlock(&lock);
}
