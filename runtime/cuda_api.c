/* SPDX-License-Identifier: BSD-2-Clause */
#include "cuda_api.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "library.h"

static struct {
  pthread_mutex_t lock;
  int tried, usable;
  cuda_api api;
  char note[256];
} loader = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const struct {
  const char *name;
  size_t offset;
} functions[] = {
#define CUDA_ENTRY(member, name, parameters) { #name, offsetof(cuda_api, member) },
  CUDA_FUNCTIONS(CUDA_ENTRY)
#undef CUDA_ENTRY
};

/* Called once, under the lock. The library stays open: drivers do not survive being unloaded. */
static int load(void) {
  void *library = library_open(scan_library_name("SCANRT_LIBCUDA", "libcuda.so.1"), loader.note, sizeof loader.note);
  if (library == NULL) return 0;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (!library_symbol(library, functions[i].name, (char *)&loader.api + functions[i].offset, loader.note,
                        sizeof loader.note))
      return 0;
  return 1;
}

const cuda_api *cuda_api_get(char *note, size_t note_bytes) {
  pthread_mutex_lock(&loader.lock);
  if (!loader.tried) loader.usable = load();
  loader.tried = 1;
  pthread_mutex_unlock(&loader.lock);
  if (loader.usable) return &loader.api;
  snprintf(note, note_bytes, "%s", loader.note);
  return NULL;
}

static scan_status status_of(cuda_result result) {
  switch (result) {
  case CUDA_OUT_OF_MEMORY: return SCAN_OUT_OF_MEMORY;
  case CUDA_INVALID_IMAGE:
  case CUDA_NO_BINARY_FOR_GPU:
  case CUDA_INVALID_PTX:
  case CUDA_JIT_COMPILER_NOT_FOUND:
  case CUDA_UNSUPPORTED_PTX_VERSION: return SCAN_BUILD_FAILED;
  default: return SCAN_DEVICE_ERROR;
  }
}

scan_status cuda_fail(const cuda_api *api, scan_error *error, const char *call, cuda_result result) {
  const char *name = NULL, *text = NULL;
  (void)api->error_name(result, &name);
  (void)api->error_text(result, &text);
  return scan_fail(error, status_of(result), "%s failed: %s (%s)", call, name ? name : "unknown error",
                   text ? text : "no description");
}
