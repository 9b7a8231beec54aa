/* SPDX-License-Identifier: BSD-2-Clause */
/* Sklansky, "Conditional-Sum Addition Logic", IRE Trans. Electronic Computers EC-9(2), 1960: in step k = 0, 1, ... the
 * last value of each left half of 2^(k + 1) elements is combined with every value of the right half. log2 m steps of
 * m / 2 applications, one an item; up to m / 2 items read the same value. A step writes right halves and reads left
 * halves' last values, so that one copy in local memory is enough. */
#include "textbook/textbook.h"

#define TEXTBOOK(part) sklansky_##part
#define PER_ITEM 2
#define NETWORK_ITEMS (2 * SCAN_GROUP_ITEMS)

typedef struct scanrt_group_scratch {
  scanrt_value_t x[NETWORK_ITEMS];
  scanrt_value_t carry;
} scanrt_group_scratch;

/* Scans a tile that the work-group holds, element ITEM() + k * SCAN_GROUP_ITEMS in x[k]. */
FUNC void scanrt_tile_scan(scanrt_value_t x[PER_ITEM], scanrt_u32 inclusive, scanrt_value_t *total,
                           LOCAL scanrt_group_scratch *s) {
  UNROLL
  for (scanrt_u32 k = 0; k < PER_ITEM; k++) s->x[ITEM() + k * SCAN_GROUP_ITEMS] = x[k];
  BARRIER();
  for (scanrt_u32 d = 1; d < NETWORK_ITEMS; d <<= 1) {
    const scanrt_u32 right = 2 * d * (ITEM() / d) + d; /* where the right half begins, of d elements */
    LOCAL scanrt_value_t *here = s->x + right + ITEM() % d;
    *here = scanrt_combine(s->x[right - 1], *here);
    BARRIER();
  }
  *total = s->x[NETWORK_ITEMS - 1];
  UNROLL
  for (scanrt_u32 k = 0; k < PER_ITEM; k++) {
    const scanrt_u32 i = ITEM() + k * SCAN_GROUP_ITEMS;
    x[k] = inclusive ? s->x[i] : i > 0 ? s->x[i - 1] : IDENTITY;
  }
}

#include "textbook/scan_then_add.h"
