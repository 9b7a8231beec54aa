/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices that the fake OpenCL driver describes, and what its files share. */
#ifndef SCANRT_FAKE_OPENCL_VENDORS_H
#define SCANRT_FAKE_OPENCL_VENDORS_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* A device. */
typedef struct fake_vendor {
  const char *name;       /* as FAKE_OPENCL_VENDOR has it */
  const char *vendor;     /* CL_DEVICE_VENDOR */
  const char *version;    /* CL_DEVICE_VERSION */
  const char *extensions; /* CL_DEVICE_EXTENSIONS */
  const char *clang;      /* clang's options for its dialect of OpenCL C */
  cl_ulong group_items, capability_major, sub_group_items;
} fake_vendor;

/* Returns the device that FAKE_OPENCL_VENDOR names; by default one of no vendor. */
const fake_vendor *fake_vendor_now(void);

/* Writes a text or list of `bytes` bytes. With FAKE_OPENCL_BYTES it reports that size, and writes what fits. */
cl_int fake_answer_long(const void *value, size_t bytes, size_t room, void *to, size_t *size);

#endif
