/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_sort_options.c @brief The command lines of `scanrt bench --sort` and `--split`. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "bench_sort.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

enum { SORTS = BENCH_OF(SORT) | BENCH_OF(SPLIT) };

const char *const sorting_names[SORTING_WHAT] = { [BENCH_SORT_KEYS] = "keys",
                                                  [BENCH_SORT_PAIRS] = "pairs",
                                                  [BENCH_SORT_ARGSORT] = "argsort",
                                                  [BENCH_SORT_HISTOGRAM] = "histogram" };
static const char *const shape_names[SORTING_SHAPES] = {
  [SORTING_RANDOM] = "random", [SORTING_AND3] = "and3", [SORTING_SORTED] = "sorted", [SORTING_REVERSED] = "reversed",
  [SORTING_EQUAL] = "equal",   [SORTING_TWO] = "two",   [SORTING_BITS27] = "bits27"
};

static const char *const by_names[SORTING_BYS] = { [SORTING_BY_BITS] = "bits", [SORTING_BY_BUCKETS] = "buckets" };

const char *sorting_name(uint32_t what) { return sorting_names[what]; }
const char *sorting_shape_name(sorting_shape shape) { return shape_names[shape]; }

void sorting_help(void) {
  puts(
      "Usage: scanrt bench --sort HOW [OPTION]...\n"
      "Times stable sorts (scan_sort) by a plan, beside a copy and peers (CUB; std::sort on one thread and TBB on the\n"
      "host) and, on the host, a plain radix sort on one thread and memcpy by all. All take turns on the same "
      "buffers,\n"
      "and each result is checked.\n"
      "\n"
      "What to measure (options with * may be repeated, those with + also take a list with commas):\n"
      "      --sort HOW        + what is written: keys; pairs, the keys and a value each; or argsort, the keys' "
      "indices\n"
      "      --type T          * of the keys (default u32)\n"
      "      --key-words N       2: keys of two words of the type, the first the more significant one; without peers\n"
      "                          and a plain loop (default 1)\n"
      "      --payload BYTES   * 4 or 8: of a value of pairs, and of an index (default 4)\n"
      "      --descending        from the largest key to the smallest; equal ones stay in their order all the same\n"
      "      --order ORDER       total (default) or numeric: the order of scan_sort's floating-point keys "
      "(scan_sort.h);\n"
      "                          others sort by the total order, which is the same of these keys\n"
      "      --bits FIRST,END    sort by these bits alone, from FIRST on below END, of the unsigned integer that has\n"
      "                          the key's order (default: all bits)\n"
      "      --in-place          of keys and pairs in place, too, of an input that is restored outside of the time:\n"
      "                          each call is timed by itself\n"
      "      --shape SHAPE     + of the data (default random): random; and3, three random numbers and-ed; sorted;\n"
      "                          reversed; equal, all keys; two, one of two keys at random; bits27, random\n"
      "                          numbers below 2^27\n"
      "      --segment-length N * instead, segments of so many keys, each by itself, and beside them CUB's segmented\n"
      "                          sorts, or std::sort of one segment after the other by all threads; all: one of all.\n"
      "                          Not with --key-words 2, --bits, --descending and --in-place");
  puts(bench_cases_help);
  puts(
      "\n"
      "Floating-point keys have neither NaN nor -0.0, about which others have ideas of their own. Values are indices:\n"
      "keys must ascend, and values where keys are equal, so that one result alone is right. Of keys alone a sum of\n"
      "hashes tells that they are those of the input; by some of their bits they are compared with a sort of the\n"
      "tool's own.\n"
      "\n"
      "Columns: passes, digits of 8 bits that are not the same in all keys; Mkeys/s; GB/s and % limit, by the bytes\n"
      "that so many passes read and write, at least one, and one more read of the keys, for counts of digits (the\n"
      "first pass of an argsort reads no indices, and its last writes no keys): % limit is the time that the copy\n"
      "would take for so many bytes, in percent of this time (on the host: memcpy by all threads); x plain loop, x\n"
      "CUB: how many times as fast. CUB's sorts of pairs have an array of indices ready for an argsort. Of the ways "
      "of\n"
      "a peer, such as CUB's with an int and a size_t for n, the fastest is shown.\n"
      "\n"
      "Examples:\n"
      "  scanrt bench --sort keys,pairs,argsort --n 2^28 --device cuda:0\n"
      "  scanrt bench --sort pairs --type u32 --type f64 --payload 4 --payload 8 --n 2^20..2^26:2\n"
      "  scanrt bench --sort keys --shape random,and3,sorted,reversed,equal,two\n"
      "  scanrt bench --sort keys,pairs --bits 8,24 --descending --in-place\n"
      "  scanrt bench --sort keys --n 2^16 --mode both --device cuda:0\n"
      "  scanrt bench --sort argsort --type f32 --cold --device opencl:pocl");
}

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

/* ---- values ---- */

static int parse_what(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--sort", text, sorting_names, BENCH_SORTS, "keys pairs argsort",
                           ((sorting_request *)request)->what);
}

static int parse_shape(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--shape", text, shape_names, SORTING_SHAPES,
                           "random and3 sorted reversed equal two bits27", ((sorting_request *)request)->shapes);
}

static int parse_payload(const char *command, const char *text, void *request) {
  sorting_request *r = request;
  const uint32_t bytes = strcmp(text, "4") ? 8 : 4;
  if (bytes == 8 && strcmp(text, "8") != 0)
    return cli_usage(command, "--payload: values and indices have 4 or 8 bytes");
  for (size_t i = 0; i < r->payload_count; i++)
    if (r->payloads[i] == bytes) return CLI_OK;
  r->payloads[r->payload_count++] = bytes;
  return CLI_OK;
}

static int parse_words(const char *command, const char *text, void *request) {
  sorting_request *r = request;
  if (strcmp(text, "1") != 0 && strcmp(text, "2") != 0)
    return cli_usage(command, "--key-words: keys are of 1 or 2 words");
  r->key_words = text[0] == '1' ? 1 : 2;
  return CLI_OK;
}

/** Parses FIRST,END; for splits also the number of highest bits. */
static int parse_bits(const char *command, const char *text, void *request) {
  sorting_request *r = request;
  char *end = NULL;
  if (sorting_is_split(r) && *text >= '1' && *text <= '8' && text[1] == '\0') {
    r->highest_bits = (uint32_t)(*text - '0');
    return CLI_OK;
  }
  const unsigned long first_bit = strtoul(text, &end, 10);
  const char *const second = *end == ',' ? end + 1 : text;
  const unsigned long end_bit = strtoul(second, &end, 10);
  const int has_digits = strspn(text, "0123456789,") == strlen(text) && second != text && end != second && *text != ',';
  if (!has_digits || *end != '\0' || first_bit >= end_bit || end_bit > 64)
    return cli_usage(command, "--bits takes FIRST,END, two numbers that ascend, up to the keys' bits");
  r->first_bit = (uint32_t)first_bit;
  r->end_bit = (uint32_t)end_bit;
  return CLI_OK;
}

static int parse_length(const char *command, const char *text, void *request) {
  sorting_request *r = request;
  uint64_t length = UINT64_MAX;
  if (strcmp(text, "all") != 0) {
    char *end = NULL;
    length = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (length == 0 || *end) return cli_usage(command, "--segment-length: a number of keys from 1 on, or all");
  }
  if (r->length_count == SORTING_MOST_LENGTHS)
    return cli_usage(command, "--segment-length: up to %d lengths", SORTING_MOST_LENGTHS);
  r->lengths[r->length_count++] = length;
  return CLI_OK;
}

#define AT(field) offsetof(sorting_request, field)
const bench_option bench_sort_options[] = {
  { BENCH_OF(SORT), { .name = "sort", .kind = CLI_CALL, .parse = parse_what } },
  { BENCH_OF(SORT), { .name = "key-words", .kind = CLI_CALL, .parse = parse_words } },
  { BENCH_OF(SORT), { .name = "order", .kind = CLI_CALL, .offset_bytes = AT(order), .parse = sort_parse_order } },
  { BENCH_OF(SORT), { .name = "segment-length", .kind = CLI_CALL, .parse = parse_length } },
  { SORTS, { .name = "shape", .kind = CLI_CALL, .parse = parse_shape } },
  { SORTS, { .name = "payload", .kind = CLI_CALL, .parse = parse_payload } },
  { SORTS, { .name = "bits", .kind = CLI_CALL, .parse = parse_bits } },
  { SORTS, { .name = "descending", .kind = CLI_FLAG, .offset_bytes = AT(descending), .value = 1 } },
  { 0, { .name = NULL } },
};
#undef AT

/* ---- the whole ---- */

static int count_flags(const int *flags, int count) {
  int set = 0;
  for (int i = 0; i < count; i++) set += flags[i];
  return set;
}

static const char *option_of(const sorting_request *r) { return sorting_is_split(r) ? "--split" : "--sort"; }

/** Checks --cold: a process can time one cold case a device. */
static int check_cold(const char *command, const sorting_request *r) {
  const bench_request *b = &r->base;
  if (!b->cold) return CLI_OK;
  if (b->csv || b->modes[BENCH_GRAPH]) return cli_usage(command, "--cold has no --csv and no --mode graph");
  if (count_flags(r->what, SORTING_WHAT) == 1 && count_flags(r->shapes, SORTING_SHAPES) == 1 && r->payload_count == 1 &&
      r->length_count == 1 && b->type_count == 1 && b->size_count == 1)
    return CLI_OK;
  return cli_usage(command, "--cold times one case: give one %s, --type, --payload, --shape and --n", option_of(r));
}

/** Checks --segment-length: segments are sorted by whole keys of one word, ascending, as peers do. */
static int check_lengths(const char *command, const sorting_request *r) {
  const char *other = r->key_words == 2 ? "--key-words 2" : r->end_bit ? "--bits" : NULL;
  if (!other) other = r->descending ? "--descending" : r->base.also_in_place ? "--in-place" : NULL;
  if (!r->length_count || !other) return CLI_OK;
  return cli_usage(command, "--segment-length and %s exclude each other", other);
}

static int options_check(const char *command, const sorting_request *r) {
  const int has_values = r->what[BENCH_SORT_PAIRS] || r->what[BENCH_SORT_ARGSORT];
  for (size_t t = 0; t < r->base.type_count && r->key_words == 2; t++)
    if (r->base.types[t] < SCAN_I32 || r->base.types[t] > SCAN_U64)
      return cli_usage(command, "--key-words 2: words are i32, u32, i64 or u64, not %s",
                       scan_type_name(r->base.types[t]));
  if (r->order == SCAN_SORT_NUMERIC_ORDER && r->end_bit != 0)
    return cli_usage(command, "--bits and --order numeric exclude each other: that order has no bits");
  if (r->key_words == 2 && r->end_bit != 0) return cli_usage(command, "--bits is for keys of one word");
  if (r->payload_count && !has_values) return cli_usage(command, "--payload is for %s pairs and argsort", option_of(r));
  if (r->base.also_in_place && !r->what[BENCH_SORT_KEYS] && !r->what[BENCH_SORT_PAIRS])
    return cli_usage(command, "--in-place is for %s keys and pairs", option_of(r));
  const int rc = check_lengths(command, r);
  return rc == CLI_OK ? bench_check_shared(command, &r->base) : rc;
}

static int check_bits(const char *command, const sorting_request *r) {
  for (size_t t = 0; t < r->base.type_count; t++)
    if (r->end_bit > 8 * scan_type_bytes(r->base.types[t]))
      return cli_usage(command, "--bits ends at %u: keys of %s have %u", (unsigned)r->end_bit,
                       scan_type_name(r->base.types[t]), (unsigned)(8 * scan_type_bytes(r->base.types[t])));
  return CLI_OK;
}

/** Refuses n beyond the range of 4-byte indices. */
static int check_sizes(const char *command, const sorting_request *r) {
  const int has_values = r->what[BENCH_SORT_PAIRS] || r->what[BENCH_SORT_ARGSORT];
  for (size_t p = 0; p < r->payload_count && has_values; p++)
    for (size_t i = 0; i < r->base.size_count; i++)
      if (r->payloads[p] == 4 && r->base.sizes[i] > UINT32_MAX)
        return cli_usage(command, "--payload 4 has no indices from 2^32 on: give --payload 8");
  return CLI_OK;
}

static void set_defaults(sorting_request *r) {
  if (!r->key_words) r->key_words = 1;
  if (!count_flags(r->shapes, SORTING_SHAPES)) r->shapes[SORTING_RANDOM] = 1;
  if (!r->length_count) r->lengths[r->length_count++] = 0;
  if (!r->payload_count) r->payloads[r->payload_count++] = 4;
  bench_set_defaults(&r->base, SCAN_U32);
}

int sorting_complete(const char *command, bench_request *request) {
  sorting_request *r = (sorting_request *)request;
  int rc = options_check(command, r);
  if (rc != CLI_OK) return rc;
  set_defaults(r);
  rc = check_sizes(command, r);
  if (rc == CLI_OK) rc = check_bits(command, r);
  if (rc == CLI_OK) rc = check_cold(command, r);
  return rc == CLI_OK ? bench_add_devices(request) : rc;
}

/* ---- --split ---- */

static int parse_split(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--split", text, sorting_names, SORTING_WHAT, "keys pairs argsort histogram",
                           ((sorting_request *)request)->what);
}

static int parse_by(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--by", text, by_names, SORTING_BYS, "bits buckets",
                           ((sorting_request *)request)->by);
}

const bench_option bench_split_options[] = {
  { BENCH_OF(SPLIT), { .name = "split", .kind = CLI_CALL, .parse = parse_split } },
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
