/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_options.c @brief The command line of `scanrt bench` for scans. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "bench_scan.h"
#include "reference.h"

#include <string.h>

enum { DEFAULT_HOST_N = 1 << 10, MAX_PAIRS = 1 << 20, MAX_OFFSET = 1 << 20, MAX_NAMED = 16 };

/* ---- help ---- */

static void print_what(void) {
  puts(
      "Usage: scanrt bench [OPTION]...\n"
      "Times scans of device memory against a copy of the same bytes, against peers (CUB; TBB and OpenMP on the host;\n"
      "where their modules were built) and, on processors, against a plain C loop on one thread, and memcpy by one\n"
      "thread and by all. All take turns in the same run.\n"
      "\n"
      "What to measure (options with * may be repeated):\n"
      "      --device SEL      * only this device (default: every device)\n"
      "      --n N             * number of elements: 1000000, 2^28, 2^10..2^28 (powers of two) or 2^10..2^28:2 (every\n"
      "                          second) (default 2^24; with --host-cost alone 2^10)\n"
      "      --shape A,B,...     instead of --n: an array of that shape, the last axis contiguous; --axis K * along "
      "which\n"
      "                          to scan (default: each)\n"
      "      --total             with --shape: the total of each line, beside that of all elements, which only reads\n"
      "      --backward          from the last element to the first\n"
      "      --type T          * element type (default i32)\n"
      "      --input-type T      type of the input, for sums that widen, such as u8 to u32\n"
      "      --op OP           * operator (default add)\n"
      "      --op-source NAME  * an operator from C source: add, as a user writes it, beside the built-in one, on\n"
      "                          every --type; predicate, which maps f32 to 0 or 1 and counts (positions emits places\n"
      "                          from it, too); or a composite of the library's, such as affine_f32\n"
      "      --segments HOW    * segmented scans, told by flags (a byte an element), bits, keys or offsets, beside "
      "the\n"
      "                          flat scan; --key-type T: of keys (default i32)\n"
      "      --segment-length L  * average of random lengths (default 64); 1: each element by itself; all: one\n"
      "                          segment; all+empty, of offsets: beside a million empty ones\n"
      "      --check-overflow    sums and products of integers with SCAN_CHECK_OVERFLOW, beside the unchecked scan\n"
      "      --carry             scans that leave their last value as a carry, beside the one that leaves none\n"
      "      --exclusive         exclusive scans; --inclusive, the default; --kind inclusive, exclusive or both\n"
      "      --strategy S      * a strategy (default auto)\n"
      "      --gallery           all strategies, the literature's own among them, side by side, with published rates\n"
      "                          of an A100 (sequential on GPUs: of at most 2^17 elements); then their work and span,\n"
      "                          networks and time of a block\n"
      "      --difference        differences of neighbours, which undo inclusive sums, in place of scans\n"
      "      --in-place          output over input\n"
      "      --in-offset E, --out-offset E, --mark-offset E  elements, flags or keys before the first one, for\n"
      "                          pointers that are not aligned\n"
      "      --buffers K         go through K pairs of buffers in turn; auto: 256 MiB of them, so that the data are\n"
      "                          not in a cache (default 1)\n"
      "      --peer NAME       * only this peer; --no-peers: none (default: all that are there)\n"
      "\n"
      "How to measure:\n"
      "      --mode M            eager: one call after the other; graph: a CUDA graph of up to 1000 calls, replayed;\n"
      "                          both (default eager)\n"
      "      --host-cost         host time until a call returns, beside the launch of an empty kernel\n"
      "      --reps N            rounds (default 20)\n"
      "      --beside N          of the host: beside N busy loops; each scan once more in a context of one thread,\n"
      "                          with which the scan by all threads is compared (0: beside none)\n"
      "      --cold              instead: milliseconds to open a device, to make an operator from source and a plan,\n"
      "                          of a first and of a second scan (default n: 2^20), and all but the last in sum. One\n"
      "                          scan a device, and the first device alone is cold: later ones find drivers loaded.\n"
      "                          Run it twice, and the second finds the programs in $SCANRT_CACHE; a later context\n"
      "                          of the same process finds both");
  puts("      --stream            instead: host data streamed through the device, beside copies alone; its options:\n"
       "                          scanrt bench --stream --help\n"
       "      --mpi               instead: scans over the ranks of MPI (mpirun -n 4 scanrt bench --mpi), weak and\n"
       "                          strong scaling; its options: scanrt bench --mpi --help\n"
       "      --select HOW, --sort HOW, --split HOW  instead: compaction, sorts, splits and histograms; each has\n"
       "                          its own --help\n"
       "\n"
       "Reports:\n"
       "      --json              JSON instead of the table; tools/plot.py of the sources draws it\n"
       "      --csv FILE          also CSV; - is standard output, instead of the table\n"
       "      --quiet             no progress on a terminal\n"
       "  -h, --help              this text");
}

static void print_how(void) {
  puts(
      "\n"
      "A timing is a batch of more than 2 ms: on CUDA between two events, elsewhere between two synchronisations. "
      "Each\n"
      "subject is warmed up first. Its output is poisoned before the warm-up and before the last round and compared\n"
      "after both: integers exactly; floating point bit for bit, except for peers and textbook scans, whose order of\n"
      "operations is their own and which must come within a rounding error that any sound order keeps. A wrong result "
      "prints WRONG, has\n"
      "no times, and ends with status 1. In place a batch scans its own results (integers wrap around; sums and\n"
      "products of floating point are timed on zeros and ones); single scans of fresh input are compared before and\n"
      "after. The copy moves half of input, output and what tells of segments together, so that it reads and writes\n"
      "as many bytes; the flat scan is compared with a copy of its own. What tells of segments is one for all pairs "
      "of\n"
      "buffers.\n"
      "\n"
      "Columns: IQR %, interquartile range of the times in percent of the median; GB/s, input and output bytes;\n"
      "% copy, time of the copy in percent of this time; x plain loop, x one thread, x flat, x CUB: how many times\n"
      "as fast; us over empty, how much longer the call takes than a launch of an empty kernel; work, applications of\n"
      "the operator, and span, the longest chain of them, as counted on paper; x 2n - 2, their sum over Snir's bound\n"
      "of networks; d of 16, s of 16, depth and size of the kernel's network of 16 inputs (4 lanes a warp), beside "
      "the\n"
      "published ones; block, elements of a tile; ns a block, the time in which a compute unit scans one, with all at\n"
      "work; A100, published rates, and in percent of a copy of 1,775 GB/s there.\n"
      "\n"
      "Environment: SCANRT_PEERS, a folder of peers (libscanrt_peer_NAME.so) beside the program's own.");
  cli_print_names();
  printf("From source: %s\n", bench_source_names());
  puts("\n"
       "Examples:\n"
       "  scanrt bench --n 2^20 --n 2^28\n"
       "  scanrt bench --device host --type f32 --strategy auto --strategy sequential\n"
       "  scanrt bench --device cuda:0 --n 2^10..2^28 --mode both --buffers auto --csv scan.csv\n"
       "  scanrt bench --device cuda:0 --host-cost\n"
       "  scanrt bench --device host --type f32 --n 2^24 --beside 4 --no-peers\n"
       "  scanrt bench --gallery --n 2^16..2^26:5\n"
       "  scanrt bench --op-source add --op-source affine_f32 --n 2^28\n"
       "  scanrt bench --segments offsets --segment-length 1 --segment-length 64 --segment-length all+empty\n"
       "  scanrt bench --cold --device cuda:0 --op-source affine_f32 --n 2^24");
}

void bench_scan_help(void) {
  print_what();
  print_how();
}

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
  { BENCH_OF(SCAN), { .name = "total", .kind = CLI_FLAG, .offset_bytes = AT(totals), .value = 1 } },
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
  { BENCH_OF(SCAN), { .name = "mark-offset", .kind = CLI_COUNT, .offset_bytes = AT(mark_offset), .most = MAX_OFFSET } },
  { BENCH_OF(SCAN), { .name = "key-type", .kind = CLI_TYPE, .offset_bytes = AT(segment_key_type) } },
  { BENCH_OF(SCAN), { .name = "buffers", .kind = CLI_CALL, .parse = parse_pairs } },
  { 0, { .name = NULL } },
};
#undef AT

/* ---- the whole ---- */

static int has_strategy(const bench_request *r, scan_strategy strategy) {
  for (size_t i = 0; i < r->strategy_count; i++)
    if (r->strategies[i] == strategy) return 1;
  return 0;
}

/** Sets defaults. */
static void set_defaults(bench_request *r) {
  int only_host = r->modes[BENCH_HOST] && !r->modes[BENCH_EAGER] && !r->modes[BENCH_GRAPH];
  if (!r->op_count && !r->source_count) r->ops[r->op_count++] = SCAN_ADD;
  if (!r->kinds[SCAN_INCLUSIVE] && !r->kinds[SCAN_EXCLUSIVE]) r->kinds[SCAN_INCLUSIVE] = 1;
  if (!r->size_count && only_host) r->sizes[r->size_count++] = DEFAULT_HOST_N;
  bench_set_defaults(r, SCAN_I32);
  for (int t = SCAN_STRATEGY_SEQUENTIAL; r->gallery && scan_strategy_name((scan_strategy)t); t++)
    if (r->strategy_count < BENCH_MAX_STRATEGIES && !has_strategy(r, (scan_strategy)t))
      r->strategies[r->strategy_count++] = (scan_strategy)t;
  if (!r->strategy_count) r->strategies[r->strategy_count++] = SCAN_STRATEGY_AUTO;
}

/** Refuses an operator from source that does not fit the types and kinds. */
static int check_source(const char *command, const source_operator *source, const scan_type *types, size_t type_count,
                        int is_exclusive) {
  if (source->map && source->map->emit && is_exclusive)
    return cli_usage(command, "--op-source %s emits what it likes: it has no --exclusive", source->name);
  for (size_t t = 0; t < type_count && !source->composite && !source->map; t++)
    if (types[t] > SCAN_F64)
      return cli_usage(command, "--op-source %s has no type %s", source->name, scan_type_name(types[t]));
  return CLI_OK;
}

static int check_exclusions(const char *command, const bench_request *r) {
  int rc = CLI_OK;
  if (r->cold && r->csv) return cli_usage(command, "--cold has no --csv");
  if (bench_check_shared(command, r) != CLI_OK) return CLI_USAGE;
  if (r->carry && r->ndim) return cli_usage(command, "--carry has no --shape or --axis");
  if (r->in_place && r->in_offset) return cli_usage(command, "in place there is one offset: give --out-offset");
  for (size_t s = 0; s < r->source_count; s++) {
    if (r->sources[s].map && (r->ndim || r->backward))
      return cli_usage(command, "--op-source %s has no --shape, --axis or --backward", r->sources[s].name);
    rc = check_source(command, &r->sources[s], r->types, r->type_count, r->kinds[SCAN_EXCLUSIVE]);
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

/** Checks --check-overflow, which is for sums and products of integers without other options. */
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

/** Checks --difference, which has types, both directions and memory options, but no other options of scans. */
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

size_t bench_combinations(const bench_request *r) {
  size_t kinds = r->kinds[SCAN_INCLUSIVE] && r->kinds[SCAN_EXCLUSIVE] ? 2 : 1;
  size_t segment_kinds = 1;
  for (int kind = SCAN_SEGMENTS_FLAGS; r->segments && kind < BENCH_KINDS; kind++)
    segment_kinds += r->segments >> kind & 1;
  if (r->segments) segment_kinds = (segment_kinds - 1) * r->length_count;
  return r->devices.count * r->type_count * (r->op_count + r->source_count) * kinds * segment_kinds * r->strategy_count;
}

/** Checks --cold: a process can time one cold scan a device. */
static int check_cold(const char *command, const bench_request *r) {
  if (!r->cold) return CLI_OK;
  if (r->ndim || r->in_place || r->modes[BENCH_GRAPH] || r->modes[BENCH_HOST])
    return cli_usage(command, "--cold has no --shape, --axis, --in-place, --mode graph or --host-cost");
  if (r->size_count != 1 || bench_combinations(r) > r->devices.count)
    return cli_usage(command, "--cold times one scan: give one --type, --n, --op or --op-source, --segments, --kind");
  return CLI_OK;
}

/** Skips undefined combinations of type and operator; at least one must be defined. */
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

int bench_scan_complete(const char *command, bench_request *r) {
  int rc = bench_check_shape(command, r);
  if (rc != CLI_OK) return rc;
  set_defaults(r);
  rc = check_exclusions(command, r);
  if (rc == CLI_OK) rc = check_overflow(command, r);
  if (rc == CLI_OK) rc = check_difference(command, r);
  if (rc == CLI_OK) rc = bench_check_segments(command, r);
  if (rc == CLI_OK) rc = check_defined(command, r);
  if (rc == CLI_OK) rc = bench_add_devices(r);
  return rc == CLI_OK ? check_cold(command, r) : rc;
}
