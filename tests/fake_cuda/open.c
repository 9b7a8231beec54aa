/* SPDX-License-Identifier: BSD-2-Clause */
/* The test's side: looks up the control functions of the fake driver. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

static int look_up(void *library, const char *name, void *member) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) fprintf(stderr, "the fake driver lacks %s\n", name);
  memcpy(member, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function pointer */
  return symbol != NULL;
}

const fake_cuda *fake_cuda_open(const char *path) {
  static fake_cuda fake;
  int found = 1;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
#define LOOK_UP(member, name, result, parameters) found &= look_up(library, #name, &fake.member);
  FAKE_CUDA_CONTROLS(LOOK_UP)
#undef LOOK_UP
#define LOOK_UP(member, name, parameters) found &= look_up(library, #name, &fake.driver.member);
  CUDA_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
  return found ? &fake : NULL;
}

const fake_cuda *fake_cuda_use(const char *path) {
  setenv("SCANRT_LIBCUDA", path, 1);
  setenv("SCANRT_LIBOPENCL", "libscanrt-no-such-opencl.so.1", 1);
  unsetenv("FAKE_CUDA_DEVICES");
  const fake_cuda *driver = fake_cuda_open(path);
  if (driver == NULL) exit(1);
  return driver;
}
