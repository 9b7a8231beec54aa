/* SPDX-License-Identifier: BSD-2-Clause */
/* After tile_group.h, in scans from the last element to the first. */
#ifndef SCANRT_CL_MIRROR_GROUP_H
#define SCANRT_CL_MIRROR_GROUP_H

#include "tile_group.h"

#undef vector_load_guarded
#undef vector_store_guarded
#undef tile_load
#undef tile_fold
#undef tile_prefetch
FUNC void tile_load(const scan_job *job, scan_u32 tile, tile_state *t) {
  const scan_u64 first = vector_first(tile, 0);
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = vector_load_turned(job, first + i * ROW_ITEMS);
}

FUNC void tile_fold(const scan_job *job, scan_u32 tile, tile_state *t, LOCAL tile_scratch *s) {
  UNROLL
  for (scan_u32 i = 0; i < ROWS; i++) t->raw[i] = VECTOR_FLIP(job, t->raw[i]);
  tile_fold_forward(job, tile, t, s);
}

FUNC void tile_prefetch(const scan_job *job, scan_u64 tile) {
  const scan_u32 tile_bytes = TILE_ROWS * ROW_VECS * (scan_u32)sizeof(raw_t);
  if ((tile + 1) * TILE_ITEMS > job->n) return;
  for (scan_u32 byte = ITEM() * 128; byte < tile_bytes; byte += SCAN_GROUP_ITEMS * 128)
    PREFETCH((GLOBAL const char *)(job->in + 1 - (tile + 1) * TILE_ITEMS) + byte);
}
#define vector_load_guarded vector_load_turned
#define vector_store_guarded vector_store_turned
#endif
