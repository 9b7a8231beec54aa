/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of eight elements an item, raked (Blelloch, Chatterjee, Zagha, "Solving Linear Recurrences with Loop Raking",
 * 1992): elements pass through local memory, so that an item has eight consecutive ones while the work-group reads and
 * writes whole rows. */
#ifndef SCANRT_CL_RAKE_H
#define SCANRT_CL_RAKE_H

#include "gallery/group_scan.h"

#define RAKE 8
#define TILE (RAKE * SCAN_GROUP_ITEMS)

typedef struct rake_scratch {
  value_t x[PADDED(TILE - 1) + 1];
  group_scratch group;
  value_t prefix;
  scan_u32 tile;
} rake_scratch;

/* Reads a tile and folds the item's elements. */
FUNC value_t rake_load(const scan_job *job, scan_u32 tile, LOCAL rake_scratch *s) {
  UNROLL
  for (scan_u32 k = 0; k < RAKE; k++) {
    const scan_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    s->x[PADDED(i)] = element_get(job, (scan_u64)tile * TILE + i);
  }
  BARRIER();
  value_t sum = s->x[PADDED(ITEM() * RAKE)];
  UNROLL
  for (scan_u32 k = 1; k < RAKE; k++) sum = combine(sum, s->x[PADDED(ITEM() * RAKE + k)]);
  return sum;
}

/* Scans the item's elements from `start` and writes the tile. */
FUNC void rake_store(const scan_job *job, scan_u32 tile, value_t start, LOCAL rake_scratch *s) {
  UNROLL
  for (scan_u32 k = 0; k < RAKE; k++) {
    LOCAL value_t *x = s->x + PADDED(ITEM() * RAKE + k);
    const value_t next = combine(start, *x);
    *x = job->inclusive ? next : start;
    start = next;
  }
  BARRIER();
  UNROLL
  for (scan_u32 k = 0; k < RAKE; k++) {
    const scan_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    element_put(job, (scan_u64)tile * TILE + i, s->x[PADDED(i)]);
  }
}
#endif
