/* SPDX-License-Identifier: BSD-2-Clause */
/* After tile_group.h, in scans from the last element to the first. */
#undef tile_prefetch
FUNC void tile_prefetch(const scan_job *job, scan_u64 tile) {
  const scan_u32 tile_bytes = TILE_ROWS * ROW_VECS * (scan_u32)sizeof(raw_t);
  if ((tile + 1) * TILE_ITEMS > job->n) return;
  for (scan_u32 byte = ITEM() * 128; byte < tile_bytes; byte += SCAN_GROUP_ITEMS * 128)
    PREFETCH((GLOBAL const char *)(job->in + 1 - (tile + 1) * TILE_ITEMS) + byte);
}
