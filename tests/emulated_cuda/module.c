/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and unloads images of the stand-in for NVRTC: shared libraries, which dlopen needs in a file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor.h"

enum { POISON = 0xa5 };

static int is_path(const void *image) { return strncmp(image, EMULATED_LIBRARY, strlen(EMULATED_LIBRARY)) == 0; }

int emulated_is_image(const void *image) {
  return is_path(image) || strncmp(image, EMULATED_MAGIC, sizeof EMULATED_MAGIC) == 0;
}

static void *open_path(const char *path) {
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) fprintf(stderr, "%s\n", dlerror());
  return module;
}

static void *open_library(const unsigned char *bytes, size_t count, int file, const char *path) {
  while (count > 0) {
    const ssize_t wrote = write(file, bytes, count);
    if (wrote <= 0) return NULL;
    bytes += wrote;
    count -= (size_t)wrote;
  }
  return open_path(path);
}

static void *open_image(const void *image) {
  const emulated_image *head = image;
  const char *folder = getenv("TMPDIR");
  char path[512];
  snprintf(path, sizeof path, "%s/emulated-cubin-XXXXXX", folder != NULL && folder[0] != '\0' ? folder : "/tmp");
  const int file = mkstemp(path);
  if (file < 0) {
    perror(path);
    return NULL;
  }
  void *module = open_library((const unsigned char *)(head + 1), (size_t)head->bytes, file, path);
  close(file);
  unlink(path);
  return module;
}

void *emulated_load(const void *image) {
  void *module = is_path(image) ? open_path((const char *)image + strlen(EMULATED_LIBRARY)) : open_image(image);
  const emulated_calls **calls = module != NULL ? dlsym(module, EMULATED_CALLS) : NULL;
  if (calls != NULL) *calls = &emulated_calls_table;
  return module;
}

void emulated_unload(void *module) { dlclose(module); }

emulated_kernel *emulated_find(void *module, const char *name) {
  void *symbol = dlsym(module, name);
  emulated_kernel *kernel;
  memcpy(&kernel, &symbol, sizeof kernel); /* ISO C has no cast from an object to a function pointer */
  return kernel;
}

/* Poisons the thread-local memory of the module that contains the variable `context`. */
static int poison_one(struct dl_phdr_info *info, size_t bytes, void *context) {
  unsigned char *begin = info->dlpi_tls_data, *variable = context;
  (void)bytes;
  for (int i = 0; begin != NULL && i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS && variable >= begin && variable < begin + info->dlpi_phdr[i].p_memsz) {
      memset(begin, POISON, info->dlpi_phdr[i].p_memsz);
      return 1;
    }
  return 0;
}

void emulated_poison(void *module) {
  void *variable = dlsym(module, "emulated_shared");
  if (variable == NULL || dl_iterate_phdr(poison_one, variable) == 0)
    emulated_die("the shared variables of a module are not found");
}
