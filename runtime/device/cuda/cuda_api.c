/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_api.h"

#include <stdio.h>
#include <string.h>

#include "base/library.h"

static const library_function functions[] = {
#define CUDA_ENTRY(member, name, parameters) { #name, offsetof(cuda_api, member) },
  CUDA_FUNCTIONS(CUDA_ENTRY)
#undef CUDA_ENTRY
};

const cuda_api *scan_cuda_api_get(char *note, size_t note_bytes) {
  static library_loader loader = { .lock = PTHREAD_MUTEX_INITIALIZER };
  static cuda_api api;
  const size_t count = sizeof functions / sizeof functions[0];
  return scan_library_load(&loader, "SCANRT_LIBCUDA", "libcuda.so.1", functions, count, &api, note, note_bytes) ? &api
                                                                                                                : NULL;
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

scan_status scan_cuda_fail(const cuda_api *api, scan_error *error, const char *call, cuda_result result) {
  const char *name = NULL, *text = NULL;
  (void)api->error_name(result, &name);
  (void)api->error_text(result, &text);
  return scan_fail(error, status_of(result), "%s failed: %s (%s)", call, name ? name : "unknown error",
                   text ? text : "no description");
}

scan_status scan_cuda_enter(const cuda_objects *cuda, scan_error *error) {
  const cuda_result result = cuda->api->ctx_push(cuda->context);
  return result == CUDA_OK ? SCAN_SUCCESS : scan_cuda_fail(cuda->api, error, "cuCtxPushCurrent", result);
}

scan_status scan_cuda_leave(const cuda_objects *cuda, const char *call, cuda_result result, scan_error *error) {
  (void)cuda->api->ctx_pop(NULL);
  return result == CUDA_OK ? SCAN_SUCCESS : scan_cuda_fail(cuda->api, error, call, result);
}
