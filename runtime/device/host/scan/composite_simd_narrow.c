/* SPDX-License-Identifier: BSD-2-Clause */
/* Composites' loops over blocks for every processor. */
#include "device/host/scan/simd_rows8.h"

#ifndef HOST_ONLY_WIDE
#define REG_BYTES 16
#define COMPOSITE_SIMD scan_composite_simd_narrow
#include "device/host/scan/composite_simd.inc"
#endif
