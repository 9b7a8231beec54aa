/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures how much of a thread's stack the library uses on the host: every kind of scan in a thread with a painted
 * stack, and again in one with 64 KiB. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "support.h"

#include <pthread.h>
#include <scanrt/scan_array.h>
#include <scanrt/scan_op.h>
#include <scanrt/scan_runs.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>
#include <scanrt/scan_stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { KIB = 1024, MOST_BYTES = 32 * KIB, SMALL_STACK = 64 * KIB, LARGE_STACK = 1024 * KIB, PAINT = 0xA5 };
enum { SMALL_N = 100, LEAST_SCANS = 2000, LARGE_N = 70000, WORDS = 16 };

/* An element of the largest size. */
typedef struct wide {
  uint32_t word[WORDS];
} wide;

static void wide_sum(const void *a, const void *b, void *result, void *user) {
  (void)user;
  for (int i = 0; i < WORDS; i++) ((wide *)result)->word[i] = ((const wide *)a)->word[i] + ((const wide *)b)->word[i];
}

/* The memory of the thread's scans, allocated before it begins. Zeros are valid for every type. */
static struct {
  unsigned char *in, *out, *segment_flags;
  uint32_t *keys; /* short runs, then long ones */
  char fault[TEST_TEXT];
  int scans;                  /* scans that succeeded */
  const unsigned char *begin; /* an address in the thread's first frame */
} fixture;

/* ---- scans; the first fault goes to lab.fault. Unsupported scans are not faults: other suites test refusals ---- */

static void note(const scan_ctx *ctx, scan_status status, const char *what, const scan_spec *spec) {
  fixture.scans += status == SCAN_SUCCESS;
  if (status <= SCAN_UNSUPPORTED || fixture.fault[0] != '\0') return;
  snprintf(fixture.fault, sizeof fixture.fault, "%s of type %d, operator %d, flags %u: %.300s", what, (int)spec->type,
           (int)spec->op, spec->flags, scan_last_error(ctx));
}

static void run_marked(scan_ctx *ctx, const scan_spec *spec, scan_mem marks, uint64_t count) {
  static const uint64_t sizes[] = { 1, SMALL_N, LARGE_N };
  scan_args args = SCAN_ARGS_INIT(scan_host(fixture.in), scan_host(fixture.out));
  args.marks = marks;
  args.mark_count = count;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    note(ctx, scan_run_args(ctx, spec, sizes[i], &args), "scan_run_args", spec);
}

static void run_sizes(scan_ctx *ctx, const scan_spec *spec) { run_marked(ctx, spec, SCAN_NO_MEM, 0); }

static void run_segments(scan_ctx *ctx, scan_spec spec) {
  for (int kind = SCAN_SEGMENTS_FLAGS; kind <= SCAN_SEGMENTS_OFFSETS; kind++) {
    spec.segments = (scan_segments)kind;
    spec.key_type = kind >= SCAN_SEGMENTS_KEYS ? SCAN_U32 : SCAN_TYPE_DEFAULT;
    run_marked(ctx, &spec, scan_host(fixture.segment_flags), kind == SCAN_SEGMENTS_OFFSETS ? 1 : LARGE_N);
  }
}

static void run_array(scan_ctx *ctx, const scan_spec *spec) {
  const uint64_t shapes[2][3] = { { 3, 350, 50 }, { 40, 40, 40 } };
  for (int s = 0; s < 2; s++)
    for (uint32_t axis = 0; axis < 3; axis++) {
      scan_array array = SCAN_ARRAY_INIT;
      for (int i = 0; i < 3; i++) array.shape[i] = shapes[s][i];
      array.ndim = 3;
      array.axis = axis;
      for (int i = 2, stride = spec->custom_op ? (int)sizeof(wide) : 8; i >= 0; stride *= (int)shapes[s][i--])
        array.in_strides[i] = array.out_strides[i] = stride;
      note(ctx, scan_run_array(ctx, spec, &array, scan_host(fixture.in), scan_host(fixture.out)), "scan_run_array",
           spec);
    }
}

static int fill_chunk(void *data, uint64_t first, uint64_t items, void *to) {
  (void)data, (void)first;
  memset(to, 0, (size_t)items);
  return 0;
}

static int drop_chunk(void *data, uint64_t first, uint64_t items, const void *from) {
  (void)data, (void)first, (void)items, (void)from;
  return 0;
}

static void run_stream(scan_ctx *ctx, const scan_spec *spec) {
  scan_stream_options options = SCAN_STREAM_OPTIONS_INIT;
  options.chunk_items = LARGE_N / 3;
  options.read = fill_chunk;
  options.write = drop_chunk;
  note(ctx, scan_stream(ctx, spec, LARGE_N, NULL, NULL, &options), "scan_stream", spec);
}

static void run_runs(scan_ctx *ctx, const scan_spec *spec) {
  const scan_run_length_spec lengths = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U64);
  const scan_run_length_args encode =
      SCAN_RUN_LENGTH_ARGS_INIT(scan_host(fixture.keys), scan_host(fixture.out),
                                scan_host(fixture.out + LARGE_N * sizeof(uint64_t)), scan_host(fixture.segment_flags));
  const scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(
      scan_host(fixture.keys), scan_host(fixture.in), scan_host(fixture.out),
      scan_host(fixture.out + LARGE_N * sizeof(uint32_t)), scan_host(fixture.segment_flags));
  scan_spec sums = *spec;
  sums.segments = SCAN_SEGMENTS_KEYS;
  sums.key_type = SCAN_U32;
  note(ctx, scan_run_length_encode(ctx, &lengths, LARGE_N, &encode), "scan_run_length_encode", spec);
  note(ctx, scan_reduce_by_key(ctx, &sums, LARGE_N, &args), "scan_reduce_by_key", &sums);
  memset(fixture.segment_flags, 0, sizeof(uint64_t));
}

/* Returns a part of lab.out with 8 bytes an element. */
static scan_mem out_part(int part) { return scan_host(fixture.out + (size_t)part * LARGE_N * sizeof(uint64_t)); }

static void run_sort(scan_ctx *ctx, const scan_sort_spec *spec, const scan_sort_args *args, const char *what) {
  static const uint64_t sizes[] = { 1, SMALL_N, LARGE_N };
  const scan_spec named = { .type = spec->key_type };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    note(ctx, scan_sort(ctx, spec, sizes[i], args), what, &named);
}

/* Sorts keys, pairs, indices, and elements that are moved by their indices, these also in place. */
static void run_sorts(scan_ctx *ctx) {
  const scan_sort_args keys = SCAN_SORT_ARGS_INIT(out_part(0), out_part(1));
  scan_sort_args pairs = SCAN_SORT_PAIRS_ARGS_INIT(out_part(0), out_part(1), out_part(2), out_part(3));
  const scan_sort_args indices = SCAN_SORT_INDEX_ARGS_INIT(out_part(0), out_part(1));
  for (size_t i = 0; i < 4 * LARGE_N * sizeof(uint64_t); i++) fixture.out[i] = (unsigned char)(i * i >> 7);
  for (int type = SCAN_I8; type <= SCAN_BF16; type++) {
    scan_sort_spec spec = SCAN_SORT_SPEC_INIT((scan_type)type);
    run_sort(ctx, &spec, &keys, "scan_sort of keys");
    spec = (scan_sort_spec)SCAN_SORT_INDEX_INIT((scan_type)type, type % 2 ? SCAN_U32 : SCAN_U64);
    run_sort(ctx, &spec, &indices, "scan_sort of indices");
    spec = (scan_sort_spec)SCAN_SORT_PAIRS_INIT((scan_type)type, type % 2 ? 4 : 8);
    run_sort(ctx, &spec, &pairs, "scan_sort of pairs");
    spec.element_bytes[0] = 3;
    run_sort(ctx, &spec, &pairs, "scan_sort of keys and elements");
  }
  scan_sort_spec over = SCAN_SORT_PAIRS_INIT(SCAN_U64, 3);
  pairs.keys_out = pairs.keys_in, pairs.out[0] = pairs.in[0];
  over.in_place = 1;
  run_sort(ctx, &over, &pairs, "scan_sort in place");
}

/* Splits keys alone, with values, and with elements that are moved afterwards; counts histograms of all digits. */
static void run_splits(scan_ctx *ctx) {
  static const uint64_t sizes[] = { 1, SMALL_N, LARGE_N };
  static const uint32_t bytes[] = { 0, 4, 8, 3 };
  for (int type = SCAN_I8; type <= SCAN_BF16; type++)
    for (int b = 0; b < 4; b++) {
      const scan_spec named = { .type = (scan_type)type };
      scan_split_spec spec = SCAN_SPLIT_SPEC_INIT((scan_type)type, 0, 8);
      const scan_histogram_spec histogram =
          SCAN_HISTOGRAM_SPEC_INIT((scan_type)type, 0, 8 * (uint32_t)scan_type_bytes((scan_type)type));
      const scan_histogram_args counts = SCAN_HISTOGRAM_ARGS_INIT(out_part(0), scan_host(fixture.in));
      scan_split_args args = SCAN_SPLIT_ARGS_INIT(out_part(0), out_part(1), scan_host(fixture.in));
      spec.arrays = bytes[b] != 0;
      spec.element_bytes[0] = bytes[b];
      if (spec.arrays) args.in[0] = out_part(2), args.out[0] = out_part(3);
      for (int s = 0; s < 3; s++) note(ctx, scan_split(ctx, &spec, sizes[s], &args), "scan_split", &named);
      for (int s = 0; s < 3 && b == 0; s++)
        note(ctx, scan_histogram(ctx, &histogram, sizes[s], &counts), "scan_histogram", &named);
    }
  memset(fixture.in, 0, 8 * 256 * sizeof(uint64_t));
}

static void run_kinds(scan_ctx *ctx, scan_spec spec) {
  for (int kind = SCAN_INCLUSIVE; kind <= SCAN_TOTAL; kind++) {
    spec.kind = (scan_kind)kind;
    for (uint32_t flags = 0; flags <= (SCAN_BACKWARD | SCAN_CHECK_OVERFLOW); flags++) {
      spec.flags = flags;
      run_sizes(ctx, &spec);
    }
    spec.flags = 0;
    if (kind == SCAN_TOTAL) run_array(ctx, &spec);
    if (kind == SCAN_TOTAL) continue;
    spec.strategy = SCAN_STRATEGY_SEQUENTIAL;
    run_sizes(ctx, &spec);
    spec.strategy = SCAN_STRATEGY_AUTO;
    run_array(ctx, &spec);
    run_segments(ctx, spec);
    spec.flags = SCAN_BACKWARD;
    run_array(ctx, &spec);
    run_segments(ctx, spec);
    spec.flags = 0;
  }
}

static void run_built_in(scan_ctx *ctx) {
  for (int type = SCAN_I8; type <= SCAN_BF16; type++)
    for (int op = SCAN_ADD; op <= SCAN_MAX; op++) {
      if (test_is_small() && (type + op) % 4 != 0) continue; /* at least one operator of each type */
      const scan_spec spec = SCAN_SPEC_INIT((scan_type)type, (scan_op_id)op, SCAN_INCLUSIVE);
      run_kinds(ctx, spec);
      run_runs(ctx, &spec);
    }
}

static void run_source(scan_ctx *ctx) {
  static const wide zero;
  const scan_op_source source = { .type = "wide",
                                  .combine = "wide_sum",
                                  .value_bytes = sizeof(wide),
                                  .value_align = _Alignof(wide),
                                  .identity = &zero,
                                  .host = wide_sum };
  scan_spec spec = { .struct_bytes = sizeof spec };
  note(ctx, scan_op_create(ctx, &source, &spec.custom_op), "scan_op_create", &spec);
  if (spec.custom_op != NULL) run_kinds(ctx, spec);
  scan_op_destroy(spec.custom_op);
}

static void *work(void *unused) {
  volatile unsigned char here = 0;
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  const scan_spec bytes = SCAN_SPEC_INIT(SCAN_U8, SCAN_ADD, SCAN_INCLUSIVE);
  (void)unused;
  fixture.begin = (const unsigned char *)&here;
  options.device = "host";
  options.threads = 4;
  note(NULL, scan_ctx_create(&options, &ctx), "scan_ctx_create", &bytes);
  if (ctx == NULL) return NULL;
  run_built_in(ctx);
  run_source(ctx);
  run_sorts(ctx);
  run_splits(ctx);
  run_stream(ctx, &bytes);
  scan_ctx_destroy(ctx);
  return NULL;
}

/* ---- threads ---- */

/* Returns the bytes of stack that were written below the thread's first frame. */
static size_t run_on(size_t stack_bytes) {
  pthread_attr_t attributes;
  pthread_t thread;
  unsigned char *stack = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(stack != MAP_FAILED);
  memset(stack, PAINT, stack_bytes);
  fixture.fault[0] = '\0';
  fixture.scans = 0;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstack(&attributes, stack, stack_bytes), 0);
  assert_int_equal(pthread_create(&thread, &attributes, work, NULL), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  const unsigned char *lowest = stack;
  while (lowest < fixture.begin && *lowest == PAINT) lowest++;
  const size_t used = (size_t)(fixture.begin - lowest);
  pthread_attr_destroy(&attributes);
  munmap(stack, stack_bytes);
  if (fixture.fault[0] != '\0') test_fail("%s", fixture.fault);
  if (fixture.scans < (test_is_small() ? LEAST_SCANS / 4 : LEAST_SCANS)) test_fail("only %d scans ran", fixture.scans);
  return used;
}

static void test_depth(void **state) {
  (void)state;
  const size_t used = run_on(LARGE_STACK);
  if (used > MOST_BYTES) test_fail("%zu bytes of stack, more than %d", used, MOST_BYTES);
  printf("%zu bytes of stack, %d scans\n", used, fixture.scans);
}

static void test_small_stack(void **state) {
  (void)state;
  assert_true(run_on(SMALL_STACK) < SMALL_STACK);
}

int main(void) {
  const struct CMUnitTest tests[] = { cmocka_unit_test_setup(test_depth, test_count_setup),
                                      cmocka_unit_test_setup(test_small_stack, test_count_setup) };
  const size_t bytes = (size_t)LARGE_N * sizeof(wide);
  setenv("SCANRT_TUNE", "one_thread_bytes=4096", 1);
  fixture.in = calloc(bytes, 1);
  fixture.out = calloc(bytes, 1);
  fixture.segment_flags = calloc(LARGE_N + 1, sizeof(uint32_t));
  fixture.keys = calloc(LARGE_N, sizeof(uint32_t));
  if (fixture.in == NULL || fixture.out == NULL || fixture.segment_flags == NULL || fixture.keys == NULL) return 1;
  for (uint32_t i = 0; i < LARGE_N; i++) fixture.keys[i] = i < LARGE_N / 2 ? i / 2 : i / 700;
  return test_exit(cmocka_run_group_tests_name("stack", tests, NULL, NULL));
}
