/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_REGIONS_H
#define SCANRT_REGIONS_H

#include "core/plan.h"

/* Where a region is; no memory where there is none. */
scan_mem scan_region_of(const scan_plan *plan, scan_region_id id);

/* Bytes of SCAN_REGION_EXCESS: two numbers of 64 bits. */
enum { SCAN_EXCESS_BYTES = 2 * sizeof(uint64_t) };

/* Where a run notes an n_from that is more than n: the region's first number, which the next scan_sync or scan_read
 * reports, or, with `clamps` (SCAN_N_FROM_CLAMP), the second one, which nothing reads. */
scan_mem scan_excess_of(const scan_plan *plan, uint32_t clamps);

/* Lays out the regions whose bytes the plan has, allocates the workspace, and clears what must be clear at first. */
scan_status scan_regions_make(scan_plan *plan);

/* Clears a region as its row of the table says; asynchronous. */
scan_status scan_region_clear(scan_plan *plan, scan_region_id id);

#endif
