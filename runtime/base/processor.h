/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses to compile the library for processors, or with flags, whose results would have other bits than elsewhere. */
#ifndef SCANRT_PROCESSOR_H
#define SCANRT_PROCESSOR_H

#include <float.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "scanrt needs a little-endian processor: x86-64, aarch64, riscv64 or ppc64le (README.md, Processors)"
#endif

/* 16 is as good as 0 for float and double: only _Float16 has its own precision. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "scanrt needs float arithmetic in float: FLT_EVAL_METHOD must be 0 (on x86: -msse2 -mfpmath=sse)"
#endif

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0)
#error "scanrt promises the bits of its results, NaNs included: remove -ffast-math, -Ofast or -ffinite-math-only"
#endif

#endif
