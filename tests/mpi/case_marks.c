/* SPDX-License-Identifier: BSD-2-Clause */
#include "case_marks.h"

#include <string.h>

#include "reference.h"

uint64_t case_group_items(const scan_case *c) {
  const scan_sizes sizes = case_scan_sizes(c);
  const uint64_t bytes = sizes.value > sizes.output ? sizes.value : sizes.output;
  const uint64_t vector = 16 % bytes == 0 ? 16 / bytes : 1;
  const uint64_t most = bytes <= 8 ? 8 : bytes <= 16 ? 4 : bytes <= 32 ? 2 : 1;
  return 128 * most * 256 * vector;
}

int case_has_one_group(const scan_case *c) {
  const source_facts facts = source_operator_facts(&c->scan.source);
  const scan_spec *s = &c->scan.spec;
  if (c->scan.source.map || facts.mapped || (facts.value_bytes && !facts.identity)) return 1;
  return (s->type == SCAN_F16 || s->type == SCAN_BF16) && s->op == SCAN_MUL;
}

static void put_bits(const uint8_t *segment_flags, uint64_t n, unsigned char *bits) {
  memset(bits, 0, (size_t)((n + 31) / 32 * 4));
  for (uint64_t i = 0; i < n; i++) bits[i / 8] |= (unsigned char)((segment_flags[i] != 0) << i % 8);
}

/* Writes the offsets of the part's segments, and perhaps of one that begins right behind the part. */
static uint64_t put_offsets(const scan_case *c, const case_range *range, unsigned char *offsets) {
  const size_t bytes = scan_type_bytes(c->scan.spec.key_type);
  const uint64_t first = range->first, n = range->n, behind = first + n;
  const unsigned char *all = c->in_image + c->marks.at;
  uint64_t count = 0;
  for (uint64_t k = 0; k < c->scan.marks; k++) {
    uint64_t offset = 0;
    memcpy(&offset, all + k * bytes, bytes); /* little-endian */
    const int is_marked_before = offset == first && !range->is_first && range->marks_behind;
    if (offset < first || offset >= behind || is_marked_before) continue;
    offset -= first;
    memcpy(offsets + count++ * bytes, &offset, bytes);
  }
  if (behind < c->n && c->kept[behind] && range->marks_behind && (n > 0 || range->marks_behind > 1))
    memcpy(offsets + count++ * bytes, &n, bytes);
  return count;
}

uint64_t case_put_marks(const scan_case *c, const case_range *range, unsigned char *marks) {
  const scan_spec *s = &c->scan.spec;
  const size_t bytes = s->segments == SCAN_SEGMENTS_KEYS ? scan_type_bytes(s->key_type) : 1;
  if (s->segments == SCAN_SEGMENTS_OFFSETS) return put_offsets(c, range, marks);
  if (s->segments == SCAN_SEGMENTS_BITS)
    put_bits(c->kept + range->first, range->n, marks);
  else if (s->segments != SCAN_SEGMENTS_NONE)
    memcpy(marks, c->in_image + c->marks.at + range->first * bytes, (size_t)range->n * bytes);
  return range->n;
}
