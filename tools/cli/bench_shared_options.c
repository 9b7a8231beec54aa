/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_shared_options.c @brief Options that several kinds of `scanrt bench` share. */
#include "bench_options.h"

#include <string.h>

/* ---- sizes ---- */

static int add_size(const char *command, const char *text, uint64_t n, bench_request *r) {
  if (n == 0 || n > UINT64_MAX / 64) return cli_usage(command, "--n '%s' is out of range", text);
  if (r->size_count == BENCH_MAX_SIZES) return cli_usage(command, "more than %d sizes", BENCH_MAX_SIZES);
  r->sizes[r->size_count++] = n;
  return CLI_OK;
}

static int is_power_of_two(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

/** Adds a range such as "2^10..2^28" or "2^10..2^28:2". @param dots  position of ".." */
static int add_range(const char *command, const char *text, const char *dots, bench_request *r) {
  char part[2][32];
  uint64_t ends[2] = { 0, 0 }, step = 1;
  const char *colon = strchr(dots, ':');
  size_t lengths[2] = { (size_t)(dots - text), colon ? (size_t)(colon - dots - 2) : strlen(dots + 2) };
  const char *starts[2] = { text, dots + 2 };
  for (int i = 0; i < 2; i++) {
    if (lengths[i] >= sizeof part[i]) return cli_usage(command, "--n '%s' is out of range", text);
    memcpy(part[i], starts[i], lengths[i]);
    part[i][lengths[i]] = '\0';
    int rc = cli_parse_count(command, "--n", part[i], &ends[i]);
    if (rc != CLI_OK) return rc;
  }
  int rc = colon ? cli_parse_count(command, "--n: step", colon + 1, &step) : CLI_OK;
  if (rc != CLI_OK) return rc;
  if (!is_power_of_two(ends[0]) || !is_power_of_two(ends[1]) || ends[0] > ends[1] || step == 0 || step > 63)
    return cli_usage(command, "--n '%s' is not a rising range of powers of two such as 2^10..2^28 or 2^10..2^28:2",
                     text);
  for (uint64_t n = ends[0]; n <= ends[1] && rc == CLI_OK; n <<= step) {
    rc = add_size(command, text, n, r);
    if (n > ends[1] >> step) break;
  }
  return rc;
}

static int add_sizes(const char *command, const char *text, void *request) {
  bench_request *r = request;
  uint64_t n = 0;
  const char *dots = strstr(text, "..");
  if (dots) return add_range(command, text, dots, r);
  int rc = cli_parse_count(command, "--n", text, &n);
  return rc == CLI_OK ? add_size(command, text, n, r) : rc;
}

/* ---- other values ---- */

static int add_type(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->type_count == BENCH_MAX_TYPES) return cli_usage(command, "more than %d --type", BENCH_MAX_TYPES);
  return cli_parse_type(command, text, &r->types[r->type_count++]);
}

static int add_op(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->op_count == BENCH_MAX_OPS) return cli_usage(command, "more than %d --op", BENCH_MAX_OPS);
  return cli_parse_op(command, text, &r->ops[r->op_count++]);
}

enum { NAMES_BYTES = 512 };

const char *bench_source_names(void) {
  static char names[NAMES_BYTES];
  size_t used = (size_t)snprintf(names, sizeof names, "add");
  for (size_t i = 0; source_operator_mapped(i) && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, " %s", source_operator_mapped(i)->name);
  for (int i = SCAN_COMPOSITE_NONE + 1; scan_composite_get((scan_composite)i) && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, " %s", scan_composite_name((scan_composite)i));
  return names;
}

static int parse_source(const char *command, const char *name, source_operator *source) {
  if (source_operator_find(name, source) == 0) return CLI_OK;
  return cli_usage(command, "unknown operator from source '%s': %s", name, bench_source_names());
}

static int add_source(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->source_count == BENCH_MAX_SOURCES) return cli_usage(command, "more than %d --op-source", BENCH_MAX_SOURCES);
  return parse_source(command, text, &r->sources[r->source_count++]);
}

static int add_peer(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->peer_count == BENCH_MAX_PEERS) return cli_usage(command, "more than %d --peer", BENCH_MAX_PEERS);
  r->peers[r->peer_count++] = text;
  return CLI_OK;
}

int bench_parse_either(const char *command, const char *option, const char *text, const char *first, const char *second,
                       int chosen[2]) {
  int both = !strcmp(text, "both");
  if (!both && strcmp(text, first) != 0 && strcmp(text, second) != 0)
    return cli_usage(command, "unknown %s '%s': use %s, %s or both", option, text, first, second);
  if (both || !strcmp(text, first)) chosen[0] = 1;
  if (both || !strcmp(text, second)) chosen[1] = 1;
  return CLI_OK;
}

static int parse_mode(const char *command, const char *text, void *request) {
  return bench_parse_either(command, "mode", text, "eager", "graph", ((bench_request *)request)->modes);
}

int bench_each(const char *command, const char *option, const char *text, void *request,
               int (*parse)(const char *command, const char *part, void *request)) {
  int rc = CLI_OK;
  for (const char *at = text; at != NULL && rc == CLI_OK;) {
    char part[32];
    const size_t length = strcspn(at, ",");
    if (length == 0 || length >= sizeof part)
      return cli_usage(command, "%s '%s' is not a list such as A,B", option, text);
    memcpy(part, at, length);
    part[length] = '\0';
    rc = parse(command, part, request);
    at = at[length] ? at + length + 1 : NULL;
  }
  return rc;
}

int bench_parse_names(const char *command, const char *option, const char *text, const char *const *names, int count,
                      const char *all, int *flags) {
  if (bench_is_help(text)) return CLI_HELP;
  for (const char *at = text; at;) {
    const size_t length = strcspn(at, ",");
    int i = 0;
    while (i < count && (!names[i] || strlen(names[i]) != length || strncmp(names[i], at, length) != 0)) i++;
    if (i == count) return cli_usage(command, "unknown %s '%.*s': use one of %s", option, (int)length, at, all);
    flags[i] = 1;
    at = at[length] ? at + length + 1 : NULL;
  }
  return CLI_OK;
}

const char bench_cases_help[] =
    "      --n N             * number of elements, as of scanrt bench (default 2^24)\n"
    "      --device SEL      * only this device (default: every device)\n"
    "      --peer NAME       * only this peer; --no-peers: none (default: all that are there)\n"
    "\n"
    "How to measure, and reports:\n"
    "      --mode M            eager: one call after the other; graph: a CUDA graph of up to 1000 calls,\n"
    "                          replayed; both (default eager)\n"
    "      --reps N            rounds (default 21)\n"
    "      --beside N          of the host: beside N busy loops, and the same by one thread, as of scanrt bench\n"
    "      --cold              instead, for one case: milliseconds to open a device, to make a predicate, if there\n"
    "                          is one, and a plan, of a first and of a second run, as of scanrt bench --cold\n"
    "                          (default n: 2^20)\n"
    "      --json, --csv FILE  as of scanrt bench\n"
    "      --quiet             no progress on a terminal\n"
    "  -h, --help              this text";

/* ---- the table ---- */

enum {
  SCANS = BENCH_OF(SCAN),
  SORTS = BENCH_OF(SORT) | BENCH_OF(SPLIT),
  HAVE_PEERS = SCANS | BENCH_OF(SELECT) | SORTS,
  GO_COLD = HAVE_PEERS | BENCH_OF(MPI),
  TAKE_PEERS = HAVE_PEERS | BENCH_OF(REDUCE) | BENCH_OF(VERSUS),
  ALL = GO_COLD | TAKE_PEERS | BENCH_OF(STREAM)
};

#define AT(field) offsetof(bench_request, field)
const bench_option bench_shared_options[] = {
  { ALL, { .name = "device", .kind = CLI_DEVICE, .offset_bytes = AT(devices) } },
  { ALL, { .name = "n", .kind = CLI_CALL, .parse = add_sizes } },
  { ALL, { .name = "type", .kind = CLI_CALL, .parse = add_type } },
  { ALL, { .name = "reps", .kind = CLI_COUNT, .offset_bytes = AT(reps), .least = 1, .most = BENCH_MAX_REPS } },
  { SCANS | BENCH_OF(STREAM), { .name = "input-type", .kind = CLI_TYPE, .offset_bytes = AT(input_type) } },
  { SCANS | BENCH_OF(SELECT) | BENCH_OF(STREAM), { .name = "op", .kind = CLI_CALL, .parse = add_op } },
  { SCANS | BENCH_OF(MPI), { .name = "op-source", .kind = CLI_CALL, .parse = add_source } },
  { SCANS | BENCH_OF(STREAM) | BENCH_OF(MPI),
    { .name = "inclusive", .kind = CLI_FLAG, .offset_bytes = AT(kinds[SCAN_INCLUSIVE]), .value = 1 } },
  { SCANS | BENCH_OF(STREAM) | BENCH_OF(MPI),
    { .name = "exclusive", .kind = CLI_FLAG, .offset_bytes = AT(kinds[SCAN_EXCLUSIVE]), .value = 1 } },
  { SCANS, { .name = "in-place", .kind = CLI_FLAG, .offset_bytes = AT(in_place), .value = 1 } },
  { BENCH_OF(SELECT) | SORTS, { .name = "in-place", .kind = CLI_FLAG, .offset_bytes = AT(also_in_place), .value = 1 } },
  { TAKE_PEERS, { .name = "peer", .kind = CLI_CALL, .parse = add_peer } },
  { HAVE_PEERS | BENCH_OF(REDUCE), { .name = "no-peers", .kind = CLI_FLAG, .offset_bytes = AT(no_peers), .value = 1 } },
  { TAKE_PEERS, { .name = "mode", .kind = CLI_CALL, .parse = parse_mode } },
  { SCANS | BENCH_OF(SELECT) | BENCH_OF(SORT), { .name = "beside", .kind = CLI_CALL, .parse = bench_parse_beside } },
  { GO_COLD, { .name = "cold", .kind = CLI_FLAG, .offset_bytes = AT(cold), .value = 1 } },
  { ALL, { .name = "json", .kind = CLI_FLAG, .offset_bytes = AT(as_json), .value = 1 } },
  { ALL, { .name = "csv", .kind = CLI_TEXT, .offset_bytes = AT(csv) } },
  { 0, { .name = NULL } },
};
#undef AT

/* ---- the whole ---- */

int bench_check_shared(const char *command, const bench_request *r) {
  if (r->no_peers && r->peer_count) return cli_usage(command, "--peer and --no-peers exclude each other");
  if (r->as_json && r->csv && !strcmp(r->csv, "-")) return cli_usage(command, "--json and --csv - exclude each other");
  return bench_check_beside(command, r);
}

void bench_set_defaults(bench_request *r, scan_type type) {
  enum { DEFAULT_N = 1 << 24, DEFAULT_COLD_N = 1 << 20 };
  if (!r->type_count) r->types[r->type_count++] = type;
  if (!r->modes[BENCH_GRAPH] && !r->modes[BENCH_HOST]) r->modes[BENCH_EAGER] = 1;
  if (!r->size_count) r->sizes[r->size_count++] = r->cold ? DEFAULT_COLD_N : DEFAULT_N;
}

int bench_add_devices(bench_request *r) { return r->devices.count ? CLI_OK : cli_add_all_devices(&r->devices); }
