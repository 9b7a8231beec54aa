/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds OpenCL devices, and builds kernels for an open one. */
#ifndef SCANRT_OPENCL_DEVICE_H
#define SCANRT_OPENCL_DEVICE_H

#include <stdatomic.h>

#include "device/arguments.h"
#include "device/opencl/opencl_api.h"

struct scan_device {
  const opencl_api *api;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  scan_tuning tuning;  /* the variant of the kernels */
  int is_unordered;    /* the queue is out of order */
  uint32_t capability; /* NVIDIA's compute capability, 0: another device */
  int splits;          /* 1: descriptors of 32-bit words */
  uint32_t ends_loops; /* 1: the device ends long loops (scan_caps.loop_limit) */
  scan_program *programs;
  struct opencl_pointers *pointers; /* opencl_pointers.c; NULL until the first use */
  atomic_uint programs_built,
      programs_loaded; /* number of programs built from source, and loaded from the cache on disk */
};

struct scan_kernel {
  cl_kernel kernel;
  cl_program program; /* owned by the device */
  char name[64];
  uint32_t pointers; /* the rows of `arguments` that were pointers, not buffers, in the last launch: a bit each */
  scan_argument_list arguments;
};

/* Largest text that is requested from a driver; no list of extensions or log comes near. */
enum { OPENCL_MOST_TEXT_BYTES = 16 << 20 };

/* A platform that names no device, and its result. If `platform` is NULL, `result` is that of clGetPlatformIDs. */
typedef struct opencl_silence {
  cl_platform_id platform;
  cl_int result;
} opencl_silence;

enum { OPENCL_MOST_DEVICES = 1024 };
typedef struct opencl_place {
  cl_platform_id platform;
  cl_device_id device;
} opencl_place;

/* Lists the devices of all platforms and returns their number. *silence receives a platform that names no device,
 * preferably one whose call failed; or the failure of clGetPlatformIDs. */
int scan_opencl_list(const opencl_api *api, opencl_place places[OPENCL_MOST_DEVICES], opencl_silence *silence);

/* Probes a device. This is the only function that queries a driver for facts; caps.c draws the conclusions. Fails if
 * the library has no memory for an answer; a question that the driver does not answer is recorded (scan_caps.fault).
 * @param[out] named result of the query of the platform's name, by which selectors find the device; may be NULL. */
scan_status scan_opencl_describe(const opencl_api *api, opencl_place place, int index, scan_caps *caps, cl_int *named,
                                 scan_error *error);

/* 1 if the driver lists the extension. */
int scan_opencl_has_extension(const opencl_api *api, cl_device_id device, const char *name);

/* Call before each command: on an out-of-order queue it orders the command after all that were enqueued before. */
scan_status scan_opencl_order(const scan_device *d, scan_error *error);

/* Call before the arguments are set: makes a new kernel object if other arguments are pointers than in the launch
 * before. NVIDIA's driver launches no kernel with a buffer in the place of an earlier pointer, or the reverse. */
scan_status scan_opencl_kernel_match_pointers(const scan_device *d, scan_kernel *kernel, uint32_t pointers,
                                              scan_error *error);

/* Makes a kernel object from the key's program, which is built at its first use. */
scan_status scan_opencl_kernel_create(scan_device *d, const scan_kernel_key *key, scan_kernel **result,
                                      scan_error *error);

/* Builds the programs of kernels in parallel, if the driver gains by it (scan_tuning.build_threads). */
void scan_opencl_kernels_prepare(scan_device *d, const scan_kernel_key *keys, int count);

#endif
