/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses every macro of the public headers, in the common subset of C and C++. run.sh compiles this file as both, in each
 * standard, with warnings as errors, and runs it. It fails if a header has a macro that this file does not name. */
#include <scanrt/scan.h>
#include <scanrt/scan_array.h>
#include <scanrt/scan_composite.h>
#include <scanrt/scan_cuda.h>
#include <scanrt/scan_device.h>
#include <scanrt/scan_difference.h>
#include <scanrt/scan_opencl.h>
#include <scanrt/scan_partition.h>
#include <scanrt/scan_reduce.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <scanrt/scan_stream.h>
#include <scanrt/scan_tiles.h>

#include <stdio.h>
#include <string.h>

#if SCAN_VERSION_NUMBER != SCAN_VERSION_MAJOR * 10000 + SCAN_VERSION_MINOR * 100 + SCAN_VERSION_PATCH
#error "SCAN_VERSION_NUMBER is not made of the three numbers"
#endif

enum { N_ITEMS = 1000 };

/* ---- initialisers that need no memory: constant expressions in C, and in C++ from C++14 on
 * --------------------------- */

#if defined(__cplusplus) && __cplusplus >= 201402L
#define CONSTANT constexpr
#else
#define CONSTANT static const
#endif
CONSTANT scan_spec sum = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
CONSTANT scan_spec by_key = SCAN_REDUCE_BY_KEY_INIT(SCAN_I32, SCAN_I32, SCAN_ADD);
CONSTANT scan_spec by_offsets = SCAN_SEGMENTED_REDUCE_INIT(SCAN_U32, SCAN_I32, SCAN_ADD);
CONSTANT scan_spec by_flags = SCAN_SEGMENTED_REDUCE_MARKED_INIT(SCAN_SEGMENTS_FLAGS, SCAN_I32, SCAN_ADD);
CONSTANT scan_select_spec unique = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, sizeof(int32_t));
CONSTANT scan_select_spec flagged = SCAN_SELECT_INDEX_INIT(SCAN_SELECT_FLAGS, SCAN_U32);
CONSTANT scan_sort_spec keys_alone = SCAN_SORT_SPEC_INIT(SCAN_I32);
CONSTANT scan_sort_spec pairs = SCAN_SORT_PAIRS_INIT(SCAN_I32, sizeof(int32_t));
CONSTANT scan_sort_spec order = SCAN_SORT_INDEX_INIT(SCAN_I32, SCAN_U32);
CONSTANT scan_split_spec by_bits = SCAN_SPLIT_SPEC_INIT(SCAN_I32, 0, 2);
CONSTANT scan_histogram_spec digits = SCAN_HISTOGRAM_SPEC_INIT(SCAN_I32, 0, 2);
CONSTANT scan_run_length_spec lengths = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_I32, SCAN_U32);
CONSTANT scan_plan_facts no_facts = SCAN_PLAN_FACTS_INIT;
CONSTANT scan_device_info no_info = SCAN_DEVICE_INFO_INIT;
CONSTANT scan_op_facts no_op_facts = SCAN_OP_FACTS_INIT;
CONSTANT scan_stream_options no_stream = SCAN_STREAM_OPTIONS_INIT;
CONSTANT scan_opencl_events no_events = SCAN_OPENCL_EVENTS_INIT;
CONSTANT scan_array no_array = SCAN_ARRAY_INIT;

/* ---- functions from source
 * ------------------------------------------------------------------------------------------- */

/* clang-format off */
SCAN_OP_TEXT(
  text,
  typedef struct small { int x; } small;
  typedef struct pair { int a, b; } pair;
  static inline int add(int a, int b) { return a + b; }
  static inline pair chain(pair x, pair y) { pair z = y; z.a = x.a + y.a; return z; }
  static inline int twice(small x, uint64_t index) { return x.x + x.x + (index > 5000); }
  static inline small middle(int inclusive, int exclusive, small x, uint64_t index) {
    small made = x; made.x = (inclusive + exclusive + (index > 5000)) / 2; return made;
  }
  static inline int odd(int x, uint64_t index) { return (x & 1) + (index > 5000); }
  static inline int above(int x, uint64_t index, small least) { return x > least.x + (index > 5000); }
  static inline int same(int x, int y) { return x == y; }
  static inline int near_by(int x, int y, small most) { return y - x <= most.x && x - y <= most.x; }
  static inline uint32_t bucket(uint32_t x, uint64_t index) { return (x & 3u) + (index > 5000 ? 1u : 0u); }
  static inline uint32_t bucket_of(uint32_t x, uint64_t index, uint32_t mask) {
    return x & (index > 5000 ? 0u : mask);
  });
/* clang-format on */

SCAN_OP_HOST(add_host, int, add);
SCAN_OP_HOST_ROWS(chain_host, pair, chain);
SCAN_OP_HOST_WITH(add_with, int, add, NULL, NULL);
SCAN_MAP_HOST(twice_host, small, int, twice);
SCAN_EMIT_HOST(middle_host, int, small, small, middle);
SCAN_KEEP_HOST(odd_host, int, odd);
SCAN_KEEP_PARAMS_HOST(above_host, int, small, above);
SCAN_SAME_HOST(same_host, int, same);
SCAN_SAME_PARAMS_HOST(near_host, int, small, near_by);
SCAN_KEEP_HOST_OF(even_host, int, (x_[k_] & 1) == 0);
SCAN_BUCKET_HOST(bucket_host, uint32_t, bucket);
SCAN_BUCKET_PARAMS_HOST(bucket_of_host, uint32_t, uint32_t, bucket_of);
SCAN_BUCKET_HOST_OF(bucket_two_host, int, x_[k_] > 0 ? 1u : 0u);

/* ---- the program
 * ----------------------------------------------------------------------------------------------------- */

/* SCAN_API exports an application's own declaration as well. */
SCAN_API int main(void);

typedef struct aligned_pair {
  SCAN_PAIR int32_t a;
  int32_t b;
} aligned_pair;

static scan_ctx *ctx;
static int failures;
static int32_t in[N_ITEMS], out[N_ITEMS], more[N_ITEMS], rest[N_ITEMS];
static uint64_t numbers[8];

static void check(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "macros: %s: %s\n", what, scan_last_error(ctx));
  failures++;
}

static int done(scan_status status) { return status == SCAN_SUCCESS; }

static void check_scans(void) {
  const scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  check(done(scan_run_args(ctx, &sum, N_ITEMS, &args)) && out[N_ITEMS - 1] == 999 * 500, "scan");
  const int32_t keys[4] = { 3, 3, 4, 3 };
  const scan_reduce_by_key_args reduce =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(scan_host(keys), scan_host(in), scan_host(out), scan_host(more), scan_host(numbers));
  check(done(scan_reduce_by_key(ctx, &by_key, 4, &reduce)) && numbers[0] == 3 && more[0] == 1, "reduce by key");
  static const uint32_t offsets[] = { 0, 1, 4 };
  const scan_segmented_reduce_args totals =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(scan_host(in), scan_host(offsets), 2, scan_host(more));
  check(done(scan_segmented_reduce(ctx, &by_offsets, 4, &totals)) && more[0] == in[0] &&
            more[1] == in[1] + in[2] + in[3],
        "totals of segments");
  static const uint8_t begins[] = { 1, 1, 0, 0 };
  scan_segmented_reduce_args marked =
      SCAN_SEGMENTED_REDUCE_ARGS_INIT(scan_host(in), scan_host(begins), 2, scan_host(more));
  marked.count = scan_host(numbers);
  check(done(scan_segmented_reduce(ctx, &by_flags, 4, &marked)) && numbers[0] == 2 && more[1] == in[1] + in[2] + in[3],
        "totals of flagged segments");
  const scan_run_length_args runs =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(keys), scan_host(out), scan_host(more), scan_host(numbers));
  check(done(scan_run_length_encode(ctx, &lengths, 4, &runs)) && numbers[0] == 3 && more[0] == 2, "run lengths");
}

/* Maps `small` elements to int, adds them, and stores the mean of the value before and the value after each element. */
static void check_operator(void) {
  const int zero = 0;
  scan_op_facts facts = no_op_facts;
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, int, add);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  source.identity = &zero;
  source.host = add_host;
  source.loops = &add_host_loops;
  source.map = "twice";
  source.input_type = "small";
  source.input_bytes = sizeof(small);
  source.input_align = SCAN_OP_ALIGN(small);
  source.map_host = twice_host;
  source.map_loop = twice_host_loop;
  source.emit = "middle";
  source.output_type = "small";
  source.output_bytes = sizeof(small);
  source.output_align = SCAN_OP_ALIGN(small);
  source.emit_host = middle_host;
  source.emit_loop = middle_host_loop;
  check(done(scan_op_create(ctx, &source, &spec.custom_op)) && done(scan_op_info(spec.custom_op, &facts)) &&
            facts.maps == 1 && facts.value_bytes == sizeof(int),
        "operator");
  check(done(scan_run(ctx, &spec, N_ITEMS, scan_host(in), scan_host(out))) && out[3] == 3 * 3, "map and emit");
  scan_op_destroy(spec.custom_op);
}

/* Scans with `add` alone, by the given host function and loops. */
static void check_add(scan_op_host *host, const scan_op_loops *loops) {
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, int, add);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  source.host = host;
  source.loops = loops;
  check(done(scan_op_create(ctx, &source, &spec.custom_op)) &&
            done(scan_run(ctx, &spec, N_ITEMS, scan_host(in), scan_host(out))) && out[N_ITEMS - 1] == 999 * 500,
        "operator alone");
  scan_op_destroy(spec.custom_op);
}

static void check_rows(void) {
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, pair, chain);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  source.host = chain_host;
  source.loops = &chain_host_loops;
  check(done(scan_op_create(ctx, &source, &spec.custom_op)) &&
            done(scan_run(ctx, &spec, N_ITEMS / 2, scan_host(in), scan_host(out))) && out[N_ITEMS - 2] == 998 * 250 &&
            out[N_ITEMS - 1] == 999,
        "operator of pairs");
  scan_op_destroy(spec.custom_op);
}

/* Pairs of each number and the next one, which lie in arrays of their own. */
static void check_members(void) {
  scan_op_source source = SCAN_OP_SOURCE_INIT(text, pair, chain);
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  const scan_op_member members[] = { SCAN_OP_MEMBER(pair, a, 0), SCAN_OP_MEMBER(pair, b, 1) };
  const scan_mem next = scan_host(in);
  source.host = chain_host;
  source.loops = &chain_host_loops;
  source.input_members = members;
  source.input_member_count = 2;
  args.more_in = &next;
  check(done(scan_op_create(ctx, &source, &spec.custom_op)) && done(scan_run_args(ctx, &spec, N_ITEMS / 2, &args)) &&
            out[N_ITEMS - 2] == 499 * 250 && out[N_ITEMS - 3] == 499 && out[N_ITEMS - 1] == 0,
        "members");
  scan_op_destroy(spec.custom_op);
}

/* Checks that a predicate keeps `kept` of the elements 0, 1, 2 ...; one of pairs keeps the first of each run. */
static void check_predicate(const scan_predicate_source *filled, scan_keep_host *host, const void *params,
                            uint64_t kept) {
  scan_predicate_source source = *filled;
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, sizeof(int));
  scan_select_args args = SCAN_SELECT_ARGS_INIT(scan_host(in), scan_host(in), scan_host(out), scan_host(numbers));
  if (source.is_pair != 0) spec.by = SCAN_SELECT_FIRST;
  source.host = host;
  args.params = params;
  check(done(scan_predicate_create(ctx, &source, &spec.predicate)) && done(scan_select(ctx, &spec, N_ITEMS, &args)) &&
            numbers[0] == kept,
        source.keep);
  scan_op_destroy(spec.predicate);
}

/* Selects without output and without capacity: only the count is written. */
static void check_count_alone(void) {
  scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FIRST, sizeof(int));
  spec.key_type = SCAN_I32;
  scan_select_args args = SCAN_SELECT_ARGS_INIT(scan_host(in), scan_host(in), SCAN_NO_MEM, scan_host(numbers));
  args.capacity = SCAN_NO_CAPACITY;
  check(done(scan_select(ctx, &spec, N_ITEMS, &args)) && numbers[0] > 0 && numbers[0] <= N_ITEMS, "the count alone");
}

static void check_select(void) {
  const small least = { 899 }, most = { 0 };
  const scan_predicate_source sources[] = { SCAN_PREDICATE_INIT(text, int, odd),
                                            SCAN_PREDICATE_PARAMS_INIT(text, int, above, small),
                                            SCAN_PREDICATE_PAIR_INIT(text, int, same),
                                            SCAN_PREDICATE_PAIR_PARAMS_INIT(text, int, near_by, small) };
  check_count_alone();
  check_predicate(&sources[0], odd_host, NULL, 500);
  check_predicate(&sources[0], even_host, NULL, 500);
  check_predicate(&sources[1], above_host, &least, 100);
  check_predicate(&sources[2], same_host, NULL, N_ITEMS);
  check_predicate(&sources[3], near_host, &most, N_ITEMS);
  const scan_select_args args = SCAN_SELECT_ARGS_INIT(scan_host(in), scan_host(in), scan_host(out), scan_host(numbers));
  scan_select_spec of_keys = unique;
  of_keys.key_type = SCAN_I32;
  check(done(scan_select(ctx, &of_keys, N_ITEMS, &args)) && numbers[0] == N_ITEMS, "unique");
  const uint8_t flags[3] = { 0, 1, 1 };
  const scan_select_args places =
      SCAN_SELECT_ARGS_INIT(scan_host(flags), scan_host(NULL), scan_host(out), scan_host(numbers));
  check(done(scan_select(ctx, &flagged, 3, &places)) && numbers[0] == 2 && out[0] == 1, "places of flags");
}

static void check_partition(void) {
  const small least = { 899 };
  scan_predicate_source first = SCAN_PREDICATE_INIT(text, int, odd);
  scan_predicate_source second = SCAN_PREDICATE_PARAMS_INIT(text, int, above, small);
  scan_op *ops[2] = { NULL, NULL };
  first.host = odd_host;
  second.host = above_host;
  check(done(scan_predicate_create(ctx, &first, &ops[0])) && done(scan_predicate_create(ctx, &second, &ops[1])), "ops");
  const scan_partition3_spec spec = SCAN_PARTITION3_SPEC_INIT(ops[0], ops[1], sizeof(int));
  scan_partition3_args args =
      SCAN_PARTITION3_ARGS_INIT(scan_host(in), scan_host(out), scan_host(more), scan_host(rest), scan_host(numbers));
  args.second_params = &least;
  check(done(scan_partition3(ctx, &spec, N_ITEMS, &args)) && numbers[0] == 500 && numbers[1] == 50 && more[0] == 900 &&
            rest[1] == 2,
        "partition");
  scan_op_destroy(ops[0]);
  scan_op_destroy(ops[1]);
}

static void check_sort(void) {
  const int32_t keys[4] = { 3, 1, 2, 0 };
  const scan_sort_args alone = SCAN_SORT_ARGS_INIT(scan_host(keys), scan_host(out));
  check(done(scan_sort(ctx, &keys_alone, 4, &alone)) && out[0] == 0 && out[3] == 3, "sort");
  const scan_sort_args with =
      SCAN_SORT_PAIRS_ARGS_INIT(scan_host(keys), scan_host(out), scan_host(in), scan_host(more));
  check(done(scan_sort(ctx, &pairs, 4, &with)) && more[0] == 3 && more[3] == 0, "sort pairs");
  const scan_sort_args indices = SCAN_SORT_INDEX_ARGS_INIT(scan_host(keys), scan_host(more));
  check(done(scan_sort(ctx, &order, 4, &indices)) && more[0] == 3 && more[1] == 1, "sort indices");
}

static void check_bits(void) {
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(scan_host(in), scan_host(out), scan_host(numbers));
  const scan_histogram_args counts = SCAN_HISTOGRAM_ARGS_INIT(scan_host(in), scan_host(numbers));
  check(done(scan_split(ctx, &by_bits, N_ITEMS, &args)) && numbers[1] == 250 && out[1] == 4, "split");
  check(done(scan_histogram(ctx, &digits, N_ITEMS, &counts)) && numbers[3] == 250, "histogram");
}

/* Splits and counts 0, 1, 2 ... by a bucket function; the last bucket must hold `last` elements. */
static void check_bucket(const scan_bucket_source *filled, scan_bucket_host *host, const void *params, uint32_t buckets,
                         uint64_t last) {
  scan_bucket_source source = *filled;
  scan_op *op = NULL;
  source.host = host;
  check(done(scan_bucket_create(ctx, &source, &op)), source.bucket);
  const scan_split_spec split = SCAN_SPLIT_BUCKETS_INIT(op, buckets);
  const scan_histogram_spec count = SCAN_HISTOGRAM_BUCKETS_INIT(op, buckets);
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(scan_host(in), scan_host(out), scan_host(numbers));
  scan_histogram_args counts = SCAN_HISTOGRAM_ARGS_INIT(scan_host(in), scan_host(numbers));
  args.params = counts.params = params;
  check(done(scan_split(ctx, &split, N_ITEMS, &args)) && numbers[buckets] == N_ITEMS, "split by a bucket function");
  check(done(scan_histogram(ctx, &count, N_ITEMS, &counts)) && numbers[buckets - 1] == last, "histogram by one");
  scan_op_destroy(op);
}

static void check_buckets(void) {
  const uint32_t mask = 1;
  const scan_bucket_source sources[] = { SCAN_BUCKET_INIT(text, uint32_t, bucket),
                                         SCAN_BUCKET_PARAMS_INIT(text, uint32_t, bucket_of, uint32_t) };
  check_bucket(&sources[0], bucket_host, NULL, 4, 250);
  check_bucket(&sources[0], bucket_two_host, NULL, 2, 999);
  check_bucket(&sources[1], bucket_of_host, &mask, 2, 500);
}

static void check_facts(void) {
  const uint64_t shape[SCAN_ARRAY_MAX_AXES] = { 10, 100 };
  scan_array array = no_array;
  scan_plan_facts facts = no_facts;
  scan_device_info info = no_info;
  scan_plan *plan = NULL;
  check(done(scan_array_packed(&sum, 2, shape, 1, &array)) &&
            done(scan_run_array(ctx, &sum, &array, scan_host(in), scan_host(out))) && out[99] == 99 * 50 &&
            out[100] == 100,
        "array");
  check(done(scan_plan_create(ctx, &sum, N_ITEMS, &plan)) && done(scan_plan_info(plan, &facts)) &&
            facts.max_n == N_ITEMS,
        "plan");
  scan_plan_destroy(plan);
  check(done(scan_ctx_device(ctx, &info)) && strcmp(info.selector, "host") == 0, "device");
  check(done(scan_stream(ctx, &sum, N_ITEMS, in, out, &no_stream)) && out[1] == 1, "stream");
  const size_t sizes[2] = { no_events.struct_bytes, SCAN_OP_ALIGN(aligned_pair) };
  check(sizes[0] == sizeof(scan_opencl_events) && sizes[1] == 8, "constants");
}

int main(void) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  options.device = "host";
  check(done(scan_ctx_create(&options, &ctx)), "context");
  for (int i = 0; i < N_ITEMS; i++) in[i] = i;
  check_scans();
  check_operator();
  check_add(add_with, &add_with_loops);
  check_rows();
  check_members();
  check_select();
  check_partition();
  check_sort();
  check_bits();
  check_buckets();
  check_facts();
  scan_ctx_destroy(ctx);
  if (failures == 0) printf("macros: all right\n");
  return failures != 0;
}
