/* SPDX-License-Identifier: BSD-2-Clause */
/* Built-in operators' loops over blocks for x86 processors with AVX2, as host_wide.c. */
#include "device/host/host_block.h"

#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <stddef.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define REG_BYTES 32
#define HOST_BLOCKS scan_host_blocks_wide
#define HOST_TURNS scan_host_turns_wide
#define HOST_HALVES scan_host_halves_wide
#include "device/host/host_blocks.inc"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
