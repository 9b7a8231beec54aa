/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenCL functions that the library looks up and that need no behaviour in tests: each returns 0, success or no object.
 * This file does not include cl.h, so that one signature serves for all. */
#define STUB(name)                                                                                                     \
  __attribute__((visibility("default"))) void *name(void);                                                             \
  void *name(void) { return (void *)0; }

/* clang-format off */
STUB(clGetExtensionFunctionAddressForPlatform)
STUB(clRetainContext)
STUB(clReleaseContext)
STUB(clRetainCommandQueue)
STUB(clReleaseCommandQueue)
STUB(clGetCommandQueueInfo)
STUB(clGetMemObjectInfo)
STUB(clEnqueueFillBuffer)
STUB(clEnqueueWriteBuffer)
STUB(clEnqueueCopyBuffer)
STUB(clCreateProgramWithBinary)
STUB(clGetProgramInfo)
STUB(clReleaseKernel)
STUB(clSetKernelArg)
STUB(clEnqueueNDRangeKernel)
STUB(clEnqueueMarkerWithWaitList)
STUB(clEnqueueBarrierWithWaitList)
STUB(clWaitForEvents)
STUB(clReleaseEvent)
STUB(clFlush)
STUB(clFinish)
/* clang-format on */
