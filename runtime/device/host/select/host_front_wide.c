/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction's inner loops for x86 processors with AVX2; compiled like host_wide.c. */
#include "device/host/select/host_front.h"

#include "device/host/prefetch.h"
#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <string.h>

#include "device/host/host_wide_begin.inc"
#define HOST_FRONT_BYTES 32
#define HOST_FRONTS scan_host_fronts_wide
#include "device/host/select/host_front.inc"
#include "device/host/host_wide_end.inc"
#endif
