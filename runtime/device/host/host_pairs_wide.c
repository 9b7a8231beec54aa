/* SPDX-License-Identifier: BSD-2-Clause */
/* Composites' loops over blocks for x86 processors with AVX2, as host_wide.c. */
#include "device/host/host_block.h"

#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <stddef.h>
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define REG_BYTES 32
#define HOST_PAIRS scan_host_pairs_wide
#include "device/host/host_pairs.inc"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
