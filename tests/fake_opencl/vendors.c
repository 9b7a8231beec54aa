/* SPDX-License-Identifier: BSD-2-Clause */
#include "vendors.h"

#include <stdlib.h>
#include <string.h>

#define CLANG(target) "-target " target " -Dcl_khr_int64_base_atomics -Dcl_khr_int64_extended_atomics "
#define CL_1_2 "-D__OPENCL_VERSION__=120 "
#define CL_3_0 "-D__OPENCL_VERSION__=300 "
/* Declares Intel's functions, too, and takes clang four times as long. */
#define WHOLE_HEADER "-cl-no-stdinc -Xclang -finclude-default-header "
#define COMMON "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_fp64 "

static const fake_vendor vendors[] = {
  { "none", "scanrt's tests", "OpenCL 1.2 fake", "cl_khr_int64_base_atomics cl_intel_required_subgroup_size", "", 256,
    0, 0 },
  { "nvidia", "NVIDIA Corporation", "OpenCL 1.2 fake", COMMON "cl_nv_device_attribute_query cl_nv_compiler_options",
    CLANG("nvptx64") CL_1_2, 1024, 9, 32 },
  { "amd", "Advanced Micro Devices, Inc.", "OpenCL 1.2 fake",
    COMMON "cl_khr_subgroups cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_amd_device_attribute_query",
    CLANG("amdgcn-amd-amdhsa") CL_1_2 "-nogpulib -Dcl_khr_subgroups -Dcl_khr_subgroup_shuffle "
                                      "-Dcl_khr_subgroup_shuffle_relative",
    1024, 0, 64 },
  { "intel", "Intel(R) Corporation", "OpenCL 3.0 fake",
    COMMON "cl_khr_subgroups cl_intel_subgroups cl_intel_required_subgroup_size",
    CLANG("spir64") CL_3_0 WHOLE_HEADER "-Dcl_khr_subgroups -Dcl_intel_subgroups", 1024, 0, 32 },
};

const fake_vendor *fake_vendor_now(void) {
  const char *wished = getenv("FAKE_OPENCL_VENDOR");
  for (size_t i = 1; wished != NULL && i < sizeof vendors / sizeof vendors[0]; i++)
    if (strcmp(vendors[i].name, wished) == 0) return &vendors[i];
  return &vendors[0];
}
