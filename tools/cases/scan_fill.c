/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_fill.c @brief Fills the inputs of scans, arrays, streams and differences. */
#include "data.h"
#include "number.h"
#include "reference.h"
#include "scan_parts.h"

#include <string.h>

/* ---- marks ---- */

static void put_number(scan_type type, unsigned char *to, uint64_t i, uint64_t value) {
  if (reference_is_float(type))
    reference_store(type, to, i, (double)value);
  else
    memcpy(to + i * scan_type_bytes(type), &value, scan_type_bytes(type)); /* little-endian */
}

/** Writes keys that change where a segment begins. In an array, where any two elements may be neighbours, keys are
 * random. */
static void put_keys(const scan_case *c, unsigned char *marks) {
  uint64_t key = 0;
  for (uint64_t i = 0; i < c->n; i++) {
    const uint64_t bits = data_bits(c->seed + 1, i);
    if (c->by == CASE_ARRAY)
      key = bits % 100 < c->percent ? bits % 7 : 0;
    else if (i > 0)
      key = (key + c->kept[i]) % 100;
    put_number(c->scan.spec.key_type, marks, i, key);
  }
}

/** Writes offsets, with an empty segment before one segment in eight. @return the number of segments */
static uint64_t put_offsets(const scan_case *c, unsigned char *marks) {
  const scan_type type = c->scan.spec.key_type;
  uint64_t count = 0;
  for (uint64_t i = 0; i < c->n; i++) {
    if (!c->kept[i]) continue;
    put_number(type, marks, count++, i);
    if (data_bits(c->seed + 2, i) % 8 == 0) put_number(type, marks, count++, i);
  }
  put_number(type, marks, count, c->n);
  return count;
}

/** Fills c->kept and the marks. Flags and bits may leave element 0 unmarked: it then continues from the carry, or
 * begins the first segment. */
static void fill_marks(scan_case *c) {
  const scan_segments kind = c->scan.spec.segments;
  const int marks_first = kind != SCAN_SEGMENTS_FLAGS && kind != SCAN_SEGMENTS_BITS;
  unsigned char *marks = c->in_image + c->marks.at;
  c->scan.marks = c->n;
  for (uint64_t i = 0; i < c->n; i++) {
    const uint64_t bits = data_bits(c->seed + 1, i);
    const int starts_segment = c->scan.segment_items ? i % c->scan.segment_items == 0 : bits % 100 < c->percent;
    c->kept[i] = (i == 0 && marks_first) || starts_segment;
    if (kind == SCAN_SEGMENTS_FLAGS) marks[i] = c->kept[i] ? (uint8_t)(bits >> 56 | 1) : 0;
    if (kind == SCAN_SEGMENTS_BITS)
      marks[i / 8] = (unsigned char)((marks[i / 8] & ~(1u << i % 8)) | (unsigned)c->kept[i] << i % 8);
  }
  if (kind == SCAN_SEGMENTS_KEYS) put_keys(c, marks);
  if (kind == SCAN_SEGMENTS_OFFSETS) c->scan.marks = put_offsets(c, marks);
}

/* ---- elements ---- */

/** Fills the input of a scan with overflow checks. Half of them overflow. */
static void fill_checked(const scan_case *c, uint64_t items, unsigned char *in) {
  const scan_spec *s = &c->scan.spec;
  if (items == 0) return;
  data_fill_within(s->input_type, s->type, s->op, items, in);
  if (c->seed % 2)
    memset(in + c->seed / 2 % items * scan_type_bytes(s->input_type), 0x7f, scan_type_bytes(s->input_type));
}

/** Fills the input. Of an array it fills all bytes between the lowest and the highest element, with the gaps. */
void case_scan_fill(scan_case *c) {
  const case_scan *r = &c->scan;
  const data_style style = { .seed = c->seed + 4 };
  unsigned char *in = c->in_image + c->in[0].at;
  const uint64_t items = c->in[0].bytes / case_scan_sizes(c).input;
  fill_marks(c);
  if (source_operator_fills(&r->source))
    source_operator_fill(&r->source, items, style.seed, in);
  else if (r->spec.flags & SCAN_CHECK_OVERFLOW)
    fill_checked(c, items, in);
  else if (r->values)
    case_scan_fill_values(c, items, in);
  else
    data_fill(r->spec.input_type, r->spec.op, items, &style, in);
}

/* ---- carries ---- */

/** Writes the first carry. For halves it is binary32; for a checked scan it is near the limit of its type. */
static void first_carry(const scan_case *c, unsigned char *to) {
  const case_scan *r = &c->scan;
  const scan_sizes sizes = case_scan_sizes(c);
  scan_value number = { .u64 = 0 };
  if (source_operator_fills(&r->source)) {
    source_operator_init(&r->source, c->seed + 5, to);
    return;
  }
  number_parse(sizes.value == sizes.output ? r->spec.type : SCAN_F32, "3", &number);
  if (r->spec.flags & SCAN_CHECK_OVERFLOW) memset(&number, 0x7f, sizeof number);
  if (r->values == CASE_VALUES_MINUS) reference_store(sizes.value == 8 ? SCAN_F64 : SCAN_F32, &number, 0, -0.0);
  memcpy(to, &number, (size_t)sizes.value);
}

void case_scan_put_inputs(const scan_case *c, unsigned char *out_image) {
  for (uint32_t a = 0; a < c->outputs && c->in_place; a++)
    memcpy(out_image + c->out[a].at, c->in_image + c->in[0].at, (size_t)c->out[a].bytes);
  if (case_scan_reads_carry(&c->scan)) first_carry(c, out_image + c->scan.carries.at);
}
