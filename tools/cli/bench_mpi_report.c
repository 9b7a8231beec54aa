/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_mpi_report.c @brief The lines of `scanrt bench --mpi`: table, JSON, CSV. */
#include "bench_mpi.h"

#include <inttypes.h>

const char bench_mpi_csv_head[] =
    "device,device_name,driver,mpi,takes_device_memory,type,kind,scaling,ranks,n,reps,correct,alone_us,median_us,"
    "iqr_percent,min_us,gb_per_s,percent_of_alone,sent_bytes,op_source";

static const char *scaling_name(bench_scaling scaling) { return scaling == BENCH_WEAK ? "weak" : "strong"; }

static double gb_per_s(const bench_mpi_lab *lab, const bench_mpi_row *row) {
  return 2e-9 * (double)(row->n * lab->item_bytes) / row->time.median_seconds;
}

static double part_of_alone(const bench_mpi_row *row) { return row->alone.median_seconds / row->time.median_seconds; }

/* ---- table ---- */

void bench_mpi_report_head(const bench_mpi_lab *lab) {
  const bench_request *r = &lab->request->base;
  if (!bench_sheet_prints_table(lab->sheet)) return;
  printf("%s sums of %s%s; %d rank%s, rank 0 on %s (%s); %s; medians of %" PRIu64 "\n",
         bench_kind_name(lab->built_in.kind), scan_type_name(lab->built_in.type), lab->op ? " from source" : "",
         lab->ranks->count, lab->ranks->count == 1 ? "" : "s", lab->info.selector, lab->info.name, lab->library,
         r->reps);
  if (r->cold)
    printf("%5s %12s %10s %10s %10s %7s %14s\n", "ranks", "n a rank", "open ms", "first ms", "median ms", "IQR %",
           "plain loop ms");
  else
    printf("%-7s %5s %12s %12s %12s %7s %12s %8s %12s\n", "scaling", "ranks", "n a rank", "alone us", "median us",
           "IQR %", "GB/s a rank", "% alone", "sent bytes");
  fflush(stdout);
}

static void print_row(const bench_mpi_lab *lab, const bench_mpi_row *row) {
  if (lab->request->base.cold)
    printf("%5d %12" PRIu64, row->ranks, row->n);
  else
    printf("%-7s %5d %12" PRIu64, scaling_name(row->scaling), row->ranks, row->n);
  if (row->wrong)
    puts("        WRONG");
  else if (lab->request->base.cold)
    printf(" %10.2f %10.2f %10.2f %7.1f %14.2f\n", 1e3 * row->open, 1e3 * row->first, 1e3 * row->time.median_seconds,
           100 * row->time.spread, 1e3 * row->by_loop.median_seconds);
  else
    printf(" %12.2f %12.2f %7.1f %12.2f %8.1f %12" PRIu64 "\n", 1e6 * row->alone.median_seconds,
           1e6 * row->time.median_seconds, 100 * row->time.spread, gb_per_s(lab, row), 100 * part_of_alone(row),
           row->sent_bytes);
  fflush(stdout);
}

/* ---- for machines ---- */

static void json_times(json *j, const bench_mpi_lab *lab, const bench_mpi_row *row) {
  if (lab->request->base.cold) {
    json_real(j, "open_ms", 1e3 * row->open);
    json_real(j, "first_ms", 1e3 * row->first);
    json_real(j, "median_ms", 1e3 * row->time.median_seconds);
    json_real(j, "iqr_percent", 100 * row->time.spread);
    json_real(j, "plain_loop_ms", 1e3 * row->by_loop.median_seconds);
    return;
  }
  json_real(j, "alone_us", 1e6 * row->alone.median_seconds);
  json_real(j, "median_us", 1e6 * row->time.median_seconds);
  json_real(j, "iqr_percent", 100 * row->time.spread);
  json_real(j, "min_us", 1e6 * row->time.least_seconds);
  json_real(j, "gb_per_s", gb_per_s(lab, row));
  json_real(j, "percent_of_alone", 100 * part_of_alone(row));
  json_count(j, "sent_bytes", row->sent_bytes);
}

static void json_row(json *j, const bench_mpi_lab *lab, const bench_mpi_row *row) {
  json_open(j, NULL, '{');
  json_string(j, "device", lab->info.selector);
  json_string(j, "device_name", lab->info.name);
  json_string(j, "driver", lab->info.driver);
  json_string(j, "mpi", lab->library);
  json_bool(j, "takes_device_memory", row->takes_device);
  json_string(j, "type", scan_type_name(lab->built_in.type));
  json_bool(j, "op_source", lab->op != NULL);
  json_string(j, "kind", bench_kind_name(lab->built_in.kind));
  json_string(j, "scaling", scaling_name(row->scaling));
  json_count(j, "ranks", (uint64_t)row->ranks);
  json_count(j, "n", row->n);
  json_bool(j, "correct", !row->wrong);
  if (!row->wrong) json_times(j, lab, row);
  json_close(j, '}');
}

static void csv_row(FILE *file, const bench_mpi_lab *lab, const bench_mpi_row *row) {
  const char *const words[] = { lab->info.selector, lab->info.name, lab->info.driver, lab->library };
  const int right = !row->wrong;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) bench_csv_text(file, words[i]);
  fprintf(file, "%d,%s,%s,%s,%d,%" PRIu64 ",%" PRIu64 ",%s,", row->takes_device, scan_type_name(lab->built_in.type),
          bench_kind_name(lab->built_in.kind), scaling_name(row->scaling), row->ranks, row->n, lab->request->base.reps,
          right ? "true" : "false");
  bench_csv_real(file, right, 1e6 * row->alone.median_seconds);
  bench_csv_real(file, right, 1e6 * row->time.median_seconds);
  bench_csv_real(file, right, 100 * row->time.spread);
  bench_csv_real(file, right, 1e6 * row->time.least_seconds);
  bench_csv_real(file, right, gb_per_s(lab, row));
  bench_csv_real(file, right, 100 * part_of_alone(row));
  fprintf(file, "%" PRIu64 ",%s\n", row->sent_bytes, lab->op ? "add" : "");
  fflush(file);
}

void bench_mpi_report_row(const bench_mpi_lab *lab, const bench_mpi_row *row) {
  if (lab->request->base.as_json) json_row(&lab->sheet->json, lab, row);
  if (lab->sheet->csv) csv_row(lab->sheet->csv, lab, row);
  if (bench_sheet_prints_table(lab->sheet)) print_row(lab, row);
}
