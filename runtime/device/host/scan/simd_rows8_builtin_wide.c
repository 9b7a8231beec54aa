/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in operators' loops over blocks for x86 processors with AVX2; compiled like host_wide.c. */
#include "device/host/scan/simd_rows8.h"

#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <stddef.h>
#include <string.h>

#include "device/host/host_wide_begin.inc"
#define SIMD_ROWS8_BUILTIN scan_simd_rows8_builtin_wide
#define SIMD_TRANSPOSE scan_simd_transpose_wide
#define HOST_HALVES scan_host_halves_wide
#include "device/host/scan/simd_rows8_builtin.inc"
#include "device/host/host_wide_end.inc"
#endif
