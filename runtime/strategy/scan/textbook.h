/* SPDX-License-Identifier: BSD-2-Clause */
/* Geometry and cost of the textbook scans: kernels_cl/textbook/, for strategy_textbook.c. */
#ifndef SCANRT_TEXTBOOK_H
#define SCANRT_TEXTBOOK_H

#include "strategy/strategy.h"

/* The kernels' family, and the scan of a tile. */
typedef enum textbook_kind {
  TEXTBOOK_HILLIS_STEELE,
  TEXTBOOK_BLELLOCH,
  TEXTBOOK_SUBGROUP,
  TEXTBOOK_SKLANSKY,
  TEXTBOOK_BRENT_KUNG,
  TEXTBOOK_RAKING,
  TEXTBOOK_THREE_PASS,
  TEXTBOOK_SINGLE_PASS
} textbook_kind;

/* Work-items of a work-group: the tuning's number, or 64 on processors, whose other kernels have one: a work-group is a
 * loop there, and a small one compiles quickly. */
enum { TEXTBOOK_LEAST_ITEMS = 64, TEXTBOOK_RAKE = 8 };
uint32_t scan_textbook_group_items(const scan_caps *caps);

/* Elements of a tile of a work-group of `items` work-items. */
uint64_t scan_textbook_tile_items(textbook_kind kind, uint64_t items);

/* The work and span of a scan of n >= 1 elements, exactly as the kernels execute it: elements past n are the identity
 * and count, except in scan_then_add.h's addition, which skips them. */
scan_cost scan_textbook_cost(textbook_kind kind, uint64_t items, scan_kind scan, uint64_t n);

#endif
