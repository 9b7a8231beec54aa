/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file mpi_costs.c
 * @brief Measures calls over ranks for model.py: their times, and what they ask of MPI.
 *
 * Usage: mpirun -n RANKS mpi_costs [--least N] [--most N] [--rounds N]
 *
 * Each rank has n elements of random keys in host memory; n goes from --least to --most by factors of 16. Rank 0 writes
 * a line of JSON for each call and n: the time over all ranks (`seconds`), that of each rank on its own elements at the
 * same time (`alone`), both of the slowest rank and the shortest of all rounds, and the calls of MPI and their bytes,
 * of the rank with most. Exit status: 0, or 1 if a call failed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_mpi_runs.h>
#include <scanrt/scan_mpi_sort.h>

#include "counts.h"
#include "examples/apps/figures.h"
#include "examples/apps/ranks.h"

typedef struct arrays {
  uint64_t n;
  scan_mem keys, values, keys_out, values_out; /**< 8 bytes an element. */
  scan_mem numbers;                            /**< Room for the offsets of 256 buckets. */
} arrays;

/** A call of the library over ranks. */
typedef struct call {
  const char *name;
  scan_status (*plan)(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan);
  scan_status (*run)(scan_mpi_plan *plan, const arrays *a);
} call;

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static scan_status plan_scan_i32(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_EXCLUSIVE);
  return scan_mpi_plan_create(mpi, &spec, n, plan);
}

static scan_status plan_scan_f32(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan) {
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_F32, SCAN_ADD, SCAN_EXCLUSIVE);
  return scan_mpi_plan_create(mpi, &spec, n, plan);
}

static scan_status run_scan(scan_mpi_plan *plan, const arrays *a) {
  return scan_mpi_plan_run(plan, a->n, a->values, a->values_out);
}

static scan_status plan_sort_u32(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan) {
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U32);
  return scan_mpi_plan_create_sort(mpi, &spec, SCAN_MPI_EVEN, n, 0, plan);
}

static scan_status plan_sort_u64(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan) {
  const scan_sort_spec spec = SCAN_SORT_SPEC_INIT(SCAN_U64);
  return scan_mpi_plan_create_sort(mpi, &spec, SCAN_MPI_EVEN, n, 0, plan);
}

static scan_status run_sort(scan_mpi_plan *plan, const arrays *a) {
  const scan_sort_args args = SCAN_SORT_ARGS_INIT(a->keys, a->keys_out);
  return scan_mpi_plan_run_sort(plan, a->n, &args, NULL);
}

static scan_status plan_sort_pairs(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan) {
  const scan_sort_spec spec = SCAN_SORT_PAIRS_INIT(SCAN_U64, 8);
  return scan_mpi_plan_create_sort(mpi, &spec, SCAN_MPI_EVEN, n, 0, plan);
}

static scan_status run_sort_pairs(scan_mpi_plan *plan, const arrays *a) {
  const scan_sort_args args = SCAN_SORT_PAIRS_ARGS_INIT(a->keys, a->keys_out, a->values, a->values_out);
  return scan_mpi_plan_run_sort(plan, a->n, &args, NULL);
}

static scan_status plan_split(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan) {
  const scan_split_spec spec = SCAN_SPLIT_SPEC_INIT(SCAN_U32, 0, 8);
  return scan_mpi_plan_create_split(mpi, &spec, SCAN_MPI_EVEN, n, 0, plan);
}

static scan_status run_split(scan_mpi_plan *plan, const arrays *a) {
  const scan_split_args args = SCAN_SPLIT_ARGS_INIT(a->keys, a->keys_out, a->numbers);
  return scan_mpi_plan_run_split(plan, a->n, &args, NULL);
}

static scan_status plan_reduce(scan_mpi *mpi, uint64_t n, scan_mpi_plan **plan) {
  const scan_spec spec = SCAN_REDUCE_BY_KEY_INIT(SCAN_U32, SCAN_F32, SCAN_ADD);
  return scan_mpi_plan_create_reduce_by_key(mpi, &spec, n, plan);
}

static scan_status run_reduce(scan_mpi_plan *plan, const arrays *a) {
  const scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(a->values, a->keys, a->keys_out, a->values_out, a->numbers);
  return scan_mpi_plan_run_reduce_by_key(plan, a->n, &args, NULL);
}

static const call calls[] = { { "scan i32", plan_scan_i32, run_scan },
                              { "scan f32", plan_scan_f32, run_scan },
                              { "split u32", plan_split, run_split },
                              { "sort u32", plan_sort_u32, run_sort },
                              { "sort u64", plan_sort_u64, run_sort },
                              { "sort u64 with 8 bytes", plan_sort_pairs, run_sort_pairs },
                              { "reduce by key u32, f32", plan_reduce, run_reduce } };

/* ---- measurements ------------------------------------------------------------------------------------------------ */

static _Noreturn void fail(const char *words) {
  fprintf(stderr, "mpi_costs: %s\n", words);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  abort();
}

static void must(const scan_mpi *mpi, scan_status status) {
  if (status != SCAN_SUCCESS) fail(scan_mpi_last_error(mpi));
}

/* Returns random bits that depend on the index alone (splitmix64). */
static uint64_t random_of(uint64_t index) {
  uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* Makes random keys, and small values in runs of equal ones. */
static arrays make_arrays(uint64_t n, int rank) {
  uint64_t *keys = malloc(n * sizeof *keys);
  uint32_t *values = malloc(2 * n * sizeof *values);
  void *others[] = { malloc(8 * n), malloc(8 * n), malloc(257 * sizeof(uint64_t)) };
  if (!keys || !values || !others[0] || !others[1] || !others[2]) fail("no memory");
  for (uint64_t i = 0; i < n; i++) keys[i] = random_of((uint64_t)rank * n + i);
  for (uint64_t i = 0; i < 2 * n; i++) values[i] = (uint32_t)(i / 7 % 1000);
  return (arrays){
    n, scan_host(keys), scan_host(values), scan_host(others[0]), scan_host(others[1]), scan_host(others[2])
  };
}

static void free_arrays(const arrays *a) {
  const scan_mem all[] = { a->keys, a->values, a->keys_out, a->values_out, a->numbers };
  for (int i = 0; i < 5; i++) free(all[i].handle);
}

typedef struct timed {
  const call *call;
  scan_mpi *mpi;
  scan_mpi_plan *plan;
  const arrays *arrays;
} timed;

static int run_timed(void *state) {
  const timed *t = state;
  must(t->mpi, t->call->run(t->plan, t->arrays));
  return 0;
}

static int wait_for_all(void *state) {
  (void)state;
  return MPI_Barrier(MPI_COMM_WORLD);
}

/* Times a call over the ranks of a handle. @param[out] counts  of one run, for the rank with most */
static double time_call(const call *c, scan_mpi *mpi, const arrays *a, int rounds, mpi_count counts[COUNT_KINDS]) {
  timed t = { c, mpi, NULL, a };
  const figures_subject subject = { run_timed, wait_for_all, &t, 1 };
  double seconds = 1e9;
  must(mpi, c->plan(mpi, a->n, &t.plan));
  for (int i = 0; i < rounds; i++) {
    double round = 0;
    (void)figures_time(&subject, 1, &round);
    MPI_Allreduce(MPI_IN_PLACE, &round, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round < seconds) seconds = round;
  }
  counts_clear();
  (void)run_timed(&t);
  counts_read(counts);
  scan_mpi_plan_destroy(t.plan);
  MPI_Allreduce(MPI_IN_PLACE, counts, 2 * COUNT_KINDS, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

static void measure(const call *c, scan_mpi *all, scan_mpi *self, const arrays *a, int rounds) {
  mpi_count counts[COUNT_KINDS], unused[COUNT_KINDS];
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double seconds = time_call(c, all, a, rounds, counts), alone = time_call(c, self, a, rounds, unused);
  if (rank != 0) return;
  printf("{\"call\": \"%s\", \"ranks\": %d, \"n\": %" PRIu64 ", \"seconds\": %.9f, \"alone\": %.9f", c->name, ranks,
         a->n, seconds, alone);
  for (int k = 0; k < COUNT_KINDS; k++)
    printf(", \"%s\": [%" PRIu64 ", %" PRIu64 "]", counts_name(k), counts[k].calls, counts[k].bytes);
  printf("}\n");
}

static void measure_all(uint64_t least, uint64_t most, int rounds) {
  scan_ctx *ctx = NULL;
  scan_mpi *all = NULL, *self = NULL;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (ranks_context(&ctx) != SCAN_SUCCESS) fail(scan_last_error(NULL));
  must(NULL, scan_mpi_create(ctx, MPI_COMM_WORLD, &all));
  must(NULL, scan_mpi_create(ctx, MPI_COMM_SELF, &self));
  for (uint64_t n = least; n <= most; n *= 16) {
    const arrays a = make_arrays(n, rank);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) measure(&calls[c], all, self, &a, rounds);
    free_arrays(&a);
  }
  scan_mpi_destroy(self);
  scan_mpi_destroy(all);
  scan_ctx_destroy(ctx);
}

int main(int argc, char **argv) {
  uint64_t least = 1 << 12, most = 1 << 16, rounds = 5;
  const figures_option options[] = { { "--least", &least, 1, UINT32_MAX },
                                     { "--most", &most, 1, UINT32_MAX },
                                     { "--rounds", &rounds, 1, FIGURES_MOST_ROUNDS },
                                     { NULL, NULL, 0, 0 } };
  const char *path = NULL;
  MPI_Init(&argc, &argv);
  const int is_right = figures_parse(argc, argv, "[--least N] [--most N] [--rounds N]", options, &path) == 0 && !path;
  if (is_right) measure_all(least, most, (int)rounds);
  MPI_Finalize();
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
