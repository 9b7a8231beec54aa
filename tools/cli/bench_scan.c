/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_scan.c @brief `scanrt bench` for scans: visits the cases of a device, and fills their columns. */
#include "bench_scan.h"
#include "bench_options.h"

#include <string.h>

/* ---- sweeps ---- */

/** Measures one n in the modes from `first` to `last`. */
static int measure_size(bench_state *bench, uint64_t n, bench_mode first, bench_mode last) {
  int any = 0;
  for (int mode = (int)first; mode <= (int)last; mode++)
    any |= bench->request->modes[mode] && bench_mode_runs(bench, (bench_mode)mode);
  if (!any) return CLI_OK;
  bench->n = n;
  int rc = bench_buffers_make(bench);
  if (rc == CLI_OK) rc = bench_case(bench, first, last);
  bench_buffers_clear(bench);
  return rc;
}

/** Measures the throughput at all n, then, in a table of its own, the time of the calls. */
static int measure_spec(bench_state *bench) {
  const bench_request *r = bench->request;
  int rc = CLI_OK;
  memset(bench->reported_strategies, 0, sizeof bench->reported_strategies);
  for (size_t i = 0; i < r->size_count; i++)
    if (measure_size(bench, r->sizes[i], BENCH_EAGER, BENCH_GRAPH) != CLI_OK) rc = CLI_FAILED;
  for (size_t i = 0; i < r->size_count; i++)
    if (measure_size(bench, r->sizes[i], BENCH_HOST, BENCH_HOST) != CLI_OK) rc = CLI_FAILED;
  return rc;
}

/** Measures scans in segments of each length and kind of marks, or without segments. */
static int measure_segments(bench_state *bench) {
  const bench_request *r = bench->request;
  int rc = CLI_OK;
  if (!r->segments) return measure_spec(bench);
  for (int kind = SCAN_SEGMENTS_FLAGS; kind < BENCH_KINDS; kind++)
    for (size_t i = 0; i < r->length_count && r->segments >> kind & 1; i++) {
      bench->segments_kind = (scan_segments)kind;
      bench->length = &r->lengths[i];
      if (measure_spec(bench) != CLI_OK) rc = CLI_FAILED;
    }
  bench->segments_kind = SCAN_SEGMENTS_NONE;
  return rc;
}

static int measure_specs(bench_state *bench) {
  const bench_request *r = bench->request;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++)
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        if (!r->kinds[kind] || !scan_spec_defined(r->types[t], r->input_type, r->ops[o])) continue;
        bench->spec = (scan_spec)SCAN_SPEC_INIT(r->types[t], r->ops[o], (scan_kind)kind);
        bench->spec.input_type = r->input_type;
        bench->spec.flags = (r->backward ? SCAN_BACKWARD : 0) | (r->check_overflow ? SCAN_CHECK_OVERFLOW : 0);
        if (measure_segments(bench) != CLI_OK) rc = CLI_FAILED;
      }
  return rc;
}

/** Measures an operator from source, beside the equal built-in one if it exists. */
static int measure_source(bench_state *bench, const source_operator *source, scan_type type, scan_kind kind) {
  bench->spec = (scan_spec)SCAN_SPEC_INIT(type, source->built_in_op, kind);
  bench->spec.input_type = source->input_type;
  bench->spec.flags = bench->request->backward ? SCAN_BACKWARD : 0;
  const double begun = cli_seconds();
  scan_status status = source_operator_create(source, type, bench->ctx, &bench->custom_op);
  if (bench->cold) bench->cold->source = cli_seconds() - begun;
  if (status != SCAN_SUCCESS) return bench_forward(bench, status);
  if (bench->one) status = source_operator_create(source, type, bench->one, &bench->one_op);
  if (status != SCAN_SUCCESS) return cli_fail_scan(bench->one, status, bench->info.selector);
  bench->which = source->composite;
  bench->composite = scan_composite_get(bench->which);
  if (bench->composite)
    bench->spec.custom_op = bench->custom_op;
  else
    bench->source = source;
  int rc = measure_segments(bench);
  bench->source = NULL;
  bench->composite = NULL;
  scan_op_destroy(bench->one_op);
  scan_op_destroy(bench->custom_op);
  bench->custom_op = bench->one_op = NULL;
  return rc;
}

static int measure_sources(bench_state *bench) {
  const bench_request *r = bench->request;
  int rc = CLI_OK;
  for (size_t s = 0; s < r->source_count; s++) {
    const source_operator *source = &r->sources[s];
    size_t types = source->composite || source->map ? 1 : r->type_count; /* some have fixed types */
    for (size_t t = 0; t < types; t++)
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        scan_type type = source->composite ? SCAN_TYPE_DEFAULT : source->map ? source->type : r->types[t];
        if (r->kinds[kind] && measure_source(bench, source, type, (scan_kind)kind) != CLI_OK) rc = CLI_FAILED;
      }
  }
  return rc;
}

static int scans_measure(bench_state *bench) {
  const int built_in = measure_specs(bench), sources = measure_sources(bench);
  return built_in != CLI_OK ? built_in : sources;
}

/* ---- lines ---- */

static const char *type_of(const bench_state *bench) {
  return bench->composite ? bench->composite->name : scan_type_name(bench->spec.type);
}

static const char *input_type_of(const bench_state *bench) {
  return bench->composite ? bench->composite->name : scan_type_name(bench_input_type(&bench->spec));
}

static const char *kind_name_of(const bench_state *bench) {
  return bench->request->totals ? "total" : bench_kind_name(bench->spec.kind);
}

static const char *op_of(const bench_state *bench) {
  if (bench_maps(bench)) return bench->source->name;
  return bench->composite ? "composite" : scan_op_name(bench->spec.op);
}

static void scans_describe(const bench_state *bench, char *text, size_t bytes) {
  const bench_request *r = bench->request;
  const char *const backward = r->backward ? "backward " : "", *const place = r->in_place ? " in place" : "";
  const char *const from = bench_input_type(&bench->spec) == bench->spec.type ? "" : input_type_of(bench);
  int used;
  if (r->difference)
    used = snprintf(text, bytes, "%sdifferences of %s%s", backward, type_of(bench), place);
  else
    used = snprintf(text, bytes, "%s%s %s%s%s %s%s%s%s", backward, kind_name_of(bench), from, *from ? " to " : "",
                    type_of(bench), op_of(bench), r->check_overflow ? " checked for overflow" : "",
                    r->carry ? " with a carry" : "", place);
  const int has_type = bench->segments_kind == SCAN_SEGMENTS_KEYS && bench->request->segment_key_type != SCAN_I32;
  if (bench->segments_kind)
    used += snprintf(text + used, bytes - (size_t)used, ", segments of %s by %s%s%s", bench->length->name,
                     bench_segments_name(bench->segments_kind), has_type ? " of " : "",
                     has_type ? scan_type_name(bench->request->segment_key_type) : "");
  if (bench->mode == BENCH_HOST) snprintf(text + used, bytes - (size_t)used, "; time of the calls on the host");
}

static void scans_fill(const bench_entry *s, bench_row *row) {
  const bench_state *bench = s->bench;
  const bench_request *r = bench->request;
  const int is_scan = s->role == BENCH_SCAN;
  if (s->items) row->n = s->items;
  row->strategy = s->strategy == SCAN_STRATEGY_AUTO ? "" : scan_strategy_name(s->strategy);
  row->type = type_of(bench);
  row->input_type = input_type_of(bench);
  row->op = op_of(bench);
  row->kind = kind_name_of(bench);
  row->segments = bench->segments_kind ? bench_segments_name(bench->segments_kind) : "";
  row->segment_length = bench->segments_kind ? bench->length->name : "";
  row->segment_count = bench->buffers.marks.segments;
  row->check_overflow = (bench->spec.flags & SCAN_CHECK_OVERFLOW) != 0;
  row->buffers = bench->buffers.pairs;
  row->in_place = (uint64_t)r->in_place;
  row->in_offset = r->in_offset;
  row->out_offset = r->out_offset;
  row->plain_head = bench_has_plain(bench) ? bench_plain_name(bench) : NULL;
  if (row->plain_ratio > 0) row->plain = row->plain_head;
  if (is_scan) row->work = s->work;
  if (is_scan) row->span = s->span;
  if (is_scan && r->gallery) bench_gallery_fill(s, row);
}

const bench_kind bench_scan = { .name = NULL,
                                .options = bench_scan_options,
                                .request_bytes = sizeof(bench_request),
                                .bench_state_bytes = sizeof(bench_state),
                                .reps = 20,
                                .help = bench_scan_help,
                                .complete = bench_scan_complete,
                                .measure = scans_measure,
                                .list = bench_scan_list,
                                .poison = bench_scan_poison,
                                .check = bench_scan_check,
                                .check_alone = bench_scan_check_alone,
                                .describe = scans_describe,
                                .fill = scans_fill };
