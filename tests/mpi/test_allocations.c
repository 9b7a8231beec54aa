/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that runs of plans over the ranks allocate nothing, neither on the host nor on the device. The program is
 * linked with --wrap, so that the calls of libscanrt_mpi and libscanrt are counted, and those of MPI are not. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi_runs.h>
#include <scanrt/scan_mpi_sort.h>

#include "group.h"
#include "operators.h"
#include "sweep/libc.h"

enum { MOST_N = 300000, RUN_ITEMS = 170000, SEGMENT_ITEMS = 900, OFFSETS = MOST_N / SEGMENT_ITEMS, BUCKETS = 5 };

/* ---- counts ---- */

static atomic_uint device_calls;

/* libscanrt's own functions of device memory. */
scan_status __real_scan_device_alloc(scan_ctx *ctx, uint64_t bytes, void **handle);
scan_status __wrap_scan_device_alloc(scan_ctx *ctx, uint64_t bytes, void **handle);
scan_status __wrap_scan_device_alloc(scan_ctx *ctx, uint64_t bytes, void **handle) {
  atomic_fetch_add(&device_calls, 1);
  return __real_scan_device_alloc(ctx, bytes, handle);
}

scan_status __real_scan_staging_reserve(scan_ctx *ctx, void *staging, uint64_t bytes, scan_mem *mem);
scan_status __wrap_scan_staging_reserve(scan_ctx *ctx, void *staging, uint64_t bytes, scan_mem *mem);
scan_status __wrap_scan_staging_reserve(scan_ctx *ctx, void *staging, uint64_t bytes, scan_mem *mem) {
  atomic_fetch_add(&device_calls, 1);
  return __real_scan_staging_reserve(ctx, staging, bytes, mem);
}

static void begin_count(void) {
  atomic_store(&device_calls, 0);
  fault_arm(&libc_memory, 0, 0);
}

static unsigned end_count(void) { return libc_memory.calls + atomic_load(&device_calls); }

/* ---- memory ---- */

enum { IN, KEYS, FLAGS, BITS, OFFSETS_OF, OUT, OUT_KEYS, OUT_VALUES, OFFSETS_OUT, NUMBER, MEMORIES };

typedef struct fixture {
  group g;
  scan_ctx *second; /* the second context of each rank */
  scan_mpi *both;
  scan_mem memory[MEMORIES], other[2]; /* `other`: input and output of the second context */
  scan_op *affine, *cell;
} fixture;

SCAN_OP_TEXT(
    cell_text, static inline uint32_t cell(uint32_t x, uint64_t index) {
      (void)index;
      return x % 5u;
    });
SCAN_BUCKET_HOST(cell_host, uint32_t, cell);

/* Fills memory with keys in long runs over the ranks, values of which sums round, and marks of segments. */
static void open_memory(fixture *f) {
  static uint32_t keys[MOST_N], bits[MOST_N / 32 + 1], offsets[OFFSETS];
  static float values[2 * MOST_N + 2]; /* pairs of an operator from source */
  static unsigned char flags[MOST_N];
  static uint64_t room[2 * MOST_N + 2];
  for (uint32_t i = 0; i < MOST_N; i++) {
    keys[i] = ((uint32_t)f->g.rank * MOST_N + i) / RUN_ITEMS;
    flags[i] = i % SEGMENT_ITEMS == 0;
    if (flags[i]) bits[i / 32] |= 1u << i % 32;
  }
  for (uint32_t i = 0; i < 2 * MOST_N; i++) values[i] = (float)(i % 7) / 3;
  for (uint32_t i = 0; i < OFFSETS; i++) offsets[i] = i * SEGMENT_ITEMS;
  const struct {
    void *bytes;
    uint64_t count;
  } given[MEMORIES] = { [IN] = { values, sizeof values },           [KEYS] = { keys, sizeof keys },
                        [FLAGS] = { flags, sizeof flags },          [BITS] = { bits, sizeof bits },
                        [OFFSETS_OF] = { offsets, sizeof offsets }, [OUT] = { room, sizeof room },
                        [OUT_KEYS] = { room, sizeof room },         [OUT_VALUES] = { room, sizeof room },
                        [OFFSETS_OUT] = { room, 8 * 257 },          [NUMBER] = { room, 64 } };
  for (int i = 0; i < MEMORIES; i++) f->memory[i] = group_give(&f->g, given[i].bytes, given[i].count, 1);
  f->other[0] = group_give_to(&f->g, f->second, values, sizeof values, 1);
  f->other[1] = group_give_to(&f->g, f->second, room, sizeof room, 1);
}

/* ---- plans ---- */

/* Makes the plan if there is none, else runs it with n elements. */
typedef scan_status trial(fixture *f, scan_mpi_plan **plan, uint64_t n);

static scan_status do_scan(fixture *f, const scan_spec *spec, const scan_args *args, scan_mpi_plan **plan, uint64_t n) {
  if (*plan == NULL) return scan_mpi_plan_create(f->g.mpi, spec, MOST_N, plan);
  return scan_mpi_plan_run_args(*plan, n, args);
}

static scan_args args_of(const fixture *f) { return (scan_args)SCAN_ARGS_INIT(f->memory[IN], f->memory[OUT]); }

static scan_status scan_integers(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  const scan_args args = args_of(f);
  return do_scan(f, &spec, &args, plan, n);
}

static scan_status scan_with_carry(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_EXCLUSIVE);
  scan_args args = args_of(f);
  args.carry_out = f->memory[NUMBER];
  return do_scan(f, &spec, &args, plan, n);
}

static scan_status scan_continued(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F16, SCAN_ADD, SCAN_INCLUSIVE);
  scan_args args = args_of(f);
  args.carry_in = f->memory[NUMBER];
  return do_scan(f, &spec, &args, plan, n);
}

/* A rank has whole groups of the order of operations. */
static scan_status total(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F64, SCAN_ADD, SCAN_TOTAL);
  const scan_args args = args_of(f);
  spec.input_type = SCAN_F32;
  if (*plan == NULL) return scan_mpi_plan_create(f->g.mpi, &spec, 2 * MOST_N, plan);
  return scan_mpi_plan_run_args(*plan, 2 * n, &args);
}

static scan_status scan_source(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_TYPE_DEFAULT, SCAN_OP_NONE, SCAN_INCLUSIVE);
  const scan_args args = args_of(f);
  spec.custom_op = f->affine;
  return do_scan(f, &spec, &args, plan, n);
}

static scan_status check_overflow(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I64, SCAN_ADD, SCAN_INCLUSIVE);
  const scan_args args = args_of(f);
  spec.input_type = SCAN_I32;
  spec.flags = SCAN_CHECK_OVERFLOW;
  return do_scan(f, &spec, &args, plan, n);
}

static scan_status do_segments(fixture *f, scan_spec spec, scan_segments kind, int marks, scan_mpi_plan **plan,
                               uint64_t n) {
  scan_args args = args_of(f);
  spec.segments = kind;
  if (kind == SCAN_SEGMENTS_KEYS || kind == SCAN_SEGMENTS_OFFSETS) spec.key_type = SCAN_U32;
  args.marks = f->memory[marks];
  args.mark_count = kind == SCAN_SEGMENTS_OFFSETS ? n / SEGMENT_ITEMS : n;
  return do_scan(f, &spec, &args, plan, n);
}

static scan_status scan_flags(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  return do_segments(f, spec, SCAN_SEGMENTS_FLAGS, FLAGS, plan, n);
}

static scan_status scan_bits_backward(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.flags = SCAN_BACKWARD;
  return do_segments(f, spec, SCAN_SEGMENTS_BITS, BITS, plan, n);
}

static scan_status scan_offsets(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F64, SCAN_ADD, SCAN_EXCLUSIVE);
  return do_segments(f, spec, SCAN_SEGMENTS_OFFSETS, OFFSETS_OF, plan, n);
}

static scan_status scan_keys(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  return do_segments(f, spec, SCAN_SEGMENTS_KEYS, KEYS, plan, n);
}

static scan_status scan_keys_exactly(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_MAX, SCAN_INCLUSIVE);
  return do_segments(f, spec, SCAN_SEGMENTS_KEYS, KEYS, plan, n);
}

static scan_status scan_keys_backward(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  spec.flags = SCAN_BACKWARD;
  return do_segments(f, spec, SCAN_SEGMENTS_KEYS, KEYS, plan, n);
}

static scan_status scan_contexts(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_INCLUSIVE);
  const uint64_t most[] = { MOST_N, MOST_N }, counts[] = { n, n / 3 };
  const scan_args args[] = { args_of(f), SCAN_ARGS_INIT(f->other[0], f->other[1]) };
  if (*plan == NULL) return scan_mpi_plan_create_contexts(f->both, &spec, NULL, most, plan);
  return scan_mpi_plan_run_contexts(*plan, counts, args);
}

static scan_status sort_pairs(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_U32, sizeof(float));
  const scan_sort_args args =
      SCAN_SORT_PAIRS_ARGS_INIT(f->memory[IN], f->memory[OUT_KEYS], f->memory[IN], f->memory[OUT]);
  if (*plan == NULL) return scan_mpi_plan_create_sort(f->g.mpi, &spec, SCAN_MPI_EVEN, MOST_N, MOST_N, plan);
  return scan_mpi_plan_run_sort(*plan, n, &args, NULL);
}

static scan_status sort_indices(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_F32);
  scan_sort_args args = SCAN_SORT_ARGS_INIT(f->memory[IN], f->memory[OUT_KEYS]);
  spec.index_type = SCAN_U64;
  args.out[0] = f->memory[OUT];
  if (*plan == NULL) return scan_mpi_plan_create_sort(f->g.mpi, &spec, SCAN_MPI_AS_GIVEN, MOST_N, MOST_N, plan);
  return scan_mpi_plan_run_sort(*plan, n, &args, NULL);
}

static scan_status split_bits(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 16, 24);
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(f->memory[IN], f->memory[OUT], f->memory[OFFSETS_OUT]);
  if (*plan == NULL) return scan_mpi_plan_create_split(f->g.mpi, &spec, SCAN_MPI_EVEN, MOST_N, MOST_N, plan);
  return scan_mpi_plan_run_split(*plan, n, &args, NULL);
}

static scan_status split_buckets(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_split_spec spec = SCAN_SPLIT_BUCKETS_INIT(f->cell, BUCKETS);
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(f->memory[IN], f->memory[OUT], f->memory[OFFSETS_OUT]);
  if (*plan == NULL) return scan_mpi_plan_create_split(f->g.mpi, &spec, SCAN_MPI_EVEN, MOST_N, MOST_N, plan);
  return scan_mpi_plan_run_split(*plan, n, &args, NULL);
}

static scan_status encode_runs(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  scan_run_length_spec spec = SCAN_RUN_LENGTH_SPEC_INIT(SCAN_U32, SCAN_U64);
  scan_run_length_args args =
      SCAN_RUN_LENGTH_ARGS_INIT(f->memory[KEYS], f->memory[OUT_KEYS], f->memory[OUT], f->memory[NUMBER]);
  spec.start_type = SCAN_U32;
  args.starts = f->memory[OUT_VALUES];
  if (*plan == NULL) return scan_mpi_plan_create_run_length(f->g.mpi, &spec, MOST_N, plan);
  return scan_mpi_plan_run_run_length(*plan, n, &args, NULL);
}

static scan_status find_unique(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  if (*plan == NULL) return scan_mpi_plan_create_unique(f->g.mpi, SCAN_U32, MOST_N, plan);
  return scan_mpi_plan_run_unique(*plan, n, f->memory[KEYS], f->memory[OUT_KEYS], n, NULL);
}

static scan_status do_reduction(fixture *f, const scan_spec *spec, scan_mpi_plan **plan, uint64_t n) {
  const scan_reduce_by_key_args args = SCAN_REDUCE_BY_KEY_ARGS_INIT(f->memory[KEYS], f->memory[IN], f->memory[OUT_KEYS],
                                                                    f->memory[OUT_VALUES], f->memory[NUMBER]);
  if (*plan == NULL) return scan_mpi_plan_create_reduce_by_key(f->g.mpi, spec, MOST_N, plan);
  return scan_mpi_plan_run_reduce_by_key(*plan, n, &args, NULL);
}

static scan_status reduce_floats(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  return do_reduction(f, &spec, plan, n);
}

static scan_status reduce_integers(fixture *f, scan_mpi_plan **plan, uint64_t n) {
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_I32, SCAN_MIN);
  return do_reduction(f, &spec, plan, n);
}

/* ---- runs ---- */

static void test_plan(fixture *f, const char *name, trial *t) {
  static const uint64_t counts[] = { 1, 0, 1001, MOST_N, MOST_N / 2 };
  scan_mpi_plan *plan = NULL;
  begin_count();
  scan_status status = t(f, &plan, 0);
  const unsigned made = end_count();
  for (size_t i = 0; status == SCAN_SUCCESS && i < sizeof counts / sizeof counts[0]; i++) {
    const uint64_t n = f->g.rank % 3 == 2 && i % 2 ? 0 : counts[i];
    begin_count();
    status = t(f, &plan, n);
    const unsigned calls = end_count();
    group_check(&f->g, calls == 0, "%s of %llu elements: %u allocations", name, (unsigned long long)n, calls);
  }
  group_check(&f->g, status == SCAN_SUCCESS && made > 0, "%s, made with %u allocations: %s", name, made,
              scan_mpi_last_error(t == scan_contexts ? f->both : f->g.mpi));
  scan_mpi_plan_destroy(plan);
}

static const struct {
  const char *name;
  trial *run;
} trials[] = { { "an exclusive sum of i32", scan_integers },
               { "a sum of f32 with a carry", scan_with_carry },
               { "a continued sum of f16", scan_continued },
               { "a total of f64", total },
               { "an operator from source", scan_source },
               { "a sum that is checked for overflow", check_overflow },
               { "segments by flags", scan_flags },
               { "segments by bits, backward", scan_bits_backward },
               { "segments by offsets", scan_offsets },
               { "segments by keys", scan_keys },
               { "maxima of segments by keys", scan_keys_exactly },
               { "segments by keys, backward", scan_keys_backward },
               { "two contexts a rank", scan_contexts },
               { "a sort of pairs", sort_pairs },
               { "a sort with indices", sort_indices },
               { "a split by bits", split_bits },
               { "a split by a bucket function", split_buckets },
               { "run-length encoding", encode_runs },
               { "unique keys", find_unique },
               { "sums of f32 by key", reduce_floats },
               { "minima of i32 by key", reduce_integers } };

static void make_operators(fixture *f) {
  const source_structure *affine = operator_named("affine");
  scan_bucket_source cells = SCAN_BUCKET_INIT(cell_text, uint32_t, cell);
  cells.host = cell_host;
  scan_status status = scan_op_create(f->g.ctx, &affine->source, &f->affine);
  if (status == SCAN_SUCCESS) status = scan_bucket_create(f->g.ctx, &cells, &f->cell);
  group_check(&f->g, status == SCAN_SUCCESS, "operators: %s", scan_last_error(f->g.ctx));
}

int main(int argc, char **argv) {
  fixture f = { .second = NULL };
  group_open(&f.g, &argc, &argv);
  scan_ctx *ctxs[2] = { f.g.ctx, f.second = group_context(&f.g, NULL) };
  const scan_status status = scan_mpi_create_contexts(ctxs, 2, MPI_COMM_WORLD, &f.both);
  group_check(&f.g, status == SCAN_SUCCESS, "two contexts: %s", scan_mpi_last_error(NULL));
  make_operators(&f);
  open_memory(&f);
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) test_plan(&f, trials[i].name, trials[i].run);
  for (int i = 0; i < MEMORIES; i++) (void)scan_free(f.g.ctx, f.memory[i]);
  for (int i = 0; i < 2; i++) (void)scan_free(f.second, f.other[i]);
  scan_op_destroy(f.affine);
  scan_op_destroy(f.cell);
  scan_mpi_destroy(f.both);
  scan_ctx_destroy(f.second);
  return group_close(&f.g, "mpi allocations");
}
