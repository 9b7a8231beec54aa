/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_expect.c @brief Cases of scans, arrays, streams and differences: what is read, and what must come. */
#include "data.h"
#include "number.h"
#include "reference.h"
#include "reference_operator.h"
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A line of elements in the order of the scan, and its results. */
typedef struct line {
  uint64_t n;
  unsigned char *in, *out, *last; /**< `last`: the inclusive results. */
  uint8_t *heads;
} line;

static uint64_t in_item(const scan_case *c) {
  const case_scan *r = &c->scan;
  return source_operator_facts(&r->source).value_bytes ? c->item_bytes[0] : scan_type_bytes(r->spec.input_type);
}

static int is_backward(const scan_case *c) { return (c->scan.spec.flags & SCAN_BACKWARD) != 0; }

/* ---- marks ---- */

static void put_number(scan_type type, unsigned char *to, uint64_t i, uint64_t value) {
  if (reference_is_float(type))
    reference_store(type, to, i, (double)value);
  else
    memcpy(to + i * scan_type_bytes(type), &value, scan_type_bytes(type)); /* little-endian */
}

/** A key is another than the one before where a segment begins: up to 99. Of arrays, where any two may be neighbours,
 * as it comes. */
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

/** An empty segment before every eighth one. @return the number of segments */
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

static void fill_marks(scan_case *c) {
  unsigned char *marks = c->in_image + c->marks.at;
  c->scan.marks = c->n;
  for (uint64_t i = 0; i < c->n; i++) {
    const uint64_t bits = data_bits(c->seed + 1, i);
    c->kept[i] = i == 0 || bits % 100 < c->percent;
    if (c->scan.spec.segments == SCAN_SEGMENTS_FLAGS) marks[i] = c->kept[i] ? (uint8_t)(bits >> 56 | 1) : 0;
    if (c->scan.spec.segments == SCAN_SEGMENTS_BITS)
      marks[i / 8] = (unsigned char)((marks[i / 8] & ~(1u << i % 8)) | (unsigned)c->kept[i] << i % 8);
  }
  if (c->scan.spec.segments == SCAN_SEGMENTS_KEYS) put_keys(c, marks);
  if (c->scan.spec.segments == SCAN_SEGMENTS_OFFSETS) c->scan.marks = put_offsets(c, marks);
}

/* ---- inputs ---- */

/** Half of the checked scans overflow. */
static void fill_checked(const scan_case *c, unsigned char *in) {
  const scan_spec *s = &c->scan.spec;
  if (c->n == 0) return;
  data_fill_within(s->input_type, s->type, s->op, c->n, in);
  if (c->seed % 2)
    memset(in + c->seed / 2 % c->n * scan_type_bytes(s->input_type), 0x7f, scan_type_bytes(s->input_type));
}

/** Of arrays all elements between the lowest and the highest, gaps too. */
void case_scan_fill(scan_case *c) {
  const case_scan *r = &c->scan;
  const data_style style = { .seed = c->seed + 4 };
  unsigned char *in = c->in_image + c->in[0].at;
  const uint64_t items = c->in[0].bytes / in_item(c);
  fill_marks(c);
  if (source_operator_facts(&r->source).value_bytes)
    source_operator_fill(&r->source, 0, items, style.seed, in);
  else if (r->spec.flags & SCAN_CHECK_OVERFLOW)
    fill_checked(c, in);
  else
    data_fill(r->spec.input_type, r->spec.op, items, &style, in);
}

static void first_carry(const scan_case *c, scan_value *carry) {
  memset(carry, 0, sizeof *carry);
  number_parse(c->scan.spec.type, "3", carry);
}

void case_scan_put_inputs(const scan_case *c, unsigned char *out_image) {
  scan_value carry;
  for (uint32_t a = 0; a < c->outputs && c->in_place; a++)
    memcpy(out_image + c->out[a].at, c->in_image + c->in[0].at, (size_t)c->out[a].bytes);
  if (!c->scan.carries.bytes) return;
  first_carry(c, &carry);
  memcpy(out_image + c->scan.carries.at, &carry, scan_type_bytes(c->scan.spec.type));
}

/* ---- one line ---- */

/** In the order of the scan. */
static void scan_line(const scan_case *c, const scan_spec *spec, const line *l, unsigned char *out) {
  const case_scan *r = &c->scan;
  const uint8_t *heads = spec->segments ? l->heads : NULL;
  const source_facts facts = source_operator_facts(&r->source);
  if (!facts.value_bytes) {
    reference_segmented(spec, heads, l->n, l->in, out);
    return;
  }
  const struct reference_operator op = { .bytes = facts.value_bytes, .combine = facts.combine };
  const void *seed = spec->has_init ? r->init : spec->kind == SCAN_EXCLUSIVE ? facts.identity : NULL;
  reference_operator_segmented(&op, 0, spec->kind, seed, heads, l->n, l->in, out);
}

/** The index of the first result that its type does not hold, in the order of the scan; UINT64_MAX: none. */
static uint64_t first_overflow(const scan_spec *spec, const line *l) {
  const uint8_t *heads = spec->segments ? l->heads : NULL;
  const int is_signed = spec->type % 2 == 1, adds = spec->op == SCAN_ADD;
  const int bits = 8 * (int)scan_type_bytes(spec->type);
  int64_t start = !adds, sum;
  if (spec->has_init) start = spec->init.i64; /* whose other bytes are 0, and which is not negative */
  sum = start;
  int over = 0;
  for (uint64_t i = 0; i < l->n; i++) {
    if (heads && heads[i]) sum = start, over = 0;
    if (spec->kind == SCAN_EXCLUSIVE && over) return i;
    int64_t x = 0;
    memcpy(&x, l->in + i * scan_type_bytes(spec->input_type), scan_type_bytes(spec->input_type));
    const int unused = 64 - 8 * (int)scan_type_bytes(spec->input_type);
    if (is_signed) {
      x = (int64_t)((uint64_t)x << unused) >> unused;
      over |= adds ? __builtin_add_overflow(sum, x, &sum) : __builtin_mul_overflow(sum, x, &sum);
      over |= sum != (int64_t)((uint64_t)sum << (64 - bits)) >> (64 - bits);
    } else {
      uint64_t *to = (uint64_t *)&sum, a = *to;
      over |= adds ? __builtin_add_overflow(a, (uint64_t)x, to) : __builtin_mul_overflow(a, (uint64_t)x, to);
      over |= bits < 64 && *to >> (bits % 64) != 0;
    }
    if (spec->kind == SCAN_INCLUSIVE && over) return i;
  }
  return UINT64_MAX;
}

static int take_line(line *l, uint64_t n, uint64_t in_bytes, uint64_t out_bytes) {
  *l = (line){ .n = n };
  l->in = malloc((size_t)(n * in_bytes + 1));
  l->out = malloc((size_t)(n * out_bytes + 1));
  l->last = malloc((size_t)(n * out_bytes + 1));
  l->heads = calloc((size_t)n + 1, 1);
  return l->in && l->out && l->last && l->heads ? 0 : -1;
}

static void give_line(line *l) {
  free(l->heads);
  free(l->last);
  free(l->out);
  free(l->in);
}

/** Element i of memory in the order of the scan, and back. */
static uint64_t turned(const scan_case *c, const line *l, uint64_t i) { return is_backward(c) ? l->n - 1 - i : i; }

/* ---- scans ---- */

/** Reads n elements from the begin of the input. Segments are those of the forward scan. */
static void read_line(const scan_case *c, line *l) {
  const unsigned char *in = c->in_image + c->in[0].at;
  const uint64_t bytes = in_item(c);
  for (uint64_t i = 0; i < l->n; i++) {
    const uint64_t at = turned(c, l, i);
    memcpy(l->in + i * bytes, in + at * bytes, (size_t)bytes);
    l->heads[i] = is_backward(c) ? i == 0 || c->kept[at + 1] : c->kept[at];
  }
}

/** Of a total the last element, or of nothing what it begins from. */
static void write_line(const scan_case *c, const line *l, const scan_spec *spec, unsigned char *to) {
  const uint64_t bytes = c->item_bytes[0];
  if (c->scan.spec.kind != SCAN_TOTAL) {
    for (uint64_t i = 0; i < l->n; i++) memcpy(to + turned(c, l, i) * bytes, l->out + i * bytes, (size_t)bytes);
    return;
  }
  const scan_value seed = reference_seed(spec);
  memcpy(to, l->n ? (const void *)(l->out + (l->n - 1) * bytes) : &seed, (size_t)bytes);
}

/** One run, from the carry of the one before. */
static void expect_run(scan_case *c, uint32_t a, line *l) {
  case_scan *r = &c->scan;
  scan_spec spec = r->spec;
  unsigned char *carry = c->want + r->carries.at + 8 * (uint64_t)a;
  const uint64_t bytes = scan_type_bytes(spec.type);
  if (r->carries.bytes) spec.has_init = 1, memcpy(&spec.init, carry, (size_t)bytes);
  if (spec.kind == SCAN_TOTAL) spec.kind = SCAN_INCLUSIVE;
  read_line(c, l);
  scan_line(c, &spec, l, l->out);
  write_line(c, l, &spec, c->want + c->out[a].at);
  if (spec.flags & SCAN_CHECK_OVERFLOW) {
    const uint64_t at = first_overflow(&spec, l);
    if (at < r->overflow) r->overflow = at;
  }
  if (!r->carries.bytes) return;
  spec.kind = SCAN_INCLUSIVE;
  scan_line(c, &spec, l, l->last);
  memcpy(carry + 8, l->n ? l->last + (l->n - 1) * bytes : carry, (size_t)bytes);
}

/** Of a map the reference is of whole lines; it is never of an array. */
static void expect_mapped(const scan_case *c, uint32_t a) {
  const case_scan *r = &c->scan;
  const struct reference_line whole = { .in = c->in_image + c->in[0].at,
                                        .out = c->want + c->out[a].at,
                                        .in_step = (int64_t)in_item(c),
                                        .out_step = (int64_t)c->item_bytes[a],
                                        .n = r->run_n[a] };
  scan_spec spec = r->spec;
  spec.init_bytes = r->init;
  reference_operator_line(r->source.map, &spec, &whole);
}

static int expect_runs(scan_case *c) {
  for (uint32_t a = 0; a < c->outputs; a++) {
    line l;
    const int failed = take_line(&l, c->scan.run_n[a], in_item(c), c->item_bytes[0]);
    if (!failed && c->scan.source.map)
      expect_mapped(c, a);
    else if (!failed)
      expect_run(c, a, &l);
    give_line(&l);
    if (failed) return -1;
  }
  return 0;
}

/* ---- arrays ---- */

/** Bytes of an element behind that of indices 0, and what it is in C order. */
static int64_t place_of(const scan_array *array, const int64_t *strides, const uint64_t *at, uint64_t *index) {
  int64_t bytes = 0;
  *index = 0;
  for (uint32_t k = 0; k < array->ndim; k++) {
    bytes += (int64_t)at[k] * strides[k];
    *index = *index * array->shape[k] + at[k];
  }
  return bytes;
}

/** A segment begins where a key is not the one before along the axis. */
static uint8_t begins(const scan_case *c, uint64_t index, uint64_t before) {
  const unsigned char *keys = c->in_image + c->marks.at;
  if (c->scan.spec.segments != SCAN_SEGMENTS_KEYS) return c->kept[index];
  return (uint8_t)case_keys_differ(c->scan.spec.key_type, keys, index, before);
}

static void expect_line(const scan_case *c, line *l, uint64_t *at) {
  const case_scan *r = &c->scan;
  const scan_array *array = &r->array;
  const uint64_t in_bytes = in_item(c), out_bytes = c->item_bytes[0];
  uint64_t index = 0, before = 0;
  for (uint64_t i = 0; i < l->n; i++, before = index) {
    at[array->axis] = i;
    const int64_t from = (int64_t)(c->in[0].at + r->in_first) + place_of(array, array->in_strides, at, &index);
    const uint64_t to = turned(c, l, i);
    const uint8_t head = i == 0 || begins(c, index, before);
    memcpy(l->in + to * in_bytes, c->in_image + from, (size_t)in_bytes);
    if (!is_backward(c)) l->heads[to] = head;
    if (is_backward(c) && i > 0) l->heads[to + 1] = head;
  }
  l->heads[0] = 1;
  scan_line(c, &r->spec, l, l->out);
  for (uint64_t i = 0; i < l->n; i++) {
    at[array->axis] = i;
    const int64_t to = (int64_t)(c->out[0].at + r->out_first) + place_of(array, array->out_strides, at, &index);
    memcpy(c->want + to, l->out + turned(c, l, i) * out_bytes, (size_t)out_bytes);
  }
  at[array->axis] = 0;
}

static int expect_array(const scan_case *c) {
  const scan_array *array = &c->scan.array;
  uint64_t at[SCAN_ARRAY_MAX_AXES] = { 0 };
  line l;
  const int failed = take_line(&l, array->shape[array->axis], in_item(c), c->item_bytes[0]);
  for (uint32_t k = 0; !failed && k < array->ndim;) {
    expect_line(c, &l, at);
    for (k = 0; k < array->ndim; k++) { /* the next line's indices, the first axis running fastest */
      if (k == array->axis) continue;
      if (++at[k] < array->shape[k]) break;
      at[k] = 0;
    }
  }
  give_line(&l);
  return failed;
}

/* ---- streams, differences ---- */

/** Chunk after chunk, each from what the one before came to. */
static int expect_stream(scan_case *c) {
  const case_scan *r = &c->scan;
  const uint64_t in_bytes = in_item(c), out_bytes = c->item_bytes[0];
  scan_spec spec = r->spec;
  line l;
  if (!reference_is_float(spec.type) || spec.op > SCAN_MUL) return expect_runs(c);
  const int failed = take_line(&l, r->chunk_items, in_bytes, out_bytes);
  for (uint64_t first = 0; !failed && first < c->n; first += l.n) {
    l.n = c->n - first < r->chunk_items ? c->n - first : r->chunk_items;
    memcpy(l.in, c->in_image + c->in[0].at + first * in_bytes, (size_t)(l.n * in_bytes));
    spec.kind = r->spec.kind;
    scan_line(c, &spec, &l, c->want + c->out[0].at + first * out_bytes);
    spec.kind = SCAN_INCLUSIVE;
    scan_line(c, &spec, &l, l.last);
    spec.has_init = 1;
    memcpy(&spec.init, l.last + (l.n - 1) * out_bytes, (size_t)out_bytes);
  }
  give_line(&l);
  return failed;
}

static void expect_difference(const scan_case *c, uint32_t a) {
  const scan_type type = c->scan.spec.type;
  const unsigned char *in = c->in_image + c->in[0].at;
  unsigned char *out = c->want + c->out[a].at;
  const uint64_t n = c->scan.run_n[a], bytes = scan_type_bytes(type);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t j = is_backward(c) ? i + 1 : i - 1;
    uint64_t x = 0, before = 0;
    memcpy(&x, in + i * bytes, (size_t)bytes);
    if (j < n) memcpy(&before, in + j * bytes, (size_t)bytes);
    x -= before;
    memcpy(out + i * bytes, &x, (size_t)bytes);
    if (j >= n || !reference_is_float(type)) continue;
    const double difference = reference_load(type, in, i) - reference_load(type, in, j);
    reference_store(type, out, i, type == SCAN_F64 ? difference : (double)(float)difference);
  }
}

/** In place the gaps of an array are the input's. */
int case_scan_expect(scan_case *c) {
  case_scan_put_inputs(c, c->want);
  switch (c->by) {
  case CASE_ARRAY: return expect_array(c);
  case CASE_STREAM: return expect_stream(c);
  case CASE_DIFFERENCE:
    for (uint32_t a = 0; a < c->outputs; a++) expect_difference(c, a);
    return 0;
  default: return expect_runs(c);
  }
}

/* ---- bounds ---- */

void case_scan_settle(scan_case *c) {
  const case_scan *r = &c->scan;
  const scan_type type = r->spec.type;
  if (reference_is_exact(&r->spec)) return;
  unsigned char *exact = reference_alloc((size_t)(c->n * scan_type_bytes(type)) + 1);
  double *slack = reference_alloc((size_t)(c->n + 1) * sizeof *slack);
  reference_scan_close(&r->spec, c->n, r->chain, c->in_image + c->in[0].at, exact, slack);
  for (uint32_t a = 0; a < c->outputs; a++) {
    unsigned char *got = c->got + c->out[a].at;
    for (uint64_t i = 0; i < r->run_n[a]; i++)
      if (fabs(reference_load(type, got, i) - reference_load(type, exact, i)) <= slack[i])
        memcpy(got + i * scan_type_bytes(type), c->want + c->out[a].at + i * scan_type_bytes(type),
               scan_type_bytes(type));
  }
  free(slack);
  free(exact);
}
