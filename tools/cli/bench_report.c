/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_report.c @brief Takes the rows of `scanrt bench`, and prints them as a table where nothing else is. */
#include "bench.h"
#include "bench_beside.h"

#include <inttypes.h>
#include <string.h>

/* ---- sheets ---- */

int bench_sheet_prints_table(const bench_sheet *sheet) {
  const char *csv = sheet->request->csv;
  return !sheet->request->as_json && !(csv && !strcmp(csv, "-"));
}

static void json_begin(json *j, const bench_request *r) {
  json_open(j, NULL, '{');
  json_string(j, "version", scan_version());
  json_string(j, "command", r->command);
  if (!r->cold || r->family == BENCH_FAMILY_MPI) json_count(j, "reps", r->reps);
  if (r->has_beside) json_count(j, "beside", r->beside);
  if (r->family == BENCH_FAMILY_SCAN && !r->cold) {
    json_bool(j, "in_place", r->in_place);
    json_count(j, "in_offset", r->in_offset);
    json_count(j, "out_offset", r->out_offset);
  }
  json_open(j, "rows", '[');
}

int bench_sheet_open(bench_sheet *sheet, const char *csv_head, const bench_request *r) {
  *sheet = (bench_sheet){ .request = r, .json = { .file = stdout } };
  if (r->csv && output_begin(r->csv, &sheet->output) != CLI_OK) return CLI_FAILED;
  if (r->csv) sheet->csv = sheet->output.file;
  if (r->csv) fprintf(sheet->csv, "%s%s\n", csv_head, r->has_beside ? ",times_one_thread" : "");
  if (r->as_json) json_begin(&sheet->json, r);
  return CLI_OK;
}

int bench_sheet_close(bench_sheet *sheet) {
  if (sheet->request->as_json) {
    json_close(&sheet->json, ']');
    json_close(&sheet->json, '}');
  }
  return sheet->csv ? output_end(&sheet->output, CLI_OK) : CLI_OK;
}

/* ---- table ---- */

/** 1 where type, operator, kind and segments are the same. */
static int same_spec(const bench_row *a, const bench_row *b) {
  return a->spec.type == b->spec.type && a->spec.op == b->spec.op && a->spec.kind == b->spec.kind &&
         a->composite == b->composite && a->mapped == b->mapped && a->told_by == b->told_by && a->length == b->length;
}

/** 1 when both rows belong to one table. Tables of throughput show eager calls and graphs together. */
static int same_table(const bench_row *a, const bench_row *b) {
  return same_spec(a, b) && (a->mode == BENCH_HOST) == (b->mode == BENCH_HOST) &&
         !strcmp(a->device.selector, b->device.selector);
}

static void print_head(const bench_request *r, const bench_row *row) {
  scan_type input_type = bench_input_type(&row->spec);
  const char *from = input_type == row->spec.type ? "" : scan_type_name(input_type);
  printf("%s: %s; %s\n", row->device.selector, row->device.name, row->device.driver);
  char segments[BENCH_LABEL_BYTES] = "", beside[BENCH_LABEL_BYTES];
  if (*row->told_by) snprintf(segments, sizeof segments, ", segments of %s by %s", row->length, row->told_by);
  if (r->difference)
    printf("%sdifferences of %s%s, ", r->backward ? "backward " : "", bench_type_name(row),
           r->in_place ? " in place" : "");
  else
    printf("%s%s %s%s%s %s%s%s%s%s, ", r->backward ? "backward " : "", bench_kind_name(row->spec.kind), from,
           *from ? " to " : "", bench_type_name(row), bench_op_name(row),
           r->check_overflow ? " checked for overflow" : "", r->carry ? " with a carry" : "",
           r->in_place ? " in place" : "", segments);
  if (row->mode == BENCH_HOST) {
    printf("time of the calls on the host, medians of %" PRIu64 "\n", r->reps);
    printf("%-10s %-25s %-5s %12s %12s %7s %14s\n", "device", "what", "mode", "n", "us a call", "IQR %",
           "us over empty");
    return;
  }
  bench_beside_words(r, beside, sizeof beside);
  printf("medians of %" PRIu64 "%s\n", r->reps, beside);
  printf("%-10s %-25s %-5s %12s %12s %7s %9s %8s", "device", "what", "mode", "n", "median us", "IQR %", "GB/s",
         "% copy");
  if (row->beside_loop) printf(" %12s", "x plain loop");
  if (r->has_beside) printf(" %12s", "x one thread");
  if (*row->plain) printf(" %3s %s", "x", row->plain);
  if (*row->peer) printf(" %3s %s", "x", row->peer);
  if (r->gallery) printf(" %14s %10s", "work", "span");
  putchar('\n');
}

static void print_ratio(double ratio, int width) {
  if (ratio > 0)
    printf(" %*.2f", width, ratio);
  else
    printf(" %*s", width, "-");
}

static void print_cost(const bench_row *row) {
  if (row->role == BENCH_SCAN) printf(" %14" PRIu64 " %10" PRIu64, row->work, row->span);
}

static void print_row(const bench_request *r, const bench_row *row) {
  printf("%-10s %-25s %-5s %12" PRIu64, row->device.selector, row->label, bench_mode_name(row->mode), row->n);
  if (row->wrong) {
    puts("        WRONG");
    return;
  }
  printf(" %12.2f %7.1f", 1e6 * row->time.median_seconds, 100 * row->time.spread);
  if (row->mode == BENCH_HOST) {
    if (row->has_over_empty) printf(" %14.2f", 1e6 * row->over_empty);
  } else {
    printf(" %9.1f %8.1f", bench_gb_per_s(row), 100 * row->copy_ratio);
    if (row->beside_loop) print_ratio(row->loop_ratio, 12);
    if (r->has_beside) print_ratio(row->one_ratio, 12);
    if (*row->plain) print_ratio(row->plain_ratio, 4 + (int)strlen(row->plain));
    if (*row->peer) print_ratio(row->peer_ratio, 4 + (int)strlen(row->peer));
    if (r->gallery) print_cost(row);
  }
  putchar('\n');
}

static void print(bench_report *report, const bench_row *row) {
  if (!report->printed || !same_table(&report->last, row)) {
    if (report->printed) putchar('\n');
    print_head(report->sheet.request, row);
  }
  print_row(report->sheet.request, row);
  fflush(stdout);
  report->last = *row;
  report->printed = 1;
}

/* ---- rows ---- */

void bench_report_row(bench_report *report, const bench_row *row) {
  bench_sheet *sheet = &report->sheet;
  if (sheet->request->as_json) bench_json_row(&sheet->json, row);
  if (sheet->csv) bench_csv_row(sheet->csv, sheet->request, row);
  if (bench_sheet_prints_table(sheet)) print(report, row);
}

/* ---- files ---- */

int bench_report_begin(bench_report *report, const bench_request *request) {
  *report = (bench_report){ .printed = 0 };
  if (bench_sheet_open(&report->sheet, bench_csv_head, request) != CLI_OK) return CLI_FAILED;
  if (request->cold && !request->as_json)
    printf("%-15s %10s %12s %10s %14s %15s %10s %16s\n", "device", "open ms", "operator ms", "plan ms", "first run ms",
           "second run ms", "total ms", "later context ms");
  return CLI_OK;
}

int bench_report_end(bench_report *report) { return bench_sheet_close(&report->sheet); }
