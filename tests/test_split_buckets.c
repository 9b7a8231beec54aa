/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits and histograms by bucket functions from source against a plain loop: elements of 4, 8 and 12 bytes, alone,
 * with arrays, dropped, as indices and in place; by plans, by the call and over host memory; and what is refused. */
#include <scanrt/scan_op.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <string.h>

#include "reference.h"
#include "sides.h"

enum { MOST_N = 300007, MOST_BYTES = 40 << 20, MOST_BUCKETS = SCAN_SPLIT_MOST_BUCKETS };
enum { BY_PLAN, BY_CALL, ON_HOST, WAYS };

SCAN_OP_TEXT(
    buckets_text,
    typedef struct range {
      uint32_t least;
      uint32_t step;
    } range;
    typedef struct pair {
      uint32_t key;
      uint32_t value;
    } pair;
    typedef struct particle { uint32_t cell[3]; } particle;
    static inline uint32_t in_range(uint32_t x, uint64_t index, range r) {
      (void)index;
      return x < r.least ? 0 : (x - r.least) / r.step + 1;
    } static inline uint32_t by_turns(pair x, uint64_t index) {
      return (uint32_t)((index + x.key % 2) % 6);
    } static inline uint32_t of_cell(particle p, uint64_t index) {
      (void)index;
      return (p.cell[0] ^ p.cell[1] >> 5) & 127;
    });
SCAN_BUCKET_PARAMS_HOST(range_host, uint32_t, range, in_range);
SCAN_BUCKET_HOST(turns_host, pair, by_turns);
SCAN_BUCKET_HOST(cell_host, particle, of_cell);

static uint32_t refers_range(const void *x, uint64_t index, const void *params) {
  return in_range(*(const uint32_t *)x, index, *(const range *)params);
}
static uint32_t refers_turns(const void *x, uint64_t index, const void *params) {
  (void)params;
  return by_turns(*(const pair *)x, index);
}
static uint32_t refers_cell(const void *x, uint64_t index, const void *params) {
  (void)params;
  return of_cell(*(const particle *)x, index);
}

static const range quarters = { 1u << 30, 1u << 30 };

/* A function, and what it looks at. */
typedef struct function {
  scan_op *op;
  uint32_t (*refers)(const void *x, uint64_t index, const void *params);
  const void *params;
  uint32_t bytes, align, buckets;
} function;

static scan_op *op_of(scan_bucket_source source, scan_bucket_host *host) {
  scan_op *op = NULL;
  source.host = host;
  test_ok(test_ctx(), scan_bucket_create(test_ctx(), &source, &op), "scan_bucket_create");
  return op;
}

static function range_of(const range *r, uint32_t buckets) {
  const scan_bucket_source source = SCAN_BUCKET_PARAMS_INIT(buckets_text, uint32_t, in_range, range);
  return (function){ op_of(source, range_host), refers_range, r, sizeof(uint32_t), sizeof(uint32_t), buckets };
}

static function turns_of(void) {
  const scan_bucket_source source = SCAN_BUCKET_INIT(buckets_text, pair, by_turns);
  return (function){ op_of(source, turns_host), refers_turns, NULL, sizeof(pair), sizeof(uint32_t), 5 };
}

static function cell_of(void) {
  const scan_bucket_source source = SCAN_BUCKET_INIT(buckets_text, particle, of_cell);
  return (function){ op_of(source, cell_host), refers_cell, NULL, sizeof(particle), sizeof(uint32_t), 128 };
}

/* ---- one call ---- */

/* What is asked: a split, or a histogram, which moves nothing. */
typedef struct cell {
  const function *by;
  uint64_t n, n_from;
  int how, is_histogram, has_n_from, in_place;
  uint64_t flags;
  uint32_t shift, drops, index_bytes, arrays, bytes[SCAN_SPLIT_MOST_ARRAYS];
} cell;

static struct {
  struct rng rng;
  struct side in, out;
  unsigned char *want_in, *want_out;
  uint32_t *bucket;
  uint64_t begins[MOST_BUCKETS + 1];
} bench = { .rng = { 0x5B17 } };

typedef struct places {
  uint64_t n_from, keys_in, keys_out, bins, in[SCAN_SPLIT_MOST_ARRAYS], out[SCAN_SPLIT_MOST_ARRAYS];
} places;

static scan_split_spec split_of(const cell *c) {
  scan_split_spec spec = SCAN_SPLIT_BUCKETS_INIT(c->by->op, c->by->buckets);
  spec.index_type = c->index_bytes == 8 ? SCAN_U64 : c->index_bytes == 4 ? SCAN_U32 : SCAN_TYPE_DEFAULT;
  spec.arrays = c->arrays;
  memcpy(spec.element_bytes, c->bytes, sizeof spec.element_bytes);
  spec.drops_keys = c->drops;
  spec.in_place = (uint32_t)c->in_place;
  spec.flags = c->flags;
  return spec;
}

static scan_histogram_spec histogram_of(const cell *c) {
  scan_histogram_spec spec = SCAN_HISTOGRAM_BUCKETS_INIT(c->by->op, c->by->buckets);
  spec.flags = c->flags;
  return spec;
}

static scan_plan *plan_of(const cell *c, uint64_t max_n) {
  scan_plan *plan = NULL;
  const scan_split_spec spec = split_of(c);
  const scan_histogram_spec histogram = histogram_of(c);
  test_ok(test_ctx(),
          c->is_histogram ? scan_plan_create_histogram(test_ctx(), &histogram, max_n, &plan)
                          : scan_plan_create_split(test_ctx(), &spec, max_n, &plan),
          "a plan by a bucket function");
  return plan;
}

static uint64_t take_random(uint64_t bytes, uint64_t shift) {
  const uint64_t at = side_take(&bench.in, bytes, shift);
  for (uint64_t i = 0; i < bytes; i++) bench.in.image[at + i] = (unsigned char)rng_next(&bench.rng);
  return at;
}

static void take_places(const cell *c, places *p) {
  *p = (places){ 0 };
  bench.in.used = bench.out.used = 0;
  p->n_from = side_take(&bench.in, 8, 8);
  memcpy(bench.in.image + p->n_from, &c->n_from, 8);
  p->keys_in = take_random(c->n * c->by->bytes, c->shift * c->by->align);
  if (!c->drops && !c->is_histogram)
    p->keys_out = c->in_place ? p->keys_in : side_take(&bench.out, c->n * c->by->bytes, c->shift * c->by->align);
  for (uint32_t a = 0; a < c->arrays; a++) {
    p->in[a] = take_random(c->n * c->bytes[a], 0);
    p->out[a] = c->in_place ? p->in[a] : side_take(&bench.out, c->n * c->bytes[a], 0);
  }
  if (c->index_bytes) p->out[0] = side_take(&bench.out, c->n * c->index_bytes, c->shift * c->index_bytes);
  p->bins = side_take(&bench.out, (c->by->buckets + !c->is_histogram) * 8, 8 * c->shift);
}

/* Where each bucket begins, and each element's bucket. */
static void number_buckets(const cell *c, const places *p, uint64_t n) {
  uint64_t counts[MOST_BUCKETS] = { 0 };
  for (uint64_t i = 0; i < n; i++) {
    const uint32_t said = c->by->refers(bench.in.image + p->keys_in + i * c->by->bytes, i, c->by->params);
    bench.bucket[i] = said < c->by->buckets ? said : c->by->buckets - 1;
    counts[bench.bucket[i]]++;
  }
  bench.begins[0] = 0;
  for (uint32_t b = 0; b < c->by->buckets; b++) bench.begins[b + 1] = bench.begins[b] + counts[b];
  for (uint32_t b = 0; b < c->by->buckets && c->is_histogram; b++)
    memcpy(bench.want_out + p->bins + 8 * b, &counts[b], 8);
  if (!c->is_histogram) memcpy(bench.want_out + p->bins, bench.begins, 8 * (c->by->buckets + 1));
}

static void expect(const cell *c, const places *p) {
  const uint64_t n = c->has_n_from && c->n_from < c->n ? c->n_from : c->n;
  unsigned char *want = c->in_place ? bench.want_in : bench.want_out;
  memcpy(bench.want_in, bench.in.image, bench.in.used);
  memset(bench.want_out, SIDE_POISON, bench.out.used);
  number_buckets(c, p, n);
  for (uint64_t i = 0; i < n && !c->is_histogram; i++) {
    const uint64_t at = bench.begins[bench.bucket[i]]++, bytes = c->by->bytes;
    if (p->keys_out) memcpy(want + p->keys_out + at * bytes, bench.in.image + p->keys_in + i * bytes, bytes);
    for (uint32_t a = 0; a < c->arrays; a++)
      memcpy(want + p->out[a] + at * c->bytes[a], bench.in.image + p->in[a] + i * c->bytes[a], c->bytes[a]);
    if (c->index_bytes) memcpy(bench.want_out + p->out[0] + at * c->index_bytes, &i, c->index_bytes);
  }
}

static scan_mem mem_in(const cell *c, uint64_t at) { return side_mem(&bench.in, c->how == ON_HOST, at); }
static scan_mem mem_out(const cell *c, uint64_t at) {
  return side_mem(c->in_place ? &bench.in : &bench.out, c->how == ON_HOST, at);
}

static scan_status run(const cell *c, scan_plan *plan, const places *p) {
  const scan_mem bins = side_mem(&bench.out, c->how == ON_HOST, p->bins);
  scan_split_args args = { .struct_bytes = sizeof args, .keys_in = mem_in(c, p->keys_in), .offsets = bins };
  scan_histogram_args counts = SCAN_HISTOGRAM_ARGS_INIT(mem_in(c, p->keys_in), bins);
  const scan_split_spec spec = split_of(c);
  const scan_histogram_spec histogram = histogram_of(c);
  if (p->keys_out) args.keys_out = mem_out(c, p->keys_out);
  for (uint32_t a = 0; a < c->arrays; a++) args.in[a] = mem_in(c, p->in[a]), args.out[a] = mem_out(c, p->out[a]);
  if (c->index_bytes) args.out[0] = mem_out(c, p->out[0]);
  args.params = counts.params = c->by->params;
  if (c->has_n_from) args.n_from = counts.n_from = scan_offset(bench.in.memory, p->n_from);
  if (c->is_histogram)
    return c->how == BY_PLAN ? scan_plan_run_histogram(plan, c->n, &counts)
                             : scan_histogram(test_ctx(), &histogram, c->n, &counts);
  return c->how == BY_PLAN ? scan_plan_run_split(plan, c->n, &args) : scan_split(test_ctx(), &spec, c->n, &args);
}

static void check(const cell *c, scan_plan *plan) {
  places p;
  uint64_t bad = 0;
  take_places(c, &p);
  memset(bench.out.image, SIDE_POISON, bench.out.used);
  expect(c, &p);
  side_write(&bench.in, &bench.out);
  test_ok(test_ctx(), run(c, plan, &p), "a split by a bucket function");
  if (c->has_n_from) test_excess_report(test_is_excess(c->flags, c->n, c->n_from));
  if (side_differs(&bench.out, c->how == ON_HOST, bench.want_out, &bad) ||
      side_differs(&bench.in, c->how == ON_HOST, bench.want_in, &bad))
    test_fail(
        "elements of %u bytes, %u buckets, histogram %d, n=%llu (%llu), way %d, in place %d, drops %u, %u arrays, "
        "indices of %u: byte %llu is wrong",
        c->by->bytes, c->by->buckets, c->is_histogram, (unsigned long long)c->n, (unsigned long long)c->n_from, c->how,
        c->in_place, c->drops, c->arrays, c->index_bytes, (unsigned long long)bad);
  test_ran();
}

/* Few elements and many, in each way. */
static void check_all(cell c) {
  static const uint64_t sizes[] = { 0, 1, 31, 33, 255, 257, 4095, 4097, 12291, MOST_N };
  const uint64_t most = test_is_small() ? 257 : test_info()->loop_limit ? 12291 : MOST_N;
  scan_plan *plan = plan_of(&c, most);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] <= most; i++)
    for (c.how = BY_PLAN; c.how < (sizes[i] > 5000 ? BY_CALL : WAYS); c.how++) {
      c.n = sizes[i];
      c.shift = (uint32_t)i % 4;
      check(&c, plan);
      c.has_n_from = 1;
      c.n_from = i % 3 == 2 ? c.n + 1 : c.n / 2;
      check(&c, plan);
      c.has_n_from = 0;
    }
  scan_plan_destroy(plan);
}

/* ---- what is done ---- */

static void test_elements(void **state) {
  const function functions[] = { range_of(&quarters, 5), turns_of(), cell_of() };
  (void)state;
  for (int f = 0; f < 3; f++)
    for (int is_histogram = 0; is_histogram < 2; is_histogram++)
      check_all(
          (cell){ .by = &functions[f], .is_histogram = is_histogram, .flags = is_histogram ? SCAN_N_FROM_CLAMP : 0 });
  for (int f = 0; f < 3; f++) scan_op_destroy(functions[f].op);
}

/* Of so many buckets, which the numbers may be past; parameters change from run to run. */
static void test_buckets(void **state) {
  static const uint32_t buckets[] = { 1, 2, 3, 16, 17, 129, 255, 256 };
  range r = { 0, 1u << 24 };
  function by = range_of(&r, 1);
  (void)state;
  for (size_t i = 0; i < sizeof buckets / sizeof buckets[0]; i += test_is_small() ? 3 : 1) {
    by.buckets = buckets[i];
    cell c = { .by = &by, .n = 3000 };
    scan_plan *plan = plan_of(&c, c.n);
    for (r.step = 1u << 20; r.step != 0 && r.step <= 1u << 31; r.step <<= 3) check(&c, plan);
    scan_plan_destroy(plan);
    r.step = 1u << 24;
    c.is_histogram = 1;
    plan = plan_of(&c, c.n);
    check(&c, plan);
    scan_plan_destroy(plan);
  }
  scan_op_destroy(by.op);
}

static void test_what_goes_with_them(void **state) {
  const function turns = turns_of(), by_cell = cell_of(), of_range = range_of(&quarters, 5);
  (void)state;
  check_all((cell){ .by = &turns, .arrays = 2, .bytes = { 4, 12 } });
  check_all((cell){ .by = &by_cell, .arrays = 7, .bytes = { 1, 2, 3, 4, 8, 16, 64 } });
  check_all((cell){ .by = &by_cell, .arrays = 1, .bytes = { 8 }, .drops = 1 });
  check_all((cell){ .by = &of_range, .arrays = 2, .bytes = { 8, 2 }, .drops = 1 });
  check_all((cell){ .by = &by_cell, .index_bytes = 4, .drops = 1 });
  check_all((cell){ .by = &turns, .index_bytes = 8, .drops = 1 });
  scan_op_destroy(turns.op);
  scan_op_destroy(by_cell.op);
  scan_op_destroy(of_range.op);
}

static void test_in_place(void **state) {
  const function turns = turns_of(), by_cell = cell_of(), of_range = range_of(&quarters, 5);
  (void)state;
  check_all((cell){ .by = &of_range, .in_place = 1 });
  check_all((cell){ .by = &turns, .in_place = 1, .flags = SCAN_N_FROM_CLAMP });
  check_all((cell){ .by = &by_cell, .in_place = 1, .arrays = 2, .bytes = { 4, 3 } });
  scan_op_destroy(turns.op);
  scan_op_destroy(by_cell.op);
  scan_op_destroy(of_range.op);
}

/* ---- refusals ---- */

static void said(scan_status status, const char *words) {
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static void test_refused(void **state) {
  scan_ctx *ctx = test_ctx();
  const function by = range_of(&quarters, 5);
  scan_split_args args =
      SCAN_SPLIT_ARGS_INIT(bench.in.memory, bench.out.memory, scan_offset(bench.out.memory, 1 << 16));
  scan_split_spec spec = SCAN_SPLIT_BUCKETS_INIT(by.op, 0);
  scan_histogram_spec histogram = SCAN_HISTOGRAM_BUCKETS_INIT(by.op, 257);
  scan_histogram_args counts = SCAN_HISTOGRAM_ARGS_INIT(args.keys_in, args.offsets);
  (void)state;
  args.params = counts.params = &quarters;
  said(scan_split(ctx, &spec, 100, &args), "spec->buckets is 0");
  said(scan_histogram(ctx, &histogram, 100, &counts), "spec->buckets is 257");
  spec.buckets = 5;
  spec.key_type = SCAN_U32;
  said(scan_split(ctx, &spec, 100, &args), "must be 0");
  spec.key_type = SCAN_TYPE_DEFAULT;
  spec.index_type = SCAN_U32;
  said(scan_split(ctx, &spec, 100, &args), "spec->drops_keys to 1");
  spec.index_type = SCAN_TYPE_DEFAULT;
  spec.arrays = 8;
  said(scan_split(ctx, &spec, 100, &args), "up to 7 arrays");
  spec.arrays = 1;
  said(scan_split(ctx, &spec, 100, &args), "spec->element_bytes[0] is 0");
  spec.element_bytes[0] = 4;
  said(scan_split(ctx, &spec, 100, &args), "args->in[0]");
  spec.arrays = 0;
  spec.drops_keys = 1;
  said(scan_split(ctx, &spec, 100, &args), "nothing would be written");
  spec.drops_keys = 0;
  args.params = NULL;
  said(scan_split(ctx, &spec, 100, &args), "args->params is NULL");
  args.params = &quarters;
  args.keys_in = scan_offset(args.keys_in, 2);
  said(scan_split(ctx, &spec, 100, &args), "args->keys_in is not aligned to 4 bytes");
  args.keys_in = args.keys_out;
  said(scan_split(ctx, &spec, 100, &args), "args->keys_out and args->keys_in overlap");
  spec.bucket = NULL;
  said(scan_split(ctx, &spec, 100, &args), "there is no spec->bucket");
  spec = (scan_split_spec)SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, 8);
  args.keys_in = bench.in.memory;
  said(scan_split(ctx, &spec, 100, &args), "args->params is given");
  scan_op_destroy(by.op);
}

/* A bucket function is no predicate and no operator, nor the other way round. */
static void test_refused_functions(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_bucket_source source = SCAN_BUCKET_INIT(buckets_text, pair, by_turns);
  scan_op *op = NULL, *none = NULL;
  scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, 8);
  const scan_select_args selected = { .struct_bytes = sizeof selected };
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(bench.in.memory, bench.out.memory, bench.out.memory);
  scan_spec scan = { .struct_bytes = sizeof scan };
  (void)state;
  source.host = turns_host;
  test_ok(ctx, scan_bucket_create(ctx, &source, &op), "scan_bucket_create");
  select.predicate = scan.custom_op = op;
  said(scan_select(ctx, &select, 100, &selected), "scan_predicate_create on the same one");
  said(scan_run(ctx, &scan, 10, bench.in.memory, bench.out.memory), "scan_op_create on the same one");
  scan_op_destroy(op);
  scan_split_spec gone = SCAN_SPLIT_BUCKETS_INIT(op, 5);
  said(scan_split(ctx, &gone, 100, &args), "scan_bucket_create on the same one");
  said(scan_bucket_create(ctx, NULL, &none), "source is NULL");
  said(scan_bucket_create(ctx, &source, NULL), "bucket is NULL");
  source.bucket = "no name";
  said(scan_bucket_create(ctx, &source, &none), "source->bucket must be the name");
  source.bucket = "by_turns";
  source.element_bytes = 65;
  said(scan_bucket_create(ctx, &source, &none), "source->element_bytes is 65");
  scan_bucket_source_init(&source, sizeof source);
  source.struct_bytes = 0;
  said(scan_bucket_create(ctx, &source, &none), "SCAN_BUCKET_INIT");
  source = (scan_bucket_source)SCAN_BUCKET_INIT("int f(int x, uint64_t i) { return x; }", int32_t, f);
  const scan_status status = scan_bucket_create(ctx, &source, &none);
  if (test_info()->backend == SCAN_BACKEND_HOST ? status != SCAN_UNSUPPORTED : status != SCAN_BUILD_FAILED)
    test_fail("a function of another type: status %d, '%s'", (int)status, scan_last_error(ctx));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_elements),
    cmocka_unit_test(test_buckets),
    cmocka_unit_test(test_what_goes_with_them),
    cmocka_unit_test(test_in_place),
    cmocka_unit_test_setup(test_refused, test_count_setup),
    cmocka_unit_test_setup(test_refused_functions, test_count_setup),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  (void)test_device_open();
  side_open(&bench.in, MOST_BYTES);
  side_open(&bench.out, MOST_BYTES);
  bench.want_in = reference_alloc(MOST_BYTES);
  bench.want_out = reference_alloc(MOST_BYTES);
  bench.bucket = reference_alloc(MOST_N * sizeof *bench.bucket);
  return test_exit(cmocka_run_group_tests_name("split_buckets", tests, NULL, NULL));
}
