/* SPDX-License-Identifier: BSD-2-Clause */
/* The running prefix of values from source, updated once for each tile: tile.h's scan_prefix. */
#ifndef SCANRT_HOST_PREFIX_H
#define SCANRT_HOST_PREFIX_H

#include "device/host/scan/host_values.h"

typedef struct running {
  value groups, run[CANON_GROUP_LEVELS];
  uint32_t tile;
} running;

/* Initialises the prefix before the first tile; `start` is the value that the scan begins with. */
INLINE void prefix_start(running *p, const value *start) {
  p->groups = *start;
  for (int k = 0; k < CANON_GROUP_LEVELS; k++) p->run[k].there = 0;
  p->tile = 0;
}

/* Sets *before to the value before the tile. */
INLINE void prefix_value(const job *j, const running *p, value *before) {
  before->there = 0;
  for (int k = 0; k < CANON_GROUP_LEVELS; k++)
    if ((p->tile >> k) & 1u) prepend_value(j, &p->run[k], before);
  prepend_value(j, &p->groups, before);
}

/* Advances the prefix past a tile. */
INLINE void prefix_push(const job *j, running *p, const value *aggregate) {
  value sum;
  int k = 0;
  copy(j, &sum, aggregate);
  for (; k < CANON_GROUP_LEVELS && ((p->tile >> k) & 1u); k++) prepend_value(j, &p->run[k], &sum);
  if (k < CANON_GROUP_LEVELS)
    copy(j, &p->run[k], &sum);
  else
    append_value(j, &p->groups, &sum);
  p->tile = (p->tile + 1) % CANON_GROUP_TILES;
}

#endif
