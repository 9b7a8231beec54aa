/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort.c @brief `scanrt bench --sort` and `--split`: go through devices and cases. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"

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

/** Lengths of segments are promised. */
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
  if (lab->request->is_split) return sorting_split_plans(lab);
  scan_sort_spec spec = spec_of(lab);
  const double begun = cli_seconds();
  scan_status status = scan_plan_create_sort(lab->base.ctx, &spec, lab->n, &lab->plan);
  if (lab->base.cold) lab->base.cold->plan = 1e3 * (cli_seconds() - begun);
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

static bench_cold_way measure_cold_on;
static int measure_on(const bench_request *base, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                      bench_sheet *sheet);

static const bench_family family = {
  .columns = &sorting_columns, .list = sorting_subjects_list, .measure = measure_on, .cold = measure_cold_on
};

static int measure_case(sorting_lab *lab, sorting_shape shape, bench_sheet *sheet) {
  lab->shape = shape;
  if (sorting_data_fill(lab) != CLI_OK || sorting_expect(lab) != CLI_OK) return CLI_FAILED;
  return bench_family_case(&family, &lab->base, sheet);
}

/* ---- sweeps ---- */

/** All shapes of one n. */
static int measure_size(sorting_lab *lab, uint64_t n, uint64_t length, bench_sheet *sheet) {
  lab->n = lab->sort.n = n;
  lab->sort.segment_items = length < n ? length : length ? n : 0;
  int rc = sorting_data_make(lab);
  if (rc == CLI_OK) rc = make_plans(lab);
  const int made = rc == CLI_OK;
  for (int shape = 0; shape < SORTING_SHAPES && made; shape++)
    if (lab->request->shapes[shape] && measure_case(lab, (sorting_shape)shape, sheet) != CLI_OK) rc = CLI_FAILED;
  destroy_plans(lab);
  sorting_data_clear(lab);
  return rc;
}

/** Of splits without --bits the highest ones of the key. */
static void set_bits(sorting_lab *lab) {
  const sorting_request *r = lab->request;
  const uint32_t all = 8 * lab->key_bytes;
  uint32_t count = all;
  if (r->is_split) count = r->highest_bits ? r->highest_bits : SCAN_SPLIT_MOST_BITS;
  lab->sort.first_bit = r->end_bit ? r->first_bit : all - count;
  lab->sort.end_bit = r->end_bit ? r->end_bit : all;
}

static int measure_sizes(sorting_lab *lab, uint32_t what, uint32_t value_bytes, bench_sheet *sheet) {
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
        if (measure_size(lab, r->sizes[i], lab->request->lengths[l], sheet) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/** What is written, in the order of the help, and of what bytes. */
static int measure_device(sorting_lab *lab, bench_sheet *sheet) {
  const sorting_request *r = lab->request;
  int rc = CLI_OK;
  for (uint32_t what = 0; what < SORTING_WHAT; what++) {
    const int has_values = what == BENCH_SORT_PAIRS || what == BENCH_SORT_ARGSORT;
    for (size_t p = 0; p < (has_values ? r->payload_count : 1) && r->what[what]; p++)
      if (measure_sizes(lab, what, has_values ? r->payloads[p] : 0, sheet) != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

/** @param cold, peers, sheet  of the first alone, or of the others */
static int measure_on(const bench_request *base, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                      bench_sheet *sheet) {
  static const bench_judge judge = { sorting_poison, sorting_check };
  const sorting_request *r = (const sorting_request *)base;
  sorting_lab lab = { .base = { .request = base, .loaded = peers, .judge = &judge, .cold = cold }, .request = r };
  int rc = bench_lab_open(&lab.base, selector);
  if (rc == CLI_OK) rc = measure_device(&lab, sheet);
  bench_lab_close(&lab.base);
  return rc;
}

static int measure_cold_on(const bench_request *base, const char *selector, bench_cold_times *times) {
  return measure_on(base, selector, times, NULL, NULL);
}

static int run_parsed(int rc, const sorting_request *r) {
  if (rc == CLI_OK) rc = bench_family_run(&family, &r->base);
  const int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}

int bench_sort(int argc, char **argv, const bench_choice *choices) {
  sorting_request request;
  const int rc = sorting_parse(argc, argv, choices, &request);
  return rc == CLI_HELP ? sorting_print_help() : run_parsed(rc, &request);
}

int bench_split(int argc, char **argv, const bench_choice *choices) {
  sorting_request request;
  const int rc = sorting_split_parse(argc, argv, choices, &request);
  return rc == CLI_HELP ? sorting_split_help() : run_parsed(rc, &request);
}
