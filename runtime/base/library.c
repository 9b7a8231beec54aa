/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens the library and fills the table. Called once, with the lock held. */
static int library_load(library_loader *loader, const char *name, const library_function *functions, size_t count,
                        void *api) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *reason = dlerror();
    snprintf(loader->note, sizeof loader->note, "%s could not be opened: %s", name,
             reason ? reason : "no reason given");
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    void *symbol = dlsym(library, functions[i].name);
    if (symbol == NULL && !functions[i].is_optional) {
      snprintf(loader->note, sizeof loader->note, "the driver library lacks %s: it is too old", functions[i].name);
      return 0;
    }
    /* ISO C has no cast from an object to a function pointer. */
    memcpy((char *)api + functions[i].offset, &symbol, sizeof symbol);
  }
  return 1;
}

int scan_library_load(library_loader *loader, const char *variable, const char *name, const library_function *functions,
                      size_t count, void *api, char *note, size_t note_bytes) {
  const char *given = secure_getenv(variable);
  pthread_mutex_lock(&loader->lock);
  if (!loader->tried)
    loader->usable = library_load(loader, given != NULL && given[0] != '\0' ? given : name, functions, count, api);
  loader->tried = 1;
  pthread_mutex_unlock(&loader->lock);
  if (!loader->usable) snprintf(note, note_bytes, "%s", loader->note);
  return loader->usable;
}
