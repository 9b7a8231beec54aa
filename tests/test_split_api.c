/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests splits and histograms: errors at the next wait, host and device memory, a chain of calls, invalid bucket
 * functions. */
#include <scanrt/scan_opencl.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_split.h>

#include "support.h"

#include <string.h>

enum { N = 100, PART = 4096, BYTES = 1 << 16, POISON = 0xA5, BUCKETS = 4 };

static struct { scan_mem in, out, count; } memory;

static void said(scan_status status, const char *words) {
  test_refusal(test_ctx(), status, SCAN_INVALID_ARGUMENT, words);
}

static void refused(const scan_split_spec *spec, uint64_t n, const scan_split_args *args, const char *words) {
  said(scan_split(test_ctx(), spec, n, args), words);
}

static scan_mem in_at(uint64_t part) { return scan_offset(memory.in, part * PART); }
static scan_mem out_at(uint64_t part) { return scan_offset(memory.out, part * PART); }

static scan_split_args keys_args(void) { return (scan_split_args)SCAN_SPLIT_ARGS_INIT(in_at(0), out_at(0), out_at(2)); }

static scan_split_args pairs_args(void) {
  scan_split_args args = keys_args();
  args.in[0] = in_at(1);
  args.out[0] = out_at(1);
  return args;
}

static scan_split_spec pairs_spec(uint32_t bytes) {
  scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, 2);
  spec.arrays = 1;
  spec.element_bytes[0] = bytes;
  return spec;
}

static scan_histogram_args counts_args(void) {
  return (scan_histogram_args)SCAN_HISTOGRAM_ARGS_INIT(in_at(0), out_at(2));
}

/* ---- refusals ---- */

/* Events are refused on other backends than OpenCL; there, an empty list is accepted. */
static void test_events(void **state) {
  const scan_opencl_events events = SCAN_OPENCL_EVENTS_INIT;
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, 8);
  scan_split_args args = keys_args();
  (void)state;
  args.opencl = &events;
  if (test_info()->backend == SCAN_BACKEND_OPENCL)
    test_ok(test_ctx(), scan_split(test_ctx(), &spec, N, &args), "scan_split");
  else
    refused(&spec, N, &args, "not on OpenCL");
}

/* ---- plans ---- */

static void test_facts(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, 8);
  scan_plan *plan = NULL;
  scan_plan_facts facts = SCAN_PLAN_FACTS_INIT;
  (void)state;
  test_ok(ctx, scan_plan_create_split(ctx, &spec, 500000, &plan), "scan_plan_create_split");
  test_ok(ctx, scan_plan_info(plan, &facts), "scan_plan_info");
  if (facts.work != 500000 || facts.launches < 2 || facts.launches > 4 || facts.workspace_bytes > 500000)
    test_fail("work %llu, %u launches, %llu bytes", (unsigned long long)facts.work, facts.launches,
              (unsigned long long)facts.workspace_bytes);
  scan_plan_destroy(plan);
}

/* ---- runs ---- */

/* Keys of four alternating buckets; each bit of `on_host` chooses host or device memory for one memory. */
static void test_mixed_memory(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_split_spec spec = pairs_spec(4);
  uint32_t in[2][N], out[2][N];
  uint64_t offsets[BUCKETS + 1];
  (void)state;
  for (uint32_t i = 0; i < N; i++) in[0][i] = i * 3 % BUCKETS + 8 * i, in[1][i] = i;
  for (uint32_t on_host = 0; on_host < 32; on_host++) {
    scan_split_args args = pairs_args();
    memset(out, POISON, sizeof out);
    for (uint32_t part = 0; part < 2; part++)
      test_ok(ctx, scan_write(ctx, in_at(part), in[part], sizeof in[part]), "scan_write");
    if (on_host & 1) args.keys_in = scan_host(in[0]);
    if (on_host & 2) args.in[0] = scan_host(in[1]);
    if (on_host & 4) args.keys_out = scan_host(out[0]);
    if (on_host & 8) args.out[0] = scan_host(out[1]);
    if (on_host & 16) args.offsets = scan_host(offsets);
    test_ok(ctx, scan_split(ctx, &spec, N, &args), "scan_split");
    for (uint32_t part = 0; part < 2; part++)
      if ((on_host & 4u << part) == 0)
        test_ok(ctx, scan_read(ctx, out_at(part), out[part], sizeof out[part]), "scan_read");
    if ((on_host & 16) == 0) test_ok(ctx, scan_read(ctx, out_at(2), offsets, sizeof offsets), "scan_read");
    for (uint32_t i = 0; i < N; i++) {
      const uint32_t bucket = i / (N / BUCKETS), source = i % (N / BUCKETS) * BUCKETS + bucket * 3 % BUCKETS;
      if (out[1][i] != source || out[0][i] != in[0][source])
        test_fail("on the host %x: element %u is %u of %u, not of %u", on_host, i, out[0][i], out[1][i], source);
    }
    for (uint32_t b = 0; b <= BUCKETS; b++)
      if (offsets[b] != b * (N / BUCKETS)) test_fail("bucket %u begins at %llu", b, (unsigned long long)offsets[b]);
  }
}

/* The init functions give the same structs as the macros; with no keys all numbers become 0; end_bit 0 means 8 bits
 * from first_bit. */
static void test_init(void **state) {
  const uint16_t keys[5] = { 0x109, 0x8c8, 0x100, 9, 0x101 }, want[5] = { 0x100, 0x101, 0x109, 9, 0x8c8 };
  uint16_t split[5] = { 0 };
  uint64_t offsets[257], counts[256];
  scan_split_spec spec;
  scan_split_args args;
  scan_histogram_spec histogram;
  scan_histogram_args counted;
  (void)state;
  memset(&spec, POISON, sizeof spec), memset(&args, POISON, sizeof args);
  memset(&histogram, POISON, sizeof histogram), memset(&counted, POISON, sizeof counted);
  scan_split_spec_init(&spec, sizeof spec);
  scan_split_args_init(&args, sizeof args);
  scan_histogram_spec_init(&histogram, sizeof histogram);
  scan_histogram_args_init(&counted, sizeof counted);
  spec.key_type = histogram.key_type = SCAN_U16;
  args.keys_in = counted.keys = scan_host(keys);
  args.keys_out = scan_host(split);
  args.offsets = scan_host(offsets);
  counted.counts = scan_host(counts);
  for (uint32_t n = 0; n <= 5; n += 5) {
    memset(offsets, POISON, sizeof offsets), memset(counts, POISON, sizeof counts);
    test_ok(test_ctx(), scan_split(test_ctx(), &spec, n, &args), "scan_split");
    test_ok(test_ctx(), scan_histogram(test_ctx(), &histogram, n, &counted), "scan_histogram");
    if (offsets[256] != n || offsets[1] != n / 5 || counts[9] != n / 5 * 2 || counts[10] != 0 || counts[255] != 0)
      test_fail("of %u: %llu keys, %llu of bucket 9", n, (unsigned long long)offsets[256],
                (unsigned long long)counts[9]);
    if (n == 0 && split[4] != 0) test_fail("a split of nothing wrote");
  }
  if (memcmp(split, want, sizeof want) != 0) test_fail("the keys are not split");
}

/* More keys than the call's n: reported once, at the next wait. The call's n keys are split and counted. */
static void test_n_overflow(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, 1);
  const scan_histogram_spec histogram = SCAN_HISTOGRAM_SPEC_INIT(SCAN_U32, 0, 1);
  const uint64_t n = N + 1;
  uint32_t keys[2 * N], out[2 * N], poison = 0;
  uint64_t numbers[3];
  scan_split_args args = keys_args();
  scan_histogram_args counted = counts_args();
  (void)state;
  memset(&poison, POISON, sizeof poison);
  for (uint32_t i = 0; i < 2 * N; i++) keys[i] = i;
  args.n_from = counted.n_from = memory.count;
  test_ok(ctx, scan_write(ctx, memory.count, &n, sizeof n), "scan_write");
  test_ok(ctx, scan_write(ctx, args.keys_in, keys, sizeof keys), "scan_write");
  memset(out, POISON, sizeof out);
  test_ok(ctx, scan_write(ctx, args.keys_out, out, sizeof out), "scan_write");
  test_ok(ctx, scan_split(ctx, &spec, N, &args), "scan_split");
  said(scan_sync(ctx), "had 101 elements");
  test_ok(ctx, scan_sync(ctx), "what was told is not told again");
  test_ok(ctx, scan_read(ctx, out_at(0), out, sizeof out), "scan_read");
  test_ok(ctx, scan_read(ctx, args.offsets, numbers, sizeof numbers), "scan_read");
  for (uint32_t i = 0; i < 2 * N; i++)
    if (out[i] != (i < N / 2 ? 2 * i : i < N ? 2 * i + 1 - N : poison)) test_fail("key %u is %u", i, out[i]);
  if (numbers[0] != 0 || numbers[1] != N / 2 || numbers[2] != N) test_fail("the offsets are wrong");
  test_ok(ctx, scan_histogram(ctx, &histogram, N, &counted), "scan_histogram");
  said(scan_sync(ctx), "had 101 elements");
  test_ok(ctx, scan_read(ctx, counted.counts, numbers, 2 * sizeof numbers[0]), "scan_read");
  if (numbers[0] != N / 2 || numbers[1] != N / 2) test_fail("the counts are wrong");
}

/* Splits the first bucket again, by the other bits. Its n is the second offset in device memory, and no call waits in
 * between. */
static void test_chain(void **state) {
  scan_ctx *ctx = test_ctx();
  const scan_split_spec high = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 8, 9), low = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, 8);
  scan_split_args first = keys_args(), second = SCAN_SPLIT_ARGS_INIT(out_at(0), in_at(1), in_at(2));
  scan_plan *plans[2] = { NULL, NULL };
  uint32_t keys[2 * N], out[2 * N];
  (void)state;
  second.n_from = scan_offset(first.offsets, sizeof(uint64_t));
  test_ok(ctx, scan_plan_create_split(ctx, &high, 2 * N, &plans[0]), "scan_plan_create_split");
  test_ok(ctx, scan_plan_create_split(ctx, &low, 2 * N, &plans[1]), "scan_plan_create_split");
  for (uint32_t every = 1; every < 300; every = 3 * every + 1) {
    const uint32_t count = (2 * N - 1) / every + 1;
    for (uint32_t i = 0; i < 2 * N; i++) keys[i] = 255 - i + (i % every != 0 ? 256u : 0u);
    memset(out, 0, sizeof out);
    test_ok(ctx, scan_write(ctx, in_at(0), keys, sizeof keys), "scan_write");
    test_ok(ctx, scan_write(ctx, in_at(1), out, sizeof out), "scan_write");
    test_ok(ctx, scan_plan_run_split(plans[0], 2 * N, &first), "scan_plan_run_split");
    test_ok(ctx, scan_plan_run_split(plans[1], 2 * N, &second), "scan_plan_run_split");
    test_ok(ctx, scan_read(ctx, in_at(1), out, sizeof out), "scan_read");
    for (uint32_t i = 0; i < 2 * N; i++)
      if (out[i] != (i < count ? 255 - (count - 1 - i) * every : 0)) test_fail("key %u of %u is %u", i, count, out[i]);
  }
  scan_plan_destroy(plans[0]);
  scan_plan_destroy(plans[1]);
}

SCAN_OP_TEXT(
    alternating_text,
    typedef struct pair {
      uint32_t key;
      uint32_t value;
    } pair;
    static inline uint32_t alternating(pair x, uint64_t index) { return (uint32_t)((index + x.key % 2) % 6); });
SCAN_BUCKET_HOST(alternating_host, pair, alternating);

/* A bucket function that is destroyed, and invalid sources. */
static void test_functions(void **state) {
  scan_ctx *ctx = test_ctx();
  scan_bucket_source source = SCAN_BUCKET_INIT(alternating_text, pair, alternating);
  scan_op *op = NULL, *none = NULL;
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(memory.in, memory.out, memory.out);
  (void)state;
  source.host = alternating_host;
  test_ok(ctx, scan_bucket_create(ctx, &source, &op), "scan_bucket_create");
  scan_op_destroy(op);
  scan_split_spec gone = SCAN_SPLIT_BUCKETS_INIT(op, 5);
  said(scan_split(ctx, &gone, 100, &args), "scan_bucket_create on the same one");
  said(scan_bucket_create(ctx, NULL, &none), "source is NULL");
  said(scan_bucket_create(ctx, &source, NULL), "bucket is NULL");
  source.bucket = "no name";
  said(scan_bucket_create(ctx, &source, &none), "source->bucket must be the name");
  source.bucket = "alternating";
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
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_events, test_count_setup),       cmocka_unit_test_setup(test_facts, test_count_setup),
    cmocka_unit_test_setup(test_mixed_memory, test_count_setup), cmocka_unit_test_setup(test_init, test_count_setup),
    cmocka_unit_test_setup(test_n_overflow, test_count_setup),   cmocka_unit_test_setup(test_chain, test_count_setup),
    cmocka_unit_test_setup(test_functions, test_count_setup),
  };
  scan_ctx *ctx = test_device_open();
  test_ok(ctx, scan_alloc(ctx, BYTES, &memory.in), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, BYTES, &memory.out), "scan_alloc");
  test_ok(ctx, scan_alloc(ctx, 64, &memory.count), "scan_alloc");
  return test_exit(cmocka_run_group_tests_name("split_api", tests, NULL, NULL));
}
