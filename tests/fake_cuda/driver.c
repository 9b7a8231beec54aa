/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the CUDA driver API that runtime/device/cuda/cuda_api.h names. Work of a stream is executed at once,
 * or captured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

/* 1 if the device exists. device_count may be larger than FAKE_DEVICES. */
static int is_device(cuda_device device) { return device >= 0 && device < fake.device_count && device < FAKE_DEVICES; }

/* ---- devices ---- */

cuda_result cuInit(unsigned flags) {
  ENTER();
  REQUIRE(flags == 0, FAKE_INVALID_VALUE);
  return CUDA_OK;
}

cuda_result cuDriverGetVersion(int *version) {
  ENTER();
  *version = 12040;
  return CUDA_OK;
}

cuda_result cuDeviceGetCount(int *count) {
  ENTER();
  *count = fake.device_count;
  return CUDA_OK;
}

cuda_result cuDeviceGet(cuda_device *device, int ordinal) {
  ENTER();
  if (!is_device(ordinal)) return FAKE_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_OK;
}

cuda_result cuDeviceGetName(char *name, int bytes, cuda_device device) {
  ENTER();
  if (!is_device(device)) return FAKE_INVALID_DEVICE;
  REQUIRE(bytes > 0, FAKE_INVALID_VALUE);
  snprintf(name, (size_t)bytes, "Fake GPU %d", device);
  if (fake.lie_attribute != 0) memset(name, 'x', (size_t)bytes);
  return CUDA_OK;
}

cuda_result cuDeviceGetAttribute(int *value, int which, cuda_device device) {
  ENTER();
  if (!is_device(device)) return FAKE_INVALID_DEVICE;
  if (which == fake.lie_attribute) {
    *value = fake.lie_value;
    return CUDA_OK;
  }
  switch (which) {
  case CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; return CUDA_OK;
  case CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = FAKE_LOCAL_BYTES; return CUDA_OK;
  case CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    *value = fake.capability[device][0] >= 9 ? FAKE_LOCAL_BYTES_OPTIN : FAKE_LOCAL_BYTES_OPTIN_80;
    return CUDA_OK;
  case CUDA_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = FAKE_UNITS; return CUDA_OK;
  case CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = fake.capability[device][0]; return CUDA_OK;
  case CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = fake.capability[device][1]; return CUDA_OK;
  case CUDA_ATTRIBUTE_CLUSTER_LAUNCH: *value = 0; return CUDA_OK; /* no kernel of clusters */
  default: return fake_punish(FAKE_INVALID_VALUE, "%s: attribute %d", __func__, which);
  }
}

cuda_result cuDeviceTotalMem_v2(size_t *bytes, cuda_device device) {
  ENTER();
  if (!is_device(device)) return FAKE_INVALID_DEVICE;
  *bytes = (size_t)8 << 30;
  return CUDA_OK;
}

/* ---- contexts ---- */

cuda_result cuDevicePrimaryCtxRetain(cuda_context *context, cuda_device device) {
  ENTER();
  if (!is_device(device)) return FAKE_INVALID_DEVICE;
  fake.primary[device].device = device;
  fake.primary[device].refs++;
  *context = &fake.primary[device];
  return CUDA_OK;
}

cuda_result cuDevicePrimaryCtxRelease_v2(cuda_device device) {
  ENTER();
  if (!is_device(device)) return FAKE_INVALID_DEVICE;
  REQUIRE(fake.primary[device].refs > 0, FAKE_INVALID_CONTEXT);
  if (--fake.primary[device].refs == 0) fake_reclaim(&fake.primary[device]);
  return CUDA_OK;
}

cuda_result cuCtxPushCurrent_v2(cuda_context context) {
  ENTER();
  return fake_push(context);
}

/* Pops even if an error is injected: a real driver reports errors of earlier work from a call that has done its own. */
cuda_result cuCtxPopCurrent_v2(cuda_context *context) {
  FAKE_LOCKED();
  const cuda_result injected = fake_enter(__func__), popped = fake_pop(context);
  return injected != CUDA_OK ? injected : popped;
}

cuda_result cuCtxGetCurrent(cuda_context *context) {
  ENTER();
  *context = fake_current();
  return CUDA_OK;
}

cuda_result cuCtxGetDevice(cuda_device *device) {
  ENTER_CONTEXT();
  *device = fake_current()->device;
  return CUDA_OK;
}

/* ---- memory ---- */

cuda_result fake_allocate(cuda_ptr *first, size_t size_bytes) {
  REQUIRE(size_bytes > 0, FAKE_INVALID_VALUE);
  fake_memory *memory = calloc(1, sizeof *memory);
  if (memory == NULL || size_bytes > (size_t)8 << 30) {
    free(memory);
    return CUDA_OUT_OF_MEMORY;
  }
  *memory = (fake_memory){ fake_current(), NULL, size_bytes, fake.memories, fake_is_sharing(), -1, 0 };
  if (!memory->is_shared) memory->bytes = aligned_alloc(256, (size_bytes + 255) / 256 * 256);
  if (memory->is_shared ? !fake_share(memory) : memory->bytes == NULL) {
    free(memory);
    return CUDA_OUT_OF_MEMORY;
  }
  memset(memory->bytes, 0xcd, size_bytes);
  fake.memories = memory;
  fake.allocations++;
  *first = (cuda_ptr)(uintptr_t)memory->bytes;
  return CUDA_OK;
}

cuda_result cuMemAlloc_v2(cuda_ptr *first, size_t size_bytes) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  return fake_allocate(first, size_bytes);
}

cuda_result cuMemFree_v2(cuda_ptr first) {
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  fake_memory *memory = fake_take_memory(first);
  REQUIRE(memory != NULL, FAKE_INVALID_VALUE);
  fake_free_memory(memory);
  return CUDA_OK;
}

cuda_result fake_fill(cuda_ptr to, int value, size_t bytes) {
  REQUIRE(fake_range_is_live(to, bytes), FAKE_INVALID_VALUE);
  memset((void *)(uintptr_t)to, value, bytes);
  return CUDA_OK;
}

cuda_result cuMemsetD8Async(cuda_ptr first, unsigned char value, size_t bytes, cuda_stream stream) {
  const fake_node fill = { .to = first, .bytes = bytes, .is_fill = 1, .value = value };
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_spoils_capture(stream), CUDA_CAPTURE_IMPLICIT);
  return fake_is_capturing(stream) ? fake_capture(stream, &fill) : fake_execute(&fill);
}

cuda_result cuMemcpyHtoDAsync_v2(cuda_ptr to, const void *from, size_t bytes, cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_spoils_capture(stream), CUDA_CAPTURE_IMPLICIT);
  REQUIRE(!fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  REQUIRE(fake_range_is_live(to, bytes), FAKE_INVALID_VALUE);
  memcpy((void *)(uintptr_t)to, from, bytes);
  return CUDA_OK;
}

cuda_result cuMemcpyDtoHAsync_v2(void *to, cuda_ptr from, size_t bytes, cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_spoils_capture(stream), CUDA_CAPTURE_IMPLICIT);
  REQUIRE(!fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  REQUIRE(fake_range_is_live(from, bytes), FAKE_INVALID_VALUE);
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return CUDA_OK;
}

cuda_result fake_copy(cuda_ptr to, cuda_ptr from, size_t bytes) {
  REQUIRE(fake_range_is_live(to, bytes), FAKE_INVALID_VALUE);
  REQUIRE(fake_range_is_live(from, bytes), FAKE_INVALID_VALUE);
  memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
  return CUDA_OK;
}

cuda_result cuMemcpyDtoDAsync_v2(cuda_ptr to, cuda_ptr from, size_t bytes, cuda_stream stream) {
  const fake_node copy = { .to = to, .from = from, .bytes = bytes };
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_spoils_capture(stream), CUDA_CAPTURE_IMPLICIT);
  return fake_is_capturing(stream) ? fake_capture(stream, &copy) : fake_execute(&copy);
}

/* ---- modules ---- */

/* Recognises an image: scans of one pair of types, the empty kernel, kernels from source, or emulated kernels. 1 if it
 * is one. */
static int parse_image(const char *image, struct CUmod_st *module) {
  if (emulated_is_image(image)) return (module->emulated = emulated_load(image)) != NULL;
  module->is_empty = fake_is_empty_ptx(image);
  if (module->is_empty) return 1;
  if (strncmp(image, FAKE_CUDA_IMAGE_MAGIC "source_", 11) == 0) return module->is_source = 1;
  if (strcmp(image, FAKE_CUDA_IMAGE_MAGIC "segment_bits") == 0) return module->is_source = 1;
  return memcmp(image, FAKE_CUDA_IMAGE_MAGIC, 4) == 0 && fake_parse_pair(image + 4, module);
}

cuda_result cuModuleLoadData(cuda_module *result, const void *image) {
  struct CUmod_st parsed = { 0 };
  ENTER_CONTEXT();
  UNLESS_CAPTURED();
  if (!parse_image(image, &parsed)) return CUDA_INVALID_IMAGE;
  cuda_module module = calloc(1, sizeof *module);
  if (module == NULL) return CUDA_OUT_OF_MEMORY;
  *module = parsed;
  module->context = fake_current();
  module->next = fake.modules;
  fake.modules = module;
  *result = module;
  return CUDA_OK;
}

cuda_result cuModuleUnload(cuda_module handle) {
  ENTER_CONTEXT();
  cuda_module module = fake_take_module(handle);
  REQUIRE(module != NULL, FAKE_INVALID_HANDLE);
  fake_free_module(module);
  return CUDA_OK;
}

static int has_kernel(cuda_module module, const char *name, struct CUfunc_st *parsed) {
  if (module->emulated != NULL) {
    parsed->kernel = "";
    return (parsed->emulated_kernel = emulated_find(module->emulated, name)) != NULL;
  }
  if (module->is_source) return fake_parse_source_kernel(name, parsed);
  if (!module->is_empty) return fake_parse_kernel(name, parsed) && fake_is_compiled(module, parsed);
  parsed->kernel = FAKE_EMPTY_KERNEL;
  return strcmp(name, FAKE_EMPTY_KERNEL) == 0;
}

cuda_result cuModuleGetFunction(cuda_function *result, cuda_module module, const char *name) {
  struct CUfunc_st parsed = { .module = module };
  ENTER_CONTEXT();
  REQUIRE(fake_module_is_live(module), FAKE_INVALID_HANDLE);
  if (!has_kernel(module, name, &parsed)) return FAKE_NOT_FOUND;
  for (cuda_function known = module->functions; known != NULL; known = known->next)
    if (strcmp(known->name, name) == 0) {
      *result = known;
      return CUDA_OK;
    }
  REQUIRE(strlen(name) < sizeof parsed.name, FAKE_INVALID_VALUE);
  strcpy(parsed.name, name);
  parsed.local_bytes = FAKE_LOCAL_BYTES;
  cuda_function function = calloc(1, sizeof *function);
  if (function == NULL) return CUDA_OUT_OF_MEMORY;
  *function = parsed;
  function->next = module->functions;
  module->functions = function;
  *result = function;
  return CUDA_OK;
}

cuda_result cuFuncGetAttribute(int *value, int which, cuda_function function) {
  ENTER_CONTEXT();
  REQUIRE(fake_function_is_live(function), FAKE_INVALID_HANDLE);
  REQUIRE(which == CUDA_FUNCTION_ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES, FAKE_INVALID_VALUE);
  *value = (int)function->local_bytes;
  return CUDA_OK;
}

cuda_result cuFuncSetAttribute(cuda_function function, int which, int value) {
  ENTER_CONTEXT();
  REQUIRE(fake_function_is_live(function), FAKE_INVALID_HANDLE);
  REQUIRE(which == CUDA_FUNCTION_ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES, FAKE_INVALID_VALUE);
  REQUIRE(value >= 0 && value <= FAKE_LOCAL_BYTES_OPTIN, FAKE_INVALID_VALUE);
  function->local_bytes = (unsigned)value;
  return CUDA_OK;
}

cuda_result cuLaunchKernel(cuda_function function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                           unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared_bytes,
                           cuda_stream stream, void **parameters, void **extra) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_spoils_capture(stream), CUDA_CAPTURE_IMPLICIT);
  REQUIRE(fake_function_is_live(function), FAKE_INVALID_HANDLE);
  REQUIRE(groups_y == 1 && groups_z == 1 && items_y == 1 && items_z == 1, FAKE_INVALID_VALUE);
  REQUIRE(groups_x > 0 && groups_x <= 0x7fffffff && items_x > 0, FAKE_INVALID_VALUE);
  REQUIRE(shared_bytes <= function->local_bytes, FAKE_INVALID_VALUE);
  REQUIRE(parameters != NULL && extra == NULL, FAKE_INVALID_VALUE);
  REQUIRE(!function->module->is_source, FAKE_INVALID_HANDLE);
  const fake_node launch = { function, groups_x, items_x, .arguments = fake_read_parameters(function, parameters),
                             .grid = fake_read_grid(function, groups_x, items_x, shared_bytes, parameters) };
  return fake_is_capturing(stream) ? fake_capture(stream, &launch) : fake_execute(&launch);
}

/* ---- streams ---- */

cuda_result cuStreamCreateWithPriority(cuda_stream *result, unsigned flags, int priority) {
  (void)priority;
  return cuStreamCreate(result, flags);
}

cuda_result cuStreamCreate(cuda_stream *result, unsigned flags) {
  ENTER_CONTEXT();
  REQUIRE((flags & ~(unsigned)CUDA_STREAM_NON_BLOCKING) == 0, FAKE_INVALID_VALUE);
  cuda_stream stream = calloc(1, sizeof *stream);
  if (stream == NULL) return CUDA_OUT_OF_MEMORY;
  *stream = (struct CUstream_st){ .context = fake_current(), .next = fake.streams, .flags = flags };
  fake.streams = stream;
  *result = stream;
  return CUDA_OK;
}

cuda_result cuStreamDestroy_v2(cuda_stream handle) {
  ENTER_CONTEXT();
  cuda_stream stream = fake_take_stream(handle);
  REQUIRE(stream != NULL, FAKE_INVALID_HANDLE);
  const int was_capturing = fake_is_capturing(stream);
  free(stream);
  REQUIRE(!was_capturing, FAKE_CAPTURE_UNSUPPORTED);
  return CUDA_OK;
}

cuda_result cuStreamSynchronize(cuda_stream stream) {
  ENTER_CONTEXT();
  REQUIRE(fake_stream_is_live(stream), FAKE_INVALID_HANDLE);
  REQUIRE(!fake_spoils_capture(stream), CUDA_CAPTURE_IMPLICIT);
  REQUIRE(!fake_is_capturing(stream), FAKE_CAPTURE_UNSUPPORTED);
  return CUDA_OK;
}

cuda_result cuStreamGetCtx(cuda_stream stream, cuda_context *context) {
  ENTER_CONTEXT();
  if (stream == NULL || stream == CUDA_STREAM_LEGACY || stream == CUDA_STREAM_PER_THREAD) {
    *context = fake_current();
    return CUDA_OK;
  }
  for (const struct CUstream_st *s = fake.streams; s != NULL; s = s->next)
    if (s == stream) {
      *context = s->context;
      return CUDA_OK;
    }
  return fake_punish(FAKE_INVALID_HANDLE, "%s: no stream", __func__);
}

/* ---- errors ---- */

static const struct {
  cuda_result code;
  const char *name, *text;
} errors[] = {
  { 0, "CUDA_SUCCESS", "no error" },
  { 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { 3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
  { 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { 101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
  { 200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid" },
  { 201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
  { 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device" },
  { 218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
  { 221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found" },
  { 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain." },
  { 400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
  { 500, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
  { 704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled" },
  { 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered" },
  { 712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped" },
  { 713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region" },
  { 719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
  { 900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing" },
  { 901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture" },
  { 906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "operation would make the legacy stream depend on a capturing stream" },
};

cuda_result cuGetErrorName(cuda_result code, const char **name) {
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if (errors[i].code == code) {
      *name = errors[i].name;
      return CUDA_OK;
    }
  *name = NULL;
  return FAKE_INVALID_VALUE;
}

cuda_result cuGetErrorString(cuda_result code, const char **text) {
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
    if (errors[i].code == code) {
      *text = errors[i].text;
      return CUDA_OK;
    }
  *text = NULL;
  return FAKE_INVALID_VALUE;
}
