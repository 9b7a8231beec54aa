/* SPDX-License-Identifier: BSD-2-Clause */
/* Folds of the segments of a sub-tile, for built-in operators on values of 4 and 8 bytes: each segment by itself, in
 * the canonical order, from values that lie side by side. */
#ifndef SCANRT_SEGMENT_FOLDS_H
#define SCANRT_SEGMENT_FOLDS_H

#include <scanrt/scan_op.h>

#include "device/host/host_simd.h"

/* Segments: from begins[i] up to, without it, ends[i]. */
typedef struct segment_list {
  const uint8_t *begins, *ends; /* of 64 bits if is_wide is 1, else of 32 */
  uint64_t count, n;            /* number of segments and of elements */
  int is_wide;
} segment_list;

static inline __attribute__((always_inline)) uint64_t segment_offset(const uint8_t *offsets, int is_wide, uint64_t i) {
  return is_wide ? ((const uint64_t *)(const void *)offsets)[i] : ((const uint32_t *)(const void *)offsets)[i];
}

/* Folds of a sub-tile's vectors, or of the elements before each of its elements. */
enum { SEGMENT_VECTORS_BYTES = 8 << 10 };

/* The destination of results: result i lies at `to` + i * bytes. */
typedef struct segment_results {
  uint8_t *to;
  uint64_t bytes;
  const void *seed;     /* value that each segment begins with; or NULL */
  const void *empty;    /* result of a segment without elements; NULL: it is left as it is */
  scan_emit_host *emit; /* makes a result of a value; NULL: the value is the result */
  void *vectors;        /* SEGMENT_VECTORS_BYTES of memory, for the folds of a sub-tile's vectors or elements */
} segment_results;

/* A result that waits for the value before the tile: that value, then `before` if it is there, then the elements from
 * `first` up to `end`. */
typedef struct segment_open {
  uint64_t segment, first, end; /* end == 0: there is no open result */
  _Alignas(8) uint8_t before[8];
  int has_before;
} segment_open;

/* The state from sub-tile to sub-tile of a tile. `before` is the fold of the tile's elements so far that are in the
 * segment that goes on; begins_within: 1 if that segment begins in the tile. */
typedef struct segment_state {
  uint64_t next; /* first segment that has not ended */
  _Alignas(8) uint8_t before[8];
  int has_before, begins_within;
  int has_prefix; /* 1: `prefix` is the value before the tile, so that no result is open */
  _Alignas(8) uint8_t prefix[8];
  segment_open open;
} segment_state;

/* Folds `items` values x, which begin with element `first`: a sub-tile, of sums of integers up to a tile. */
typedef void segment_fold(const segment_list *list, const segment_results *results, const void *x, uint64_t first,
                          uint32_t items, segment_state *state);

/* Elements from number `first` on up to, without it, `end`: whole sub-tiles, but for the last one. Elements from number
 * `least` on, with which a sub-tile begins, lie in memory. tile_items is a power of two. */
typedef struct segment_range {
  uint64_t least, first, end, tile_items;
} segment_range;

/* Handles segments from number i on that end in the range, from elements x, which lie side by side. The list has
 * offsets of 32 bits, and results are values without a seed. Returns the first segment that ends behind the range,
 * begins before range->least, or reaches over more than two tiles. */
typedef uint64_t segment_direct(const segment_list *list, const segment_results *results, const void *x, uint64_t i,
                                const segment_range *range);

typedef struct segment_fold_row {
  const char *name; /* as in scan_source.block */
  segment_fold *fold;
  segment_direct *direct; /* or NULL */
} segment_fold_row;

/* The operators of one instruction set; the last row has no name. */
typedef struct segment_fold_table {
  const segment_fold_row *rows;
} segment_fold_table;
extern const segment_fold_table scan_segment_folds_baseline, scan_segment_folds_avx2, scan_segment_folds_avx512;

#endif
