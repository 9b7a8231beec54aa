/* SPDX-License-Identifier: BSD-2-Clause */
/* The marks of a stream's segments. Flags, bits and keys are copied with their chunk. Offsets count the elements of the
 * whole stream: the host turns those of a chunk into bits, whose size does not depend on the number of offsets. */
#include <inttypes.h>
#include <string.h>

#include "api/stream.h"
#include "base/types.h"
#include "ops/scan/segments.h"

uint64_t scan_stream_bytes(const stream *s, stream_side side, uint64_t items) {
  if (side == STREAM_MARKS && s->problem.segments.kind == SCAN_SEGMENTS_BITS)
    return (items + STREAM_BITS_A_WORD - 1) / STREAM_BITS_A_WORD * sizeof(uint32_t);
  return items * s->item_bytes[side];
}

scan_status scan_stream_check_marks(stream *s) {
  scan_ctx *ctx = s->ctx;
  scan_marks *segments = &s->problem.segments;
  const uint64_t entry_bytes = scan_segments_entry_bytes(segments);
  const int by_offsets = segments->kind == SCAN_SEGMENTS_OFFSETS;
  if (segments->kind == SCAN_SEGMENTS_NONE || s->n == 0) return SCAN_SUCCESS;
  if (segments->memory.kind != SCAN_MEM_HOST || segments->memory.handle == NULL)
    FAIL_INVALID("scan_stream: options->marks must be host memory, as in and out are");
  if (!scan_mem_aligned(segments->memory, entry_bytes))
    FAIL_INVALID("options->marks is not aligned to its entries of %" PRIu64 " bytes", entry_bytes);
  if (segments->count == 0 || (!by_offsets && segments->count < s->n))
    FAIL_INVALID("n is %" PRIu64 ", but options->mark_count is %" PRIu64, s->n, segments->count);
  s->item_bytes[STREAM_MARKS] = by_offsets || segments->kind == SCAN_SEGMENTS_BITS ? 1 : entry_bytes;
  if (!by_offsets) {
    s->memory[STREAM_MARKS] = scan_mem_bytes(segments->memory);
    return SCAN_SUCCESS;
  }
  s->offsets = *segments;
  *segments = (scan_marks){ .kind = SCAN_SEGMENTS_BITS };
  return SCAN_SUCCESS;
}

static uint64_t offset_at(const stream *s, uint64_t k) {
  const char *first = scan_mem_bytes(s->offsets.memory);
  if (s->offsets.key_type == SCAN_U32) return ((const uint32_t *)(const void *)first)[k];
  return ((const uint64_t *)(const void *)first)[k];
}

/* Finds the number of the first offset that is not below i; the count of offsets if all are below. */
static uint64_t offset_search(const stream *s, uint64_t i) {
  uint64_t low = 0, high = s->offsets.count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (offset_at(s, middle) < i)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Does not mark element 0 of the stream, which continues the carry's segment or begins a segment anyway. */
void scan_stream_mark(const stream *s, uint64_t first, uint64_t items, uint32_t *words) {
  memset(words, 0, (size_t)scan_stream_bytes(s, STREAM_MARKS, items));
  for (uint64_t k = offset_search(s, first > 0 ? first : 1); k < s->offsets.count; k++) {
    const uint64_t at = offset_at(s, k) - first;
    if (at >= items) return;
    words[at / STREAM_BITS_A_WORD] |= UINT32_C(1) << (at % STREAM_BITS_A_WORD);
  }
}

int scan_stream_starts_segment(const stream *s, uint64_t i) {
  const scan_marks *segments = &s->problem.segments;
  const char *marks = s->memory[STREAM_MARKS];
  const uint64_t bytes = s->item_bytes[STREAM_MARKS];
  if (s->offsets.kind != SCAN_SEGMENTS_NONE) {
    const uint64_t k = offset_search(s, i);
    return k < s->offsets.count && offset_at(s, k) == i;
  }
  switch (segments->kind) {
  case SCAN_SEGMENTS_NONE: return 0;
  case SCAN_SEGMENTS_FLAGS: return marks[i] != 0;
  case SCAN_SEGMENTS_BITS:
    return ((const uint32_t *)(const void *)marks)[i / STREAM_BITS_A_WORD] >> (i % STREAM_BITS_A_WORD) & 1;
  default: return scan_keys_differ(segments->key_type, marks + (i - 1) * bytes, marks + i * bytes);
  }
}
