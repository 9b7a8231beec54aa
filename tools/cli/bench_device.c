/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_device.c @brief Opens devices, peers and timers; runs and reports the cases of each device. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* ---- one case ---- */

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

/** Makes one call over a poisoned output and checks it. @param[out] seconds  time of the call */
static int call_once(bench_subject *s, double *seconds) {
  int rc = s->lab->family->poison(s);
  if (rc == CLI_OK) rc = bench_forward(s->lab, scan_sync(s->lab->ctx));
  const double begun = cli_seconds();
  if (rc == CLI_OK) rc = s->start(s, 0);
  s->calls = 1;
  const scan_status status = scan_sync(s->lab->ctx);
  *seconds = cli_seconds() - begun;
  if (rc == CLI_OK) rc = bench_forward(s->lab, status);
  if (rc == CLI_OK) rc = s->lab->family->check(s);
  return s->wrong ? CLI_FAILED : rc;
}

/** Times the creation of plans and the first two calls into lab->cold. */
static int cold_case(bench_lab *lab) {
  const double begun = cli_seconds();
  int rc = lab->family->list(lab);
  lab->cold->plan += cli_seconds() - begun;
  if (rc == CLI_OK && lab->subject_count) rc = call_once(lab->subjects, &lab->cold->first);
  if (rc == CLI_OK && lab->subject_count) rc = call_once(lab->subjects, &lab->cold->second);
  bench_subjects_clear(lab);
  return rc;
}

int bench_case(bench_lab *lab, bench_mode first, bench_mode last) {
  int rc = CLI_OK;
  if (lab->cold) return cold_case(lab);
  for (int mode = (int)first; mode <= (int)last; mode++) {
    if (!lab->request->modes[mode] || !bench_mode_runs(lab, (bench_mode)mode)) continue;
    lab->mode = (bench_mode)mode;
    int one = lab->family->list(lab);
    if (one == CLI_OK && lab->subject_count) one = bench_measure(lab);
    if (one == CLI_OK) one = bench_report_case(lab);
    bench_subjects_clear(lab);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

void bench_subjects_clear(bench_lab *lab) {
  /* Calls may still be running after a failure. */
  (void)scan_sync(lab->ctx);
  for (size_t i = 0; i < lab->subject_count; i++) {
    bench_subject *s = &lab->subjects[i];
    bench_graph_destroy(s->graph);
    scan_plan_destroy(s->plan);
    if (s->peer_end) s->peer_end(s->peer_state);
  }
  lab->subject_count = 0;
}

/* ---- one device ---- */

/** Returns the number in "cuda:1"; 0 without one. */
static int ordinal_of(const scan_device_info *info) {
  const char *colon = strchr(info->selector, ':');
  return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

/** Opens the peers of this device. A peer that fails to open (such as CUB with an older driver) is skipped, unless
 * it was requested. */
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

/** Opens the driver's timing functions and the peers of this device. */
static int open_beside(bench_lab *lab) {
  int ordinal = ordinal_of(&lab->info);
  if (lab->info.backend == SCAN_BACKEND_CUDA) {
    if (bench_cuda_open(lab->ctx, ordinal, &lab->cuda) != CLI_OK) return CLI_FAILED;
    lab->stream = bench_cuda_stream(lab->cuda);
  }
  return open_peers(lab, ordinal);
}

static int open_lab(bench_lab *lab, const char *selector) {
  const double begun = cli_seconds();
  int rc = cli_open(selector, SCAN_STRATEGY_AUTO, &lab->ctx, &lab->info);
  if (rc != CLI_OK) return rc;
  if (lab->cold) lab->cold->open = cli_seconds() - begun;
  if (bench_subjects_make(lab) != CLI_OK) return CLI_FAILED;
  if (lab->cold) return CLI_OK;
  if ((lab->info.backend == SCAN_BACKEND_HOST || lab->info.is_cpu) && lab->info.compute_units > 1) {
    lab->copier = bench_copier_open(lab->info.compute_units);
    if (!lab->copier) cli_say_failure("notice: %s: memcpy by several threads is left out: no threads", selector);
  }
  rc = open_beside(lab);
  return rc == CLI_OK ? bench_beside_open(lab) : rc;
}

static void close_lab(bench_lab *lab) {
  bench_beside_close(lab);
  bench_cuda_close(lab->cuda);
  bench_copier_close(lab->copier);
  free(lab->subjects);
  scan_ctx_destroy(lab->ctx);
}

static int measure_device(const bench_request *r, const char *selector, const bench_peers *peers, bench_sheet *sheet,
                          bench_cold_times *cold) {
  const bench_family *family = r->families[r->family];
  bench_lab *lab = (bench_lab *)calloc(1, family->lab_bytes);
  if (!lab) return cli_fail("no memory for %s", selector);
  *lab = (bench_lab){ .request = r, .family = family, .cold = cold, .sheet = sheet, .loaded = peers };
  lab->buffers.pairs = 1;
  int rc = open_lab(lab, selector);
  if (rc == CLI_OK) rc = family->measure(lab);
  close_lab(lab);
  free(lab);
  return rc;
}

/* ---- --cold ---- */

static double total_of(const bench_cold_times *t) { return t->open + t->source + t->plan + t->first; }

/** Measures the first context and a later one. */
static int measure_cold(const bench_request *r, const char *selector, bench_sheet *sheet) {
  bench_cold_times times = { 0 }, later = { 0 };
  bench_row row;
  int rc = measure_device(r, selector, NULL, NULL, &times);
  if (rc == CLI_OK) rc = measure_device(r, selector, NULL, NULL, &later);
  if (rc != CLI_OK) return rc;
  bench_row_start(&row);
  row.device = selector;
  row.open = times.open;
  row.source = times.source;
  row.plan = times.plan;
  row.first = times.first;
  row.second = times.second;
  row.total = total_of(&times);
  row.later = total_of(&later);
  bench_sheet_write(sheet, &row, "");
  return CLI_OK;
}

/* ---- all devices ---- */

int bench_run_devices(const bench_request *r) {
  bench_sheet sheet;
  bench_peers peers = { .count = 0 };
  int rc = bench_sheet_open(&sheet, r);
  if (rc != CLI_OK) return rc;
  if (!r->cold) bench_peers_load(r, &peers);
  for (size_t d = 0; d < r->devices.count; d++) {
    const char *selector = r->devices.selector[d];
    int one = r->cold ? measure_cold(r, selector, &sheet) : measure_device(r, selector, &peers, &sheet, NULL);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return bench_sheet_close(&sheet) == CLI_OK ? rc : CLI_FAILED;
}
