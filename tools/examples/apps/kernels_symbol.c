/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "kernels_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int app_symbol(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  if (found) return 0;
  fprintf(stderr, "%s\n", dlerror());
  return -1;
}
