/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_versus.c @brief `scanrt bench --versus`: measures its cases, and sorts and reports their rows. */
#define _POSIX_C_SOURCE 200809L
#include "bench_versus.h"
#include "bench_options.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 24, WORST = 10, LEAST_ROUNDS = 2 };

/** A case beside one peer. */
typedef struct versus_row {
  const versus_case *what;
  uint64_t n;
  bench_mode mode;
  char peer[BENCH_LABEL_BYTES];
  double own, theirs; /**< Median seconds. */
  int wrong;          /**< 1: the peer failed, or one of both results was wrong. */
} versus_row;

/** The rows of a device, and the case being measured. */
struct bench_versus {
  const versus_request *request;
  const versus_case *what;
  versus_row *rows;
  size_t count, room;
  size_t late, slow, large; /**< Cases left out: by --limit, by --row-limit, for want of memory. */
};

/* ---- one case ---- */

static int is_own(const bench_entry *s) { return s->role == BENCH_SCAN && s->manner != BENCH_PLAIN; }

static void drop_entry(bench_entry *s) {
  scan_plan_destroy(s->plan);
  if (s->peer_end) s->peer_end(s->peer_state);
}

/** Drops all entries but the library's first one and those of peers; all, if there is no peer. */
static void keep_first(bench_state *bench) {
  size_t kept = 0, own = 0;
  for (size_t i = 0; i < bench->entry_count; i++) {
    bench_entry *s = &bench->entries[i];
    if (is_own(s) ? own++ == 0 : s->role == BENCH_PEER)
      bench->entries[kept++] = *s;
    else
      drop_entry(s);
  }
  bench->entry_count = kept;
  if (kept == own) bench_entries_clear(bench);
}

/** Turns the failure of a peer's entry into a wrong entry. @return rc, or CLI_OK */
static int forgive_peer(bench_entry *s, int rc) {
  if (s->role != BENCH_PEER) return rc;
  s->wrong = 1;
  return CLI_OK;
}

static uint64_t rounds_of(const bench_state *bench, double seconds) {
  const uint64_t reps = bench->request->reps;
  if (reps <= LEAST_ROUNDS) return reps;
  const double most = (double)bench->versus->request->row_limit / seconds;
  return most < LEAST_ROUNDS ? LEAST_ROUNDS : most < (double)reps ? (uint64_t)most : reps;
}

static int add_row(bench_versus *versus, const bench_entry *own, const bench_entry *peer) {
  if (versus->count == versus->room) {
    const size_t room = 2 * versus->room + 64;
    versus_row *rows = (versus_row *)realloc(versus->rows, room * sizeof *rows);
    if (!rows) return cli_fail("no memory for the rows");
    versus->rows = rows;
    versus->room = room;
  }
  versus_row *row = &versus->rows[versus->count++];
  *row = (versus_row){ .what = versus->what, .n = own->bench->n, .mode = own->bench->mode };
  memcpy(row->peer, peer->label, sizeof row->peer);
  row->own = bench_median(own);
  row->theirs = bench_median(peer);
  row->wrong = own->wrong || peer->wrong;
  return row->wrong ? CLI_FAILED : CLI_OK;
}

static int note_rows(const bench_state *bench) {
  int rc = CLI_OK;
  for (size_t i = 1; i < bench->entry_count; i++)
    if (!bench_is_outdone(bench, &bench->entries[i]) &&
        add_row(bench->versus, &bench->entries[0], &bench->entries[i]) != CLI_OK)
      rc = CLI_FAILED;
  return rc;
}

static const bench_watch watch = {
  .keep = keep_first, .forgives = forgive_peer, .rounds = rounds_of, .note = note_rows
};

/* ---- the cases ---- */

/** Splits text at blanks. @return the number of words */
static int split_words(char *text, char *words[MOST_WORDS]) {
  int count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(text, " ", &rest); word && count < MOST_WORDS - 1; word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  words[count] = NULL;
  return count;
}

static const char *mode_of(const bench_request *r) {
  if (!r->modes[BENCH_GRAPH]) return "eager";
  return r->modes[BENCH_EAGER] ? "both" : "graph";
}

/** Measures a request of another kind on the open device. */
static int measure_with(const bench_state *open, bench_versus *versus, const bench_request *request) {
  const bench_kind *measurement = request->measurements[request->measurement];
  bench_state *bench = (bench_state *)calloc(1, measurement->bench_state_bytes);
  if (!bench) return cli_fail("no memory for a case");
  *bench = *open;
  bench->request = request;
  bench->measurement = measurement;
  bench->watch = &watch;
  bench->versus = versus;
  const int rc = measurement->measure(bench);
  free(bench);
  return rc;
}

static int measure_case(bench_state *bench, bench_versus *versus, const versus_case *c, uint64_t n) {
  const bench_request *r = &versus->request->base;
  char text[VERSUS_OPTIONS_BYTES + 128], *words[MOST_WORDS];
  snprintf(text, sizeof text, "bench --device %s --n %" PRIu64 " --reps %" PRIu64 " --mode %s %s", bench->info.selector,
           n, r->reps, mode_of(r), c->options);
  const int count = split_words(text, words);
  optind = 0; /* getopt begins anew */
  const bench_kind_id id = bench_find_kind(count, words, r->measurements);
  bench_request *request = (bench_request *)calloc(1, r->measurements[id]->request_bytes);
  if (!request) return cli_fail("no memory for a case");
  int rc = bench_parse(count, words, r->measurements, id, request);
  versus->what = c;
  if (rc == CLI_OK) rc = measure_with(bench, versus, request);
  free(request);
  return rc == CLI_OK ? CLI_OK : CLI_FAILED;
}

/** Returns the bytes that a case needs on the device, and on the host beside it: about four arrays of keys and values.
 */
static double bytes_of(const versus_case *c, uint64_t n) {
  return 4 * (double)n * ((double)scan_type_bytes(c->type) + 8);
}

static double least_memory(const bench_state *bench) {
  const double host = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  const double device = (double)bench->info.memory_bytes;
  return device > 0 && device < host ? device : host;
}

/** 1 if the value of the case's option, a length, exceeds n. */
static int is_longer(const versus_case *c, uint64_t n) {
  char *end = NULL;
  const unsigned long long value = strtoull(c->value, &end, 10);
  return end != c->value && !*end && value > n;
}

/** Measures all cases, from the smallest n to the largest. */
static int measure_cases(bench_state *bench, bench_versus *versus, versus_case *cases, size_t count) {
  const bench_request *r = &versus->request->base;
  const double memory = least_memory(bench), end = cli_seconds() + (double)versus->request->limit;
  int rc = CLI_OK;
  for (size_t i = 0; i < r->size_count; i++)
    for (versus_case *c = cases; c < cases + count; c++) {
      const double begun = cli_seconds();
      if (is_longer(c, r->sizes[i])) continue;
      if (bytes_of(c, r->sizes[i]) > memory)
        versus->large++;
      else if (c->seconds > 2 * (double)versus->request->row_limit)
        versus->slow++;
      else if (begun > end)
        versus->late++;
      else if (measure_case(bench, versus, c, r->sizes[i]) != CLI_OK)
        rc = CLI_FAILED;
      if (begun <= end) c->seconds = fmax(c->seconds, cli_seconds() - begun);
    }
  return rc;
}

/* ---- the report ---- */

static double ratio_of(const versus_row *row) { return row->wrong || row->own <= 0 ? 0 : row->theirs / row->own; }

/** Orders rows by their ratios. Wrong rows come first. */
static int has_larger_ratio(const void *a, const void *b) {
  const double x = ratio_of((const versus_row *)a), y = ratio_of((const versus_row *)b);
  return (x > y) - (x < y);
}

static void fill_row(const bench_state *bench, const versus_row *from, bench_row *row) {
  bench_row_fill(bench, row);
  row->n = from->n;
  row->primitive = versus_primitive_name(from->what->primitive);
  row->type = from->what->type_name;
  row->title = from->what->options;
  row->mode = bench_mode_name(from->mode);
  row->peer = from->peer;
  row->correct = !from->wrong;
  if (from->own > 0) row->median = from->own;
  if (from->theirs > 0) row->peer_median = from->theirs;
  if (!from->wrong) row->peer_ratio = ratio_of(from);
}

static void describe_left_out(const bench_versus *versus, char *text, size_t bytes) {
  snprintf(text, bytes, "left out: %zu cases by --limit, %zu by --row-limit, %zu for want of memory\n", versus->late,
           versus->slow, versus->large);
}

/** Writes the number of rows and their median ratio. */
static void describe_rows(const bench_state *bench, const bench_versus *versus, char *text, size_t bytes) {
  size_t wrong = 0, behind = 0;
  while (wrong < versus->count && versus->rows[wrong].wrong) wrong++;
  const versus_row *right = versus->rows + wrong;
  const size_t count = versus->count - wrong;
  while (behind < count && ratio_of(&right[behind]) < 1) behind++;
  const double median = count ? (ratio_of(&right[count / 2]) + ratio_of(&right[(count - 1) / 2])) / 2 : 0;
  const int used = snprintf(text, bytes, "%s: %zu rows, median ratio %.3f, %zu below 1, %zu wrong\n",
                            bench->info.selector, versus->count, median, behind, wrong);
  describe_left_out(versus, text + used, bytes - (size_t)used);
}

/** Says what was left out where no table does. */
static void notice_left_out(const bench_state *bench, const bench_versus *versus) {
  char text[BENCH_CAPTION_BYTES];
  describe_left_out(versus, text, sizeof text);
  text[strcspn(text, "\n")] = '\0';
  if (versus->count == 0)
    cli_say_failure("notice: %s: no rows; %s", bench->info.selector, text);
  else if (bench->request->as_json && versus->late + versus->slow + versus->large > 0)
    cli_say_failure("notice: %s: %s", bench->info.selector, text);
}

static void report_rows(const bench_state *bench, bench_versus *versus) {
  char caption[BENCH_CAPTION_BYTES];
  bench_row row;
  if (versus->count > 0) qsort(versus->rows, versus->count, sizeof *versus->rows, has_larger_ratio);
  snprintf(caption, sizeof caption, "%s: %s; %s\nmedians of up to %" PRIu64 "\n", bench->info.selector,
           bench->info.name, bench->info.driver, bench->request->reps);
  for (size_t i = 0; i < versus->count; i++) {
    fill_row(bench, &versus->rows[i], &row);
    bench_table_write(bench->table, &row, caption);
  }
  describe_rows(bench, versus, caption, sizeof caption);
  for (size_t i = 0; i < versus->count && i < WORST; i++) {
    fill_row(bench, &versus->rows[i], &row);
    bench_table_print(bench->table, &row, caption);
  }
}

static int versus_measure(bench_state *bench) {
  bench_versus versus = { .request = (const versus_request *)bench->request };
  size_t count = 0;
  if (bench->peer_count == 0) {
    cli_say_failure("notice: %s is left out: no peer of it is there", bench->info.selector);
    return CLI_OK;
  }
  versus_case *cases = versus_cases_make(versus.request, &count);
  if (!cases) return cli_fail("no memory for the cases");
  const int rc = measure_cases(bench, &versus, cases, count);
  report_rows(bench, &versus);
  notice_left_out(bench, &versus);
  free(versus.rows);
  free(cases);
  return rc;
}

const bench_kind bench_versus_kind = { .name = "versus",
                                       .options = bench_versus_options,
                                       .request_bytes = sizeof(versus_request),
                                       .bench_state_bytes = sizeof(bench_state),
                                       .reps = 7,
                                       .help = versus_help,
                                       .complete = versus_complete,
                                       .measure = versus_measure };
