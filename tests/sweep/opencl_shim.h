/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file opencl_shim.h
 * @brief Functions by which a test queries the OpenCL shim. The test opens it as the library does.
 */
#ifndef SCANRT_TESTS_OPENCL_SHIM_H
#define SCANRT_TESTS_OPENCL_SHIM_H

#include <CL/cl.h>

#include "sweep/fault.h"

/** Returns the plan of the shim's calls. */
fault_plan *opencl_shim_faults(void);

/** Returns the number of live references to contexts and queues, buffers, programs, kernels and events. */
long opencl_shim_objects(void);

#endif
