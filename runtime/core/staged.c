/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/staged.h"

/* Parts of one piece of staging memory begin at multiples of it. */
enum { PART_ALIGN = 256 };

static uint64_t part_bytes(uint64_t bytes) { return (bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN; }

void scan_part_add(scan_ctx *ctx, scan_part_list *list, scan_mem *mem, uint64_t bytes, uint64_t item_bytes,
                   int is_rest) {
  if (bytes > 0 && scan_mem_is_staged(ctx, *mem))
    list->of[list->count++] = (scan_part){ mem, *mem, item_bytes, bytes, is_rest };
}

scan_status scan_parts_place(scan_ctx *ctx, scan_staging *staging, scan_part_list *list) {
  uint64_t bytes = 0, at = 0;
  scan_mem whole;
  for (int i = 0; i < list->count; i++) bytes += part_bytes(list->of[i].bytes);
  if (bytes == 0) return SCAN_SUCCESS;
  SCAN_TRY(scan_staging_reserve(ctx, staging, bytes, &whole));
  for (int i = 0; i < list->count; i++) {
    *list->of[i].mem = whole;
    list->of[i].mem->offset_bytes += at;
    at += part_bytes(list->of[i].bytes);
  }
  return SCAN_SUCCESS;
}

scan_status scan_parts_write(scan_ctx *ctx, const scan_part_list *list) {
  for (int i = 0; i < list->count; i++) {
    const scan_part *p = &list->of[i];
    SCAN_TRY(ctx->ops->write(ctx->device, *p->mem, scan_mem_bytes(p->host), p->bytes, &ctx->error));
  }
  return SCAN_SUCCESS;
}

scan_status scan_part_read(scan_ctx *ctx, const scan_part *part, uint64_t items) {
  const uint64_t bytes = items * part->item_bytes;
  if (bytes == 0) return SCAN_SUCCESS;
  return ctx->ops->read(ctx->device, *part->mem, scan_mem_bytes(part->host), bytes, &ctx->error);
}

scan_status scan_number_read(scan_ctx *ctx, scan_mem mem, uint64_t *number) {
  return ctx->ops->read(ctx->device, mem, number, sizeof *number, &ctx->error);
}
