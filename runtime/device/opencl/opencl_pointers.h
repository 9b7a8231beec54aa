/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that the application names by a pointer: shared virtual memory (SVM) and unified shared memory (USM). */
#ifndef SCANRT_OPENCL_POINTERS_H
#define SCANRT_OPENCL_POINTERS_H

#include "device/opencl/opencl_device.h"

static inline int scan_opencl_is_pointer(scan_mem mem) { return mem.kind == SCAN_MEM_SVM || mem.kind == SCAN_MEM_USM; }

/* mem_bytes of scan_backend_ops. Refuses memory that the device does not support. Call it before all other
 * functions. */
scan_status scan_opencl_pointer_bytes(scan_device *d, scan_mem mem, uint64_t *bytes, scan_error *error);

/* Sets a kernel's argument to the pointer, without its offset. */
cl_int scan_opencl_pointer_set(const scan_device *d, cl_kernel kernel, cl_uint at, scan_mem mem);

/* fill of scan_backend_ops, for a pointer. */
scan_status scan_opencl_pointer_fill(scan_device *d, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error);

/* write of scan_backend_ops, for a pointer. */
scan_status scan_opencl_pointer_write(scan_device *d, scan_mem dst, const void *src, uint64_t bytes, scan_error *error);

/* read of scan_backend_ops, for a pointer. */
scan_status scan_opencl_pointer_read(scan_device *d, scan_mem src, void *dst, uint64_t bytes, scan_error *error);

/* copy of scan_backend_ops, if at least one side is a pointer. */
scan_status scan_opencl_pointer_copy(scan_device *d, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error);

/* Frees the device's opencl_pointers. */
void scan_opencl_pointers_close(scan_device *d);

#endif
