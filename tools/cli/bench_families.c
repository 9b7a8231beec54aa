/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_families.c @brief The families of `scanrt bench`, the options that they share, and how a command line is
 * read: the family by an option anywhere on it, then the options that this family has. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "bench_beside.h"
#include "bench_options.h"

#include <getopt.h>
#include <string.h>

/** Options that choose a family; NULL: scans, which no option chooses. */
static const char *const names[BENCH_FAMILIES] = {
  [BENCH_FAMILY_SELECT] = "select", [BENCH_FAMILY_SORT] = "sort", [BENCH_FAMILY_SPLIT] = "split",
  [BENCH_FAMILY_STREAM] = "stream", [BENCH_FAMILY_MPI] = "mpi",
};

enum {
  SCANS = BENCH_OF(SCAN),
  SORTS = BENCH_OF(SORT) | BENCH_OF(SPLIT),
  HAVE_PEERS = SCANS | BENCH_OF(SELECT) | SORTS,
  WRITE_REPORTS = HAVE_PEERS | BENCH_OF(MPI),
  ALL = WRITE_REPORTS | BENCH_OF(STREAM)
};

#define AT(field) offsetof(bench_request, field)
static const bench_option shared_options[] = {
  { ALL, { .name = "device", .kind = CLI_DEVICE, .offset_bytes = AT(devices) } },
  { ALL, { .name = "n", .kind = CLI_CALL, .parse = bench_add_sizes } },
  { ALL, { .name = "type", .kind = CLI_CALL, .parse = bench_add_type } },
  { ALL, { .name = "reps", .kind = CLI_COUNT, .offset_bytes = AT(reps), .least = 1, .most = BENCH_MAX_REPS } },
  { SCANS | BENCH_OF(STREAM), { .name = "input-type", .kind = CLI_TYPE, .offset_bytes = AT(input_type) } },
  { SCANS | BENCH_OF(SELECT) | BENCH_OF(STREAM), { .name = "op", .kind = CLI_CALL, .parse = bench_add_op } },
  { SCANS | BENCH_OF(MPI), { .name = "op-source", .kind = CLI_CALL, .parse = bench_add_source } },
  { SCANS | BENCH_OF(STREAM) | BENCH_OF(MPI),
    { .name = "inclusive", .kind = CLI_FLAG, .offset_bytes = AT(kinds[SCAN_INCLUSIVE]), .value = 1 } },
  { SCANS | BENCH_OF(STREAM) | BENCH_OF(MPI),
    { .name = "exclusive", .kind = CLI_FLAG, .offset_bytes = AT(kinds[SCAN_EXCLUSIVE]), .value = 1 } },
  { SCANS, { .name = "in-place", .kind = CLI_FLAG, .offset_bytes = AT(in_place), .value = 1 } },
  { BENCH_OF(SELECT) | SORTS, { .name = "in-place", .kind = CLI_FLAG, .offset_bytes = AT(also_in_place), .value = 1 } },
  { HAVE_PEERS, { .name = "peer", .kind = CLI_CALL, .parse = bench_add_peer } },
  { HAVE_PEERS, { .name = "no-peers", .kind = CLI_FLAG, .offset_bytes = AT(no_peers), .value = 1 } },
  { HAVE_PEERS, { .name = "mode", .kind = CLI_CALL, .parse = bench_parse_mode } },
  { SCANS | BENCH_OF(SELECT) | BENCH_OF(SORT), { .name = "beside", .kind = CLI_CALL, .parse = bench_parse_beside } },
  { WRITE_REPORTS, { .name = "cold", .kind = CLI_FLAG, .offset_bytes = AT(cold), .value = 1 } },
  { WRITE_REPORTS, { .name = "json", .kind = CLI_FLAG, .offset_bytes = AT(as_json), .value = 1 } },
  { WRITE_REPORTS, { .name = "csv", .kind = CLI_TEXT, .offset_bytes = AT(csv) } },
  { 0, { .name = NULL } },
};
#undef AT

static const bench_option *const tables[] = { shared_options,     bench_scan_options,  bench_select_options,
                                              bench_sort_options, bench_split_options, bench_stream_options,
                                              bench_mpi_options };
enum { TABLES = sizeof tables / sizeof tables[0] };

/* ---- the options of a family ---- */

/** Calls visit with each row of all tables. */
static void each_option(void (*visit)(const bench_option *row, void *state), void *state) {
  for (size_t t = 0; t < TABLES; t++)
    for (const bench_option *row = tables[t]; row->option.name; row++) visit(row, state);
}

/** An option table that grows. */
typedef struct option_list {
  unsigned families;                                                    /**< Rows of these are added as they are. */
  int (*instead)(const char *command, const char *name, void *request); /**< What other rows do. */
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
  if (row->families & list->families && list->count < CLI_MAX_OPTIONS) list->options[list->count++] = row->option;
}

/** Comes after add_own: an option of one name may do one thing in one family, another thing in another one. */
static void add_other(const bench_option *row, void *state) {
  option_list *list = state;
  if (is_listed(list, row->option.name) || list->count == CLI_MAX_OPTIONS) return;
  list->options[list->count] = row->option;
  list->options[list->count++].instead = list->instead;
}

static void list_options(option_list *list) {
  each_option(add_own, list);
  each_option(add_other, list);
  list->options[list->count] = (cli_option){ .name = NULL };
}

/* ---- refusals ---- */

static int family_of(const char *name) {
  for (int f = 0; f < BENCH_FAMILIES; f++)
    if (names[f] && !strcmp(names[f], name)) return f;
  return BENCH_FAMILY_SCAN;
}

/** The families that have an option of that name. */
static unsigned owners_of(const char *name) {
  unsigned owners = 0;
  for (size_t t = 0; t < TABLES; t++)
    for (const bench_option *row = tables[t]; row->option.name; row++)
      if (!strcmp(row->option.name, name)) owners |= row->families;
  return owners;
}

/** "scans, --sort and --split". */
static void join_families(unsigned families, char *text, size_t bytes) {
  size_t used = 0;
  text[0] = '\0';
  for (int f = 0; f < BENCH_FAMILIES; f++) {
    if (!(families & 1u << f) || used >= bytes) continue;
    families &= ~(1u << f);
    used += (size_t)snprintf(text + used, bytes - used, "%s%s%s",
                             used == 0  ? ""
                             : families ? ", "
                                        : " and ",
                             names[f] ? "--" : "", names[f] ? names[f] : "scans");
  }
}

static int refuse(const char *command, const char *name, void *request) {
  const char *const family = names[((const bench_request *)request)->family];
  char owners[96];
  if (family_of(name) != BENCH_FAMILY_SCAN) return cli_usage(command, "--%s and --%s exclude each other", family, name);
  join_families(owners_of(name), owners, sizeof owners);
  if (!family) return cli_usage(command, "scans have no --%s: it is an option of %s", name, owners);
  return cli_usage(command, "--%s has no --%s: it is an option of %s", family, name, owners);
}

/* ---- command lines ---- */

/** Keeps the first family that is named, but MPI in any place: one rank alone must say what is wrong. */
static int note_family(const char *command, const char *name, void *request) {
  bench_request *r = request;
  const int family = family_of(name);
  (void)command;
  if (r->family == BENCH_FAMILY_SCAN || family == BENCH_FAMILY_MPI) r->family = (bench_family_id)family;
  return CLI_OK;
}

bench_family_id bench_find_family(int argc, char **argv) {
  option_list list = { .instead = note_family };
  bench_request request = { .family = BENCH_FAMILY_SCAN };
  char words[256] = "";
  list_options(&list);
  cli_keep_words(words, sizeof words); /* the family says what is wrong */
  while (cli_parse_options(argc, argv, list.options, &request) != CLI_OK) continue;
  cli_keep_words(NULL, 0);
  optind = 0;
  return request.family;
}

int bench_parse_options(int argc, char **argv, bench_family_id family, bench_request *r) {
  option_list list = { .families = 1u << family, .instead = refuse };
  r->family = family;
  bench_join_command(argc, argv, r);
  list_options(&list);
  const int rc = cli_parse_options(argc, argv, list.options, r);
  return rc == CLI_OK ? cli_no_arguments(argc, argv) : rc;
}

void bench_take_defaults(bench_request *r, scan_type type) {
  enum { DEFAULT_N = 1 << 24, DEFAULT_COLD_N = 1 << 20 };
  if (!r->type_count) r->types[r->type_count++] = type;
  if (!r->modes[BENCH_GRAPH] && !r->modes[BENCH_HOST]) r->modes[BENCH_EAGER] = 1;
  if (!r->size_count) r->sizes[r->size_count++] = r->cold ? DEFAULT_COLD_N : DEFAULT_N;
}
