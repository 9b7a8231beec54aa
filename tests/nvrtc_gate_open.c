/* SPDX-License-Identifier: BSD-2-Clause */
/* The test's side of the gate. */
#include "nvrtc_gate.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

const nvrtc_gate *nvrtc_gate_open(void) {
  const char *path = getenv("SCANRT_LIBNVRTC");
  void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = library != NULL ? dlsym(library, "nvrtc_gate_get") : NULL;
  const nvrtc_gate *(*get)(void);
  if (symbol == NULL)
    test_skip_program("no stand-in for NVRTC: %s", path != NULL ? path : "$SCANRT_LIBNVRTC is not set");
  memcpy(&get, &symbol, sizeof get); /* ISO C has no cast from an object to a function pointer */
  return get();
}
