/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding OpenCL devices, and building kernels for an open one. */
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
  int splits;          /* descriptors of 32-bit words */
  uint32_t ends_loops; /* 1: the device ends loops by itself (scan_caps: loop_limit) */
  scan_program *programs;
  struct opencl_pointers *pointers;            /* opencl_pointers.c, at its first use */
  atomic_uint programs_built, programs_loaded; /* from source; from the cache on disk */
};

struct scan_kernel {
  cl_kernel kernel;
  cl_program program; /* the device holds it */
  char name[64];
  uint32_t pointers; /* the places of arguments that are pointers, not buffers, in the last launch: a bit each */
  scan_argument_list arguments;
};

/* Longer texts, of which a driver tells the size, are not asked for: no list of extensions or log comes near. */
enum { OPENCL_MOST_TEXT_BYTES = 16 << 20 };

/* A platform that names no device, and its answer; where `platform` is NULL, the answer of clGetPlatformIDs. */
typedef struct opencl_silence {
  cl_platform_id platform;
  cl_int result;
} opencl_silence;

enum { OPENCL_MOST_DEVICES = 1024 };
typedef struct opencl_place {
  cl_platform_id platform;
  cl_device_id device;
} opencl_place;

/* Lists the devices of all platforms and returns how many there are. *silence becomes a platform that
 * names no device, one that fails before one that merely has none; or the failure of the list of platforms. */
int scan_opencl_list(const opencl_api *api, opencl_place places[OPENCL_MOST_DEVICES], opencl_silence *silence);

/* Probes a device: the one place where a driver is asked for facts; caps.c draws the conclusions. Fails where the
 * library has no memory for an answer; what the driver fails to answer is a fact, too (scan_caps.fault). @param[out]
 * named what came of asking for the platform's name, by which selectors find the device; NULL: nobody asks. */
scan_status scan_opencl_describe(const opencl_api *api, opencl_place place, int index, scan_caps *caps, cl_int *named,
                                 scan_error *error);

/* 1 when the driver lists the extension. */
int scan_opencl_has_extension(const opencl_api *api, cl_device_id device, const char *name);

/* To be called before each command: on a queue that is out of order, it comes after all that was enqueued before. */
scan_status scan_opencl_order(const scan_device *d, scan_error *error);

/* To be called before the arguments are set: gives the kernel a new object where others of them are pointers than in
 * the launch before. NVIDIA's driver launches none with a buffer for what was a pointer, or the other way about. */
scan_status scan_opencl_kernel_takes(const scan_device *d, scan_kernel *kernel, uint32_t pointers, scan_error *error);

/* A kernel object of its own from the program of the key, which is built at its first use. */
scan_status scan_opencl_kernel_create(scan_device *d, const scan_kernel_key *key, scan_kernel **result,
                                      scan_error *error);

/* Builds the programs of kernels side by side, where the driver gains by it (scan_tuning.build_threads). */
void scan_opencl_kernels_prepare(scan_device *d, const scan_kernel_key *keys, int count);

#endif
