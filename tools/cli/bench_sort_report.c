/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_report.c @brief What `scanrt bench --sort` prints: a table, JSON or CSV. */
#define _POSIX_C_SOURCE 200809L
#include "bench_beside.h"
#include "bench_sort.h"

#include <errno.h>
#include <inttypes.h>

static const char *role_name(const sorting_lab *lab, bench_role role) {
  if (role != BENCH_SCAN) return bench_role_name(role);
  if (!lab->request->is_split) return "sort";
  return lab->sort.what == BENCH_SORT_HISTOGRAM ? "histogram" : "split";
}

static double per_s(const bench_line *row, uint64_t count) {
  return row->time.median_seconds > 0 ? (double)count / row->time.median_seconds : 0;
}

/** Of sorts: a copy sorts nothing. */
static int has_keys_per_s(const bench_line *row) { return row->role != BENCH_COPY && row->role != BENCH_MEMCPY; }

/* ---- table ---- */

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

static void describe_case(const sorting_lab *lab, char *text, size_t bytes) {
  const char *const twice = lab->words == 2 ? "twice " : "", *const type = scan_type_name(lab->sort.key_type);
  const unsigned value_bytes = lab->sort.value_bytes;
  const char *what = role_name(lab, BENCH_SCAN);
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

/** Which table a row belongs to: its first two lines. */
static void describe(const bench_sheet *sheet, const sorting_lab *lab, char head[sizeof sheet->head]) {
  const scan_device_info *info = &lab->base.info;
  char what[160], beside[BENCH_LABEL_BYTES];
  describe_case(lab, what, sizeof what);
  bench_beside_words(sheet->request, beside, sizeof beside);
  snprintf(head, sizeof sheet->head, "%s: %s; %s\n%s; medians of %" PRIu64 "%s\n", info->selector, info->name,
           info->driver, what, sheet->request->reps, beside);
}

static void print_head(bench_sheet *sheet, const bench_line *row, const char *head) {
  if (*sheet->head) putchar('\n');
  printf("%s%-10s %-24s %-5s %12s %8s %6s %12s %7s %10s %9s %8s", head, "device", "what", "mode", "n", "shape",
         "passes", "median ms", "IQR %", "Mkeys/s", "GB/s", "% limit");
  if (row->loop_ratio > 0) printf(" %12s", "x plain loop");
  if (sheet->request->has_beside) printf(" %12s", "x one thread");
  if (*row->peer) printf(" %5s %s", "x", row->peer);
  putchar('\n');
  memcpy(sheet->head, head, sizeof sheet->head);
}

static void print(bench_sheet *sheet, const sorting_lab *lab, const bench_line *row) {
  char head[sizeof sheet->head];
  describe(sheet, lab, head);
  if (strcmp(sheet->head, head) != 0) print_head(sheet, row, head);
  printf("%-10s %-24s %-5s %12" PRIu64 " %8s %6u", lab->base.info.selector, row->label, bench_mode_name(lab->base.mode),
         lab->n, sorting_shape_name(lab->shape), (unsigned)lab->passes);
  if (row->wrong) {
    puts("        WRONG");
    return;
  }
  printf(" %12.4f %7.1f", 1e3 * row->time.median_seconds, 100 * row->time.spread);
  if (has_keys_per_s(row))
    printf(" %10.1f", 1e-6 * per_s(row, lab->n));
  else
    printf(" %10s", "");
  printf(" %9.1f", 1e-9 * per_s(row, row->bytes));
  bench_line_print(row, has_keys_per_s(row), sheet->request->has_beside && has_keys_per_s(row));
}

/* ---- JSON ---- */

static void json_case(json *j, const sorting_lab *lab, const bench_line *row) {
  json_string(j, "device", lab->base.info.selector);
  json_string(j, "device_name", lab->base.info.name);
  json_string(j, "driver", lab->base.info.driver);
  json_string(j, "what", row->label);
  json_string(j, "role", role_name(lab, row->role));
  json_string(j, "mode", bench_mode_name(lab->base.mode));
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
  json_count(j, "bytes", row->bytes);
  json_bool(j, "correct", !row->wrong);
}

static void json_row(json *j, const sorting_lab *lab, const bench_line *row) {
  json_open(j, NULL, '{');
  json_case(j, lab, row);
  if (!row->wrong) {
    json_real(j, "median_ms", 1e3 * row->time.median_seconds);
    json_real(j, "iqr_percent", 100 * row->time.spread);
    json_real(j, "min_ms", 1e3 * row->time.least_seconds);
    if (has_keys_per_s(row)) json_real(j, "keys_per_s", per_s(row, lab->n));
    json_real(j, "gb_per_s", 1e-9 * per_s(row, row->bytes));
    bench_line_json(j, row);
  }
  json_close(j, '}');
}

/* ---- CSV ---- */

const char sorting_csv_head[] =
    "device,device_name,driver,what,role,mode,sort,type,shape,key_words,descending,first_bit,end_bit,value_bytes,"
    "n,"
    "passes,bytes,reps,correct,segment_length,"
    "median_ms,iqr_percent,min_ms,keys_per_s,gb_per_s,percent_of_limit,times_plain_loop,peer,times_peer";

static void csv_row(FILE *file, const bench_sheet *sheet, const sorting_lab *lab, const bench_line *row) {
  const char *words[] = { lab->base.info.selector,       lab->base.info.name,
                          lab->base.info.driver,         row->label,
                          role_name(lab, row->role),     bench_mode_name(lab->base.mode),
                          sorting_name(lab->sort.what),  scan_type_name(lab->sort.key_type),
                          sorting_shape_name(lab->shape) };
  const int right = !row->wrong;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) bench_csv_text(file, words[i]);
  fprintf(file, "%u,%s,%u,%u,", lab->words, lab->sort.descending ? "true" : "false", (unsigned)lab->sort.first_bit,
          (unsigned)lab->sort.end_bit);
  fprintf(file, "%u,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 ",", (unsigned)lab->sort.value_bytes, lab->n,
          (unsigned)lab->passes, row->bytes, sheet->request->reps, right ? "true" : "false", lab->sort.segment_items);
  bench_csv_real(file, right, 1e3 * row->time.median_seconds);
  bench_csv_real(file, right, 100 * row->time.spread);
  bench_csv_real(file, right, 1e3 * row->time.least_seconds);
  bench_csv_real(file, right && has_keys_per_s(row), per_s(row, lab->n));
  bench_csv_real(file, right, 1e-9 * per_s(row, row->bytes));
  bench_line_csv(file, sheet->request, row);
}

/* ---- all ---- */

void sorting_write(bench_sheet *sheet, const bench_lab *base, const bench_line *row) {
  const sorting_lab *lab = (const sorting_lab *)base;
  if (sheet->request->as_json) json_row(&sheet->json, lab, row);
  if (sheet->csv) csv_row(sheet->csv, sheet, lab, row);
  if (bench_sheet_prints_table(sheet)) print(sheet, lab, row);
}
