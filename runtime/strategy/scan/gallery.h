/* SPDX-License-Identifier: BSD-2-Clause */
/* The gallery's geometry and cost: kernels_cl/gallery/, for strategy_gallery.c. */
#ifndef SCANRT_GALLERY_H
#define SCANRT_GALLERY_H

#include "strategy/strategy.h"

/* The kernels' family, and the scan of a tile. */
typedef enum gallery_kind {
  GALLERY_HILLIS_STEELE,
  GALLERY_BLELLOCH,
  GALLERY_SUBGROUP,
  GALLERY_THREE_PASS,
  GALLERY_SINGLE_PASS
} gallery_kind;

/* Work-items of a work-group: the tuning's number, or 64 on processors, whose other kernels have one: a work-group is a
 * loop there, and a small one compiles quickly. */
enum { GALLERY_LEAST_ITEMS = 64, GALLERY_RAKE = 8 };
uint32_t scan_gallery_group_items(const scan_caps *caps);

/* Elements of a tile of a work-group of `items` work-items. */
uint64_t scan_gallery_tile_items(gallery_kind kind, uint64_t items);

/* The work and span of a scan of n >= 1 elements, exactly as the kernels execute it: elements past n are the identity
 * and count, except in scan_then_add.h's addition, which skips them. */
scan_cost scan_gallery_cost(gallery_kind kind, uint64_t items, scan_kind scan, uint64_t n);

#endif
