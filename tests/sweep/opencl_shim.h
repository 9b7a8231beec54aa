/* SPDX-License-Identifier: BSD-2-Clause */
/** @file opencl_shim.h @brief What a test may ask of the OpenCL shim, which it opens as the library does. */
#ifndef SCANRT_TESTS_OPENCL_SHIM_H
#define SCANRT_TESTS_OPENCL_SHIM_H

#include <CL/cl.h>

#include "sweep/fault.h"

/** Its calls. */
fault_plan *opencl_shim_faults(void);

/** References to contexts and queues, buffers, programs, kernels and events that there are now. */
long opencl_shim_objects(void);

#endif
