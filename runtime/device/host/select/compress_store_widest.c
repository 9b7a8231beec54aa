/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops for x86 processors with AVX-512 and its VBMI2. */
#include "device/host/select/compress_store.h"

#include "device/host/prefetch.h"
#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt"))),                  \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt")
#endif
#define COMPRESS_STORE_BYTES 64
#define COMPRESS_STORES scan_compress_stores_widest
#include "device/host/select/compress_store.inc"
#include "device/host/host_wide_end.inc"
#endif
