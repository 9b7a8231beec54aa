/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_shared_options.c @brief Options that families of `scanrt bench` share, each with those that have it. */
#include "bench_beside.h"
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

/** "2^10..2^28" or "2^10..2^28:2". @param dots where ".." is */
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

static int add_source(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->source_count == BENCH_MAX_SOURCES) return cli_usage(command, "more than %d --op-source", BENCH_MAX_SOURCES);
  return bench_source_parse(command, text, &r->sources[r->source_count++]);
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

/* ---- the table ---- */

enum {
  SCANS = BENCH_OF(SCAN),
  SORTS = BENCH_OF(SORT) | BENCH_OF(SPLIT),
  HAVE_PEERS = SCANS | BENCH_OF(SELECT) | SORTS,
  WRITE_REPORTS = HAVE_PEERS | BENCH_OF(MPI),
  ALL = WRITE_REPORTS | BENCH_OF(STREAM)
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
  { HAVE_PEERS, { .name = "peer", .kind = CLI_CALL, .parse = add_peer } },
  { HAVE_PEERS, { .name = "no-peers", .kind = CLI_FLAG, .offset_bytes = AT(no_peers), .value = 1 } },
  { HAVE_PEERS, { .name = "mode", .kind = CLI_CALL, .parse = parse_mode } },
  { SCANS | BENCH_OF(SELECT) | BENCH_OF(SORT), { .name = "beside", .kind = CLI_CALL, .parse = bench_parse_beside } },
  { WRITE_REPORTS, { .name = "cold", .kind = CLI_FLAG, .offset_bytes = AT(cold), .value = 1 } },
  { WRITE_REPORTS, { .name = "json", .kind = CLI_FLAG, .offset_bytes = AT(as_json), .value = 1 } },
  { WRITE_REPORTS, { .name = "csv", .kind = CLI_TEXT, .offset_bytes = AT(csv) } },
  { 0, { .name = NULL } },
};
#undef AT
