/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the application's that is a pointer: shared virtual memory (SVM) and unified shared memory (USM). */
#ifndef SCANRT_OPENCL_POINTERS_H
#define SCANRT_OPENCL_POINTERS_H

#include "device/opencl/opencl_device.h"

static inline int scan_opencl_is_pointer(scan_mem mem) { return mem.kind == SCAN_MEM_SVM || mem.kind == SCAN_MEM_USM; }

/* As mem_bytes of scan_backend_ops, and refuses what the device does not have. Other calls come after this one. */
scan_status scan_opencl_pointer_bytes(scan_device *d, scan_mem mem, uint64_t *bytes, scan_error *error);

/* Gives a kernel the pointer, without its offset. */
cl_int scan_opencl_pointer_set(const scan_device *d, cl_kernel kernel, cl_uint at, scan_mem mem);

/* The commands of scan_backend_ops for such memory; of copy, at least one side is. */
scan_status scan_opencl_pointer_fill(scan_device *d, scan_mem dst, uint8_t byte, uint64_t bytes, scan_error *error);
scan_status scan_opencl_pointer_write(scan_device *d, scan_mem dst, const void *src, uint64_t bytes, scan_error *error);
scan_status scan_opencl_pointer_read(scan_device *d, scan_mem src, void *dst, uint64_t bytes, scan_error *error);
scan_status scan_opencl_pointer_copy(scan_device *d, scan_mem dst, scan_mem src, uint64_t bytes, scan_error *error);

/* Frees what they made. */
void scan_opencl_pointers_close(scan_device *d);

#endif
