/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Called once, with the lock held. */
static int load(mpi_library *library, const mpi_function *functions, size_t count, void *api) {
  const char *given = secure_getenv(library->variable);
  const char *name = given != NULL && given[0] != '\0' ? given : library->name;
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *words = dlerror();
    snprintf(library->reason, sizeof library->reason, "%s", words != NULL ? words : name);
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    void *symbol = dlsym(handle, functions[i].name);
    if (symbol == NULL) {
      snprintf(library->reason, sizeof library->reason, "%s lacks %s: it is too old", name, functions[i].name);
      return 0;
    }
    memcpy((char *)api + functions[i].offset, &symbol, sizeof symbol); /* ISO C has no cast to a function pointer */
  }
  return 1;
}

int scan_mpi_library_open(mpi_library *library, const mpi_function *functions, size_t count, void *api, char *reason,
                          size_t reason_bytes) {
  pthread_mutex_lock(&library->lock);
  if (!library->was_tried) library->is_open = load(library, functions, count, api);
  library->was_tried = 1;
  pthread_mutex_unlock(&library->lock);
  if (!library->is_open) snprintf(reason, reason_bytes, "%s", library->reason);
  return library->is_open;
}
