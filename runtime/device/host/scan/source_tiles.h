/* SPDX-License-Identifier: BSD-2-Clause */
/* Sub-tiles, tiles and chunks of tiles, for operators from source. */
#ifndef SCANRT_SOURCE_TILES_H
#define SCANRT_SOURCE_TILES_H

#include "device/host/host_chain.h"
#include "device/host/scan/host_prefix.h"

enum { MOST_SUBTILES = 8 };

/* Sets *total to the fold of the sub-tile that begins at `first`. */
void scan_source_subtile_reduce(const job *j, uint64_t first, value *total);

/* Writes a sub-tile and sets its total. `tile` and `before` are the values before its tile and before it in the tile.
 */
void scan_source_subtile_write(const job *j, uint64_t first, const value *tile, const value *before, value *total);

/* Reduces a tile, from the last sub-tile backward: values before the last segment's beginning are not part of the
 * fold. */
void scan_source_tile_reduce(const job *j, uint64_t tile, value *aggregate);

/* Writes a tile and sets its aggregate. */
void scan_source_tile_write(const job *j, uint64_t tile, const value *prefix, value *aggregate);

/* 1 if threads keep results between the reading and the writing of a chunk, in scratch memory. */
int scan_host_source_keeps(const scan_source *source, const simd_rows8_kernel *block);

/* Returns the thread's memory for that; NULL: none. */
uint8_t *scan_source_lanes(const host_task *task, const host_thread *me);

/* Initialises the prefix before the task's first tile. */
void scan_source_prefix_start(const host_task *task, running *prefix);

enum { SOURCE_CHUNK_TILES = 8 };

/* A chunk of up to `most` tiles that a thread has claimed. */
typedef struct source_chunk {
  host_link link;
  const job *job;
  uint64_t most, first, tiles;
  value values[SOURCE_CHUNK_TILES]; /* the tiles' aggregates; after folding the values before the tiles */
} source_chunk;

/* Sets the tiles of the chunk of number chunk->link.number. */
void scan_source_chunk_open(source_chunk *chunk);

/* The host_fold of sources, as in host_worker.inc. */
void scan_source_chunk_fold(void *work, host_link *link);

#endif
