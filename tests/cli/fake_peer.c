/* SPDX-License-Identifier: BSD-2-Clause */
/* A host module for `scanrt bench`: a peer with known faults.
 * Scans: inclusive sums of i32 and f32, plain and by key; affine_f32.
 * Compaction: elements of 4 bytes by a predicate, the rest dropped or behind in reverse order; three parts; run
 * lengths and sums of i32 and f32 by key, for keys of 4 bytes. Sums of i32, all or of segments.
 * Sorts: u32 keys, with values of 4 bytes, and histograms of u32; in two variants: "once", and "64 times" in a row.
 * After FAKE_PEER_RIGHT_CALLS calls every result has one wrong element; with FAKE_PEER_FAILS the call fails instead. */
#include <stdlib.h>

#include "peer.h"

#ifndef FAKE_PEER_NAME
#error FAKE_PEER_NAME: what the peer is called
#endif
#ifndef FAKE_PEER_RIGHT_CALLS
#error FAKE_PEER_RIGHT_CALLS: how many calls give a right result
#endif
#ifndef FAKE_PEER_VERSION
#define FAKE_PEER_VERSION BENCH_PEER_VERSION
#endif
#ifndef FAKE_PEER_FAILS
#define FAKE_PEER_FAILS 0
#endif

typedef struct fake {
  bench_peer_case what;
  unsigned long long calls;
} fake;

static int fake_open(int ordinal) { return ordinal == 0 ? 0 : -1; }

static int fake_supports(const bench_peer_case *what) {
  if (what->variant) return 0;
  if (what->segments != SCAN_SEGMENTS_NONE && what->segments != SCAN_SEGMENTS_KEYS) return 0;
  if (what->composite == SCAN_AFFINE_F32) return what->segments == SCAN_SEGMENTS_NONE && what->kind == SCAN_INCLUSIVE;
  return what->op == SCAN_ADD && what->kind == SCAN_INCLUSIVE && what->input_type == what->type &&
         (what->type == SCAN_I32 || what->type == SCAN_F32);
}

static int fake_prepare(const bench_peer_case *what, void **state) {
  fake *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->what = *what;
  *state = f;
  return 0;
}

/* Another order than the library's: from the left, in double. */
static int starts_segment(const int32_t *keys, uint64_t i) { return keys && i > 0 && keys[i] != keys[i - 1]; }

static void scan_floats(const int32_t *keys, uint64_t n, const float *in, float *out, int wrong) {
  double sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (starts_segment(keys, i)) sum = 0;
    out[i] = (float)(sum += (double)in[i]);
  }
  if (wrong) out[n - 1] += 1e6f;
}

static void scan_integers(const int32_t *keys, uint64_t n, const uint32_t *in, uint32_t *out, int wrong) {
  uint32_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    if (starts_segment(keys, i)) sum = 0;
    out[i] = sum += in[i];
  }
  if (wrong) out[n - 1]++;
}

static void scan_steps(uint64_t n, const scan_affine_f32 *in, scan_affine_f32 *out, int wrong) {
  double a = 1, b = 0;
  for (uint64_t i = 0; i < n; i++) {
    a *= (double)in[i].a;
    b = b * (double)in[i].a + (double)in[i].b;
    out[i] = (scan_affine_f32){ (float)a, (float)b };
  }
  if (wrong) out[n - 1].b += 1;
}

static int fake_start(void *state, const void *in, void *out, void *stream) {
  fake *f = (fake *)state;
  int wrong = ++f->calls > FAKE_PEER_RIGHT_CALLS;
  if (stream || (wrong && FAKE_PEER_FAILS)) return -1;
  if (f->what.composite == SCAN_AFFINE_F32)
    scan_steps(f->what.n, (const scan_affine_f32 *)in, (scan_affine_f32 *)out, wrong);
  else if (f->what.type == SCAN_F32)
    scan_floats((const int32_t *)f->what.marks, f->what.n, (const float *)in, (float *)out, wrong);
  else
    scan_integers((const int32_t *)f->what.marks, f->what.n, (const uint32_t *)in, (uint32_t *)out, wrong);
  return 0;
}

static void fake_destroy(void *state) { free(state); }

static const char *fake_error(void) { return "a fault on purpose"; }

/* ---- compaction ---- */

typedef struct fake_selection {
  bench_select_case what;
  unsigned long long calls;
} fake_selection;

static int has_runs(const bench_select_case *what) {
  if (what->element_bytes[0] != 4) return 0;
  if (what->by == BENCH_SELECT_RUN_LENGTHS) return 1;
  return what->by == BENCH_SELECT_REDUCE && what->op == SCAN_ADD && (what->type == SCAN_I32 || what->type == SCAN_F32);
}

static int fake_select_supports(const bench_select_case *what) {
  if (what->variant) return 0;
  if (has_runs(what)) return 1;
  if (what->arrays != 1 || what->element_bytes[0] != 4) return 0;
  return what->by == BENCH_SELECT_PARTITION3 || (what->by == SCAN_SELECT_PREDICATE && what->rest != SCAN_REST_APART);
}

static int fake_select_prepare(const bench_select_case *what, void **state) {
  fake_selection *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->what = *what;
  *state = f;
  return 0;
}

static void run_ends(const bench_select_case *what, const bench_select_memory *memory, uint64_t run, double sum,
                     uint32_t bits, int wrong) {
  if (what->type == SCAN_F32 && what->by == BENCH_SELECT_REDUCE)
    ((float *)memory->out[1])[run] = (float)sum + (wrong ? 1e6f : 0);
  else
    ((uint32_t *)memory->out[1])[run] = bits + (uint32_t)wrong;
}

/* Encodes runs from left to right; float sums are kept in double. */
static uint64_t take_runs(const bench_select_case *what, const bench_select_memory *memory, int wrong) {
  const uint32_t *keys = (const uint32_t *)memory->in[0];
  uint64_t runs = 0;
  double sum = 0;
  uint32_t bits = 0;
  for (uint64_t i = 0; i < what->n; i++) {
    if (what->by == BENCH_SELECT_RUN_LENGTHS)
      bits++;
    else if (what->type == SCAN_F32)
      sum += (double)((const float *)memory->in[1])[i];
    else
      bits += ((const uint32_t *)memory->in[1])[i];
    if (i + 1 < what->n && keys[i + 1] == keys[i]) continue;
    ((uint32_t *)memory->out[0])[runs] = keys[i];
    run_ends(what, memory, runs++, sum, bits, wrong);
    sum = 0;
    bits = 0;
  }
  return runs;
}

/* A fault changes the last element of the second part. */
static int take_parts(const bench_select_case *what, const bench_select_memory *memory, int wrong) {
  const uint32_t *in = (const uint32_t *)memory->in[0];
  uint32_t *out = (uint32_t *)memory->out[0], *second = (uint32_t *)memory->second[0];
  uint32_t *rest = (uint32_t *)memory->rest[0];
  uint64_t k = 0, m = 0;
  for (uint64_t i = 0; i < what->n; i++)
    if (in[i] < what->threshold)
      out[k++] = in[i];
    else if (in[i] < what->second_threshold)
      second[m++] = in[i];
    else
      rest[i - k - m] = in[i];
  if (wrong) second[m - 1]++;
  memory->count[0] = k;
  memory->count[1] = m;
  return 0;
}

static int fake_select_start(void *state, const bench_select_memory *memory, void *stream) {
  fake_selection *f = (fake_selection *)state;
  const int wrong = ++f->calls > FAKE_PEER_RIGHT_CALLS;
  const uint32_t *in = (const uint32_t *)memory->in[0];
  uint32_t *out = (uint32_t *)memory->out[0];
  uint64_t kept = 0, behind = f->what.n;
  if (stream || memory->marks || (wrong && FAKE_PEER_FAILS)) return -1;
  if (has_runs(&f->what)) return *memory->count = take_runs(&f->what, memory, wrong), 0;
  if (f->what.by == BENCH_SELECT_PARTITION3) return take_parts(&f->what, memory, wrong);
  for (uint64_t i = 0; i < f->what.n; i++)
    if (in[i] < f->what.threshold)
      out[kept++] = in[i];
    else if (f->what.rest == SCAN_REST_BEHIND)
      out[--behind] = in[i];
  if (wrong) out[f->what.rest == SCAN_REST_BEHIND ? f->what.n - 1 : kept - 1]++;
  *memory->count = kept;
  return 0;
}

static const bench_peer_select compacts = { .supports = fake_select_supports,
                                            .prepare = fake_select_prepare,
                                            .start = fake_select_start,
                                            .destroy = fake_destroy,
                                            .is_rest_reversed = 1 };

/* ---- sorts ---- */

typedef struct fake_sort {
  bench_sort_case what;
  int variant;
  unsigned long long calls;
  uint64_t *items; /* the key in the upper 32 bits, its index in the lower */
} fake_sort;

static int fake_sort_supports(const bench_sort_case *what, int variant) {
  (void)variant;
  if (what->what == BENCH_SORT_HISTOGRAM) return !what->descending && what->key_type == SCAN_U32;
  if (what->segment_items || what->descending || what->first_bit != 0 || what->end_bit != 32) return 0;
  return what->key_type == SCAN_U32 && what->value_bytes <= 4;
}

static int fake_sort_prepare(const bench_sort_case *what, int variant, void **state) {
  fake_sort *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->what = *what;
  f->variant = variant;
  f->items = malloc((size_t)what->n * sizeof *f->items);
  *state = f;
  return f->items ? 0 : -1;
}

static int ascending(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void sort_once(const fake_sort *f, const bench_sort_memory *memory) {
  const uint32_t *keys = (const uint32_t *)memory->keys_in, *values = (const uint32_t *)memory->values_in;
  for (uint64_t i = 0; i < f->what.n; i++) f->items[i] = (uint64_t)keys[i] << 32 | i;
  qsort(f->items, (size_t)f->what.n, sizeof *f->items, ascending);
  for (uint64_t i = 0; i < f->what.n; i++) {
    const uint32_t index = (uint32_t)f->items[i];
    if (memory->keys_out) ((uint32_t *)memory->keys_out)[i] = keys[index];
    if (memory->values_out) ((uint32_t *)memory->values_out)[i] = values ? values[index] : index;
  }
}

static void count_once(const fake_sort *f, const bench_sort_memory *memory) {
  const uint32_t *keys = (const uint32_t *)memory->keys_in, buckets = 1u << (f->what.end_bit - f->what.first_bit);
  memset(memory->counts, 0, buckets * sizeof *memory->counts);
  for (uint64_t i = 0; i < f->what.n; i++) memory->counts[keys[i] >> f->what.first_bit & (buckets - 1)]++;
}

static int fake_sort_start(void *state, const bench_sort_memory *memory, void *stream) {
  fake_sort *f = (fake_sort *)state;
  const int wrong = ++f->calls > FAKE_PEER_RIGHT_CALLS;
  if (stream || (wrong && FAKE_PEER_FAILS)) return -1;
  if (f->what.what == BENCH_SORT_HISTOGRAM) {
    for (int i = 0; i <= 63 * f->variant; i++) count_once(f, memory);
    memory->counts[0] += (uint64_t)wrong;
    return 0;
  }
  for (int i = 0; i <= 63 * f->variant; i++) sort_once(f, memory);
  if (wrong) ((uint32_t *)(memory->values_out ? memory->values_out : memory->keys_out))[f->what.n - 1]++;
  return 0;
}

static void fake_sort_destroy(void *state) {
  fake_sort *f = (fake_sort *)state;
  if (f) free(f->items);
  free(f);
}

static const char *const sort_variants[] = { "once", "64 times", NULL };
static const bench_peer_sort sorts = { .variants = sort_variants,
                                       .supports = fake_sort_supports,
                                       .prepare = fake_sort_prepare,
                                       .start = fake_sort_start,
                                       .destroy = fake_sort_destroy };

/* ---- sums ---- */

typedef struct fake_reduction {
  bench_reduce_case what;
  unsigned long long calls;
} fake_reduction;

/* Two equal variants, of which one is reported. */
static int fake_reduce_supports(const bench_reduce_case *what) { return what->type == SCAN_I32 && what->variant < 2; }

static int fake_reduce_prepare(const bench_reduce_case *what, void **state) {
  fake_reduction *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->what = *what;
  *state = f;
  return 0;
}

static int fake_reduce_start(void *state, const bench_reduce_memory *memory, void *stream) {
  fake_reduction *f = (fake_reduction *)state;
  const int wrong = ++f->calls > FAKE_PEER_RIGHT_CALLS;
  const uint32_t *in = (const uint32_t *)memory->in, *offsets = (const uint32_t *)memory->offsets;
  uint32_t *out = (uint32_t *)memory->out;
  if (stream || (wrong && FAKE_PEER_FAILS)) return -1;
  for (uint64_t s = 0; s < (offsets ? f->what.segments : 1); s++) {
    out[s] = (uint32_t)wrong;
    for (uint64_t i = offsets ? offsets[s] : 0; i < (offsets ? offsets[s + 1] : f->what.n); i++) out[s] += in[i];
  }
  return 0;
}

static const bench_peer_reduce reductions = {
  .supports = fake_reduce_supports, .prepare = fake_reduce_prepare, .start = fake_reduce_start, .destroy = fake_destroy
};

static const bench_peer peer = { .version = FAKE_PEER_VERSION,
                                 .name = FAKE_PEER_NAME,
                                 .release = "1.0",
                                 .backend = SCAN_BACKEND_HOST,
                                 .open = fake_open,
                                 .supports = fake_supports,
                                 .prepare = fake_prepare,
                                 .start = fake_start,
                                 .destroy = fake_destroy,
                                 .last_error = fake_error,
                                 .select = &compacts,
                                 .sort = &sorts,
                                 .reduce = &reductions };

__attribute__((visibility("default"))) const bench_peer *scanrt_bench_peer(void);
const bench_peer *scanrt_bench_peer(void) { return &peer; }
