/* SPDX-License-Identifier: BSD-2-Clause */
/* What applications share with an open device. No OpenCL header is needed; there are no devices where they were
 * missing.
 */
#ifndef SCANRT_OPENCL_INTEROP_H
#define SCANRT_OPENCL_INTEROP_H

#include "device/backend.h"

struct _cl_command_queue;

struct _cl_command_queue *scan_opencl_device_queue(const scan_device *device);

#endif
