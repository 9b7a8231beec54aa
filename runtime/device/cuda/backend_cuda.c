/* SPDX-License-Identifier: BSD-2-Clause */
/* CUDA through the driver API. The caller's current context is pushed aside for each call and restored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "device/arguments.h"
#include "device/caps.h"
#include "device/cuda/cuda_background.h"
#include "device/cuda/cuda_kernels.h"

/* ---- devices ---- */

enum { MOST_DEVICES = 256 }; /* a limit whatever the driver reports */

/* Returns the initialised driver, or NULL with the reason in `note`. */
static const cuda_api *cuda_start(char *note, size_t note_bytes, int *count) {
  scan_error error;
  if (scan_cuda_image_count == 0) {
    snprintf(note, note_bytes, "built without CUDA kernels: %s", SCANRT_CUDA_LEFT_OUT);
    return NULL;
  }
  const cuda_api *api = scan_cuda_api_get(note, note_bytes);
  if (api == NULL) return NULL;
  const char *call = "cuInit";
  cuda_result result = api->init(0);
  if (result == CUDA_OK) {
    call = "cuDeviceGetCount";
    result = api->device_count(count);
  }
  if (result == CUDA_OK) return api;
  (void)scan_cuda_fail(api, &error, call, result);
  snprintf(note, note_bytes, "%.250s", error.text);
  return NULL;
}

static scan_status cuda_find(const cuda_api *api, int index, scan_caps *caps, scan_error *error) {
  cuda_device device;
  CUDA_TRY(api, error, "cuDeviceGet", api->device_get(&device, index));
  return scan_cuda_describe(api, device, index, caps, error);
}

static scan_status cuda_enumerate(scan_device_list *list, char *note, size_t note_bytes, scan_error *error) {
  int count = 0, found = 0;
  scan_error reason = { .text = "" }; /* why the first device left out is left out */
  const cuda_api *api = cuda_start(note, note_bytes, &count);
  for (int i = 0; api != NULL && i < count && i < MOST_DEVICES; i++) {
    scan_caps caps;
    scan_error why;
    if (cuda_find(api, i, &caps, &why) != SCAN_SUCCESS) {
      if (reason.text[0] == '\0') reason = why;
      continue;
    }
    const scan_status status = scan_device_append(list, &caps, error);
    if (status != SCAN_SUCCESS) return status;
    found++;
  }
  if (api != NULL)
    snprintf(note, note_bytes, "%d device%s%s%.180s%s", found, found == 1 ? "" : "s",
             found < count ? " (others are left out: " : "", reason.text, found < count ? ")" : "");
  return SCAN_SUCCESS;
}

/* ---- opening ---- */

static scan_status open_own(scan_device *d, const scan_caps *caps, scan_error *error) {
  const cuda_api *api = d->cuda.api;
  CUDA_TRY(api, error, "cuDeviceGet", api->device_get(&d->device, caps->index));
  CUDA_TRY(api, error, "cuDevicePrimaryCtxRetain", api->primary_retain(&d->cuda.context, d->device));
  d->owns_context = 1;
  /* Until the stream exists, no capture can involve the context. */
  CUDA_TRY_IN(&d->cuda, CUDA_ALWAYS, error, "cuStreamCreate",
              api->stream_create(&d->cuda.stream, CUDA_STREAM_NON_BLOCKING));
  d->owns_stream = 1;
  return SCAN_SUCCESS;
}

/* Refuses a stream of another context. The default streams belong to whichever context is current. */
static scan_status check_stream(const cuda_objects *cuda, scan_error *error) {
  cuda_context owner = NULL;
  if (cuda->stream == NULL || cuda->stream == CUDA_STREAM_LEGACY || cuda->stream == CUDA_STREAM_PER_THREAD)
    return SCAN_SUCCESS;
  CUDA_TRY_IN(cuda, CUDA_ALWAYS, error, "cuStreamGetCtx", cuda->api->stream_context(cuda->stream, &owner));
  if (owner == cuda->context) return SCAN_SUCCESS;
  return scan_fail(error, SCAN_INVALID_ARGUMENT,
                   "scan_cuda_ctx_create: the stream is of another CUcontext than the one given, or than the current "
                   "one where none is given");
}

static scan_status open_adopted(scan_device *d, const scan_adoption *adoption, scan_caps *caps, scan_error *error) {
  const cuda_api *api = d->cuda.api;
  scan_error why;
  d->cuda.context = adoption->context;
  d->cuda.stream = adoption->queue;
  if (adoption->context == NULL) CUDA_TRY(api, error, "cuCtxGetCurrent", api->ctx_current(&d->cuda.context));
  if (d->cuda.context == NULL)
    return scan_fail(error, SCAN_INVALID_ARGUMENT,
                     "scan_cuda_ctx_create: context is NULL and the thread has no current context");
  d->cuda.thread = pthread_self();
  CUDA_TRY_IN(&d->cuda, CUDA_ALWAYS, error, "cuCtxGetDevice", api->ctx_device(&d->device));
  SCAN_TRY(check_stream(&d->cuda, error));
  const scan_status status = scan_cuda_describe(api, d->device, d->device, caps, &why);
  if (status == SCAN_SUCCESS) return SCAN_SUCCESS;
  return scan_fail(error, status, "scan_cuda_ctx_create: %s", why.text);
}

static void unload(scan_device *d, void *module) { (void)d->cuda.api->module_unload(module); }

/* If the context cannot be made current, its objects stay until the context is destroyed. */
static void device_close(scan_device *d) {
  const cuda_api *api = d->cuda.api;
  scan_error ignored;
  cuda_visit visit;
  scan_cuda_background_end(&d->background, NULL);
  const int entered =
      d->cuda.context != NULL && scan_cuda_enter(&d->cuda, CUDA_ALWAYS, &visit, &ignored) == SCAN_SUCCESS;
  scan_programs_release(&d->modules, NULL, entered ? unload : NULL, d);
  if (entered && d->owns_stream) (void)api->stream_destroy(d->cuda.stream);
  if (entered) scan_cuda_exit(&d->cuda, &visit);
  if (d->owns_context) (void)api->primary_release(d->device);
  free(d);
}

static void source_release(scan_device *d, const struct scan_source *source) {
  scan_error ignored;
  cuda_visit visit;
  scan_cuda_background_end(&d->background, source);
  const int entered = scan_cuda_enter(&d->cuda, CUDA_ALWAYS, &visit, &ignored) == SCAN_SUCCESS;
  scan_programs_release(&d->modules, source, entered ? unload : NULL, d);
  if (entered) scan_cuda_exit(&d->cuda, &visit);
}

static scan_status device_open(scan_caps *caps, const scan_adoption *adoption, scan_device **result,
                               scan_error *error) {
  char note[256];
  int count;
  const cuda_api *api = cuda_start(note, sizeof note, &count);
  if (api == NULL) return scan_fail(error, SCAN_NO_DEVICE, "cuda: %s", note);
  scan_device *d = calloc(1, sizeof *d);
  if (d == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a CUDA device");
  d->cuda.api = api;
  const scan_status status = adoption->adopted ? open_adopted(d, adoption, caps, error) : open_own(d, caps, error);
  if (status != SCAN_SUCCESS) {
    device_close(d);
    return status;
  }
  d->image = caps->tuning.image;
  d->capability = caps->info.facts.compute_capability;
  *result = d;
  return SCAN_SUCCESS;
}

static void *device_queue(const scan_device *d) { return d->cuda.stream; }

/* ---- memory ---- */

static scan_status cuda_alloc(scan_device *d, uint64_t bytes, void **handle, scan_error *error) {
  cuda_ptr memory = 0;
  CUDA_TRY_IN(&d->cuda, CUDA_ACTS, error, "cuMemAlloc", d->cuda.api->mem_alloc(&memory, (size_t)bytes));
  *handle = (void *)(uintptr_t)memory;
  return SCAN_SUCCESS;
}

static scan_status cuda_free(scan_device *d, void *handle, scan_error *error) {
  CUDA_TRY_IN(&d->cuda, CUDA_ALWAYS, error, "cuMemFree", d->cuda.api->mem_free((cuda_ptr)(uintptr_t)handle));
  return SCAN_SUCCESS;
}

static scan_status cuda_fill(scan_device *d, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error) {
  CUDA_TRY_IN(&d->cuda, CUDA_ENQUEUES, error, "cuMemsetD8Async",
              d->cuda.api->mem_set(cuda_pointer(dst), byte, (size_t)bytes, d->cuda.stream));
  return SCAN_SUCCESS;
}

static scan_status cuda_sync(scan_device *d, scan_error *error) {
  if (scan_cuda_is_foreign(&d->cuda)) /* the context is being destroyed */
    CUDA_TRY_IN(&d->cuda, CUDA_ALWAYS, error, "cuCtxSynchronize", d->cuda.api->ctx_sync());
  else
    CUDA_TRY_IN(&d->cuda, CUDA_ACTS, error, "cuStreamSynchronize", d->cuda.api->stream_sync(d->cuda.stream));
  return SCAN_SUCCESS;
}

static scan_status cuda_write(scan_device *d, scan_mem dst, const void *src, uint64_t bytes, scan_error *error) {
  CUDA_TRY_IN(&d->cuda, CUDA_ACTS, error, "cuMemcpyHtoDAsync",
              d->cuda.api->mem_write(cuda_pointer(dst), src, (size_t)bytes, d->cuda.stream));
  return cuda_sync(d, error);
}

static scan_status cuda_read(scan_device *d, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  CUDA_TRY_IN(&d->cuda, CUDA_ACTS, error, "cuMemcpyDtoHAsync",
              d->cuda.api->mem_read(dst, cuda_pointer(src), (size_t)bytes, d->cuda.stream));
  return cuda_sync(d, error);
}

static scan_status cuda_copy(scan_device *d, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error) {
  CUDA_TRY_IN(&d->cuda, CUDA_ENQUEUES, error, "cuMemcpyDtoDAsync",
              d->cuda.api->mem_copy(cuda_pointer(dst), cuda_pointer(src), (size_t)bytes, d->cuda.stream));
  return SCAN_SUCCESS;
}

static scan_status mem_bytes(scan_device *d, scan_mem mem, uint64_t *bytes, scan_error *error) {
  (void)d, (void)error;
  *bytes = mem.size_bytes == 0 ? UINT64_MAX : mem.size_bytes == SCAN_MEM_NOTHING_LEFT ? 0 : mem.size_bytes;
  return SCAN_SUCCESS;
}

/* ---- launches ---- */

static scan_status cuda_launch(scan_device *d, scan_kernel *kernel, uint32_t groups, uint32_t items_per_group,
                               const scan_kernel_args *args, scan_error *error) {
  scan_kernel_args a = *args;
  void *parameters[SCAN_MOST_ARGUMENTS];
  cuda_ptr memory[SCAN_MOST_ARGUMENTS];
  cuda_visit visit;
  int count = 0;
  a.flags |= kernel->flags;
  a.seed_bits ^= kernel->flip;
  for (const scan_argument *row = kernel->arguments.rows; row->kind != SCAN_ARGUMENT_END; row++, count++) {
    const void *value = scan_argument_at(&a, *row);
    if (row->kind == SCAN_ARGUMENT_MEMORY) memory[count] = cuda_pointer(*(const scan_mem *)value);
    parameters[count] = row->kind == SCAN_ARGUMENT_MEMORY ? &memory[count] : (void *)(uintptr_t)value;
  }
  parameters[count] = NULL;
  SCAN_TRY(scan_cuda_enter(&d->cuda, CUDA_ENQUEUES, &visit, error));
  const char *call = "cuStreamIsCapturing";
  cuda_result result = d->cuda.api->stream_capturing(d->cuda.stream, &d->last_capture);
  if (result == CUDA_OK) {
    call = "cuLaunchKernel";
    result = d->cuda.api->launch(kernel->function, groups, 1, 1, items_per_group, 1, 1, kernel->local_bytes,
                                 d->cuda.stream, parameters, NULL);
  }
  return scan_cuda_leave(&d->cuda, &visit, call, result, error);
}

static int was_recorded(const scan_device *d) { return d->last_capture != CUDA_CAPTURE_NONE; }

const scan_backend_ops scan_backend_cuda = { .id = SCAN_BACKEND_CUDA,
                                             .memory = SCAN_MEM_CUDA,
                                             .enumerate = cuda_enumerate,
                                             .open = device_open,
                                             .close = device_close,
                                             .queue = device_queue,
                                             .alloc = cuda_alloc,
                                             .free = cuda_free,
                                             .fill = cuda_fill,
                                             .write = cuda_write,
                                             .read = cuda_read,
                                             .copy = cuda_copy,
                                             .kernel_create = scan_cuda_kernel_create,
                                             .is_compiled = scan_cuda_is_compiled,
                                             .has_compiler = scan_cuda_has_compiler,
                                             .kernels_prepare = scan_cuda_kernels_prepare,
                                             .kernels_are_kept = scan_cuda_kernels_are_kept,
                                             .kernels_begin = scan_cuda_kernels_begin,
                                             .kernels_take = scan_cuda_kernels_take,
                                             .has_kernel = scan_cuda_has_kernel,
                                             .kernel_destroy = scan_cuda_kernel_destroy,
                                             .source_release = source_release,
                                             .launch = cuda_launch,
                                             .sync = cuda_sync,
                                             .was_recorded = was_recorded,
                                             .mem_bytes = mem_bytes };
