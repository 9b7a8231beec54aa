/* SPDX-License-Identifier: BSD-2-Clause */
/* The gallery's geometry and cost: kernels_cl/gallery/, for strategy_gallery.c. */
#ifndef SCANRT_GALLERY_H
#define SCANRT_GALLERY_H

#include "strategy/strategy.h"

/* Which kernels, and how a tile is scanned. */
typedef enum gallery_kind {
  GALLERY_HILLIS_STEELE,
  GALLERY_BLELLOCH,
  GALLERY_SUBGROUP,
  GALLERY_THREE_PASS,
  GALLERY_SINGLE_PASS
} gallery_kind;

/* Work-items a group: the tuning's, and 64 where the product's kernels have one, on processors: there they are a loop,
 * and few of them keep the compiler quick. */
enum { GALLERY_LEAST_ITEMS = 64, GALLERY_RAKE = 8 };
uint32_t scan_gallery_group_items(const scan_caps *caps);

/* Elements a tile, of work-groups of `items`. */
uint64_t scan_gallery_tile_items(gallery_kind kind, uint64_t items);

/* The work and span of a scan of n >= 1 elements, exactly as the kernels execute them: elements past n are the identity
 * and count, except for the addition of scan_then_add.h, which passes over them. */
scan_cost scan_gallery_cost(gallery_kind kind, uint64_t items, scan_kind scan, uint64_t n);

#endif
