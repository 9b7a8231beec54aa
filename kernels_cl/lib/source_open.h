/* SPDX-License-Identifier: BSD-2-Clause */
/* Text before an operator's text on OpenCL: defines the names that the text may use on every backend. Line numbers of
 * the operator's text begin after it. */
#pragma OPENCL FP_CONTRACT OFF
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#ifdef __NV_CL_C_VERSION
#define SCANRT_F16_PTX /* runtime/base/half.c */
#endif
#define SCANRT_SOURCE_FUNC static __attribute__((always_inline)) inline
#line 1 "operator"
