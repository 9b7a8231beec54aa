/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file scan_opencl.h
 * @brief Use scanrt with an OpenCL context, queue, buffers and events that the application owns.
 *
 * No OpenCL header is needed: the structs are declared as CL/cl.h declares them, so cl_context, cl_command_queue,
 * cl_mem and cl_event values pass unchanged.
 */
#ifndef SCANRT_SCAN_OPENCL_H
#define SCANRT_SCAN_OPENCL_H

#include <scanrt/scan.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _cl_context;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;

/**
 * Creates a context on the application's OpenCL context and queue; both are retained until scan_ctx_destroy.
 * @param options  as for scan_ctx_create; `device` is ignored.
 * @param context  a cl_context that holds the queue's device, and others where the application has several.
 * @param queue    a cl_command_queue, in-order or out-of-order, of a device or a sub-device; scans are enqueued on it.
 * @param[out] ctx destroy with scan_ctx_destroy.
 *
 * On an out-of-order queue the library puts a barrier before each command of its own: a scan begins after all that was
 * enqueued before, and its launches are done in their order. What the application enqueues behind it waits for it by
 * the event of args->opencl, or by a barrier of the application's; or scan_sync, which waits for all of the queue.
 *
 * @return SCAN_INVALID_ARGUMENT for NULL, for a queue of another cl_context, or for one that kernels enqueue on.
 */
SCAN_API scan_status scan_opencl_ctx_create(const scan_ctx_options *options, struct _cl_context *context,
                                            struct _cl_command_queue *queue, scan_ctx **ctx);

/** Names a buffer or sub-buffer of the application's, of the context's cl_context; its size is asked of OpenCL where it
 *  is used. Not retained. Sub-buffers of one buffer that overlap are refused as in and out: in place is one cl_mem. */
SCAN_API scan_mem scan_opencl_mem(struct _cl_mem *buffer, uint64_t offset_bytes);

/**
 * Names shared virtual memory (SVM) of the application's, of clSVMAlloc in the context's cl_context: coarse-grained
 * memory that is not mapped while scans use it, or fine-grained. Calls return SCAN_UNSUPPORTED on a device without SVM.
 * @param pointer  to the allocation, or into it; not owned.
 * @param bytes    how many follow, 0: unchecked.
 * @note Whether it is memory of a cl_mem, too (CL_MEM_USE_HOST_PTR), is not known to the checks of what overlaps.
 */
SCAN_API scan_mem scan_opencl_svm(void *pointer, uint64_t bytes);

/**
 * Names unified shared memory (USM) of the application's: device, shared or host memory that functions of
 * cl_intel_unified_shared_memory allocated in the context's cl_context. Calls return SCAN_UNSUPPORTED on a device
 * without it, and SCAN_INVALID_ARGUMENT for other memory, unless the device shares all of the host's.
 * @param pointer  to the allocation, or into it; not owned.
 * @param bytes    how many follow, 0: as many as the driver says.
 */
SCAN_API scan_mem scan_opencl_usm(void *pointer, uint64_t bytes);

/** The cl_mem behind memory of scan_alloc of an OpenCL context (offset not applied); NULL if it is something else. */
SCAN_API struct _cl_mem *scan_opencl_buffer(scan_mem mem);

/** The queue that the context's scans run on. @return SCAN_INVALID_ARGUMENT if ctx is not an OpenCL context. */
SCAN_API scan_status scan_opencl_queue(scan_ctx *ctx, struct _cl_command_queue **queue);

/** Events around a run, for scan_args.opencl: the scan begins after those it waits for. */
typedef struct scan_opencl_events {
  size_t struct_bytes;                /**< sizeof(scan_opencl_events), set by SCAN_OPENCL_EVENTS_INIT. */
  uint32_t wait_count;                /**< Number of events in wait_list. */
  struct _cl_event *const *wait_list; /**< Events of the context's cl_context; NULL where wait_count is 0. */
  struct _cl_event **event;           /**< Gets the event of the scan's end, for the caller to release; NULL: no event.
                                           Set on success only. */
} scan_opencl_events;

/** Initialiser of scan_opencl_events. */
#define SCAN_OPENCL_EVENTS_INIT                                                                                        \
  SCAN_INITIALISER(scan_make_<scan_opencl_events>(), { .struct_bytes = sizeof(scan_opencl_events) })

#ifdef __cplusplus
}
#endif
#endif
