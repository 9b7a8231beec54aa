/* SPDX-License-Identifier: BSD-2-Clause */
/* Segmented reduction (scan_reduce.h) in one pass over the values. Segments that are not folded one by one
 * (segment_parts.h) are scanned: a thread claims chunks of tiles in order and finds the segments that end in each.
 * Sub-tiles in which segments end are scanned into memory of the thread, from which their results are copied; other
 * sub-tiles are only folded. */
#ifndef SCANRT_HOST_SEGMENTS_H
#define SCANRT_HOST_SEGMENTS_H

#include "device/host/host_kernels.h"

/* The kernel for all operators. */
extern const host_kernel scan_host_segments_kernel;

#endif
