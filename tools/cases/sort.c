/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sort.c @brief Cases of stable sorts and splits: draw, layout, expected output and call. */
#include "data.h"
#include "reference_sort.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- draw ---- */

/** Draws n, half of the time next to a device's tile size. */
static uint64_t choose_n(const case_limits *limits, case_draw *d) {
  static const uint64_t edges[] = { 0,    1,    2,    31,   33,   255,  256,   257,   2047,  2048,
                                    2049, 3072, 4095, 4096, 4097, 6145, 12287, 12288, 12289, 16385 };
  const uint64_t most = limits->large ? 1000000 : limits->quick ? 20000 : 60000;
  return draw_below(d, 2) ? edges[draw_below(d, sizeof edges / sizeof edges[0])] : draw_below(d, most);
}

/** Draws the range of bits: for half of the sorts all bits. */
static void choose_bits(scan_sort_spec *sort, case_draw *d) {
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(sort->key_type);
  if (draw_below(d, 2)) return;
  sort->first_bit = (uint32_t)draw_below(d, bits);
  sort->end_bit = sort->first_bit + 1 + (uint32_t)draw_below(d, bits - sort->first_bit);
}

/** Makes one case in four a split, which takes one pass over at most eight bits. */
static void choose_split(scan_case *c, case_draw *d) {
  scan_sort_spec *sort = &c->sort;
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(sort->key_type);
  c->is_split = draw_one_in(d, 4);
  if (!c->is_split) return;
  if (draw_one_in(d, 4)) {
    c->looked_bytes = case_looked_draw(d);
    c->buckets = 1 + (uint32_t)draw_below(d, draw_below(d, 2) ? SCAN_SPLIT_MOST_BUCKETS : 8);
    c->key_type = sort->key_type = SCAN_TYPE_DEFAULT;
    sort->first_bit = sort->end_bit = sort->descending = 0;
    if (sort->index_type) sort->drops_keys = 1, c->in_place = 0;
    return;
  }
  if (sort->end_bit == 0) sort->first_bit = (uint32_t)draw_below(d, bits);
  if (sort->end_bit == 0 || sort->end_bit - sort->first_bit > 8) sort->end_bit = sort->first_bit + 8;
  if (sort->end_bit > bits) sort->end_bit = bits;
}

/** Draws key_words and gives_scratch: half of the eligible sorts have keys of two words, one in four brings its own
 * scratch. */
static void choose_words(scan_case *c, case_draw *d) {
  scan_sort_spec *sort = &c->sort;
  if (c->is_split) return;
  sort->gives_scratch = (uint32_t)draw_one_in(d, 4);
  if (sort->key_type < SCAN_I32 || sort->key_type > SCAN_U64 || draw_below(d, 2)) return;
  sort->key_words = 2;
  sort->low_word_first = (uint32_t)draw_below(d, 2);
  if (sort->end_bit == 0) return;
  const uint32_t bytes = (uint32_t)reference_key_bytes(sort), first = (uint32_t)draw_below(d, bytes);
  sort->first_bit = 8 * first;
  sort->end_bit = sort->first_bit + 8 * (1 + (uint32_t)draw_below(d, bytes - first));
}

/** Makes one in four sorts of one-word keys segmented, with few or many segments of equal or unequal lengths. */
static void choose_segments(scan_case *c, case_draw *d) {
  c->has_segments = !c->is_split && c->sort.key_words != 2 && draw_one_in(d, 4);
  if (!c->has_segments) return;
  c->sort.offset_type = draw_below(d, 2) ? SCAN_U32 : SCAN_U64;
  c->segments = 1 + (draw_below(d, 3) ? draw_below(d, c->n / 8 + 1) : draw_below(d, 8));
}

/** Gives one sort of pairs in four several arrays. One in-place sort in four overwrites a random set of its inputs
 * instead. */
static void choose_arrays(scan_case *c, case_draw *d) {
  static const uint32_t bytes[SCAN_SORT_MOST_ARRAYS] = { 4, 12, 1, 8, 2, 16, 3, 64 };
  if (c->sort.arrays && draw_one_in(d, 4)) {
    c->sort.arrays = 2 + (uint32_t)draw_below(d, draw_below(d, 2) ? 2 : SCAN_SORT_MOST_ARRAYS - 2);
    for (uint32_t a = 0; a < c->sort.arrays; a++) c->sort.element_bytes[a] = bytes[(a + c->n) % SCAN_SORT_MOST_ARRAYS];
  }
  if (!c->in_place || !draw_one_in(d, 4)) return;
  c->in_place = 0;
  c->over = 1 + (uint32_t)draw_below(d, (UINT64_C(2) << c->sort.arrays) - 1);
  if (c->sort.drops_keys) c->over &= ~1u;
}

/** Returns where segment s begins. Any segment may be empty. */
static uint64_t offset_of(const scan_case *c, uint64_t s) {
  if (s == 0) return 0;
  if (s >= c->segments) return c->n;
  const uint64_t mean = c->n / c->segments, even = s * mean;
  const uint64_t more = mean ? (c->seed >> s % 48) % (mean + 1) : 0;
  const double part = (double)s / (double)c->segments;
  switch (c->seed % 4) {
  case 0: return even;
  case 1: return even + more;
  case 2: return even + more * (s % 2);
  default: return (uint64_t)((double)c->n * part * part * part * part); /* many empty segments, then long ones */
  }
}

/** Sorts half of the floating-point keys by the numeric order, most of them over zeros, infinities and NaNs of both
 * signs. */
static void choose_order(scan_case *c, case_draw *d) {
  if (c->is_split || c->key_type < SCAN_F32 || c->sort.end_bit != 0 || draw_below(d, 2)) return;
  c->sort.order = SCAN_SORT_NUMERIC_ORDER;
  if (draw_below(d, 3)) c->shape = SORT_EDGES;
}

static void choose_histogram(scan_case *c, case_draw *d) {
  const int descending = (int)draw_below(d, 2);
  c->by = CASE_HISTOGRAM;
  c->sort = (scan_sort_spec){ .descending = (uint32_t)descending };
  c->over = 0;
  c->in_place = 0;
  if (draw_one_in(d, 4)) {
    c->looked_bytes = case_looked_draw(d);
    c->buckets = 1 + (uint32_t)draw_below(d, SCAN_SPLIT_MOST_BUCKETS);
    c->key_type = SCAN_TYPE_DEFAULT;
    c->sort.descending = 0;
    return;
  }
  const uint32_t bits = 8 * (uint32_t)scan_type_bytes(c->key_type);
  c->sort.first_bit = (uint32_t)draw_below(d, bits);
  c->sort.end_bit = c->sort.first_bit + 1 + (uint32_t)draw_below(d, bits - c->sort.first_bit);
}

/** Draws a sort. 72 consecutive numbers cover all key types with each output; one case in twelve is a histogram. */
void case_sort_draw(const case_limits *limits, scan_case *c, case_draw *d) {
  static const uint32_t element_bytes[] = { 0, 4, 8, 12, 0, 0 };
  const uint64_t what = c->number / SCAN_BF16 % 6;
  c->key_type = (scan_type)(SCAN_I8 + c->number % SCAN_BF16);
  c->by = what == 0 ? CASE_SORT_KEYS : what < 4 ? CASE_SORT_PAIRS : CASE_ARGSORT;
  c->sort.key_type = c->key_type;
  c->sort.descending = (uint32_t)draw_below(d, 2);
  choose_bits(&c->sort, d);
  if (c->by == CASE_SORT_PAIRS) {
    c->sort.arrays = 1;
    c->sort.element_bytes[0] = element_bytes[what];
  }
  if (c->by == CASE_ARGSORT) c->sort.index_type = what == 4 ? SCAN_U32 : SCAN_U64;
  c->sort.drops_keys = c->by != CASE_SORT_KEYS && draw_below(d, 2);
  c->sort.in_place = (uint32_t)draw_below(d, 2);
  c->in_place = c->sort.in_place && (c->sort.arrays || !c->sort.drops_keys) && draw_below(d, 4);
  c->shape = (sort_shape)draw_below(d, SORT_SHAPES);
  c->n = c->items = case_enlarge(limits, choose_n(limits, d), d);
  c->shift = (uint32_t)draw_below(d, 2) * (uint32_t)draw_below(d, 16);
  c->has_n_from = draw_one_in(d, 4);
  if (c->has_n_from) c->items = draw_below(d, c->n + 1);
  c->by_plan = c->n > 0 && draw_below(d, 2);
  if (draw_one_in(d, 12)) {
    choose_histogram(c, d);
    return;
  }
  choose_split(c, d);
  choose_words(c, d);
  choose_segments(c, d);
  choose_order(c, d);
  choose_arrays(c, d);
}

/** Reserves array a, or the indices. */
static void lay_out_array(scan_case *c, uint32_t a) {
  const scan_sort_spec *s = &c->sort;
  const uint64_t bytes = s->index_type ? scan_type_bytes(s->index_type) : s->element_bytes[a];
  const uint64_t shift = c->shift * (s->element_align[a] ? s->element_align[a] : case_align(bytes));
  c->item_bytes[a] = bytes;
  if (s->arrays) c->in[a] = case_reserve(&c->in_bytes, c->n * bytes, shift);
  c->out[a] = case_reserve(&c->out_bytes, c->out_n * bytes, shift);
}

void case_sort_lay_out(scan_case *c) {
  const scan_sort_spec *s = &c->sort;
  const uint64_t bytes = case_sort_item_bytes(c), shift = c->shift * (c->buckets ? case_align(bytes) : bytes);
  c->marks = case_reserve(&c->in_bytes, c->n * bytes, shift);
  if (c->by == CASE_HISTOGRAM) {
    c->offsets = case_reserve(&c->out_bytes, 8 * case_histogram_counters(c), 8 * (uint64_t)c->shift);
    return;
  }
  if (!s->drops_keys) c->keys_out = case_reserve(&c->out_bytes, c->out_n * bytes, shift);
  c->outputs = s->index_type ? 1 : s->arrays;
  for (uint32_t a = 0; a < c->outputs; a++) lay_out_array(c, a);
  if (c->has_segments)
    c->offsets =
        case_reserve(&c->in_bytes, (c->segments + 1) * scan_type_bytes(s->offset_type), 8 * (uint64_t)c->shift);
  if (c->is_split) c->offsets = case_reserve(&c->out_bytes, 8 * case_split_offsets(c), 8 * (uint64_t)c->shift);
}

/** Fills the keys and the segment offsets. Elements of a bucket function stay random bytes. */
void case_sort_fill(const scan_case *c) {
  const uint32_t digit = (uint32_t)(c->seed % case_sort_item_bytes(c));
  const reference_keys keys = { c->key_type, c->shape, digit, c->seed + 1 };
  if (!c->buckets) reference_fill_sort_keys(&keys, &c->sort, c->n, c->in_image + c->marks.at);
  for (uint64_t s = 0; c->has_segments && s <= c->segments; s++) {
    const uint64_t bytes = scan_type_bytes(c->sort.offset_type), offset = offset_of(c, s);
    memcpy(c->in_image + c->offsets.at + s * bytes, &offset, (size_t)bytes);
  }
}

/* ---- expected output ---- */

static int is_in_place(const scan_case *c, uint32_t a) { return c->in_place || c->over & 2u << a; }
static int keys_are_over(const scan_case *c) { return !c->sort.drops_keys && (c->in_place || c->over & 1u); }

void case_sort_put_inputs(const scan_case *c, unsigned char *out_image) {
  if (keys_are_over(c)) memcpy(out_image + c->keys_out.at, c->in_image + c->marks.at, (size_t)c->marks.bytes);
  for (uint32_t a = 0; a < c->sort.arrays; a++)
    if (is_in_place(c, a)) memcpy(out_image + c->out[a].at, c->in_image + c->in[a].at, (size_t)c->in[a].bytes);
}

static void key_put(const scan_case *c, const reference_item *order, const case_part *from, const case_part *to,
                    uint64_t bytes) {
  for (uint64_t i = 0; i < c->items; i++)
    memcpy(c->want + to->at + i * bytes, c->in_image + from->at + order[i].index * bytes, (size_t)bytes);
}

/** Sorts each segment by itself, ignoring offsets past the last key. Without segments all keys are one segment.
 * Indices count from the first key of all. @param room  scratch for 2 n items */
static void put_order(const scan_case *c, reference_item *order, reference_item *room) {
  const uint64_t key_bytes = reference_key_bytes(&c->sort), segments = c->has_segments ? c->segments : 1;
  scan_sort_spec by = c->sort;
  if (c->is_split) by.end_bit = case_split_end(c);
  for (uint64_t s = 0; s < segments; s++) {
    const uint64_t begin = c->has_segments ? offset_of(c, s) : 0;
    uint64_t end = c->has_segments ? offset_of(c, s + 1) : c->items;
    if (end > c->items) end = c->items;
    if (end <= begin) continue;
    const reference_item *sorted =
        reference_sort(&by, end - begin, c->in_image + c->marks.at + begin * key_bytes, room, room + (c->items + 1));
    for (uint64_t i = begin; i < end; i++) {
      order[i] = sorted[i - begin];
      order[i].index += begin;
    }
  }
}

void case_sort_order(const scan_case *c, reference_item *order) {
  if (c->buckets)
    case_split_order(c, order);
  else
    put_order(c, order, order + (c->items + 1));
}

/** Writes the expected output to c->want. Indices are little-endian. */
int case_sort_expect(const scan_case *c) {
  const size_t items = (size_t)c->items + 1;
  if (c->by == CASE_HISTOGRAM) return case_histogram_expect(c), 0;
  reference_item *order = malloc(3 * items * sizeof *order);
  if (!order) return -1;
  case_sort_order(c, order);
  case_sort_put_inputs(c, c->want);
  if (!c->sort.drops_keys) key_put(c, order, &c->marks, &c->keys_out, case_sort_item_bytes(c));
  for (uint32_t a = 0; a < c->sort.arrays; a++) key_put(c, order, &c->in[a], &c->out[a], c->item_bytes[a]);
  for (uint64_t i = 0; c->sort.index_type && i < c->items; i++)
    memcpy(c->want + c->out[0].at + i * c->item_bytes[0], &order[i].index, (size_t)c->item_bytes[0]);
  if (c->is_split) case_split_put_offsets(c, order);
  free(order);
  return 0;
}

/* ---- the call ---- */

/** Sorts through the context or through a plan. */
static scan_status sort_call(scan_ctx *ctx, const scan_case *c, case_memory *m, const scan_sort_args *args) {
  scan_plan *plan = NULL;
  if (!c->by_plan) return case_wait(ctx, c, m, scan_sort(ctx, &c->sort, c->n, args));
  scan_status status = scan_plan_create_sort(ctx, &c->sort, case_plan_n(c), &plan);
  status = case_give_memory(ctx, c, m, plan, status);
  for (int k = 0; k <= c->runs_again && status == SCAN_SUCCESS; k++) status = scan_plan_run_sort(plan, c->n, args);
  return case_finish_plan(ctx, c, m, plan, status);
}

/** Sorts with scratch memory that the case allocates. */
static scan_status sort_with_scratch(scan_ctx *ctx, const scan_case *c, case_memory *m, scan_sort_args *args) {
  uint64_t bytes = 0;
  scan_status status = scan_sort_scratch_bytes(ctx, &c->sort, c->by_plan ? case_plan_n(c) : c->n, &bytes);
  if (status == SCAN_SUCCESS && bytes) status = scan_alloc(ctx, bytes, &args->scratch);
  if (status != SCAN_SUCCESS) return status;
  status = sort_call(ctx, c, m, args);
  if (bytes) (void)scan_free(ctx, args->scratch);
  return status;
}

scan_sort_args case_sort_args(const scan_case *c, const case_memory *m) {
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = scan_offset(m->in, c->marks.at) };
  if (!c->sort.drops_keys) args.keys_out = scan_offset(m->out, c->keys_out.at);
  if (keys_are_over(c)) args.keys_in = args.keys_out;
  for (uint32_t a = 0; a < c->outputs; a++) args.out[a] = scan_offset(m->out, c->out[a].at);
  for (uint32_t a = 0; a < c->sort.arrays; a++)
    args.in[a] = is_in_place(c, a) ? args.out[a] : scan_offset(m->in, c->in[a].at);
  args.n_from = case_n_from(c, m);
  if (c->has_segments) {
    args.offsets = scan_offset(m->in, c->offsets.at);
    args.segments = c->segments;
  }
  return args;
}

scan_status case_sort_call(scan_ctx *ctx, case_functions *functions, const scan_case *c, case_memory *m) {
  if (c->by == CASE_HISTOGRAM) return case_histogram_call(ctx, functions, c, m);
  scan_sort_args args = case_sort_args(c, m);
  if (c->is_split) return case_split_call(ctx, functions, c, m, &args);
  return c->sort.gives_scratch ? sort_with_scratch(ctx, c, m, &args) : sort_call(ctx, c, m, &args);
}
