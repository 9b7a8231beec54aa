/* SPDX-License-Identifier: BSD-2-Clause */
/** @file bench_versus_lines.c @brief The cases of `scanrt bench --versus`, and its command line. */
#define _POSIX_C_SOURCE 200809L
#include "bench_options.h"
#include "bench_versus.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[VERSUS_PRIMITIVES] = { [VERSUS_EXCLUSIVE] = "exclusive",
                                                      [VERSUS_INCLUSIVE] = "inclusive",
                                                      [VERSUS_SCAN_BY_KEY] = "scan-by-key",
                                                      [VERSUS_REDUCE] = "reduce",
                                                      [VERSUS_SEGMENTED_REDUCE] = "segmented-reduce",
                                                      [VERSUS_SELECT] = "select",
                                                      [VERSUS_UNIQUE] = "unique",
                                                      [VERSUS_PARTITION] = "partition",
                                                      [VERSUS_RLE] = "rle",
                                                      [VERSUS_REDUCE_BY_KEY] = "reduce-by-key",
                                                      [VERSUS_SORT] = "sort",
                                                      [VERSUS_SORT_PAIRS] = "sort-pairs",
                                                      [VERSUS_ARGSORT] = "argsort",
                                                      [VERSUS_SEGMENTED_SORT] = "segmented-sort",
                                                      [VERSUS_SPLIT] = "split",
                                                      [VERSUS_HISTOGRAM] = "histogram" };
static const char all_names[] = "exclusive inclusive scan-by-key reduce segmented-reduce select unique partition rle "
                                "reduce-by-key sort sort-pairs argsort segmented-sort split histogram";

const versus_line versus_lines[] = {
  { VERSUS_EXCLUSIVE, "i8 i16 i32 i64 f32 f64", "", "--exclusive --type @" },
  { VERSUS_EXCLUSIVE, "u32", "", "--exclusive --input-type u8 --type @" },
  { VERSUS_EXCLUSIVE, "u64", "", "--exclusive --input-type u32 --type @" },
  { VERSUS_INCLUSIVE, "i8 i16 i32 i64 f32 f64", "", "--inclusive --type @" },
  { VERSUS_INCLUSIVE, "f32", "", "--inclusive --op-source affine_f32" },
  { VERSUS_INCLUSIVE, "i32 f32", "", "--inclusive --op max --type @" },
  { VERSUS_SCAN_BY_KEY, "i32 f32", "10 100 1000", "--inclusive --segments keys --segment-length $ --type @" },
  { VERSUS_REDUCE, "i8 i32 i64 f32 f64", "", "--reduce total --type @" },
  { VERSUS_SEGMENTED_REDUCE, "i32 f32 f64", "10 100 1000 100000", "--reduce segments --segment-length $ --type @" },
  { VERSUS_SELECT, "u8 u16 u64", "50%", "--select predicate --kept $ --payload #" },
  { VERSUS_SELECT, "u32", "1% 50% 90%", "--select predicate --kept $ --payload #" },
  { VERSUS_SELECT, "u8 u16 u64", "50%", "--select flags --kept $ --payload #" },
  { VERSUS_SELECT, "u32", "1% 50% 90%", "--select flags --kept $ --payload #" },
  { VERSUS_SELECT, "u32", "50%", "--select bits --kept $ --payload #" },
  { VERSUS_SELECT, "u32", "50%", "--select predicate --kept $ --payload #,#" },
  { VERSUS_SELECT, "u32", "1% 50%", "--select flags --kept $ --payload index" },
  { VERSUS_UNIQUE, "u32 u64", "2 20 500", "--select first --runs $ --payload #" },
  { VERSUS_UNIQUE, "u32", "20", "--select first --runs $ --payload #,#" },
  { VERSUS_PARTITION, "u32 u64", "50%", "--select predicate --kept $ --rest behind --payload #" },
  { VERSUS_PARTITION, "u32", "50%", "--select flags --kept $ --rest behind --payload #" },
  { VERSUS_PARTITION, "u32", "50%", "--select partition3 --kept $ --payload #" },
  { VERSUS_RLE, "u32 u64", "2 20 500", "--select rle --runs $ --payload #" },
  { VERSUS_REDUCE_BY_KEY, "i32 i64 f32 f64", "2 20 500", "--select reduce-by-key --runs $ --type @" },
  { VERSUS_SORT, "u8 i32 f32 f64", "random", "--sort keys --shape $ --type @" },
  { VERSUS_SORT, "u32 u64", "random and3 reversed bits27 sorted two", "--sort keys --shape $ --type @" },
  { VERSUS_SORT_PAIRS, "u8 f32 u64", "random", "--sort pairs --shape $ --type @" },
  { VERSUS_SORT_PAIRS, "u32", "random and3 reversed bits27", "--sort pairs --shape $ --type @" },
  { VERSUS_SORT_PAIRS, "u64", "random", "--sort pairs --shape $ --payload 8 --type @" },
  { VERSUS_ARGSORT, "u32 f32", "random", "--sort argsort --shape $ --type @" },
  { VERSUS_SEGMENTED_SORT, "u32", "10 100 300 1000 3000 10000 1000000", "--sort keys --segment-length $ --type @" },
  { VERSUS_SEGMENTED_SORT, "u32", "100 1000", "--sort pairs --segment-length $ --type @" },
  { VERSUS_SEGMENTED_SORT, "u64 f32", "100 1000", "--sort keys --segment-length $ --type @" },
  { VERSUS_SPLIT, "u32", "1 4 8", "--split keys --bits $ --type @" },
  { VERSUS_SPLIT, "u32", "8", "--split pairs --bits $ --type @" },
  { VERSUS_SPLIT, "u64", "8", "--split keys --bits $ --type @" },
  { VERSUS_HISTOGRAM, "u8 u32", "random two", "--split histogram --shape $ --type @" },
  { VERSUS_PRIMITIVES, "", "", NULL },
};

const char *versus_primitive_name(versus_primitive primitive) { return names[primitive]; }

/* ---- cases ---- */

/** Copies the word that `at` begins with. @return the next word, or NULL behind the last one */
static const char *copy_word(const char *at, char word[VERSUS_WORD_BYTES]) {
  const size_t length = strcspn(at, " ");
  snprintf(word, VERSUS_WORD_BYTES, "%.*s", (int)length, at);
  return at[length] ? at + length + 1 : NULL;
}

/** Writes the options of a case. */
static void write_options(const char *options, versus_case *c) {
  size_t used = 0;
  for (; *options; options++) {
    char *const end = c->options + used;
    const size_t left = sizeof c->options - used;
    if (*options == '@')
      used += (size_t)snprintf(end, left, "%s", c->type_name);
    else if (*options == '#')
      used += (size_t)snprintf(end, left, "%zu", scan_type_bytes(c->type));
    else if (*options == '$')
      used += (size_t)snprintf(end, left, "%s", c->value);
    else
      used += (size_t)snprintf(end, left, "%c", *options);
  }
}

static int has_type(const versus_request *r, scan_type type) {
  for (size_t t = 0; t < r->base.type_count; t++)
    if (r->base.types[t] == type) return 1;
  return r->base.type_count == 0;
}

/** Calls visit for each requested case. */
static void each_case(const versus_request *r, void (*visit)(const versus_case *c, void *state), void *state) {
  for (const versus_line *line = versus_lines; line->options; line++) {
    versus_case c = { .primitive = line->primitive };
    for (const char *type = line->types; type && r->primitives[line->primitive];) {
      type = copy_word(type, c.type_name);
      (void)cli_parse_type("bench", c.type_name, &c.type);
      if (!has_type(r, c.type)) continue;
      for (const char *value = line->values; value;) {
        value = copy_word(value, c.value);
        write_options(line->options, &c);
        visit(&c, state);
      }
    }
  }
}

static void count_case(const versus_case *c, void *state) {
  (void)c;
  ++*(size_t *)state;
}

static void add_case(const versus_case *c, void *state) { *(*(versus_case **)state)++ = *c; }

versus_case *versus_cases_make(const versus_request *r, size_t *count) {
  *count = 0;
  each_case(r, count_case, count);
  versus_case *const cases = (versus_case *)calloc(*count + 1, sizeof *cases), *end = cases;
  if (cases) each_case(r, add_case, &end);
  return cases;
}

/* ---- the command line ---- */

void versus_help(void) {
  puts("Usage: scanrt bench --versus [OPTION]...\n"
       "Times the primitives beside every peer that computes the same (CUB; Boost.Compute; TBB, OpenMP, std::sort and\n"
       "Highway on the host), and prints how many times as fast they are: the lowest ratio first, then the number of\n"
       "rows, the median and the ten lowest. A row is a case of `scanrt bench` and a peer, with the peer's fastest\n"
       "variant; its options repeat it. Results are checked as by the other kinds; a peer that fails or is wrong is\n"
       "marked WRONG.\n"
       "\n"
       "What to measure (options with * may be repeated, those with + also take a list with commas):\n"
       "      --primitive NAME  + only these: exclusive inclusive scan-by-key reduce segmented-reduce select unique\n"
       "                          partition rle reduce-by-key sort sort-pairs argsort segmented-sort split histogram\n"
       "      --type T          * only cases of elements, values or keys of that type\n"
       "      --n N             * number of elements, as of scanrt bench (default 2^8..2^30:2, as far as memory goes)\n"
       "      --device SEL      * only this device (default: every device)\n"
       "      --peer NAME       * only this peer (default: all that are there)\n"
       "\n"
       "How to measure, and reports:\n"
       "      --limit SECONDS     of a device (default 300): cases are measured by rising n, and those that have not\n"
       "                          begun by then are left out\n"
       "      --row-limit SECONDS of the rounds of a case (default 2), which has at least two; a case that takes\n"
       "                          longer with all that belongs to it is left out at larger n\n"
       "      --mode M            eager, graph or both, as of scanrt bench\n"
       "      --reps N            rounds at most (default 7)\n"
       "      --json, --csv FILE  as of scanrt bench\n"
       "      --quiet             no progress on a terminal\n"
       "  -h, --help              this text\n"
       "\n"
       "Columns: ratio, the peer's time divided by the library's; us and peer us, medians.\n"
       "\n"
       "Examples:\n"
       "  scanrt bench --versus --device host --limit 120\n"
       "  scanrt bench --versus --device cuda:0 --primitive sort,sort-pairs --n 2^12..2^28:4 --json\n"
       "  scanrt bench --versus --type u64 --peer cub --n 2^24");
}

static int parse_primitives(const char *command, const char *text, void *request) {
  return bench_parse_names(command, "--primitive", text, names, VERSUS_PRIMITIVES, all_names,
                           ((versus_request *)request)->primitives);
}

enum { VERSUS = BENCH_OF(VERSUS), MOST_SECONDS = 1000000 };

#define AT(field) offsetof(versus_request, field)
const bench_option bench_versus_options[] = {
  { VERSUS, { .name = "versus", .kind = CLI_FLAG, .offset_bytes = AT(base.measurement), .value = BENCH_KIND_VERSUS } },
  { VERSUS, { .name = "primitive", .kind = CLI_CALL, .parse = parse_primitives } },
  { VERSUS, { .name = "limit", .kind = CLI_COUNT, .offset_bytes = AT(limit), .least = 1, .most = MOST_SECONDS } },
  { VERSUS,
    { .name = "row-limit", .kind = CLI_COUNT, .offset_bytes = AT(row_limit), .least = 1, .most = MOST_SECONDS } },
  { 0, { .name = NULL } },
};
#undef AT

static int is_larger(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

int versus_complete(const char *command, bench_request *request) {
  enum { LEAST_LOG2 = 8, MOST_LOG2 = 30, LIMIT = 300, ROW_LIMIT = 2 };
  versus_request *r = (versus_request *)request;
  int any = 0;
  for (int p = 0; p < VERSUS_PRIMITIVES; p++) any |= r->primitives[p];
  for (int p = 0; p < VERSUS_PRIMITIVES && !any; p++) r->primitives[p] = 1;
  if (!request->size_count)
    for (int log2 = LEAST_LOG2; log2 <= MOST_LOG2; log2 += 2)
      request->sizes[request->size_count++] = UINT64_C(1) << log2;
  qsort(request->sizes, request->size_count, sizeof *request->sizes, is_larger);
  if (!r->limit) r->limit = LIMIT;
  if (!r->row_limit) r->row_limit = ROW_LIMIT;
  if (!request->modes[BENCH_GRAPH]) request->modes[BENCH_EAGER] = 1;
  const int rc = bench_check_shared(command, request);
  return rc == CLI_OK ? bench_add_devices(request) : rc;
}
