/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of eight elements an item, raked (Blelloch, Chatterjee, Zagha, "Solving Linear Recurrences with Loop Raking",
 * 1992): elements pass through local memory, so that an item has eight consecutive elements while the work-group reads
 * and writes whole rows. */
#ifndef SCANRT_CL_RAKE_H
#define SCANRT_CL_RAKE_H

#include "textbook/group_scan.h"

#define RAKE 8
#define TILE (RAKE * SCAN_GROUP_ITEMS)

typedef struct scanrt_rake_scratch {
  scanrt_value_t x[PADDED(TILE - 1) + 1];
  scanrt_group_scratch group;
  scanrt_value_t prefix;
  scanrt_u32 tile;
} scanrt_rake_scratch;

/* Reads a tile and folds the item's elements. */
FUNC scanrt_value_t scanrt_rake_load(const scanrt_job *job, scanrt_u32 tile, LOCAL scanrt_rake_scratch *s) {
  UNROLL
  for (scanrt_u32 k = 0; k < RAKE; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    s->x[PADDED(i)] = scanrt_element_get(job, (scanrt_u64)tile * TILE + i);
  }
  BARRIER();
  scanrt_value_t sum = s->x[PADDED(ITEM() * RAKE)];
  UNROLL
  for (scanrt_u32 k = 1; k < RAKE; k++) sum = scanrt_combine(sum, s->x[PADDED(ITEM() * RAKE + k)]);
  return sum;
}

/* Scans the item's elements from `start` and writes the tile. */
FUNC void scanrt_rake_store(const scanrt_job *job, scanrt_u32 tile, scanrt_value_t start,
                            LOCAL scanrt_rake_scratch *s) {
  UNROLL
  for (scanrt_u32 k = 0; k < RAKE; k++) {
    LOCAL scanrt_value_t *x = s->x + PADDED(ITEM() * RAKE + k);
    const scanrt_value_t next = scanrt_combine(start, *x);
    *x = job->inclusive ? next : start;
    start = next;
  }
  BARRIER();
  UNROLL
  for (scanrt_u32 k = 0; k < RAKE; k++) {
    const scanrt_u32 i = k * SCAN_GROUP_ITEMS + ITEM();
    scanrt_element_put(job, (scanrt_u64)tile * TILE + i, s->x[PADDED(i)]);
  }
}
#endif
