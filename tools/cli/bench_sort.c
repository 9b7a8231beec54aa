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
static scan_sort_spec spec_of(const sorting_lab *lab) {
  const uint64_t length = lab->sort.segment_items;
  scan_sort_spec spec = whole_spec_of(&lab->sort);
  spec.order = lab->request->order;
  spec.key_words = lab->words;
  if (length == 0) return spec;
  spec.offset_type = lab->n > UINT32_MAX ? SCAN_U64 : SCAN_U32;
  spec.most_segment_items = length <= UINT32_MAX ? (uint32_t)length : 0;
  return spec;
}

static int make_plans(sorting_lab *lab) {
  if (sorting_is_split(lab->request)) return sorting_split_plans(lab);
  scan_sort_spec spec = spec_of(lab);
  const double begun = cli_seconds();
  scan_status status = scan_plan_create_sort(lab->base.ctx, &spec, lab->n, &lab->plan);
  if (lab->base.cold) lab->base.cold->plan = cli_seconds() - begun;
  if (status == SCAN_SUCCESS && lab->base.one)
    status = scan_plan_create_sort(lab->base.one, &spec, lab->n, &lab->one_plan);
  spec.in_place = 1;
  if (status == SCAN_SUCCESS && lab->request->base.also_in_place && lab->sort.what != BENCH_SORT_ARGSORT)
    status = scan_plan_create_sort(lab->base.ctx, &spec, lab->n, &lab->placed_plan);
  return bench_forward(&lab->base, status);
}

static void destroy_plans(sorting_lab *lab) {
  scan_plan_destroy(lab->bucket_plan);
  scan_plan_destroy(lab->placed_plan);
  scan_plan_destroy(lab->one_plan);
  scan_plan_destroy(lab->plan);
  scan_op_destroy(lab->bucket);
  lab->plan = lab->one_plan = lab->placed_plan = lab->bucket_plan = NULL;
  lab->bucket = NULL;
}

/* ---- one case ---- */

static int measure_case(sorting_lab *lab, sorting_shape shape) {
  lab->shape = shape;
  if (sorting_data_fill(lab) != CLI_OK || sorting_expect(lab) != CLI_OK) return CLI_FAILED;
  return bench_case(&lab->base, BENCH_EAGER, BENCH_GRAPH);
}

/* ---- sweeps ---- */

/** Measures all shapes of the data at one n. */
static int measure_size(sorting_lab *lab, uint64_t n, uint64_t length) {
  lab->n = lab->sort.n = n;
  lab->sort.segment_items = length < n ? length : length ? n : 0;
  int rc = sorting_data_make(lab);
  if (rc == CLI_OK) rc = make_plans(lab);
  const int made = rc == CLI_OK;
  for (int shape = 0; shape < SORTING_SHAPES && made; shape++)
    if (lab->request->shapes[shape] && measure_case(lab, (sorting_shape)shape) != CLI_OK) rc = CLI_FAILED;
  destroy_plans(lab);
  sorting_data_clear(lab);
  return rc;
}

/** Sets the bits sorted by. A split without --bits uses the highest bits of the key. */
static void set_bits(sorting_lab *lab) {
  const sorting_request *r = lab->request;
  const uint32_t all = 8 * lab->key_bytes;
  uint32_t count = all;
  if (sorting_is_split(r)) count = r->highest_bits ? r->highest_bits : SCAN_SPLIT_MOST_BITS;
  lab->sort.first_bit = r->end_bit ? r->first_bit : all - count;
  lab->sort.end_bit = r->end_bit ? r->end_bit : all;
}

static int measure_sizes(sorting_lab *lab, uint32_t what, uint32_t value_bytes) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count; t++) {
    lab->words = lab->request->key_words;
    lab->key_bytes = lab->words * (uint32_t)scan_type_bytes(r->types[t]);
    lab->sort = (bench_sort_case){ .what = what,
                                   .key_type = r->types[t],
                                   .value_bytes = value_bytes,
                                   .descending = (uint32_t)lab->request->descending };
    set_bits(lab);
    for (size_t i = 0; i < r->size_count; i++)
      for (size_t l = 0; l < lab->request->length_count; l++)
        if (measure_size(lab, r->sizes[i], lab->request->lengths[l]) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/** Measures all cases: each output in the order of the help, with each payload size. */
static int measure(bench_lab *base) {
  sorting_lab *lab = (sorting_lab *)base;
  const sorting_request *r = (const sorting_request *)base->request;
  int rc = CLI_OK;
  lab->request = r;
  for (uint32_t what = 0; what < SORTING_WHAT; what++) {
    const int has_values = what == BENCH_SORT_PAIRS || what == BENCH_SORT_ARGSORT;
    for (size_t p = 0; p < (has_values ? r->payload_count : 1) && r->what[what]; p++)
      if (measure_sizes(lab, what, has_values ? r->payloads[p] : 0) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/* ---- lines ---- */

/** Describes the order, such as ", descending, by bits 8 to 23" or ", in segments of 10". */
static void describe_order(const sorting_lab *lab, char *text, size_t bytes) {
  const char *const order = lab->request->order == SCAN_SORT_NUMERIC_ORDER ? ", numeric order" : "";
  const char *const direction = lab->sort.descending ? ", descending" : "";
  if (lab->sort.segment_items)
    snprintf(text, bytes, "%s, in segments of %" PRIu64, order, lab->sort.segment_items);
  else if (sorting_is_by_some(lab))
    snprintf(text, bytes, "%s, by bits %u to %u", direction, (unsigned)lab->sort.first_bit,
             (unsigned)lab->sort.end_bit - 1);
  else
    snprintf(text, bytes, "%s%s", direction, order);
}

static const char *role_of(const sorting_lab *lab) {
  if (!sorting_is_split(lab->request)) return "sort";
  return lab->sort.what == BENCH_SORT_HISTOGRAM ? "histogram" : "split";
}

static void describe(const bench_lab *base, char *text, size_t bytes) {
  const sorting_lab *lab = (const sorting_lab *)base;
  const char *const twice = lab->words == 2 ? "twice " : "", *const type = scan_type_name(lab->sort.key_type);
  const unsigned value_bytes = lab->sort.value_bytes;
  const char *what = role_of(lab);
  char order[64];
  describe_order(lab, order, sizeof order);
  if (lab->sort.what == BENCH_SORT_PAIRS)
    snprintf(text, bytes, "%s of %s%s keys with values of bytes: %u%s", what, twice, type, value_bytes, order);
  else if (lab->sort.what == BENCH_SORT_ARGSORT)
    snprintf(text, bytes, "%s of %s%s keys, indices of bytes: %u%s", sorting_is_split(lab->request) ? what : "argsort",
             twice, type, value_bytes, order);
  else
    snprintf(text, bytes, "%s of %s%s keys%s", what, twice, type, order);
}

/** Sets the columns of sorts. Those on keys are absent for a copy. */
static void fill(const bench_subject *s, bench_row *row) {
  const sorting_lab *lab = (const sorting_lab *)s->lab;
  const bench_sort_case *sort = &lab->sort;
  const int is_copy = s->role == BENCH_COPY || s->role == BENCH_MEMCPY;
  if (s->role == BENCH_SCAN) row->role = role_of(lab);
  row->sort = sorting_name(sort->what);
  row->type = scan_type_name(sort->key_type);
  row->shape = sorting_shape_name(lab->shape);
  row->key_words = lab->words;
  row->descending = sort->descending;
  row->order = lab->request->order == SCAN_SORT_NUMERIC_ORDER ? "numeric" : "total";
  row->first_bit = sort->first_bit;
  row->end_bit = sort->end_bit;
  row->value_bytes = sort->value_bytes;
  row->passes = lab->passes;
  row->segment_items = sort->segment_items;
  if (row->median > 0 && !is_copy) row->items_per_s = (double)lab->n / row->median;
}

#define SORTS_OF(word, own_options, print_help, complete_request)                                                      \
  {                                                                                                                    \
    .name = word, .options = own_options, .request_bytes = sizeof(sorting_request), .lab_bytes = sizeof(sorting_lab),  \
    .reps = 21, .help = print_help, .complete = complete_request, .measure = measure, .list = sorting_subjects_list,   \
    .poison = sorting_poison, .check = sorting_check, .describe = describe, .fill = fill                               \
  }
const bench_family bench_sort = SORTS_OF("sort", bench_sort_options, sorting_help, sorting_complete);
const bench_family bench_split = SORTS_OF("split", bench_split_options, sorting_split_help, sorting_split_complete);
