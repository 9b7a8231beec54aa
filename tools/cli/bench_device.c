/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_device.c @brief Measures one device: opens it, goes through what is asked for, reports each case. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "bench_beside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one case ---- */

/** Median of the first right subject of a role; 0 if there is none. */
static double median_of(const bench_lab *lab, bench_role role) {
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].role == role && !lab->subjects[i].wrong)
      return bench_evaluate(&lab->subjects[i], lab->request->reps).median_seconds;
  return 0;
}

/** The same of the copy that moves as many bytes. */
static double copy_median(const bench_lab *lab, uint64_t bytes) {
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].role == BENCH_COPY && lab->subjects[i].bytes == bytes)
      return bench_evaluate(&lab->subjects[i], lab->request->reps).median_seconds;
  return 0;
}

/** The same of the plain scan. */
static double plain_median(const bench_lab *lab) {
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].manner == BENCH_PLAIN && lab->subjects[i].role == BENCH_SCAN && !lab->subjects[i].wrong)
      return bench_evaluate(&lab->subjects[i], lab->request->reps).median_seconds;
  return 0;
}

static const char *first_peer(const bench_lab *lab) {
  for (size_t i = 0; i < lab->subject_count; i++)
    if (lab->subjects[i].role == BENCH_PEER && !lab->subjects[i].wrong) return lab->subjects[i].peer->name;
  return "";
}

/** Times and ratios, of right subjects only. */
static void fill_times(const bench_lab *lab, const bench_subject *s, bench_row *row) {
  row->time = bench_evaluate(s, lab->request->reps);
  double median = row->time.median_seconds, empty = median_of(lab, BENCH_EMPTY);
  row->copy_ratio = copy_median(lab, s->bytes) / median;
  row->loop_ratio = median_of(lab, BENCH_LOOP) / median;
  row->peer_ratio = median_of(lab, BENCH_PEER) / median;
  row->plain_ratio = plain_median(lab) / median;
  row->one_ratio = bench_beside_median(lab, s) / median;
  row->has_over_empty = empty > 0;
  row->over_empty = empty > 0 ? median - empty : 0;
}

static int report_subjects(const bench_lab *lab) {
  int rc = CLI_OK;
  for (size_t i = 0; i < lab->subject_count; i++) {
    const bench_subject *s = &lab->subjects[i];
    bench_row row = { .device = lab->info, .role = s->role, .mode = lab->mode, .spec = lab->spec, .n = lab->n };
    row.composite = lab->composite;
    row.mapped = bench_maps(lab) ? lab->source->name : NULL;
    row.told_by = lab->told_by ? bench_segments_name(lab->told_by) : "";
    row.length = lab->told_by ? lab->length->name : "";
    row.segments = lab->buffers.marks.segments;
    row.plain = plain_median(lab) > 0 ? bench_plain_name(lab) : "";
    row.strategy = s->strategy;
    row.work = s->work;
    row.span = s->span;
    row.bytes = s->bytes;
    row.pairs = lab->buffers.pairs;
    row.wrong = s->wrong;
    row.beside_loop = median_of(lab, BENCH_LOOP) > 0;
    memcpy(row.label, s->label, sizeof row.label);
    memcpy(row.series, s->series, sizeof row.series);
    snprintf(row.peer, sizeof row.peer, "%s", first_peer(lab));
    if (!s->wrong) fill_times(lab, s, &row);
    if (s->wrong) rc = CLI_FAILED;
    bench_report_row(lab->report, &row);
  }
  return rc;
}

/** The plan and two runs of the scan, into lab->cold. */
static int cold_case(bench_lab *lab) {
  const double begun = cli_seconds();
  int rc = bench_subjects_scans(lab);
  lab->cold->plan = 1e3 * (cli_seconds() - begun);
  if (rc == CLI_OK) rc = bench_cold_run(lab);
  bench_subjects_clear(lab);
  return rc;
}

static int measure_case(bench_lab *lab) {
  if (lab->cold) return cold_case(lab);
  int rc = bench_subjects_list(lab);
  if (rc == CLI_OK && lab->subject_count) rc = bench_measure(lab);
  if (rc == CLI_OK) rc = report_subjects(lab);
  bench_subjects_clear(lab);
  return rc;
}

/* ---- sweeps ---- */

int bench_mode_runs(bench_lab *lab, bench_mode mode) {
  const char *why = NULL;
  if (mode == BENCH_GRAPH && !lab->cuda) why = "only CUDA devices have graphs";
  if (mode == BENCH_HOST && lab->info.backend == SCAN_BACKEND_HOST) why = "its calls return when their work is done";
  if (why && !(lab->told_modes & 1u << mode))
    cli_say_failure("notice: %s: %s is left out: %s", lab->info.selector,
                    mode == BENCH_GRAPH ? "--mode graph" : "--host-cost", why);
  if (why) lab->told_modes |= 1u << mode;
  return !why;
}

/** One n in the modes from `first` to `last`. */
static int measure_size(bench_lab *lab, uint64_t n, bench_mode first, bench_mode last) {
  int any = 0;
  for (int mode = (int)first; mode <= (int)last; mode++)
    any |= lab->request->modes[mode] && bench_mode_runs(lab, (bench_mode)mode);
  if (!any) return CLI_OK;
  lab->n = n;
  int rc = bench_buffers_make(lab), made = rc == CLI_OK;
  for (int mode = (int)first; mode <= (int)last && made; mode++) {
    lab->mode = (bench_mode)mode;
    if (lab->request->modes[mode] && bench_mode_runs(lab, lab->mode) && measure_case(lab) != CLI_OK) rc = CLI_FAILED;
  }
  bench_buffers_clear(lab);
  return rc;
}

/** Throughput at all n, then, in a table of its own, the cost of the calls. */
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

/** Segments of each length, told in each way; or none. */
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

/** An operator from source, beside the built-in one that it equals, where there is one. */
static int measure_source(bench_lab *lab, const source_operator *source, scan_type type, scan_kind kind) {
  lab->spec = (scan_spec)SCAN_SPEC_INIT(type, source->twin, kind);
  lab->spec.input_type = source->input_type;
  lab->spec.flags = lab->request->backward ? SCAN_BACKWARD : 0;
  const double begun = cli_seconds();
  scan_status status = source_operator_create(source, type, lab->ctx, &lab->custom_op);
  if (lab->cold) lab->cold->source = 1e3 * (cli_seconds() - begun);
  if (status != SCAN_SUCCESS) return cli_fail_scan(lab->ctx, status, lab->info.selector);
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
    size_t types = source->composite || source->map ? 1 : r->type_count; /* some bring their own */
    for (size_t t = 0; t < types; t++)
      for (int kind = SCAN_INCLUSIVE; kind <= SCAN_EXCLUSIVE; kind++) {
        scan_type type = source->composite ? SCAN_TYPE_DEFAULT : source->map ? source->type : r->types[t];
        if (r->kinds[kind] && measure_source(lab, source, type, (scan_kind)kind) != CLI_OK) rc = CLI_FAILED;
      }
  }
  return rc;
}

/* ---- the device ---- */

/** The number in "cuda:1"; 0 for others. */
static int ordinal_of(const scan_device_info *info) {
  const char *colon = strchr(info->selector, ':');
  return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

/** Opens the peers of this device. One that cannot, such as CUB under an older driver, is left out, unless it was asked
 *  for. */
static int open_peers(bench_lab *lab, int ordinal) {
  for (size_t i = 0; i < lab->loaded->count; i++) {
    const bench_peer *peer = lab->loaded->peer[i];
    if (peer->backend != lab->info.backend) continue;
    if (peer->open(ordinal) == 0)
      lab->peers[lab->peer_count++] = peer;
    else if (lab->request->peer_count)
      return bench_peer_fail(peer, "cannot open the device");
    else
      cli_say_failure("notice: %s is left out: it cannot open %s: %s", peer->name, lab->info.selector,
                      peer->last_error());
  }
  return CLI_OK;
}

/** What goes beside the library: the driver's functions for timing, and the peers of this device. */
static int open_beside(bench_lab *lab) {
  int ordinal = ordinal_of(&lab->info);
  if (lab->info.backend == SCAN_BACKEND_CUDA) {
    if (bench_cuda_open(lab->ctx, ordinal, &lab->cuda) != CLI_OK) return CLI_FAILED;
    lab->stream = bench_cuda_stream(lab->cuda);
  }
  return open_peers(lab, ordinal);
}

int bench_lab_open(bench_lab *lab, const char *selector) {
  const double begun = cli_seconds();
  int rc = cli_open(selector, SCAN_STRATEGY_AUTO, &lab->ctx, &lab->info);
  if (rc != CLI_OK) return rc;
  if (lab->cold) lab->cold->open = 1e3 * (cli_seconds() - begun);
  lab->subjects = calloc(BENCH_MAX_SUBJECTS, sizeof *lab->subjects);
  if (!lab->subjects) return cli_fail("no memory for the timings");
  if (lab->cold) return CLI_OK;
  if ((lab->info.backend == SCAN_BACKEND_HOST || lab->info.is_cpu) && lab->info.compute_units > 1) {
    lab->copier = bench_copier_open(lab->info.compute_units);
    if (!lab->copier) cli_say_failure("notice: %s: memcpy by several threads is left out: no threads", selector);
  }
  rc = open_beside(lab);
  return rc == CLI_OK ? bench_beside_open(lab) : rc;
}

void bench_lab_close(bench_lab *lab) {
  bench_beside_close(lab);
  bench_cuda_close(lab->cuda);
  bench_copier_close(lab->copier);
  free(lab->subjects);
  scan_ctx_destroy(lab->ctx);
}

int bench_device(const bench_request *request, const char *selector, const bench_peers *peers, bench_report *report,
                 bench_cold_times *cold) {
  bench_lab lab = { .request = request, .report = report, .loaded = peers, .cold = cold };
  int rc = bench_lab_open(&lab, selector);
  if (rc == CLI_OK) {
    int built_in = measure_specs(&lab), sources = measure_sources(&lab);
    rc = built_in != CLI_OK ? built_in : sources;
  }
  bench_lab_close(&lab);
  return rc;
}
