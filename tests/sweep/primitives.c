/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction, runs, sorts, splits and histograms, over host memory (staged through the device's) and by plans. What
 * they are to give is found out by plain loops. */
#include "sweep/sweep.h"

#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <string.h>

enum { N = SWEEP_N, BYTES = N * 4, BUCKETS = 16 };

static uint32_t keys[N], values[N], got[N], more[N], want[N], want_more[N];
static uint64_t counts[BUCKETS + 1], want_counts[BUCKETS + 1];
static uint8_t flags[N];

/* Runs of one to five equal keys. */
static void begin(void) {
  for (uint32_t i = 0; i < N; i++) {
    keys[i] = i % 5 > 1 && i > 0 ? keys[i - 1] : i * 2654435761u;
    values[i] = i % 9;
    flags[i] = i % 3 == 0;
  }
  memset(got, 0x5a, sizeof got);
  memset(more, 0x5a, sizeof more);
  memset(counts, 0x5a, sizeof counts);
}

/* ---- compaction ---- */

static uint64_t keep_flagged(void) {
  uint64_t kept = 0, rest = 0;
  for (int i = 0; i < N; i++)
    if (flags[i]) want[kept++] = keys[i];
  for (int i = 0; i < N; i++)
    if (!flags[i]) want[kept + rest++] = keys[i];
  return kept;
}

static void run_select(sweep_trial *t) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  const scan_select_args args =
      SCAN_SELECT_ARGS_INIT(scan_host(flags), scan_host(keys), scan_host(got), scan_host(counts));
  spec.rest = SCAN_REST_BEHIND;
  begin();
  want_counts[0] = keep_flagged();
  (void)sweep_step(t, "scan_select", scan_select(t->ctx, &spec, N, &args));
  sweep_expect(t, "what is selected", got, want, BYTES);
  sweep_expect(t, "the count", counts, want_counts, sizeof *counts);
}

typedef struct memories {
  scan_mem marks, in, out, count;
} memories;

static int allocate(sweep_trial *t, memories *m) {
  return sweep_step(t, "scan_alloc", scan_alloc(t->ctx, N, &m->marks)) &&
         sweep_step(t, "scan_alloc", scan_alloc(t->ctx, BYTES, &m->in)) &&
         sweep_step(t, "scan_alloc", scan_alloc(t->ctx, BYTES, &m->out)) &&
         sweep_step(t, "scan_alloc", scan_alloc(t->ctx, sizeof *counts, &m->count)) &&
         sweep_step(t, "scan_write", scan_write(t->ctx, m->marks, flags, N)) &&
         sweep_step(t, "scan_write", scan_write(t->ctx, m->in, keys, BYTES));
}

static void select_by_plan(sweep_trial *t, const memories *m) {
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  const scan_select_args args = SCAN_SELECT_ARGS_INIT(m->marks, m->in, m->out, m->count);
  scan_plan *plan = NULL;
  if (!sweep_step(t, "scan_plan_create_select", scan_plan_create_select(t->ctx, &spec, N, &plan))) return;
  if (sweep_step(t, "scan_plan_run_select", scan_plan_run_select(plan, N, &args)) &&
      sweep_step(t, "scan_read", scan_read(t->ctx, m->count, counts, sizeof *counts)))
    (void)sweep_step(t, "scan_read", scan_read(t->ctx, m->out, got, want_counts[0] * sizeof *got));
  scan_plan_destroy(plan);
}

static void run_select_plan(sweep_trial *t) {
  memories m = { .marks = { 0 } };
  begin();
  want_counts[0] = keep_flagged();
  if (allocate(t, &m)) select_by_plan(t, &m);
  sweep_expect(t, "what is selected", got, want, want_counts[0] * sizeof *got);
  sweep_expect(t, "the count", counts, want_counts, sizeof *counts);
}

static void run_unique(sweep_trial *t) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, 4);
  const scan_select_args args = SCAN_SELECT_ARGS_INIT(SCAN_NO_MEM, scan_host(keys), scan_host(got), scan_host(counts));
  uint64_t kept = 0;
  spec.key_type = SCAN_U32;
  begin();
  for (int i = 0; i < N; i++)
    if (i == 0 || keys[i] != keys[i - 1]) want[kept++] = keys[i];
  want_counts[0] = kept;
  (void)sweep_step(t, "scan_select, unique", scan_select(t->ctx, &spec, N, &args));
  sweep_expect(t, "unique keys", got, want, kept * sizeof *got);
  sweep_expect(t, "the count", counts, want_counts, sizeof *counts);
}

/* ---- runs ---- */

/* Keys of runs to `want`; their lengths, or the sums of their values, to `want_more`. */
static uint64_t find_runs(int is_sum) {
  uint64_t runs = 0;
  for (uint32_t i = 0; i < N; i++) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      want[runs] = keys[i];
      want_more[runs++] = 0;
    }
    want_more[runs - 1] += is_sum ? values[i] : 1;
  }
  return runs;
}

static void expect_runs(sweep_trial *t, uint64_t runs) {
  want_counts[0] = runs;
  sweep_expect(t, "keys of runs", got, want, runs * sizeof *got);
  sweep_expect(t, "what is said of runs", more, want_more, runs * sizeof *more);
  sweep_expect(t, "the count", counts, want_counts, sizeof *counts);
}

static void run_encode(sweep_trial *t) {
  const scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U32);
  const scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(keys), scan_host(got), scan_host(more), scan_host(counts));
  begin();
  (void)sweep_step(t, "scan_run_length_encode", scan_run_length_encode(t->ctx, &spec, N, &args));
  expect_runs(t, find_runs(0));
}

static void run_reduce(sweep_trial *t) {
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  static float from[N], sums[N];
  const scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(keys), scan_host(from), scan_host(got),
                                                                    scan_host(sums), scan_host(counts));
  begin();
  for (int i = 0; i < N; i++) from[i] = (float)values[i];
  memset(sums, 0x5a, sizeof sums);
  (void)sweep_step(t, "scan_reduce_by_key", scan_reduce_by_key(t->ctx, &spec, N, &args));
  const uint64_t runs = find_runs(1);
  for (uint64_t i = 0; i < runs && t->step == NULL; i++) more[i] = (uint32_t)sums[i];
  expect_runs(t, runs);
}

/* ---- sorts and splits ---- */

/* Stable, by the bits of `mask`: an insertion at the end of what is not larger. */
static void sort_by(uint32_t mask) {
  for (int i = 0; i < N; i++) {
    int at = i;
    for (; at > 0 && (want[at - 1] & mask) > (keys[i] & mask); at--) {
      want[at] = want[at - 1];
      want_more[at] = want_more[at - 1];
    }
    want[at] = keys[i];
    want_more[at] = values[i];
  }
}

static void run_sort(sweep_trial *t) {
  scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_U32, 4);
  const scan_sort_args args =
      SCAN_SORT_PAIRS_ARGS_INIT(scan_host(keys), scan_host(got), scan_host(values), scan_host(more));
  begin();
  spec.end_bit = 8; /* a digit: further ones make the same calls again */
  sort_by(0xff);
  (void)sweep_step(t, "scan_sort", scan_sort(t->ctx, &spec, N, &args));
  sweep_expect(t, "sorted keys", got, want, BYTES);
  sweep_expect(t, "what goes with keys", more, want_more, BYTES);
}

static void run_sort_segments(sweep_trial *t) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(scan_host(keys), scan_host(got));
  static const uint32_t offsets[] = { 0, 1, N };
  begin();
  const uint32_t first = keys[0];
  keys[0] = 0; /* of two segments the first has one key, which is no larger than others */
  sort_by(0xff);
  keys[0] = want[0] = first;
  spec.end_bit = 8;
  spec.offset_type = SCAN_U32;
  args.offsets = scan_host(offsets);
  args.segments = 2;
  (void)sweep_step(t, "scan_sort, segments", scan_sort(t->ctx, &spec, N, &args));
  sweep_expect(t, "sorted segments", got, want, BYTES);
}

static void count_digits(uint32_t mask, uint32_t shift) {
  memset(want_counts, 0, sizeof want_counts);
  for (int i = 0; i < N; i++) want_counts[(keys[i] & mask) >> shift]++;
}

static void run_split(sweep_trial *t) {
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 4, 8);
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(scan_host(keys), scan_host(got), scan_host(counts));
  uint64_t before = 0;
  begin();
  sort_by(0xf0);
  count_digits(0xf0, 4);
  for (int b = 0; b <= BUCKETS; b++) {
    const uint64_t of_bucket = want_counts[b];
    want_counts[b] = before;
    before += of_bucket;
  }
  (void)sweep_step(t, "scan_split", scan_split(t->ctx, &spec, N, &args));
  sweep_expect(t, "split keys", got, want, BYTES);
  sweep_expect(t, "offsets of buckets", counts, want_counts, sizeof counts);
}

static void run_histogram(sweep_trial *t) {
  const scan_histogram_spec spec = SCAN_HISTOGRAM_SPEC_INIT(SCAN_U32, 4, 8);
  const scan_histogram_args args = SCAN_HISTOGRAM_ARGS_INIT(scan_host(keys), scan_host(counts));
  begin();
  count_digits(0xf0, 4);
  (void)sweep_step(t, "scan_histogram", scan_histogram(t->ctx, &spec, N, &args));
  sweep_expect(t, "the histogram", counts, want_counts, BUCKETS * sizeof *counts);
}

const sweep_scenario sweep_primitives[] = {
  { .name = "select", .run = run_select },
  { .name = "select_plan", .run = run_select_plan },
  { .name = "unique", .run = run_unique },
  { .name = "run_length", .run = run_encode },
  { .name = "reduce_by_key", .run = run_reduce },
  { .name = "sort", .run = run_sort },
  { .name = "sort_segments", .run = run_sort_segments },
  { .name = "split", .run = run_split },
  { .name = "histogram", .run = run_histogram },
  { .name = NULL },
};
