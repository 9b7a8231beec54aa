/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_kinds.c @brief Reads a command line of `scanrt bench`: finds the kind by an option anywhere on
 * it, then parses that kind's options. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"

#include <getopt.h>
#include <string.h>

/* ---- the options of a kind ---- */

/** Returns option table t: 0 is that of the shared options, t that of kind t - 1. */
static const bench_option *table_at(const bench_kind *const *measurements, int t) {
  return t == 0 ? bench_shared_options : measurements[t - 1]->options;
}

/** Calls visit with each row of all tables. */
static void each_option(const bench_kind *const *measurements, void (*visit)(const bench_option *row, void *state),
                        void *state) {
  for (int t = 0; t <= BENCH_KIND_COUNT; t++)
    for (const bench_option *row = table_at(measurements, t); row->option.name; row++) visit(row, state);
}

/** An option table under construction. */
typedef struct option_list {
  unsigned measurements; /**< Options of these kinds are added unchanged. */
  /** Replaces the function of all other options. */
  int (*instead)(const char *command, const char *name, void *request);
  int count;
  cli_option options[CLI_MAX_OPTIONS + 1];
} option_list;

static int is_listed(const option_list *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->options[i].name, name)) return 1;
  return 0;
}

static void add_own(const bench_option *row, void *state) {
  option_list *list = state;
  if (row->measurements & list->measurements && list->count < CLI_MAX_OPTIONS)
    list->options[list->count++] = row->option;
}

/** Adds an option of other kinds, unless its name is listed. It runs after add_own, since kinds may share a
 * name. */
static void add_other(const bench_option *row, void *state) {
  option_list *list = state;
  if (is_listed(list, row->option.name) || list->count == CLI_MAX_OPTIONS) return;
  list->options[list->count] = row->option;
  list->options[list->count++].instead = list->instead;
}

static void list_options(const bench_kind *const *measurements, option_list *list) {
  each_option(measurements, add_own, list);
  each_option(measurements, add_other, list);
  list->options[list->count] = (cli_option){ .name = NULL };
}

/* ---- refusals ---- */

static int kind_of(const bench_kind *const *measurements, const char *name) {
  for (int f = 0; f < BENCH_KIND_COUNT; f++)
    if (measurements[f]->name && !strcmp(measurements[f]->name, name)) return f;
  return BENCH_KIND_SCAN;
}

/** Returns the kinds that have an option of that name. */
static unsigned owners_of(const bench_kind *const *measurements, const char *name) {
  unsigned owners = 0;
  for (int t = 0; t <= BENCH_KIND_COUNT; t++)
    for (const bench_option *row = table_at(measurements, t); row->option.name; row++)
      if (!strcmp(row->option.name, name)) owners |= row->measurements;
  return owners;
}

/** Joins names of kinds, such as "scans, --sort and --split". */
static void join_kinds(const bench_kind *const *measurements, unsigned owners, char *text, size_t bytes) {
  size_t used = 0;
  text[0] = '\0';
  for (int f = 0; f < BENCH_KIND_COUNT; f++) {
    const char *const name = measurements[f]->name;
    if (!(owners & 1u << f) || used >= bytes) continue;
    owners &= ~(1u << f);
    used += (size_t)snprintf(text + used, bytes - used, "%s%s%s",
                             used == 0 ? ""
                             : owners  ? ", "
                                       : " and ",
                             name ? "--" : "", name ? name : "scans");
  }
}

static int option_refuse(const char *command, const char *name, void *request) {
  const bench_request *r = request;
  const char *const measurement = r->measurements[r->measurement]->name;
  char owners[96];
  if (kind_of(r->measurements, name) != BENCH_KIND_SCAN)
    return cli_usage(command, "--%s and --%s exclude each other", measurement, name);
  join_kinds(r->measurements, owners_of(r->measurements, name), owners, sizeof owners);
  if (!measurement) return cli_usage(command, "scans have no --%s: it is an option of %s", name, owners);
  return cli_usage(command, "--%s has no --%s: it is an option of %s", measurement, name, owners);
}

/* ---- command lines ---- */

/** Records the first kind named; MPI wins in any place, since only one rank may report errors. */
static int note_kind(const char *command, const char *name, void *request) {
  bench_request *r = request;
  const int measurement = kind_of(r->measurements, name);
  (void)command;
  if (r->measurement == BENCH_KIND_SCAN || measurement == BENCH_KIND_MPI) r->measurement = (bench_kind_id)measurement;
  return CLI_OK;
}

bench_kind_id bench_find_kind(int argc, char **argv, const bench_kind *const *measurements) {
  option_list list = { .instead = note_kind };
  bench_request request = { .measurements = measurements, .measurement = BENCH_KIND_SCAN };
  char words[256] = "";
  list_options(measurements, &list);
  cli_keep_words(words, sizeof words); /* drops the words: the kind's parser reports the fault */
  while (cli_parse_options(argc, argv, list.options, &request) != CLI_OK) continue;
  cli_keep_words(NULL, 0);
  optind = 0;
  return request.measurement;
}

/** Records the command line as typed, with quotes around words that need them. */
static void join_command(int argc, char **argv, bench_request *r) {
  size_t used = (size_t)snprintf(r->command, sizeof r->command, "scanrt");
  for (int i = 0; i < argc && used < sizeof r->command; i++) {
    const char *quote = strpbrk(argv[i], " \t*?$'\"\\") || !argv[i][0] ? "'" : "";
    used += (size_t)snprintf(r->command + used, sizeof r->command - used, " %s%s%s", quote, argv[i], quote);
  }
}

int bench_parse(int argc, char **argv, const bench_kind *const *measurements, bench_kind_id measurement,
                bench_request *r) {
  option_list list = { .measurements = 1u << measurement, .instead = option_refuse };
  r->measurements = measurements;
  r->measurement = measurement;
  r->pairs = 1;
  r->reps = measurements[measurement]->reps;
  join_command(argc, argv, r);
  list_options(measurements, &list);
  int rc = cli_parse_options(argc, argv, list.options, r);
  if (rc == CLI_OK) rc = cli_no_arguments(argc, argv);
  return rc == CLI_OK ? measurements[measurement]->complete(argv[0], r) : rc;
}
