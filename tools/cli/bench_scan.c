/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_scan.c @brief `scanrt bench` for scans: visits the cases of a device, and fills their columns. */
#include "bench_scan.h"
#include "bench_options.h"

#include <string.h>

/* ---- sweeps ---- */

/** Measures one n in the modes from `first` to `last`. */
static int measure_size(bench_lab *lab, uint64_t n, bench_mode first, bench_mode last) {
  int any = 0;
  for (int mode = (int)first; mode <= (int)last; mode++)
    any |= lab->request->modes[mode] && bench_mode_runs(lab, (bench_mode)mode);
  if (!any) return CLI_OK;
  lab->n = n;
  int rc = bench_buffers_make(lab);
  if (rc == CLI_OK) rc = bench_case(lab, first, last);
  bench_buffers_clear(lab);
  return rc;
}

/** Measures the throughput at all n, then, in a table of its own, the time of the calls. */
static int measure_spec(bench_lab *lab) {
  const bench_request *r = lab->request;
  int rc = CLI_OK;
  memset(lab->told_strategies, 0, sizeof lab->told_strategies);
  for (size_t i = 0; i < r->size_count; i++)
    if (measure_size(lab, r->sizes[i], BENCH_EAGER, BENCH_GRAPH) != CLI_OK) rc = CLI_FAILED;
  for (size_t i = 0; i < r->size_count; i++)
    if (measure_size(lab, r->sizes[i], BENCH_HOST, BENCH_HOST) != CLI_OK) rc = CLI_FAILED;
  return rc;
}

/** Measures scans in segments of each length and kind of marks, or without segments. */
static int measure_segments(bench_lab *lab) {
  const bench_request *r = lab->request;
  int rc = CLI_OK;
  if (!r->segments) return measure_spec(lab);
  for (int kind = SCAN_SEGMENTS_FLAGS; kind < BENCH_KINDS; kind++)
    for (size_t i = 0; i < r->length_count && r->segments >> kind & 1; i++) {
      lab->told_by = (scan_segments)kind;
      lab->length = &r->lengths[i];
      if (measure_spec(lab) != CLI_OK) rc = CLI_FAILED;
    }
  lab->told_by = SCAN_SEGMENTS_NONE;
  return rc;
}

static int measure_specs(bench_lab *lab) {
  const bench_request *r = lab->request;
  int rc = CLI_OK;
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++)
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        if (!r->kinds[kind] || !scan_spec_defined(r->types[t], r->input_type, r->ops[o])) continue;
        lab->spec = (scan_spec)SCAN_SPEC_INIT(r->types[t], r->ops[o], (scan_kind)kind);
        lab->spec.input_type = r->input_type;
        lab->spec.flags = (r->backward ? SCAN_BACKWARD : 0) | (r->check_overflow ? SCAN_CHECK_OVERFLOW : 0);
        if (measure_segments(lab) != CLI_OK) rc = CLI_FAILED;
      }
  return rc;
}

/** Measures an operator from source, beside the equal built-in one if it exists. */
static int measure_source(bench_lab *lab, const source_operator *source, scan_type type, scan_kind kind) {
  lab->spec = (scan_spec)SCAN_SPEC_INIT(type, source->twin, kind);
  lab->spec.input_type = source->input_type;
  lab->spec.flags = lab->request->backward ? SCAN_BACKWARD : 0;
  const double begun = cli_seconds();
  scan_status status = source_operator_create(source, type, lab->ctx, &lab->custom_op);
  if (lab->cold) lab->cold->source = cli_seconds() - begun;
  if (status != SCAN_SUCCESS) return bench_forward(lab, status);
  if (lab->one) status = source_operator_create(source, type, lab->one, &lab->one_op);
  if (status != SCAN_SUCCESS) return cli_fail_scan(lab->one, status, lab->info.selector);
  lab->which = source->composite;
  lab->composite = scan_composite_get(lab->which);
  if (lab->composite)
    lab->spec.custom_op = lab->custom_op;
  else
    lab->source = source;
  int rc = measure_segments(lab);
  lab->source = NULL;
  lab->composite = NULL;
  scan_op_destroy(lab->one_op);
  scan_op_destroy(lab->custom_op);
  lab->custom_op = lab->one_op = NULL;
  return rc;
}

static int measure_sources(bench_lab *lab) {
  const bench_request *r = lab->request;
  int rc = CLI_OK;
  for (size_t s = 0; s < r->source_count; s++) {
    const source_operator *source = &r->sources[s];
    size_t types = source->composite || source->map ? 1 : r->type_count; /* some have fixed types */
    for (size_t t = 0; t < types; t++)
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        scan_type type = source->composite ? SCAN_TYPE_DEFAULT : source->map ? source->type : r->types[t];
        if (r->kinds[kind] && measure_source(lab, source, type, (scan_kind)kind) != CLI_OK) rc = CLI_FAILED;
      }
  }
  return rc;
}

static int measure(bench_lab *lab) {
  const int built_in = measure_specs(lab), sources = measure_sources(lab);
  return built_in != CLI_OK ? built_in : sources;
}

/* ---- lines ---- */

static const char *type_of(const bench_lab *lab) {
  return lab->composite ? lab->composite->name : scan_type_name(lab->spec.type);
}

static const char *input_type_of(const bench_lab *lab) {
  return lab->composite ? lab->composite->name : scan_type_name(bench_input_type(&lab->spec));
}

static const char *op_of(const bench_lab *lab) {
  if (bench_maps(lab)) return lab->source->name;
  return lab->composite ? "composite" : scan_op_name(lab->spec.op);
}

static void describe(const bench_lab *lab, char *text, size_t bytes) {
  const bench_request *r = lab->request;
  const char *const backward = r->backward ? "backward " : "", *const place = r->in_place ? " in place" : "";
  const char *const from = bench_input_type(&lab->spec) == lab->spec.type ? "" : input_type_of(lab);
  int used;
  if (r->difference)
    used = snprintf(text, bytes, "%sdifferences of %s%s", backward, type_of(lab), place);
  else
    used = snprintf(text, bytes, "%s%s %s%s%s %s%s%s%s", backward, bench_kind_name(lab->spec.kind), from,
                    *from ? " to " : "", type_of(lab), op_of(lab), r->check_overflow ? " checked for overflow" : "",
                    r->carry ? " with a carry" : "", place);
  if (lab->told_by)
    used += snprintf(text + used, bytes - (size_t)used, ", segments of %s by %s", lab->length->name,
                     bench_segments_name(lab->told_by));
  if (lab->mode == BENCH_HOST) snprintf(text + used, bytes - (size_t)used, "; time of the calls on the host");
}

static void fill(const bench_subject *s, bench_row *row) {
  const bench_lab *lab = s->lab;
  const bench_request *r = lab->request;
  const int is_scan = s->role == BENCH_SCAN;
  row->strategy = s->strategy == SCAN_STRATEGY_AUTO ? "" : scan_strategy_name(s->strategy);
  row->type = type_of(lab);
  row->input_type = input_type_of(lab);
  row->op = op_of(lab);
  row->kind = bench_kind_name(lab->spec.kind);
  row->segments = lab->told_by ? bench_segments_name(lab->told_by) : "";
  row->segment_length = lab->told_by ? lab->length->name : "";
  row->segment_count = lab->buffers.marks.segments;
  row->check_overflow = (lab->spec.flags & SCAN_CHECK_OVERFLOW) != 0;
  row->buffers = lab->buffers.pairs;
  row->in_place = (uint64_t)r->in_place;
  row->in_offset = r->in_offset;
  row->out_offset = r->out_offset;
  row->plain_head = bench_has_plain(lab) ? bench_plain_name(lab) : NULL;
  if (row->plain_ratio > 0) row->plain = row->plain_head;
  if (is_scan) row->work = s->work;
  if (is_scan) row->span = s->span;
}

const bench_family bench_scan = { .name = NULL,
                                  .options = bench_scan_options,
                                  .request_bytes = sizeof(bench_request),
                                  .lab_bytes = sizeof(bench_lab),
                                  .reps = 20,
                                  .help = bench_scan_help,
                                  .complete = bench_scan_complete,
                                  .measure = measure,
                                  .list = bench_scan_list,
                                  .poison = bench_scan_poison,
                                  .check = bench_scan_check,
                                  .check_alone = bench_scan_check_alone,
                                  .describe = describe,
                                  .fill = fill };
