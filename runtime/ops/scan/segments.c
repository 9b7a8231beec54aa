/* SPDX-License-Identifier: BSD-2-Clause */
/* The marks of a scan's segments: their checks, and the launch before the scan that turns offsets (or, in some plans,
 * flags and keys) into bits in the workspace. */
#include <inttypes.h>

#include "core/plan.h"
#include "device/arguments.h"
#include "kernels_cl/lib/arguments.h"
#include "core/regions.h"
#include "ops/scan/segments.h"

static const scan_argument_list arguments = SCAN_ARGUMENTS(SEGMENT_BITS_ARGUMENTS);

uint64_t scan_segments_entry_bytes(const scan_marks *s) {
  if (s->kind == SCAN_SEGMENTS_FLAGS) return 1;
  return s->kind == SCAN_SEGMENTS_BITS ? 4 : scan_type_bytes(s->key_type);
}

scan_status scan_segments_check(scan_ctx *ctx, const scan_marks *s) {
  const int is_keyed = s->kind == SCAN_SEGMENTS_KEYS || s->kind == SCAN_SEGMENTS_OFFSETS;
  if ((unsigned)s->kind > SCAN_SEGMENTS_OFFSETS)
    FAIL_INVALID("spec->segments is %d, which is no scan_segments", (int)s->kind);
  if (!is_keyed && s->key_type != SCAN_TYPE_DEFAULT)
    FAIL_INVALID("spec->key_type is %d, and spec->segments names neither keys nor offsets: set it to 0",
                 (int)s->key_type);
  if (s->kind == SCAN_SEGMENTS_KEYS && scan_type_name(s->key_type) == NULL)
    FAIL_INVALID("spec->key_type is %d, which is no type", (int)s->key_type);
  if (s->kind == SCAN_SEGMENTS_OFFSETS && s->key_type != SCAN_U32 && s->key_type != SCAN_U64)
    FAIL_INVALID("spec->key_type is %d: offsets are SCAN_U32 or SCAN_U64", (int)s->key_type);
  return SCAN_SUCCESS;
}

scan_status scan_segments_copy_in(scan_ctx *ctx, uint64_t n, const scan_args *args, scan_marks *s) {
  const int is_named = args->marks.kind != SCAN_MEM_NONE;
  if (s->kind == SCAN_SEGMENTS_NONE && (is_named || args->mark_count != 0))
    FAIL_INVALID("args->marks or mark_count is given, but spec->segments is 0: say what the marks are");
  if (s->kind != SCAN_SEGMENTS_NONE && !is_named && n > 0)
    FAIL_INVALID(
        "args->marks is no memory (a zero scan_mem): spec->segments says that it has the beginnings of segments");
  if (s->kind != SCAN_SEGMENTS_NONE && args->mark_count >= PTRDIFF_MAX / scan_segments_entry_bytes(s))
    FAIL_INVALID("args->mark_count is %" PRIu64 ": that many entries of %" PRIu64
                 " bytes are more than an address can reach",
                 args->mark_count, scan_segments_entry_bytes(s));
  s->memory = args->marks;
  s->count = args->mark_count;
  return SCAN_SUCCESS;
}

static uint64_t bits_bytes(uint64_t n) { return (n / 32 + (n % 32 != 0)) * 4; }

uint64_t scan_segments_bytes(const scan_marks *s, uint64_t n) {
  if (s->kind == SCAN_SEGMENTS_BITS) return bits_bytes(n);
  return (s->kind == SCAN_SEGMENTS_OFFSETS ? s->count + 1 : n) * scan_segments_entry_bytes(s);
}

scan_status scan_segments_count_check(scan_ctx *ctx, const scan_marks *s, uint64_t n, int stageable) {
  scan_mem all = s->memory;
  if (s->count == 0 || (s->kind != SCAN_SEGMENTS_OFFSETS && n > s->count))
    FAIL_INVALID("n is %" PRIu64 ", but args->mark_count is %" PRIu64, n, s->count);
  if (s->count == n || s->kind == SCAN_SEGMENTS_OFFSETS) return SCAN_SUCCESS;
  return scan_mem_resolve_argument(ctx, &all, scan_segments_bytes(s, s->count), stageable, "args->marks");
}

int scan_segments_misaligned(const scan_marks *s) {
  return s->kind != SCAN_SEGMENTS_NONE && s->kind != SCAN_SEGMENTS_OFFSETS && !scan_mem_aligned(s->memory, 16);
}

void scan_segments_prepare(scan_plan *plan) {
  if (scan_segments_become_bits(&plan->problem.segments))
    plan->regions[SCAN_REGION_FLAG_BITS].bytes = bits_bytes(plan->max_n);
}

void scan_segments_schedule(const scan_plan *plan, uint64_t n, scan_schedule *schedule) {
  /* Limits: one-work-item groups; groups for each compute unit; groups that read offsets, of which a multiprocessor
   * runs so many at once. */
  enum { MOST_WORK_ITEMS = 4096, GROUPS_PER_UNIT = 8, OFFSETS_GROUPS_PER_UNIT = 4 };
  const scan_caps *caps = &plan->caps;
  const scan_marks *marks = &plan->problem.segments;
  const int are_offsets = marks->kind == SCAN_SEGMENTS_OFFSETS;
  if (!scan_segments_become_bits(marks)) return;
  if (plan->forced == SCAN_STRATEGY_SEGMENTED_REDUCE &&
      scan_segments_method_of(caps, &plan->problem) != SCAN_SEGMENTS_SCANNED)
    return;
  const uint32_t items = caps->tuning.group_items;
  const uint64_t words = bits_bytes(n) / 4, groups = words / items + (words % items != 0);
  const uint64_t per_unit = are_offsets ? OFFSETS_GROUPS_PER_UNIT : GROUPS_PER_UNIT;
  const uint64_t most = items == 1 ? MOST_WORK_ITEMS : caps->info.compute_units * per_unit;
  const char *kernel = marks->kind == SCAN_SEGMENTS_FLAGS ? "bits_of_flags" : "bits_of_keys";
  scan_schedule_prepend(schedule, &(scan_step){ .file = are_offsets ? "segment_bits.cl" : "marks.cl",
                                                .kernel = are_offsets ? "segment_bits_of_offsets" : kernel,
                                                .arguments = &arguments,
                                                .groups = (uint32_t)(groups < most ? groups : most),
                                                .items_per_group = items,
                                                .builds_segment_bits = 1 });
}

void scan_segments_bind(const scan_plan *plan, const scan_marks *s, scan_kernel_args *args) {
  const int are_made = scan_segments_become_bits(&plan->problem.segments);
  args->marks = s->memory;
  args->count = s->count;
  args->segment_flags = are_made ? scan_region_of(plan, SCAN_REGION_FLAG_BITS) : s->memory;
}
