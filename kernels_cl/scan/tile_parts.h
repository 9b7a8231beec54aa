/* SPDX-License-Identifier: BSD-2-Clause */
/* Values from source as arrays of their parts, and the operator on them, for tile_item_source.h. */
#ifndef SCANRT_CL_TILE_PARTS_H
#define SCANRT_CL_TILE_PARTS_H

#include "lib/tile.h"

/* A value in parts of the size of its members, which lie side by side with those of other values. A struct that is
 * passed to a function may become a small vector, which compilers do not widen. */
#if SCAN_SOURCE_PART == 8
typedef scanrt_u64 scanrt_part_t;
#elif SCAN_SOURCE_PART == 4
typedef scanrt_u32 scanrt_part_t;
#elif SCAN_SOURCE_PART == 2
typedef scanrt_u16 scanrt_part_t;
#else
typedef scanrt_u8 scanrt_part_t;
#endif
#define PARTS (VALUE_BYTES / SCAN_SOURCE_PART)
typedef union scanrt_parts {
  scanrt_bare_t v;
  scanrt_part_t part[PARTS];
} scanrt_parts;

/* Applies DO to each part, without a loop if there are few: compilers turn a loop that copies into whole words
 * again. */
#if PARTS == 1
#define EACH_PART(DO) DO(0)
#elif PARTS == 2
#define EACH_PART(DO) DO(0) DO(1)
#elif PARTS == 3
#define EACH_PART(DO) DO(0) DO(1) DO(2)
#elif PARTS == 4
#define EACH_PART(DO) DO(0) DO(1) DO(2) DO(3)
#else
#define EACH_PART(DO)                                                                                                  \
  UNROLL                                                                                                               \
  for (scanrt_u32 w = 0; w < PARTS; w++) DO(w)
#endif

/* Reads value i of an array of parts that holds `count` values. */
FUNC void scanrt_parts_get(scanrt_parts *x, const scanrt_part_t *array, scanrt_u32 count, scanrt_u32 i) {
#define GET(w) x->part[w] = array[(w)*count + i];
  EACH_PART(GET)
#undef GET
}
/* Writes value i of an array of parts that holds `count` values. */
FUNC void scanrt_parts_put(scanrt_part_t *array, scanrt_u32 count, scanrt_u32 i, const scanrt_parts *x) {
#define PUT(w) array[(w)*count + i] = x->part[w];
  EACH_PART(PUT)
#undef PUT
}
/* Returns the value of the parts; by a copy, so that the parts themselves stay parts. */
FUNC scanrt_bare_t scanrt_parts_bare(const scanrt_parts *x) {
  scanrt_parts copy;
#define COPY(w) copy.part[w] = x->part[w];
  EACH_PART(COPY)
#undef COPY
  return copy.v;
}
/* Sets the parts to those of a value. */
FUNC void scanrt_parts_of(scanrt_parts *x, scanrt_bare_t v) {
  scanrt_parts copy;
  copy.v = v;
#define COPY(w) x->part[w] = copy.part[w];
  EACH_PART(COPY)
#undef COPY
}
/* Sets *b to *a if `first` is not 0. */
FUNC void scanrt_parts_choose(scanrt_u32 first, const scanrt_parts *a, scanrt_parts *b) {
#define CHOOSE(w) b->part[w] = first ? a->part[w] : b->part[w];
  EACH_PART(CHOOSE)
#undef CHOOSE
}

/* Combines *a and *b to *b, unless b stands alone. */
FUNC void scanrt_parts_after(const scanrt_parts *a, scanrt_parts *b, scanrt_u32 alone) {
  if (!alone) scanrt_parts_of(b, SCAN_SOURCE_COMBINE(scanrt_parts_bare(a), scanrt_parts_bare(b)));
}

#if SCAN_SOURCE_MAPS
#define MAPPED_BARE(x, index) SCAN_SOURCE_MAP((x), (index))
#define MAPPED_PARTS(parts, x, index) scanrt_parts_of(&(parts), MAPPED_BARE(x, index))
#else
typedef scanrt_part_t MAY_ALIAS scanrt_part_in; /* in place the output is the same memory */
#define MAPPED_BARE(x, index) (x)
#define MAPPED_PARTS(parts, x, index) scanrt_parts_read(&(parts), (GLOBAL const scanrt_part_in *)&(x))
FUNC void scanrt_parts_read(scanrt_parts *x, GLOBAL const scanrt_part_in *from) {
#define READ(w) x->part[w] = from[w];
  EACH_PART(READ)
#undef READ
}
#endif
#endif
