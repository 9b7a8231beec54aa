/* SPDX-License-Identifier: BSD-2-Clause */
#include "reference_operator.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"

/** The combination of some elements; there == 0: of none. */
typedef struct part {
  _Alignas(16) unsigned char bytes[SCAN_OP_MOST_BYTES];
  int there;
  int starts_segment;
} part;

typedef struct canon {
  const struct reference_operator *op;
  scan_kind kind;
  const uint8_t *segment_flags;
  part seed; /* the value before the first element of each segment */
  uint64_t n, vector_items, tile_items;
  const unsigned char *in;
  unsigned char *out;
} canon;

static part plus(const canon *c, part a, part b) {
  part both = { .there = 1, .starts_segment = a.starts_segment };
  if (!b.there) return a;
  if (!a.there || b.starts_segment) return b;
  c->op->combine(a.bytes, b.bytes, both.bytes, c->op->user);
  return both;
}

static part nothing(const canon *c) {
  (void)c;
  return (part){ .there = 0 };
}

static part part_of(const canon *c, const void *bytes) {
  part p = { .there = bytes != NULL };
  if (bytes) memcpy(p.bytes, bytes, c->op->bytes);
  return p;
}

/** Returns element i. The first one of a segment is combined with the seed. */
static part element(const canon *c, uint64_t i) {
  part p = part_of(c, c->in + i * c->op->bytes);
  if (!c->segment_flags || !c->segment_flags[i]) return p;
  p = plus(c, c->seed, p);
  p.starts_segment = 1;
  return p;
}

/** Writes the result of element i, if there is one: the first element of an exclusive scan without a seed has none. */
static void write(const canon *c, uint64_t i, part before, part with) {
  const part *earlier = c->segment_flags && c->segment_flags[i] ? &c->seed : &before;
  const part *result = c->kind == SCAN_INCLUSIVE ? &with : earlier;
  if (result->there) memcpy(c->out + i * c->op->bytes, result->bytes, c->op->bytes);
}

#include "canonical_order.h"

/* ---- geometry ---- */

static uint64_t vector_items(size_t bytes) {
  static const size_t whole[] = { 1, 2, 4, 8, 16 };
  for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
    if (whole[i] == bytes) return 16 / bytes;
  return 1;
}

uint64_t reference_subtile_items(size_t bytes) { return vector_items(bytes) * SUB_TILE_ROWS * ROW_VECTORS; }

unsigned reference_most_subtiles(size_t bytes) {
  if (bytes > 32) return 1;
  if (bytes > 16) return 2;
  return bytes > 8 ? 4 : 8;
}

static size_t order_bytes(const struct reference_operator *op) { return op->order_bytes ? op->order_bytes : op->bytes; }

static uint64_t tile_items(size_t bytes, uint64_t n) {
  const uint64_t sub = reference_subtile_items(bytes), most = reference_most_subtiles(bytes);
  if (n <= most * sub) return most * sub;
  return n <= GROUP_TILES * sub ? sub : most * sub;
}

/* ---- scans ---- */

void reference_operator_carried(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                                const void *before, const uint8_t *segment_flags, uint64_t n, const void *in,
                                void *out) {
  canon c = { .op = op, .kind = kind, .segment_flags = segment_flags, .n = n, .in = in, .out = out };
  c.seed = part_of(&c, seed);
  c.vector_items = vector_items(order_bytes(op));
  c.tile_items = tile_items(order_bytes(op), n);
  const part first = before ? part_of(&c, before) : c.seed;
  if (sequential)
    scan_in_sequence(&c, first);
  else
    scan_canonical(&c, first);
}

void reference_operator_segmented(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                                  const uint8_t *segment_flags, uint64_t n, const void *in, void *out) {
  reference_operator_carried(op, sequential, kind, seed, NULL, segment_flags, n, in, out);
}

void reference_operator_scan(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                             uint64_t n, const void *in, void *out) {
  reference_operator_segmented(op, sequential, kind, seed, NULL, n, in, out);
}

/* ---- with a map and an emit ---- */

static size_t part_larger(size_t a, size_t b) { return a > b ? a : b; }

size_t reference_order_bytes(const scan_op_source *source) {
  return part_larger(source->value_bytes, part_larger(source->input_bytes, source->output_bytes));
}

void reference_operator_line(const scan_op_source *source, const scan_spec *spec, const struct reference_line *line) {
  const size_t value = source->value_bytes, all = (size_t)line->n * value;
  const struct reference_operator op = { value, source->host, reference_order_bytes(source), source->user };
  const int sequential = spec->strategy == SCAN_STRATEGY_SEQUENTIAL, reversed = (spec->flags & SCAN_BACKWARD) != 0;
  const int begins = spec->kind == SCAN_EXCLUSIVE || source->emit != NULL;
  const void *seed = spec->has_init ? spec->init_bytes : begins ? source->identity : NULL;
  unsigned char *mapped = reference_alloc(all), *inclusive = reference_alloc(all), *exclusive = reference_alloc(all);
  for (uint64_t i = 0; i < line->n; i++) {
    const uint64_t place = reversed ? line->n - 1 - i : i;
    const unsigned char *x = line->in + (int64_t)place * line->in_step;
    if (source->map_host)
      source->map_host(x, place, mapped + i * value, source->user);
    else
      memcpy(mapped + i * value, x, value);
  }
  reference_operator_scan(&op, sequential, SCAN_INCLUSIVE, seed, line->n, mapped, inclusive);
  if (begins) reference_operator_scan(&op, sequential, SCAN_EXCLUSIVE, seed, line->n, mapped, exclusive);
  for (uint64_t i = 0; i < line->n; i++) {
    const uint64_t place = reversed ? line->n - 1 - i : i;
    const unsigned char *x = line->in + (int64_t)place * line->in_step;
    unsigned char *to = line->out + (int64_t)place * line->out_step;
    if (source->emit_host)
      source->emit_host(inclusive + i * value, exclusive + i * value, x, place, to, source->user);
    else
      memcpy(to, (spec->kind == SCAN_INCLUSIVE ? inclusive : exclusive) + i * value, value);
  }
  free(mapped);
  free(inclusive);
  free(exclusive);
}
