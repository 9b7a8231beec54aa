/* SPDX-License-Identifier: BSD-2-Clause */
/* Composites' loops over blocks for x86 processors with AVX2; compiled like host_wide.c. */
#include "device/host/scan/simd_rows8.h"

#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <stddef.h>
#include <string.h>

#include "device/host/host_wide_begin.inc"
#define COMPOSITE_SIMD scan_composite_simd_wide
#include "device/host/scan/composite_simd.inc"
#include "device/host/host_wide_end.inc"
#endif
