/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort.c @brief `scanrt bench --sort`: goes through devices and cases. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"

/* ---- the plan ---- */

static scan_sort_spec whole_spec_of(const bench_sort_case *sort) {
  const scan_type indices = sort->value_bytes == 8 ? SCAN_U64 : SCAN_U32;
  switch (sort->what) {
  case BENCH_SORT_KEYS: return (scan_sort_spec)SCAN_SORT_SPEC_INIT(sort->key_type);
  case BENCH_SORT_ARGSORT: return (scan_sort_spec)SCAN_SORT_INDEX_INIT(sort->key_type, indices);
  default: return (scan_sort_spec)SCAN_SORT_PAIRS_INIT(sort->key_type, sort->value_bytes);
  }
}

/** Lengths of segments are promised. */
static scan_sort_spec spec_of(const bench_sort_case *sort) {
  scan_sort_spec spec = whole_spec_of(sort);
  if (!sort->segment_items) return spec;
  spec.offset_type = sort->n > UINT32_MAX ? SCAN_U64 : SCAN_U32;
  spec.most_segment_items = sort->segment_items <= UINT32_MAX ? (uint32_t)sort->segment_items : 0;
  return spec;
}

static int make_plan(sorting_lab *lab) {
  const scan_sort_spec spec = spec_of(&lab->sort);
  const double begun = cli_seconds();
  const scan_status status = scan_plan_create_sort(lab->base.ctx, &spec, lab->n, &lab->plan);
  if (lab->base.cold) lab->base.cold->plan = 1e3 * (cli_seconds() - begun);
  return status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(lab->base.ctx, status, lab->base.info.selector);
}

/* ---- one case ---- */

static bench_cold_way measure_cold_on;
static int measure_on(const bench_request *base, const char *selector, bench_cold_times *cold, const bench_peers *peers,
                      bench_sheet *sheet);

static const bench_family family = { .csv_head = sorting_csv_head,
                                     .write = sorting_write,
                                     .list = sorting_subjects_list,
                                     .clear = sorting_subjects_clear,
                                     .measure = measure_on,
                                     .cold = measure_cold_on };

static int measure_case(sorting_lab *lab, sorting_shape shape, bench_sheet *sheet) {
  lab->shape = shape;
  if (sorting_data_fill(lab) != CLI_OK) return CLI_FAILED;
  return bench_family_case(&family, &lab->base, sheet);
}

/* ---- sweeps ---- */

/** All shapes of one n. */
static int measure_size(sorting_lab *lab, uint64_t n, uint64_t length, bench_sheet *sheet) {
  lab->n = lab->sort.n = n;
  lab->sort.segment_items = length < n ? length : length ? n : 0;
  int rc = sorting_data_make(lab);
  if (rc == CLI_OK) rc = make_plan(lab);
  const int made = rc == CLI_OK;
  for (int shape = 0; shape < SORTING_SHAPES && made; shape++)
    if (lab->request->shapes[shape] && measure_case(lab, (sorting_shape)shape, sheet) != CLI_OK) rc = CLI_FAILED;
  scan_plan_destroy(lab->plan);
  lab->plan = NULL;
  sorting_data_clear(lab);
  return rc;
}

static int measure_sizes(sorting_lab *lab, uint32_t what, uint32_t value_bytes, bench_sheet *sheet) {
  const bench_request *r = &lab->request->base;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count; t++) {
    lab->sort = (bench_sort_case){ .what = what, .key_type = r->types[t], .value_bytes = value_bytes };
    lab->key_bytes = (uint32_t)scan_type_bytes(r->types[t]);
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
  for (uint32_t what = 0; what < BENCH_SORTS; what++) {
    const int has_values = what != BENCH_SORT_KEYS;
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

int bench_sort(int argc, char **argv) {
  sorting_request request;
  int rc = sorting_parse(argc, argv, &request);
  if (rc == CLI_HELP) return sorting_print_help();
  if (rc == CLI_OK) rc = bench_family_run(&family, &request.base);
  const int flushed = cli_flush_output();
  return rc != CLI_OK ? rc : flushed;
}
