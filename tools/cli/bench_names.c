/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_names.c @brief What the cases and rows of `scanrt bench` are called, and the rate of a row. */
#include "bench.h"

const char *bench_mode_name(bench_mode mode) {
  static const char *const names[] = { [BENCH_EAGER] = "eager", [BENCH_GRAPH] = "graph", [BENCH_HOST] = "host" };
  return names[mode];
}

const char *bench_role_name(bench_role role) {
  static const char *const names[] = {
    [BENCH_SCAN] = "scan",       [BENCH_COPY] = "copy",     [BENCH_PEER] = "peer",
    [BENCH_LOOP] = "plain loop", [BENCH_MEMCPY] = "memcpy", [BENCH_EMPTY] = "launch"
  };
  return names[role];
}

const char *bench_kind_name(scan_kind kind) { return kind == SCAN_EXCLUSIVE ? "exclusive" : "inclusive"; }

scan_type bench_input_type(const scan_spec *spec) {
  return spec->input_type != SCAN_TYPE_DEFAULT ? spec->input_type : spec->type;
}

const char *bench_type_name(const bench_row *row) {
  return row->composite ? row->composite->name : scan_type_name(row->spec.type);
}

const char *bench_input_type_name(const bench_row *row) {
  return row->composite ? row->composite->name : scan_type_name(bench_input_type(&row->spec));
}

const char *bench_op_name(const bench_row *row) {
  if (row->mapped) return row->mapped;
  return row->composite ? "composite" : scan_op_name(row->spec.op);
}

double bench_gb_per_s(const bench_row *row) {
  return row->time.median_seconds > 0 ? 1e-9 * (double)row->bytes / row->time.median_seconds : 0;
}
