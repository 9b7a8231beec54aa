/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts with the application's allocator, on the host and on CUDA: all memory comes from it and goes back to it, and
 * what it refuses is an error of the call. OpenCL: test_opencl_interop.c. */
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_select.h>
#include <scanrt/scan_sort.h>
#include <scanrt/scan_stream.h>

#include "cuda_driver.h"
#include "support.h"

enum { N = 100000, MOST_BLOCKS = 256, ALIGN = 256 };

typedef struct block {
  char *memory;
  uint64_t bytes;
} block;

/* The application's allocator. */
static struct pool {
  block blocks[MOST_BLOCKS];
  int calls, live, faults; /* faults: releases of what was not allocated, or with other bytes */
  int fail_at;             /* the call that returns NULL; 0: none does */
  int shift;               /* bytes that each address is off its alignment */
  struct CUctx_st *cuda;
} pool;

static char *take(uint64_t bytes) {
  unsigned long long address = 0;
  void *memory = NULL;
  if (pool.cuda == NULL) return posix_memalign(&memory, ALIGN, bytes + ALIGN) == 0 ? memory : NULL;
  if (cu.push(pool.cuda) != 0 || cu.alloc(&address, bytes + ALIGN) != 0 || cu.pop(NULL) != 0) return NULL;
  return (char *)(uintptr_t)address;
}

static void give(char *memory) {
  if (pool.cuda == NULL) {
    free(memory);
  } else if (cu.push(pool.cuda) != 0 || cu.free((unsigned long long)(uintptr_t)memory) != 0 || cu.pop(NULL) != 0) {
    pool.faults++;
  }
}

static void *allocate(uint64_t bytes, void *queue, void *user) {
  struct pool *p = user;
  (void)queue;
  if (++p->calls == p->fail_at) return NULL;
  for (int i = 0; i < MOST_BLOCKS; i++) {
    if (p->blocks[i].memory != NULL) continue;
    char *memory = take(bytes);
    if (memory == NULL) return NULL;
    p->blocks[i] = (block){ memory + p->shift, bytes };
    p->live++;
    return p->blocks[i].memory;
  }
  return NULL;
}

static void release(void *memory, uint64_t bytes, void *queue, void *user) {
  struct pool *p = user;
  (void)queue;
  for (int i = 0; i < MOST_BLOCKS; i++) {
    if (p->blocks[i].memory != memory) continue;
    p->faults += p->blocks[i].bytes != bytes;
    give(p->blocks[i].memory - p->shift);
    p->blocks[i] = (block){ NULL, 0 };
    p->live--;
    return;
  }
  p->faults++;
}

static int set_up(void **state) {
  struct CUctx_st *cuda = pool.cuda;
  pool = (struct pool){ .cuda = cuda };
  return test_count_setup(state);
}

static scan_ctx_options options(void) {
  scan_ctx_options o = SCAN_CTX_OPTIONS_INIT;
  o.device = test_selector();
  o.threads = test_host_threads(0);
  o.allocate = allocate;
  o.release = release;
  o.user = &pool;
  return o;
}

static scan_ctx *open_ctx(void) {
  const scan_ctx_options o = options();
  scan_ctx *ctx = NULL;
  test_ok(NULL, scan_ctx_create(&o, &ctx), "scan_ctx_create");
  return ctx;
}

static int32_t in[N], out[N];
static uint64_t kept;

static scan_status plain_scan(scan_ctx *ctx) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  return scan_run(ctx, &spec, N, scan_host(in), scan_host(out));
}

static scan_status segment_sums(scan_ctx *ctx) {
  static const uint32_t offsets[] = { 0, 7, 7, N };
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_args args = SCAN_ARGS_INIT(scan_host(in), scan_host(out));
  spec.segments = SCAN_SEGMENTS_OFFSETS;
  spec.key_type = SCAN_U32;
  args.marks = scan_host(offsets);
  args.mark_count = 3;
  return scan_run_args(ctx, &spec, N, &args);
}

static scan_status select_ones(scan_ctx *ctx) {
  const scan_select_spec spec = SCAN_SELECT_SPEC_INIT(SCAN_SELECT_FLAGS, 4);
  scan_select_args args = { .struct_bytes = sizeof args };
  args.marks = scan_host(in); /* bytes: one in four is not 0 */
  args.in[0] = scan_host(in);
  args.out[0] = scan_host(out);
  args.count = scan_host(&kept);
  return scan_select(ctx, &spec, N, &args);
}

static scan_status sort_keys(scan_ctx *ctx) {
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_I32);
  scan_sort_args args = { .struct_bytes = sizeof args };
  args.keys_in = scan_host(in);
  args.keys_out = scan_host(out);
  return scan_sort(ctx, &spec, N, &args);
}

static scan_status stream_chunks(scan_ctx *ctx) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  scan_stream_options o = SCAN_STREAM_OPTIONS_INIT;
  o.chunk_items = N / 4;
  return scan_stream(ctx, &spec, N, in, out, &o);
}

static scan_status use_memory(scan_ctx *ctx) {
  scan_mem mem;
  scan_status status = scan_alloc(ctx, sizeof in, &mem);
  if (status == SCAN_SUCCESS) status = scan_write(ctx, mem, in, sizeof in);
  if (status == SCAN_SUCCESS) status = scan_read(ctx, mem, out, sizeof out);
  return status == SCAN_SUCCESS ? scan_free(ctx, mem) : status;
}

typedef scan_status (*run_fn)(scan_ctx *ctx);
static const run_fn runs[] = { plain_scan, segment_sums, select_ones, sort_keys, stream_chunks, use_memory };
enum { RUNS = sizeof runs / sizeof runs[0] };

/* 1 for runs whose kernels the fake driver does not have. */
static int is_missing(int r) {
  return pool.cuda != NULL && cuda_driver_is_fake() && runs[r](test_ctx()) != SCAN_SUCCESS;
}

static void test_all_memory_comes_from_it(void **state) {
  (void)state;
  for (int r = 0; r < RUNS; r++) {
    static int32_t want[N];
    if (is_missing(r)) continue;
    scan_ctx *ctx = open_ctx();
    test_ok(test_ctx(), runs[r](test_ctx()), "by the driver's memory");
    memcpy(want, out, sizeof out);
    memset(out, 0xee, sizeof out);
    const int before = pool.calls;
    test_ok(ctx, runs[r](ctx), "by the application's");
    if (runs[r] != select_ones) assert_memory_equal(out, want, sizeof out);
    if (runs[r] == select_ones) assert_memory_equal(out, want, kept * sizeof *out);
    if (pool.calls == before) test_fail("run %d allocated nothing", r);
    scan_ctx_destroy(ctx);
    assert_int_equal(pool.live, 0);
    assert_int_equal(pool.faults, 0);
  }
}

/* Every allocation fails once; the next try on the same context is right. */
static int fails_at(int r, int k) {
  scan_ctx *ctx = open_ctx();
  pool.calls = 0;
  pool.fail_at = k;
  const scan_status status = runs[r](ctx);
  pool.fail_at = 0;
  if (status != SCAN_SUCCESS) {
    test_refusal(ctx, status, SCAN_OUT_OF_MEMORY, "options->allocate returned NULL for");
    test_ok(ctx, runs[r](ctx), "once there is memory");
  }
  scan_ctx_destroy(ctx);
  assert_int_equal(pool.live, 0);
  assert_int_equal(pool.faults, 0);
  return status != SCAN_SUCCESS;
}

static void test_no_memory(void **state) {
  (void)state;
  for (int r = 0; r < RUNS; r++) {
    int k = 1;
    if (is_missing(r)) continue;
    while (fails_at(r, k)) k++;
    if (k == 1) test_fail("run %d allocates nothing", r);
  }
}

static void test_misaligned(void **state) {
  (void)state;
  scan_ctx *ctx = open_ctx();
  pool.shift = ALIGN / 2;
  test_refusal(ctx, plain_scan(ctx), SCAN_INVALID_ARGUMENT, "not aligned to 256 bytes");
  assert_int_equal(pool.live, 0);
  pool.shift = 0;
  test_ok(ctx, plain_scan(ctx), "aligned");
  scan_ctx_destroy(ctx);
  assert_int_equal(pool.live, 0);
}

static void test_half_an_allocator(void **state) {
  (void)state;
  scan_ctx *ctx = NULL;
  scan_ctx_options o = options();
  o.release = NULL;
  test_refusal(NULL, scan_ctx_create(&o, &ctx), SCAN_INVALID_ARGUMENT, "give both, or neither");
  o = options();
  o.allocate = NULL;
  assert_int_equal(scan_ctx_create(&o, &ctx), SCAN_INVALID_ARGUMENT);
}

int main(void) {
  test_device_open();
  if (test_info()->backend == SCAN_BACKEND_OPENCL) test_skip_program("OpenCL's memory belongs to a cl_context");
  if (test_info()->backend == SCAN_BACKEND_CUDA) pool.cuda = cuda_driver_open(atoi(test_selector() + strlen("cuda:")));
  for (int i = 0; i < N; i++) in[i] = i % 251;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_all_memory_comes_from_it, set_up),
    cmocka_unit_test_setup(test_no_memory, set_up),
    cmocka_unit_test_setup(test_misaligned, set_up),
    cmocka_unit_test_setup(test_half_an_allocator, set_up),
  };
  return test_exit(cmocka_run_group_tests(tests, NULL, NULL));
}
