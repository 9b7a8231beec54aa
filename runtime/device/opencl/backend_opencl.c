/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenCL through the ICD loader. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/backend.h"
#include "device/opencl/opencl_device.h"
#include "device/opencl/opencl_pointers.h"

/* ---- devices ---- */

static scan_status opencl_enumerate(scan_device_list *list, char *note, size_t note_bytes, scan_error *error) {
  opencl_place places[OPENCL_MOST_DEVICES];
  opencl_silence silence;
  const opencl_api *api = scan_opencl_api_get(note, note_bytes);
  if (api == NULL) return SCAN_SUCCESS;
  const int count = scan_opencl_list(api, places, &silence);
  cl_int unnamed = CL_SUCCESS;
  for (int i = 0; i < count; i++) {
    scan_caps caps;
    cl_int named;
    scan_status status = scan_opencl_describe(api, places[i], i, &caps, &named, error);
    if (named != CL_SUCCESS) unnamed = named;
    if (status == SCAN_SUCCESS) status = scan_device_append(list, &caps, error);
    if (status != SCAN_SUCCESS) return status;
  }
  if (silence.platform == NULL && silence.result != CL_SUCCESS && silence.result != OPENCL_NO_PLATFORM)
    snprintf(note, note_bytes, "clGetPlatformIDs failed: %s (%d)", scan_opencl_result_name(silence.result),
             (int)silence.result);
  else if (count == 0 && silence.platform == NULL)
    snprintf(note, note_bytes, "libOpenCL.so.1 found no device: no vendor's driver is registered (see clinfo -l)");
  else
    snprintf(note, note_bytes, "%d device%s", count, count == 1 ? "" : "s");
  if (unnamed != CL_SUCCESS)
    snprintf(note + strlen(note), note_bytes - strlen(note),
             ", not all found by a platform's name: clGetPlatformInfo says %s (%d)", scan_opencl_result_name(unnamed),
             (int)unnamed);
  if (silence.platform != NULL) {
    char platform[128] = "?";
    (void)api->clGetPlatformInfo(silence.platform, CL_PLATFORM_NAME, sizeof platform - 1, platform, NULL);
    snprintf(note + strlen(note), note_bytes - strlen(note), "; platform %s has none: clGetDeviceIDs says %s (%d)",
             platform, scan_opencl_result_name(silence.result), (int)silence.result);
  }
  return SCAN_SUCCESS;
}

/* ---- opening ---- */

enum { FAULT_BYTES = 128 };

/* Words why a list lacks a device: the call that failed; empty if none did. */
static void word_silence(const opencl_silence *silence, char text[FAULT_BYTES]) {
  text[0] = '\0';
  if (silence->result == CL_SUCCESS || silence->result == CL_DEVICE_NOT_FOUND) return;
  snprintf(text, FAULT_BYTES, ": %s failed: %s (%d)", silence->platform != NULL ? "clGetDeviceIDs" : "clGetPlatformIDs",
           scan_opencl_result_name(silence->result), (int)silence->result);
}

/* Fails with SCAN_NO_DEVICE for a device that was listed before and is not any more. */
static scan_status fail_listing(const scan_caps *caps, const opencl_silence *silence, scan_error *error) {
  char fault[FAULT_BYTES];
  word_silence(silence, fault);
  return scan_fail(error, SCAN_NO_DEVICE, "%s has gone since the devices were listed%s", caps->info.selector, fault);
}

/* Returns the device's index in a list; `count` if it is not there. */
static int place_of(const opencl_place *places, int count, cl_device_id id) {
  int index = 0;
  while (index < count && places[index].device != id) index++;
  return index;
}

static scan_status open_own(scan_device *d, const scan_caps *caps, scan_error *error) {
  opencl_place places[OPENCL_MOST_DEVICES];
  opencl_silence silence;
  cl_int status;
  const int count = scan_opencl_list(d->api, places, &silence);
  if (place_of(places, count, caps->id) == count) return fail_listing(caps, &silence, error);
  d->id = caps->id;
  d->context = d->api->clCreateContext(NULL, 1, &d->id, NULL, NULL, &status);
  OPENCL_TRY(error, "clCreateContext", status);
  d->queue = d->api->clCreateCommandQueue(d->context, d->id, 0, &status);
  OPENCL_TRY(error, "clCreateCommandQueue", status);
  return SCAN_SUCCESS;
}

/* CL_QUEUE_ON_DEVICE, which headers of OpenCL 1.2 lack: a queue that kernels enqueue on. */
enum { QUEUE_ON_DEVICE = 1 << 2 };

/* Finds the device at the root of a sub-device's parents; a root device finds itself. */
static scan_status root_device(const opencl_api *api, cl_device_id device, cl_device_id *root, scan_error *error) {
  cl_device_id parent = device;
  for (*root = device; parent != NULL;) {
    *root = parent;
    parent = NULL;
    OPENCL_TRY(error, "clGetDeviceInfo",
               api->clGetDeviceInfo(*root, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
  }
  return SCAN_SUCCESS;
}

static scan_status fail_adopting(const opencl_silence *silence, scan_error *error) {
  char fault[FAULT_BYTES];
  word_silence(silence, fault);
  return scan_fail(error, fault[0] != '\0' ? SCAN_DEVICE_ERROR : SCAN_UNSUPPORTED,
                   "scan_opencl_ctx_create: the queue's device is not one that libOpenCL.so.1 lists%s", fault);
}

static scan_status open_adopted(scan_device *d, const scan_adoption *adoption, scan_caps *caps, scan_error *error) {
  cl_command_queue queue = adoption->queue;
  cl_command_queue_properties properties = 0;
  cl_context context = NULL;
  cl_device_id root = NULL;
  opencl_place places[OPENCL_MOST_DEVICES];
  opencl_silence silence;
  if (adoption->context == NULL || queue == NULL)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "scan_opencl_ctx_create: %s is NULL",
                     queue == NULL ? "queue" : "context");
  OPENCL_TRY(error, "clGetCommandQueueInfo",
             d->api->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
  if (properties & QUEUE_ON_DEVICE)
    return scan_fail(error, SCAN_INVALID_ARGUMENT,
                     "scan_opencl_ctx_create: the queue is one that kernels enqueue on; give one of the host's");
  d->is_unordered = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  OPENCL_TRY(error, "clGetCommandQueueInfo",
             d->api->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
  if (context != adoption->context)
    return scan_fail(error, SCAN_INVALID_ARGUMENT,
                     "scan_opencl_ctx_create: the queue is of another cl_context than the one given");
  OPENCL_TRY(error, "clGetCommandQueueInfo",
             d->api->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof d->id, &d->id, NULL));
  SCAN_TRY(root_device(d->api, d->id, &root, error));
  const int count = scan_opencl_list(d->api, places, &silence);
  const int index = place_of(places, count, root);
  if (index == count) return fail_adopting(&silence, error);
  SCAN_TRY(scan_opencl_describe(d->api, (opencl_place){ places[index].platform, d->id }, index, caps, NULL, error));
  OPENCL_TRY(error, "clRetainContext", d->api->clRetainContext(adoption->context));
  d->context = adoption->context;
  OPENCL_TRY(error, "clRetainCommandQueue", d->api->clRetainCommandQueue(queue));
  d->queue = queue;
  return SCAN_SUCCESS;
}

static void release_program(scan_device *d, void *program) { (void)d->api->clReleaseProgram(program); }

static void source_release(scan_device *d, const struct scan_source *source) {
  scan_programs_release(&d->programs, source, release_program, d);
}

static void device_close(scan_device *d) {
  source_release(d, NULL);
  scan_opencl_pointers_close(d);
  if (d->queue) (void)d->api->clReleaseCommandQueue(d->queue);
  if (d->context) (void)d->api->clReleaseContext(d->context);
  free(d);
}

static void *device_queue(const scan_device *d) { return d->queue; }

static scan_status device_open(scan_caps *caps, const scan_adoption *adoption, scan_device **result,
                               scan_error *error) {
  char note[256];
  const opencl_api *api = scan_opencl_api_get(note, sizeof note);
  if (api == NULL) return scan_fail(error, SCAN_NO_DEVICE, "opencl: %s", note);
  scan_device *d = calloc(1, sizeof *d);
  if (d == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for an OpenCL device");
  d->api = api;
  const scan_status status = adoption->adopted ? open_adopted(d, adoption, caps, error) : open_own(d, caps, error);
  if (status != SCAN_SUCCESS) {
    device_close(d);
    return status;
  }
  d->tuning = caps->tuning;
  d->capability = caps->info.facts.compute_capability;
  d->splits = caps->descriptors == SCAN_DESCRIPTORS_SPLIT;
  d->ends_loops = caps->loop_limit != 0;
  *result = d;
  return SCAN_SUCCESS;
}

/* ---- work ---- */

scan_status scan_opencl_order(const scan_device *d, scan_error *error) {
  if (d->is_unordered)
    OPENCL_TRY(error, "clEnqueueBarrierWithWaitList", d->api->clEnqueueBarrierWithWaitList(d->queue, 0, NULL, NULL));
  return SCAN_SUCCESS;
}

/* Words a failed allocation. The driver's limit is named only after a refusal, because some drivers allocate more than
 * they promise. */
static scan_status alloc_failed(const scan_device *d, uint64_t bytes, cl_int result, scan_error *error) {
  cl_ulong most = 0;
  scan_error named;
  const scan_status status = scan_opencl_fail(&named, "clCreateBuffer", result);
  const cl_int known = d->api->clGetDeviceInfo(d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
  if (known == CL_SUCCESS && most > 0 && bytes > most)
    return scan_fail(error, SCAN_OUT_OF_MEMORY,
                     "%llu bytes of memory are needed in one piece, and the device's driver allocates at most %llu at "
                     "once (CL_DEVICE_MAX_MEM_ALLOC_SIZE; %.100s): go through the data in pieces, as scan_stream does "
                     "with host memory",
                     (unsigned long long)bytes, (unsigned long long)most, named.text);
  return scan_fail(error, status, "%.100s, for %llu bytes", named.text, (unsigned long long)bytes);
}

static scan_status opencl_alloc(scan_device *d, uint64_t bytes, void **handle, scan_error *error) {
  cl_int status;
  cl_mem buffer = d->api->clCreateBuffer(d->context, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &status);
  if (status != CL_SUCCESS) return alloc_failed(d, bytes, status, error);
  *handle = buffer;
  return SCAN_SUCCESS;
}

static scan_status opencl_fill(scan_device *d, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error) {
  SCAN_TRY(scan_opencl_order(d, error));
  if (scan_opencl_is_pointer(dst)) return scan_opencl_pointer_fill(d, dst, byte, bytes, error);
  OPENCL_TRY(error, "clEnqueueFillBuffer",
             d->api->clEnqueueFillBuffer(d->queue, dst.handle, &byte, 1, (size_t)dst.offset_bytes, (size_t)bytes, 0,
                                         NULL, NULL));
  return SCAN_SUCCESS;
}

static scan_status opencl_free(scan_device *d, void *handle, scan_error *error) {
  OPENCL_TRY(error, "clReleaseMemObject", d->api->clReleaseMemObject(handle));
  return SCAN_SUCCESS;
}

static scan_status opencl_write(scan_device *d, scan_mem dst, const void *src, uint64_t bytes, scan_error *error) {
  SCAN_TRY(scan_opencl_order(d, error));
  if (scan_opencl_is_pointer(dst)) return scan_opencl_pointer_write(d, dst, src, bytes, error);
  OPENCL_TRY(error, "clEnqueueWriteBuffer",
             d->api->clEnqueueWriteBuffer(d->queue, dst.handle, CL_TRUE, (size_t)dst.offset_bytes, (size_t)bytes, src,
                                          0, NULL, NULL));
  return SCAN_SUCCESS;
}

static scan_status opencl_read(scan_device *d, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  SCAN_TRY(scan_opencl_order(d, error));
  if (scan_opencl_is_pointer(src)) return scan_opencl_pointer_read(d, src, dst, bytes, error);
  OPENCL_TRY(error, "clEnqueueReadBuffer",
             d->api->clEnqueueReadBuffer(d->queue, src.handle, CL_TRUE, (size_t)src.offset_bytes, (size_t)bytes, dst, 0,
                                         NULL, NULL));
  return SCAN_SUCCESS;
}

static scan_status opencl_copy(scan_device *d, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error) {
  SCAN_TRY(scan_opencl_order(d, error));
  if (scan_opencl_is_pointer(dst) || scan_opencl_is_pointer(src))
    return scan_opencl_pointer_copy(d, dst, src, bytes, error);
  OPENCL_TRY(error, "clEnqueueCopyBuffer",
             d->api->clEnqueueCopyBuffer(d->queue, src.handle, dst.handle, (size_t)src.offset_bytes,
                                         (size_t)dst.offset_bytes, (size_t)bytes, 0, NULL, NULL));
  return SCAN_SUCCESS;
}

static void kernel_destroy(scan_device *d, scan_kernel *kernel) {
  (void)d->api->clReleaseKernel(kernel->kernel);
  free(kernel);
}

/* Sets the two arguments of a memory: the buffer, pointer or NULL, and the offset. */
static cl_int set_memory(const scan_device *d, cl_kernel kernel, cl_uint *at, const scan_mem *mem) {
  const cl_mem buffer = mem->handle;
  const cl_int status = scan_opencl_is_pointer(*mem)
                            ? scan_opencl_pointer_set(d, kernel, (*at)++, *mem)
                            : d->api->clSetKernelArg(kernel, (*at)++, sizeof buffer, buffer ? &buffer : NULL);
  if (status != CL_SUCCESS) return status;
  return d->api->clSetKernelArg(kernel, (*at)++, sizeof mem->offset_bytes, &mem->offset_bytes);
}

/* A bit for each row of the kernel's argument list, set if that argument is a pointer. */
static uint32_t pointers_in(const scan_kernel *kernel, const scan_kernel_args *args) {
  uint32_t pointers = 0, bit = 1;
  for (const scan_argument *a = kernel->arguments.rows; a->kind != SCAN_ARGUMENT_END; a++, bit <<= 1)
    if (a->kind == SCAN_ARGUMENT_MEMORY && scan_opencl_is_pointer(*(const scan_mem *)scan_argument_at(args, *a)))
      pointers |= bit;
  return pointers;
}

static scan_status opencl_launch(scan_device *d, scan_kernel *kernel, uint32_t groups, uint32_t items_per_group,
                                 const scan_kernel_args *args, scan_error *error) {
  const size_t local = items_per_group, global = (size_t)groups * items_per_group;
  cl_uint at = 0;
  SCAN_TRY(scan_opencl_kernel_match_pointers(d, kernel, pointers_in(kernel, args), error));
  for (const scan_argument *a = kernel->arguments.rows; a->kind != SCAN_ARGUMENT_END; a++) {
    const void *value = scan_argument_at(args, *a);
    const size_t bytes = a->kind == SCAN_ARGUMENT_U32 ? sizeof(uint32_t) : sizeof(uint64_t);
    OPENCL_TRY(error, "clSetKernelArg",
               a->kind == SCAN_ARGUMENT_MEMORY ? set_memory(d, kernel->kernel, &at, value)
                                               : d->api->clSetKernelArg(kernel->kernel, at++, bytes, value));
  }
  SCAN_TRY(scan_opencl_order(d, error));
  OPENCL_TRY(error, "clEnqueueNDRangeKernel",
             d->api->clEnqueueNDRangeKernel(d->queue, kernel->kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  return SCAN_SUCCESS;
}

static scan_status opencl_sync(scan_device *d, scan_error *error) {
  OPENCL_TRY(error, "clFinish", d->api->clFinish(d->queue));
  return SCAN_SUCCESS;
}

static scan_status mem_bytes(scan_device *d, scan_mem mem, uint64_t *bytes, scan_error *error) {
  size_t whole = 0;
  cl_context context = NULL;
  if (scan_opencl_is_pointer(mem)) return scan_opencl_pointer_bytes(d, mem, bytes, error);
  OPENCL_TRY(error, "clGetMemObjectInfo",
             d->api->clGetMemObjectInfo(mem.handle, CL_MEM_CONTEXT, sizeof context, &context, NULL));
  if (context != d->context)
    return scan_fail(error, SCAN_INVALID_ARGUMENT, "the buffer is of another cl_context than the scans' queue");
  OPENCL_TRY(error, "clGetMemObjectInfo",
             d->api->clGetMemObjectInfo(mem.handle, CL_MEM_SIZE, sizeof whole, &whole, NULL));
  *bytes = whole > mem.offset_bytes ? whole - mem.offset_bytes : 0;
  return SCAN_SUCCESS;
}

static scan_status events_wait(scan_device *d, uint32_t count, cl_event const *events, scan_error *error) {
  OPENCL_TRY(error, "clEnqueueBarrierWithWaitList",
             d->api->clEnqueueBarrierWithWaitList(d->queue, count, events, NULL));
  return SCAN_SUCCESS;
}

static scan_status event_mark(scan_device *d, cl_event *event, scan_error *error) {
  OPENCL_TRY(error, "clEnqueueMarkerWithWaitList", d->api->clEnqueueMarkerWithWaitList(d->queue, 0, NULL, event));
  return SCAN_SUCCESS;
}

/* Returns the buffer that a sub-buffer belongs to, else the buffer itself, and sets *first to the memory's offset in
 * it. */
static cl_mem whole_buffer(const scan_device *d, scan_mem mem, uint64_t *first) {
  cl_mem whole = NULL;
  size_t origin = 0;
  *first = mem.offset_bytes;
  if (d->api->clGetMemObjectInfo(mem.handle, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL) != CL_SUCCESS ||
      whole == NULL ||
      d->api->clGetMemObjectInfo(mem.handle, CL_MEM_OFFSET, sizeof origin, &origin, NULL) != CL_SUCCESS)
    return mem.handle;
  *first += origin;
  return whole;
}

static int mem_share(scan_device *d, scan_mem a, uint64_t a_bytes, scan_mem b, uint64_t b_bytes) {
  uint64_t first_a, first_b;
  return whole_buffer(d, a, &first_a) == whole_buffer(d, b, &first_b) && first_a < first_b + b_bytes &&
         first_b < first_a + a_bytes;
}

const scan_backend_ops scan_backend_opencl = { .id = SCAN_BACKEND_OPENCL,
                                               .memory = SCAN_MEM_OPENCL,
                                               .enumerate = opencl_enumerate,
                                               .open = device_open,
                                               .close = device_close,
                                               .queue = device_queue,
                                               .alloc = opencl_alloc,
                                               .free = opencl_free,
                                               .fill = opencl_fill,
                                               .write = opencl_write,
                                               .read = opencl_read,
                                               .copy = opencl_copy,
                                               .kernel_create = scan_opencl_kernel_create,
                                               .kernels_prepare = scan_opencl_kernels_prepare,
                                               .kernel_destroy = kernel_destroy,
                                               .source_release = source_release,
                                               .launch = opencl_launch,
                                               .sync = opencl_sync,
                                               .events_wait = events_wait,
                                               .event_mark = event_mark,
                                               .mem_bytes = mem_bytes,
                                               .mem_share = mem_share };
