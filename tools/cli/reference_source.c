/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file reference_source.c
 * @brief Scans with an operator from source: the plain loop, and the canonical order of kernels_cl/README.md for
 * elements of any size, where an operand that is missing is passed over; the numbers in comments are its steps.
 */
#include "reference_source.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_VECTORS = 32, SUB_TILE_ROWS = 8, GROUP_TILES = 128 };

/** An element, or none. */
typedef struct value {
  _Alignas(16) unsigned char bytes[SCAN_OP_MOST_BYTES];
  int there;
  int has_head; /**< 1: a segment begins in what it covers, and nothing before it counts. */
} value;

/** One scan. */
typedef struct canon {
  const reference_source *op;
  scan_kind kind;
  const void *seed;     /**< What comes first, in each segment; NULL: nothing. */
  const uint8_t *heads; /**< Where segments begin; NULL: nowhere. */
  uint64_t n;
  const unsigned char *in;
  unsigned char *out;
  uint64_t vector_items;
  uint64_t tile_items;
} canon;

/* ---- elements ---- */

static void copy(const canon *c, const value *from, value *to) {
  if (from->there) memcpy(to->bytes, from->bytes, c->op->bytes);
  to->there = from->there;
  to->has_head = from->has_head;
}

static const value nothing = { .there = 0 };

/** a becomes a and the element at `bytes`, in this order. */
static void append_bytes(const canon *c, value *a, const void *bytes) {
  _Alignas(16) unsigned char result[SCAN_OP_MOST_BYTES];
  if (a->there) c->op->combine(a->bytes, bytes, result);
  memcpy(a->bytes, a->there ? result : bytes, c->op->bytes);
  a->there = 1;
}

static void append(const canon *c, value *a, const value *b) {
  if (b->there && b->has_head)
    copy(c, b, a);
  else if (b->there)
    append_bytes(c, a, b->bytes);
}

/** b becomes a and b. */
static void prepend(const canon *c, const value *a, value *b) {
  _Alignas(16) unsigned char result[SCAN_OP_MOST_BYTES];
  if (!a->there || b->has_head) return;
  b->has_head = a->has_head;
  if (b->there) c->op->combine(a->bytes, b->bytes, result);
  memcpy(b->bytes, b->there ? result : a->bytes, c->op->bytes);
  b->there = 1;
}

/** What a scan, or a segment, begins from. */
static void begin(const canon *c, int has_head, value *v) {
  v->there = c->seed != NULL;
  v->has_head = has_head;
  if (c->seed) memcpy(v->bytes, c->seed, c->op->bytes);
}

static int is_head(const canon *c, uint64_t i) { return c->heads && c->heads[i]; }

/** a becomes a and element i, which begins anew where it begins a segment. */
static void append_element(const canon *c, value *a, uint64_t i) {
  if (is_head(c, i)) begin(c, 1, a);
  append_bytes(c, a, c->in + i * c->op->bytes);
}

/** Writes from `before` on, `count` elements. */
static void write_elements(const canon *c, uint64_t first, uint64_t count, value *before) {
  for (uint64_t i = first; i < first + count && i < c->n; i++) {
    unsigned char *out = c->out + i * c->op->bytes;
    if (is_head(c, i)) begin(c, 1, before);
    if (c->kind == SCAN_EXCLUSIVE && before->there) memcpy(out, before->bytes, c->op->bytes);
    append_bytes(c, before, c->in + i * c->op->bytes);
    if (c->kind == SCAN_INCLUSIVE) memcpy(out, before->bytes, c->op->bytes);
  }
}

/* ---- tiles ---- */

static uint64_t vector_items_of(size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16 ? 16 / bytes : 1;
}

static uint64_t tile_items_of(uint64_t n, size_t bytes) {
  uint64_t sub_tile = vector_items_of(bytes) * ROW_VECTORS * SUB_TILE_ROWS;
  uint64_t most = bytes <= 8 ? 8 : bytes <= 16 ? 4 : bytes <= 32 ? 2 : 1;
  return n > most * sub_tile && n <= 128 * sub_tile ? sub_tile : most * sub_tile;
}

/** Steps 1 and 2: lane[l], inclusive over the row that begins at element `first`. */
static void scan_row(const canon *c, uint64_t first, value lane[ROW_VECTORS]) {
  for (uint64_t l = 0; l < ROW_VECTORS; l++) {
    uint64_t at = first + l * c->vector_items;
    lane[l] = nothing;
    for (uint64_t k = 0; k < c->vector_items && at + k < c->n; k++) append_element(c, &lane[l], at + k);
  }
  for (int d = 1; d < ROW_VECTORS; d *= 2)
    for (int l = ROW_VECTORS - 1; l >= d; l--) prepend(c, &lane[l - d], &lane[l]);
}

/** Steps 3, 4, 7 and 8. @param before what comes before the tile; NULL: only the aggregate is wanted. @param[out] total
 *  the tile's aggregate */
static void walk_tile(const canon *c, uint64_t tile, const value *before, value *total) {
  uint64_t row_items = ROW_VECTORS * c->vector_items, first = tile * c->tile_items, end = first + c->tile_items;
  value lane[ROW_VECTORS], start;
  *total = nothing;
  while (first < end && first < c->n) {
    value sub = nothing;
    for (int r = 0; r < SUB_TILE_ROWS && first < c->n; r++, first += row_items) {
      scan_row(c, first, lane);
      for (uint64_t l = 0; before && l < ROW_VECTORS; l++) {
        start = nothing;
        if (l) copy(c, &lane[l - 1], &start);
        prepend(c, &sub, &start);
        prepend(c, total, &start);
        prepend(c, before, &start);
        write_elements(c, first + l * c->vector_items, c->vector_items, &start);
      }
      append(c, &sub, &lane[ROW_VECTORS - 1]);
    }
    append(c, total, &sub);
  }
}

/** Step 5: the balanced tree over the first `count` of a group's tile aggregates. */
static void tree(const canon *c, const value *aggregates, uint64_t count, value *root) {
  value node[GROUP_TILES];
  for (uint64_t j = 0; j < GROUP_TILES; j++) {
    node[j] = nothing;
    if (j < count) copy(c, &aggregates[j], &node[j]);
  }
  for (size_t width = GROUP_TILES / 2; width >= 1; width /= 2)
    for (size_t j = 0; j < width; j++) {
      append(c, &node[2 * j], &node[2 * j + 1]);
      if (j) copy(c, &node[2 * j], &node[j]);
    }
  copy(c, &node[0], root);
}

/** Steps 5 and 6: every tile, with what comes before it. */
static void walk_group(const canon *c, uint64_t first_tile, uint64_t tiles, value *group_before) {
  value aggregates[GROUP_TILES], before, again;
  for (uint64_t j = 0; j < tiles; j++) {
    walk_tile(c, first_tile + j, NULL, &aggregates[j]);
    tree(c, aggregates, j, &before);
    prepend(c, group_before, &before);
    walk_tile(c, first_tile + j, &before, &again);
  }
  tree(c, aggregates, tiles, &before);
  append(c, group_before, &before);
}

void reference_source_scan(const reference_source *op, int sequential, scan_kind kind, const void *seed,
                           const uint8_t *heads, uint64_t n, const void *in, void *out) {
  canon c = { .op = op, .kind = kind, .seed = seed, .heads = heads, .n = n };
  value before;
  c.in = (const unsigned char *)in;
  c.out = (unsigned char *)out;
  begin(&c, 0, &before);
  if (sequential) {
    write_elements(&c, 0, n, &before);
    return;
  }
  c.vector_items = vector_items_of(op->bytes);
  c.tile_items = tile_items_of(n, op->bytes);
  uint64_t tiles = (n + c.tile_items - 1) / c.tile_items;
  for (uint64_t first = 0; first < tiles; first += GROUP_TILES)
    walk_group(&c, first, tiles - first < GROUP_TILES ? tiles - first : GROUP_TILES, &before);
}
