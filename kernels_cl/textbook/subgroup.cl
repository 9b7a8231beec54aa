/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans one value an item by group_scan.h. */
#include "textbook/group_scan.h"

#define TEXTBOOK(part) subgroup_##part
#define PER_ITEM 1

FUNC void scanrt_tile_scan(scanrt_value_t x[PER_ITEM], scanrt_u32 inclusive, scanrt_value_t *total,
                           LOCAL scanrt_group_scratch *s) {
  x[0] = scanrt_group_scan(x[0], inclusive, total, s);
}

#include "textbook/scan_then_add.h"
