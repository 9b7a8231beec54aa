/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces the loads of tile_group.h in scans from the last element to the first. */
#ifndef SCANRT_CL_MIRROR_GROUP_H
#define SCANRT_CL_MIRROR_GROUP_H

#include "scan/tile_group.h"

#undef scanrt_tile_load
#undef scanrt_tile_prefetch
FUNC void scanrt_tile_load(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  const scanrt_u64 first = scanrt_vector_first(tile, 0);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) t->raw[i] = scanrt_vector_load_reversed(job, first + i * ROW_ITEMS);
}

FUNC void scanrt_tile_prefetch(const scanrt_job *job, scanrt_u64 tile) {
  const scanrt_u32 tile_bytes = TILE_ROWS * ROW_VECS * (scanrt_u32)sizeof(scanrt_raw_t);
  if ((tile + 1) * TILE_ITEMS > job->n) return;
  for (scanrt_u32 byte = ITEM() * 128; byte < tile_bytes; byte += SCAN_GROUP_ITEMS * 128)
    PREFETCH((GLOBAL const char *)(job->in + 1 - (tile + 1) * TILE_ITEMS) + byte);
}
#endif
