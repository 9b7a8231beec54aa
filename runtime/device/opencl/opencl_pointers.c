/* SPDX-License-Identifier: BSD-2-Clause */
#include "device/opencl/opencl_pointers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of OpenCL 2.0 and of cl_intel_unified_shared_memory, which headers of OpenCL 1.2 lack. */
enum {
  DEVICE_SVM_CAPABILITIES = 0x1053,
  SVM_COARSE_GRAIN_BUFFER = 1,
  DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES = 0x4194,
  MEM_ALLOC_TYPE = 0x419A,
  MEM_ALLOC_BASE_PTR = 0x419B,
  MEM_ALLOC_SIZE = 0x419C,
  MEM_TYPE_UNKNOWN = 0x4196
};

typedef cl_int(CL_API_CALL *usm_set)(cl_kernel, cl_uint, const void *);
typedef cl_int(CL_API_CALL *usm_fill)(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *,
                                      cl_event *);
typedef cl_int(CL_API_CALL *usm_copy)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint,
                                      const cl_event *, cl_event *);
typedef cl_int(CL_API_CALL *usm_info)(cl_context, const void *, cl_uint, size_t, void *, size_t *);

/* A device's support of SVM and USM, and USM's functions. */
struct opencl_pointers {
  int has_svm, has_usm;
  cl_ulong system_memory; /* USM: how the device shares ordinary host memory; 0: it does not */
  usm_set set;
  usm_fill fill;
  usm_copy copy;
  usm_info info;
  scan_kernel mixed; /* copies between a buffer and a pointer; `program` is NULL until it is built */
};

/* ---- the device's support ---- */

/* Looks up an extension's function. Uses memcpy, because ISO C has no cast from an object to a function pointer. */
static int look_up(const scan_device *d, cl_platform_id platform, const char *name, void *member) {
  void *function = d->api->clGetExtensionFunctionAddressForPlatform(platform, name);
  memcpy(member, &function, sizeof function);
  return function != NULL;
}

static int find_usm(const scan_device *d, struct opencl_pointers *p) {
  cl_platform_id platform = NULL;
  if (!scan_opencl_has_extension(d->api, d->id, "cl_intel_unified_shared_memory") ||
      d->api->clGetDeviceInfo(d->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS)
    return 0;
  if (d->api->clGetDeviceInfo(d->id, DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES, sizeof p->system_memory, &p->system_memory,
                              NULL) != CL_SUCCESS)
    p->system_memory = 0;
  return look_up(d, platform, "clSetKernelArgMemPointerINTEL", &p->set) &&
         look_up(d, platform, "clEnqueueMemFillINTEL", &p->fill) &&
         look_up(d, platform, "clEnqueueMemcpyINTEL", &p->copy) &&
         look_up(d, platform, "clGetMemAllocInfoINTEL", &p->info);
}

static int find_svm(const scan_device *d) {
  cl_ulong capabilities = 0;
  return d->api->clSetKernelArgSVMPointer != NULL && d->api->clEnqueueSVMMemcpy != NULL &&
         d->api->clEnqueueSVMMemFill != NULL &&
         d->api->clGetDeviceInfo(d->id, DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL) ==
             CL_SUCCESS &&
         (capabilities & SVM_COARSE_GRAIN_BUFFER) != 0;
}

static scan_status pointers_of(scan_device *d, scan_error *error) {
  if (d->pointers != NULL) return SCAN_SUCCESS;
  d->pointers = calloc(1, sizeof *d->pointers);
  if (d->pointers == NULL) return scan_fail(error, SCAN_OUT_OF_MEMORY, "no host memory for an OpenCL device");
  d->pointers->has_svm = find_svm(d);
  d->pointers->has_usm = find_usm(d, d->pointers);
  return SCAN_SUCCESS;
}

void scan_opencl_pointers_close(scan_device *d) {
  if (d->pointers == NULL) return;
  if (d->pointers->mixed.kernel != NULL) (void)d->api->clReleaseKernel(d->pointers->mixed.kernel);
  if (d->pointers->mixed.program != NULL) (void)d->api->clReleaseProgram(d->pointers->mixed.program);
  free(d->pointers);
}

/* ---- sizes ---- */

static char *address_of(scan_mem mem) { return (char *)mem.handle + mem.offset_bytes; }

static uint64_t known_bytes(scan_mem mem) {
  return mem.size_bytes == 0 ? UINT64_MAX : mem.size_bytes == SCAN_MEM_NOTHING_LEFT ? 0 : mem.size_bytes;
}

/* Sets *bytes to the rest of the allocation after the memory's beginning, as far as the driver knows it. */
static scan_status usm_bytes(const scan_device *d, scan_mem mem, uint64_t *bytes, scan_error *error) {
  const struct opencl_pointers *p = d->pointers;
  cl_uint type = MEM_TYPE_UNKNOWN;
  char *base = NULL;
  size_t size = 0;
  *bytes = known_bytes(mem);
  OPENCL_TRY(error, "clGetMemAllocInfoINTEL",
             p->info(d->context, mem.handle, MEM_ALLOC_TYPE, sizeof type, &type, NULL));
  if (type == MEM_TYPE_UNKNOWN && p->system_memory != 0) return SCAN_SUCCESS;
  if (type == MEM_TYPE_UNKNOWN)
    return scan_fail(error, SCAN_INVALID_ARGUMENT,
                     "the pointer is to no unified shared memory of the cl_context of the scans' queue");
  OPENCL_TRY(error, "clGetMemAllocInfoINTEL",
             p->info(d->context, mem.handle, MEM_ALLOC_BASE_PTR, sizeof base, &base, NULL));
  OPENCL_TRY(error, "clGetMemAllocInfoINTEL",
             p->info(d->context, mem.handle, MEM_ALLOC_SIZE, sizeof size, &size, NULL));
  const uint64_t before = (uint64_t)((char *)mem.handle - base) + mem.offset_bytes;
  const uint64_t there = before < size ? size - before : 0;
  if (*bytes > there) *bytes = there;
  return SCAN_SUCCESS;
}

scan_status scan_opencl_pointer_bytes(scan_device *d, scan_mem mem, uint64_t *bytes, scan_error *error) {
  SCAN_TRY(pointers_of(d, error));
  if (mem.kind == SCAN_MEM_USM && !d->pointers->has_usm)
    return scan_fail(error, SCAN_UNSUPPORTED,
                     "the device has no cl_intel_unified_shared_memory: give a buffer (scan_opencl_mem)");
  if (mem.kind == SCAN_MEM_USM) return usm_bytes(d, mem, bytes, error);
  if (!d->pointers->has_svm)
    return scan_fail(error, SCAN_UNSUPPORTED,
                     "the device has no shared virtual memory (CL_DEVICE_SVM_CAPABILITIES): give a buffer "
                     "(scan_opencl_mem)");
  *bytes = known_bytes(mem);
  return SCAN_SUCCESS;
}

/* ---- kernels' arguments ---- */

cl_int scan_opencl_pointer_set(const scan_device *d, cl_kernel kernel, cl_uint at, scan_mem mem) {
  return mem.kind == SCAN_MEM_USM ? d->pointers->set(kernel, at, mem.handle)
                                  : d->api->clSetKernelArgSVMPointer(kernel, at, mem.handle);
}

/* ---- commands ---- */

scan_status scan_opencl_pointer_fill(scan_device *d, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error) {
  if (dst.kind == SCAN_MEM_USM)
    OPENCL_TRY(error, "clEnqueueMemFillINTEL",
               d->pointers->fill(d->queue, address_of(dst), &byte, 1, (size_t)bytes, 0, NULL, NULL));
  else
    OPENCL_TRY(error, "clEnqueueSVMMemFill",
               d->api->clEnqueueSVMMemFill(d->queue, address_of(dst), &byte, 1, (size_t)bytes, 0, NULL, NULL));
  return SCAN_SUCCESS;
}

/* Copies between two pointers of one kind, or between a pointer and host memory. */
static scan_status enqueue_copy(scan_device *d, scan_mem_kind kind, cl_bool waits, void *to, const void *from,
                                uint64_t bytes, scan_error *error) {
  if (kind == SCAN_MEM_USM)
    OPENCL_TRY(error, "clEnqueueMemcpyINTEL",
               d->pointers->copy(d->queue, waits, to, from, (size_t)bytes, 0, NULL, NULL));
  else
    OPENCL_TRY(error, "clEnqueueSVMMemcpy",
               d->api->clEnqueueSVMMemcpy(d->queue, waits, to, from, (size_t)bytes, 0, NULL, NULL));
  return SCAN_SUCCESS;
}

scan_status scan_opencl_pointer_write(scan_device *d, scan_mem dst, const void *src, uint64_t bytes,
                                      scan_error *error) {
  return enqueue_copy(d, dst.kind, CL_TRUE, address_of(dst), src, bytes, error);
}

scan_status scan_opencl_pointer_read(scan_device *d, scan_mem src, void *dst, uint64_t bytes, scan_error *error) {
  return enqueue_copy(d, src.kind, CL_TRUE, dst, address_of(src), bytes, error);
}

/* Builds a kernel that copies between a pointer and a buffer: OpenCL has no command for that. */
static scan_status build_mixed(scan_device *d, scan_error *error) {
  static const char text[] =
      "__kernel void scanrt_copy(__global uchar *to, ulong to_first, __global const uchar *from,\n"
      "                          ulong from_first) {\n"
      "  const size_t i = get_global_id(0);\n"
      "  to[to_first + i] = from[from_first + i];\n"
      "}\n";
  const char *texts[] = { text };
  scan_kernel *mixed = &d->pointers->mixed;
  cl_int result = CL_SUCCESS;
  cl_program program = d->api->clCreateProgramWithSource(d->context, 1, texts, NULL, &result);
  OPENCL_TRY(error, "clCreateProgramWithSource", result);
  const char *call = "clBuildProgram";
  result = d->api->clBuildProgram(program, 1, &d->id, "", NULL, NULL);
  if (result == CL_SUCCESS) {
    call = "clCreateKernel";
    snprintf(mixed->name, sizeof mixed->name, "scanrt_copy");
    mixed->kernel = d->api->clCreateKernel(program, mixed->name, &result);
  }
  if (result != CL_SUCCESS) {
    (void)d->api->clReleaseProgram(program);
    return scan_opencl_fail(error, call, result);
  }
  mixed->program = program;
  return SCAN_SUCCESS;
}

static cl_int set_side(const scan_device *d, cl_uint at, scan_mem mem) {
  const cl_mem buffer = mem.handle;
  const cl_int status = scan_opencl_is_pointer(mem)
                            ? scan_opencl_pointer_set(d, d->pointers->mixed.kernel, at, mem)
                            : d->api->clSetKernelArg(d->pointers->mixed.kernel, at, sizeof buffer, &buffer);
  if (status != CL_SUCCESS) return status;
  return d->api->clSetKernelArg(d->pointers->mixed.kernel, at + 1, sizeof mem.offset_bytes, &mem.offset_bytes);
}

scan_status scan_opencl_pointer_copy(scan_device *d, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error) {
  const size_t items = (size_t)bytes;
  if (dst.kind == src.kind) return enqueue_copy(d, dst.kind, CL_FALSE, address_of(dst), address_of(src), bytes, error);
  if (d->pointers->mixed.program == NULL) { SCAN_TRY(build_mixed(d, error)); }
  const uint32_t pointers = (scan_opencl_is_pointer(dst) ? 1u : 0u) | (scan_opencl_is_pointer(src) ? 2u : 0u);
  SCAN_TRY(scan_opencl_kernel_match_pointers(d, &d->pointers->mixed, pointers, error));
  OPENCL_TRY(error, "clSetKernelArg", set_side(d, 0, dst));
  OPENCL_TRY(error, "clSetKernelArg", set_side(d, 2, src));
  OPENCL_TRY(error, "clEnqueueNDRangeKernel",
             d->api->clEnqueueNDRangeKernel(d->queue, d->pointers->mixed.kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
  return SCAN_SUCCESS;
}
