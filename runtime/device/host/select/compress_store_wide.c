/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops for x86 processors with AVX2; compiled like host_wide.c. */
#include "device/host/select/compress_store.h"

#include "device/host/prefetch.h"
#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <string.h>

#include "device/host/host_wide_begin.inc"
#define COMPRESS_STORE_BYTES 32
#define COMPRESS_STORES scan_compress_stores_wide
#include "device/host/select/compress_store.inc"
#include "device/host/host_wide_end.inc"
#endif
