/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_options.c @brief The command line of `scanrt bench`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_beside.h"
#include "bench_family.h"
#include "bench_options.h"
#include "reference.h"

#include <string.h>

enum { DEFAULT_HOST_N = 1 << 10, DEFAULT_REPS = 20, MAX_PAIRS = 1 << 20, MAX_OFFSET = 1 << 20, MAX_NAMED = 16 };

/* ---- values ---- */

static int add_strategy(const char *command, const char *text, void *request) {
  bench_request *r = request;
  if (r->strategy_count == MAX_NAMED) return cli_usage(command, "more than %d --strategy", MAX_NAMED);
  return cli_parse_strategy(command, text, &r->strategies[r->strategy_count++]);
}

static int parse_kind(const char *command, const char *text, void *request) {
  return bench_parse_either(command, "kind", text, "inclusive", "exclusive", ((bench_request *)request)->kinds);
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

int bench_parse(int argc, char **argv, const bench_choice *choices, bench_request *r) {
  *r = (bench_request){ .pairs = 1, .reps = DEFAULT_REPS };
  int rc = bench_parse_options(argc, argv, choices, BENCH_FAMILY_SCAN, r);
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
