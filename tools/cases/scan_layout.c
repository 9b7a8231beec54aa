/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_layout.c @brief Derives the fields that a line of scans leaves out, and lays out the images. */
#include "data.h"
#include "number.h"
#include "reference.h"
#include "reference_operator.h"
#include "scan_parts.h"

#include <string.h>

enum { BITS_A_WORD = 32 };

/* ---- sizes ---- */

static int is_half(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }

int case_scan_is_backward(const scan_case *c) { return (c->scan.spec.flags & SCAN_BACKWARD) != 0; }

int case_scan_rounds(const case_scan *r) {
  return reference_is_float(r->spec.type) && (r->spec.op == SCAN_ADD || r->spec.op == SCAN_MUL);
}

int case_scan_reads_carry(const case_scan *r) { return r->has_carry || r->carries_in || r->carries_same; }
int case_scan_leaves_carry(const case_scan *r) { return r->has_carry || r->carries_out || r->carries_same; }

scan_sizes case_scan_sizes(const scan_case *c) {
  const scan_spec *s = &c->scan.spec;
  const source_facts facts = source_operator_facts(&c->scan.source);
  if (facts.value_bytes) return (scan_sizes){ facts.input_bytes, facts.value_bytes, facts.output_bytes };
  const uint64_t output = scan_type_bytes(s->type);
  return (scan_sizes){ scan_type_bytes(s->input_type), is_half(s->type) ? sizeof(float) : output, output };
}

/* ---- derived fields ---- */

/** Sets the initial value. That of a checked scan is near the limit of its type. */
static void set_init(scan_case *c) {
  case_scan *r = &c->scan;
  const scan_spec *s = &r->spec;
  memset(r->init, 0, sizeof r->init);
  if (source_operator_fills(&r->source))
    source_operator_init(&r->source, c->seed + 5, r->init);
  else if (s->flags & SCAN_CHECK_OVERFLOW)
    memset(r->init, 0x7f, scan_type_bytes(s->type));
  else if (r->values == CASE_VALUES_MINUS)
    reference_store(s->type, r->init, 0, c->seed % 2 ? 0.0 : -0.0);
  else
    number_parse(s->type, "3", (scan_value *)r->init);
  memcpy(&r->spec.init, r->init, sizeof r->spec.init);
}

/** Sets n of an array: the product of its extents. */
static void count_items(scan_case *c) {
  const scan_array *array = &c->scan.array;
  if (c->by != CASE_ARRAY) return;
  c->n = 1;
  for (uint32_t k = 0; k < array->ndim; k++) c->n *= array->shape[k];
}

void case_scan_complete(scan_case *c) {
  case_scan *r = &c->scan;
  r->spec.struct_bytes = sizeof r->spec;
  if (!r->spec.input_type) r->spec.input_type = r->spec.type;
  r->array.struct_bytes = sizeof r->array;
  count_items(c);
  r->overflow = r->reported = UINT64_MAX;
  r->carries.bytes = case_scan_reads_carry(r) || case_scan_leaves_carry(r) ? CASE_CARRY_BYTES : 0;
  if (r->spec.has_init) set_init(c);
  if (!c->outputs) {
    c->outputs = 1;
    r->run_n[0] = c->n;
  }
  c->items = 0;
  for (uint32_t a = 0; a < c->outputs; a++) c->items += r->run_n[a];
}

uint64_t case_scan_count(const scan_case *c, uint32_t a) {
  const uint64_t n = c->scan.run_n[a];
  return c->has_n_from && c->n_said < n ? c->n_said : n;
}

int case_scan_exceeds(const scan_case *c) {
  for (uint32_t a = 0; a < c->outputs; a++)
    if (c->has_n_from && !c->clamps && c->scan.run_n[a] > 0 && c->n_said > c->scan.run_n[a]) return 1;
  return 0;
}

uint64_t case_scan_chunk(const scan_case *c) {
  uint64_t items = c->scan.chunk_items;
  if (items == 0 || items >= c->n) return c->n ? c->n : 1;
  if (c->scan.spec.segments == SCAN_SEGMENTS_BITS) items -= items % BITS_A_WORD;
  return items ? items : 1;
}

/* ---- layout ---- */

uint64_t case_scan_carry_in(const case_scan *r, uint32_t a) {
  return r->carries.at + (r->has_carry ? CASE_CARRY_BYTES * (uint64_t)a : 0);
}

uint64_t case_scan_carry_out(const case_scan *r, uint32_t a) {
  return r->carries.at + (r->carries_same ? 0 : CASE_CARRY_BYTES * (a + UINT64_C(1)));
}

uint64_t case_scan_mark_bytes(const scan_spec *spec, uint64_t n) {
  switch (spec->segments) {
  case SCAN_SEGMENTS_FLAGS: return n;
  case SCAN_SEGMENTS_BITS: return (n + BITS_A_WORD - 1) / BITS_A_WORD * 4;
  case SCAN_SEGMENTS_KEYS: return n * scan_type_bytes(spec->key_type);
  case SCAN_SEGMENTS_OFFSETS: return (2 * n + 1) * scan_type_bytes(spec->key_type); /* half may be empty */
  default: return 0;
  }
}

/** Sets `order` to a random permutation of the axes. */
static void carries_shuffle(uint32_t count, uint32_t order[SCAN_ARRAY_MAX_AXES], case_draw *d) {
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t at = (uint32_t)draw_below(d, k + 1);
    order[k] = order[at];
    order[at] = k;
  }
}

/** Draws strides: axes in any order, some with gaps, some negative; elements of an input may overlap.
 * @param[out] first  bytes from the lowest element to the one with all indices 0
 * @return bytes from the lowest element to the end of the highest one */
static uint64_t choose_strides(const scan_array *array, uint64_t item_bytes, int shares, int64_t *strides,
                               uint64_t *first, case_draw *d) {
  uint32_t order[SCAN_ARRAY_MAX_AXES];
  uint64_t span = item_bytes;
  carries_shuffle(array->ndim, order, d);
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint64_t gap = draw_one_in(d, 4) ? item_bytes * draw_below(d, 3) : 0, extent = array->shape[order[k]];
    const uint64_t steps = extent ? extent - 1 : 0, stride = span + gap;
    const int is_reversed = draw_one_in(d, 4);
    strides[order[k]] = is_reversed ? -(int64_t)stride : (int64_t)stride;
    if (shares && draw_one_in(d, 8)) {
      strides[order[k]] = 0;
      continue;
    }
    if (is_reversed) *first += stride * steps;
    span += stride * steps;
  }
  return span;
}

/** Sets strides in C order without gaps. @return as choose_strides */
static uint64_t carries_pack(const scan_array *array, uint64_t item_bytes, int64_t *strides) {
  uint64_t span = item_bytes;
  for (uint32_t k = array->ndim; k-- > 0;) {
    strides[k] = (int64_t)span;
    span *= array->shape[k] ? array->shape[k] : 1;
  }
  return span;
}

/** Sets the strides of an array's input and output; in place they are equal. The stride of totals along the axis is
 * one that the library refuses if it looks at it. */
static void lay_out_array(scan_case *c, uint64_t *in, uint64_t *out, case_draw *d) {
  enum { NO_STRIDE = INT32_MAX };
  case_scan *r = &c->scan;
  scan_array *array = &r->array, outputs = *array;
  const scan_sizes sizes = case_scan_sizes(c);
  r->in_first = r->out_first = 0;
  *in = r->is_packed ? carries_pack(array, sizes.input, array->in_strides)
                     : choose_strides(array, sizes.input, !c->in_place, array->in_strides, &r->in_first, d);
  if (c->in_place) {
    memcpy(array->out_strides, array->in_strides, sizeof array->in_strides);
    r->out_first = r->in_first;
    *out = *in;
    return;
  }
  if (r->spec.kind == SCAN_TOTAL) outputs.shape[array->axis] = 1;
  *out = r->is_packed ? carries_pack(&outputs, sizes.output, array->out_strides)
                      : choose_strides(&outputs, sizes.output, 0, array->out_strides, &r->out_first, d);
  if (r->spec.kind == SCAN_TOTAL) array->out_strides[array->axis] = NO_STRIDE;
}

static uint64_t out_shift(const scan_case *c, case_draw *d) {
  return c->out_shift ? c->out_shift : draw_below(d, 2) * draw_below(d, 16);
}

void case_scan_lay_out(scan_case *c) {
  case_scan *r = &c->scan;
  case_draw d = { .seed = c->seed + 6 };
  const scan_sizes sizes = case_scan_sizes(c);
  const uint64_t mark = r->spec.segments == SCAN_SEGMENTS_BITS ? 4
                        : r->spec.key_type                     ? scan_type_bytes(r->spec.key_type)
                                                               : 1;
  uint64_t in = c->n * sizes.input, array_out = 0;
  if (r->spec.kind == SCAN_TOTAL || sizes.input != sizes.output) c->in_place = 0;
  if (c->by == CASE_ARRAY) lay_out_array(c, &in, &array_out, &d);
  c->in[0] = case_reserve(&c->in_bytes, in, c->shift * sizes.input);
  c->marks = case_reserve(&c->in_bytes, case_scan_mark_bytes(&r->spec, c->n), c->shift * mark);
  for (uint32_t a = 0; a < c->outputs; a++) {
    const uint64_t items = r->spec.kind == SCAN_TOTAL ? 1 : r->run_n[a];
    const uint64_t out = c->by == CASE_ARRAY ? array_out : items * sizes.output;
    c->item_bytes[a] = sizes.output;
    c->out[a] = case_reserve(&c->out_bytes, out, out_shift(c, &d) * sizes.output);
  }
  const uint64_t carry_shift = source_operator_fills(&r->source) ? 0 : (c->shift & 1) * sizes.value;
  if (r->carries.bytes)
    r->carries = case_reserve(&c->out_bytes, CASE_CARRY_BYTES * (c->outputs + UINT64_C(1)), carry_shift);
}

/* ---- results ---- */

int case_has_denormals(const scan_case *c) {
  const case_scan *r = &c->scan;
  const scan_composite which = r->source.composite;
  if (case_family_of(c->by) != FAMILY_SCANS) return 0;
  if (which)
    return which != SCAN_AFFINE_U32 && (which < SCAN_ARGMIN_F32 || which > SCAN_ARGMAX_I64) && which < SCAN_SUM_I128;
  if (r->values >= CASE_VALUES_DENORMAL && r->values != CASE_VALUES_GROWING && r->values != CASE_VALUES_MINUS) return 1;
  if (r->values && (r->spec.op == SCAN_MUL || is_half(r->spec.type) || is_half(r->spec.input_type))) return 1;
  return case_scan_rounds(r) && r->spec.op == SCAN_MUL && c->n > CASE_MOST_FACTORS;
}
