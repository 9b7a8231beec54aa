/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_report.c @brief What `scanrt bench --select` prints: a table, JSON or CSV. */
#define _POSIX_C_SOURCE 200809L
#include "bench_beside.h"
#include "bench_select.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *role_name(bench_role role) { return role == BENCH_SCAN ? "select" : bench_role_name(role); }

static double kept_percent(const select_lab *lab) { return 100 * (double)lab->truth.kept / (double)lab->n; }

static double gb_per_s(const bench_line *row) {
  return row->time.median_seconds > 0 ? 1e-9 * (double)row->bytes / row->time.median_seconds : 0;
}

/* ---- table ---- */

static const char *type_of(const select_lab *lab) {
  return lab->by == BENCH_SELECT_REDUCE ? scan_type_name(lab->base.spec.type) : "";
}

static const char *op_of(const select_lab *lab) {
  return lab->by == BENCH_SELECT_REDUCE ? scan_op_name(lab->base.spec.op) : "";
}

static void describe_case(const select_lab *lab, char *text, size_t bytes) {
  const select_payload *p = lab->payload;
  if (lab->by == BENCH_SELECT_RUN_LENGTHS)
    snprintf(text, bytes, "run-length encoding, keys of bytes: %s", p->name);
  else if (lab->by == BENCH_SELECT_REDUCE)
    snprintf(text, bytes, "reduction by key, %s of %s, keys of bytes: %s", op_of(lab), type_of(lab), p->name);
  else if (lab->by == BENCH_SELECT_PARTITION3)
    snprintf(text, bytes, "partition into three, elements of bytes: %s", p->name);
  else
    snprintf(text, bytes, "select by %s, the rest %s, %s%s", select_by_name(lab->by), select_rest_name(lab->rest),
             p->arrays ? "elements of bytes: " : "u32 indices", p->arrays ? p->name : "");
}

/** Which table a row belongs to: its first two lines. */
static void describe(const bench_sheet *sheet, const select_lab *lab, char head[sizeof sheet->head]) {
  const scan_device_info *info = &lab->base.info;
  char what[128], beside[BENCH_LABEL_BYTES];
  describe_case(lab, what, sizeof what);
  bench_beside_words(sheet->request, beside, sizeof beside);
  snprintf(head, sizeof sheet->head, "%s: %s; %s\n%s; medians of %" PRIu64 "%s\n", info->selector, info->name,
           info->driver, what, sheet->request->reps, beside);
}

static void print_head(bench_sheet *sheet, const bench_line *row, const char *head) {
  if (*sheet->head) putchar('\n');
  printf("%s%-10s %-22s %-5s %12s %7s %7s %12s %7s %9s %8s", head, "device", "what", "mode", "n", "given", "kept %",
         "median us", "IQR %", "GB/s", "% limit");
  if (row->loop_ratio > 0) printf(" %12s", "x plain loop");
  if (sheet->request->has_beside) printf(" %12s", "x one thread");
  if (*row->peer) printf(" %5s %s", "x", row->peer);
  putchar('\n');
  memcpy(sheet->head, head, sizeof sheet->head);
}

static void print(bench_sheet *sheet, const select_lab *lab, const bench_line *row) {
  char head[sizeof sheet->head];
  describe(sheet, lab, head);
  if (strcmp(sheet->head, head) != 0) print_head(sheet, row, head);
  printf("%-10s %-22s %-5s %12" PRIu64 " %7s %7.2f", lab->base.info.selector, row->label,
         bench_mode_name(lab->base.mode), lab->n, lab->share->name, kept_percent(lab));
  if (row->wrong) {
    puts("        WRONG");
    return;
  }
  printf(" %12.2f %7.1f %9.1f", 1e6 * row->time.median_seconds, 100 * row->time.spread, gb_per_s(row));
  bench_line_print(row, 1, sheet->request->has_beside);
}

/* ---- JSON ---- */

static void json_case(json *j, const select_lab *lab, const bench_line *row) {
  json_string(j, "device", lab->base.info.selector);
  json_string(j, "device_name", lab->base.info.name);
  json_string(j, "driver", lab->base.info.driver);
  json_string(j, "what", row->label);
  json_string(j, "role", role_name(row->role));
  json_string(j, "mode", bench_mode_name(lab->base.mode));
  json_string(j, "by", select_by_name(lab->by));
  json_string(j, "rest", select_rest_name(lab->rest));
  json_string(j, "payload", lab->payload->name);
  if (*type_of(lab)) json_string(j, "type", type_of(lab));
  if (*op_of(lab)) json_string(j, "op", op_of(lab));
  json_string(j, select_is_by_runs(lab->by) ? "run_length" : "share", lab->share->name);
  json_count(j, "n", lab->n);
  json_count(j, "kept", lab->truth.kept);
  json_count(j, "bytes", row->bytes);
  json_bool(j, "correct", !row->wrong);
}

static void json_row(json *j, const select_lab *lab, const bench_line *row) {
  json_open(j, NULL, '{');
  json_case(j, lab, row);
  if (!row->wrong) {
    json_real(j, "median_us", 1e6 * row->time.median_seconds);
    json_real(j, "iqr_percent", 100 * row->time.spread);
    json_real(j, "min_us", 1e6 * row->time.least_seconds);
    json_real(j, "gb_per_s", gb_per_s(row));
    bench_line_json(j, row);
  }
  json_close(j, '}');
}

/* ---- CSV ---- */

const char select_csv_head[] =
    "device,device_name,driver,what,role,mode,by,rest,payload,type,op,share_or_run_length,n,kept,bytes,"
    "reps,correct,median_us,iqr_percent,min_us,gb_per_s,percent_of_limit,times_plain_loop,peer,times_peer";

static void csv_row(FILE *file, const bench_sheet *sheet, const select_lab *lab, const bench_line *row) {
  const char *words[] = { lab->base.info.selector,
                          lab->base.info.name,
                          lab->base.info.driver,
                          row->label,
                          role_name(row->role),
                          bench_mode_name(lab->base.mode),
                          select_by_name(lab->by),
                          select_rest_name(lab->rest),
                          lab->payload->name,
                          type_of(lab),
                          op_of(lab),
                          lab->share->name };
  const int right = !row->wrong;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) bench_csv_text(file, words[i]);
  fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,", lab->n, lab->truth.kept, row->bytes,
          sheet->request->reps, right ? "true" : "false");
  bench_csv_real(file, right, 1e6 * row->time.median_seconds);
  bench_csv_real(file, right, 100 * row->time.spread);
  bench_csv_real(file, right, 1e6 * row->time.least_seconds);
  bench_csv_real(file, right, gb_per_s(row));
  bench_line_csv(file, sheet->request, row);
}

/* ---- all ---- */

void select_write(bench_sheet *sheet, const bench_lab *base, const bench_line *row) {
  const select_lab *lab = (const select_lab *)base;
  if (sheet->request->as_json) json_row(&sheet->json, lab, row);
  if (sheet->csv) csv_row(sheet->csv, sheet, lab, row);
  if (bench_sheet_prints_table(sheet)) print(sheet, lab, row);
}
