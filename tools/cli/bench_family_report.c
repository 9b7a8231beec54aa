/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_family_report.c @brief What `scanrt bench --select`, `--sort` and `--split` print: a table, JSON or CSV.
 * Each has columns of its own for its cases; times and comparisons are the same. */
#define _POSIX_C_SOURCE 200809L
#include "bench_beside.h"
#include "bench_family.h"

#include <inttypes.h>
#include <string.h>

static const char *role_name(const bench_columns *columns, const bench_lab *lab, bench_role role) {
  return role == BENCH_SCAN ? columns->role(lab) : bench_role_name(role);
}

static double per_s(const bench_line *line, uint64_t count) {
  return line->time.median_seconds > 0 ? (double)count / line->time.median_seconds : 0;
}

static int is_copy(const bench_line *line) { return line->role == BENCH_COPY || line->role == BENCH_MEMCPY; }

/** A copy sorts no keys. */
static int has_keys_per_s(const bench_columns *columns, const bench_line *line) {
  return columns->keys && !is_copy(line);
}

/* ---- table ---- */

/** Writes the first two lines of the table that a line belongs to. */
static void describe(const bench_columns *columns, const bench_sheet *sheet, const bench_lab *lab,
                     char head[sizeof sheet->head]) {
  const scan_device_info *info = &lab->info;
  char what[160], beside[BENCH_LABEL_BYTES];
  columns->describe(lab, what, sizeof what);
  bench_beside_words(sheet->request, beside, sizeof beside);
  snprintf(head, sizeof sheet->head, "%s: %s; %s\n%s; medians of %" PRIu64 "%s\n", info->selector, info->name,
           info->driver, what, sheet->request->reps, beside);
}

static void print_head(const bench_columns *columns, bench_sheet *sheet, const bench_line *line, const char *head) {
  char median[16];
  if (*sheet->head) putchar('\n');
  snprintf(median, sizeof median, "median %s", columns->unit);
  printf("%s%-10s %-*s %-5s %s %12s %7s", head, "device", columns->label_width, "what", "mode", columns->table, median,
         "IQR %");
  if (columns->keys) printf(" %10s", "Mkeys/s");
  printf(" %9s %8s", "GB/s", "% limit");
  if (line->loop_ratio > 0) printf(" %12s", "x plain loop");
  if (sheet->request->has_beside) printf(" %12s", "x one thread");
  if (*line->peer) printf(" %5s %s", "x", line->peer);
  putchar('\n');
  memcpy(sheet->head, head, sizeof sheet->head);
}

/** How a line compares. A copy of keys is compared with the limit alone. */
static void print_ratios(const bench_line *line, int beside_loop, int beside_one) {
  if (line->limit_ratio > 0) printf(" %8.1f", 100 * line->limit_ratio);
  if (beside_loop && line->loop_ratio > 0) printf(" %12.2f", line->loop_ratio);
  if (beside_one && line->one_ratio > 0) printf(" %12.2f", line->one_ratio);
  if (beside_one && line->one_ratio <= 0) printf(" %12s", "-");
  if (beside_loop && line->peer_ratio > 0) printf(" %*.2f", 6 + (int)strlen(line->peer), line->peer_ratio);
  putchar('\n');
  fflush(stdout);
}

static void print(const bench_columns *columns, bench_sheet *sheet, const bench_lab *lab, const bench_line *line) {
  const int compares = !columns->keys || !is_copy(line);
  char head[sizeof sheet->head];
  describe(columns, sheet, lab, head);
  if (strcmp(sheet->head, head) != 0) print_head(columns, sheet, line, head);
  printf("%-10s %-*s %-5s ", lab->info.selector, columns->label_width, line->label, bench_mode_name(lab->mode));
  columns->print(lab);
  if (line->wrong) {
    puts("        WRONG");
    return;
  }
  printf(" %12.*f %7.1f", columns->decimals, columns->per_second * line->time.median_seconds, 100 * line->time.spread);
  if (has_keys_per_s(columns, line))
    printf(" %10.1f", 1e-6 * per_s(line, columns->keys(lab)));
  else if (columns->keys)
    printf(" %10s", "");
  printf(" %9.1f", 1e-9 * per_s(line, line->bytes));
  print_ratios(line, compares, compares && sheet->request->has_beside);
}

/* ---- JSON ---- */

static void json_time(json *j, const char *name, const bench_columns *columns, double seconds) {
  char text[16];
  snprintf(text, sizeof text, "%s_%s", name, columns->unit);
  json_real(j, text, columns->per_second * seconds);
}

static void json_times(json *j, const bench_columns *columns, const bench_lab *lab, const bench_line *line) {
  json_time(j, "median", columns, line->time.median_seconds);
  json_real(j, "iqr_percent", 100 * line->time.spread);
  json_time(j, "min", columns, line->time.least_seconds);
  if (has_keys_per_s(columns, line)) json_real(j, "keys_per_s", per_s(line, columns->keys(lab)));
  json_real(j, "gb_per_s", 1e-9 * per_s(line, line->bytes));
  if (line->limit_ratio > 0) json_real(j, "percent_of_limit", 100 * line->limit_ratio);
  if (line->loop_ratio > 0) json_real(j, "times_plain_loop", line->loop_ratio);
  if (line->one_ratio > 0) json_real(j, "times_one_thread", line->one_ratio);
  if (line->peer_ratio > 0) json_string(j, "peer", line->peer);
  if (line->peer_ratio > 0) json_real(j, "times_peer", line->peer_ratio);
}

static void json_row(json *j, const bench_columns *columns, const bench_lab *lab, const bench_line *line) {
  json_open(j, NULL, '{');
  json_string(j, "device", lab->info.selector);
  json_string(j, "device_name", lab->info.name);
  json_string(j, "driver", lab->info.driver);
  json_string(j, "what", line->label);
  json_string(j, "role", role_name(columns, lab, line->role));
  json_string(j, "mode", bench_mode_name(lab->mode));
  columns->json(j, lab);
  json_count(j, "bytes", line->bytes);
  json_bool(j, "correct", !line->wrong);
  if (!line->wrong) json_times(j, columns, lab, line);
  json_close(j, '}');
}

/* ---- CSV ---- */

void bench_csv_columns(const bench_columns *columns, char *text, size_t bytes) {
  snprintf(text, bytes,
           "device,device_name,driver,what,role,mode,%s,median_%s,iqr_percent,min_%s%s,gb_per_s,percent_of_limit,"
           "times_plain_loop,peer,times_peer",
           columns->csv_columns, columns->unit, columns->unit, columns->keys ? ",keys_per_s" : "");
}

static void csv_row(FILE *file, const bench_columns *columns, const bench_lab *lab, const bench_line *line) {
  const char *words[] = {
    lab->info.selector,        lab->info.name, lab->info.driver, line->label, role_name(columns, lab, line->role),
    bench_mode_name(lab->mode)
  };
  const int right = !line->wrong;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) bench_csv_text(file, words[i]);
  columns->csv(file, lab, line);
  bench_csv_real(file, right, columns->per_second * line->time.median_seconds);
  bench_csv_real(file, right, 100 * line->time.spread);
  bench_csv_real(file, right, columns->per_second * line->time.least_seconds);
  if (columns->keys) bench_csv_real(file, right && !is_copy(line), per_s(line, columns->keys(lab)));
  bench_csv_real(file, right, 1e-9 * per_s(line, line->bytes));
  bench_csv_real(file, line->limit_ratio > 0, 100 * line->limit_ratio);
  bench_csv_real(file, line->loop_ratio > 0, line->loop_ratio);
  bench_csv_text(file, line->peer_ratio > 0 ? line->peer : "");
  if (line->peer_ratio > 0) fprintf(file, "%.6g", line->peer_ratio);
  bench_beside_csv(file, lab->request, line->one_ratio);
  fflush(file);
}

void bench_line_write(const bench_columns *columns, bench_sheet *sheet, const bench_lab *lab, const bench_line *line) {
  if (sheet->request->as_json) json_row(&sheet->json, columns, lab, line);
  if (sheet->csv) csv_row(sheet->csv, columns, lab, line);
  if (bench_sheet_prints_table(sheet)) print(columns, sheet, lab, line);
}
