/* SPDX-License-Identifier: BSD-2-Clause */
/* Text before an operator's text on CUDA: opens a namespace for it, and defines the names that the text may use on
 * every backend. Line numbers of the operator's text begin after it. */
#if defined(__CUDACC_RTC__) || defined(__NVCC__)
#define SCANRT_F16_PTX /* runtime/base/half.c */
#if __CUDA_ARCH__ >= 800
#define SCANRT_BF16_PTX
#endif
#endif
#define SCANRT_SOURCE_FUNC static __device__ __forceinline__
namespace scanrt_operator {
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#line 1 "operator"
