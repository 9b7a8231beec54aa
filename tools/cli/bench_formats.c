/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_formats.c @brief The rows of `scanrt bench` for machines: JSON and CSV. */
#include "bench.h"
#include "bench_beside.h"

#include <inttypes.h>
#include <string.h>

static const char *strategy_of(const bench_row *row) {
  return row->strategy == SCAN_STRATEGY_AUTO ? "" : scan_strategy_name(row->strategy);
}

/* ---- JSON ---- */

static void json_case(json *j, const bench_row *row) {
  json_string(j, "device", row->device.selector);
  json_string(j, "device_name", row->device.name);
  json_string(j, "driver", row->device.driver);
  json_string(j, "what", row->label);
  json_string(j, "series", row->series);
  json_string(j, "role", bench_role_name(row->role));
  json_string(j, "strategy", strategy_of(row));
  json_string(j, "mode", bench_mode_name(row->mode));
  json_string(j, "type", bench_type_name(row));
  json_string(j, "input_type", bench_input_type_name(row));
  json_string(j, "op", bench_op_name(row));
  json_string(j, "kind", bench_kind_name(row->spec.kind));
  json_string(j, "segments", row->told_by);
  json_string(j, "segment_length", row->length);
  json_count(j, "segment_count", row->segments);
  json_bool(j, "check_overflow", row->spec.flags & SCAN_CHECK_OVERFLOW);
  json_count(j, "n", row->n);
  json_count(j, "bytes", row->bytes);
  json_count(j, "buffers", row->pairs);
}

static void json_times(json *j, const bench_row *row) {
  json_real(j, "median_us", 1e6 * row->time.median_seconds);
  json_real(j, "iqr_percent", 100 * row->time.spread);
  json_real(j, "min_us", 1e6 * row->time.least_seconds);
  if (row->mode == BENCH_HOST) {
    if (row->has_over_empty) json_real(j, "over_empty_us", 1e6 * row->over_empty);
    return;
  }
  json_real(j, "gb_per_s", bench_gb_per_s(row));
  json_real(j, "percent_of_copy", 100 * row->copy_ratio);
  if (row->loop_ratio > 0) json_real(j, "times_plain_loop", row->loop_ratio);
  if (row->one_ratio > 0) json_real(j, "times_one_thread", row->one_ratio);
  if (row->plain_ratio > 0) json_string(j, "plain", row->plain);
  if (row->plain_ratio > 0) json_real(j, "times_plain", row->plain_ratio);
  if (row->peer_ratio > 0) json_string(j, "peer", row->peer);
  if (row->peer_ratio > 0) json_real(j, "times_peer", row->peer_ratio);
}

void bench_json_row(json *j, const bench_row *row) {
  json_open(j, NULL, '{');
  json_case(j, row);
  if (row->role == BENCH_SCAN) json_count(j, "work", row->work);
  if (row->role == BENCH_SCAN) json_count(j, "span", row->span);
  json_bool(j, "correct", !row->wrong);
  if (!row->wrong) json_times(j, row);
  json_close(j, '}');
}

/* ---- CSV, RFC 4180 with bare line feeds ---- */

const char bench_csv_head[] =
    "device,device_name,driver,what,role,strategy,mode,type,input_type,op,kind,in_place,in_offset,out_offset,"
    "buffers,n,bytes,reps,correct,median_us,iqr_percent,min_us,gb_per_s,percent_of_copy,times_plain_loop,peer,"
    "times_peer,over_empty_us,work,span,segments,segment_length,segment_count,check_overflow,plain,times_plain";

void bench_csv_text(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\r\n")) {
    fprintf(file, "%s,", text);
    return;
  }
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputs("\",", file);
}

void bench_csv_real(FILE *file, int there, double value) {
  if (there) fprintf(file, "%.6g", value);
  fputc(',', file);
}

static void put_case(FILE *file, const bench_request *r, const bench_row *row) {
  const char *words[] = { row->device.selector,
                          row->device.name,
                          row->device.driver,
                          row->label,
                          bench_role_name(row->role),
                          strategy_of(row),
                          bench_mode_name(row->mode),
                          bench_type_name(row),
                          bench_input_type_name(row),
                          bench_op_name(row),
                          bench_kind_name(row->spec.kind) };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) bench_csv_text(file, words[i]);
  fprintf(file, "%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,", r->in_place,
          r->in_offset, r->out_offset, row->pairs, row->n, row->bytes, r->reps, row->wrong ? "false" : "true");
}

/** What came last into the format. */
static void put_segments(FILE *file, const bench_request *r, const bench_row *row, int beside_plain) {
  bench_csv_text(file, row->told_by);
  bench_csv_text(file, row->length);
  fprintf(file, "%" PRIu64 ",%d,", row->segments, (row->spec.flags & SCAN_CHECK_OVERFLOW) != 0);
  bench_csv_text(file, beside_plain ? row->plain : "");
  if (beside_plain) fprintf(file, "%.6g", row->plain_ratio);
  bench_beside_csv(file, r, row->one_ratio);
}

void bench_csv_row(FILE *file, const bench_request *request, const bench_row *row) {
  int right = !row->wrong, rate = right && row->mode != BENCH_HOST, against_peer = rate && row->peer_ratio > 0;
  put_case(file, request, row);
  bench_csv_real(file, right, 1e6 * row->time.median_seconds);
  bench_csv_real(file, right, 100 * row->time.spread);
  bench_csv_real(file, right, 1e6 * row->time.least_seconds);
  bench_csv_real(file, rate, bench_gb_per_s(row));
  bench_csv_real(file, rate && row->copy_ratio > 0, 100 * row->copy_ratio);
  bench_csv_real(file, rate && row->loop_ratio > 0, row->loop_ratio);
  bench_csv_text(file, against_peer ? row->peer : "");
  bench_csv_real(file, against_peer, row->peer_ratio);
  bench_csv_real(file, right && row->has_over_empty, 1e6 * row->over_empty);
  if (row->role == BENCH_SCAN)
    fprintf(file, "%" PRIu64 ",%" PRIu64 ",", row->work, row->span);
  else
    fputs(",,", file);
  put_segments(file, request, row, rate && row->plain_ratio > 0);
  fflush(file);
}
