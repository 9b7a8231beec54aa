/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_draw.c @brief Cases of scans, arrays, streams and differences: the draw and the
 * layout. */
#include "data.h"
#include "number.h"
#include "reference.h"
#include "reference_operator.h"
#include "parts.h"

#include <inttypes.h>
#include <string.h>

/** Products of more floating-point numbers of data_fill may become denormal. */
enum { MOST_FACTORS = 20000, CARRY_BYTES = 8 };

/** So many cases in a row have so many specs: a processor's OpenCL takes a second to compile what is new. */
enum { POOL_CASES = 4096, POOL_SPECS = 256 };

/* ---- what is asked: of all ---- */

static int is_built_in_sum(const case_scan *r) { return r->spec.op == SCAN_ADD || r->spec.op == SCAN_MUL; }

static int rounds(const case_scan *r) { return reference_is_float(r->spec.type) && is_built_in_sum(r); }

static int is_half(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }

/** Types, and an operator that they have. */
static void choose_types(scan_spec *spec, int widens, case_draw *d) {
  static const scan_type pairs[][2] = { { SCAN_I8, SCAN_I32 },  { SCAN_I8, SCAN_I64 },  { SCAN_U8, SCAN_U32 },
                                        { SCAN_U8, SCAN_U64 },  { SCAN_I32, SCAN_I64 }, { SCAN_U32, SCAN_U64 },
                                        { SCAN_F32, SCAN_F64 }, { SCAN_F16, SCAN_F32 }, { SCAN_BF16, SCAN_F32 } };
  spec->type = spec->input_type = (scan_type)(SCAN_I8 + draw_below(d, SCAN_BF16));
  spec->op = (scan_op_id)(SCAN_ADD + draw_below(d, reference_is_float(spec->type) ? SCAN_MAX : SCAN_XOR));
  if (!widens || !draw_one_in(d, 4)) return;
  const scan_type *pair = pairs[draw_below(d, sizeof pairs / sizeof pairs[0])];
  spec->input_type = pair[0];
  spec->type = pair[1];
  spec->op = SCAN_ADD;
}

/** Nothing to a few hundred, around the ends of tiles, or any. */
static uint64_t choose_small_n(const case_limits *limits, uint64_t bytes, case_draw *d) {
  const uint64_t most = limits->large   ? 300000
                        : limits->quick ? 20000
                                        : 60000,
                 tile = reference_subtile_items((size_t)bytes);
  if (draw_one_in(d, 4)) return draw_below(d, 300);
  if (draw_one_in(d, 2)) return draw_below(d, most);
  return (1 + draw_below(d, most / tile + 1)) * tile + draw_below(d, 3) - 1;
}

static uint64_t choose_n(const case_limits *limits, uint64_t bytes, case_draw *d) {
  return case_enlarge(limits, choose_small_n(limits, bytes, d), d);
}

static void choose_init(case_scan *r, case_draw *d) { r->spec.has_init = (uint32_t)draw_one_in(d, 3); }

static void choose_marks(case_scan *r, scan_segments kinds, case_draw *d) {
  r->spec.segments = (scan_segments)(1 + draw_below(d, kinds));
  if (r->spec.segments == SCAN_SEGMENTS_KEYS) r->spec.key_type = (scan_type)(SCAN_I8 + draw_below(d, SCAN_BF16));
  if (r->spec.segments == SCAN_SEGMENTS_OFFSETS) r->spec.key_type = draw_one_in(d, 2) ? SCAN_U32 : SCAN_U64;
}

static scan_strategy choose_strategy(case_draw *d) {
  if (draw_one_in(d, 2)) return SCAN_STRATEGY_AUTO;
  if (draw_one_in(d, 4))
    return (scan_strategy)(SCAN_STRATEGY_HILLIS_STEELE +
                           draw_below(d, SCAN_STRATEGY_LOOKBACK_CLASSIC - SCAN_STRATEGY_PIPELINED));
  return (scan_strategy)(SCAN_STRATEGY_SEQUENTIAL + draw_below(d, SCAN_STRATEGY_PIPELINED));
}

/** Several runs are in flight at once, of n elements or fewer. Offsets end with n. */
static void choose_runs(scan_case *c, case_draw *d) {
  c->outputs = draw_one_in(d, 2) ? 1 + (uint32_t)draw_below(d, 4) : 1;
  if (c->scan.spec.segments == SCAN_SEGMENTS_OFFSETS) c->outputs = 1;
  for (uint32_t a = 0; a < c->outputs; a++) c->scan.run_n[a] = a && draw_one_in(d, 2) ? draw_below(d, c->n + 1) : c->n;
  /* Indices of overflows in backward scans are counted from the end of the longest one that is waited for. */
  const uint32_t counts_back = SCAN_BACKWARD | SCAN_CHECK_OVERFLOW;
  for (uint32_t a = 1; a < c->outputs && (c->scan.spec.flags & counts_back) == counts_back; a++)
    c->scan.run_n[a] = c->n;
}

/* ---- each kind of call ---- */

/** Totals have no strategies. Strategies with an order of their own do not add halves. A carry takes the place of an
 * initial value. */
static void choose_scan(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  choose_types(&r->spec, 1, what);
  c->n = choose_n(limits, scan_type_bytes(r->spec.type), d);
  r->spec.kind = draw_one_in(what, 8) ? SCAN_TOTAL : (scan_kind)draw_below(what, 2);
  choose_init(r, what);
  if (draw_one_in(what, 3)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  const int checks = !reference_is_float(r->spec.type) && is_built_in_sum(r) && r->spec.kind != SCAN_TOTAL;
  if (checks && draw_one_in(what, 2)) r->spec.flags |= SCAN_CHECK_OVERFLOW;
  if (r->spec.kind != SCAN_TOTAL) r->spec.strategy = choose_strategy(what);
  if (rounds(r) && !reference_is_exact(&r->spec)) {
    if (is_half(r->spec.type) || is_half(r->spec.input_type)) r->spec.strategy = SCAN_STRATEGY_AUTO;
    c->by_plan = 1; /* which knows the bounds */
    c->by_host = 0;
  }
  const int carries = !r->spec.segments && !r->spec.has_init && !(r->spec.flags & SCAN_CHECK_OVERFLOW) &&
                      !is_half(r->spec.type) && !is_half(r->spec.input_type);
  r->has_carry = carries && draw_one_in(what, 4);
  choose_runs(c, d);
}

/** A composite, an operator that maps, or a sum. Elements of composites are made by themselves. */
static void choose_source(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  const uint64_t which = draw_below(what, SCAN_COMPENSATED_F64 + 4 + 8);
  r->spec.kind = (scan_kind)draw_below(what, 2);
  r->source = (source_operator){ .name = "add", .twin = SCAN_ADD };
  if (which < 2) {
    r->source = *source_operator_mapped(which);
    r->spec.input_type = r->source.input_type;
    r->spec.type = r->source.type;
    if (r->source.map->emit) r->spec.kind = SCAN_INCLUSIVE;
  } else if (which < 4) {
    r->spec.type = r->spec.input_type = (scan_type)(SCAN_I8 + draw_below(what, SCAN_F64));
  } else if (which < SCAN_COMPENSATED_F64 + 4) {
    r->source.composite = (scan_composite)(which - 3);
    r->source.name = scan_composite_name(r->source.composite);
  } else {
    r->source.structure = source_operator_structure(which - SCAN_COMPENSATED_F64 - 4);
    r->source.name = r->source.structure->source.type;
  }
  r->spec.op = SCAN_ADD;
  c->n = choose_n(limits, r->spec.type ? scan_type_bytes(r->spec.type) : 8, d) % MOST_FACTORS;
  choose_init(r, what);
  const source_facts facts = source_operator_facts(&r->source);
  if (facts.value_bytes && !facts.identity && r->spec.kind == SCAN_EXCLUSIVE) r->spec.has_init = 1;
  if (!r->source.map && draw_one_in(what, 3)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  choose_runs(c, d);
}

/** Axes lie in any order, some with gaps and some from their end to their begin. @param[out] first  bytes from the
 * lowest element to that whose indices are 0 @return bytes from the lowest to the highest one's end */
static uint64_t choose_strides(const scan_array *array, uint64_t item_bytes, int64_t *strides, uint64_t *first,
                               case_draw *d) {
  uint32_t order[SCAN_ARRAY_MAX_AXES];
  uint64_t span = item_bytes;
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint32_t at = (uint32_t)draw_below(d, k + 1);
    order[k] = order[at];
    order[at] = k;
  }
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint64_t gap = draw_one_in(d, 4) ? item_bytes * draw_below(d, 3) : 0, steps = array->shape[order[k]] - 1;
    const uint64_t stride = span + gap;
    const int turned = draw_one_in(d, 4);
    strides[order[k]] = turned ? -(int64_t)stride : (int64_t)stride;
    if (turned) *first += stride * steps;
    span += stride * steps;
  }
  return span;
}

static void choose_array(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  scan_array *array = &r->array;
  choose_types(&r->spec, 1, what);
  uint64_t left = 1 + choose_n(limits, 4, d) % MOST_FACTORS;
  *array = (scan_array)SCAN_ARRAY_INIT;
  array->ndim = 1 + (uint32_t)draw_below(d, 4);
  array->axis = (uint32_t)draw_below(d, array->ndim);
  c->n = 1;
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint64_t most = k + 1 == array->ndim ? left : UINT64_C(1) << draw_below(d, 12);
    array->shape[k] = 1 + draw_below(d, most < left ? most : left);
    left /= array->shape[k];
    c->n *= array->shape[k];
  }
  r->spec.kind = (scan_kind)draw_below(what, 2);
  choose_init(r, what);
  if (draw_one_in(what, 4)) choose_marks(r, SCAN_SEGMENTS_KEYS, what);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  c->outputs = 1;
  r->run_n[0] = c->n;
}

/** Sums and products that round are forward and without segments: the oracle then adds chunk by chunk, as the call
 * does.
 */
static void choose_stream(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  choose_types(&r->spec, 1, what);
  if (is_half(r->spec.type) || is_half(r->spec.input_type)) r->spec.type = r->spec.input_type = SCAN_F32;
  c->n = choose_n(limits, scan_type_bytes(r->spec.type), d);
  r->spec.kind = (scan_kind)draw_below(what, 2);
  choose_init(r, what);
  r->chunk_items = 1 + draw_below(d, c->n + 1) / (1 + draw_below(d, 5));
  if (!rounds(r) && draw_one_in(what, 4)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (!rounds(r) && draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  if (r->spec.segments == SCAN_SEGMENTS_BITS) r->chunk_items = (r->chunk_items + 31) / 32 * 32;
  c->by_host = 1;
  c->outputs = 1;
  r->run_n[0] = c->n;
}

static void choose_difference(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  choose_types(&r->spec, 0, what);
  r->spec.op = SCAN_ADD;
  c->n = choose_n(limits, scan_type_bytes(r->spec.type), d);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  choose_runs(c, d);
}

/* ---- all ---- */

void case_scan_draw(const case_limits *limits, scan_case *c, case_draw *d) {
  static const uint8_t bys[] = { CASE_SCAN,   CASE_SCAN,   CASE_SCAN,      CASE_SCAN,  CASE_SCAN,
                                 CASE_SCAN,   CASE_SOURCE, CASE_SOURCE,    CASE_ARRAY, CASE_ARRAY,
                                 CASE_STREAM, CASE_STREAM, CASE_DIFFERENCE };
  const uint64_t pool = c->number / POOL_CASES * POOL_SPECS;
  case_draw of_spec = { .seed = data_bits(limits->seed, UINT64_MAX - pool - draw_below(d, POOL_SPECS)) };
  case_draw *what = d->bytes ? d : &of_spec;
  case_scan *r = &c->scan;
  c->by = bys[draw_below(what, sizeof bys / sizeof bys[0])];
  c->percent = (uint32_t)draw_below(d, 5) * (uint32_t)draw_below(d, 25);
  c->shift = (uint32_t)draw_below(d, 2) * (uint32_t)draw_below(d, 16);
  c->by_plan = (int)draw_below(d, 2);
  c->by_host = draw_one_in(d, 4);
  switch (c->by) {
  case CASE_SCAN: choose_scan(limits, c, what, d); break;
  case CASE_SOURCE: choose_source(limits, c, what, d); break;
  case CASE_ARRAY: choose_array(limits, c, what, d); break;
  case CASE_STREAM: choose_stream(limits, c, what, d); break;
  default: choose_difference(limits, c, what, d); break;
  }
  if (rounds(r) && r->spec.op == SCAN_MUL && c->n > MOST_FACTORS && c->outputs == 1) c->n = r->run_n[0] = MOST_FACTORS;
  if (c->n == 0) c->by_plan = 0;
  if (c->by_host) c->by_plan = 0;
  c->in_place = draw_one_in(d, 4);
  if (c->outputs == 1) c->outputs = 0, r->run_n[0] = 0; /* the one run is of n elements */
}

/* ---- what follows from that ---- */

/** The initial value of a checked scan is near the end of its type. */
static void set_init(scan_case *c) {
  case_scan *r = &c->scan;
  const scan_spec *s = &r->spec;
  memset(r->init, 0, sizeof r->init);
  if (source_operator_facts(&r->source).value_bytes)
    source_operator_fill(&r->source, UINT64_MAX, 1, c->seed + 5, r->init);
  else if (s->flags & SCAN_CHECK_OVERFLOW)
    memset(r->init, 0x7f, scan_type_bytes(s->type));
  else
    number_parse(s->type, "3", (scan_value *)r->init);
  memcpy(&r->spec.init, r->init, sizeof r->spec.init);
}

/** Sets the number of axes, and of an array n. */
static void set_axes(scan_case *c) {
  scan_array *array = &c->scan.array;
  if (c->by != CASE_ARRAY) return;
  c->n = 1;
  for (array->ndim = 0; array->ndim < SCAN_ARRAY_MAX_AXES && array->shape[array->ndim]; array->ndim++)
    c->n *= array->shape[array->ndim];
}

void case_scan_complete(scan_case *c) {
  case_scan *r = &c->scan;
  r->spec.struct_bytes = sizeof r->spec;
  if (!r->spec.input_type) r->spec.input_type = r->spec.type;
  r->array.struct_bytes = sizeof r->array;
  set_axes(c);
  r->overflow = r->told = UINT64_MAX;
  r->carries.bytes = r->has_carry ? CARRY_BYTES : 0;
  if (r->spec.has_init) set_init(c);
  if (!c->outputs) {
    c->outputs = 1;
    r->run_n[0] = c->n;
  }
  c->items = 0;
  for (uint32_t a = 0; a < c->outputs; a++) c->items += r->run_n[a];
}

/* ---- where it lies ---- */

static uint64_t value_bytes(const case_scan *r) {
  const uint64_t bytes = source_operator_facts(&r->source).value_bytes;
  return bytes ? bytes : scan_type_bytes(r->spec.type);
}

static uint64_t input_bytes(const scan_case *c) {
  const case_scan *r = &c->scan;
  return source_operator_facts(&r->source).value_bytes ? value_bytes(r) : scan_type_bytes(r->spec.input_type);
}

static uint64_t mark_bytes(const scan_spec *spec, uint64_t n) {
  switch (spec->segments) {
  case SCAN_SEGMENTS_FLAGS: return n;
  case SCAN_SEGMENTS_BITS: return (n + 31) / 32 * 4;
  case SCAN_SEGMENTS_KEYS: return n * scan_type_bytes(spec->key_type);
  case SCAN_SEGMENTS_OFFSETS: return (2 * n + 1) * scan_type_bytes(spec->key_type); /* half of them of nothing */
  default: return 0;
  }
}

/** Strides of an array's input and output; in place they are the same. */
static void lay_out_array(scan_case *c, uint64_t *in, uint64_t *out, case_draw *d) {
  case_scan *r = &c->scan;
  scan_array *array = &r->array;
  *in = choose_strides(array, input_bytes(c), array->in_strides, &r->in_first, d);
  if (c->in_place) {
    memcpy(array->out_strides, array->in_strides, sizeof array->in_strides);
    r->out_first = r->in_first;
    *out = *in;
  } else {
    *out = choose_strides(array, value_bytes(r), array->out_strides, &r->out_first, d);
  }
}

void case_scan_lay_out(scan_case *c) {
  case_scan *r = &c->scan;
  case_draw d = { .seed = c->seed + 6 };
  const uint64_t input = input_bytes(c), value = value_bytes(r);
  const uint64_t mark = r->spec.segments == SCAN_SEGMENTS_BITS ? 4 : r->spec.key_type ? 8 : 1;
  uint64_t in = c->n * input, array_out = 0;
  if (r->spec.kind == SCAN_TOTAL || input != value) c->in_place = 0;
  if (c->by == CASE_ARRAY) lay_out_array(c, &in, &array_out, &d);
  c->in[0] = case_take(&c->in_bytes, in, c->shift * input);
  c->marks = case_take(&c->in_bytes, mark_bytes(&r->spec, c->n), c->shift * mark);
  for (uint32_t a = 0; a < c->outputs; a++) {
    const uint64_t items = r->spec.kind == SCAN_TOTAL ? 1 : r->run_n[a];
    const uint64_t out = c->by == CASE_ARRAY ? array_out : items * value;
    c->item_bytes[a] = value;
    c->out[a] = case_take(&c->out_bytes, out, draw_below(&d, 2) * draw_below(&d, 16) * value);
  }
  if (r->carries.bytes) r->carries = case_take(&c->out_bytes, CARRY_BYTES * (c->outputs + UINT64_C(1)), 0);
}

/* ---- results ---- */

int case_has_denormals(const scan_case *c) {
  const case_scan *r = &c->scan;
  const scan_composite which = r->source.composite;
  if (case_family_of(c->by) != FAMILY_SCANS) return 0;
  if (which) return which != SCAN_AFFINE_U32 && (which < SCAN_ARGMIN_F32 || which > SCAN_ARGMAX_I64);
  return rounds(r) && r->spec.op == SCAN_MUL && c->n > MOST_FACTORS;
}
