/* SPDX-License-Identifier: BSD-2-Clause */
/* SCAN_CHECK_OVERFLOW: kernels note the first result that is not exact in words of the plan's workspace
 * (kernels_cl/lib/overflow_source.h). The host reads and clears the words when it waits anyway. */
#include <inttypes.h>

#include "core/plan.h"
#include "core/regions.h"
#include "core/overflow.h"

enum { SHIFT = 31, AT_ONCE = 256 };

static uint64_t words_of(const scan_plan *plan) { return plan->regions[SCAN_REGION_CHECKS].bytes / sizeof(uint32_t); }

void scan_overflow_prepare(scan_plan *plan) {
  const uint64_t items = plan->problem.array_items ? plan->problem.array_items : plan->max_n;
  if (plan->problem.checks) plan->regions[SCAN_REGION_CHECKS].bytes = ((items >> SHIFT) + 1) * sizeof(uint32_t);
}

/* Reads the first place, in the order of the scan, that the kernels noted; UINT64_MAX if there is none. */
static scan_status read_index(scan_plan *plan, uint64_t *index) {
  uint32_t words[AT_ONCE];
  scan_ctx *ctx = plan->ctx;
  scan_mem at = scan_region_of(plan, SCAN_REGION_CHECKS);
  *index = UINT64_MAX;
  for (uint64_t w = 0; w < words_of(plan); w += AT_ONCE, at.offset_bytes += sizeof words) {
    const uint64_t left = words_of(plan) - w, count = left < AT_ONCE ? left : AT_ONCE;
    SCAN_TRY(ctx->ops->read(ctx->device, at, words, count * sizeof words[0], &ctx->error));
    for (uint64_t k = 0; k < count; k++)
      if (words[k] != UINT32_MAX) {
        *index = (w + k) << SHIFT | words[k];
        return SCAN_SUCCESS;
      }
  }
  return SCAN_SUCCESS;
}

/* Converts a place in the order of the scan to an index in the output. In an array, places are reversed along the axis
 * alone. The place after the last output is that of carry_out, whose index is n. */
static uint64_t index_of(const scan_plan *plan, uint64_t place) {
  const scan_problem *problem = &plan->problem;
  const uint64_t length = plan->overflow_length, pitch = (uint64_t)problem->step[3];
  if (!problem->reversed) return place;
  if (problem->array_items == 0) return place < length ? length - 1 - place : length;
  const uint64_t along = place / pitch % length;
  return place - along * pitch + (length - 1 - along) * pitch;
}

scan_status scan_overflow_read(scan_plan *plan, uint64_t *first) {
  for (; plan != NULL; plan = plan->fallback) {
    uint64_t index;
    if (!plan->overflow_unread) continue;
    plan->overflow_unread = plan->recorded;
    SCAN_TRY(read_index(plan, &index));
    if (index != UINT64_MAX && index_of(plan, index) < *first) *first = index_of(plan, index);
    if (index != UINT64_MAX) SCAN_TRY(scan_region_clear(plan, SCAN_REGION_CHECKS));
  }
  return SCAN_SUCCESS;
}

void scan_overflow_keep(scan_plan *plan) {
  scan_ctx *ctx = plan->ctx;
  uint64_t first = ctx->pending_overflow ? ctx->pending_overflow_index : UINT64_MAX;
  (void)scan_overflow_read(plan, &first);
  ctx->pending_overflow = first != UINT64_MAX;
  ctx->pending_overflow_index = first;
}

scan_status scan_overflow_report(scan_ctx *ctx, uint64_t first) {
  ctx->has_overflowed = 1;
  ctx->overflow_index = first;
  return scan_fail(&ctx->error, SCAN_OVERFLOW,
                   "element %" PRIu64
                   " of the output is the first, in the order of the scan, whose exact value its type "
                   "does not hold: results from there on have wrapped around; scan into a wider type",
                   first);
}

scan_status scan_overflow_check(scan_ctx *ctx) {
  uint64_t first = ctx->pending_overflow ? ctx->pending_overflow_index : UINT64_MAX;
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) SCAN_TRY(scan_overflow_read(plan, &first));
  ctx->pending_overflow = 0;
  return first == UINT64_MAX ? SCAN_SUCCESS : scan_overflow_report(ctx, first);
}

void scan_overflow_forget(scan_ctx *ctx) {
  for (scan_plan *plan = ctx->plans; plan != NULL; plan = plan->next) {
    (void)scan_region_clear(plan, SCAN_REGION_CHECKS);
    plan->overflow_unread = plan->recorded && plan->problem.checks;
  }
}

scan_status scan_overflow_index(scan_ctx *ctx, uint64_t *index) {
  SCAN_TRY(scan_ctx_enter(ctx, "scan_overflow_index"));
  if (index == NULL) FAIL_INVALID("scan_overflow_index: index is NULL");
  if (!ctx->has_overflowed) FAIL_INVALID("scan_overflow_index: no call on this context has returned SCAN_OVERFLOW");
  *index = ctx->overflow_index;
  return SCAN_SUCCESS;
}
