/* SPDX-License-Identifier: BSD-2-Clause */
/* OpenCL programs in the cache on disk. */
#ifndef SCANRT_OPENCL_CACHE_H
#define SCANRT_OPENCL_CACHE_H

#include "device/opencl/opencl_device.h"
#include "device/program_claim.h"
#include "device/source.h"

enum { OPENCL_MOST_TEXTS = 8 };

/* The texts and options of a program: an operator's text, if there is one, and the kernel's. */
typedef struct opencl_source {
  cl_uint count;
  const char *texts[OPENCL_MOST_TEXTS];
  char *owned[OPENCL_MOST_TEXTS]; /* texts that are freed with it; or NULL */
  size_t bytes[OPENCL_MOST_TEXTS];
  char options[512];
  char parameters[512], defines[SCAN_SOURCE_DEFINES_BYTES]; /* texts that follow an operator's */
} opencl_source;

/* The key of a build on this device; 0 when its programs are not cached. scan_program_cache_key_free frees the key in
 * either case. */
int scan_opencl_cache_key(const scan_device *d, const opencl_source *source, program_cache_key *key);

/* Returns the cached program, built; NULL if it is missing or the driver refuses it. The caller then builds and stores
 * it. The caller releases the claim in either case. */
cl_program scan_opencl_cache_load(const scan_device *d, const program_cache_key *key, const char *options,
                                  program_claim *claim);

/* Stores a program that was built from source. */
void scan_opencl_cache_store(const scan_device *d, const program_cache_key *key, cl_program program);

#endif
