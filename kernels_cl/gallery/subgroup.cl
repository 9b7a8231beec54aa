/* SPDX-License-Identifier: BSD-2-Clause */
/* group_scan.h, one value an item. */
#include "gallery/group_scan.h"

#define GALLERY(part) subgroup_##part
#define PER_ITEM 1

FUNC void tile_scan(value_t x[PER_ITEM], scan_u32 inclusive, value_t *total, LOCAL group_scratch *s) {
  x[0] = group_scan(x[0], inclusive, total, s);
}

#include "gallery/scan_then_add.h"
