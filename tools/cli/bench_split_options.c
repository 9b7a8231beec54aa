/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_split_options.c @brief The command line of `scanrt bench --split`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "bench_sort.h"

#include <string.h>

static const char *const by_names[SORTING_BYS] = { [SORTING_BY_BITS] = "bits", [SORTING_BY_BUCKETS] = "buckets" };

void sorting_split_help(void) {
  puts(
      "Usage: scanrt bench --split HOW [OPTION]...\n"
      "Times stable splits (scan_split) and histograms (scan_histogram) by a plan, beside a copy and peers (CUB: a\n"
      "radix sort by as many bits, and DeviceHistogram) and, on the host, a plain loop on one thread and memcpy by\n"
      "all. All take turns on the same buffers, and each result is checked.\n"
      "\n"
      "What to measure (options with * may be repeated, those with + also take a list with commas):\n"
      "      --split HOW       + what is written: keys; pairs, the keys and a value each; argsort, the keys' indices;\n"
      "                          or histogram, how many keys each bucket has\n"
      "      --by WHAT         + bits of the keys (default); or buckets, which a function from source numbers: it\n"
      "                          looks at the same bits, of unsigned keys\n"
      "      --bits N            by the N highest bits, 1 to 8 (default 8); or FIRST,END: by those from FIRST on\n"
      "                          below END, at most 8, of the unsigned integer that has the key's order\n"
      "      --descending        the bucket of the largest keys is the first one\n"
      "      --in-place          of keys and pairs by bits in place, too, of an input that is restored outside of\n"
      "                          the time: each call is timed by itself\n"
      "      --type T          * of the keys (default u32)\n"
      "      --payload BYTES   * 4 or 8: of a value of pairs, and of an index (default 4)\n"
      "      --shape SHAPE     + of the data (default random), as of scanrt bench --sort\n"
      "      --n N             * number of elements, as of scanrt bench (default 2^24)\n"
      "      --device SEL      * only this device (default: every device)\n"
      "      --peer NAME       * only this peer; --no-peers: none (default: all that are there)\n"
      "\n"
      "How to measure, and reports: --mode, --reps, --cold, --json and --csv as of scanrt bench --sort.\n"
      "      --quiet             no progress on a terminal\n"
      "  -h, --help              this text\n"
      "\n"
      "Columns: those of scanrt bench --sort. GB/s and % limit go by the bytes that must be moved: of a split each "
      "key\n"
      "and value is read once and written once (of an argsort keys are read and indices written), of a histogram each\n"
      "key is read once.\n"
      "\n"
      "Examples:\n"
      "  scanrt bench --split keys,pairs,histogram --n 2^28 --device cuda:0\n"
      "  scanrt bench --split keys --by bits,buckets --bits 1 --device host\n"
      "  scanrt bench --split histogram --shape random,equal,two --type u8 --type f32");
}

static int parse_what(const char *command, const char *text, void *request) {
  return bench_take_names(command, "--split", text, sorting_names, SORTING_WHAT, "keys pairs argsort histogram",
                          ((sorting_request *)request)->what);
}

static int parse_by(const char *command, const char *text, void *request) {
  return bench_take_names(command, "--by", text, by_names, SORTING_BYS, "bits buckets",
                          ((sorting_request *)request)->by);
}

const bench_option bench_split_options[] = {
  { BENCH_OF(SPLIT), { .name = "split", .kind = CLI_CALL, .parse = parse_what } },
  { BENCH_OF(SPLIT), { .name = "by", .kind = CLI_CALL, .parse = parse_by } },
  { 0, { .name = NULL } },
};

static int is_unsigned(scan_type type) {
  return type == SCAN_U8 || type == SCAN_U16 || type == SCAN_U32 || type == SCAN_U64;
}

static int check_buckets(const char *command, const sorting_request *r) {
  if (!r->by[SORTING_BY_BUCKETS]) return CLI_OK;
  if (r->descending) return cli_usage(command, "--by buckets has no --descending");
  for (size_t t = 0; t < r->base.type_count; t++)
    if (!is_unsigned(r->base.types[t])) return cli_usage(command, "--by buckets is of unsigned keys");
  if (r->base.cold && r->by[SORTING_BY_BITS]) return cli_usage(command, "--cold times one case: give one --by");
  return CLI_OK;
}

int sorting_split_complete(const char *command, bench_request *request) {
  sorting_request *r = (sorting_request *)request;
  const int rc = sorting_complete(command, request);
  if (rc != CLI_OK) return rc;
  if (r->end_bit - r->first_bit > SCAN_SPLIT_MOST_BITS)
    return cli_usage(command, "--bits: a split is by 8 bits at most");
  if (!r->by[SORTING_BY_BUCKETS]) r->by[SORTING_BY_BITS] = 1;
  if (r->base.also_in_place && !r->by[SORTING_BY_BITS]) return cli_usage(command, "--in-place is for --by bits");
  return check_buckets(command, r);
}
