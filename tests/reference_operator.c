/* SPDX-License-Identifier: BSD-2-Clause */
#include "reference_operator.h"

#include <stdlib.h>
#include <string.h>

#include "reference.h"

enum { LANES = 32, ROWS = 8, GROUP = 128 };

/* A value, or none. */
struct cell {
  _Alignas(16) unsigned char bytes[SCAN_OP_MOST_BYTES];
  int there;
};

static struct cell join(const struct reference_operator *op, struct cell a, struct cell b) {
  struct cell both = { .there = 1 };
  if (!a.there) return b;
  if (!b.there) return a;
  op->combine(a.bytes, b.bytes, both.bytes);
  return both;
}

static struct cell cell_of(const struct reference_operator *op, const void *bytes) {
  struct cell c = { .there = bytes != NULL };
  if (bytes) memcpy(c.bytes, bytes, op->bytes);
  return c;
}

static uint64_t vector_items(size_t bytes) {
  static const size_t whole[] = { 1, 2, 4, 8, 16 };
  for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
    if (whole[i] == bytes) return 16 / bytes;
  return 1;
}

uint64_t reference_subtile_items(size_t bytes) { return vector_items(bytes) * ROWS * LANES; }

unsigned reference_most_subtiles(size_t bytes) {
  if (bytes > 32) return 1;
  if (bytes > 16) return 2;
  return bytes > 8 ? 4 : 8;
}

static size_t order_bytes(const struct reference_operator *op) { return op->order_bytes ? op->order_bytes : op->bytes; }

static uint64_t tile_items(size_t bytes, uint64_t n) {
  const uint64_t sub = reference_subtile_items(bytes), most = reference_most_subtiles(bytes);
  if (n <= most * sub) return most * sub;
  return n <= GROUP * sub ? sub : most * sub;
}

struct work {
  const struct reference_operator *op;
  const unsigned char *in;
  uint64_t n, vector;
  struct cell *inner; /* of each vector of a tile: what comes before it in the tile */
};

static struct cell vector_fold(const struct work *w, uint64_t first) {
  struct cell sum = { .there = 0 };
  for (uint64_t i = first; i < first + w->vector && i < w->n; i++)
    sum = join(w->op, sum, cell_of(w->op, w->in + i * w->op->bytes));
  return sum;
}

/* Fills what comes before each vector in the row; returns the row's total. */
static struct cell row(const struct work *w, uint64_t first, struct cell *before) {
  struct cell lane[LANES];
  for (int l = 0; l < LANES; l++) lane[l] = vector_fold(w, first + (uint64_t)l * w->vector);
  for (int d = 1; d < LANES; d *= 2) /* going down leaves lane[l - d] as it was before this step */
    for (int l = LANES - 1; l >= d; l--) lane[l] = join(w->op, lane[l - d], lane[l]);
  for (int l = 1; l < LANES; l++) before[l] = lane[l - 1];
  before[0] = (struct cell){ .there = 0 };
  return lane[LANES - 1];
}

/* Rows past the last element are not there, and leave `inner` as it is. */
static struct cell tile(const struct work *w, uint64_t first, uint64_t items) {
  const uint64_t row_items = LANES * w->vector, subtiles = items / row_items / ROWS;
  struct cell all = { .there = 0 }, *inner = w->inner;
  for (uint64_t q = 0; q < subtiles; q++) {
    struct cell sub = { .there = 0 };
    for (int r = 0; r < ROWS && first < w->n; r++, first += row_items, inner += LANES) {
      const struct cell total = row(w, first, inner);
      for (int l = 0; l < LANES; l++) inner[l] = join(w->op, all, join(w->op, sub, inner[l]));
      sub = join(w->op, sub, total);
    }
    all = join(w->op, all, sub);
  }
  return all;
}

/* The balanced tree over `count` tiles from `first` on, those from `end` on left out. */
static struct cell tree(const struct work *w, const struct cell *tiles, int first, int count, int end) {
  if (first >= end) return (struct cell){ .there = 0 };
  if (count == 1) return tiles[first];
  const struct cell left = tree(w, tiles, first, count / 2, end);
  return join(w->op, left, tree(w, tiles, first + count / 2, count / 2, end));
}

static void write_tile(const struct work *w, scan_kind kind, uint64_t first, uint64_t items, struct cell before,
                       unsigned char *out) {
  const size_t bytes = w->op->bytes;
  for (uint64_t v = 0; v < items / w->vector && first + v * w->vector < w->n; v++) {
    struct cell acc = join(w->op, before, w->inner[v]);
    for (uint64_t i = first + v * w->vector; i < first + (v + 1) * w->vector && i < w->n; i++) {
      const struct cell next = join(w->op, acc, cell_of(w->op, w->in + i * bytes));
      const struct cell *result = kind == SCAN_INCLUSIVE ? &next : &acc;
      if (result->there) memcpy(out + i * bytes, result->bytes, bytes);
      acc = next;
    }
  }
}

static void canonical(struct work *w, scan_kind kind, struct cell seed, unsigned char *out) {
  const uint64_t items = tile_items(order_bytes(w->op), w->n);
  struct cell groups = seed, tiles[GROUP];
  w->inner = reference_alloc((size_t)(items / w->vector) * sizeof(struct cell));
  for (uint64_t first = 0; first < w->n; first += GROUP * items) {
    int count = 0;
    for (uint64_t at = first; count < GROUP && at < w->n; at += items) {
      tiles[count] = tile(w, at, items);
      write_tile(w, kind, at, items, join(w->op, groups, tree(w, tiles, 0, GROUP, count)), out);
      count++;
    }
    groups = join(w->op, groups, tree(w, tiles, 0, GROUP, count));
  }
  free(w->inner);
}

static void plain(const struct work *w, scan_kind kind, struct cell acc, unsigned char *out) {
  const size_t bytes = w->op->bytes;
  for (uint64_t i = 0; i < w->n; i++) {
    const struct cell next = join(w->op, acc, cell_of(w->op, w->in + i * bytes));
    const struct cell *result = kind == SCAN_INCLUSIVE ? &next : &acc;
    if (result->there) memcpy(out + i * bytes, result->bytes, bytes);
    acc = next;
  }
}

void reference_operator_scan(const struct reference_operator *op, int sequential, scan_kind kind, const void *seed,
                             uint64_t n, const void *in, void *out) {
  struct work w = { .op = op, .in = in, .n = n, .vector = vector_items(order_bytes(op)) };
  if (sequential)
    plain(&w, kind, cell_of(op, seed), out);
  else
    canonical(&w, kind, cell_of(op, seed), out);
}

/* ---- with a map and an emit ---- */

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t reference_order_bytes(const scan_op_source *source) {
  return larger(source->value_bytes, larger(source->input_bytes, source->output_bytes));
}

void reference_operator_line(const scan_op_source *source, const scan_spec *spec, const struct reference_line *line) {
  const size_t value = source->value_bytes, all = (size_t)line->n * value;
  const struct reference_operator op = { value, source->host, reference_order_bytes(source) };
  const int sequential = spec->strategy == SCAN_STRATEGY_SEQUENTIAL, turned = (spec->flags & SCAN_BACKWARD) != 0;
  const int begins = spec->kind == SCAN_EXCLUSIVE || source->emit != NULL;
  const void *seed = spec->has_init ? spec->init_bytes : begins ? source->identity : NULL;
  unsigned char *mapped = reference_alloc(all), *inclusive = reference_alloc(all), *exclusive = reference_alloc(all);
  for (uint64_t i = 0; i < line->n; i++) {
    const uint64_t place = turned ? line->n - 1 - i : i;
    const unsigned char *x = line->in + (int64_t)place * line->in_step;
    if (source->map_host)
      source->map_host(x, place, mapped + i * value);
    else
      memcpy(mapped + i * value, x, value);
  }
  reference_operator_scan(&op, sequential, SCAN_INCLUSIVE, seed, line->n, mapped, inclusive);
  if (begins) reference_operator_scan(&op, sequential, SCAN_EXCLUSIVE, seed, line->n, mapped, exclusive);
  for (uint64_t i = 0; i < line->n; i++) {
    const uint64_t place = turned ? line->n - 1 - i : i;
    const unsigned char *x = line->in + (int64_t)place * line->in_step;
    unsigned char *to = line->out + (int64_t)place * line->out_step;
    if (source->emit_host)
      source->emit_host(inclusive + i * value, exclusive + i * value, x, place, to);
    else
      memcpy(to, (spec->kind == SCAN_INCLUSIVE ? inclusive : exclusive) + i * value, value);
  }
  free(mapped);
  free(inclusive);
  free(exclusive);
}
