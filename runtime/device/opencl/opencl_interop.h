/* SPDX-License-Identifier: BSD-2-Clause */
/* What applications share with an open device. No OpenCL header is needed; there are no devices where they were
 * missing.
 */
#ifndef SCANRT_OPENCL_INTEROP_H
#define SCANRT_OPENCL_INTEROP_H

#include "device/backend.h"

struct _cl_command_queue;
struct _cl_event;

struct _cl_command_queue *opencl_device_queue(const scan_device *device);

/* What is enqueued from now on waits for the events. */
scan_status opencl_device_wait(scan_device *device, uint32_t count, struct _cl_event *const *events, scan_error *error);

/* An event that happens when everything in the queue is done. */
scan_status opencl_device_mark(scan_device *device, struct _cl_event **event, scan_error *error);

#endif
