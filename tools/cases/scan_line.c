/* SPDX-License-Identifier: BSD-2-Clause */
/** @file scan_line.c @brief Computes the expected output of one line of elements, whole or in chunks. */
#include "reference.h"
#include "reference_operator.h"
#include "scan_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

int case_line_make(scan_line *l, uint64_t n, const scan_case *c) {
  const scan_sizes sizes = case_scan_sizes(c);
  *l = (scan_line){ .n = n };
  l->in = calloc((size_t)(n * sizes.input + 1), 1);
  l->out = malloc((size_t)(n * sizes.output + 1));
  l->values = malloc((size_t)(n * sizes.value + 1));
  l->inclusive = malloc((size_t)(n * sizes.value + 1));
  l->exclusive = malloc((size_t)(n * sizes.value + 1));
  l->segment_flags = calloc((size_t)n + 1, 1);
  return l->in && l->out && l->values && l->inclusive && l->exclusive && l->segment_flags ? 0 : -1;
}

void case_line_free(scan_line *l) {
  free(l->segment_flags);
  free(l->exclusive);
  free(l->inclusive);
  free(l->values);
  free(l->out);
  free(l->in);
}

uint64_t case_line_place(const scan_case *c, const scan_line *l, uint64_t i) {
  return case_scan_is_backward(c) ? l->n - 1 - i : i;
}

/* ---- built-in operators ---- */

/** Sets the carry that a scan of no elements leaves: the carry it got, else its initial value or the identity. */
static void leave_seed(const scan_spec *spec, scan_carry *carry) {
  const scan_value seed = reference_seed(spec);
  if (carry->is_there) return;
  if (spec->type == SCAN_F16 || spec->type == SCAN_BF16)
    reference_store(SCAN_F32, carry->value, 0, reference_load(spec->type, &seed, 0));
  else
    memcpy(carry->value, &seed, scan_type_bytes(spec->type));
}

/** Turns -0.0, which may come from a carry, into +0.0 in exclusive sums in segments, as the library does. */
static void show_zeros(const scan_spec *spec, uint64_t n, unsigned char *out) {
  if (!spec->segments || spec->kind != SCAN_EXCLUSIVE || spec->has_init || spec->op != SCAN_ADD) return;
  for (uint64_t i = 0; i < n && reference_is_float(spec->type); i++)
    if (reference_load(spec->type, out, i) == 0) reference_store(spec->type, out, i, 0.0);
}

/** Sets the initial value of a sum from source to +0.0, its identity. */
static void begin_from_zero(scan_spec *spec) {
  spec->has_init = 1;
  memset(&spec->init, 0, sizeof spec->init);
}

static void scan_built_in(const scan_case *c, const scan_line *l, uint64_t first, uint64_t items, scan_carry *carry) {
  scan_spec spec = c->scan.spec;
  const scan_sizes sizes = case_scan_sizes(c);
  const uint8_t *segment_flags = spec.segments ? l->segment_flags + first : NULL;
  const unsigned char *in = l->in + first * sizes.input;
  const reference_carry both = { carry->is_there ? carry->value : NULL, carry->value };
  const reference_carry before = { both.before, NULL };
  if (spec.kind == SCAN_TOTAL) spec.kind = SCAN_INCLUSIVE;
  const int is_from_zero = !spec.has_init && spec.op == SCAN_ADD && (spec.kind == SCAN_EXCLUSIVE || items == 0);
  if (c->scan.source.name && is_from_zero) begin_from_zero(&spec);
  if (items == 0) leave_seed(&spec, carry);
  if (items == 0) return;
  reference_carried(&spec, segment_flags, &before, items, in, l->out + first * sizes.output);
  show_zeros(&spec, items, l->out + first * sizes.output);
  spec.kind = SCAN_INCLUSIVE; /* inclusive sums begin from -0.0 */
  reference_carried(&spec, segment_flags, &both, items, in, l->inclusive);
  if (l->n < first + items) memcpy(carry->value, l->inclusive + (l->n - 1) * sizes.output, (size_t)sizes.output);
}

/* ---- operators from source ---- */

/** Maps elements to values. The index passed to the map is that in the whole line, also in a chunk. */
static void map_values(const scan_case *c, const scan_line *l, uint64_t first, uint64_t items) {
  const source_facts facts = source_operator_facts(&c->scan.source);
  for (uint64_t i = first; i < first + items; i++) {
    const unsigned char *x = l->in + i * facts.input_bytes;
    unsigned char *to = l->values + i * facts.value_bytes;
    if (facts.mapped && facts.mapped->map_host)
      facts.mapped->map_host(x, case_line_place(c, l, i), to, facts.mapped->user);
    else
      memcpy(to, x, facts.value_bytes);
  }
}

static void emit_values(const scan_case *c, const scan_line *l, uint64_t first, uint64_t items) {
  const source_facts facts = source_operator_facts(&c->scan.source);
  const int is_exclusive = c->scan.spec.kind == SCAN_EXCLUSIVE;
  for (uint64_t i = first; i < first + items; i++) {
    const unsigned char *inclusive = l->inclusive + i * facts.value_bytes;
    const unsigned char *exclusive = l->exclusive + i * facts.value_bytes;
    unsigned char *to = l->out + i * facts.output_bytes;
    if (facts.mapped && facts.mapped->emit_host)
      facts.mapped->emit_host(inclusive, exclusive, l->in + i * facts.input_bytes, case_line_place(c, l, i), to,
                              facts.mapped->user);
    else
      memcpy(to, is_exclusive ? exclusive : inclusive, facts.value_bytes);
  }
}

static const void *seed_of(const scan_case *c, const source_facts *facts) {
  const int needs_identity = c->scan.spec.kind == SCAN_EXCLUSIVE || (facts->mapped && facts->mapped->emit);
  return c->scan.spec.has_init ? c->scan.init : needs_identity ? facts->identity : NULL;
}

static void scan_from_source(const scan_case *c, const scan_line *l, uint64_t first, uint64_t items,
                             scan_carry *carry) {
  const source_facts facts = source_operator_facts(&c->scan.source);
  const size_t bytes = facts.value_bytes;
  const struct reference_operator op = { .bytes = bytes,
                                         .combine = facts.combine,
                                         .order_bytes = facts.mapped ? reference_order_bytes(facts.mapped) : 0 };
  const int sequential = c->scan.spec.strategy == SCAN_STRATEGY_SEQUENTIAL;
  const uint8_t *segment_flags = c->scan.spec.segments ? l->segment_flags + first : NULL;
  const void *seed = seed_of(c, &facts), *before = carry->is_there ? carry->value : NULL;
  const void *nothing = before ? before : seed ? seed : facts.identity;
  if (items == 0 && nothing) memmove(carry->value, nothing, bytes);
  if (items == 0) return;
  map_values(c, l, first, items);
  reference_operator_carried(&op, sequential, SCAN_INCLUSIVE, seed, before, segment_flags, items,
                             l->values + first * bytes, l->inclusive + first * bytes);
  reference_operator_carried(&op, sequential, SCAN_EXCLUSIVE, seed, before, segment_flags, items,
                             l->values + first * bytes, l->exclusive + first * bytes);
  emit_values(c, l, first, items);
  const uint64_t end = l->n < first + items ? l->n : first + items;
  memcpy(carry->value, l->inclusive + (end - 1) * bytes, bytes);
}

void case_line_scan(const scan_case *c, const scan_line *l, uint64_t first, uint64_t items, scan_carry *carry) {
  if (source_operator_facts(&c->scan.source).value_bytes)
    scan_from_source(c, l, first, items, carry);
  else
    scan_built_in(c, l, first, items, carry);
  carry->is_there = 1;
}

void case_line_nothing(const scan_case *c, const scan_carry *carry, unsigned char *to) {
  const scan_type type = c->scan.spec.type;
  if (source_operator_facts(&c->scan.source).value_bytes == 0 && (type == SCAN_F16 || type == SCAN_BF16))
    reference_store(type, to, 0, reference_load(SCAN_F32, carry->value, 0));
  else
    memcpy(to, carry->value, (size_t)case_scan_sizes(c).output);
}

/* ---- overflow ---- */

static int is_signed(scan_type type) { return type % 2 == 1; }

/** Loads an integer, sign-extended if its type is signed. */
static int64_t value_load(scan_type type, const void *from) {
  const int unused = 64 - 8 * (int)scan_type_bytes(type);
  int64_t x = 0;
  memcpy(&x, from, scan_type_bytes(type));
  return is_signed(type) ? (int64_t)((uint64_t)x << unused) >> unused : x;
}

/** Combines x into *sum. @return 1 if the result leaves the type */
static int combine_checked(const scan_spec *spec, int64_t *sum, int64_t x) {
  const int adds = spec->op == SCAN_ADD, bits = 8 * (int)scan_type_bytes(spec->type);
  if (is_signed(spec->type)) {
    const int over = adds ? __builtin_add_overflow(*sum, x, sum) : __builtin_mul_overflow(*sum, x, sum);
    return over || *sum != (int64_t)((uint64_t)*sum << (64 - bits)) >> (64 - bits);
  }
  uint64_t a = (uint64_t)*sum;
  const int over = adds ? __builtin_add_overflow(a, (uint64_t)x, &a) : __builtin_mul_overflow(a, (uint64_t)x, &a);
  *sum = (int64_t)a;
  return over || (bits < 64 && a >> (bits % 64) != 0);
}

uint64_t case_line_overflow(const scan_case *c, const scan_line *l, const scan_carry *carry) {
  const scan_spec *spec = &c->scan.spec;
  const size_t bytes = scan_type_bytes(spec->input_type);
  const int64_t start = spec->has_init ? value_load(spec->type, &spec->init) : spec->op != SCAN_ADD;
  int64_t sum = carry->is_there ? value_load(spec->type, carry->value) : start;
  int over = 0;
  for (uint64_t i = 0; i < l->n; i++) {
    if (spec->segments && l->segment_flags[i]) sum = start, over = 0;
    if (spec->kind == SCAN_EXCLUSIVE && over) return i;
    over |= combine_checked(spec, &sum, value_load(spec->input_type, l->in + i * bytes));
    if (spec->kind != SCAN_EXCLUSIVE && over) return i;
  }
  return over && case_scan_leaves_carry(&c->scan) ? l->n : UINT64_MAX;
}
