/* SPDX-License-Identifier: BSD-2-Clause */
/* Page-locked host memory, allocated by the driver or registered by an application. */
#include <stdlib.h>

#include "objects.h"

typedef struct pinned {
  cuda_context context;
  char *first;
  size_t bytes;
  int is_own; /* 1 if allocated here */
  struct pinned *next;
} pinned;

static pinned *pinned_list;

static pinned *take(const void *memory, int is_own) {
  FAKE_TAKE(pinned, pinned_list,
            o->first == (const char *)memory && o->is_own == is_own && o->context == fake_current());
}

static pinned *any_pinned(cuda_context c) { FAKE_TAKE(pinned, pinned_list, o->context == c); }

unsigned fake_reclaim_host_memory(cuda_context context) {
  pinned *p;
  unsigned count = 0;
  for (; (p = any_pinned(context)) != NULL; count++) {
    if (p->is_own) free(p->first);
    free(p);
  }
  return count;
}

int fake_cuda_live_host_memory(void) {
  int count = 0;
  for (const pinned *p = pinned_list; p != NULL; p = p->next) count++;
  return count;
}

static cuda_result keep(void *memory, size_t bytes, int is_own) {
  pinned *p = malloc(sizeof *p);
  if (p == NULL) return CUDA_OUT_OF_MEMORY;
  *p = (pinned){ fake_current(), memory, bytes, is_own, pinned_list };
  pinned_list = p;
  return CUDA_OK;
}

cuda_result cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  REQUIRE(bytes > 0 && flags == 0, FAKE_INVALID_VALUE);
  *memory = malloc(bytes);
  return *memory == NULL ? CUDA_OUT_OF_MEMORY : keep(*memory, bytes, 1);
}

cuda_result cuMemFreeHost(void *memory) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  pinned *p = take(memory, 1);
  REQUIRE(p != NULL, FAKE_INVALID_VALUE);
  free(p->first);
  free(p);
  return CUDA_OK;
}

cuda_result cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  REQUIRE(bytes > 0 && flags == 0, FAKE_INVALID_VALUE);
  for (const pinned *p = pinned_list; p != NULL; p = p->next)
    if ((char *)memory < p->first + p->bytes && p->first < (char *)memory + bytes) return FAKE_ALREADY_REGISTERED;
  return keep(memory, bytes, 0);
}

cuda_result cuMemHostUnregister(void *memory) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  pinned *p = take(memory, 0);
  if (p == NULL) return FAKE_NOT_REGISTERED;
  free(p);
  return CUDA_OK;
}

cuda_result cuMemHostGetFlags(unsigned *flags, void *memory) {
  ENTER_CONTEXT();
  *flags = 0;
  for (const pinned *p = pinned_list; p != NULL; p = p->next)
    if ((char *)memory >= p->first && (char *)memory < p->first + p->bytes) return CUDA_OK;
  return FAKE_INVALID_VALUE;
}
