/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_expect.c @brief Computes the expected output of scans, arrays, streams and differences. */
#include "reference.h"
#include "scan_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scans and streams ---- */

/** 1 if element 0 in scan order begins a segment. After a carry only the flags or bits of a forward scan can say so. */
static int first_flag(const scan_case *c) {
  const scan_segments kind = c->scan.spec.segments;
  if (!case_scan_reads_carry(&c->scan)) return 1;
  if (case_scan_is_backward(c)) return 0;
  return (kind == SCAN_SEGMENTS_FLAGS || kind == SCAN_SEGMENTS_BITS) && c->kept[0];
}

/** Reads n elements from the begin of the input. Marks describe the segments of the forward scan. */
static void read_line(const scan_case *c, scan_line *l) {
  const unsigned char *in = c->in_image + c->in[0].at;
  const uint64_t bytes = case_scan_sizes(c).input;
  for (uint64_t i = 0; i < l->n; i++) {
    const uint64_t at = case_line_place(c, l, i);
    memcpy(l->in + i * bytes, in + at * bytes, (size_t)bytes);
    l->segment_flags[i] = case_scan_is_backward(c) ? c->kept[at + 1] : c->kept[at];
  }
  if (l->n) l->segment_flags[0] = (uint8_t)first_flag(c);
}

/** Writes the results of a line. A total is the last result, or for no elements the seed. */
static void write_line(const scan_case *c, const scan_line *l, const scan_carry *carry, unsigned char *to) {
  const uint64_t bytes = c->item_bytes[0];
  if (c->scan.spec.kind != SCAN_TOTAL)
    for (uint64_t i = 0; i < l->n; i++)
      memcpy(to + case_line_place(c, l, i) * bytes, l->out + i * bytes, (size_t)bytes);
  else if (l->n)
    memcpy(to, l->out + (l->n - 1) * bytes, (size_t)bytes);
  else
    case_line_nothing(c, carry, to);
}

/** Scans the chunks of a stream in order, each from the carry of the chunk before. A backward stream begins with the
 * partial chunk. */
static void scan_chunks(const scan_case *c, const scan_line *l, scan_carry *carry) {
  const uint64_t chunk = case_scan_chunk(c);
  uint64_t items = case_scan_is_backward(c) && l->n % chunk ? l->n % chunk : chunk;
  if (l->n == 0) case_line_scan(c, l, 0, 0, carry);
  for (uint64_t first = 0; first < l->n; first += items, items = chunk) {
    if (items > l->n - first) items = l->n - first;
    case_line_scan(c, l, first, items, carry);
  }
}

static void expect_run(scan_case *c, uint32_t a, scan_line *l) {
  case_scan *r = &c->scan;
  scan_carry carry = { .is_there = case_scan_reads_carry(r) };
  const size_t bytes = (size_t)case_scan_sizes(c).value;
  if (carry.is_there) memcpy(carry.value, c->want + case_scan_carry_in(r, a), bytes);
  read_line(c, l);
  if (r->spec.flags & SCAN_CHECK_OVERFLOW) {
    const uint64_t at = case_line_overflow(c, l, &carry);
    if (at < r->overflow) r->overflow = at;
  }
  if (c->by == CASE_STREAM)
    scan_chunks(c, l, &carry);
  else
    case_line_scan(c, l, 0, l->n ? r->run_n[a] : 0, &carry);
  write_line(c, l, &carry, c->want + c->out[a].at);
  if (case_scan_leaves_carry(r)) memcpy(c->want + case_scan_carry_out(r, a), carry.value, bytes);
}

static int expect_runs(scan_case *c) {
  for (uint32_t a = 0; a < c->outputs; a++) {
    scan_line l;
    const int failed = case_line_make(&l, c->scan.run_n[a], c);
    l.n = case_scan_count(c, a);
    if (!failed) expect_run(c, a, &l);
    case_line_free(&l);
    if (failed) return -1;
  }
  return 0;
}

/* ---- arrays ---- */

int64_t case_array_place(const scan_array *array, const int64_t *strides, const uint64_t *at, uint64_t *index) {
  int64_t bytes = 0;
  *index = 0;
  for (uint32_t k = 0; k < array->ndim; k++) {
    bytes += (int64_t)at[k] * strides[k];
    *index = *index * array->shape[k] + at[k];
  }
  return bytes;
}

/** 1 if a segment begins at `index`: with keys, if its key differs from that at `before`, its predecessor along the
 * axis. */
static uint8_t starts_segment(const scan_case *c, uint64_t index, uint64_t before) {
  const unsigned char *keys = c->in_image + c->marks.at;
  if (c->scan.spec.segments != SCAN_SEGMENTS_KEYS) return c->kept[index];
  return (uint8_t)case_keys_differ(c->scan.spec.key_type, keys, index, before);
}

static void read_array_line(const scan_case *c, scan_line *l, uint64_t *at) {
  const scan_array *array = &c->scan.array;
  const uint64_t bytes = case_scan_sizes(c).input;
  uint64_t index = 0, before = 0;
  for (uint64_t i = 0; i < l->n; i++, before = index) {
    at[array->axis] = i;
    const int64_t from =
        (int64_t)(c->in[0].at + c->scan.in_first) + case_array_place(array, array->in_strides, at, &index);
    const uint64_t to = case_line_place(c, l, i);
    const uint8_t head = i == 0 || starts_segment(c, index, before);
    memcpy(l->in + to * bytes, c->in_image + from, (size_t)bytes);
    if (!case_scan_is_backward(c)) l->segment_flags[to] = head;
    if (case_scan_is_backward(c) && i > 0) l->segment_flags[to + 1] = head;
  }
  l->segment_flags[0] = 1;
}

/** Lowers c->scan.overflow to the index of the line's first overflow in scan order along the axis. */
static void note_overflow(scan_case *c, const scan_line *l, uint64_t *at) {
  const scan_carry none = { .is_there = 0 };
  uint64_t index;
  at[c->scan.array.axis] = case_line_overflow(c, l, &none);
  if (at[c->scan.array.axis] == UINT64_MAX) return;
  (void)case_array_place(&c->scan.array, c->scan.array.out_strides, at, &index);
  if (index < c->scan.overflow) c->scan.overflow = index;
}

static void expect_line(scan_case *c, scan_line *l, uint64_t *at) {
  const case_scan *r = &c->scan;
  const scan_array *array = &r->array;
  const uint64_t bytes = c->item_bytes[0];
  scan_carry carry = { .is_there = 0 };
  uint64_t index;
  read_array_line(c, l, at);
  if (r->spec.flags & SCAN_CHECK_OVERFLOW) note_overflow(c, l, at);
  case_line_scan(c, l, 0, l->n, &carry);
  unsigned char *first = c->want + c->out[0].at + r->out_first;
  at[array->axis] = 0;
  if (r->spec.kind == SCAN_TOTAL) {
    write_line(c, l, &carry, first + case_array_place(array, array->out_strides, at, &index));
    return;
  }
  for (uint64_t i = 0; i < l->n; i++) {
    at[array->axis] = i;
    memcpy(first + case_array_place(array, array->out_strides, at, &index), l->out + case_line_place(c, l, i) * bytes,
           (size_t)bytes);
  }
  at[array->axis] = 0;
}

/** 1 if the array has outputs: totals of lines of no elements do. */
static int has_outputs(const scan_case *c) {
  const scan_array *array = &c->scan.array;
  for (uint32_t k = 0; k < array->ndim; k++)
    if (array->shape[k] == 0 && (k != array->axis || c->scan.spec.kind != SCAN_TOTAL)) return 0;
  return 1;
}

static int expect_array(scan_case *c) {
  const scan_array *array = &c->scan.array;
  uint64_t at[SCAN_ARRAY_MAX_AXES] = { 0 };
  scan_line l;
  if (!has_outputs(c)) return 0;
  const int failed = case_line_make(&l, array->shape[array->axis], c);
  for (uint32_t k = 0; !failed && k < array->ndim;) {
    expect_line(c, &l, at);
    for (k = 0; k < array->ndim; k++) { /* steps to the next line; the first axis changes fastest */
      if (k == array->axis) continue;
      if (++at[k] < array->shape[k]) break;
      at[k] = 0;
    }
  }
  case_line_free(&l);
  return failed;
}

/* ---- differences ---- */

static void expect_difference(const scan_case *c, uint32_t a) {
  const scan_type type = c->scan.spec.type;
  const unsigned char *in = c->in_image + c->in[0].at;
  unsigned char *out = c->want + c->out[a].at;
  const uint64_t n = c->scan.run_n[a], bytes = scan_type_bytes(type);
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t j = case_scan_is_backward(c) ? i + 1 : i - 1;
    uint64_t x = 0, before = 0;
    memcpy(&x, in + i * bytes, (size_t)bytes);
    if (j < n) memcpy(&before, in + j * bytes, (size_t)bytes);
    x -= before;
    memcpy(out + i * bytes, &x, (size_t)bytes);
    if (j >= n || !reference_is_float(type)) continue;
    const double difference = reference_load(type, in, i) - reference_load(type, in, j);
    const double rounded = type == SCAN_F64 ? difference : (double)(float)difference;
    reference_store(type, out, i, isnan(rounded) ? (double)NAN : rounded);
  }
}

/** Computes the expected output. It begins as a copy of the inputs, since in place the gaps of an array keep their
 * bytes. */
int case_scan_expect(scan_case *c) {
  case_scan_put_inputs(c, c->want);
  if (c->by == CASE_ARRAY) return expect_array(c);
  if (c->by != CASE_DIFFERENCE) return expect_runs(c);
  for (uint32_t a = 0; a < c->outputs; a++) expect_difference(c, a);
  return 0;
}

/* ---- acceptable differences ---- */

/** 1 if the library says which NaN its results are. */
static int shows_nans(const scan_case *c) {
  if (c->by == CASE_DIFFERENCE) return 1;
  return !c->scan.source.name && (c->scan.spec.op == SCAN_ADD || c->scan.spec.op == SCAN_MUL);
}

/** Replaces each NaN in c->got by the expected NaN at its place. */
static void settle_nans(scan_case *c, scan_type type, uint64_t at, uint64_t items) {
  const uint64_t bytes = scan_type_bytes(type);
  for (uint64_t i = 0; i < items; i++)
    if (isnan(reference_load(type, c->got + at, i)) && isnan(reference_load(type, c->want + at, i)))
      memcpy(c->got + at + i * bytes, c->want + at + i * bytes, (size_t)bytes);
}

static void settle_values(scan_case *c) {
  const case_scan *r = &c->scan;
  const scan_type value_type = r->spec.type == SCAN_F64 ? SCAN_F64 : SCAN_F32;
  for (uint32_t a = 0; a < c->outputs; a++) {
    settle_nans(c, r->spec.type, c->out[a].at, c->out[a].bytes / c->item_bytes[a]);
    if (case_scan_leaves_carry(r)) settle_nans(c, value_type, case_scan_carry_out(r, a), 1);
  }
}

/** Replaces each result within the error bound by the expected one. */
static void settle_close(scan_case *c) {
  const case_scan *r = &c->scan;
  const scan_type type = r->spec.type;
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

void case_scan_settle(scan_case *c) {
  if (c->scan.values && !shows_nans(c)) settle_values(c);
  if (c->by == CASE_SCAN && !reference_is_exact(&c->scan.spec)) settle_close(c);
}
