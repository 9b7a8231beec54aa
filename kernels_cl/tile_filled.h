/* SPDX-License-Identifier: BSD-2-Clause */
/* Tiles that n cuts, or that do not lie at a multiple of their vectors' size, where they are filled with the last
 * element (VECTORS_ARE_FILLED of vector_source.h): what is in the registers is scanned as any other tile. Included by
 * tile_group.h. */
#ifndef SCANRT_CL_TILE_FILLED_H
#define SCANRT_CL_TILE_FILLED_H

/* What scanrt_tile_load does for such a tile. */
FUNC void scanrt_tile_fill(const scanrt_job *job, scanrt_u32 tile, scanrt_tile_state *t) {
  const scanrt_u64 first = scanrt_vector_first(tile, 0), tile_first = tile * TILE_ITEMS;
  const scanrt_u32 offset = (scanrt_u32)(first - tile_first), is_whole = scanrt_tile_is_whole(job, tile);
  const scanrt_u32 last = (scanrt_u32)(is_whole ? TILE_ITEMS : job->n - tile_first) - 1;
  const scanrt_u32 vectors = job->vectors_in ? scanrt_vectors_whole(job, first, ROWS) : 0;
  GLOBAL const scanrt_loaded_t *in = (GLOBAL const scanrt_loaded_t *)(job->in + first);
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++)
    if (i < vectors)
      t->raw[i] = VECTOR_LOAD(job, first + i * ROW_ITEMS, in + i * ROW_VECS);
    else
      t->raw[i] = scanrt_vector_load_filled(job, tile_first, offset + i * ROW_ITEMS, last);
}

/* What scanrt_tile_store does for such a tile, unless only the total is wanted. */
FUNC void scanrt_tile_store_part(const scanrt_job *job, scanrt_u32 tile, const scanrt_tile_state *t,
                                 scanrt_value_t prefix) {
  const scanrt_u64 first = scanrt_vector_first(tile, 0);
  GLOBAL scanrt_stored_t *out = (GLOBAL scanrt_stored_t *)(job->out + first);
  const scanrt_u32 vectors = job->vectors_out ? scanrt_vectors_whole(job, first, ROWS) : 0;
  UNROLL
  for (scanrt_u32 i = 0; i < ROWS; i++) {
    const scanrt_stored_t v = VECTOR_SCAN(job, t->raw[i], scanrt_combine(prefix, t->before[i]), 1);
    if (i < vectors)
      out[i * ROW_VECS] = v;
    else
      scanrt_vector_store_guarded(job, first + i * ROW_ITEMS, v);
  }
}
#endif
