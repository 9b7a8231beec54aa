/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans of every form of the interface, by plans and without, over memory of the device and of the host. */
#include "reference.h"
#include "support.h"
#include "sweep/sweep.h"

#include <scanrt/scan_array.h>
#include <scanrt/scan_difference.h>
#include <string.h>

enum { N = SWEEP_N, BYTES = N * 4, LINES = 10, LINE = N / LINES, PIECE = N / 5 };

static float got[N], want[N];

static scan_spec sum_of(scan_kind kind) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, kind);
  return spec;
}

static void poison(void) { memset(got, 0x5a, sizeof got); }

/* ---- device memory ---- */

static int write_and_run(sweep_trial *t, scan_plan *plan, scan_mem in, scan_mem out) {
  return sweep_step(t, "scan_write", scan_write(t->ctx, in, sweep_values(), BYTES)) &&
         sweep_step(t, "scan_plan_run", scan_plan_run(plan, N, in, out)) &&
         sweep_step(t, "scan_sync", scan_sync(t->ctx)) &&
         sweep_step(t, "scan_copy", scan_copy(t->ctx, in, out, BYTES)) &&
         sweep_step(t, "scan_read", scan_read(t->ctx, in, got, BYTES));
}

static void plan_by(sweep_trial *t, scan_strategy strategy) {
  scan_spec spec = sum_of(SCAN_INCLUSIVE);
  scan_plan *plan = NULL;
  scan_mem in = SCAN_NO_MEM, out = SCAN_NO_MEM;
  spec.strategy = strategy;
  poison();
  if (sweep_step(t, "scan_alloc", scan_alloc(t->ctx, BYTES, &in)) &&
      sweep_step(t, "scan_alloc", scan_alloc(t->ctx, BYTES, &out)) &&
      sweep_step(t, "scan_plan_create", scan_plan_create(t->ctx, &spec, N, &plan)))
    (void)write_and_run(t, plan, in, out);
  sweep_expect(t, "the sum", got, sweep_sums(), BYTES);
  scan_plan_destroy(plan);
  (void)sweep_step(t, "scan_free", scan_free(t->ctx, in)); /* the context frees `out` */
}

static void run_plan(sweep_trial *t) { plan_by(t, SCAN_STRATEGY_AUTO); }

/* The host has no such strategy, and no other one with more than a launch. */
static void run_three_launches(sweep_trial *t) {
  const int is_host = strncmp(test_selector(), "host", 4) == 0;
  plan_by(t, is_host ? SCAN_STRATEGY_SEQUENTIAL : SCAN_STRATEGY_REDUCE_THEN_SCAN);
}

/* ---- host memory ---- */

static void run_host_memory(sweep_trial *t) {
  scan_spec spec = sum_of(SCAN_EXCLUSIVE);
  spec.has_init = 1;
  spec.init.f32 = 3;
  reference_scan(&spec, N, sweep_values(), want);
  poison();
  for (int again = 0; again < 2; again++) /* the plan is there already */
    (void)sweep_step(t, "scan_run", scan_run(t->ctx, &spec, N, scan_host(sweep_values()), scan_host(got)));
  sweep_expect(t, "the exclusive sum", got, want, BYTES);
}

static void run_segments(sweep_trial *t) {
  static uint8_t heads[N];
  scan_spec spec = sum_of(SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(scan_host(sweep_values()), scan_host(got));
  for (int i = 0; i < N; i++) heads[i] = i % 11 == 0;
  reference_segmented(&spec, heads, N, sweep_values(), want);
  spec.segments = SCAN_SEGMENTS_FLAGS;
  args.marks = scan_host(heads);
  args.mark_count = N;
  poison();
  (void)sweep_step(t, "scan_run_args, segments", scan_run_args(t->ctx, &spec, N, &args));
  sweep_expect(t, "the sum in segments", got, want, BYTES);
}

static void run_pieces(sweep_trial *t) {
  const scan_spec spec = sum_of(SCAN_INCLUSIVE);
  float carry = 0;
  poison();
  for (int i = 0; i < N && t->step == NULL; i += PIECE) {
    scan_args args = SCAN_ARGS_INIT(scan_host(sweep_values() + i), scan_host(got + i));
    if (i > 0) args.carry_in = scan_host(&carry);
    args.carry_out = scan_host(&carry);
    (void)sweep_step(t, "scan_run_args, carry", scan_run_args(t->ctx, &spec, PIECE, &args));
  }
  sweep_expect(t, "the sum in pieces", got, sweep_sums(), BYTES);
}

static void run_total(sweep_trial *t) {
  const scan_spec spec = sum_of(SCAN_TOTAL);
  poison();
  (void)sweep_step(t, "scan_run, total", scan_run(t->ctx, &spec, N, scan_host(sweep_values()), scan_host(got)));
  sweep_expect(t, "the total", got, sweep_sums() + N - 1, sizeof *got);
}

static void run_array(sweep_trial *t) {
  const scan_spec spec = sum_of(SCAN_INCLUSIVE);
  const uint64_t shape[] = { LINES, LINE };
  scan_array array = SCAN_ARRAY_INIT;
  for (int line = 0; line < LINES; line++)
    reference_scan(&spec, LINE, sweep_values() + line * LINE, want + line * LINE);
  poison();
  if (sweep_step(t, "scan_array_packed", scan_array_packed(&spec, 2, shape, 1, &array)))
    (void)sweep_step(t, "scan_run_array",
                     scan_run_array(t->ctx, &spec, &array, scan_host(sweep_values()), scan_host(got)));
  sweep_expect(t, "the array", got, want, BYTES);
}

static void run_difference(sweep_trial *t) {
  const scan_spec spec = sum_of(SCAN_INCLUSIVE);
  poison();
  (void)sweep_step(t, "scan_adjacent_difference",
                   scan_adjacent_difference(t->ctx, &spec, N, scan_host(sweep_sums()), scan_host(got)));
  sweep_expect(t, "the difference", got, sweep_values(), BYTES);
}

/* ---- streams ---- */

static int give(void *user, uint64_t first, uint64_t items, void *to) {
  (void)user;
  memcpy(to, sweep_values() + first, items * sizeof(float));
  return 0;
}

static void run_stream(sweep_trial *t) {
  const scan_spec spec = sum_of(SCAN_INCLUSIVE);
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  options.chunk_items = PIECE;
  options.read = give;
  poison();
  if (!sweep_step(t, "scan_stream_pin", scan_stream_pin(t->ctx, got, BYTES))) return;
  (void)sweep_step(t, "scan_stream", scan_stream(t->ctx, &spec, N, NULL, got, &options));
  sweep_expect(t, "the stream", got, sweep_sums(), BYTES);
  (void)sweep_step(t, "scan_stream_unpin", scan_stream_unpin(t->ctx, got));
}

const sweep_scenario sweep_scans[] = {
  { .name = "plan", .run = run_plan },
  { .name = "three_launches", .run = run_three_launches },
  { .name = "host_memory", .run = run_host_memory },
  { .name = "segments", .run = run_segments },
  { .name = "pieces", .run = run_pieces },
  { .name = "total", .run = run_total },
  { .name = "array", .run = run_array },
  { .name = "difference", .run = run_difference },
  { .name = "stream", .run = run_stream },
  { .name = NULL },
};
