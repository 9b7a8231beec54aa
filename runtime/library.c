/* SPDX-License-Identifier: BSD-2-Clause */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *library_open(const char *name, char *note, size_t note_bytes) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) return library;
  const char *reason = dlerror();
  snprintf(note, note_bytes, "%s could not be opened: %s", name, reason ? reason : "no reason given");
  return NULL;
}

int library_symbol(void *library, const char *name, void *member, char *note, size_t note_bytes) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    snprintf(note, note_bytes, "the driver library lacks %s: it is too old", name);
    return 0;
  }
  memcpy(member, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function pointer */
  return 1;
}
