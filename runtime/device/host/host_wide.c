/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's kernels for x86 processors with AVX2, whatever processor the rest of the library is compiled for. The bits
 * are those of host_kernels.c: the order of operations is the same, and no operations are contracted. */
#include "device/host/host_kernels.h"

#ifdef HOST_HAS_WIDE
#include <immintrin.h> /* before the target changes: its functions have their own */
#include <sched.h>
#include <stddef.h>

#include "device/host/host_wide_begin.inc"
#include "device/host/select/host_lanes.inc"
#define HOST_TABLE scan_host_table_wide
#include "device/host/host_table.inc"
#include "device/host/host_wide_end.inc"
#else
typedef int host_wide_is_empty; /* C requires a declaration */
#endif
