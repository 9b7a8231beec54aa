/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file opencl_app.h
 * @brief OpenCL objects of an application, for tests of interoperation.
 */
#ifndef SCANRT_TESTS_OPENCL_APP_H
#define SCANRT_TESTS_OPENCL_APP_H

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <scanrt/scan_opencl.h>

#include "support.h"

#define CL_OK(call) assert_int_equal((call), CL_SUCCESS)

/** Returns the cl_device_id of the device under test. The library numbers the devices of all platforms. */
cl_device_id opencl_app_device(void);

/** Returns another device of the same platform, or NULL. */
cl_device_id opencl_app_other_device(void);

cl_platform_id opencl_app_platform(void);

/** Makes a context of `count` devices; the test releases it. */
cl_context opencl_app_context(cl_uint count, const cl_device_id *devices);
/** Makes a queue; the test releases it. */
cl_command_queue opencl_app_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties);

/** Makes a buffer of the context; the test releases it. */
cl_mem opencl_app_buffer(cl_context context, size_t bytes);

/** Makes a sub-buffer; the test releases it. */
cl_mem opencl_app_part(cl_mem buffer, size_t origin, size_t bytes);

/** 1 if the device supports out-of-order queues. */
int opencl_app_has_unordered(void);

/** Ends the program with 77 unless the device under test is an OpenCL one. Called by main. */
void opencl_app_open(void);

#endif
