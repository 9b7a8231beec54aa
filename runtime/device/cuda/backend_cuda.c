/* SPDX-License-Identifier: BSD-2-Clause */
/* CUDA through the driver API. The caller's current context is pushed aside for each call and restored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/arguments.h"
#include "device/caps.h"
#include "device/cuda/cuda_api.h"
#include "device/cuda/cuda_catalogue.h"
#include "device/cuda/cuda_program.h"
#include "device/cuda/cuda_source.h"
#include "device/cuda/cuda_transfer.h"
#include "base/embedded.h"
#include "device/source.h"

enum { OLDEST_CAPABILITY = 75 };

typedef struct cuda_loaded {
  const struct scan_embedded_image *image; /* NULL: compiled for the operator from source and the key */
  const scan_source *source;
  scan_key key;
  cuda_module module;
  struct cuda_loaded *next;
} cuda_loaded;

struct scan_device {
  const cuda_api *api;
  cuda_device device;
  cuda_context context;
  cuda_stream stream;
  uint32_t image; /* of scan_tuning */
  uint32_t capability;
  int owns_context, owns_stream;
  cuda_loaded *modules;
};

struct scan_kernel {
  cuda_function function;
  scan_argument_list arguments;
  uint32_t local_bytes;
  uint32_t flags; /* that each launch adds, and what it turns over in the seed: cuda_instance */
  uint64_t flip;
};

#define CUDA_TRY(api, error, call, result)                                                                             \
  do {                                                                                                                 \
    const cuda_result result_ = (result);                                                                              \
    if (result_ != CUDA_OK) return scan_cuda_fail((api), (error), (call), result_);                                    \
  } while (0)

/* ---- devices ---- */

static int attribute(const cuda_api *api, int which, cuda_device device) {
  int value = 0;
  return api->device_attribute(&value, which, device) == CUDA_OK ? value : 0;
}

static uint32_t capability(const cuda_api *api, cuda_device device) {
  return (uint32_t)(10 * attribute(api, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) +
                    attribute(api, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
}

/* Returns 0 when the driver does not answer for the device. */
static int describe(const cuda_api *api, cuda_device device, int index, scan_caps *caps) {
  scan_device_info *info = &caps->info;
  size_t memory = 0;
  int version = 0;
  *caps = (scan_caps){ .index = index };
  info->backend = SCAN_BACKEND_CUDA;
  snprintf(info->selector, sizeof info->selector, "cuda:%d", index);
  if (api->device_name(info->name, (int)sizeof info->name, device) != CUDA_OK ||
      api->device_memory(&memory, device) != CUDA_OK || api->driver_version(&version) != CUDA_OK)
    return 0;
  snprintf(info->vendor, sizeof info->vendor, "NVIDIA");
  snprintf(info->driver, sizeof info->driver, "CUDA %d.%d, compute capability %d.%d", version / 1000,
           version % 1000 / 10, attribute(api, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
           attribute(api, CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  info->memory_bytes = info->max_alloc_bytes = memory;
  info->local_memory_bytes = (uint64_t)attribute(api, CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device);
  info->compute_units = (uint32_t)attribute(api, CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  info->max_group_items = (uint32_t)attribute(api, CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
  info->has_fp64 = 1;
  info->facts.compute_capability = capability(api, device);
  info->facts.sub_group_items = 32;
  info->facts.local_memory_optin_bytes =
      (uint32_t)attribute(api, CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
  scan_caps_derive(caps, getenv("SCANRT_TUNE"));
  return info->compute_units != 0 && info->max_group_items >= TUNE_GROUP_ITEMS;
}

static int too_old(const cuda_api *api, cuda_device device) { return capability(api, device) < OLDEST_CAPABILITY; }

/* The driver ready for use, or NULL with the reason. */
static const cuda_api *start(char *note, size_t note_bytes, int *count) {
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

static scan_status enumerate(scan_device_list *list, char *note, size_t note_bytes, scan_error *error) {
  int count = 0, found = 0;
  const cuda_api *api = start(note, note_bytes, &count);
  for (int i = 0; api != NULL && i < count; i++) {
    cuda_device device;
    scan_caps caps;
    if (api->device_get(&device, i) != CUDA_OK || too_old(api, device)) continue;
    if (!describe(api, device, i, &caps)) continue;
    const scan_status status = scan_device_append(list, &caps, error);
    if (status != SCAN_SUCCESS) return status;
    found++;
  }
  if (api != NULL)
    snprintf(note, note_bytes, "%d device%s%s", found, found == 1 ? "" : "s",
             found < count ? " (those below compute capability 7.5, or that do not answer, are left out)" : "");
  return SCAN_SUCCESS;
}

/* ---- opening ---- */

static scan_status open_own(scan_device *d, const scan_caps *caps, scan_error *error) {
  CUDA_TRY(d->api, error, "cuDeviceGet", d->api->device_get(&d->device, caps->index));
  CUDA_TRY(d->api, error, "cuDevicePrimaryCtxRetain", d->api->primary_retain(&d->context, d->device));
  d->owns_context = 1;
  scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  const cuda_result result = d->api->stream_create(&d->stream, CUDA_STREAM_NON_BLOCKING);
  status = scan_cuda_leave(d->api, "cuStreamCreate", result, error);
  d->owns_stream = status == SCAN_SUCCESS;
  return status;
}

static scan_status open_adopted(scan_device *d, const scan_adoption *adoption, scan_caps *caps, scan_error *error) {
  d->context = adoption->context;
  d->stream = adoption->queue;
  if (d->context == NULL) CUDA_TRY(d->api, error, "cuCtxGetCurrent", d->api->ctx_current(&d->context));
  if (d->context == NULL)
    return scan_fail(error, SCAN_INVALID_ARGUMENT,
                     "scan_cuda_ctx_create: context is NULL and the thread has no current context");
  scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  status = scan_cuda_leave(d->api, "cuCtxGetDevice", d->api->ctx_device(&d->device), error);
  if (status != SCAN_SUCCESS) return status;
  if (!describe(d->api, d->device, d->device, caps))
    return scan_fail(error, SCAN_DEVICE_ERROR, "the CUDA driver does not answer for the context's device");
  return SCAN_SUCCESS;
}

/* Where the context cannot be made current, what is in it stays until the context goes. */
static void device_close(scan_device *d) {
  const int entered = d->context != NULL && d->api->ctx_push(d->context) == CUDA_OK;
  while (d->modules != NULL) {
    cuda_loaded *loaded = d->modules;
    d->modules = loaded->next;
    if (entered) (void)d->api->module_unload(loaded->module);
    free(loaded);
  }
  if (entered && d->owns_stream) (void)d->api->stream_destroy(d->stream);
  if (entered) (void)d->api->ctx_pop(NULL);
  if (d->owns_context) (void)d->api->primary_release(d->device);
  free(d);
}

static scan_status device_open(scan_caps *caps, const scan_adoption *adoption, scan_device **result,
                               scan_error *error) {
  char note[256];
  int count;
  const cuda_api *api = start(note, sizeof note, &count);
  if (api == NULL) return scan_fail(error, SCAN_NO_DEVICE, "cuda: %s", note);
  scan_device *d = calloc(1, sizeof *d);
  if (d == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a CUDA device");
  d->api = api;
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

cuda_objects scan_cuda_device_objects(const scan_device *d) { return (cuda_objects){ d->api, d->context, d->stream }; }

/* ---- work ---- */

static cuda_ptr pointer(scan_mem mem) { return (cuda_ptr)(uintptr_t)mem.handle + mem.offset_bytes; }

static scan_status cuda_alloc(scan_device *d, uint64_t bytes, void **handle, scan_error *error) {
  cuda_ptr memory = 0;
  scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  status = scan_cuda_leave(d->api, "cuMemAlloc", d->api->mem_alloc(&memory, (size_t)bytes), error);
  if (status == SCAN_SUCCESS) *handle = (void *)(uintptr_t)memory;
  return status;
}

static scan_status cuda_fill(scan_device *d, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error) {
  const scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  const cuda_result result = d->api->mem_zero(pointer(dst), byte, (size_t)bytes, d->stream);
  return scan_cuda_leave(d->api, "cuMemsetD8Async", result, error);
}

static scan_status cuda_free(scan_device *d, void *handle, scan_error *error) {
  const scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  return scan_cuda_leave(d->api, "cuMemFree", d->api->mem_free((cuda_ptr)(uintptr_t)handle), error);
}

static scan_status cuda_sync(scan_device *d, scan_error *error) {
  const scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  return scan_cuda_leave(d->api, "cuStreamSynchronize", d->api->stream_sync(d->stream), error);
}

static scan_status cuda_write(scan_device *d, scan_mem dst, const void *src, uint64_t bytes, scan_error *error) {
  scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  status = scan_cuda_leave(d->api, "cuMemcpyHtoDAsync", d->api->mem_write(pointer(dst), src, (size_t)bytes, d->stream),
                           error);
  return status == SCAN_SUCCESS ? cuda_sync(d, error) : status;
}

static scan_status cuda_read(scan_device *d, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  status = scan_cuda_leave(d->api, "cuMemcpyDtoHAsync", d->api->mem_read(dst, pointer(src), (size_t)bytes, d->stream),
                           error);
  return status == SCAN_SUCCESS ? cuda_sync(d, error) : status;
}

static scan_status cuda_copy(scan_device *d, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error) {
  const scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  return scan_cuda_leave(d->api, "cuMemcpyDtoDAsync",
                         d->api->mem_copy(pointer(dst), pointer(src), (size_t)bytes, d->stream), error);
}

/* The module of an image, loaded at its first use; called between enter and leave. */
static scan_status module_of(scan_device *d, const struct scan_embedded_image *image, cuda_module *module,
                             scan_error *error) {
  for (cuda_loaded *loaded = d->modules; loaded != NULL; loaded = loaded->next) {
    *module = loaded->module;
    if (loaded->image == image) return SCAN_SUCCESS;
  }
  cuda_loaded *loaded = calloc(1, sizeof *loaded);
  if (loaded == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a CUDA module");
  const cuda_result result = d->api->module_load(&loaded->module, image->bytes);
  if (result != CUDA_OK) {
    free(loaded);
    return scan_cuda_fail(d->api, error, "cuModuleLoadData", result);
  }
  loaded->image = image;
  loaded->next = d->modules;
  d->modules = loaded;
  *module = loaded->module;
  return SCAN_SUCCESS;
}

/* The module of a file and a tile size for an operator from source, compiled at its first use; called between enter and
 * leave. */
static scan_status source_module_for(scan_device *d, const scan_kernel_key *key, cuda_module *module,
                                     scan_error *error) {
  char *image = NULL;
  size_t image_bytes = 0;
  scan_key wanted;
  scan_kernel_build_key(key, &wanted);
  for (cuda_loaded *loaded = d->modules; loaded != NULL; loaded = loaded->next) {
    *module = loaded->module;
    if (loaded->image == NULL && scan_key_same(&loaded->key, &wanted)) return SCAN_SUCCESS;
  }
  cuda_loaded *loaded = calloc(1, sizeof *loaded);
  if (loaded == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a CUDA module");
  scan_status status = scan_cuda_source_compile(key, d->capability, d->image, &image, &image_bytes, error);
  if (status == SCAN_SUCCESS) {
    const cuda_result result = d->api->module_load(&loaded->module, image);
    if (result != CUDA_OK) status = scan_cuda_fail(d->api, error, "cuModuleLoadData", result);
  }
  free(image);
  if (status != SCAN_SUCCESS) {
    free(loaded);
    return status;
  }
  loaded->source = key->source;
  loaded->key = wanted;
  loaded->next = d->modules;
  d->modules = loaded;
  *module = loaded->module;
  return SCAN_SUCCESS;
}

/* More shared memory than 48 KiB must be asked for. */
static scan_status reserve_local(scan_device *d, scan_kernel *kernel, uint32_t local_bytes, scan_error *error) {
  kernel->local_bytes = local_bytes;
  if (local_bytes == 0) return SCAN_SUCCESS;
  CUDA_TRY(
      d->api, error, "cuFuncSetAttribute",
      d->api->function_attribute(kernel->function, CUDA_FUNCTION_ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES, (int)local_bytes));
  return SCAN_SUCCESS;
}

/* The module that has the kernel, from the catalogue or compiled; called between enter and leave. */
static scan_status module_for(scan_device *d, const scan_kernel_key *key, cuda_instance *instance, cuda_module *module,
                              scan_error *error) {
  if (scan_cuda_catalogue_find(key, d->image, instance)) return module_of(d, instance->image, module, error);
  if (key->source == NULL)
    return scan_fail(error, SCAN_BUILD_FAILED, "internal: the library holds no CUDA image for %s to %s",
                     scan_type_name(key->input_type), scan_type_name(key->type));
  snprintf(instance->name, sizeof instance->name, "%s" CUDA_SOURCE_SUFFIX, key->kernel);
  return source_module_for(d, key, module, error);
}

static scan_status kernel_create(scan_device *d, const scan_kernel_key *key, scan_kernel **result, scan_error *error) {
  cuda_module module = NULL;
  cuda_instance instance;
  scan_kernel *kernel = calloc(1, sizeof *kernel);
  if (kernel == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for a kernel");
  scan_arguments_for(key, &kernel->arguments);
  scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status == SCAN_SUCCESS) {
    cuda_result found = CUDA_OK;
    status = module_for(d, key, &instance, &module, error);
    if (status == SCAN_SUCCESS) found = d->api->module_function(&kernel->function, module, instance.name);
    if (found == CUDA_OK && status == SCAN_SUCCESS) status = reserve_local(d, kernel, key->local_bytes, error);
    (void)d->api->ctx_pop(NULL);
    if (found == CUDA_NOT_FOUND)
      status = scan_fail(error, SCAN_BUILD_FAILED, "internal: the CUDA image has no kernel %s", instance.name);
    else if (found != CUDA_OK)
      status = scan_cuda_fail(d->api, error, "cuModuleGetFunction", found);
  }
  if (status != SCAN_SUCCESS) {
    free(kernel);
    return status;
  }
  kernel->flags = instance.flags;
  kernel->flip = instance.flip;
  *result = kernel;
  return SCAN_SUCCESS;
}

static int has_kernel(const scan_kernel_key *key) {
  cuda_instance instance;
  return scan_cuda_catalogue_find(key, 0, &instance);
}

static void kernel_destroy(scan_device *d, scan_kernel *kernel) {
  (void)d;
  free(kernel);
}

/* Drops the modules of an operator from source. */
static void source_release(scan_device *d, const scan_source *source) {
  const int entered = d->api->ctx_push(d->context) == CUDA_OK;
  for (cuda_loaded **at = &d->modules, *loaded; (loaded = *at) != NULL;) {
    if (loaded->source != source) {
      at = &loaded->next;
      continue;
    }
    *at = loaded->next;
    if (entered) (void)d->api->module_unload(loaded->module);
    free(loaded);
  }
  if (entered) (void)d->api->ctx_pop(NULL);
}

static scan_status launch(scan_device *d, scan_kernel *kernel, uint32_t groups, uint32_t items_per_group,
                          const scan_kernel_args *args, scan_error *error) {
  scan_kernel_args a = *args;
  void *parameters[SCAN_MOST_ARGUMENTS];
  cuda_ptr memory[SCAN_MOST_ARGUMENTS];
  int count = 0;
  a.flags |= kernel->flags;
  a.seed_bits ^= kernel->flip;
  for (const scan_argument *row = kernel->arguments.rows; row->kind != SCAN_ARGUMENT_END; row++, count++) {
    const void *value = scan_argument_at(&a, *row);
    if (row->kind == SCAN_ARGUMENT_MEMORY) memory[count] = pointer(*(const scan_mem *)value);
    parameters[count] = row->kind == SCAN_ARGUMENT_MEMORY ? &memory[count] : (void *)(uintptr_t)value;
  }
  parameters[count] = NULL;
  const scan_status status = scan_cuda_enter(d->api, d->context, error);
  if (status != SCAN_SUCCESS) return status;
  const cuda_result result = d->api->launch(kernel->function, groups, 1, 1, items_per_group, 1, 1, kernel->local_bytes,
                                            d->stream, parameters, NULL);
  return scan_cuda_leave(d->api, "cuLaunchKernel", result, error);
}

static scan_status mem_bytes(scan_device *d, scan_mem mem, uint64_t *bytes, scan_error *error) {
  (void)d, (void)error;
  *bytes = mem.size_bytes == 0 ? UINT64_MAX : mem.size_bytes == SCAN_MEM_NOTHING_LEFT ? 0 : mem.size_bytes;
  return SCAN_SUCCESS;
}

const scan_backend_ops scan_backend_cuda = { .id = SCAN_BACKEND_CUDA,
                                             .memory = SCAN_MEM_CUDA,
                                             .enumerate = enumerate,
                                             .open = device_open,
                                             .close = device_close,
                                             .alloc = cuda_alloc,
                                             .free = cuda_free,
                                             .fill = cuda_fill,
                                             .write = cuda_write,
                                             .read = cuda_read,
                                             .copy = cuda_copy,
                                             .kernel_create = kernel_create,
                                             .has_kernel = has_kernel,
                                             .kernel_destroy = kernel_destroy,
                                             .source_release = source_release,
                                             .launch = launch,
                                             .sync = cuda_sync,
                                             .mem_bytes = mem_bytes };
