/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan's workspace: regions with names. Who writes each, and when, is the table of regions.c. */
#ifndef SCANRT_REGIONS_H
#define SCANRT_REGIONS_H

#include "core/context.h"

typedef enum scan_region_id {
  SCAN_REGION_STRATEGY, /* first: the kernels' `workspace` */
  SCAN_REGION_CARRY,
  SCAN_REGION_KEEP,
  SCAN_REGION_SEED,
  SCAN_REGION_HEADS,
  SCAN_REGION_CHECKS,
  SCAN_REGIONS
} scan_region_id;

typedef struct scan_region {
  uint64_t at, bytes; /* no bytes: there is none */
} scan_region;

/* Where a region is; no memory where there is none. */
scan_mem scan_region_of(const scan_plan *plan, scan_region_id id);

/* Lays out the regions whose bytes the plan has, allocates the workspace, and clears what must be clear at first. */
scan_status scan_regions_make(scan_plan *plan);

/* Clears a region as its row of the table says; asynchronous. */
scan_status scan_region_clear(scan_plan *plan, scan_region_id id);

#endif
