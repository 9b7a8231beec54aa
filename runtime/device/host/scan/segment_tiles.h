/* SPDX-License-Identifier: BSD-2-Clause */
/* Tiles of a segmented reduction, for host_segments.c and segment_parts.c. */
#ifndef SCANRT_SEGMENT_TILES_H
#define SCANRT_SEGMENT_TILES_H

#include "device/host/scan/host_rows.h"
#include "device/host/scan/source_tiles.h"

/* A tile of elements from `begin` up to, without it, `end`. Segments `first` up to, without it, `last` end in it. */
typedef struct segments_tile {
  uint64_t begin, end, first, last;
  int is_dense;   /* 1: every element is a segment; the results have been written */
  uint8_t *flags; /* without segment_fold: a byte for each element, 1 if a segment begins with it */
  int has_begins; /* 1: such flags are set */
} segments_tile;

typedef struct segments_work {
  job job;                /* the scan in segments */
  segment_fold *fold;     /* NULL: sub-tiles are scanned */
  segment_direct *direct; /* NULL: tiles are folded */
  const void *elements;   /* of `direct` */
  segment_list list;
  segment_results results;
  _Alignas(SCAN_OP_MOST_BYTES) uint8_t empty[SCAN_OP_MOST_BYTES];
  uint8_t *values;     /* memory for the values or the results of a sub-tile */
  uint64_t fold_items; /* elements that w->fold takes at once */
  int streams;         /* 1: results bypass the caches where all are elements */
  segments_tile tiles[HOST_CHUNK_TILES];
} segments_work;

/* Returns where segment i ends, at most n. */
static inline uint64_t scan_segments_end(const segments_work *w, uint64_t i) {
  const uint64_t end = segment_offset(w->list.ends, w->list.is_wide, i);
  return end < w->job.n ? end : w->job.n;
}

static inline uint64_t scan_segments_subtile_items(const job *j) { return SUBTILE_ROWS * j->row_items; }

/* Sets the work of a thread. Its memory for the lanes of scans is free if segments are folded. */
void scan_segments_work_open(host_task *task, const host_thread *me, segments_work *w);

/* Sets the work of a thread that folds segments to that of the caller. */
void scan_segments_work_copy(const segments_work *callers, const host_thread *me, segments_work *w);

/* Returns the first segment from `at` on that ends behind element `least`. */
uint64_t scan_segments_find(const segments_work *w, uint64_t at, uint64_t least);

/* Sets the elements of tile number `tile`. */
void scan_segments_tile_open(const segments_work *w, uint64_t tile, segments_tile *t);

/* If every element of the tile is a segment, writes the results, sets t->is_dense and the aggregate, and returns 1. */
int scan_segments_tile_by_elements(const segments_work *w, segments_tile *t, value *aggregate);

#endif
