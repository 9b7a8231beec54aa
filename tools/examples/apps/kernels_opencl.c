/* SPDX-License-Identifier: BSD-2-Clause */
#define _POSIX_C_SOURCE 200809L
#include "kernels_device.h"

#include <dlfcn.h>
#include <stdio.h>

#ifdef APP_HAVE_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <scanrt/scan_opencl.h>

enum { LOG_BYTES = 4096 };

/* Opens libOpenCL.so.1 at run time, so that the program starts without it. */
#define FUNCTIONS(F)                                                                                                   \
  F(clGetDeviceInfo)                                                                                                   \
  F(clGetCommandQueueInfo)                                                                                             \
  F(clCreateProgramWithSource)                                                                                         \
  F(clBuildProgram)                                                                                                    \
  F(clGetProgramBuildInfo)                                                                                             \
  F(clReleaseProgram)                                                                                                  \
  F(clCreateKernel)                                                                                                    \
  F(clReleaseKernel) F(clGetKernelWorkGroupInfo) F(clSetKernelArg) F(clEnqueueNDRangeKernel)

typedef struct opencl_state {
  void *library;
  cl_command_queue queue;
  cl_context context;
  cl_device_id device;
  cl_program program;
  cl_kernel kernels[APP_MOST_KERNELS];
  size_t group_items[APP_MOST_KERNELS][3]; /* the size of a work-group that the kernel's text demands; else 0 */
#define MEMBER(name) __typeof__(&name) name;
  FUNCTIONS(MEMBER)
#undef MEMBER
} opencl_state;

static const char prelude[] = "typedef int int32_t; typedef uint uint32_t; typedef ulong uint64_t;\n"
                              "#define APP_KERNEL kernel\n"
                              "#define APP_FUNCTION static inline\n"
                              "#define APP_GLOBAL global\n"
                              "#define APP_ITEM ((uint32_t)get_global_id(0))\n"
                              "#define APP_ITEMS ((uint32_t)get_global_size(0))\n"
                              "#define APP_SWAP(at, from, to) atomic_cmpxchg(at, from, to)\n"
                              "#define APP_GROUP ((uint)get_group_id(0))\n"
                              "#define APP_POPCOUNT(x) popcount((uint)(x))\n"
                              "#define APP_CLZ(x) clz((uint)(x))\n";

static int check(const char *call, cl_int status) {
  if (status == CL_SUCCESS) return 0;
  fprintf(stderr, "%s failed: %d\n", call, (int)status);
  return -1;
}

static int open_library(opencl_state *s) {
  s->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!s->library) {
    fprintf(stderr, "%s\n", dlerror());
    return -1;
  }
#define FIND(name)                                                                                                     \
  if (app_symbol(s->library, #name, &s->name) != 0) return -1;
  FUNCTIONS(FIND)
#undef FIND
  return 0;
}

static int take_queue(opencl_state *s, scan_ctx *ctx) {
  if (scan_opencl_queue(ctx, &s->queue) != SCAN_SUCCESS) {
    fprintf(stderr, "%s\n", scan_last_error(ctx));
    return -1;
  }
  const cl_int status =
      s->clGetCommandQueueInfo(s->queue, CL_QUEUE_CONTEXT, sizeof(cl_context), (void *)&s->context, NULL);
  if (check("clGetCommandQueueInfo", status) != 0) return -1;
  return check("clGetCommandQueueInfo",
               s->clGetCommandQueueInfo(s->queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), (void *)&s->device, NULL));
}

/* Asks for CUDA's and the host's division of floats where the device has it. */
static const char *build_options(const opencl_state *s) {
  cl_device_fp_config has = 0;
  (void)s->clGetDeviceInfo(s->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof has, &has, NULL);
  return has & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
}

static int build(opencl_state *s, const char *text) {
  static char log[LOG_BYTES];
  const char *texts[] = { prelude, text };
  cl_int status;
  s->program = s->clCreateProgramWithSource(s->context, 2, texts, NULL, &status);
  if (check("clCreateProgramWithSource", status) != 0) return -1;
  status = s->clBuildProgram(s->program, 1, &s->device, build_options(s), NULL, NULL);
  if (status == CL_SUCCESS) return 0;
  (void)s->clGetProgramBuildInfo(s->program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
  fprintf(stderr, "%s\n", log);
  return check("clBuildProgram", status);
}

static int opencl_open(void *state, scan_ctx *ctx, const char *text, const app_kernel *kernels, int count) {
  opencl_state *s = state;
  if (count == 0) return 0;
  if (open_library(s) != 0 || take_queue(s, ctx) != 0 || build(s, text) != 0) return -1;
  for (int i = 0; i < count; i++) {
    cl_int status;
    s->kernels[i] = s->clCreateKernel(s->program, kernels[i].name, &status);
    if (check("clCreateKernel", status) != 0) return -1;
    status = s->clGetKernelWorkGroupInfo(s->kernels[i], s->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                         sizeof s->group_items[i], s->group_items[i], NULL);
    if (check("clGetKernelWorkGroupInfo", status) != 0) return -1;
  }
  return 0;
}

static int opencl_launch(void *state, int which, uint32_t groups, const app_argument *arguments, int count) {
  opencl_state *s = state;
  cl_kernel kernel = s->kernels[which];
  const size_t items = (size_t)groups * APP_GROUP_ITEMS, *const local = s->group_items[which];
  for (int i = 0; i < count; i++) {
    cl_mem buffer = scan_opencl_buffer(arguments[i].memory);
    const cl_int status = buffer ? s->clSetKernelArg(kernel, (cl_uint)i, sizeof buffer, (void *)&buffer)
                                 : s->clSetKernelArg(kernel, (cl_uint)i, sizeof(uint32_t), &arguments[i].number);
    if (check("clSetKernelArg", status) != 0) return -1;
  }
  return check("clEnqueueNDRangeKernel",
               s->clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, local[0] ? local : NULL, 0, NULL, NULL));
}

static void opencl_close(void *state) {
  opencl_state *s = state;
  for (int i = 0; i < APP_MOST_KERNELS; i++)
    if (s->kernels[i]) (void)s->clReleaseKernel(s->kernels[i]);
  if (s->program) (void)s->clReleaseProgram(s->program);
  if (s->library) (void)dlclose(s->library);
}

const app_device app_device_opencl = {
  .state_bytes = sizeof(opencl_state),
  .open = opencl_open,
  .launch = opencl_launch,
  .close = opencl_close,
};

#else

static int left_out_open(void *state, scan_ctx *ctx, const char *text, const app_kernel *kernels, int count) {
  (void)state, (void)ctx, (void)text, (void)kernels, (void)count;
  fprintf(stderr, "this program was built where there is no CL/cl.h\n");
  return -1;
}

static void left_out_close(void *state) { (void)state; }

const app_device app_device_opencl = { .state_bytes = 1, .open = left_out_open, .close = left_out_close };

#endif
