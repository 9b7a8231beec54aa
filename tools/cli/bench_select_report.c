/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_report.c @brief The columns of `scanrt bench --select`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"

#include <inttypes.h>

static const char *role_name(const bench_lab *base) {
  (void)base;
  return "select";
}

static const char *type_of(const select_lab *lab) {
  return lab->by == BENCH_SELECT_REDUCE ? scan_type_name(lab->base.spec.type) : "";
}

static const char *op_of(const select_lab *lab) {
  return lab->by == BENCH_SELECT_REDUCE ? scan_op_name(lab->base.spec.op) : "";
}

static void describe(const bench_lab *base, char *text, size_t bytes) {
  const select_lab *lab = (const select_lab *)base;
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

static void print(const bench_lab *base) {
  const select_lab *lab = (const select_lab *)base;
  printf("%12" PRIu64 " %7s %7.2f", lab->n, lab->share->name, 100 * (double)lab->truth.kept / (double)lab->n);
}

static void write_json(json *j, const bench_lab *base) {
  const select_lab *lab = (const select_lab *)base;
  json_string(j, "by", select_by_name(lab->by));
  json_string(j, "rest", select_rest_name(lab->rest));
  json_string(j, "payload", lab->payload->name);
  if (*type_of(lab)) json_string(j, "type", type_of(lab));
  if (*op_of(lab)) json_string(j, "op", op_of(lab));
  json_string(j, select_is_by_runs(lab->by) ? "run_length" : "share", lab->share->name);
  json_count(j, "n", lab->n);
  json_count(j, "kept", lab->truth.kept);
}

static void write_csv(FILE *file, const bench_lab *base, const bench_line *line) {
  const select_lab *lab = (const select_lab *)base;
  const char *words[] = {
    select_by_name(lab->by), select_rest_name(lab->rest), lab->payload->name, type_of(lab), op_of(lab), lab->share->name
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) bench_csv_text(file, words[i]);
  fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,", lab->n, lab->truth.kept, line->bytes,
          base->request->reps, line->wrong ? "false" : "true");
}

const bench_columns select_columns = {
  .table = "           n   given  kept %",
  .csv_columns = "by,rest,payload,type,op,share_or_run_length,n,kept,bytes,reps,correct",
  .unit = "us",
  .per_second = 1e6,
  .decimals = 2,
  .label_width = 22,
  .role = role_name,
  .describe = describe,
  .print = print,
  .json = write_json,
  .csv = write_csv,
};
