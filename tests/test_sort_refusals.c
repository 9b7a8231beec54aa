/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts of two words, with memory of the caller and by segments, and splits by bucket functions: what is refused, in
 * which words. Offsets that are no offsets write nothing that lies beside. */
#include <scanrt/scan_op.h>
#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "support.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 100, WILD = 30000, BESIDE = 4096, MOST_BYTES = 1 << 20, POISON = 0xA5 };

static struct { scan_mem in, out, scratch; } memory;

static scan_sort_spec words_of(scan_type type, uint32_t low_word_first) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(type);
  spec.key_words = 2;
  spec.low_word_first = low_word_first;
  return spec;
}

/* ---- two words, memory of the caller ---- */

static void refused(const scan_sort_spec *spec, const scan_sort_args *args, const char *words) {
  const scan_status status = scan_sort(test_ctx(), spec, FEW, args);
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static void test_words(void **state) {
  scan_sort_args args = SCAN_SORT_ARGS_INIT(memory.in, memory.out);
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  (void)state;
  spec.key_words = 3;
  refused(&spec, &args, "spec->key_words is 3");
  spec.key_words = 2;
  spec.low_word_first = 2;
  refused(&spec, &args, "spec->low_word_first is 2");
  for (spec.key_words = 0; spec.key_words < 2; spec.key_words++) {
    spec.low_word_first = 1;
    refused(&spec, &args, "spec->low_word_first is 1");
  }
  spec.low_word_first = 0;
  for (spec.key_type = SCAN_I8; spec.key_type <= SCAN_BF16; spec.key_type++)
    if ((spec.key_type < SCAN_I32 || spec.key_type > SCAN_U64) && test_has_type(spec.key_type))
      refused(&spec, &args, "SCAN_I32, SCAN_U32, SCAN_I64 or SCAN_U64");
  spec.key_type = SCAN_U32;
  args.keys_in = scan_offset(memory.in, 4);
  refused(&spec, &args, "args->keys_in is not aligned to 8 bytes");
  args.keys_in = scan_offset(memory.in, MOST_BYTES - 8 * FEW + 8);
  refused(&spec, &args, "is too small");
  spec.key_type = SCAN_U64;
  args.keys_in = scan_offset(memory.in, MOST_BYTES - 16 * FEW + 8);
  refused(&spec, &args, "is too small");
}

static void test_bits(void **state) {
  static const struct {
    scan_type type;
    uint32_t first_bit, end_bit;
    const char *words;
  } cases[] = { { SCAN_U32, 0, 65, "spec->end_bit is 65" },     { SCAN_I64, 0, 129, "spec->end_bit is 129" },
                { SCAN_U32, 64, 0, "spec->first_bit is 64" },   { SCAN_I64, 128, 0, "spec->first_bit is 128" },
                { SCAN_I32, 4, 0, "both are multiples of 8" },  { SCAN_U64, 0, 127, "both are multiples of 8" },
                { SCAN_I64, 60, 68, "both are multiples of 8" } };
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(memory.in, memory.out);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    scan_sort_spec spec = words_of(cases[i].type, i % 2);
    spec.first_bit = cases[i].first_bit;
    spec.end_bit = cases[i].end_bit;
    refused(&spec, &args, cases[i].words);
  }
}

static void test_scratch(void **state) {
  scan_sort_args args = SCAN_SORT_ARGS_INIT(memory.in, memory.out);
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U64);
  uint64_t bytes = 0;
  (void)state;
  args.scratch = memory.scratch;
  refused(&spec, &args, "args->scratch is given");
  spec.gives_scratch = 2;
  refused(&spec, &args, "spec->gives_scratch is 2");
  spec.gives_scratch = 1;
  args.scratch = SCAN_NO_MEM;
  refused(&spec, &args, "args->scratch is no memory");
  args.scratch = scan_offset(memory.scratch, 128);
  refused(&spec, &args, "args->scratch is not aligned to 256 bytes");
  test_ok(test_ctx(), scan_sort_scratch_bytes(test_ctx(), &spec, FEW, &bytes), "scan_sort_scratch_bytes");
  args.scratch = scan_offset(memory.scratch, (MOST_BYTES - bytes) / 256 * 256 + 256);
  refused(&spec, &args, "args->scratch is too small");
  args.scratch = scan_offset(memory.in, 512);
  refused(&spec, &args, "args->scratch and args->keys_in overlap");
  args.scratch = memory.out;
  refused(&spec, &args, "args->scratch and args->keys_out overlap");
  if (test_info()->backend != SCAN_BACKEND_HOST) {
    args.scratch = scan_host(&bytes);
    refused(&spec, &args, "args->scratch");
  }
  args.scratch = scan_offset(memory.scratch, (MOST_BYTES - bytes) / 256 * 256);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, FEW, &args), "scan_sort");
  if (scan_sort_scratch_bytes(test_ctx(), &spec, FEW, NULL) != SCAN_INVALID_ARGUMENT) test_fail("no bytes were taken");
  if (scan_sort_scratch_bytes(test_ctx(), NULL, FEW, &bytes) != SCAN_INVALID_ARGUMENT) test_fail("no spec was taken");
}

/* ---- segments ---- */

static void test_segments(void **state) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(memory.in, memory.out), good;
  (void)state;
  spec.offset_type = SCAN_I32;
  refused(&spec, &args, "spec->offset_type is 5");
  spec.offset_type = SCAN_TYPE_DEFAULT;
  spec.most_segment_items = 10;
  refused(&spec, &args, "spec->most_segment_items is 10");
  spec.most_segment_items = 0;
  args.segments = 1;
  refused(&spec, &args, "args->segments is 1");
  args.segments = 0;
  args.offsets = scan_offset(memory.in, 4096);
  refused(&spec, &args, "args->offsets is given");
  spec.offset_type = SCAN_U64;
  args.segments = 7;
  good = args;
  args.offsets = SCAN_NO_MEM;
  refused(&spec, &args, "args->offsets");
  args = good;
  args.offsets = scan_offset(memory.in, 4100);
  refused(&spec, &args, "args->offsets is not aligned to 8 bytes");
  args = good;
  args.offsets = scan_offset(memory.out, 64);
  refused(&spec, &args, "overlap");
  args = good;
  args.segments = MOST_BYTES;
  refused(&spec, &args, "is too small");
  args.segments = UINT64_MAX;
  refused(&spec, &args, "args->segments is");
  args = good;
  spec.key_words = 2;
  if (scan_sort(test_ctx(), &spec, 100, &args) != SCAN_UNSUPPORTED ||
      strstr(scan_last_error(test_ctx()), "spec->offset_type and spec->key_words") == NULL)
    test_fail("keys of two words by segments: '%s'", scan_last_error(test_ctx()));
}

/* Reads the output and what lies beside it. */
static void read_wild(unsigned char *got, uint64_t bytes) {
  test_ok(test_ctx(), scan_read(test_ctx(), memory.out, got, bytes + 2 * BESIDE), "scan_read");
}

/* Offsets that fall, or lie past the keys, or are not as was promised: what comes is anything, but nothing that lies
 * beside is written. */
static void check_wild(struct rng *rng, const scan_sort_spec *of, int round) {
  static uint32_t offsets[2001];
  static unsigned char got[WILD * 12 + 2 * BESIDE];
  const uint64_t bytes = WILD * (of->arrays ? (uint64_t)of->element_bytes[0] : scan_type_bytes(of->key_type));
  scan_sort_spec spec = *of;
  scan_sort_args args = { .struct_bytes = sizeof args, .keys_in = memory.in };
  args.segments = 1 + rng_below(rng, 2000);
  for (uint64_t i = 0; i <= args.segments; i++)
    offsets[i] = (uint32_t)rng_below(rng, round % 3 == 0 ? UINT32_MAX : WILD + 100);
  spec.offset_type = SCAN_U32;
  spec.most_segment_items = round % 5 == 4 ? 10 : 0; /* which is not kept */
  spec.drops_keys = spec.arrays;
  memset(got, POISON, sizeof got);
  test_ok(test_ctx(), scan_write(test_ctx(), memory.out, got, bytes + 2 * BESIDE), "scan_write");
  test_ok(test_ctx(), scan_write(test_ctx(), memory.scratch, offsets, sizeof offsets), "scan_write");
  args.offsets = memory.scratch;
  if (spec.arrays) args.in[0] = scan_offset(memory.in, MOST_BYTES / 2), args.out[0] = scan_offset(memory.out, BESIDE);
  if (!spec.arrays) args.keys_out = scan_offset(memory.out, BESIDE);
  test_ok(test_ctx(), scan_sort(test_ctx(), &spec, WILD, &args), "scan_sort");
  read_wild(got, bytes);
  for (uint64_t i = 0; i < BESIDE; i++)
    if (got[i] != POISON || got[BESIDE + bytes + i] != POISON) test_fail("round %d: a byte beside is wrong", round);
  test_ran();
}

static void test_wild_offsets(void **state) {
  const scan_sort_spec specs[] = { SCAN_SORT_SPEC_INIT(SCAN_U32), SCAN_SORT_PAIRS_INIT(SCAN_U32, 4),
                                   SCAN_SORT_PAIRS_INIT(SCAN_U16, 12), SCAN_SORT_SPEC_INIT(SCAN_U8) };
  struct rng rng = { 0x77 };
  unsigned char *keys = malloc(MOST_BYTES);
  (void)state;
  for (uint64_t i = 0; i < MOST_BYTES; i++) keys[i] = (unsigned char)rng_next(&rng);
  test_ok(test_ctx(), scan_write(test_ctx(), memory.in, keys, MOST_BYTES), "scan_write");
  free(keys);
  for (int round = 0; round < (test_is_small() ? 8 : 40); round++) check_wild(&rng, &specs[round % 4], round);
}

/* ---- bucket functions ---- */

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
    static inline uint32_t in_range(uint32_t x, uint64_t index, range r) {
      (void)index;
      return x < r.least ? 0 : (x - r.least) / r.step + 1;
    } static inline uint32_t by_turns(pair x, uint64_t index) { return (uint32_t)((index + x.key % 2) % 6); });
SCAN_BUCKET_PARAMS_HOST(range_host, uint32_t, range, in_range);
SCAN_BUCKET_HOST(turns_host, pair, by_turns);

static const range quarters = { 1u << 30, 1u << 30 };

static void said(scan_status status, const char *words) {
  if (status != SCAN_INVALID_ARGUMENT || strstr(scan_last_error(test_ctx()), words) == NULL)
    test_fail("status %d, '%s', without '%s'", (int)status, scan_last_error(test_ctx()), words);
}

static void test_buckets(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_bucket_source source = SCAN_BUCKET_PARAMS_INIT(buckets_text, uint32_t, in_range, range);
  scan_op *by = NULL;
  source.host = range_host;
  test_ok(ctx, scan_bucket_create(ctx, &source, &by), "scan_bucket_create");
  scan_split_args args = SCAN_SPLIT_ARGS_INIT(memory.in, memory.out, scan_offset(memory.out, 1 << 16));
  scan_split_spec spec = SCAN_SPLIT_BUCKETS_INIT(by, 0);
  scan_histogram_spec histogram = SCAN_HISTOGRAM_BUCKETS_INIT(by, 257);
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
  args.keys_in = memory.in;
  said(scan_split(ctx, &spec, 100, &args), "args->params is given");
  scan_op_destroy(by);
}

/* A bucket function is no predicate and no operator, nor the other way round. */
static void test_functions(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_bucket_source source = SCAN_BUCKET_INIT(buckets_text, pair, by_turns);
  scan_op *op = NULL, *none = NULL;
  scan_select_spec select = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_PREDICATE, 8);
  const scan_select_args selected = { .struct_bytes = sizeof selected };
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(memory.in, memory.out, memory.out);
  scan_spec scan = { .struct_bytes = sizeof scan };
  (void)state;
  source.host = turns_host;
  test_ok(ctx, scan_bucket_create(ctx, &source, &op), "scan_bucket_create");
  select.predicate = scan.custom_op = op;
  said(scan_select(ctx, &select, 100, &selected), "scan_predicate_create on the same one");
  said(scan_run(ctx, &scan, 10, memory.in, memory.out), "scan_op_create on the same one");
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

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup(test_words, test_count_setup),
                                      cmocka_unit_test_setup(test_bits, test_count_setup),
                                      cmocka_unit_test_setup(test_scratch, test_count_setup),
                                      cmocka_unit_test_setup(test_segments, test_count_setup),
                                      cmocka_unit_test(test_wild_offsets),
                                      cmocka_unit_test_setup(test_buckets, test_count_setup),
                                      cmocka_unit_test_setup(test_functions, test_count_setup) };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, MOST_BYTES, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, MOST_BYTES, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, MOST_BYTES, &memory.scratch), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("sort_refusals", tests, NULL, NULL));
}
