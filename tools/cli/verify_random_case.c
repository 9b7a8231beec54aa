/* SPDX-License-Identifier: BSD-2-Clause */
/** @file verify_random_case.c @brief Random scans, arrays, streams, differences and histograms for `scanrt verify`:
 * what is asked, and where it lies. */
#include "data.h"
#include "number.h"
#include "reference.h"
#include "reference_operator.h"
#include "verify_select.h"

#include <inttypes.h>
#include <string.h>

/** Products of more floating-point numbers of data_fill may become denormal. */
enum { MOST_FACTORS = 20000, CARRY_BYTES = 8 };

/** So many cases in a row have so many specs: a processor's OpenCL takes a second to compile what is new. */
enum { POOL_CASES = 4096, POOL_SPECS = 256 };

/* ---- what is asked: of all ---- */

static int one_in(selection_dice *d, uint64_t n) { return selection_below(d, n) == 0; }

static int is_built_in_sum(const random_case *r) { return r->spec.op == SCAN_ADD || r->spec.op == SCAN_MUL; }

static int rounds(const random_case *r) { return reference_is_float(r->spec.type) && is_built_in_sum(r); }

static int is_half(scan_type type) { return type == SCAN_F16 || type == SCAN_BF16; }

/** Types, and an operator that they have. */
static void choose_types(scan_spec *spec, int widens, selection_dice *d) {
  static const scan_type pairs[][2] = { { SCAN_I8, SCAN_I32 },  { SCAN_I8, SCAN_I64 },  { SCAN_U8, SCAN_U32 },
                                        { SCAN_U8, SCAN_U64 },  { SCAN_I32, SCAN_I64 }, { SCAN_U32, SCAN_U64 },
                                        { SCAN_F32, SCAN_F64 }, { SCAN_F16, SCAN_F32 }, { SCAN_BF16, SCAN_F32 } };
  spec->type = spec->input_type = (scan_type)(SCAN_I8 + selection_below(d, SCAN_BF16));
  spec->op = (scan_op_id)(SCAN_ADD + selection_below(d, reference_is_float(spec->type) ? SCAN_MAX : SCAN_XOR));
  if (!widens || !one_in(d, 4)) return;
  const scan_type *pair = pairs[selection_below(d, sizeof pairs / sizeof pairs[0])];
  spec->input_type = pair[0];
  spec->type = pair[1];
  spec->op = SCAN_ADD;
}

/** Nothing to a few hundred, around the ends of tiles, or any. */
static uint64_t choose_small_n(const verify_request *r, uint64_t bytes, selection_dice *d) {
  const uint64_t most = r->large ? 300000 : r->quick ? 20000 : 60000, tile = reference_subtile_items((size_t)bytes);
  if (one_in(d, 4)) return selection_below(d, 300);
  if (one_in(d, 2)) return selection_below(d, most);
  return (1 + selection_below(d, most / tile + 1)) * tile + selection_below(d, 3) - 1;
}

static uint64_t choose_n(const verify_request *r, uint64_t bytes, selection_dice *d) {
  return selection_enlarge(r, choose_small_n(r, bytes, d), d);
}

static void choose_init(random_case *r, selection_dice *d) {
  r->spec.has_init = (uint32_t)one_in(d, 3);
  if (r->spec.has_init) number_parse(r->spec.type, "3", &r->spec.init);
}

static void choose_marks(random_case *r, scan_segments kinds, selection_dice *d) {
  r->spec.segments = (scan_segments)(1 + selection_below(d, kinds));
  if (r->spec.segments == SCAN_SEGMENTS_KEYS) r->spec.key_type = (scan_type)(SCAN_I8 + selection_below(d, SCAN_BF16));
  if (r->spec.segments == SCAN_SEGMENTS_OFFSETS) r->spec.key_type = one_in(d, 2) ? SCAN_U32 : SCAN_U64;
}

static scan_strategy choose_strategy(selection_dice *d) {
  if (one_in(d, 2)) return SCAN_STRATEGY_AUTO;
  if (one_in(d, 4))
    return (scan_strategy)(SCAN_STRATEGY_HILLIS_STEELE +
                           selection_below(d, SCAN_STRATEGY_LOOKBACK_CLASSIC - SCAN_STRATEGY_PIPELINED));
  return (scan_strategy)(SCAN_STRATEGY_SEQUENTIAL + selection_below(d, SCAN_STRATEGY_PIPELINED));
}

/** Several runs are in flight at once, of n elements or fewer. Offsets end with n. */
static void choose_runs(selection_case *c, selection_dice *d) {
  c->outputs = one_in(d, 2) ? 1 + (uint32_t)selection_below(d, 4) : 1;
  if (c->random.spec.segments == SCAN_SEGMENTS_OFFSETS) c->outputs = 1;
  for (uint32_t a = 0; a < c->outputs; a++)
    c->random.run_n[a] = a && one_in(d, 2) ? selection_below(d, c->n + 1) : c->n;
  /* Indices of overflows in backward scans are counted from the end of the longest one that is waited for. */
  const uint32_t counts_back = SCAN_BACKWARD | SCAN_CHECK_OVERFLOW;
  for (uint32_t a = 1; a < c->outputs && (c->random.spec.flags & counts_back) == counts_back; a++)
    c->random.run_n[a] = c->n;
}

/* ---- each kind of call ---- */

/** What goes with what: totals know no strategies, the gallery of sums knows no halves, and a carry has the place of an
 * initial value. */
static void choose_scan(const verify_request *request, selection_case *c, selection_dice *what, selection_dice *d) {
  random_case *r = &c->random;
  choose_types(&r->spec, 1, what);
  c->n = choose_n(request, scan_type_bytes(r->spec.type), d);
  r->spec.kind = one_in(what, 8) ? SCAN_TOTAL : (scan_kind)selection_below(what, 2);
  choose_init(r, what);
  if (one_in(what, 3)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  const int checks = !reference_is_float(r->spec.type) && is_built_in_sum(r) && r->spec.kind != SCAN_TOTAL;
  if (checks && one_in(what, 2)) r->spec.flags |= SCAN_CHECK_OVERFLOW;
  if (r->spec.has_init && r->spec.flags & SCAN_CHECK_OVERFLOW)
    memset(&r->spec.init, 0x7f, scan_type_bytes(r->spec.type));
  if (r->spec.kind != SCAN_TOTAL) r->spec.strategy = choose_strategy(what);
  if (rounds(r) && !reference_is_exact(&r->spec)) {
    if (is_half(r->spec.type) || is_half(r->spec.input_type)) r->spec.strategy = SCAN_STRATEGY_AUTO;
    c->by_plan = 1; /* which knows the bounds */
    r->by_host = 0;
  }
  const int carries = !r->spec.segments && !r->spec.has_init && !(r->spec.flags & SCAN_CHECK_OVERFLOW) &&
                      !is_half(r->spec.type) && !is_half(r->spec.input_type);
  if (carries && one_in(what, 4)) r->carries.bytes = CARRY_BYTES;
  choose_runs(c, d);
}

/** A composite, an operator that maps, or a sum. Elements of composites are made by themselves. */
static void choose_source(const verify_request *request, selection_case *c, selection_dice *what, selection_dice *d) {
  random_case *r = &c->random;
  const uint64_t which = selection_below(what, SCAN_COMPENSATED_F64 + 4);
  r->spec.kind = (scan_kind)selection_below(what, 2);
  r->source = (bench_source){ .name = "sum", .twin = SCAN_ADD };
  if (which < 2) {
    r->source = *bench_mapped_get(which);
    r->spec.input_type = r->source.input_type;
    r->spec.type = r->source.type;
    if (r->source.map->emit) r->spec.kind = SCAN_INCLUSIVE;
  } else if (which < 4) {
    r->spec.type = r->spec.input_type = (scan_type)(SCAN_I8 + selection_below(what, SCAN_F64));
  } else {
    r->source.composite = (scan_composite)(which - 3);
    r->source.name = scan_composite_name(r->source.composite);
  }
  r->spec.op = SCAN_ADD;
  c->n = choose_n(request, r->spec.type ? scan_type_bytes(r->spec.type) : 8, d) % MOST_FACTORS;
  r->spec.has_init = (uint32_t)one_in(what, 3);
  if (r->source.composite)
    bench_elements_fill(r->source.composite, 1, c->seed + 5, r->init);
  else
    number_parse(r->spec.type, "3", (scan_value *)r->init);
  memcpy(&r->spec.init, r->init, sizeof r->spec.init);
  if (!r->source.map && one_in(what, 3)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  choose_runs(c, d);
}

/** Axes lie in any order, some with gaps and some from their end to their begin. @param[out] first  bytes from the
 * lowest element to that whose indices are 0 @return bytes from the lowest to the highest one's end */
static uint64_t choose_strides(const scan_array *array, uint64_t item_bytes, int64_t *strides, uint64_t *first,
                               selection_dice *d) {
  uint32_t order[SCAN_ARRAY_MAX_AXES];
  uint64_t span = item_bytes;
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint32_t at = (uint32_t)selection_below(d, k + 1);
    order[k] = order[at];
    order[at] = k;
  }
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint64_t gap = one_in(d, 4) ? item_bytes * selection_below(d, 3) : 0, steps = array->shape[order[k]] - 1;
    const uint64_t stride = span + gap;
    const int turned = one_in(d, 4);
    strides[order[k]] = turned ? -(int64_t)stride : (int64_t)stride;
    if (turned) *first += stride * steps;
    span += stride * steps;
  }
  return span;
}

static void choose_array(const verify_request *request, selection_case *c, selection_dice *what, selection_dice *d) {
  random_case *r = &c->random;
  scan_array *array = &r->array;
  choose_types(&r->spec, 1, what);
  uint64_t left = 1 + choose_n(request, 4, d) % MOST_FACTORS;
  *array = (scan_array)SCAN_ARRAY_INIT;
  array->ndim = 1 + (uint32_t)selection_below(d, 4);
  array->axis = (uint32_t)selection_below(d, array->ndim);
  c->n = 1;
  for (uint32_t k = 0; k < array->ndim; k++) {
    const uint64_t most = k + 1 == array->ndim ? left : UINT64_C(1) << selection_below(d, 12);
    array->shape[k] = 1 + selection_below(d, most < left ? most : left);
    left /= array->shape[k];
    c->n *= array->shape[k];
  }
  r->spec.kind = (scan_kind)selection_below(what, 2);
  choose_init(r, what);
  if (one_in(what, 4)) choose_marks(r, SCAN_SEGMENTS_KEYS, what);
  if (one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  c->outputs = 1;
  r->run_n[0] = c->n;
}

/** Of sums and products that are rounded, forward and without segments, the reference goes by chunks, too. */
static void choose_stream(const verify_request *request, selection_case *c, selection_dice *what, selection_dice *d) {
  random_case *r = &c->random;
  choose_types(&r->spec, 1, what);
  if (is_half(r->spec.type) || is_half(r->spec.input_type)) r->spec.type = r->spec.input_type = SCAN_F32;
  c->n = choose_n(request, scan_type_bytes(r->spec.type), d);
  r->spec.kind = (scan_kind)selection_below(what, 2);
  choose_init(r, what);
  r->chunk_items = 1 + selection_below(d, c->n + 1) / (1 + selection_below(d, 5));
  if (!rounds(r) && one_in(what, 4)) choose_marks(r, SCAN_SEGMENTS_OFFSETS, what);
  if (!rounds(r) && one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  if (r->spec.segments == SCAN_SEGMENTS_BITS) r->chunk_items = (r->chunk_items + 31) / 32 * 32;
  r->by_host = 1;
  c->outputs = 1;
  r->run_n[0] = c->n;
}

static void choose_difference(const verify_request *request, selection_case *c, selection_dice *what,
                              selection_dice *d) {
  random_case *r = &c->random;
  choose_types(&r->spec, 0, what);
  r->spec.op = SCAN_ADD;
  c->n = choose_n(request, scan_type_bytes(r->spec.type), d);
  if (one_in(what, 4)) r->spec.flags |= SCAN_BACKWARD;
  choose_runs(c, d);
}

static void choose_histogram(const verify_request *request, selection_case *c, selection_dice *what,
                             selection_dice *d) {
  c->key_type = (scan_type)(SCAN_I8 + selection_below(what, SCAN_BF16));
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(c->key_type);
  c->n = choose_n(request, scan_type_bytes(c->key_type), d);
  c->shape = (sort_shape)selection_below(d, SORT_SHAPES);
  c->sort.descending = (uint32_t)selection_below(d, 2);
  c->sort.first_bit = (uint32_t)selection_below(d, bits);
  c->sort.end_bit = c->sort.first_bit + 1 + (uint32_t)selection_below(d, bits - c->sort.first_bit);
  c->outputs = 1;
  c->random.run_n[0] = c->n;
}

/* ---- all ---- */

void random_choose(const verify_request *request, selection_case *c, selection_dice *d) {
  static const uint8_t bys[] = { SELECTION_SCAN,       SELECTION_SCAN,     SELECTION_SCAN,   SELECTION_SCAN,
                                 SELECTION_SCAN,       SELECTION_SCAN,     SELECTION_SOURCE, SELECTION_SOURCE,
                                 SELECTION_ARRAY,      SELECTION_ARRAY,    SELECTION_STREAM, SELECTION_STREAM,
                                 SELECTION_DIFFERENCE, SELECTION_HISTOGRAM };
  const uint64_t pool = c->number / POOL_CASES * POOL_SPECS;
  selection_dice what = { .seed = data_bits(request->seed, UINT64_MAX - pool - selection_below(d, POOL_SPECS)) };
  random_case *r = &c->random;
  r->spec = (scan_spec)SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  c->by = bys[selection_below(&what, sizeof bys / sizeof bys[0])];
  c->percent = (uint32_t)selection_below(d, 5) * (uint32_t)selection_below(d, 25);
  c->shift = (uint32_t)selection_below(d, 2) * (uint32_t)selection_below(d, 16);
  c->by_plan = (int)selection_below(d, 2);
  r->by_host = one_in(d, 4);
  r->overflow = r->told = UINT64_MAX;
  switch (c->by) {
  case SELECTION_SCAN: choose_scan(request, c, &what, d); break;
  case SELECTION_SOURCE: choose_source(request, c, &what, d); break;
  case SELECTION_ARRAY: choose_array(request, c, &what, d); break;
  case SELECTION_STREAM: choose_stream(request, c, &what, d); break;
  case SELECTION_DIFFERENCE: choose_difference(request, c, &what, d); break;
  default: choose_histogram(request, c, &what, d); break;
  }
  if (rounds(r) && r->spec.op == SCAN_MUL && c->n > MOST_FACTORS && c->outputs == 1) c->n = r->run_n[0] = MOST_FACTORS;
  if (c->n == 0) c->by_plan = 0;
  if (r->by_host) c->by_plan = 0;
  c->in_place = one_in(d, 4);
  for (uint32_t a = 0; a < c->outputs; a++) c->items += r->run_n[a];
}

/* ---- where it lies ---- */

static uint64_t value_bytes(const random_case *r) {
  return r->source.composite ? scan_composite_get(r->source.composite)->value_bytes : scan_type_bytes(r->spec.type);
}

static uint64_t input_bytes(const selection_case *c) {
  const random_case *r = &c->random;
  if (c->by == SELECTION_HISTOGRAM) return scan_type_bytes(c->key_type);
  return r->source.composite ? value_bytes(r) : scan_type_bytes(r->spec.input_type);
}

/** Bytes of all counters: 256 a digit, of the last one as many as its bits number. */
static uint64_t counter_bytes(const scan_sort_spec *s) {
  const uint32_t bits = s->end_bit - s->first_bit, digits = (bits + 7) / 8;
  return sizeof(uint64_t) * (256 * (digits - 1) + (UINT64_C(1) << (bits - 8 * (digits - 1))));
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
static void lay_out_array(selection_case *c, uint64_t *in, uint64_t *out, selection_dice *d) {
  random_case *r = &c->random;
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

void random_lay_out(selection_case *c) {
  random_case *r = &c->random;
  selection_dice d = { .seed = c->seed + 6 };
  const uint64_t input = input_bytes(c), value = c->by == SELECTION_HISTOGRAM ? 8 : value_bytes(r);
  const uint64_t mark = r->spec.segments == SCAN_SEGMENTS_BITS ? 4 : r->spec.key_type ? 8 : 1;
  uint64_t in = c->n * input, array_out = 0;
  if (c->by == SELECTION_HISTOGRAM || r->spec.kind == SCAN_TOTAL || input != value) c->in_place = 0;
  if (c->by == SELECTION_ARRAY) lay_out_array(c, &in, &array_out, &d);
  c->in[0] = selection_take(&c->in_bytes, in, c->shift * input);
  c->marks = selection_take(&c->in_bytes, mark_bytes(&r->spec, c->n), c->shift * mark);
  for (uint32_t a = 0; a < c->outputs; a++) {
    const uint64_t items = r->spec.kind == SCAN_TOTAL ? 1 : r->run_n[a];
    uint64_t out = c->by == SELECTION_ARRAY ? array_out : items * value;
    if (c->by == SELECTION_HISTOGRAM) out = counter_bytes(&c->sort);
    c->item_bytes[a] = value;
    c->out[a] = selection_take(&c->out_bytes, out, selection_below(&d, 2) * selection_below(&d, 16) * value);
  }
  if (r->carries.bytes) r->carries = selection_take(&c->out_bytes, CARRY_BYTES * (c->outputs + UINT64_C(1)), 0);
}

/* ---- words ---- */

int random_has_denormals(const selection_case *c) {
  const random_case *r = &c->random;
  const scan_composite which = r->source.composite;
  if (selection_family_of(c->by) != FAMILY_RANDOM) return 0;
  if (which) return which != SCAN_AFFINE_U32 && (which < SCAN_ARGMIN_F32 || which > SCAN_ARGMAX_I64);
  return rounds(r) && r->spec.op == SCAN_MUL && c->n > MOST_FACTORS;
}

void random_words(const selection_case *c, char *text, size_t bytes) {
  static const char *const marks[] = { "", ", by flags", ", by bits", ", by keys", ", by offsets" };
  const random_case *r = &c->random;
  const scan_spec *s = &r->spec;
  char what[48], runs[24] = "";
  const char *type = scan_type_name(c->by == SELECTION_HISTOGRAM ? c->key_type : s->type);
  if (r->source.composite)
    snprintf(what, sizeof what, "%s", r->source.name);
  else
    snprintf(what, sizeof what, "%s%s%s %s", s->input_type != s->type ? scan_type_name(s->input_type) : "",
             s->input_type != s->type ? "->" : "", type,
             r->source.name ? r->source.name
             : s->op        ? scan_op_name(s->op)
                            : "");
  if (c->outputs > 1) snprintf(runs, sizeof runs, ", %u at once", c->outputs);
  snprintf(text, bytes, "%s%s%s%s%s%s%s%s%s%s%s", what, s->has_init ? ", init" : "",
           s->flags & SCAN_BACKWARD ? ", backward" : "", s->flags & SCAN_CHECK_OVERFLOW ? ", checked" : "",
           marks[s->segments], s->strategy ? ", " : "", s->strategy ? scan_strategy_name(s->strategy) : "",
           r->carries.bytes ? ", carried" : "", r->by_host ? ", host memory" : "", c->in_place ? ", in place" : "",
           runs);
}
