/* SPDX-License-Identifier: BSD-2-Clause */
/** @file layout.c @brief Parts of images, keys in them, and the end of a plan. */
#include "parts.h"
#include "reference.h"

#include <string.h>

uint64_t case_room(uint64_t capacity, uint64_t n) {
  if (capacity == SCAN_NO_CAPACITY) return 0;
  return capacity ? capacity : n;
}

scan_mem case_n_from(const scan_case *c, scan_mem in, scan_mem out) {
  if (!c->has_n_from) return SCAN_NO_MEM;
  return c->counts_n ? scan_offset(out, c->count.at) : scan_offset(in, c->n_from.at);
}

scan_mem case_output(scan_mem out, uint64_t capacity, const case_part *part) {
  return capacity == SCAN_NO_CAPACITY ? SCAN_NO_MEM : scan_offset(out, part->at);
}

case_part case_take(uint64_t *used, uint64_t bytes, uint64_t shift_bytes) {
  const case_part part = { (*used + CASE_GUARD_BYTES + 63) / 64 * 64 + shift_bytes, bytes };
  *used = part.at + bytes + CASE_GUARD_BYTES;
  return part;
}

uint64_t case_align(uint64_t bytes) {
  const uint64_t lowest = bytes & (0 - bytes);
  return lowest < 16 ? lowest : 16;
}

int case_keys_differ(scan_type type, const void *keys, uint64_t i, uint64_t j) {
  const size_t bytes = scan_type_bytes(type);
  if (reference_is_float(type)) return reference_load(type, keys, i) != reference_load(type, keys, j);
  return memcmp((const char *)keys + i * bytes, (const char *)keys + j * bytes, bytes) != 0;
}

scan_status case_finish_plan(scan_ctx *ctx, scan_plan *plan, scan_status status) {
  if (status == SCAN_SUCCESS) status = scan_sync(ctx);
  scan_plan_destroy(plan);
  return status;
}
