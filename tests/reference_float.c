/* SPDX-License-Identifier: BSD-2-Clause */
/* The canonical order of kernels_cl/README.md, step by step. Slow and plain on purpose. */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "the reference needs double arithmetic in double: set FLT_EVAL_METHOD to 0 (on x86: -msse2 -mfpmath=sse)"
#endif

enum { ROW_VECTORS = 32, SUB_ROWS = 8, GROUP_TILES = 128 };

struct order {
  scan_type type;
  scan_op_id op;
  scan_kind kind;
  double e;              /* the operator's exact identity */
  uint64_t vector_items; /* V */
  uint64_t tile_subs;    /* S */
};

/* Every level of the hierarchy, padded with e: items and vectors to whole rows, rows and sub-tiles to whole tiles. A
 * row of e alone has the total e, and is not computed. */
struct levels {
  uint64_t n, tiles, rows; /* rows that hold elements */
  double *item, *vec, *lane, *row, *sub, *tile;
};

/* Both types are computed in double. For binary32 the result is then rounded once more, which gives the correctly
 * rounded binary32 result: 53 bits are at least 2 * 24 + 2 (Figueroa, "When is double rounding innocuous?", 1995). */
static double round_to(scan_type type, double x) { return type == SCAN_F32 ? (double)(float)x : x; }

static double combine(const struct order *o, double a, double b) {
  switch (o->op) {
  case SCAN_ADD: return round_to(o->type, a + b);
  case SCAN_MUL: return round_to(o->type, a * b);
  case SCAN_MIN: return (b < a || b != b) ? b : a;
  case SCAN_MAX: return (b > a || b != b) ? b : a;
  default: return (double)NAN;
  }
}

static double identity(scan_op_id op) {
  switch (op) {
  case SCAN_ADD: return -0.0;
  case SCAN_MUL: return 1.0;
  case SCAN_MIN: return (double)INFINITY;
  default: return -(double)INFINITY;
  }
}

static double load(scan_type type, const void *from, uint64_t i) {
  return type == SCAN_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

static void store(scan_type type, void *to, uint64_t i, double value) {
  if (type == SCAN_F32) {
    ((float *)to)[i] = (float)value;
  } else {
    ((double *)to)[i] = value;
  }
}

static double fold(const struct order *o, const double *x, uint64_t count) {
  double total = o->e;
  for (uint64_t i = 0; i < count; i++) total = combine(o, total, x[i]);
  return total;
}

/* Step 5: the balanced tree over 128 places, the first `count` of them taken from x, e in the others. */
static double tree(const struct order *o, const double *x, uint64_t count) {
  double node[GROUP_TILES];
  for (uint64_t i = 0; i < GROUP_TILES; i++) node[i] = i < count ? x[i] : o->e;
  for (uint64_t width = GROUP_TILES / 2; width >= 1; width /= 2) {
    for (uint64_t i = 0; i < width; i++) node[i] = combine(o, node[2 * i], node[2 * i + 1]);
  }
  return node[0];
}

/* Step 2: recursive doubling. Going down leaves lane[l - d] as it was before this step. */
static void scan_lanes(const struct order *o, double *lane) {
  for (int d = 1; d < ROW_VECTORS; d *= 2) {
    for (int l = ROW_VECTORS - 1; l >= d; l--) lane[l] = combine(o, lane[l - d], lane[l]);
  }
}

static double *doubles(uint64_t count) { return reference_alloc((size_t)count * sizeof(double)); }

static void load_items(const struct order *o, struct levels *all, scan_type input_type, const void *in) {
  const uint64_t items = all->rows * ROW_VECTORS * o->vector_items;
  all->item = doubles(items);
  for (uint64_t i = 0; i < items; i++) all->item[i] = i < all->n ? load(input_type, in, i) : o->e;
}

/* Steps 1 to 4, each for the whole input before the next. */
static void reduce_levels(const struct order *o, struct levels *all) {
  const uint64_t subs = all->tiles * o->tile_subs, rows = subs * SUB_ROWS, vecs = all->rows * ROW_VECTORS;
  all->vec = doubles(vecs);
  all->lane = doubles(vecs);
  all->row = doubles(rows);
  all->sub = doubles(subs);
  all->tile = doubles(all->tiles);
  for (uint64_t v = 0; v < vecs; v++) all->vec[v] = fold(o, &all->item[v * o->vector_items], o->vector_items);
  memcpy(all->lane, all->vec, (size_t)vecs * sizeof(double));
  for (uint64_t r = 0; r < all->rows; r++) {
    scan_lanes(o, &all->lane[r * ROW_VECTORS]);
    all->row[r] = all->lane[r * ROW_VECTORS + ROW_VECTORS - 1];
  }
  for (uint64_t r = all->rows; r < rows; r++) all->row[r] = o->e;
  for (uint64_t q = 0; q < subs; q++) all->sub[q] = fold(o, &all->row[q * SUB_ROWS], SUB_ROWS);
  for (uint64_t t = 0; t < all->tiles; t++) all->tile[t] = fold(o, &all->sub[t * o->tile_subs], o->tile_subs);
}

/* Step 8. */
static void emit_vector(const struct order *o, const struct levels *all, uint64_t v, double start, void *out) {
  for (uint64_t k = 0; k < o->vector_items; k++) {
    uint64_t i = v * o->vector_items + k;
    if (i >= all->n) return;
    double before = start;
    start = combine(o, start, all->item[i]);
    store(o->type, out, i, o->kind == SCAN_EXCLUSIVE ? before : start);
  }
}

/* Step 7 for the 32 vectors of row r of the whole input. */
static void emit_row(const struct order *o, const struct levels *all, uint64_t r, double far, double sub_before,
                     void *out) {
  double row_before = fold(o, &all->row[r - r % SUB_ROWS], r % SUB_ROWS);
  for (uint64_t l = 0; l < ROW_VECTORS; l++) {
    uint64_t v = r * ROW_VECTORS + l;
    double lane_before = l ? all->lane[v - 1] : o->e;
    double near = combine(o, sub_before, combine(o, row_before, lane_before));
    emit_vector(o, all, v, combine(o, far, near), out);
  }
}

static void emit_tile(const struct order *o, const struct levels *all, uint64_t t, double group_before, void *out) {
  double tile_before = tree(o, &all->tile[t - t % GROUP_TILES], t % GROUP_TILES);
  double far = combine(o, group_before, tile_before);
  for (uint64_t q = 0; q < o->tile_subs; q++) {
    double sub_before = fold(o, &all->sub[t * o->tile_subs], q);
    const uint64_t first = (t * o->tile_subs + q) * SUB_ROWS;
    for (uint64_t r = first; r < first + SUB_ROWS && r < all->rows; r++) emit_row(o, all, r, far, sub_before, out);
  }
}

/* Step 6 runs along with the tiles: a group's total joins when its last tile is past. */
static void emit_levels(const struct order *o, const struct levels *all, double seed, void *out) {
  double group_before = seed;
  for (uint64_t t = 0; t < all->tiles; t++) {
    emit_tile(o, all, t, group_before, out);
    if (t % GROUP_TILES == GROUP_TILES - 1) {
      group_before = combine(o, group_before, tree(o, &all->tile[t + 1 - GROUP_TILES], GROUP_TILES));
    }
  }
}

static void free_levels(struct levels *all) {
  free(all->item);
  free(all->vec);
  free(all->lane);
  free(all->row);
  free(all->sub);
  free(all->tile);
}

static uint64_t tile_subs(uint64_t n, uint64_t item_bytes) {
  uint64_t total_bytes = n * item_bytes;
  if (total_bytes <= UINT64_C(32) * 1024) return 8;
  if (total_bytes <= UINT64_C(512) * 1024) return 1;
  return 8;
}

static void scan_canonical(const struct order *o, scan_type input_type, double seed, uint64_t n, const void *in,
                           void *out) {
  const uint64_t row_items = ROW_VECTORS * o->vector_items, tile_items = o->tile_subs * SUB_ROWS * row_items;
  struct levels all = { .n = n, .tiles = (n + tile_items - 1) / tile_items, .rows = (n + row_items - 1) / row_items };
  load_items(o, &all, input_type, in);
  reduce_levels(o, &all);
  emit_levels(o, &all, seed, out);
  free_levels(&all);
}

static void scan_left_to_right(const struct order *o, scan_type input_type, double total, uint64_t n, const void *in,
                               void *out) {
  for (uint64_t i = 0; i < n; i++) {
    double before = total;
    total = combine(o, total, load(input_type, in, i));
    store(o->type, out, i, o->kind == SCAN_EXCLUSIVE ? before : total);
  }
}

static double seed_of(const scan_spec *spec) {
  if (spec->has_init) return load(spec->type, &spec->init, 0);
  if (spec->kind == SCAN_EXCLUSIVE && spec->op == SCAN_ADD) return +0.0;
  return identity(spec->op);
}

void reference_scan_float(const scan_spec *spec, uint64_t n, const void *in, void *out) {
  const uint64_t item_bytes = reference_bytes(spec->type);
  const struct order o = { .type = spec->type,
                           .op = spec->op,
                           .kind = spec->kind,
                           .e = identity(spec->op),
                           .vector_items = 16 / item_bytes,
                           .tile_subs = tile_subs(n, item_bytes) };
  const scan_type input_type = spec->input_type ? spec->input_type : spec->type;
  if (spec->strategy == SCAN_STRATEGY_SEQUENTIAL) {
    scan_left_to_right(&o, input_type, seed_of(spec), n, in, out);
  } else {
    scan_canonical(&o, input_type, seed_of(spec), n, in, out);
  }
}
