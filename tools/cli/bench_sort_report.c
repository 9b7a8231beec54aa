/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_report.c @brief The columns of `scanrt bench --sort` and `--split`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_sort.h"

#include <inttypes.h>

static const char *role_name(const bench_lab *base) {
  const sorting_lab *lab = (const sorting_lab *)base;
  if (!lab->request->is_split) return "sort";
  return lab->sort.what == BENCH_SORT_HISTOGRAM ? "histogram" : "split";
}

static uint64_t keys_of(const bench_lab *base) { return ((const sorting_lab *)base)->n; }

/** ", descending, by bits 8 to 23", or ", in segments of 10", which have neither. */
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

static void describe(const bench_lab *base, char *text, size_t bytes) {
  const sorting_lab *lab = (const sorting_lab *)base;
  const char *const twice = lab->words == 2 ? "twice " : "", *const type = scan_type_name(lab->sort.key_type);
  const unsigned value_bytes = lab->sort.value_bytes;
  const char *what = role_name(base);
  char order[64];
  describe_order(lab, order, sizeof order);
  if (lab->sort.what == BENCH_SORT_PAIRS)
    snprintf(text, bytes, "%s of %s%s keys with values of bytes: %u%s", what, twice, type, value_bytes, order);
  else if (lab->sort.what == BENCH_SORT_ARGSORT)
    snprintf(text, bytes, "%s of %s%s keys, indices of bytes: %u%s", lab->request->is_split ? what : "argsort", twice,
             type, value_bytes, order);
  else
    snprintf(text, bytes, "%s of %s%s keys%s", what, twice, type, order);
}

static void print(const bench_lab *base) {
  const sorting_lab *lab = (const sorting_lab *)base;
  printf("%12" PRIu64 " %8s %6u", lab->n, sorting_shape_name(lab->shape), (unsigned)lab->passes);
}

static void write_json(json *j, const bench_lab *base) {
  const sorting_lab *lab = (const sorting_lab *)base;
  json_string(j, "sort", sorting_name(lab->sort.what));
  json_string(j, "type", scan_type_name(lab->sort.key_type));
  json_count(j, "key_words", lab->words);
  json_count(j, "value_bytes", lab->sort.value_bytes);
  json_bool(j, "descending", (int)lab->sort.descending);
  json_string(j, "order", lab->request->order == SCAN_SORT_NUMERIC_ORDER ? "numeric" : "total");
  json_count(j, "first_bit", lab->sort.first_bit);
  json_count(j, "end_bit", lab->sort.end_bit);
  json_string(j, "shape", sorting_shape_name(lab->shape));
  json_count(j, "n", lab->n);
  json_count(j, "segment_length", lab->sort.segment_items);
  json_count(j, "passes", lab->passes);
}

static void write_csv(FILE *file, const bench_lab *base, const bench_line *line) {
  const sorting_lab *lab = (const sorting_lab *)base;
  fprintf(file, "%s,%s,%s,%u,%s,%u,%u,%u,", sorting_name(lab->sort.what), scan_type_name(lab->sort.key_type),
          sorting_shape_name(lab->shape), lab->words, lab->sort.descending ? "true" : "false",
          (unsigned)lab->sort.first_bit, (unsigned)lab->sort.end_bit, (unsigned)lab->sort.value_bytes);
  fprintf(file, "%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 ",", lab->n, (unsigned)lab->passes, line->bytes,
          base->request->reps, line->wrong ? "false" : "true", lab->sort.segment_items);
}

const bench_columns sorting_columns = {
  .table = "           n    shape passes",
  .csv_columns = "sort,type,shape,key_words,descending,first_bit,end_bit,value_bytes,n,passes,bytes,reps,correct,"
                 "segment_length",
  .unit = "ms",
  .per_second = 1e3,
  .decimals = 4,
  .label_width = 24,
  .role = role_name,
  .keys = keys_of,
  .describe = describe,
  .print = print,
  .json = write_json,
  .csv = write_csv,
};
