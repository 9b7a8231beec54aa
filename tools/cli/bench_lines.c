/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_lines.c @brief Fills the columns of a measured case: times and ratios between its entries. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>

enum { TITLE_BYTES = 256 };

static const char *const mode_names[] = { [BENCH_EAGER] = "eager", [BENCH_GRAPH] = "graph", [BENCH_HOST] = "host" };
static const char *const role_names[] = {
  [BENCH_SCAN] = "scan",       [BENCH_COPY] = "copy",     [BENCH_PEER] = "peer",
  [BENCH_LOOP] = "plain loop", [BENCH_MEMCPY] = "memcpy", [BENCH_EMPTY] = "launch"
};

const char *bench_mode_name(bench_mode mode) { return mode_names[mode]; }
const char *bench_kind_name(scan_kind kind) { return kind == SCAN_EXCLUSIVE ? "exclusive" : "inclusive"; }

/* ---- comparisons ---- */

double bench_median(const bench_entry *s) {
  return s && !s->wrong ? bench_evaluate(s, s->bench->rounds).median_seconds : 0;
}

/** Returns the first entry of a role that is not wrong, or NULL. */
static const bench_entry *first_of(const bench_state *bench, bench_role role) {
  for (size_t i = 0; i < bench->entry_count; i++)
    if (bench->entries[i].role == role && !bench->entries[i].wrong) return &bench->entries[i];
  return NULL;
}

/** Returns the first plain scan that is not wrong, or NULL. */
static const bench_entry *plain_scan(const bench_state *bench) {
  for (size_t i = 0; i < bench->entry_count; i++)
    if (bench->entries[i].manner == BENCH_PLAIN && !bench->entries[i].wrong) return &bench->entries[i];
  return NULL;
}

int bench_is_outdone(const bench_state *bench, const bench_entry *s) {
  if (!s->peer || s->wrong) return 0;
  for (size_t i = 0; i < bench->entry_count; i++) {
    const bench_entry *other = &bench->entries[i];
    if (other == s || other->peer != s->peer || other->wrong) continue;
    const double theirs = bench_median(other), own = bench_median(s);
    if (theirs < own || (theirs <= own && other < s)) return 1;
  }
  return 0;
}

/** Returns the fastest variant of the first peer, or NULL. */
static const bench_entry *first_peer(const bench_state *bench) {
  const bench_entry *first = first_of(bench, BENCH_PEER), *s = first;
  for (size_t i = 0; i < bench->entry_count; i++) {
    const bench_entry *other = &bench->entries[i];
    if (first && other->peer == first->peer && !other->wrong && !bench_is_outdone(bench, other)) s = other;
  }
  return s;
}

/** Returns the limit's time for `bytes` bytes: that of a copy of the same size, else of the first copy or memcpy in
 * proportion. */
static double limit_seconds(const bench_state *bench, uint64_t bytes) {
  const bench_entry *copy = first_of(bench, BENCH_COPY);
  for (size_t i = 0; i < bench->entry_count; i++)
    if (bench->entries[i].role == BENCH_COPY && bench->entries[i].bytes == bytes)
      return bench_median(&bench->entries[i]);
  if (!copy) copy = first_of(bench, BENCH_MEMCPY);
  return copy ? bench_median(copy) * (double)bytes / (double)copy->bytes : 0;
}

/* ---- lines ---- */

/** Returns other / own, or NaN (an absent column) if there is no other time. */
static double ratio(double other, double own) { return other > 0 ? other / own : NAN; }

/** Fills the times of an entry that is not wrong. */
static void fill_times(const bench_entry *s, bench_row *row) {
  const bench_state *bench = s->bench;
  const bench_result time = bench_evaluate(s, bench->rounds);
  const bench_entry *peer = first_peer(bench);
  const double median = time.median_seconds, empty = bench_median(first_of(bench, BENCH_EMPTY));
  row->median = median;
  row->spread = time.spread;
  row->least = time.least_seconds;
  if (empty > 0) row->over_empty = median - empty;
  if (bench->mode == BENCH_HOST) return;
  row->bytes_per_s = median > 0 ? (double)s->bytes / median : 0;
  row->limit_ratio = ratio(limit_seconds(bench, s->bytes), median);
  row->loop_ratio = ratio(bench_median(first_of(bench, BENCH_LOOP)), median);
  row->one_ratio = ratio(bench_beside_median(bench, s), median);
  row->plain_ratio = ratio(bench_median(plain_scan(bench)), median);
  if (!peer) return;
  row->peer = peer->peer->name;
  row->peer_ratio = ratio(bench_median(peer), median);
}

/** Returns the columns of the case's table. */
static unsigned shown_of(const bench_state *bench) {
  if (bench->mode == BENCH_HOST) return BENCH_SHOWS_HOST;
  return BENCH_SHOWS_RATE | (first_of(bench, BENCH_LOOP) ? BENCH_SHOWS_LOOP : 0) |
         (bench->request->has_beside ? BENCH_SHOWS_ONE : 0) | (plain_scan(bench) ? BENCH_SHOWS_PLAIN : 0) |
         (first_peer(bench) ? BENCH_SHOWS_PEER : 0) | (bench->request->gallery ? BENCH_SHOWS_A100 : 0);
}

void bench_describe(const bench_state *bench, char *text, size_t bytes) {
  const scan_device_info *info = &bench->info;
  const bench_request *r = bench->request;
  char what[TITLE_BYTES], beside[BENCH_LABEL_BYTES];
  bench->measurement->describe(bench, what, sizeof what);
  bench_beside_words(r, beside, sizeof beside);
  snprintf(text, bytes, "%s: %s; %s\n%s; medians of %" PRIu64 "%s\n", info->selector, info->name, info->driver, what,
           r->reps, beside);
}

void bench_row_fill(const bench_state *bench, bench_row *row) {
  bench_row_start(row);
  row->device = bench->info.selector;
  row->device_name = bench->info.name;
  row->driver = bench->info.driver;
  row->reps = bench->request->reps;
  row->n = bench->n;
}

/** Fills the columns of an entry. */
static void fill_row(const bench_entry *s, const char *title, bench_row *row) {
  const bench_state *bench = s->bench;
  const bench_entry *peer = first_peer(bench);
  bench_row_fill(bench, row);
  row->what = s->label;
  row->series = s->series;
  row->title = title;
  row->role = role_names[s->role];
  row->mode = mode_names[bench->mode];
  row->bytes = s->bytes;
  row->correct = !s->wrong;
  row->shown = shown_of(bench);
  row->peer_head = peer ? peer->peer->name : NULL;
  if (!s->wrong) fill_times(s, row);
  bench->measurement->fill(s, row);
}

/** Prints the second table of --gallery: what the scans cost on paper, and the time of a block. */
static void print_costs(const bench_state *bench, const char *title, const char *caption) {
  char heading[BENCH_CAPTION_BYTES];
  snprintf(heading, sizeof heading, "%.*swork, span, networks of 16 inputs, time of a block\n",
           BENCH_CAPTION_BYTES - 64, caption);
  for (size_t i = 0; i < bench->entry_count; i++) {
    bench_row row;
    if (bench->entries[i].role != BENCH_SCAN) continue;
    fill_row(&bench->entries[i], title, &row);
    row.shown = BENCH_SHOWS_COST;
    bench_table_print(bench->table, &row, heading);
  }
}

int bench_report_case(const bench_state *bench) {
  char caption[BENCH_CAPTION_BYTES], title[TITLE_BYTES];
  int rc = CLI_OK;
  if (bench->watch) return bench->watch->note(bench);
  bench->measurement->describe(bench, title, sizeof title);
  bench_describe(bench, caption, sizeof caption);
  for (size_t i = 0; i < bench->entry_count; i++) {
    const bench_entry *s = &bench->entries[i];
    bench_row row;
    if (s->wrong) rc = CLI_FAILED;
    if (bench_is_outdone(bench, s) || (bench->measurement->is_reported && !bench->measurement->is_reported(s)))
      continue;
    fill_row(s, title, &row);
    if (bench->table) bench_table_write(bench->table, &row, caption);
  }
  if (bench->table && bench->request->gallery && bench->mode != BENCH_HOST) print_costs(bench, title, caption);
  return rc;
}
