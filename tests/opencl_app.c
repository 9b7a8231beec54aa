/* SPDX-License-Identifier: BSD-2-Clause */
#include "opencl_app.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };

cl_device_id opencl_app_device(void) {
  cl_platform_id platforms[MOST];
  cl_device_id devices[MOST];
  cl_uint platform_count = 0, count = 0;
  int wanted = atoi(test_info()->selector + strlen("opencl:"));
  if (clGetPlatformIDs(MOST, platforms, &platform_count) != CL_SUCCESS) return NULL;
  for (cl_uint p = 0; p < platform_count; p++) {
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST, devices, &count) != CL_SUCCESS) continue;
    if (wanted < (int)count) return devices[wanted];
    wanted -= (int)count;
  }
  return NULL;
}

cl_platform_id opencl_app_platform(void) {
  cl_platform_id platform = NULL;
  CL_OK(clGetDeviceInfo(opencl_app_device(), CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
  return platform;
}

cl_device_id opencl_app_other_device(void) {
  cl_device_id devices[MOST];
  cl_uint count = 0;
  CL_OK(clGetDeviceIDs(opencl_app_platform(), CL_DEVICE_TYPE_ALL, MOST, devices, &count));
  for (cl_uint d = 0; d < count; d++)
    if (devices[d] != opencl_app_device()) return devices[d];
  return NULL;
}

cl_context opencl_app_context(cl_uint count, const cl_device_id *devices) {
  cl_int status = CL_SUCCESS;
  cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &status);
  CL_OK(status);
  return context;
}

cl_command_queue opencl_app_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties) {
  cl_int status = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueue(context, device, properties, &status);
  CL_OK(status);
  return queue;
}

cl_mem opencl_app_buffer(cl_context context, size_t bytes) {
  cl_int status = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  CL_OK(status);
  return buffer;
}

cl_mem opencl_app_part(cl_mem buffer, size_t origin, size_t bytes) {
  cl_int status = CL_SUCCESS;
  const cl_buffer_region region = { origin, bytes };
  cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  CL_OK(status);
  return part;
}

int opencl_app_has_unordered(void) {
  cl_command_queue_properties properties = 0;
  CL_OK(clGetDeviceInfo(opencl_app_device(), CL_DEVICE_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
  return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

void opencl_app_open(void) {
  (void)test_device_open();
  if (test_info()->backend != SCAN_BACKEND_OPENCL) test_skip_program("%s is not OpenCL", test_selector());
}
