/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort.c @brief `scanrt bench --sort` and `--split`: visit the cases of a device, and fill their
 * columns. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"
#include "bench_options.h"

#include <inttypes.h>

/* ---- the plan ---- */

static scan_sort_spec whole_spec_of(const bench_sort_case *sort) {
  const scan_type indices = sort->value_bytes == 8 ? SCAN_U64 : SCAN_U32;
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(sort->key_type);
  if (sort->what == BENCH_SORT_ARGSORT)
    spec = (scan_sort_spec)SCAN_SORT_INDEX_INIT(sort->key_type, indices);
  else if (sort->what == BENCH_SORT_PAIRS)
    spec = (scan_sort_spec)SCAN_SORT_PAIRS_INIT(sort->key_type, sort->value_bytes);
  spec.descending = sort->descending;
  spec.first_bit = sort->first_bit;
  spec.end_bit = sort->end_bit;
  return spec;
}

/** Returns the spec of a case. It sets most_segment_items to the exact length of segments. */
static scan_sort_spec spec_of(const sorting_state *bench) {
  const uint64_t length = bench->sort.segment_items;
  scan_sort_spec spec = whole_spec_of(&bench->sort);
  spec.order = bench->request->order;
  spec.key_words = bench->words;
  if (length == 0) return spec;
  spec.offset_type = bench->n > UINT32_MAX ? SCAN_U64 : SCAN_U32;
  spec.most_segment_items = length <= UINT32_MAX ? (uint32_t)length : 0;
  return spec;
}

static int make_plans(sorting_state *bench) {
  if (sorting_is_split(bench->request)) return sorting_split_plans(bench);
  scan_sort_spec spec = spec_of(bench);
  const double begun = cli_seconds();
  scan_status status = scan_plan_create_sort(bench->base.ctx, &spec, bench->n, &bench->plan);
  if (bench->base.cold) bench->base.cold->plan = cli_seconds() - begun;
  if (status == SCAN_SUCCESS && bench->base.one)
    status = scan_plan_create_sort(bench->base.one, &spec, bench->n, &bench->one_plan);
  spec.in_place = 1;
  if (status == SCAN_SUCCESS && bench->request->base.also_in_place && bench->sort.what != BENCH_SORT_ARGSORT)
    status = scan_plan_create_sort(bench->base.ctx, &spec, bench->n, &bench->placed_plan);
  return bench_forward(&bench->base, status);
}

static void destroy_plans(sorting_state *bench) {
  scan_plan_destroy(bench->bucket_plan);
  scan_plan_destroy(bench->placed_plan);
  scan_plan_destroy(bench->one_plan);
  scan_plan_destroy(bench->plan);
  scan_op_destroy(bench->bucket);
  bench->plan = bench->one_plan = bench->placed_plan = bench->bucket_plan = NULL;
  bench->bucket = NULL;
}

/* ---- one case ---- */

static int measure_case(sorting_state *bench, sorting_shape shape) {
  bench->shape = shape;
  if (sorting_data_fill(bench) != CLI_OK || sorting_expect(bench) != CLI_OK) return CLI_FAILED;
  return bench_case(&bench->base, BENCH_EAGER, BENCH_GRAPH);
}

/* ---- sweeps ---- */

/** Measures all shapes of the data at one n. */
static int measure_size(sorting_state *bench, uint64_t n, uint64_t length) {
  bench->n = bench->sort.n = n;
  bench->sort.segment_items = length < n ? length : length ? n : 0;
  int rc = sorting_data_make(bench);
  if (rc == CLI_OK) rc = make_plans(bench);
  const int made = rc == CLI_OK;
  for (int shape = 0; shape < SORTING_SHAPES && made; shape++)
    if (bench->request->shapes[shape] && measure_case(bench, (sorting_shape)shape) != CLI_OK) rc = CLI_FAILED;
  destroy_plans(bench);
  sorting_data_clear(bench);
  return rc;
}

/** Sets the bits sorted by. A split without --bits uses the highest bits of the key. */
static void set_bits(sorting_state *bench) {
  const sorting_request *r = bench->request;
  const uint32_t all = 8 * bench->key_bytes;
  uint32_t count = all;
  if (sorting_is_split(r)) count = r->highest_bits ? r->highest_bits : SCAN_SPLIT_MOST_BITS;
  bench->sort.first_bit = r->end_bit ? r->first_bit : all - count;
  bench->sort.end_bit = r->end_bit ? r->end_bit : all;
}

static int measure_sizes(sorting_state *bench, uint32_t what, uint32_t value_bytes) {
  const bench_request *r = &bench->request->base;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count; t++) {
    bench->words = bench->request->key_words;
    bench->key_bytes = bench->words * (uint32_t)scan_type_bytes(r->types[t]);
    bench->sort = (bench_sort_case){ .what = what,
                                     .key_type = r->types[t],
                                     .value_bytes = value_bytes,
                                     .descending = (uint32_t)bench->request->descending };
    set_bits(bench);
    for (size_t i = 0; i < r->size_count; i++)
      for (size_t l = 0; l < bench->request->length_count; l++)
        if (measure_size(bench, r->sizes[i], bench->request->lengths[l]) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/** Measures all cases: each output in the order of the help, with each payload size. */
static int sort_measure(bench_state *base) {
  sorting_state *bench = (sorting_state *)base;
  const sorting_request *r = (const sorting_request *)base->request;
  int rc = CLI_OK;
  bench->request = r;
  for (uint32_t what = 0; what < SORTING_WHAT; what++) {
    const int has_values = what == BENCH_SORT_PAIRS || what == BENCH_SORT_ARGSORT;
    for (size_t p = 0; p < (has_values ? r->payload_count : 1) && r->what[what]; p++)
      if (measure_sizes(bench, what, has_values ? r->payloads[p] : 0) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/* ---- lines ---- */

/** Describes the order, such as ", descending, by bits 8 to 23" or ", in segments of 10". */
static void describe_order(const sorting_state *bench, char *text, size_t bytes) {
  const char *const order = bench->request->order == SCAN_SORT_NUMERIC_ORDER ? ", numeric order" : "";
  const char *const direction = bench->sort.descending ? ", descending" : "";
  if (bench->sort.segment_items)
    snprintf(text, bytes, "%s, in segments of %" PRIu64, order, bench->sort.segment_items);
  else if (sorting_is_by_some(bench))
    snprintf(text, bytes, "%s, by bits %u to %u", direction, (unsigned)bench->sort.first_bit,
             (unsigned)bench->sort.end_bit - 1);
  else
    snprintf(text, bytes, "%s%s", direction, order);
}

static const char *role_of(const sorting_state *bench) {
  if (!sorting_is_split(bench->request)) return "sort";
  return bench->sort.what == BENCH_SORT_HISTOGRAM ? "histogram" : "split";
}

static void sort_describe(const bench_state *base, char *text, size_t bytes) {
  const sorting_state *bench = (const sorting_state *)base;
  const char *const twice = bench->words == 2 ? "twice " : "", *const type = scan_type_name(bench->sort.key_type);
  const unsigned value_bytes = bench->sort.value_bytes;
  const char *what = role_of(bench);
  char order[64];
  describe_order(bench, order, sizeof order);
  if (bench->sort.what == BENCH_SORT_PAIRS)
    snprintf(text, bytes, "%s of %s%s keys with values of bytes: %u%s", what, twice, type, value_bytes, order);
  else if (bench->sort.what == BENCH_SORT_ARGSORT)
    snprintf(text, bytes, "%s of %s%s keys, indices of bytes: %u%s",
             sorting_is_split(bench->request) ? what : "argsort", twice, type, value_bytes, order);
  else
    snprintf(text, bytes, "%s of %s%s keys%s", what, twice, type, order);
}

/** Sets the columns of sorts. Those on keys are absent for a copy. */
static void sort_fill(const bench_entry *s, bench_row *row) {
  const sorting_state *bench = (const sorting_state *)s->bench;
  const bench_sort_case *sort = &bench->sort;
  const int is_copy = s->role == BENCH_COPY || s->role == BENCH_MEMCPY;
  if (s->role == BENCH_SCAN) row->role = role_of(bench);
  row->sort = sorting_name(sort->what);
  row->type = scan_type_name(sort->key_type);
  row->shape = sorting_shape_name(bench->shape);
  row->key_words = bench->words;
  row->descending = sort->descending;
  row->order = bench->request->order == SCAN_SORT_NUMERIC_ORDER ? "numeric" : "total";
  row->first_bit = sort->first_bit;
  row->end_bit = sort->end_bit;
  row->value_bytes = sort->value_bytes;
  row->passes = bench->passes;
  row->segment_items = sort->segment_items;
  if (row->median > 0 && !is_copy) row->items_per_s = (double)bench->n / row->median;
}

#define SORTS_OF(word, own_options, print_help, complete_request)                                                      \
  {                                                                                                                    \
    .name = word, .options = own_options, .request_bytes = sizeof(sorting_request),                                    \
    .bench_state_bytes = sizeof(sorting_state), .reps = 21, .help = print_help, .complete = complete_request,          \
    .measure = sort_measure, .list = sorting_entries_list, .poison = sorting_poison, .check = sorting_check,           \
    .describe = sort_describe, .fill = sort_fill                                                                       \
  }
const bench_kind bench_sort = SORTS_OF("sort", bench_sort_options, sorting_help, sorting_complete);
const bench_kind bench_split = SORTS_OF("split", bench_split_options, sorting_split_help, sorting_split_complete);
