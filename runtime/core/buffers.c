/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/buffers.h"

#include <inttypes.h>
#include <stdio.h>

/* STAGED_ALIGN: alignment of each buffer in the staging memory. NAME_CHARS: longest name in a message. */
enum { STAGED_ALIGN = 256, NAME_CHARS = 40 };

void scan_buffers_add_n_from(scan_buffer_list *list, scan_mem *n_from) {
  if (n_from->kind != SCAN_MEM_NONE)
    scan_buffers_add(list, &(scan_buffer){ .mem = n_from,
                                           .bytes = sizeof(uint64_t),
                                           .align = sizeof(uint64_t),
                                           .name = "args->n_from",
                                           .is_device_only = 1 });
}

void scan_buffers_add_counts(scan_buffer_list *list, scan_mem *counts, uint64_t bytes, const char *name,
                             scan_mem *n_from) {
  if (counts->kind != SCAN_MEM_NONE)
    scan_buffers_add(list, &(scan_buffer){ .mem = counts,
                                           .bytes = bytes,
                                           .align = sizeof(uint64_t),
                                           .item_bytes = bytes,
                                           .name = name,
                                           .in_place_of = n_from,
                                           .is_output = 1,
                                           .is_count = 1 });
  scan_buffers_add_n_from(list, n_from);
}

/* ---- checks ---- */

static const char *name_of(const scan_buffer *b, char name[NAME_CHARS]) {
  if (!b->is_indexed) return b->name;
  snprintf(name, NAME_CHARS, "%s[%u]", b->name, b->index);
  return name;
}

static scan_status refuse_alignment(scan_ctx *ctx, const scan_buffer *b) {
  char name[NAME_CHARS];
  if (b->has_elements && b->align == b->item_bytes)
    FAIL_INVALID("%s is not aligned to its elements of %" PRIu64 " bytes", b->name, b->align);
  FAIL_INVALID("%s is not aligned to %" PRIu64 " bytes, as %s%s", name_of(b, name), b->align,
               b->has_elements ? "its elements are" : "what it holds must be",
               b->is_indexed ? " (spec->element_align)" : "");
}

scan_status scan_buffers_resolve(scan_ctx *ctx, const scan_buffer_list *list, int stageable) {
  char name[NAME_CHARS];
  for (int i = 0; i < list->count; i++) {
    const scan_buffer *b = &list->of[i];
    if (b->is_checked) continue;
    SCAN_TRY(scan_mem_resolve_argument(ctx, b->mem, b->bytes, stageable && !b->is_device_only, name_of(b, name)));
    if (!scan_mem_aligned(*b->mem, b->align)) return refuse_alignment(ctx, b);
  }
  return SCAN_SUCCESS;
}

static scan_mem touched(scan_mem mem, const scan_buffer *b) {
  mem.offset_bytes += (uint64_t)b->first;
  return mem;
}

static int have_shared_bytes(const scan_ctx *ctx, const scan_buffer *a, const scan_buffer *b) {
  return scan_mem_shared(ctx, touched(*a->mem, a), a->bytes, touched(*b->mem, b), b->bytes);
}

/* 1 if the output may be the memory of the other buffer, with which it overlaps. */
static int may_be(const scan_buffer *output, const scan_buffer *other) {
  if (output->is_checked && other->is_checked) return 1;
  if (other->is_read_first && output->in_place_of != other->mem) return 1;
  if (output->in_place_of == NULL || other->is_output || !scan_mem_same(*output->mem, *other->mem)) return 0;
  return other->mem == output->in_place_of ||
         (other->mem == output->marks && scan_mem_same(*output->in_place_of, *other->mem));
}

static scan_status check_output(scan_ctx *ctx, const scan_buffer_list *list, const scan_buffer *output) {
  char first[NAME_CHARS], second[NAME_CHARS];
  for (int i = 0; i < list->count; i++) {
    const scan_buffer *other = &list->of[i];
    if (other->is_output && other <= output) continue; /* two outputs are compared once */
    if (!have_shared_bytes(ctx, output, other)) continue;
    if (may_be(output, other)) continue;
    const char *overlap = other > output ? other->overlap : output->overlap;
    if (overlap != NULL) FAIL_INVALID("%s", overlap);
    FAIL_INVALID("%s and %s overlap: %s", name_of(output, first), name_of(other, second), list->rule);
  }
  return SCAN_SUCCESS;
}

scan_status scan_buffers_check_apart(scan_ctx *ctx, const scan_buffer_list *list) {
  for (int i = 0; i < list->count; i++)
    if (list->of[i].is_output) SCAN_TRY(check_output(ctx, list, &list->of[i]));
  return SCAN_SUCCESS;
}

/* ---- host memory ---- */

int scan_buffers_are_staged(const scan_ctx *ctx, const scan_buffer_list *list) {
  for (int i = 0; i < list->count; i++)
    if (scan_mem_is_staged(ctx, *list->of[i].mem)) return 1;
  return 0;
}

static uint64_t staged_bytes(const scan_buffer *b) { return scan_round_up(b->bytes, STAGED_ALIGN); }

static int is_placed(const scan_ctx *ctx, const scan_buffer *b, unsigned is_output) {
  return b->is_output == is_output && scan_mem_is_staged(ctx, *b->mem);
}

/* Places the staged inputs, or the staged outputs, side by side in one piece of device memory. */
static scan_status place(scan_ctx *ctx, scan_buffer_list *list, unsigned outputs, scan_staging *staging) {
  uint64_t bytes = 0, at = 0;
  scan_mem whole;
  for (int i = 0; i < list->count; i++)
    if (is_placed(ctx, &list->of[i], outputs)) bytes += staged_bytes(&list->of[i]);
  if (bytes == 0) return SCAN_SUCCESS;
  SCAN_TRY(scan_staging_reserve(ctx, staging, bytes, &whole));
  for (int i = 0; i < list->count; i++) {
    scan_buffer *b = &list->of[i];
    if (!is_placed(ctx, b, outputs)) continue;
    list->callers[i] = *b->mem;
    b->is_staged = 1;
    *b->mem = whole;
    b->mem->offset_bytes += at - (uint64_t)b->first;
    at += staged_bytes(b);
  }
  return SCAN_SUCCESS;
}

scan_status scan_buffers_stage(scan_ctx *ctx, scan_buffer_list *list) {
  SCAN_TRY(place(ctx, list, 1, &ctx->out));
  SCAN_TRY(place(ctx, list, 0, &ctx->in));
  for (int i = 0; i < list->count; i++) {
    const scan_buffer *b = &list->of[i];
    if (!b->is_staged || (b->is_output && !b->is_filled)) continue;
    SCAN_TRY(ctx->ops->write(ctx->device, touched(*b->mem, b), scan_mem_bytes(touched(list->callers[i], b)), b->bytes,
                             &ctx->error));
  }
  return SCAN_SUCCESS;
}

scan_status scan_buffers_read_back(scan_ctx *ctx, const scan_buffer_list *list, int i, uint64_t items) {
  const scan_buffer *b = &list->of[i];
  const uint64_t bytes = items * b->item_bytes;
  if (!b->is_output || !b->is_staged || bytes == 0) return SCAN_SUCCESS;
  return ctx->ops->read(ctx->device, touched(*b->mem, b), scan_mem_bytes(touched(list->callers[i], b)), bytes,
                        &ctx->error);
}

scan_status scan_number_read(scan_ctx *ctx, scan_mem mem, uint64_t *number) {
  return ctx->ops->read(ctx->device, mem, number, sizeof *number, &ctx->error);
}
