/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/nvrtc_api.h"

#include "base/library.h"

static const library_function functions[] = {
#define NVRTC_ENTRY(member, name, parameters) { #name, offsetof(nvrtc_api, member), 0 },
  NVRTC_FUNCTIONS(NVRTC_ENTRY)
#undef NVRTC_ENTRY
      { "nvrtcGetErrorString", offsetof(nvrtc_api, error_text), 0 },
};

/* Library names, the newest first. The last two are a toolkit's usual folders outside the loader's path. */
static const char *const names[] = { "libnvrtc.so.13",
                                     "libnvrtc.so.12",
                                     "libnvrtc.so.11.2",
                                     "libnvrtc.so",
                                     "/usr/local/cuda/lib64/libnvrtc.so",
                                     "/opt/cuda/lib64/libnvrtc.so" };
enum { NAMES = sizeof names / sizeof names[0] };
#define UNTRIED                                                                                                        \
  { .lock = PTHREAD_MUTEX_INITIALIZER }

const nvrtc_api *scan_nvrtc_api_get(char *note, size_t note_bytes) {
  static library_loader loaders[NAMES] = { UNTRIED, UNTRIED, UNTRIED, UNTRIED, UNTRIED, UNTRIED };
  static nvrtc_api apis[NAMES];
  const size_t count = sizeof functions / sizeof functions[0];
  char ignored[256];
  for (int i = 0; i < NAMES; i++) /* `note` keeps the first name's fault */
    if (scan_library_load(&loaders[i], "SCANRT_LIBNVRTC", names[i], functions, count, &apis[i], i == 0 ? note : ignored,
                          i == 0 ? note_bytes : sizeof ignored))
      return &apis[i];
  return NULL;
}
