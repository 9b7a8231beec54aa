/* SPDX-License-Identifier: BSD-2-Clause */
/* The OpenCL ICD loader, opened at run time; only the headers are needed to build. */
#ifndef SCANRT_OPENCL_API_H
#define SCANRT_OPENCL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/error.h"

#define OPENCL_FUNCTIONS(OPENCL_FUNCTION)                                                                              \
  OPENCL_FUNCTION(clGetPlatformIDs)                                                                                    \
  OPENCL_FUNCTION(clGetPlatformInfo)                                                                                   \
  OPENCL_FUNCTION(clGetDeviceIDs)                                                                                      \
  OPENCL_FUNCTION(clGetDeviceInfo)                                                                                     \
  OPENCL_FUNCTION(clGetExtensionFunctionAddressForPlatform)                                                            \
  OPENCL_FUNCTION(clCreateContext)                                                                                     \
  OPENCL_FUNCTION(clRetainContext)                                                                                     \
  OPENCL_FUNCTION(clReleaseContext)                                                                                    \
  OPENCL_FUNCTION(clCreateCommandQueue)                                                                                \
  OPENCL_FUNCTION(clRetainCommandQueue)                                                                                \
  OPENCL_FUNCTION(clReleaseCommandQueue)                                                                               \
  OPENCL_FUNCTION(clGetCommandQueueInfo)                                                                               \
  OPENCL_FUNCTION(clCreateBuffer)                                                                                      \
  OPENCL_FUNCTION(clReleaseMemObject)                                                                                  \
  OPENCL_FUNCTION(clGetMemObjectInfo)                                                                                  \
  OPENCL_FUNCTION(clEnqueueFillBuffer)                                                                                 \
  OPENCL_FUNCTION(clEnqueueWriteBuffer)                                                                                \
  OPENCL_FUNCTION(clEnqueueReadBuffer)                                                                                 \
  OPENCL_FUNCTION(clEnqueueCopyBuffer)                                                                                 \
  OPENCL_FUNCTION(clCreateProgramWithSource)                                                                           \
  OPENCL_FUNCTION(clCreateProgramWithBinary)                                                                           \
  OPENCL_FUNCTION(clBuildProgram)                                                                                      \
  OPENCL_FUNCTION(clGetProgramInfo)                                                                                    \
  OPENCL_FUNCTION(clGetProgramBuildInfo)                                                                               \
  OPENCL_FUNCTION(clReleaseProgram)                                                                                    \
  OPENCL_FUNCTION(clCreateKernel)                                                                                      \
  OPENCL_FUNCTION(clReleaseKernel)                                                                                     \
  OPENCL_FUNCTION(clSetKernelArg)                                                                                      \
  OPENCL_FUNCTION(clEnqueueNDRangeKernel)                                                                              \
  OPENCL_FUNCTION(clEnqueueMarkerWithWaitList)                                                                         \
  OPENCL_FUNCTION(clEnqueueBarrierWithWaitList)                                                                        \
  OPENCL_FUNCTION(clWaitForEvents)                                                                                     \
  OPENCL_FUNCTION(clReleaseEvent)                                                                                      \
  OPENCL_FUNCTION(clFlush)                                                                                             \
  OPENCL_FUNCTION(clFinish)

/* Functions of OpenCL 2.0 for shared virtual memory, which loaders may lack. OPENCL_FUNCTION(name, parameters); each
 * returns a cl_int. */
#define OPENCL_LATER_FUNCTIONS(OPENCL_FUNCTION)                                                                        \
  OPENCL_FUNCTION(clSetKernelArgSVMPointer, (cl_kernel, cl_uint, const void *))                                        \
  OPENCL_FUNCTION(clEnqueueSVMMemcpy,                                                                                  \
                  (cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *))    \
  OPENCL_FUNCTION(clEnqueueSVMMemFill,                                                                                 \
                  (cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *))

typedef struct opencl_api {
#define OPENCL_MEMBER(name) __typeof__(name) *name;
  OPENCL_FUNCTIONS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
#define OPENCL_MEMBER(name, parameters) cl_int(CL_API_CALL *name) parameters;
  OPENCL_LATER_FUNCTIONS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
} opencl_api;

/* Returns the ICD loader, opened once per process; NULL, with the reason in `note`, if there is none. */
const opencl_api *scan_opencl_api_get(char *note, size_t note_bytes);

/* The loader's result if no vendor's driver is registered: CL_PLATFORM_NOT_FOUND_KHR. */
enum { OPENCL_NO_PLATFORM = -1001 };

const char *scan_opencl_result_name(cl_int result);

/* Words a failed call: "clCreateBuffer failed: CL_OUT_OF_RESOURCES (-5)". */
scan_status scan_opencl_fail(scan_error *error, const char *call, cl_int result);

#define OPENCL_TRY(error, call, result)                                                                                \
  do {                                                                                                                 \
    const cl_int result_ = (result);                                                                                   \
    if (result_ != CL_SUCCESS) return scan_opencl_fail((error), (call), result_);                                      \
  } while (0)

#endif
