/* SPDX-License-Identifier: BSD-2-Clause */
/* Composites' loops over blocks for x86 processors with AVX2; compiled like host_wide.c. */
#include "device/host/scan/host_block.h"

#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <stddef.h>
#include <string.h>

#include "device/host/host_wide_begin.inc"
#define HOST_PAIRS scan_host_pairs_wide
#include "device/host/scan/host_pairs.inc"
#include "device/host/host_wide_end.inc"
#endif
