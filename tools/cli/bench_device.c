/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_device.c @brief Opens devices, peers and timers; runs and reports the cases of each device. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_opencl.h>

/* ---- one case ---- */

int bench_mode_runs(bench_state *bench, bench_mode mode) {
  const char *why = NULL;
  if (mode == BENCH_GRAPH && !bench->cuda) why = "only CUDA devices have graphs";
  if (mode == BENCH_HOST && bench->info.backend == SCAN_BACKEND_HOST) why = "its calls return when their work is done";
  if (why && !(bench->reported_modes & 1u << mode))
    cli_say_failure("notice: %s: %s is left out: %s", bench->info.selector,
                    mode == BENCH_GRAPH ? "--mode graph" : "--host-cost", why);
  if (why) bench->reported_modes |= 1u << mode;
  return !why;
}

/** Makes one call over a poisoned output and checks it. @param[out] seconds  time of the call */
static int call_once(bench_entry *s, double *seconds) {
  int rc = s->bench->measurement->poison(s);
  if (rc == CLI_OK) rc = bench_forward(s->bench, scan_sync(s->bench->ctx));
  const double begun = cli_seconds();
  if (rc == CLI_OK) rc = s->start(s, 0);
  s->calls = 1;
  const scan_status status = scan_sync(s->bench->ctx);
  *seconds = cli_seconds() - begun;
  if (rc == CLI_OK) rc = bench_forward(s->bench, status);
  if (rc == CLI_OK) rc = s->bench->measurement->check(s);
  return s->wrong ? CLI_FAILED : rc;
}

/** Times the creation of plans and the first two calls into bench->cold. */
static int cold_case(bench_state *bench) {
  const double begun = cli_seconds();
  int rc = bench->measurement->list(bench);
  bench->cold->plan += cli_seconds() - begun;
  if (rc == CLI_OK && bench->entry_count) rc = call_once(bench->entries, &bench->cold->first);
  if (rc == CLI_OK && bench->entry_count) rc = call_once(bench->entries, &bench->cold->second);
  bench_entries_clear(bench);
  return rc;
}

int bench_case(bench_state *bench, bench_mode first, bench_mode last) {
  int rc = CLI_OK;
  if (bench->cold) return cold_case(bench);
  for (int mode = (int)first; mode <= (int)last; mode++) {
    if (!bench->request->modes[mode] || !bench_mode_runs(bench, (bench_mode)mode)) continue;
    bench->mode = (bench_mode)mode;
    int one = bench->measurement->list(bench);
    if (bench->watch) bench->watch->keep(bench);
    if (one == CLI_OK && bench->entry_count) one = bench_measure(bench);
    if (one == CLI_OK) one = bench_report_case(bench);
    bench_entries_clear(bench);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return rc;
}

void bench_entries_clear(bench_state *bench) {
  /* Calls may still be running after a failure. */
  (void)scan_sync(bench->ctx);
  for (size_t i = 0; i < bench->entry_count; i++) {
    bench_entry *s = &bench->entries[i];
    bench_graph_destroy(s->graph);
    scan_plan_destroy(s->plan);
    if (s->peer_end) s->peer_end(s->peer_state);
  }
  bench->entry_count = 0;
}

/* ---- one device ---- */

/** Returns the number in "cuda:1"; 0 without one. */
static int ordinal_of(const scan_device_info *info) {
  const char *colon = strchr(info->selector, ':');
  return colon ? (int)strtol(colon + 1, NULL, 10) : 0;
}

/** Opens the peers of this device. A peer that fails to open (such as CUB with an older driver) is skipped, unless
 * it was requested. */
static int open_peers(bench_state *bench, int ordinal) {
  for (size_t i = 0; i < bench->loaded->count; i++) {
    const bench_peer *peer = bench->loaded->peer[i];
    if (peer->backend != bench->info.backend) continue;
    if (peer->open(ordinal) == 0)
      bench->peers[bench->peer_count++] = peer;
    else if (bench->request->peer_count)
      return bench_peer_fail(peer, "cannot open the device");
    else
      cli_say_failure("notice: %s is left out: it cannot open %s: %s", peer->name, bench->info.selector,
                      peer->last_error());
  }
  return CLI_OK;
}

/** Opens the driver's timing functions and the peers of this device. */
static int open_beside(bench_state *bench) {
  int ordinal = ordinal_of(&bench->info);
  if (bench->info.backend == SCAN_BACKEND_CUDA) {
    if (bench_cuda_open(bench->ctx, ordinal, &bench->cuda) != CLI_OK) return CLI_FAILED;
    bench->stream = bench_cuda_stream(bench->cuda);
  }
  if (bench->info.backend == SCAN_BACKEND_OPENCL) {
    struct _cl_command_queue *queue = NULL;
    if (bench_forward(bench, scan_opencl_queue(bench->ctx, &queue)) != CLI_OK) return CLI_FAILED;
    bench->stream = queue;
  }
  return open_peers(bench, ordinal);
}

static int open_state(bench_state *bench, const char *selector) {
  const double begun = cli_seconds();
  int rc = cli_open(selector, SCAN_STRATEGY_AUTO, &bench->ctx, &bench->info);
  if (rc != CLI_OK) return rc;
  if (bench->cold) bench->cold->open = cli_seconds() - begun;
  if (bench_entries_make(bench) != CLI_OK) return CLI_FAILED;
  if (bench->cold) return CLI_OK;
  if ((bench->info.backend == SCAN_BACKEND_HOST || bench->info.is_cpu) && bench->info.compute_units > 1) {
    bench->copier = bench_copier_open(bench->info.compute_units);
    if (!bench->copier) cli_say_failure("notice: %s: memcpy by several threads is left out: no threads", selector);
  }
  rc = open_beside(bench);
  return rc == CLI_OK ? bench_beside_open(bench) : rc;
}

static void close_state(bench_state *bench) {
  bench_beside_close(bench);
  bench_cuda_close(bench->cuda);
  bench_copier_close(bench->copier);
  free(bench->entries);
  scan_ctx_destroy(bench->ctx);
}

static int measure_device(const bench_request *r, const char *selector, const bench_peers *peers, bench_table *table,
                          bench_cold_times *cold) {
  const bench_kind *measurement = r->measurements[r->measurement];
  bench_state *bench = (bench_state *)calloc(1, measurement->bench_state_bytes);
  if (!bench) return cli_fail("no memory for %s", selector);
  *bench = (bench_state){ .request = r, .measurement = measurement, .cold = cold, .table = table, .loaded = peers };
  bench->buffers.pairs = 1;
  int rc = open_state(bench, selector);
  if (rc == CLI_OK) rc = measurement->measure(bench);
  close_state(bench);
  free(bench);
  return rc;
}

/* ---- --cold ---- */

static double total_of(const bench_cold_times *t) { return t->open + t->source + t->plan + t->first; }

/** Measures the first context and a later one. */
static int measure_cold(const bench_request *r, const char *selector, bench_table *table) {
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
  bench_table_write(table, &row, "");
  return CLI_OK;
}

/* ---- all devices ---- */

int bench_run_devices(const bench_request *r) {
  bench_table table;
  bench_peers peers = { .count = 0 };
  int rc = bench_table_open(&table, r);
  if (rc != CLI_OK) return rc;
  if (!r->cold) bench_peers_load(r, &peers);
  for (size_t d = 0; d < r->devices.count; d++) {
    const char *selector = r->devices.selector[d];
    int one = r->cold ? measure_cold(r, selector, &table) : measure_device(r, selector, &peers, &table, NULL);
    if (one != CLI_OK) rc = CLI_FAILED;
  }
  return bench_table_close(&table) == CLI_OK ? rc : CLI_FAILED;
}
