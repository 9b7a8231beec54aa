/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/cuda/cuda_api.h"

#include <stdio.h>
#include <string.h>

#include "base/library.h"

static const library_function functions[] = {
#define CUDA_ENTRY(member, name, parameters) { #name, offsetof(cuda_api, member), 0 },
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
  if (result >= CUDA_CAPTURE_FIRST && result <= CUDA_CAPTURE_LAST) return SCAN_INVALID_ARGUMENT;
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

/* ---- calls in a context ---- */

static int is_default(cuda_stream stream) { return stream == NULL || stream == CUDA_STREAM_LEGACY; }

int scan_cuda_is_foreign(const cuda_objects *cuda) {
  return cuda->stream == CUDA_STREAM_PER_THREAD && !pthread_equal(cuda->thread, pthread_self());
}

static scan_status check_thread(const cuda_objects *cuda, scan_error *error) {
  if (!scan_cuda_is_foreign(cuda)) return SCAN_SUCCESS;
  return scan_fail(error, SCAN_INVALID_ARGUMENT,
                   "the context's stream is CU_STREAM_PER_THREAD, which is another one in each thread: only the thread "
                   "that created the context can use it, and others can destroy it");
}

/* Refuses a call that the stream's capture forbids. The default stream accepts no work while a stream that waits for it
 * is captured: the call would invalidate that capture. */
static scan_status check_capture(const cuda_objects *cuda, cuda_manner manner, scan_error *error) {
  int capture = CUDA_CAPTURE_NONE;
  if (manner == CUDA_ENQUEUES && !is_default(cuda->stream)) return SCAN_SUCCESS;
  const cuda_result result = cuda->api->stream_capturing(cuda->stream, &capture);
  if (result == CUDA_CAPTURE_IMPLICIT)
    return scan_fail(error, SCAN_INVALID_ARGUMENT,
                     "another stream is being captured into a CUDA graph, and the context's is the default stream, "
                     "which that one waits for: end the capture first, or capture a stream made with "
                     "CU_STREAM_NON_BLOCKING");
  if (result != CUDA_OK) return scan_cuda_fail(cuda->api, error, "cuStreamIsCapturing", result);
  if (capture == CUDA_CAPTURE_NONE || manner == CUDA_ENQUEUES) return SCAN_SUCCESS;
  return scan_fail(error, SCAN_INVALID_ARGUMENT,
                   "the context's stream is being captured into a CUDA graph, which holds runs of plans over memory of "
                   "the device: end the capture first, then create plans, allocate, read, write and wait");
}

/* The capture mode belongs to the thread: in relaxed mode a call that allocates, loads or waits neither fails because
 * of captures of unrelated streams nor ends them. If the mode cannot be set, the call itself reports the fault. */
scan_status scan_cuda_enter(const cuda_objects *cuda, cuda_manner manner, cuda_visit *visit, scan_error *error) {
  scan_status status = manner == CUDA_ALWAYS ? SCAN_SUCCESS : check_thread(cuda, error);
  if (status != SCAN_SUCCESS) return status;
  const cuda_result result = cuda->api->ctx_push(cuda->context);
  if (result != CUDA_OK) return scan_cuda_fail(cuda->api, error, "cuCtxPushCurrent", result);
  visit->capture_mode = -1;
  if (manner != CUDA_ALWAYS) status = check_capture(cuda, manner, error);
  if (status != SCAN_SUCCESS) {
    scan_cuda_exit(cuda, visit);
    return status;
  }
  if (manner == CUDA_ENQUEUES) return SCAN_SUCCESS;
  int mode = CUDA_CAPTURE_MODE_RELAXED;
  if (cuda->api->capture_mode(&mode) == CUDA_OK) visit->capture_mode = mode;
  return SCAN_SUCCESS;
}

void scan_cuda_exit(const cuda_objects *cuda, const cuda_visit *visit) {
  int mode = visit->capture_mode;
  if (mode >= 0) (void)cuda->api->capture_mode(&mode);
  (void)cuda->api->ctx_pop(NULL);
}

scan_status scan_cuda_leave(const cuda_objects *cuda, const cuda_visit *visit, const char *call, cuda_result result,
                            scan_error *error) {
  scan_cuda_exit(cuda, visit);
  return result == CUDA_OK ? SCAN_SUCCESS : scan_cuda_fail(cuda->api, error, call, result);
}
