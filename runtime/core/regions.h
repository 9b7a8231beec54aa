/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SCANRT_REGIONS_H
#define SCANRT_REGIONS_H

#include "core/plan.h"

/* The memory of a region; SCAN_NO_MEM if the plan has no such region. */
scan_mem scan_region_of(const scan_plan *plan, scan_region_id id);

/* Bytes of SCAN_REGION_N_OVERFLOW, which holds two 64-bit numbers. */
enum { SCAN_N_OVERFLOW_BYTES = 2 * sizeof(uint64_t) };

/* The memory in which a run notes an n_from above n. It is the first number of SCAN_REGION_N_OVERFLOW, which the next
 * scan_sync or scan_read reports; with `clamps` (SCAN_N_FROM_CLAMP) it is the second number, which is never read. */
scan_mem scan_n_overflow_of(const scan_plan *plan, uint32_t clamps);

/* Lays out the regions by their bytes, allocates the workspace, and fills the regions that need an initial value. */
scan_status scan_regions_make(scan_plan *plan);

/* Fills a region with its initial value of the table in regions.c; asynchronous. */
scan_status scan_region_clear(scan_plan *plan, scan_region_id id);

#endif
