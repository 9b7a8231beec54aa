/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_runs.c @brief Plans, calls, values and expected results of run-length encoding and reduction
 * by key. */
#define _POSIX_C_SOURCE 200809L
#include "bench_select.h"
#include "data.h"
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- plans and calls ---- */

scan_type select_key_type(uint32_t bytes) {
  return bytes == 1 ? SCAN_U8 : bytes == 2 ? SCAN_U16 : bytes == 8 ? SCAN_U64 : SCAN_U32;
}

scan_status select_runs_plan(select_state *bench) {
  const scan_type keys = select_key_type(bench->looked_bytes);
  if (bench->by == BENCH_SELECT_RUN_LENGTHS) {
    const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(keys, SCAN_U32);
    return scan_plan_create_run_length(bench->base.ctx, &spec, bench->n, &bench->plan);
  }
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(keys, bench->base.spec.type, bench->base.spec.op);
  return scan_plan_create_reduce_by_key(bench->base.ctx, &spec, bench->n, &bench->plan);
}

scan_status select_runs_start(const select_state *bench, scan_plan *plan) {
  const scan_select_args *a = &bench->args;
  if (bench->by == BENCH_SELECT_RUN_LENGTHS) {
    const scan_run_length_args args = SCAN_RUN_LENGTH_ARGS_INIT(a->in[0], a->out[0], a->out[1], a->count);
    return scan_plan_run_run_length(plan, bench->n, &args);
  }
  const scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(a->in[0], a->in[1], a->out[0], a->out[1], a->count);
  return scan_plan_run_reduce_by_key(plan, bench->n, &args);
}

/* ---- values ---- */

static void *values_of(const select_state *bench) { return bench->input + bench->at[1]; }

static void fill_values(void *state, uint64_t chunk) {
  const select_state *bench = (const select_state *)state;
  const scan_spec *spec = &bench->base.spec;
  const data_style style = { .seed = chunk + 1 };
  const uint64_t first = chunk * BENCH_CHUNK;
  data_fill(spec->type, spec->op, bench_chunk_end(bench->n, chunk) - first, &style,
            (char *)values_of(bench) + first * bench->item_bytes[1]);
}

void select_runs_fill_values(select_state *bench) { bench_each_chunk(bench->n, fill_values, bench); }

/* ---- expected results ---- */

static int ends_run(const select_state *bench, uint64_t i) { return bench->truth.words[i / 32] >> i % 32 & 1; }

static void expect_lengths(select_state *bench) {
  uint32_t *lengths = (uint32_t *)(void *)bench->computed;
  for (uint64_t i = 0; i < bench->n; i++) lengths[i] = i == 0 || ends_run(bench, i - 1) ? 1 : lengths[i - 1] + 1;
}

/** Computes bench->computed by the plain reference. */
static int expect_by_reference(select_state *bench) {
  uint8_t *segment_flags = malloc((size_t)bench->n);
  if (!segment_flags) return cli_fail("no memory for n = %llu", (unsigned long long)bench->n);
  for (uint64_t i = 0; i < bench->n; i++) segment_flags[i] = (uint8_t)(i == 0 || ends_run(bench, i - 1));
  reference_segmented(&bench->base.spec, segment_flags, bench->n, values_of(bench), bench->computed);
  free(segment_flags);
  return CLI_OK;
}

/** Computes bench->computed by the library's segmented scan on the host, which takes a hundredth of the reference's
 * time. */
static int expect_by_host(select_state *bench) {
  scan_ctx *host = NULL;
  scan_device_info info;
  scan_spec spec = bench->base.spec;
  scan_args args = SCAN_ARGS_INIT(scan_host(values_of(bench)), scan_host(bench->computed));
  if (cli_open("host", SCAN_STRATEGY_AUTO, &host, &info) != CLI_OK) return CLI_FAILED;
  spec.segments = SCAN_SEGMENTS_KEYS;
  spec.key_type = select_key_type(bench->looked_bytes);
  args.marks = scan_host(bench->input);
  args.mark_count = bench->n;
  const scan_status status = scan_run_args(host, &spec, bench->n, &args);
  const int rc = status == SCAN_SUCCESS ? CLI_OK : cli_fail_scan(host, status, "the host's reduction by key");
  scan_ctx_destroy(host);
  return rc;
}

int select_runs_expect(select_state *bench) {
  if (bench->by == BENCH_SELECT_REDUCE)
    return bench->base.info.backend == SCAN_BACKEND_HOST ? expect_by_reference(bench) : expect_by_host(bench);
  expect_lengths(bench);
  return CLI_OK;
}

int select_runs_round(const select_state *bench) {
  const scan_spec *spec = &bench->base.spec;
  return bench->by == BENCH_SELECT_REDUCE && reference_is_float(spec->type) &&
         (spec->op == SCAN_ADD || spec->op == SCAN_MUL);
}

int select_runs_is_close(const select_state *bench, uint64_t i, const unsigned char *got) {
  uint64_t first = i;
  double slack = 0;
  while (first > 0 && !ends_run(bench, first - 1)) first--;
  const uint64_t items = i - first + 1;
  const double exact = reference_total_close(&bench->base.spec, items, items,
                                             (const char *)values_of(bench) + first * bench->item_bytes[1], &slack);
  return fabs(reference_load(bench->base.spec.type, got, 0) - exact) <= slack;
}
