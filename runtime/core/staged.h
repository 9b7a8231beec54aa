/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the host's in a run of several arrays: each is a part of one piece of staging memory. */
#ifndef SCANRT_STAGED_H
#define SCANRT_STAGED_H

#include "core/context.h"

/* A memory of a run that is the host's. */
typedef struct scan_part {
  scan_mem *mem; /* in the copy of the run that is launched */
  scan_mem host; /* as the caller named it */
  uint64_t item_bytes, bytes;
  int is_rest; /* this and item_bytes: of outputs */
} scan_part;

enum { SCAN_MOST_PARTS = 18 };

typedef struct scan_part_list {
  scan_part of[SCAN_MOST_PARTS];
  int count;
} scan_part_list;

/* Appends a memory of so many bytes, if it is the host's and the device has its own. */
void scan_part_add(scan_ctx *ctx, scan_part_list *list, scan_mem *mem, uint64_t bytes, uint64_t item_bytes,
                   int is_rest);

/* Gives each part its place in the staging memory; copies all of them to it. */
scan_status scan_parts_place(scan_ctx *ctx, scan_staging *staging, scan_part_list *list);
scan_status scan_parts_write(scan_ctx *ctx, const scan_part_list *list);

/* The first `items` items of a part back to the host. */
scan_status scan_part_read(scan_ctx *ctx, const scan_part *part, uint64_t items);

/* A number in memory of the device. */
scan_status scan_number_read(scan_ctx *ctx, scan_mem mem, uint64_t *number);

#endif
