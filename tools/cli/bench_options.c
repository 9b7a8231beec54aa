/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_options.c @brief The command line of `scanrt bench`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_beside.h"
#include "bench_family.h"
#include "bench_options.h"
#include "reference.h"

#include <inttypes.h>
#include <string.h>

enum { DEFAULT_HOST_N = 1 << 10, DEFAULT_REPS = 20, MAX_PAIRS = 1 << 20, MAX_OFFSET = 1 << 20, MAX_NAMED = 16 };

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

int bench_add_sizes(const char *command, const char *text, void *request) {
  bench_request *r = request;
  uint64_t n = 0;
  const char *dots = strstr(text, "..");
  if (dots) return add_range(command, text, dots, r);
  int rc = cli_parse_count(command, "--n", text, &n);
  return rc == CLI_OK ? add_size(command, text, n, r) : rc;
}

/* ---- other values ---- */

int bench_add_type(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->type_count == BENCH_MAX_TYPES) return cli_usage(command, "more than %d --type", BENCH_MAX_TYPES);
  return cli_parse_type(command, text, &r->types[r->type_count++]);
}

int bench_add_op(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->op_count == BENCH_MAX_OPS) return cli_usage(command, "more than %d --op", BENCH_MAX_OPS);
  return cli_parse_op(command, text, &r->ops[r->op_count++]);
}

int bench_add_source(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->source_count == BENCH_MAX_SOURCES) return cli_usage(command, "more than %d --op-source", BENCH_MAX_SOURCES);
  return bench_source_parse(command, text, &r->sources[r->source_count++]);
}

static int add_strategy(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->strategy_count == MAX_NAMED) return cli_usage(command, "more than %d --strategy", MAX_NAMED);
  return cli_parse_strategy(command, text, &r->strategies[r->strategy_count++]);
}

int bench_add_peer(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->peer_count == BENCH_MAX_PEERS) return cli_usage(command, "more than %d --peer", BENCH_MAX_PEERS);
  r->peers[r->peer_count++] = text;
  return CLI_OK;
}

/** One of two words, or "both". @param[out] chosen by the words' places */
static int parse_choice(const char *command, const char *option, const char *text, const char *first,
                        const char *second, int chosen[2]) {
  int both = !strcmp(text, "both");
  if (!both && strcmp(text, first) != 0 && strcmp(text, second) != 0)
    return cli_usage(command, "unknown %s '%s': use %s, %s or both", option, text, first, second);
  if (both || !strcmp(text, first)) chosen[0] = 1;
  if (both || !strcmp(text, second)) chosen[1] = 1;
  return CLI_OK;
}

static int parse_kind(const char *command, const char *text, void *request) {
  return parse_choice(command, "kind", text, "inclusive", "exclusive", ((bench_request *)request)->kinds);
}

int bench_parse_mode(const char *command, const char *text, void *request) {
  return parse_choice(command, "mode", text, "eager", "graph", ((bench_request *)request)->modes);
}

static int parse_segments(const char *command, const char *text, void *request) {
  return bench_segments_parse(command, text, &((bench_request *)request)->segments);
}

static int parse_pairs(const char *command, const char *text, void *request) {
  uint64_t *pairs = &((bench_request *)request)->pairs;
  *pairs = 0;
  return strcmp(text, "auto") ? cli_parse_within(command, "--buffers", text, 1, MAX_PAIRS, pairs) : CLI_OK;
}

#define AT(field) offsetof(bench_request, field)
const bench_option bench_scan_options[] = {
  { BENCH_OF(SCAN), { .name = "kind", .kind = CLI_CALL, .parse = parse_kind } },
  { BENCH_OF(SCAN), { .name = "shape", .kind = CLI_CALL, .parse = bench_parse_shape } },
  { BENCH_OF(SCAN), { .name = "axis", .kind = CLI_CALL, .parse = bench_parse_axis } },
  { BENCH_OF(SCAN), { .name = "backward", .kind = CLI_FLAG, .offset_bytes = AT(backward), .value = 1 } },
  { BENCH_OF(SCAN), { .name = "segments", .kind = CLI_CALL, .parse = parse_segments } },
  { BENCH_OF(SCAN), { .name = "segment-length", .kind = CLI_CALL, .parse = bench_add_length } },
  { BENCH_OF(SCAN), { .name = "check-overflow", .kind = CLI_FLAG, .offset_bytes = AT(check_overflow), .value = 1 } },
  { BENCH_OF(SCAN), { .name = "strategy", .kind = CLI_CALL, .parse = add_strategy } },
  { BENCH_OF(SCAN), { .name = "gallery", .kind = CLI_FLAG, .offset_bytes = AT(gallery), .value = 1 } },
  { BENCH_OF(SCAN), { .name = "host-cost", .kind = CLI_FLAG, .offset_bytes = AT(modes[BENCH_HOST]), .value = 1 } },
  { BENCH_OF(SCAN), { .name = "carry", .kind = CLI_FLAG, .offset_bytes = AT(carry), .value = 1 } },
  { BENCH_OF(SCAN), { .name = "difference", .kind = CLI_FLAG, .offset_bytes = AT(difference), .value = 1 } },
  { BENCH_OF(SCAN), { .name = "in-offset", .kind = CLI_COUNT, .offset_bytes = AT(in_offset), .most = MAX_OFFSET } },
  { BENCH_OF(SCAN), { .name = "out-offset", .kind = CLI_COUNT, .offset_bytes = AT(out_offset), .most = MAX_OFFSET } },
  { BENCH_OF(SCAN), { .name = "buffers", .kind = CLI_CALL, .parse = parse_pairs } },
  { 0, { .name = NULL } },
};
#undef AT

/* ---- the whole ---- */

/** Fills in what was not given. */
static void take_defaults(bench_request *r) {
  int only_host = r->modes[BENCH_HOST] && !r->modes[BENCH_EAGER] && !r->modes[BENCH_GRAPH];
  if (!r->op_count && !r->source_count) r->ops[r->op_count++] = SCAN_ADD;
  if (!r->kinds[SCAN_INCLUSIVE] && !r->kinds[SCAN_EXCLUSIVE]) r->kinds[SCAN_INCLUSIVE] = 1;
  if (!r->size_count && only_host) r->sizes[r->size_count++] = DEFAULT_HOST_N;
  bench_take_defaults(r, SCAN_I32);
  /* The gallery is all that is compared; the sequential scan takes too long at the sizes of the others. */
  for (int t = SCAN_STRATEGY_SEQUENTIAL + 1; r->gallery && scan_strategy_name((scan_strategy)t); t++)
    if (r->strategy_count < BENCH_MAX_STRATEGIES) r->strategies[r->strategy_count++] = (scan_strategy)t;
  if (!r->strategy_count) r->strategies[r->strategy_count++] = SCAN_STRATEGY_AUTO;
}

static int check_exclusions(const char *command, const bench_request *r) {
  int rc = CLI_OK;
  if (r->cold && r->csv) return cli_usage(command, "--cold has no --csv");
  if (bench_family_check(command, r) != CLI_OK) return CLI_USAGE;
  if (r->carry && r->ndim) return cli_usage(command, "--carry has no --shape or --axis");
  if (r->in_place && r->in_offset) return cli_usage(command, "in place there is one offset: give --out-offset");
  for (size_t s = 0; s < r->source_count; s++) {
    if (r->sources[s].map && (r->ndim || r->backward))
      return cli_usage(command, "--op-source %s has no --shape, --axis or --backward", r->sources[s].name);
    rc = bench_source_check(command, &r->sources[s], r->types, r->type_count, r->kinds[SCAN_EXCLUSIVE]);
    if (rc != CLI_OK) return rc;
  }
  if (r->source_count && r->input_type != SCAN_TYPE_DEFAULT)
    return cli_usage(command, "--op-source scans elements of one type: it has no --input-type");
  if (r->in_place && r->input_type != SCAN_TYPE_DEFAULT)
    for (size_t t = 0; t < r->type_count; t++)
      if (scan_type_bytes(r->types[t]) != scan_type_bytes(r->input_type))
        return cli_usage(command, "--in-place needs types of one size");
  return CLI_OK;
}

/** Sums and products of integers, by themselves. */
static int check_overflow(const char *command, const bench_request *r) {
  if (!r->check_overflow) return CLI_OK;
  if (r->source_count || r->ndim || r->backward || r->in_place)
    return cli_usage(command, "--check-overflow has no --op-source, --shape, --axis, --backward or --in-place");
  for (size_t o = 0; o < r->op_count; o++)
    if (r->ops[o] != SCAN_ADD && r->ops[o] != SCAN_MUL)
      return cli_usage(command, "--check-overflow is for sums and products: %s does not overflow",
                       scan_op_name(r->ops[o]));
  for (size_t t = 0; t < r->type_count; t++)
    if (reference_is_float(r->types[t]))
      return cli_usage(command, "--check-overflow is for integers: %s has infinities", scan_type_name(r->types[t]));
  return CLI_OK;
}

/** Differences have nothing that scans have but their types, both directions and memory. */
static int check_difference(const char *command, const bench_request *r) {
  if (!r->difference) return CLI_OK;
  if (r->source_count || r->ndim || r->carry || r->check_overflow || r->segments || r->kinds[SCAN_EXCLUSIVE])
    return cli_usage(command,
                     "--difference has no --op-source, --shape, --carry, --check-overflow, --segments or --exclusive");
  if (r->op_count != 1 || r->ops[0] != SCAN_ADD || r->input_type != SCAN_TYPE_DEFAULT)
    return cli_usage(command, "--difference undoes sums of one type: it has no --op and no --input-type");
  if (r->strategy_count != 1 || r->strategies[0] != SCAN_STRATEGY_AUTO)
    return cli_usage(command, "--difference has no --strategy and no --gallery");
  return CLI_OK;
}

/** What is cold is so once: one scan a device. */
static int check_cold(const char *command, const bench_request *r) {
  if (!r->cold) return CLI_OK;
  if (r->ndim || r->in_place || r->modes[BENCH_GRAPH] || r->modes[BENCH_HOST])
    return cli_usage(command, "--cold has no --shape, --axis, --in-place, --mode graph or --host-cost");
  if (r->size_count != 1 || bench_combinations(r) > r->devices.count)
    return cli_usage(command, "--cold times one scan: give one --type, --n, --op or --op-source, --segments, --kind");
  return CLI_OK;
}

/** Of several combinations those that are not defined are left out; at least one must be left. */
static int check_defined(const char *command, const bench_request *r) {
  size_t defined = r->source_count;
  int alone = r->type_count * r->op_count == 1;
  for (size_t t = 0; t < r->type_count; t++)
    for (size_t o = 0; o < r->op_count; o++) {
      const char *type = scan_type_name(r->types[t]), *op = scan_op_name(r->ops[o]);
      const char *from = r->input_type == SCAN_TYPE_DEFAULT ? "" : scan_type_name(r->input_type);
      if (scan_spec_defined(r->types[t], r->input_type, r->ops[o])) {
        defined++;
      } else if (alone) {
        return cli_usage(command, "operator %s is not defined %s%s%s%s", op, *from ? "from " : "on ", from,
                         *from ? " to " : "", type);
      } else {
        cli_say_failure("notice: operator %s is not defined %s%s%s%s and is left out", op, *from ? "from " : "on ",
                        from, *from ? " to " : "", type);
      }
    }
  return defined ? CLI_OK : cli_usage(command, "none of the operators is defined on any of the types");
}

void bench_join_command(int argc, char **argv, bench_request *r) {
  size_t used = (size_t)snprintf(r->command, sizeof r->command, "scanrt");
  for (int i = 0; i < argc && used < sizeof r->command; i++) {
    const char *quote = strpbrk(argv[i], " \t*?$'\"\\") || !argv[i][0] ? "'" : "";
    used += (size_t)snprintf(r->command + used, sizeof r->command - used, " %s%s%s", quote, argv[i], quote);
  }
}

size_t bench_combinations(const bench_request *r) {
  size_t kinds = r->kinds[SCAN_INCLUSIVE] && r->kinds[SCAN_EXCLUSIVE] ? 2 : 1;
  size_t told = 1;
  for (int kind = SCAN_SEGMENTS_FLAGS; r->segments && kind < BENCH_KINDS; kind++) told += r->segments >> kind & 1;
  if (r->segments) told = (told - 1) * r->length_count;
  return r->devices.count * r->type_count * (r->op_count + r->source_count) * kinds * told * r->strategy_count;
}

int bench_parse(int argc, char **argv, bench_request *r) {
  *r = (bench_request){ .pairs = 1, .reps = DEFAULT_REPS };
  int rc = bench_parse_options(argc, argv, BENCH_FAMILY_SCAN, r);
  if (rc != CLI_OK) return rc;
  rc = bench_check_shape(argv[0], r);
  if (rc != CLI_OK) return rc;
  take_defaults(r);
  rc = check_exclusions(argv[0], r);
  if (rc == CLI_OK) rc = check_overflow(argv[0], r);
  if (rc == CLI_OK) rc = check_difference(argv[0], r);
  if (rc == CLI_OK) rc = bench_check_segments(argv[0], r);
  if (rc == CLI_OK) rc = check_defined(argv[0], r);
  if (rc == CLI_OK && !r->devices.count) rc = cli_add_all_devices(&r->devices);
  return rc == CLI_OK ? check_cold(argv[0], r) : rc;
}
