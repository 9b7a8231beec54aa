/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's kernels for x86 processors with AVX2, whatever processor the rest of the library is compiled for. The bits
 * are those of host_kernels.c: the order of operations is the same, and nothing is contracted. */
#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <emmintrin.h> /* before the target changes: its functions are for every processor */
#include <sched.h>
#include <stddef.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define REG_BYTES 32
#define HOST_TABLE scan_host_table_wide
#include "device/host/host_table.inc"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#else
typedef int host_wide_is_empty; /* C wants a declaration */
#endif
