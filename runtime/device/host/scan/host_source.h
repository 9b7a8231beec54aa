/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans with an operator from source on the host: the canonical order through the caller's function. */
#ifndef SCANRT_HOST_SOURCE_H
#define SCANRT_HOST_SOURCE_H

#include "device/host/host_kernels.h"

/* The kernel for all operators and all tile sizes: task->key has the element's properties and the tile's size. */
extern const host_kernel scan_host_source_kernel;

/* segment_bits.cl for the host: makes a bit for each element from the ascending offsets of segments. type: SCAN_U32 or
 * SCAN_U64. */
host_group *scan_host_segment_bits(scan_type type);

#endif
