/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_report.c @brief What `scanrt bench --select` prints: a table, JSON or CSV. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *role_name(bench_role role) { return role == BENCH_SCAN ? "select" : bench_role_name(role); }

static double kept_percent(const select_lab *lab) { return 100 * (double)lab->truth.kept / (double)lab->n; }

static double gb_per_s(const select_row *row) {
  return row->time.median_seconds > 0 ? 1e-9 * (double)row->bytes / row->time.median_seconds : 0;
}

/* ---- table ---- */

static int prints_table(const select_report *report) {
  const char *csv = report->request->base.csv;
  return !report->request->base.as_json && !(csv && !strcmp(csv, "-"));
}

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
static void describe(const select_report *report, const select_lab *lab, char head[sizeof report->head]) {
  const scan_device_info *info = &lab->base.info;
  char what[128];
  describe_case(lab, what, sizeof what);
  snprintf(head, sizeof report->head, "%s: %s; %s\n%s; medians of %" PRIu64 "\n", info->selector, info->name,
           info->driver, what, report->request->base.reps);
}

static void print_head(select_report *report, const select_row *row, const char *head) {
  if (*report->head) putchar('\n');
  printf("%s%-10s %-22s %-5s %12s %7s %7s %12s %7s %9s %8s", head, "device", "what", "mode", "n", "given", "kept %",
         "median us", "IQR %", "GB/s", "% limit");
  if (row->loop_ratio > 0) printf(" %12s", "x plain loop");
  if (*row->peer) printf(" %5s %s", "x", row->peer);
  putchar('\n');
  memcpy(report->head, head, sizeof report->head);
}

static void print(select_report *report, const select_lab *lab, const select_row *row) {
  char head[sizeof report->head];
  describe(report, lab, head);
  if (strcmp(report->head, head) != 0) print_head(report, row, head);
  printf("%-10s %-22s %-5s %12" PRIu64 " %7s %7.2f", lab->base.info.selector, row->label,
         bench_mode_name(lab->base.mode), lab->n, lab->share->name, kept_percent(lab));
  if (row->wrong) {
    puts("        WRONG");
    return;
  }
  printf(" %12.2f %7.1f %9.1f", 1e6 * row->time.median_seconds, 100 * row->time.spread, gb_per_s(row));
  if (row->limit_ratio > 0) printf(" %8.1f", 100 * row->limit_ratio);
  if (row->loop_ratio > 0) printf(" %12.2f", row->loop_ratio);
  if (row->peer_ratio > 0) printf(" %*.2f", 6 + (int)strlen(row->peer), row->peer_ratio);
  putchar('\n');
  fflush(stdout);
}

/* ---- JSON ---- */

static void json_case(json *j, const select_lab *lab, const select_row *row) {
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

static void json_row(json *j, const select_lab *lab, const select_row *row) {
  json_open(j, NULL, '{');
  json_case(j, lab, row);
  if (!row->wrong) {
    json_real(j, "median_us", 1e6 * row->time.median_seconds);
    json_real(j, "iqr_percent", 100 * row->time.spread);
    json_real(j, "min_us", 1e6 * row->time.least_seconds);
    json_real(j, "gb_per_s", gb_per_s(row));
    if (row->limit_ratio > 0) json_real(j, "percent_of_limit", 100 * row->limit_ratio);
    if (row->loop_ratio > 0) json_real(j, "times_plain_loop", row->loop_ratio);
    if (row->peer_ratio > 0) json_string(j, "peer", row->peer);
    if (row->peer_ratio > 0) json_real(j, "times_peer", row->peer_ratio);
  }
  json_close(j, '}');
}

static void json_begin(json *j, const select_request *r) {
  json_open(j, NULL, '{');
  json_string(j, "version", scan_version());
  json_string(j, "command", r->base.command);
  json_count(j, "reps", r->base.reps);
  json_open(j, "rows", '[');
}

/* ---- CSV ---- */

static void csv_head(FILE *file) {
  fputs("device,device_name,driver,what,role,mode,by,rest,payload,type,op,share_or_run_length,n,kept,bytes,reps,"
        "correct,"
        "median_us,iqr_percent,min_us,gb_per_s,percent_of_limit,times_plain_loop,peer,times_peer\n",
        file);
}

static void csv_row(FILE *file, const select_report *report, const select_lab *lab, const select_row *row) {
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
          report->request->base.reps, right ? "true" : "false");
  bench_csv_real(file, right, 1e6 * row->time.median_seconds);
  bench_csv_real(file, right, 100 * row->time.spread);
  bench_csv_real(file, right, 1e6 * row->time.least_seconds);
  bench_csv_real(file, right, gb_per_s(row));
  bench_csv_real(file, row->limit_ratio > 0, 100 * row->limit_ratio);
  bench_csv_real(file, row->loop_ratio > 0, row->loop_ratio);
  bench_csv_text(file, row->peer_ratio > 0 ? row->peer : "");
  if (row->peer_ratio > 0) fprintf(file, "%.6g", row->peer_ratio);
  fputc('\n', file);
  fflush(file);
}

/* ---- all ---- */

void select_report_row(select_report *report, const select_lab *lab, const select_row *row) {
  if (report->request->base.as_json) json_row(&report->json, lab, row);
  if (report->csv) csv_row(report->csv, report, lab, row);
  if (prints_table(report)) print(report, lab, row);
}

int select_report_begin(select_report *report, const select_request *r) {
  *report = (select_report){ .request = r, .json = { .file = stdout } };
  if (r->base.csv) report->csv = strcmp(r->base.csv, "-") ? fopen(r->base.csv, "w") : stdout;
  if (r->base.csv && !report->csv) return cli_fail("cannot create %s: %s", r->base.csv, strerror(errno));
  if (report->csv) csv_head(report->csv);
  if (r->base.as_json) json_begin(&report->json, r);
  return CLI_OK;
}

int select_report_end(select_report *report) {
  if (report->request->base.as_json) {
    json_close(&report->json, ']');
    json_close(&report->json, '}');
  }
  if (!report->csv || report->csv == stdout) return CLI_OK;
  const int failed = ferror(report->csv);
  if (fclose(report->csv) != 0 || failed) return cli_fail("cannot write %s", report->request->base.csv);
  return CLI_OK;
}
