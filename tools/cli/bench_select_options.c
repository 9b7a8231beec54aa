/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_select_options.c @brief The command line of `scanrt bench --select`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "bench_select.h"

#include <stdlib.h>
#include <string.h>

static const char *const by_names[BENCH_SELECT_END] = { [SCAN_SELECT_FLAGS] = "flags",
                                                        [SCAN_SELECT_BITS] = "bits",
                                                        [SCAN_SELECT_FIRST] = "first",
                                                        [SCAN_SELECT_LAST] = "last",
                                                        [SCAN_SELECT_PREDICATE] = "predicate",
                                                        [BENCH_SELECT_PAIR] = "pair",
                                                        [BENCH_SELECT_PARTITION3] = "partition3",
                                                        [BENCH_SELECT_RUN_LENGTHS] = "rle",
                                                        [BENCH_SELECT_REDUCE] = "reduce-by-key" };
static const char *const rest_names[SELECT_RESTS] = {
  [SCAN_REST_DROPPED] = "dropped", [SCAN_REST_BEHIND] = "behind", [SCAN_REST_APART] = "apart"
};

const char *select_by_name(uint32_t by) { return by_names[by]; }
const char *select_rest_name(scan_select_rest rest) { return rest_names[rest]; }
int select_computes(uint32_t by) { return by == BENCH_SELECT_RUN_LENGTHS || by == BENCH_SELECT_REDUCE; }
int select_is_by_runs(uint32_t by) {
  return by == SCAN_SELECT_FIRST || by == SCAN_SELECT_LAST || by == BENCH_SELECT_PAIR || select_computes(by);
}
int select_has_threshold(uint32_t by) { return by == SCAN_SELECT_PREDICATE || by == BENCH_SELECT_PARTITION3; }
int select_runs_in_place(uint32_t by) { return !select_computes(by) && by != BENCH_SELECT_PARTITION3; }

void select_help(void) {
  puts("Usage: scanrt bench --select HOW [OPTION]...\n"
       "Times stream compaction (scan_select), partition into three, run-length encoding and reduction by key by a\n"
       "plan, beside a copy and peers (CUB; TBB on the host) and, on the host, a plain loop on one thread and memcpy\n"
       "by all. All take turns on the same buffers, and each result is compared item by item.\n"
       "\n"
       "What to measure (options with * may be repeated, those with + also take a list with commas):\n"
       "      --select HOW      + what keeps an element: predicate (from C source, its bound a parameter), flags (a\n"
       "                          byte an element), bits, first or last (of each run of equal keys), pair (the\n"
       "                          first of each run, as a predicate of two neighbours has it); or partition3: three\n"
       "                          parts by two predicates; or rle: a key and a length (u32) of each run; or\n"
       "                          reduce-by-key: a key and a sum of each\n"
       "      --kept SHARE      + of the elements, such as 1% (default 1%,10%,50%,90%); not of runs; of partition3\n"
       "                          the first part, the second is half of the others\n"
       "      --runs LENGTH     + average length of runs, by first, last, pair, rle, reduce-by-key (default\n"
       "                          500,20,2,1)\n"
       "      --rest WHERE      + of those that are not kept: dropped (default), behind or apart; of partition3\n"
       "                          always apart\n"
       "      --in-place          compaction in place, too, of an input that is restored outside of the time: each\n"
       "                          call is timed by itself, so that of small n waiting is in it (not on CUDA)\n"
       "      --payload BYTES   * of an element, 1, 2, 4, 8 or 16; several arrays as 4,4; or index: u32 indices in\n"
       "                          the place of elements (default 4); of rle and reduce-by-key, of a key, 1 to 8\n"
       "      --type T          * of the values that are reduced by key (default i32); --op OP * by which operator\n"
       "                          (default add)");
  puts(bench_cases_help);
  puts(
      "\n"
      "Elements are hashes of their indices. By a predicate those are kept whose lowest 32 bits (or all they have)\n"
      "are less than the share of the range; by flags and bits another hash says so. A run begins where a hash says\n"
      "so, and its key is another than that of the one before; for pair, whose predicate compares all bits but the\n"
      "lowest, elements of a run differ in that. By a predicate or keys it is the first array that is looked at; of\n"
      "indices, and of keys with elements of 16 bytes, an array of u32 of its own.\n"
      "\n"
      "Columns: kept %, of the elements; GB/s, bytes that must be read and written: marks (flags 1 byte an element,\n"
      "bits an eighth, keys of their own 4), all elements of each array, and those that are written; % limit, the\n"
      "time that the copy of as many elements would take for so many bytes, in percent of this time (on the host:\n"
      "memcpy by all threads); x plain loop, x CUB: how many times as fast. Above 100 %: not all elements that are\n"
      "dropped were read. CUB writes what lies behind those that are kept in reverse, and is compared with that.\n"
      "\n"
      "rle reads n keys and writes a key and a length of each run, reduce-by-key reads n keys and values and writes a\n"
      "key and a value of each. Reductions must be, bit for bit, those of the scan in segments on the host (there: of\n"
      "the plain reference). Floating-point sums and products of peers and of the plain loop, whose order is their\n"
      "own, must come within a rounding error that any sound order keeps.\n"
      "\n"
      "Examples:\n"
      "  scanrt bench --select predicate --select flags --n 2^28 --device cuda:0\n"
      "  scanrt bench --select first --runs 500,20,2,1 --payload 4 --payload 4,4\n"
      "  scanrt bench --select rle,reduce-by-key --type i32 --type f32 --n 2^28 --device cuda:0\n"
      "  scanrt bench --select predicate --kept 50% --rest behind,apart --payload 16 --payload index\n"
      "  scanrt bench --select pair,partition3 --n 2^24 --device opencl:pocl\n"
      "  scanrt bench --select predicate,flags --in-place --kept 50% --n 2^28 --device cuda:0\n"
      "  scanrt bench --select flags --n 2^16 --mode both --device cuda:0");
}

/* ---- values ---- */

static int add_kept(const char *command, const char *part, void *request) {
  select_request *r = request;
  select_share share = { .kept = 0 };
  char *end;
  const double percent = strtod(part, &end);
  if (end == part || strcmp(end, "%") != 0 || !(percent > 0 && percent <= 100))
    return cli_usage(command, "--kept '%s' is not a share such as 10%%", part);
  if (r->share_count == SELECT_MOST_SHARES) return cli_usage(command, "more than %d --kept", SELECT_MOST_SHARES);
  share.kept = percent / 100;
  snprintf(share.name, sizeof share.name, "%.8g%%", percent);
  r->shares[r->share_count++] = share;
  return CLI_OK;
}

static int add_run(const char *command, const char *part, void *request) {
  select_request *r = request;
  select_share share = { .kept = 0 };
  const int rc = cli_parse_within(command, "--runs", part, 1, UINT32_MAX, &share.run);
  if (rc != CLI_OK) return rc;
  if (r->run_count == SELECT_MOST_SHARES) return cli_usage(command, "more than %d --runs", SELECT_MOST_SHARES);
  snprintf(share.name, sizeof share.name, "%u", (unsigned)share.run);
  r->runs[r->run_count++] = share;
  return CLI_OK;
}

static int parse_by(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--select", text, by_names, BENCH_SELECT_END,
                           "predicate flags bits first last pair partition3 rle reduce-by-key",
                           ((select_request *)request)->by);
}

static int parse_rest(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--rest", text, rest_names, SELECT_RESTS, "dropped behind apart",
                           ((select_request *)request)->rest);
}

static int parse_kept(const char *command, const char *text, void *request) {
  return bench_each(command, "--kept", text, request, add_kept);
}

static int parse_runs(const char *command, const char *text, void *request) {
  return bench_each(command, "--runs", text, request, add_run);
}

static int add_payload(const char *command, const char *part, void *request) {
  select_request *r = request;
  select_payload *p = &r->payloads[r->payload_count];
  uint64_t bytes = 0;
  const int rc = cli_parse_count(command, "--payload", part, &bytes);
  if (rc != CLI_OK) return rc;
  if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)) != 0)
    return cli_usage(command, "--payload: elements have 1, 2, 4, 8 or 16 bytes");
  if (p->arrays == SCAN_SELECT_MOST_ARRAYS)
    return cli_usage(command, "--payload: more than %d arrays", SCAN_SELECT_MOST_ARRAYS);
  p->bytes[p->arrays++] = (uint32_t)bytes;
  return CLI_OK;
}

static int parse_payload(const char *command, const char *text, void *request) {
  select_request *r = request;
  if (r->payload_count == SELECT_MOST_PAYLOADS)
    return cli_usage(command, "more than %d --payload", SELECT_MOST_PAYLOADS);
  r->payloads[r->payload_count] = (select_payload){ .name = text };
  const int rc = strcmp(text, "index") ? bench_each(command, "--payload", text, r, add_payload) : CLI_OK;
  if (rc == CLI_OK) r->payload_count++;
  return rc;
}

const bench_option bench_select_options[] = {
  { BENCH_OF(SELECT), { .name = "select", .kind = CLI_CALL, .parse = parse_by } },
  { BENCH_OF(SELECT), { .name = "kept", .kind = CLI_CALL, .parse = parse_kept } },
  { BENCH_OF(SELECT), { .name = "runs", .kind = CLI_CALL, .parse = parse_runs } },
  { BENCH_OF(SELECT), { .name = "rest", .kind = CLI_CALL, .parse = parse_rest } },
  { BENCH_OF(SELECT), { .name = "payload", .kind = CLI_CALL, .parse = parse_payload } },
  { 0, { .name = NULL } },
};

/* ---- the whole ---- */

/** Checks the options of rle and reduce-by-key. */
static int check_runs(const char *command, const select_request *r) {
  const int computes = r->by[BENCH_SELECT_RUN_LENGTHS] || r->by[BENCH_SELECT_REDUCE];
  if (!r->by[BENCH_SELECT_REDUCE] && (r->base.type_count || r->base.op_count))
    return cli_usage(command, "--type and --op are for --select reduce-by-key");
  if ((computes || r->by[BENCH_SELECT_PARTITION3]) && (r->rest[SCAN_REST_BEHIND] || r->rest[SCAN_REST_APART]))
    return cli_usage(command, "--select partition3, rle and reduce-by-key have no --rest");
  for (size_t i = 0; i < r->payload_count && computes; i++)
    if (r->payloads[i].arrays != 1 || r->payloads[i].bytes[0] > 8)
      return cli_usage(command, "--payload: keys of rle and reduce-by-key have 1, 2, 4 or 8 bytes");
  for (size_t i = 0; i < r->payload_count && r->by[BENCH_SELECT_PARTITION3]; i++)
    if (!r->payloads[i].arrays) return cli_usage(command, "--select partition3 has no --payload index");
  return CLI_OK;
}

static int check_in_place(const char *command, const select_request *r) {
  int there = 0;
  if (!r->base.also_in_place) return CLI_OK;
  for (uint32_t by = 0; by < BENCH_SELECT_END; by++) there |= r->by[by] && select_runs_in_place(by);
  if (!there) return cli_usage(command, "--in-place is for --select predicate, flags, bits, first, last and pair");
  for (size_t i = 0; i < r->payload_count; i++)
    if (!r->payloads[i].arrays) return cli_usage(command, "--in-place has no --payload index");
  if (r->base.cold || r->base.modes[BENCH_GRAPH])
    return cli_usage(command, "--in-place has no --cold and no --mode graph");
  return CLI_OK;
}

static int check_values(const char *command, const select_request *r) {
  for (size_t t = 0; t < r->base.type_count; t++)
    for (size_t o = 0; o < r->base.op_count; o++)
      if (!scan_spec_defined(r->base.types[t], SCAN_TYPE_DEFAULT, r->base.ops[o]))
        return cli_usage(command, "operator %s is not defined on %s", scan_op_name(r->base.ops[o]),
                         scan_type_name(r->base.types[t]));
  return CLI_OK;
}

/** Checks --cold: a process can time one cold case a device. */
static int check_cold(const char *command, const select_request *r) {
  const bench_request *b = &r->base;
  size_t cases = r->payload_count * b->size_count;
  int variants = 0;
  if (!b->cold) return CLI_OK;
  if (b->csv || b->modes[BENCH_GRAPH]) return cli_usage(command, "--cold has no --csv and no --mode graph");
  for (int by = 0; by < BENCH_SELECT_END; by++) {
    if (!r->by[by]) continue;
    cases *= select_is_by_runs((uint32_t)by) ? r->run_count : r->share_count;
    if (by == BENCH_SELECT_REDUCE) cases *= b->type_count * b->op_count;
    variants++;
  }
  for (int rest = 0, rests = 0; rest < SELECT_RESTS; rest++)
    if (r->rest[rest] && ++rests > 1) variants++;
  if (variants == 1 && cases == 1) return CLI_OK;
  return cli_usage(command,
                   "--cold times one case: give one --select, --kept or --runs, --rest, --payload, --type, --op "
                   "and --n");
}

static int options_check(const char *command, const select_request *r) {
  int by_runs = 0;
  for (int by = 0; by < BENCH_SELECT_END; by++) by_runs |= r->by[by] && select_is_by_runs((uint32_t)by);
  int by_shares = 0;
  for (uint32_t by = 0; by < BENCH_SELECT_END; by++) by_shares |= r->by[by] && !select_is_by_runs(by);
  if (!by_runs && r->run_count)
    return cli_usage(command, "--runs is for --select first, last, pair, rle and reduce-by-key");
  if (!by_shares && r->share_count)
    return cli_usage(command, "--kept is for --select predicate, flags, bits and partition3");
  int rc = bench_check_shared(command, &r->base);
  if (rc == CLI_OK) rc = check_in_place(command, r);
  return rc == CLI_OK ? check_runs(command, r) : rc;
}

static void set_defaults(const char *command, select_request *r) {
  static const char *const shares[] = { "1%", "10%", "50%", "90%" }, *const runs[] = { "500", "20", "2", "1" };
  const int has_shares = r->share_count > 0, has_runs = r->run_count > 0;
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    if (!has_shares) (void)add_kept(command, shares[i], r);
    if (!has_runs) (void)add_run(command, runs[i], r);
  }
  if (!r->rest[SCAN_REST_BEHIND] && !r->rest[SCAN_REST_APART]) r->rest[SCAN_REST_DROPPED] = 1;
  if (!r->payload_count) (void)parse_payload(command, "4", r);
  if (!r->base.op_count) r->base.ops[r->base.op_count++] = SCAN_ADD;
  bench_set_defaults(&r->base, SCAN_I32);
}

int select_complete(const char *command, bench_request *request) {
  select_request *r = (select_request *)request;
  int rc = options_check(command, r);
  if (rc != CLI_OK) return rc;
  set_defaults(command, r);
  rc = check_values(command, r);
  if (rc == CLI_OK) rc = check_cold(command, r);
  return rc == CLI_OK ? bench_add_devices(request) : rc;
}
