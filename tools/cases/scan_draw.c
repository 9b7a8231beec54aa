/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_draw.c @brief Draws cases of scans, arrays, streams and differences. */
#include "data.h"
#include "reference.h"
#include "reference_operator.h"
#include "scan_parts.h"

#include <inttypes.h>
#include <string.h>

/** POOL_CASES consecutive cases share POOL_SPECS specs, since an OpenCL compiler for CPUs takes a second for each
 * new one. */
enum { POOL_CASES = 4096, POOL_SPECS = 256 };

/* ---- parts of every kind of call ---- */

static int is_built_in_sum(const case_scan *r) { return r->spec.op == SCAN_ADD || r->spec.op == SCAN_MUL; }

static int is_half(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }

/** Draws the types and an operator that they have. */
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

/** Draws n: below 300, next to a multiple of the tile, or any. */
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
    return (scan_strategy)(SCAN_STRATEGY_HILLIS_STEELE + draw_below(d, SCAN_STRATEGY_RAKING - SCAN_STRATEGY_PIPELINED));
  return (scan_strategy)(SCAN_STRATEGY_SEQUENTIAL + draw_below(d, SCAN_STRATEGY_PIPELINED));
}

/** Draws carries. Without segments a carry replaces an initial value, so a scan with an initial value gets no input
 * carry. */
static void choose_carries(case_scan *r, case_draw *what) {
  const uint64_t variant = draw_below(what, 12), most = r->spec.has_init && !r->spec.segments ? 1 : 5;
  if (variant >= most || r->spec.strategy > SCAN_STRATEGY_PIPELINED) return;
  r->carries_out = variant == 0 || variant == 1;
  r->carries_in = variant == 1 || variant == 2;
  r->carries_same = variant == 3;
  r->has_carry = variant == 4;
}

static void choose_check(case_scan *r, case_draw *what) {
  const int is_checked = !reference_is_float(r->spec.type) && is_built_in_sum(r) && !r->source.name;
  if (is_checked && draw_one_in(what, 2)) r->spec.flags |= SCAN_CHECK_OVERFLOW;
}

/** Draws up to four runs of at most n elements that are in flight at once. With offsets, which end with n, it draws
 * one run. */
static void choose_runs(scan_case *c, case_draw *d) {
  c->outputs = draw_one_in(d, 2) ? 1 + (uint32_t)draw_below(d, 4) : 1;
  const source_facts facts = source_operator_facts(&c->scan.source);
  if (c->scan.spec.segments == SCAN_SEGMENTS_OFFSETS || (facts.value_bytes && !facts.identity)) c->outputs = 1;
  for (uint32_t a = 0; a < c->outputs; a++) c->scan.run_n[a] = a && draw_one_in(d, 2) ? draw_below(d, c->n + 1) : c->n;
  /* A backward scan counts the index of an overflow from the end of the longest run that is waited for. */
  const uint32_t counts_back = SCAN_BACKWARD | SCAN_CHECK_OVERFLOW;
  for (uint32_t a = 1; a < c->outputs && (c->scan.spec.flags & counts_back) == counts_back; a++)
    c->scan.run_n[a] = c->n;
}

/* ---- each kind of call ---- */

/** Gives special values to one in four of the scans whose results are exact. */
static void choose_values(case_scan *r, case_draw *what) {
  const int has_values = reference_is_float(r->spec.input_type) && reference_is_exact(&r->spec);
  if (draw_one_in(what, 4) && has_values)
    r->values = (case_values)(CASE_VALUES_WIDE + draw_below(what, CASE_VALUES_VANISHING));
  if (r->values && r->spec.segments && case_scan_reads_carry(r)) r->values = CASE_VALUES_WIDE;
}

/** Draws a scan. Totals have no strategy. Strategies that combine in an order of their own get no halves. */
static void choose_scan(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  choose_types(&r->spec, 1, what);
  c->n = choose_n(limits, scan_type_bytes(r->spec.type), d);
  r->spec.kind = draw_one_in(what, 8) ? SCAN_TOTAL : (scan_kind)draw_below(what, 2);
  choose_init(r, what);
  if (draw_one_in(what, 3)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  choose_check(r, what);
  if (r->spec.kind != SCAN_TOTAL) r->spec.strategy = choose_strategy(what);
  if (case_scan_rounds(r) && !reference_is_exact(&r->spec)) {
    if (is_half(r->spec.type) || is_half(r->spec.input_type)) r->spec.strategy = SCAN_STRATEGY_AUTO;
    c->by_plan = 1; /* a plan reports its span, which the error bounds need */
    c->by_host = 0;
  }
  choose_carries(r, what);
  choose_values(r, what);
  choose_runs(c, d);
}

/** Draws an operator on structs, one that maps, a composite, or a sum. */
static void choose_operator(case_scan *r, case_draw *what) {
  const uint64_t mapped = 2, sums = 2, composites = SCAN_WIDE_SUM_U64, structures = 17;
  uint64_t which = draw_below(what, mapped + sums + composites + structures);
  r->source = (source_operator){ .name = "add", .built_in_op = SCAN_ADD };
  if (which < mapped) {
    r->source = *source_operator_mapped(which);
    r->spec.input_type = r->source.input_type;
    r->spec.type = r->source.type;
  } else if (which < mapped + sums) {
    r->spec.type = r->spec.input_type = (scan_type)(SCAN_I8 + draw_below(what, SCAN_F64));
  } else if (which < mapped + sums + composites) {
    r->source.composite = (scan_composite)(which - mapped - sums + 1);
    r->source.name = scan_composite_name(r->source.composite);
  } else {
    r->source.structure = source_operator_structure(which - mapped - sums - composites);
    r->source.name = r->source.structure->name;
  }
  r->spec.op = source_operator_fills(&r->source) ? SCAN_OP_NONE : SCAN_ADD;
}

/** Adapts the spec: an operator that emits needs an inclusive scan; an exclusive scan without identity needs an
 * initial value. */
static void satisfy_operator(case_scan *r) {
  const source_facts facts = source_operator_facts(&r->source);
  if (facts.mapped && facts.mapped->emit) r->spec.kind = SCAN_INCLUSIVE;
  if (facts.value_bytes && !facts.identity && r->spec.kind == SCAN_EXCLUSIVE) r->spec.has_init = 1;
}

static void choose_source(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  choose_operator(r, what);
  r->spec.kind = draw_one_in(what, 8) ? SCAN_TOTAL : (scan_kind)draw_below(what, 2);
  c->n = choose_n(limits, r->spec.type ? scan_type_bytes(r->spec.type) : 8, d) % CASE_MOST_FACTORS;
  choose_init(r, what);
  satisfy_operator(r);
  if (draw_one_in(what, 3)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  if (r->spec.kind != SCAN_TOTAL && draw_one_in(what, 4)) r->spec.strategy = choose_strategy(what);
  choose_carries(r, what);
  if (!source_operator_facts(&r->source).identity && source_operator_fills(&r->source)) c->n += c->n == 0;
  choose_runs(c, d);
}

static void choose_array(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  scan_array *array = &r->array;
  if (draw_one_in(what, 4))
    choose_operator(r, what);
  else
    choose_types(&r->spec, 1, what);
  uint64_t left = 1 + choose_n(limits, 4, d) % CASE_MOST_FACTORS;
  *array = (scan_array)SCAN_ARRAY_INIT;
  array->ndim = 1 + (uint32_t)draw_below(d, 4);
  array->axis = (uint32_t)draw_below(d, array->ndim);
  c->n = 1;
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint64_t most = k + 1 == array->ndim ? left : UINT64_C(1) << draw_below(d, 12);
    array->shape[k] = 1 + draw_below(d, most < left ? most : left);
    left /= array->shape[k];
    if (draw_one_in(d, 64)) array->shape[k] = 0;
    c->n *= array->shape[k];
  }
  r->is_packed = (uint32_t)draw_one_in(d, 4);
  r->spec.kind = draw_one_in(what, 4) ? SCAN_TOTAL : (scan_kind)draw_below(what, 2);
  choose_init(r, what);
  if (c->n == 0 && source_operator_fills(&r->source) && !source_operator_facts(&r->source).identity)
    r->spec.has_init |= r->spec.kind == SCAN_TOTAL;
  satisfy_operator(r);
  if (draw_one_in(what, 4) && r->spec.kind != SCAN_TOTAL) choose_marks(r, SCAN_SEGMENTS_KEYS, what);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  choose_check(r, what);
  c->outputs = 1;
  r->run_n[0] = c->n;
}

/** Draws how the elements of a stream are read and written. */
static void choose_sides(case_scan *r, case_draw *d) {
  r->reads = draw_one_in(d, 4);
  r->writes = draw_one_in(d, 4);
  r->sees_progress = draw_one_in(d, 2);
  r->is_pinned = draw_one_in(d, 4);
}

static void choose_stream(const case_limits *limits, scan_case *c, case_draw *what, case_draw *d) {
  case_scan *r = &c->scan;
  if (draw_one_in(what, 4))
    choose_operator(r, what);
  else
    choose_types(&r->spec, 1, what);
  c->n = choose_n(limits, r->spec.type ? scan_type_bytes(r->spec.type) : 8, d);
  if (r->source.name) c->n = 1 + c->n % CASE_MOST_FACTORS;
  r->spec.kind = (scan_kind)draw_below(what, 2);
  choose_init(r, what);
  satisfy_operator(r);
  if (draw_below(d, 8)) r->chunk_items = 1 + draw_below(d, c->n + 1) / (1 + draw_below(d, 5));
  if (draw_one_in(what, 4)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (draw_one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  choose_check(r, what);
  choose_carries(r, what);
  if (r->spec.segments == SCAN_SEGMENTS_BITS) r->chunk_items = (r->chunk_items + 31) / 32 * 32;
  choose_sides(r, d);
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

/* ---- every case of this family ---- */

/** Draws host memory and in-place calls. Plans take device memory only. */
static void choose_memory(scan_case *c, case_draw *d) {
  const case_scan *r = &c->scan;
  const int has_carry = case_scan_reads_carry(r) || case_scan_leaves_carry(r);
  if (c->n == 0 || c->by_host) c->by_plan = 0;
  c->in_place = r->spec.kind != SCAN_TOTAL && draw_one_in(d, 4);
  if (!c->by_host && !c->by_plan && !c->in_place) {
    c->host_in = draw_one_in(d, 8);
    c->host_out = !c->host_in && draw_one_in(d, 8);
  }
  if (c->by_plan && c->by != CASE_ARRAY && draw_one_in(d, 4)) c->plan_n = c->n + 1 + draw_below(d, c->n + 1000);
  c->scan.device_carry = has_carry && (c->by_host || c->host_out) && draw_one_in(d, 2);
}

/** Draws an n_from, unless the case does not go with one. */
static void choose_n_from(scan_case *c, case_draw *d) {
  if (!draw_one_in(d, 8)) return;
  c->has_n_from = 1;
  c->n_said = draw_one_in(d, 8) ? c->n + 1 + draw_below(d, 1000) : draw_below(d, c->n + 1);
  c->clamps = draw_one_in(d, 4);
  if (case_scan_fault(c) == NULL) return;
  c->has_n_from = c->clamps = 0;
  c->n_said = 0;
}

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
  const int has_many_factors = case_scan_rounds(r) && r->spec.op == SCAN_MUL && c->n > CASE_MOST_FACTORS;
  if (has_many_factors && c->outputs == 1) c->n = r->run_n[0] = CASE_MOST_FACTORS;
  choose_memory(c, d);
  if (c->outputs == 1) c->outputs = 0, r->run_n[0] = 0; /* outputs == 0 means one run of n elements */
  choose_n_from(c, d);
}
