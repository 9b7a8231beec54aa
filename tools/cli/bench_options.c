/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_options.c @brief The command line of `scanrt bench`. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "reference.h"

#include <inttypes.h>
#include <string.h>

enum {
  OPT_DEVICE = 256,
  OPT_TYPE,
  OPT_INPUT_TYPE,
  OPT_OP,
  OPT_OP_SOURCE,
  OPT_INCLUSIVE,
  OPT_EXCLUSIVE,
  OPT_KIND,
  OPT_N,
  OPT_SHAPE,
  OPT_AXIS,
  OPT_BACKWARD,
  OPT_SEGMENTS,
  OPT_SEGMENT_LENGTH,
  OPT_CHECK_OVERFLOW,
  OPT_STRATEGY,
  OPT_GALLERY,
  OPT_MODE,
  OPT_HOST_COST,
  OPT_IN_PLACE,
  OPT_IN_OFFSET,
  OPT_OUT_OFFSET,
  OPT_BUFFERS,
  OPT_PEER,
  OPT_NO_PEERS,
  OPT_REPS,
  OPT_COLD,
  OPT_JSON,
  OPT_CSV,
};
enum { DEFAULT_N = 1 << 24, DEFAULT_HOST_N = 1 << 10, DEFAULT_REPS = 20, MAX_PAIRS = 1 << 20, MAX_OFFSET = 1 << 20 };

static const struct option options[] = { { "device", required_argument, NULL, OPT_DEVICE },
                                         { "type", required_argument, NULL, OPT_TYPE },
                                         { "input-type", required_argument, NULL, OPT_INPUT_TYPE },
                                         { "op", required_argument, NULL, OPT_OP },
                                         { "op-source", required_argument, NULL, OPT_OP_SOURCE },
                                         { "inclusive", no_argument, NULL, OPT_INCLUSIVE },
                                         { "exclusive", no_argument, NULL, OPT_EXCLUSIVE },
                                         { "kind", required_argument, NULL, OPT_KIND },
                                         { "n", required_argument, NULL, OPT_N },
                                         { "shape", required_argument, NULL, OPT_SHAPE },
                                         { "axis", required_argument, NULL, OPT_AXIS },
                                         { "backward", no_argument, NULL, OPT_BACKWARD },
                                         { "segments", required_argument, NULL, OPT_SEGMENTS },
                                         { "segment-length", required_argument, NULL, OPT_SEGMENT_LENGTH },
                                         { "check-overflow", no_argument, NULL, OPT_CHECK_OVERFLOW },
                                         { "strategy", required_argument, NULL, OPT_STRATEGY },
                                         { "gallery", no_argument, NULL, OPT_GALLERY },
                                         { "mode", required_argument, NULL, OPT_MODE },
                                         { "host-cost", no_argument, NULL, OPT_HOST_COST },
                                         { "in-place", no_argument, NULL, OPT_IN_PLACE },
                                         { "in-offset", required_argument, NULL, OPT_IN_OFFSET },
                                         { "out-offset", required_argument, NULL, OPT_OUT_OFFSET },
                                         { "buffers", required_argument, NULL, OPT_BUFFERS },
                                         { "peer", required_argument, NULL, OPT_PEER },
                                         { "no-peers", no_argument, NULL, OPT_NO_PEERS },
                                         { "reps", required_argument, NULL, OPT_REPS },
                                         { "cold", no_argument, NULL, OPT_COLD },
                                         { "json", no_argument, NULL, OPT_JSON },
                                         { "csv", required_argument, NULL, OPT_CSV },
                                         { "help", no_argument, NULL, 'h' },
                                         { NULL, 0, NULL, 0 } };

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

static int add_sizes(const char *command, const char *text, bench_request *r) {
  uint64_t n = 0;
  const char *dots = strstr(text, "..");
  if (dots) return add_range(command, text, dots, r);
  int rc = cli_parse_count(command, "--n", text, &n);
  return rc == CLI_OK ? add_size(command, text, n, r) : rc;
}

/* ---- other values ---- */

static int add_type(const char *command, const char *text, bench_request *r) {
  if (r->type_count == BENCH_MAX_TYPES) return cli_usage(command, "more than %d --type", BENCH_MAX_TYPES);
  return cli_parse_type(command, text, &r->types[r->type_count++]);
}

static int add_op(const char *command, const char *text, bench_request *r) {
  if (r->op_count == BENCH_MAX_OPS) return cli_usage(command, "more than %d --op", BENCH_MAX_OPS);
  return cli_parse_op(command, text, &r->ops[r->op_count++]);
}

static int add_source(const char *command, const char *text, bench_request *r) {
  if (r->source_count == BENCH_MAX_SOURCES) return cli_usage(command, "more than %d --op-source", BENCH_MAX_SOURCES);
  return bench_source_parse(command, text, &r->sources[r->source_count++]);
}

static int add_strategy(const char *command, const char *text, bench_request *r) {
  if (r->strategy_count == BENCH_MAX_STRATEGIES)
    return cli_usage(command, "more than %d --strategy", BENCH_MAX_STRATEGIES);
  return cli_parse_strategy(command, text, &r->strategies[r->strategy_count++]);
}

/** Everything that is compared, side by side. The sequential scan takes too long at the sizes of the others. */
static int add_gallery(const char *command, bench_request *r) {
  int rc = CLI_OK;
  for (int s = SCAN_STRATEGY_SEQUENTIAL + 1; rc == CLI_OK && scan_strategy_name((scan_strategy)s); s++)
    rc = add_strategy(command, scan_strategy_name((scan_strategy)s), r);
  r->gallery = 1;
  return rc;
}

static int add_peer(const char *command, const char *text, bench_request *r) {
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

static int parse_within(const char *command, const char *option, const char *text, uint64_t least, uint64_t most,
                        uint64_t *value) {
  int rc = cli_parse_count(command, option, text, value);
  if (rc != CLI_OK || (*value >= least && *value <= most)) return rc;
  return cli_usage(command, "%s is from %" PRIu64 " to %" PRIu64, option, least, most);
}

static int parse_pairs(const char *command, const char *text, uint64_t *pairs) {
  *pairs = 0;
  return strcmp(text, "auto") ? parse_within(command, "--buffers", text, 1, MAX_PAIRS, pairs) : CLI_OK;
}

static int parse_option(int c, char **argv, bench_request *r) {
  switch (c) {
  case OPT_DEVICE: return cli_add_device(argv[0], &r->devices, optarg);
  case OPT_TYPE: return add_type(argv[0], optarg, r);
  case OPT_INPUT_TYPE: return cli_parse_type(argv[0], optarg, &r->input_type);
  case OPT_OP: return add_op(argv[0], optarg, r);
  case OPT_OP_SOURCE: return add_source(argv[0], optarg, r);
  case OPT_INCLUSIVE: r->kinds[SCAN_INCLUSIVE] = 1; return CLI_OK;
  case OPT_EXCLUSIVE: r->kinds[SCAN_EXCLUSIVE] = 1; return CLI_OK;
  case OPT_KIND: return parse_choice(argv[0], "kind", optarg, "inclusive", "exclusive", r->kinds);
  case OPT_N: return add_sizes(argv[0], optarg, r);
  case OPT_SHAPE: return bench_parse_shape(argv[0], optarg, r);
  case OPT_AXIS: return bench_parse_axis(argv[0], optarg, r);
  case OPT_BACKWARD: r->backward = 1; return CLI_OK;
  case OPT_SEGMENTS: return bench_segments_parse(argv[0], optarg, &r->segments);
  case OPT_SEGMENT_LENGTH: return bench_add_length(argv[0], optarg, r);
  case OPT_CHECK_OVERFLOW: r->check_overflow = 1; return CLI_OK;
  case OPT_STRATEGY: return add_strategy(argv[0], optarg, r);
  case OPT_GALLERY: return add_gallery(argv[0], r);
  case OPT_MODE: return parse_choice(argv[0], "mode", optarg, "eager", "graph", r->modes);
  case OPT_HOST_COST: r->modes[BENCH_HOST] = 1; return CLI_OK;
  case OPT_IN_PLACE: r->in_place = 1; return CLI_OK;
  case OPT_IN_OFFSET: return parse_within(argv[0], "--in-offset", optarg, 0, MAX_OFFSET, &r->in_offset);
  case OPT_OUT_OFFSET: return parse_within(argv[0], "--out-offset", optarg, 0, MAX_OFFSET, &r->out_offset);
  case OPT_BUFFERS: return parse_pairs(argv[0], optarg, &r->pairs);
  case OPT_PEER: return add_peer(argv[0], optarg, r);
  case OPT_NO_PEERS: r->no_peers = 1; return CLI_OK;
  case OPT_REPS: return parse_within(argv[0], "--reps", optarg, 1, BENCH_MAX_REPS, &r->reps);
  case OPT_COLD: r->cold = 1; return CLI_OK;
  case OPT_JSON: r->as_json = 1; return CLI_OK;
  case OPT_CSV: r->csv = optarg; return CLI_OK;
  default: return cli_usage_getopt(c, argv, options);
  }
}

/* ---- the whole ---- */

/** Fills in what was not given. */
static void take_defaults(bench_request *r) {
  int only_host = r->modes[BENCH_HOST] && !r->modes[BENCH_EAGER] && !r->modes[BENCH_GRAPH];
  if (!r->type_count) r->types[r->type_count++] = SCAN_I32;
  if (!r->op_count && !r->source_count) r->ops[r->op_count++] = SCAN_ADD;
  if (!r->kinds[SCAN_INCLUSIVE] && !r->kinds[SCAN_EXCLUSIVE]) r->kinds[SCAN_INCLUSIVE] = 1;
  if (!r->modes[BENCH_GRAPH] && !r->modes[BENCH_HOST]) r->modes[BENCH_EAGER] = 1;
  if (!r->size_count) r->sizes[r->size_count++] = only_host ? DEFAULT_HOST_N : DEFAULT_N;
  if (!r->strategy_count) r->strategies[r->strategy_count++] = SCAN_STRATEGY_AUTO;
}

static int check_exclusions(const char *command, const bench_request *r) {
  int rc = CLI_OK;
  if (r->as_json && r->csv && !strcmp(r->csv, "-")) return cli_usage(command, "--json and --csv - exclude each other");
  if (r->cold && r->csv) return cli_usage(command, "--cold has no --csv");
  if (r->no_peers && r->peer_count) return cli_usage(command, "--peer and --no-peers exclude each other");
  if (r->in_place && r->in_offset) return cli_usage(command, "in place there is one offset: give --out-offset");
  if (r->source_count && r->cold) return cli_usage(command, "--cold has no --op-source");
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
  if (r->source_count || r->ndim || r->backward || r->in_place || r->cold)
    return cli_usage(command, "--check-overflow has no --op-source, --shape, --axis, --backward, --in-place or --cold");
  for (size_t o = 0; o < r->op_count; o++)
    if (r->ops[o] != SCAN_ADD && r->ops[o] != SCAN_MUL)
      return cli_usage(command, "--check-overflow is for sums and products: %s does not overflow",
                       scan_op_name(r->ops[o]));
  for (size_t t = 0; t < r->type_count; t++)
    if (reference_is_float(r->types[t]))
      return cli_usage(command, "--check-overflow is for integers: %s has infinities", scan_type_name(r->types[t]));
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

/** The command line as it was typed, with quotes where a word has blanks. */
static void join_command(int argc, char **argv, bench_request *r) {
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

int bench_parse(int argc, char **argv, bench_request *r, int *help) {
  int rc = CLI_OK;
  *help = 0;
  *r = (bench_request){ .pairs = 1, .reps = DEFAULT_REPS };
  join_command(argc, argv, r);
  for (int c; rc == CLI_OK && (c = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
    if (c == 'h') {
      *help = 1;
      return CLI_OK;
    }
    rc = parse_option(c, argv, r);
  }
  if (rc == CLI_OK) rc = cli_no_arguments(argc, argv);
  if (rc != CLI_OK) return rc;
  rc = bench_check_shape(argv[0], r);
  if (rc != CLI_OK) return rc;
  take_defaults(r);
  rc = check_exclusions(argv[0], r);
  if (rc == CLI_OK) rc = check_overflow(argv[0], r);
  if (rc == CLI_OK) rc = bench_check_segments(argv[0], r);
  if (rc == CLI_OK) rc = check_defined(argv[0], r);
  if (rc != CLI_OK || r->devices.count) return rc;
  return cli_add_all_devices(&r->devices);
}
