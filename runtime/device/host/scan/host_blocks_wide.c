/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in operators' loops over blocks for x86 processors with AVX2; compiled like host_wide.c. */
#include "device/host/scan/host_block.h"

#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <stddef.h>
#include <string.h>

#include "device/host/host_wide_begin.inc"
#define HOST_BLOCKS scan_host_blocks_wide
#define HOST_TURNS scan_host_turns_wide
#define HOST_HALVES scan_host_halves_wide
#include "device/host/scan/host_blocks.inc"
#include "device/host/host_wide_end.inc"
#endif
