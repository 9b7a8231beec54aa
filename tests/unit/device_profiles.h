/* SPDX-License-Identifier: BSD-2-Clause */
/* Recorded devices, one row each, as clinfo describes them, and the expected properties. The first field names the
 * source; data that it lacks is from the vendor's documentation. To add a device, copy it from its clinfo. */
#ifndef SCANRT_TESTS_DEVICE_PROFILES_H
#define SCANRT_TESTS_DEVICE_PROFILES_H

#include <scanrt/scan.h>

#include <stddef.h>

enum device_type { CPU = 1, GPU, ACCELERATOR };

enum { KIB = 1024, LOCAL_GLOBAL = 1, FP64 = 2, FLUSHES = 4, EMBEDDED = 8, NO_COMPILER = 16 };

/* A device as clinfo shows it; `vendor` is "platform name, device vendor". */
struct profile {
  const char *source, *name, *vendor, *version, *c_version;
  enum device_type type;
  uint32_t group_items, local_bytes, flags, sub_group_sizes, warp, capability;
  const char *extensions;
  struct {
    uint32_t group_items;
    const char *exchange;
    uint32_t sub_group, fair;
    const char *descriptors;
    scan_strategy large;
    const char *refusal; /* refusal of f64, or of the device; NULL: none */
    const char *reason;  /* a part of the expected reason */
  } want;
};

#define INT32_ATOMICS                                                                                                  \
  "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "             \
  "cl_khr_local_int32_extended_atomics cl_khr_byte_addressable_store "
#define INT64_ATOMICS "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "
#define INTEL_SUB_GROUPS                                                                                               \
  "cl_intel_subgroups cl_intel_required_subgroup_size cl_intel_subgroups_short cl_khr_subgroup_shuffle "               \
  "cl_khr_subgroup_shuffle_relative "

static const char no_f64[] = "has no double precision";
static const char alone[] = "walks its tile alone";

#define LOOKBACK SCAN_STRATEGY_LOOKBACK
#define THREE_PASSES SCAN_STRATEGY_REDUCE_THEN_SCAN

static const struct profile profiles[] = {
  /* ---- processors ---- */
  { "measured: pocl-opencl-icd of Debian 12",
    "pthread-skylake-avx512-AMD EPYC",
    "Portable Computing Language, AuthenticAMD",
    "OpenCL 3.0 PoCL HSTR: pthread-x86_64-pc-linux-gnu-skylake-avx512",
    "OpenCL C 1.2 PoCL",
    CPU,
    4096,
    1024 * KIB,
    LOCAL_GLOBAL | FP64,
    0,
    0,
    0,
    INT32_ATOMICS INT64_ATOMICS "cl_khr_3d_image_writes cl_khr_command_buffer cl_khr_spir cl_khr_fp64",
    { 1, "none", 0, 1, "packed", LOOKBACK, NULL, "a processor" } },
  { "measured: Oclgrind 21.10 of Debian 12 (all types at once)",
    "Oclgrind Simulator",
    "Oclgrind, Oclgrind",
    "OpenCL 1.2 (Oclgrind 21.10)",
    "OpenCL C 1.2 (Oclgrind 21.10)",
    CPU,
    1024,
    32 * KIB,
    FP64,
    0,
    0,
    0,
    "cl_khr_spir cl_khr_3d_image_writes " INT32_ATOMICS INT64_ATOMICS "cl_khr_fp64",
    { 1, "none", 0, 0, "packed", THREE_PASSES, NULL, alone } },
  { "measured: mesa-opencl-icd 22.3 of Debian 12",
    "llvmpipe (LLVM 15.0.6, 256 bits)",
    "rusticl, Mesa/X.org",
    "OpenCL 3.0 ",
    "OpenCL C 1.2 ",
    CPU,
    1024,
    32 * KIB,
    LOCAL_GLOBAL | FLUSHES,
    0,
    0,
    0,
    "cl_khr_byte_addressable_store " INT32_ATOMICS "cl_khr_3d_image_writes",
    { 1, "none", 0, 0, "split", THREE_PASSES, no_f64, alone } },
  { "measured: intel-opencl-rt 2026.2 of PyPI",
    "AMD EPYC",
    "Intel(R) OpenCL, Intel(R) Corporation",
    "OpenCL 3.1 (Build 0)",
    "OpenCL C 3.1 ",
    CPU,
    8192,
    256 * KIB,
    LOCAL_GLOBAL | FP64,
    4 + 8 + 16 + 32 + 64,
    0,
    0,
    "cl_khr_fp64 cl_khr_fp16 " INT32_ATOMICS INT64_ATOMICS INTEL_SUB_GROUPS,
    { 1, "none", 0, 1, "packed", LOOKBACK, NULL, "a processor" } },
  /* ---- NVIDIA ---- */
  { "measured: H200, driver 580",
    "NVIDIA H200",
    "NVIDIA CUDA, NVIDIA Corporation",
    "OpenCL 3.0 CUDA",
    "OpenCL C 1.2 ",
    GPU,
    1024,
    48 * KIB,
    FP64,
    0,
    32,
    90,
    INT32_ATOMICS INT64_ATOMICS "cl_khr_fp64 cl_khr_icd cl_khr_gl_sharing cl_nv_compiler_options "
                                "cl_nv_device_attribute_query cl_nv_pragma_unroll cl_nv_copy_opts cl_nv_create_buffer",
    { 256, "ptx", 0, 1, "packed", LOOKBACK, NULL, "compute capability 9.0" } },
  { "GitHub: Polytonic/Chlorine issue 32, driver 410",
    "GeForce GTX 1080 Ti",
    "NVIDIA CUDA, NVIDIA Corporation",
    "OpenCL 1.2 CUDA",
    "OpenCL C 1.2 ",
    GPU,
    1024,
    48 * KIB,
    FP64,
    0,
    32,
    61,
    INT32_ATOMICS "cl_khr_fp64 cl_khr_icd cl_khr_gl_sharing cl_nv_compiler_options cl_nv_device_attribute_query "
                  "cl_nv_pragma_unroll cl_nv_copy_opts cl_nv_create_buffer",
    { 256, "local", 0, 1, "split", LOOKBACK, NULL, "compute capability 7.0, this is 6.1" } },
  /* ---- Intel ---- */
  { "GitHub: openvinotoolkit/openvino issue 20012",
    "Intel(R) Arc(TM) A750 Graphics",
    "Intel(R) OpenCL Graphics, Intel(R) Corporation",
    "OpenCL 3.0 NEO ",
    "OpenCL C 1.2 ",
    GPU,
    1024,
    64 * KIB,
    0,
    8 + 16 + 32,
    0,
    0,
    INT32_ATOMICS "cl_khr_fp16 cl_khr_icd cl_khr_subgroups " INTEL_SUB_GROUPS INT64_ATOMICS,
    { 256, "sub_group", 32, 1, "packed", LOOKBACK, no_f64, "sub-groups of 32 can be required" } },
  { "GitHub: intel/compute-runtime issue 198",
    "Intel(R) Gen9 HD Graphics NEO",
    "Intel(R) OpenCL HD Graphics, Intel(R) Corporation",
    "OpenCL 2.1 NEO ",
    "OpenCL C 2.0 ",
    GPU,
    256,
    64 * KIB,
    FP64,
    8 + 16 + 32,
    0,
    0,
    INT32_ATOMICS "cl_khr_fp16 cl_khr_fp64 cl_khr_subgroups cl_intel_subgroups cl_intel_required_subgroup_size "
                  "cl_intel_subgroups_short " INT64_ATOMICS,
    { 256, "sub_group", 32, 1, "packed", LOOKBACK, NULL, "sub-groups of 32 can be required" } },
  { "Intel's FPGA emulation, of intel-opencl-rt's documentation",
    "Intel(R) FPGA Emulation Device",
    "Intel(R) FPGA Emulation Platform for OpenCL(TM), Intel(R) Corporation",
    "OpenCL 1.2 ",
    "OpenCL C 1.2 ",
    ACCELERATOR,
    67108864,
    256 * KIB,
    LOCAL_GLOBAL | FP64,
    0,
    0,
    0,
    INT32_ATOMICS INT64_ATOMICS,
    { 1, "none", 0, 0, "packed", THREE_PASSES, NULL, "an accelerator" } },
  /* ---- AMD ---- */
  { "GitHub: openmm/openmm issue 3940, ROCm",
    "gfx90a:sramecc+:xnack-",
    "AMD Accelerated Parallel Processing, Advanced Micro Devices, Inc.",
    "OpenCL 2.0 ",
    "OpenCL C 2.0 ",
    GPU,
    256,
    64 * KIB,
    FP64,
    0,
    64,
    0,
    "cl_khr_fp64 " INT32_ATOMICS INT64_ATOMICS "cl_khr_3d_image_writes cl_khr_fp16 cl_khr_gl_sharing "
    "cl_amd_device_attribute_query cl_amd_media_ops cl_amd_media_ops2 cl_khr_image2d_from_buffer cl_khr_subgroups "
    "cl_khr_depth_images cl_amd_copy_buffer_p2p cl_amd_assembly_program",
    { 256, "local", 0, 1, "packed", LOOKBACK, NULL, "no cl_khr_subgroup_shuffle" } },
  { "GitHub: janhq/jan issue 1608, amdgpu-pro's PAL driver",
    "gfx1035",
    "AMD Accelerated Parallel Processing, Advanced Micro Devices, Inc.",
    "OpenCL 2.0 AMD-APP (3592.0)",
    "OpenCL C 2.0 ",
    GPU,
    256,
    32 * KIB,
    FP64,
    0,
    32,
    0,
    "cl_khr_fp64 " INT32_ATOMICS INT64_ATOMICS "cl_khr_fp16 cl_amd_device_attribute_query cl_khr_subgroups",
    { 256, "local", 0, 1, "packed", LOOKBACK, NULL, "no cl_khr_subgroup_shuffle" } },
  { "GitHub: OPM/opm-simulators pull request 2682, Mesa's Clover",
    "Radeon RX 580 Series (POLARIS10, DRM 3.27.0, LLVM 7.0.1)",
    "Clover, AMD",
    "OpenCL 1.1 Mesa 18.3.6",
    "OpenCL C 1.1 ",
    GPU,
    256,
    32 * KIB,
    FP64,
    0,
    0,
    0,
    INT32_ATOMICS INT64_ATOMICS "cl_khr_fp64 cl_khr_fp16",
    { 256, "local", 0, 1, "packed", LOOKBACK, "has OpenCL 1.1; the kernels need 1.2", "local memory" } },
  /* ---- phones, tablets, boards ---- */
  { "GitHub: hominoids/sgminer-arm issue 12",
    "Mali-G610 MC6 r0p0",
    "ARM Platform, ARM",
    "OpenCL 3.0 v1.r32p1-01eac0.54329dee8f160f288c574caaf67bbe3f",
    "OpenCL C 3.0 v1.r32p1-01eac0",
    GPU,
    1024,
    32 * KIB,
    LOCAL_GLOBAL,
    0,
    0,
    0,
    INT32_ATOMICS INT64_ATOMICS
    "cl_khr_fp16 cl_khr_icd cl_khr_egl_image cl_khr_image2d_from_buffer cl_khr_depth_images "
    "cl_khr_subgroups cl_khr_subgroup_extended_types cl_khr_subgroup_shuffle",
    { 256, "local", 0, 0, "packed", THREE_PASSES, no_f64, "cannot be required" } },
  { "GitHub: ARM-software/ComputeLibrary issue 953",
    "Mali-G52",
    "ARM Platform, ARM",
    "OpenCL 2.0 git.c8adbf9.122c9daed32dbba4b3056f41a2f23c58",
    "OpenCL C 2.0 git.c8adbf9",
    GPU,
    384,
    32 * KIB,
    LOCAL_GLOBAL,
    0,
    0,
    0,
    INT32_ATOMICS INT64_ATOMICS "cl_khr_fp16 cl_khr_icd cl_khr_subgroups cl_arm_core_id",
    { 256, "local", 0, 0, "packed", THREE_PASSES, no_f64, "no cl_khr_subgroup_shuffle" } },
  { "GitHub: Oblomov/clinfo issue 92, CodeLinaro/llama.cpp pull request 17",
    "QUALCOMM Adreno(TM) 750",
    "QUALCOMM Snapdragon(TM), QUALCOMM",
    "OpenCL 3.0 Adreno(TM) 750",
    "OpenCL C 3.0 Adreno(TM) 750",
    GPU,
    1024,
    32 * KIB,
    FLUSHES,
    0,
    0,
    0,
    "cl_ext_image_from_buffer cl_khr_fp16 " INT32_ATOMICS
    "cl_khr_subgroups cl_qcom_reqd_sub_group_size cl_qcom_subgroup_shuffle",
    { 256, "local", 0, 0, "split", THREE_PASSES, no_f64, "no cl_khr_subgroup_shuffle" } },
  { "GitHub: hashcat/hashcat issue 2976, issue 3882",
    "Apple M1",
    "Apple, Apple",
    "OpenCL 1.2 ",
    "OpenCL C 1.2 ",
    GPU,
    256,
    32 * KIB,
    0,
    0,
    0,
    0,
    "cl_APPLE_SetMemObjectDestructor cl_APPLE_ContextLoggingFunctions cl_APPLE_clut " INT32_ATOMICS
    "cl_khr_3d_image_writes cl_khr_image2d_from_buffer",
    { 256, "local", 0, 0, "split", THREE_PASSES, no_f64, "no cl_khr_subgroup_shuffle" } },
  { "GitHub: doe300/VC4CL, its documentation",
    "VideoCore IV GPU",
    "OpenCL for the Raspberry Pi VideoCore IV GPU, doe300",
    "OpenCL 1.2 VC4CL 0.4",
    "OpenCL C 1.2 ",
    GPU,
    12,
    76 * KIB,
    LOCAL_GLOBAL | FLUSHES | EMBEDDED,
    0,
    0,
    0,
    INT32_ATOMICS "cl_nv_pragma_unroll cl_arm_core_id cl_khr_il_program",
    { 1, "none", 0, 0, "split", THREE_PASSES, "has no 64-bit integers, which the kernels count with", "hold 12" } },
};

#endif
