/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs cases of tools/cases over the ranks: each rank has a part of the elements, and its outputs have the bytes that
 * the oracle expects of one device there. A case's line says how its elements are distributed.
 *
 * $SCANRT_TEST_CASES is the number of random cases, $SCANRT_TEST_SEED and $SCANRT_TEST_FIRST choose them, and with
 * $SCANRT_TEST_SCALE=small they have few elements.
 * $SCANRT_TEST_CORNERS is a file of lines of which one case in $SCANRT_TEST_EVERY runs. $SCANRT_TEST_CASE, a line, runs
 * only that one. $SCANRT_TEST_LINES=1 prints each line before it runs. Cases that ranks do not support are skipped and
 * counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_calls.h"
#include "data.h"
#include "group.h"
#include "mpi/mpi.h"

enum { MOST_FAILURES = 20, MOST_REASONS = 24, MANY_RANKS = 4 };

typedef struct tester {
  group g;
  case_functions functions;
  scan_device_info info;
  const char *program;
  uint64_t seed;
  int prints_lines;
  unsigned long drawn, ran, skipped, failures;
  struct {
    const char *reason;
    unsigned long count;
  } reasons[MOST_REASONS];
} tester;

static uint64_t number_of(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* ---- one case ---- */

static void skip(tester *t, const char *reason) {
  int i = 0;
  while (i + 1 < MOST_REASONS && t->reasons[i].reason && strcmp(t->reasons[i].reason, reason) != 0) i++;
  t->reasons[i].reason = reason;
  t->reasons[i].count++;
  t->skipped++;
}

/* Prints the words of the lowest rank that has some, and the command that repeats the case. */
static void report(tester *t, const char *line, const char *words) {
  const char *device = getenv("SCANRT_TEST_DEVICE");
  int own = *words ? t->g.rank : t->g.ranks, lowest = 0;
  MPI_Allreduce(&own, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  t->failures += lowest < t->g.ranks;
  group_check(&t->g, lowest != t->g.rank,
              "%s\n  SCANRT_TEST_DEVICE=%s SCANRT_TEST_CASE='%s' tests/mpi/run.sh MPI %d %s", words,
              device ? device : "host", line, t->g.ranks, t->program);
}

/* Checks the places that the call gave. */
static void check_places(const case_piece *piece, const case_ranks *ranks, char words[CASE_WORDS_BYTES]) {
  for (int i = 0; i < piece->due_count; i++) {
    const scan_mpi_part *due = &piece->due[i], *got = &ranks->got[i];
    if (got->count == due->count && got->offset == due->offset && got->total == due->total) continue;
    snprintf(words, CASE_WORDS_BYTES, "part %d: %llu at %llu of %llu, expected %llu at %llu of %llu", i,
             (unsigned long long)got->count, (unsigned long long)got->offset, (unsigned long long)got->total,
             (unsigned long long)due->count, (unsigned long long)due->offset, (unsigned long long)due->total);
  }
}

/* Runs this rank's part. @return 1; 0: the device lacks the case's strategy */
static int run_piece(tester *t, const case_whole *whole, case_piece *piece, char words[CASE_WORDS_BYTES]) {
  case_ranks ranks = { .mpi = t->g.mpi, .whole = whole, .piece = piece };
  t->g.mpi->least_part_items = piece->seed % 3 ? UINT64_MAX : 1; /* 1: sorts are exchanged in parts */
  const scan_status status = case_run_by(t->g.ctx, &t->functions, &piece->c, case_call_ranks, &ranks, words);
  if (status == SCAN_UNSUPPORTED && piece->c.scan.spec.strategy != SCAN_STRATEGY_AUTO) return 0;
  if (status != SCAN_SUCCESS) return 1;
  case_piece_settle(piece);
  case_difference(&piece->c, words, CASE_WORDS_BYTES);
  if (!*words) check_places(piece, &ranks, words);
  return 1;
}

static void run(tester *t, const char *line, const scan_case *read) {
  static case_whole whole;
  static case_piece piece;
  char words[CASE_WORDS_BYTES] = "";
  const char *lacking = case_lacking(read, t->g.ranks);
  if (!lacking && t->info.flushes_denormals && case_has_denormals(read)) lacking = "denormals";
  if (lacking) {
    skip(t, lacking);
    return;
  }
  if (t->prints_lines && t->g.rank == 0) fprintf(stderr, "%s\n", line);
  piece.c = (scan_case){ .by = 0 };
  if (case_whole_open(&whole, read, t->g.ranks) != 0 || case_piece_open(&whole, read, t->g.rank, &piece) != 0) {
    fprintf(stderr, "no memory for: %s\n", line);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int ran = run_piece(t, &whole, &piece, words);
  case_free(&piece.c);
  case_whole_close(&whole);
  if (!ran) {
    skip(t, "strategies that the device lacks");
    return;
  }
  t->ran++;
  report(t, line, words);
}

/* ---- lines ---- */

static uint64_t draw(tester *t, uint64_t number, uint64_t what, uint64_t below) {
  return data_bits(t->seed + UINT64_C(0x9e3779b97f4a7c15) * (what + 1), number) % below;
}

/* Adds a distribution to a case that has none. */
static void distribute(tester *t, uint64_t number, scan_case *c) {
  if (c->cuts) return;
  c->cuts = (case_cuts)(CASE_CUTS_EVEN + draw(t, number, 0, CASE_CUTS_KINDS - CASE_CUTS_EVEN));
  c->cut_seed = draw(t, number, 1, UINT32_MAX);
  if (case_family_of(c->by) == FAMILY_SORTS && c->by != CASE_HISTOGRAM)
    c->results = (case_results)draw(t, number, 2, CASE_RESULTS_BY_KEY + 1);
  c->is_moved = c->by != CASE_ARRAY && !c->spec.index_type && draw(t, number, 3, 4) == 0;
}

/* Runs a case's line with its distribution. @return as a case_line_visit */
static int run_line(const char *given, void *user) {
  tester *t = user;
  char line[CASE_LINE_BYTES], words[CASE_WORDS_BYTES] = "";
  scan_case c;
  if (case_from_line(given, &c, words) == 0) distribute(t, t->drawn++, &c);
  if (*words || case_from_line(case_to_line(&c, line), &c, words) != 0)
    report(t, given, words);
  else
    run(t, line, &c);
  return t->failures >= MOST_FAILURES;
}

/* ---- random cases ---- */

/* Removes what ranks lack, where the case without it is one, too. */
static void adapt(scan_case *c) {
  c->n_said = 0;
  c->has_n_from = c->clamps = c->counts_n = c->plan_memory = 0;
  c->sort.gives_scratch = 0;
  if (c->has_segments) c->sort.offset_type = SCAN_TYPE_DEFAULT;
  c->has_segments = 0;
  c->segments = c->sort.most_segment_items = 0;
  if (!scan_strategy_is_canonical(c->scan.spec.strategy)) c->scan.spec.strategy = SCAN_STRATEGY_AUTO;
  if (case_family_of(c->by) != FAMILY_COMPACTION && c->by != CASE_ARRAY) return;
  c->by_plan = c->runs_again = 0;
  c->plan_n = 0;
}

/* Makes one scan in 24 as large as one or two groups. */
static void enlarge(tester *t, uint64_t number, scan_case *c) {
  if (c->by != CASE_SCAN && (c->by != CASE_SOURCE || c->n == 0)) return;
  if (t->g.ranks > MANY_RANKS || draw(t, number, 4, 24) || case_has_one_group(c)) return;
  c->n = case_group_items(c) * (1 + draw(t, number, 5, 2)) - 2 + draw(t, number, 6, 5);
  c->plan_n = 0;
  c->outputs = 0;
  memset(c->scan.run_n, 0, sizeof c->scan.run_n);
}

/* Draws a case as a line. @return 0; -1: the oracle cannot compute it */
static int draw_line(tester *t, uint64_t number, char line[CASE_LINE_BYTES]) {
  const char *scale = getenv("SCANRT_TEST_SCALE");
  const int is_small = t->g.ranks > MANY_RANKS || (scale != NULL && strcmp(scale, "small") == 0);
  const case_limits limits = { .seed = t->seed, .quick = 1, .small = is_small };
  char words[CASE_WORDS_BYTES];
  scan_case c;
  case_draw_number(&limits, (case_family)(number % FAMILIES), number, &c);
  adapt(&c);
  enlarge(t, number, &c);
  distribute(t, number, &c);
  case_to_line(&c, line);
  return case_from_line(line, &c, words);
}

static void run_drawn(tester *t, uint64_t cases) {
  const unsigned long before = t->ran;
  for (uint64_t i = number_of("SCANRT_TEST_FIRST", 0); t->ran - before < cases && t->failures < MOST_FAILURES; i++) {
    char line[CASE_LINE_BYTES];
    if (draw_line(t, i, line) != 0)
      skip(t, "cases beyond the oracle");
    else
      (void)run_line(line, t);
  }
}

static void run_file(tester *t, const char *name) {
  char words[CASE_WORDS_BYTES];
  if (case_file_each(name, number_of("SCANRT_TEST_EVERY", 1), run_line, t, words) < 0)
    group_check(&t->g, 0, "%s", words);
}

int main(int argc, char **argv) {
  static tester t;
  const char *line = getenv("SCANRT_TEST_CASE"), *file = getenv("SCANRT_TEST_CORNERS");
  t.program = argv[0];
  t.info = (scan_device_info)SCAN_DEVICE_INFO_INIT;
  t.seed = number_of("SCANRT_TEST_SEED", 1);
  t.prints_lines = number_of("SCANRT_TEST_LINES", 0) != 0;
  group_open(&t.g, &argc, &argv);
  group_check(&t.g, scan_ctx_device(t.g.ctx, &t.info) == SCAN_SUCCESS, "%s", scan_last_error(t.g.ctx));
  if (line)
    (void)run_line(line, &t);
  else if (file)
    run_file(&t, file);
  if (!line) run_drawn(&t, number_of("SCANRT_TEST_CASES", file ? 0 : 200));
  if (t.g.rank == 0) printf("%lu cases ran, %lu failed, %lu skipped\n", t.ran, t.failures, t.skipped);
  for (int i = 0; t.g.rank == 0 && i < MOST_REASONS && t.reasons[i].reason; i++)
    printf("  skipped: %lu %s\n", t.reasons[i].count, t.reasons[i].reason);
  case_functions_destroy(&t.functions);
  return group_close(&t.g, "mpi cases");
}
