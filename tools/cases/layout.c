/* SPDX-License-Identifier: BSD-2-Clause */
/** @file layout.c @brief Parts of images, keys in them, and the end of a plan. */
#include "parts.h"
#include "reference.h"

#include <string.h>

uint64_t case_room(uint64_t capacity, uint64_t n) {
  if (capacity == SCAN_NO_CAPACITY) return 0;
  return capacity ? capacity : n;
}

scan_mem case_n_from(const scan_case *c, const case_memory *m) {
  if (!c->has_n_from) return SCAN_NO_MEM;
  return c->counts_n ? scan_offset(m->device_out, c->count.at) : scan_offset(m->device_in, c->n_from.at);
}

scan_mem case_count(const scan_case *c, const case_memory *m) {
  if (!c->has_count) return SCAN_NO_MEM;
  return scan_offset(c->counts_n ? m->device_out : m->out, c->count.at);
}

int case_exceeds(const scan_case *c) { return c->has_n_from && c->n_said > c->n && !c->clamps && c->n > 0; }

scan_mem case_output(scan_mem out, uint64_t capacity, const case_part *part) {
  return capacity == SCAN_NO_CAPACITY ? SCAN_NO_MEM : scan_offset(out, part->at);
}

case_part case_reserve(uint64_t *used, uint64_t bytes, uint64_t shift_bytes) {
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

/* ---- the end of a call ---- */

uint64_t case_plan_n(const scan_case *c) { return c->plan_n > c->n ? c->plan_n : c->n; }

scan_status case_wait(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_status status) {
  if (status != SCAN_SUCCESS) return status;
  status = scan_sync(ctx);
  if (!case_exceeds(c)) return status;
  m->is_silent = status == SCAN_SUCCESS;
  return status == SCAN_INVALID_ARGUMENT ? scan_sync(ctx) : status;
}

scan_status case_give_memory(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_plan *plan, scan_status status) {
  uint64_t bytes = 0;
  m->plan = SCAN_NO_MEM;
  if (status != SCAN_SUCCESS || !c->plan_memory) return status;
  status = scan_plan_memory_bytes(plan, &bytes);
  if (status != SCAN_SUCCESS || bytes == 0) return status;
  status = scan_alloc(ctx, bytes, &m->plan);
  return status == SCAN_SUCCESS ? scan_plan_use_memory(plan, m->plan) : status;
}

void case_end_plan(scan_ctx *ctx, case_memory *m, scan_plan *plan) {
  scan_plan_destroy(plan);
  if (m->plan.kind != SCAN_MEM_NONE) (void)scan_free(ctx, m->plan);
  m->plan = SCAN_NO_MEM;
}

scan_status case_finish_plan(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_plan *plan, scan_status status) {
  status = case_wait(ctx, c, m, status);
  case_end_plan(ctx, m, plan);
  return status;
}
