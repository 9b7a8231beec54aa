/* SPDX-License-Identifier: BSD-2-Clause */
/** @file opencl_app.h @brief What tests of an application's own OpenCL objects share. */
#ifndef SCANRT_TESTS_OPENCL_APP_H
#define SCANRT_TESTS_OPENCL_APP_H

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <scanrt/scan_opencl.h>

#include "support.h"

#define CL_OK(call) assert_int_equal((call), CL_SUCCESS)

/** The cl_device_id of the device under test: of all platforms' devices the one that the library gives its number. */
cl_device_id opencl_app_device(void);

/** Another device of the same platform; NULL when there is none. */
cl_device_id opencl_app_other_device(void);

cl_platform_id opencl_app_platform(void);

/** A context of `count` devices, and a queue; both are released by the test. */
cl_context opencl_app_context(cl_uint count, const cl_device_id *devices);
cl_command_queue opencl_app_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties);

/** A buffer of the context's; released by the test. */
cl_mem opencl_app_buffer(cl_context context, size_t bytes);

/** 1 when the device's queues may be out of order. */
int opencl_app_has_unordered(void);

/** Ends the program with 77 unless the device under test is OpenCL; for main. */
void opencl_app_open(void);

#endif
