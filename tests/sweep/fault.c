/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "sweep/fault.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fault_arm(fault_plan *plan, unsigned k, int is_lasting) {
  pthread_mutex_lock(&lock);
  *plan = (fault_plan){ .first = k, .is_lasting = is_lasting };
  pthread_mutex_unlock(&lock);
}

void fault_disarm(fault_plan *plan) {
  pthread_mutex_lock(&lock);
  plan->first = 0;
  pthread_mutex_unlock(&lock);
}

/* 1 for a call that frees something, or that makes the context current, which CUDA needs to free anything. */
static int frees(const char *call) {
  static const char *const words[] = { "Release",    "Free",     "Destroy",         "Unload",
                                       "Unregister", "CloseMem", "cuCtxPushCurrent" };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(call, words[i]) != NULL) return 1;
  return 0;
}

static int is_listed(const fault_plan *plan, const char *call) {
  char word[80];
  snprintf(word, sizeof word, " %s ", call);
  return strstr(plan->names, word) != NULL;
}

static void note(fault_plan *plan, const char *call) {
  const size_t used = strlen(plan->names);
  plan->failed++;
  plan->kept += (unsigned)frees(call);
  if (plan->name == NULL) plan->name = call;
  if (!is_listed(plan, call)) snprintf(plan->names + used, sizeof plan->names - used, " %s ", call);
}

int fault_is_due(fault_plan *plan, const char *call) {
  pthread_mutex_lock(&lock);
  plan->calls++;
  const int due = plan->first > 0 && (plan->calls == plan->first || (plan->is_lasting && plan->calls > plan->first));
  if (due) note(plan, call);
  pthread_mutex_unlock(&lock);
  return due;
}

int fault_is_named(const fault_plan *plan, const char *words) {
  char names[sizeof plan->names];
  char *rest = NULL;
  memcpy(names, plan->names, sizeof names);
  for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    char *version = strstr(name, "_v2");
    if (version != NULL) *version = '\0';
    if (strstr(words, name) != NULL) return 1;
  }
  return 0;
}

void fault_arm_from(fault_plan *plan, const char *variable) {
  const char *text = getenv(variable);
  char *end = NULL;
  if (text == NULL) return;
  const unsigned long k = strtoul(text, &end, 10);
  fault_arm(plan, (unsigned)k, *end == '+');
}

void fault_report(const fault_plan *plan) {
  const char *path = plan->first > 0 ? getenv("SCANRT_FAULT_REPORT") : NULL;
  FILE *file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%u %s\n", plan->failed, plan->names);
  fclose(file);
}
