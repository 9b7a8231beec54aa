/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file curve_cuts_mpi.c
 * @brief Balances particles over the ranks of MPI: a space-filling curve is cut into pieces of equal weight.
 *
 * Usage: mpirun -n RANKS curve_cuts_mpi [--particles N] [--morton] [--rounds N]
 *
 * Particles are in clumps, and some cost more than others, which is their weight. Each rank has as many of all clumps.
 * On the host start it with --bind-to none (Open MPI): the time of one device is that of all processors.
 *
 * 1. A kernel finds each particle's key: the place of its cell, one of 2^63, on a Hilbert curve, or a Morton curve.
 * 2. scan_mpi_sort sorts keys, coordinates and weights of all ranks; each rank gets as many.
 * 3. A scan over all ranks gives the weight before each particle.
 * 4. A kernel finds how many of a rank's particles come before each cut, k / RANKS of the whole weight, and
 *    scan_mpi_redistribute moves them to the rank that has their piece.
 *
 * Particles and cuts have the bits of one device's, and are checked against plain loops.
 * Exit status: 0 the particles are right; 1 they are wrong, or a call failed; 77 there is no such device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi_sort.h>

#include "curve.h"
#include "figures.h"
#include "ranks.h"

enum { CANNOT = 77 };

/* Particles of one communicator's ranks, in their three orders. */
typedef struct domain {
  MPI_Comm comm;
  int rank, ranks;
  uint64_t n, count, capacity; /**< Particles of all ranks, of this one, and of this one when they are sorted. */
  uint32_t is_morton;
  scan_ctx *ctx;
  scan_mpi *mpi;
  scan_mem given[CURVE_ARRAYS], sorted[CURVE_ARRAYS], own[CURVE_ARRAYS];
  scan_mem before, total, before_cuts; /**< Weights before sorted particles, of all, particles before each cut. */
  uint64_t room;                       /**< Particles that `own` has room for. */
  scan_mpi_plan *sort, *sum;
  app_kernels *kernels;
  scan_mpi_part in_order, piece;
  uint64_t *cuts; /**< ranks + 1: particles of all ranks before each cut. */
} domain;

static void must(const domain *d, scan_status status) {
  if (status == SCAN_SUCCESS) return;
  const char *words = d->mpi ? scan_mpi_last_error(d->mpi) : "";
  fprintf(stderr, "rank %d: %s: %s\n", d->rank, scan_status_name(status), *words ? words : scan_last_error(d->ctx));
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* ---- setup ------------------------------------------------------------------------------------------------------- */

static void make_memory(domain *d, const curve_particles *from) {
  for (int a = 0; a < CURVE_ARRAYS; a++) {
    must(d, app_alloc(d->ctx, curve_bytes[a] * (d->count + 1), &d->given[a]));
    must(d, app_alloc(d->ctx, curve_bytes[a] * d->capacity, &d->sorted[a]));
    if (a != CURVE_KEY) must(d, scan_write(d->ctx, d->given[a], from->of[a], curve_bytes[a] * d->count));
  }
  must(d, app_alloc(d->ctx, 8 * d->capacity, &d->before));
  must(d, app_alloc(d->ctx, 8, &d->total));
  must(d, app_alloc(d->ctx, 8 * ((uint64_t)d->ranks + 1), &d->before_cuts));
}

static void make_plans(domain *d) {
  scan_sort_spec sort = SCAN_SORT_SPEC_INIT(SCAN_U64);
  scan_spec sum = SCAN_SPEC_INIT(SCAN_U64, SCAN_ADD, SCAN_EXCLUSIVE);
  sort.end_bit = CURVE_KEY_BITS;
  sort.arrays = CURVE_ARRAYS - 1;
  for (int a = 1; a < CURVE_ARRAYS; a++) sort.element_bytes[a - 1] = curve_bytes[a];
  sum.input_type = SCAN_U32;
  must(d, scan_mpi_plan_create_sort(d->mpi, &sort, SCAN_MPI_EVEN, d->count, d->capacity, &d->sort));
  must(d, scan_mpi_plan_create(d->mpi, &sum, d->capacity, &d->sum));
}

/* Opens a domain of `n` particles on a context. Collective over comm. */
static void open_domain(domain *d, MPI_Comm comm, scan_ctx *ctx, uint64_t n, uint32_t is_morton) {
  curve_particles from;
  *d = (domain){ .comm = comm, .ctx = ctx, .n = n, .is_morton = is_morton };
  MPI_Comm_rank(comm, &d->rank);
  MPI_Comm_size(comm, &d->ranks);
  const uint64_t first = n * (uint64_t)d->rank / (uint64_t)d->ranks;
  d->count = n * ((uint64_t)d->rank + 1) / (uint64_t)d->ranks - first;
  d->capacity = n / (uint64_t)d->ranks + 1;
  d->cuts = calloc((size_t)d->ranks + 1, sizeof *d->cuts);
  if (!d->cuts || curve_make(first, d->count, &from) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  must(d, scan_mpi_create(ctx, comm, &d->mpi));
  if (curve_kernels(ctx, &d->kernels) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  make_memory(d, &from);
  make_plans(d);
  curve_free(&from);
}

static void close_domain(domain *d) {
  scan_mpi_plan_destroy(d->sum);
  scan_mpi_plan_destroy(d->sort);
  app_kernels_destroy(d->kernels);
  for (int a = 0; a < CURVE_ARRAYS; a++) {
    app_free(d->ctx, d->given[a]);
    app_free(d->ctx, d->sorted[a]);
    app_free(d->ctx, d->own[a]);
  }
  app_free(d->ctx, d->before);
  app_free(d->ctx, d->total);
  app_free(d->ctx, d->before_cuts);
  scan_mpi_destroy(d->mpi);
  scan_ctx_destroy(d->ctx);
  free(d->cuts);
}

/* ---- the steps, which all ranks make ----------------------------------------------------------------------------- */

typedef void domain_step(domain *d);

static void find_keys(domain *d) {
  if (curve_find_keys(d->kernels, d->given, d->count, d->is_morton) != 0) must(d, SCAN_DEVICE_ERROR);
  must(d, scan_sync(d->ctx));
}

static void sort_particles(domain *d) {
  scan_sort_args args = SCAN_SORT_ARGS_INIT(d->given[CURVE_KEY], d->sorted[CURVE_KEY]);
  for (int a = 1; a < CURVE_ARRAYS; a++) {
    args.in[a - 1] = d->given[a];
    args.out[a - 1] = d->sorted[a];
  }
  must(d, scan_mpi_plan_run_sort(d->sort, d->count, &args, &d->in_order));
}

static void sum_weights(domain *d) {
  scan_args args = SCAN_ARGS_INIT(d->sorted[CURVE_WEIGHT], d->before);
  args.carry_out = d->total;
  must(d, scan_mpi_plan_run_args(d->sum, d->in_order.count, &args));
  must(d, scan_sync(d->ctx));
}

static void find_cuts(domain *d) {
  const uint64_t numbers = (uint64_t)d->ranks + 1;
  if (curve_find_cuts(d->kernels, d->before, d->total, d->before_cuts, d->in_order.count, (uint32_t)d->ranks) != 0)
    must(d, SCAN_DEVICE_ERROR);
  must(d, scan_read(d->ctx, d->before_cuts, d->cuts, numbers * sizeof *d->cuts));
  MPI_Allreduce(MPI_IN_PLACE, d->cuts, (int)numbers, MPI_UINT64_T, MPI_SUM, d->comm);
}

/* Allocates room for this rank's piece of the curve, in the first run. */
static void reserve_piece(domain *d, uint64_t wanted) {
  if (wanted <= d->room) return;
  for (int a = 0; a < CURVE_ARRAYS; a++) {
    app_free(d->ctx, d->own[a]);
    d->own[a] = SCAN_NO_MEM;
    must(d, app_alloc(d->ctx, curve_bytes[a] * wanted, &d->own[a]));
  }
  d->room = wanted;
}

static void move_particles(domain *d) {
  const uint64_t wanted = d->cuts[d->rank + 1] - d->cuts[d->rank];
  reserve_piece(d, wanted);
  for (int a = 0; a < CURVE_ARRAYS; a++)
    must(d,
         scan_mpi_redistribute(d->mpi, curve_bytes[a], d->in_order.count, d->sorted[a], wanted, d->own[a], &d->piece));
}

static void balance(domain *d) {
  find_keys(d);
  sort_particles(d);
  sum_weights(d);
  find_cuts(d);
  move_particles(d);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Reads this rank's piece. */
static void read_piece(const domain *d, curve_particles *got) {
  if (curve_alloc(d->piece.count, got) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  for (int a = 0; a < CURVE_ARRAYS && got->count > 0; a++)
    must(d, scan_read(d->ctx, d->own[a], got->of[a], curve_bytes[a] * got->count));
}

/* Balances all particles on one device of rank 0 and compares them with the plain loops' and those of all ranks.
 * @param all  of rank 0: the pieces of all ranks. @param[out] seconds  of one device */
static int compare_with_one(const domain *d, const curve_particles *all, int rounds, double *seconds);

static int check_result(const domain *d, int rounds, double *seconds, double *balance_of) {
  curve_particles piece, all = { .count = 0 };
  uint64_t weight, most = 0, sum = 0;
  read_piece(d, &piece);
  weight = curve_weight(&piece);
  MPI_Allreduce(&weight, &most, 1, MPI_UINT64_T, MPI_MAX, d->comm);
  MPI_Allreduce(&weight, &sum, 1, MPI_UINT64_T, MPI_SUM, d->comm);
  *balance_of = (double)most * d->ranks / (double)sum;
  int rc = (double)most <= (double)sum / d->ranks + CURVE_MOST_WEIGHT ? EXIT_SUCCESS : EXIT_FAILURE;
  if (rc != EXIT_SUCCESS && d->rank == 0) fprintf(stderr, "a piece has a weight of %" PRIu64 "\n", most);
  if (d->rank == 0 && curve_alloc(d->n, &all) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  for (int a = 0; a < CURVE_ARRAYS; a++) ranks_gather(piece.of[a], piece.count, curve_bytes[a], all.of[a]);
  if (d->rank == 0 && rc == EXIT_SUCCESS) rc = compare_with_one(d, &all, rounds, seconds);
  ranks_rest();
  curve_free(&piece);
  curve_free(&all);
  return ranks_agree(rc);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef struct timed {
  domain *d;
  domain_step *step;
} timed;

static int run_timed(void *state) {
  const timed *t = state;
  t->step(t->d);
  return 0;
}

static int wait_for_all(void *state) { return MPI_Barrier(((timed *)state)->d->comm); }

static double time_step(domain *d, domain_step *step, int rounds) {
  timed t = { d, step };
  const figures_subject subject = { run_timed, wait_for_all, &t, 1 };
  double seconds = 0;
  (void)figures_time(&subject, rounds, &seconds);
  return seconds;
}

static int compare_with_one(const domain *d, const curve_particles *all, int rounds, double *seconds) {
  domain one;
  curve_particles got;
  scan_ctx *ctx = NULL;
  if (scan_ctx_create(NULL, &ctx) != SCAN_SUCCESS) return EXIT_FAILURE;
  open_domain(&one, MPI_COMM_SELF, ctx, d->n, d->is_morton);
  *seconds = time_step(&one, balance, rounds);
  read_piece(&one, &got);
  int rc = curve_compare(&got, all);
  if (rc == 0) rc = curve_check(&got, d->cuts, d->ranks, d->is_morton);
  curve_free(&got);
  close_domain(&one);
  return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Returns the largest weight of ranks that have as many particles of the sorted ones, relative to the average. */
static double balance_of_counts(const domain *d) {
  uint64_t weight = 0, most = 0, sum = 0;
  uint32_t *weights = malloc(4 * d->capacity);
  if (!weights) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  if (d->in_order.count > 0) must(d, scan_read(d->ctx, d->sorted[CURVE_WEIGHT], weights, 4 * d->in_order.count));
  for (uint64_t i = 0; i < d->in_order.count; i++) weight += weights[i];
  MPI_Allreduce(&weight, &most, 1, MPI_UINT64_T, MPI_MAX, d->comm);
  MPI_Allreduce(&weight, &sum, 1, MPI_UINT64_T, MPI_SUM, d->comm);
  free(weights);
  return (double)most * d->ranks / (double)sum;
}

static void print_figures(domain *d, int rounds, double one_seconds) {
  static const struct {
    const char *what;
    domain_step *step;
  } steps[] = {
    { "find keys", find_keys }, { "sort over ranks", sort_particles }, { "weights before each", sum_weights },
    { "find cuts", find_cuts }, { "move particles", move_particles },  { "all", balance }
  };
  double seconds = 0;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    seconds = time_step(d, steps[i].step, rounds);
    if (d->rank == 0) figures_print(steps[i].what, seconds, 0, 0);
  }
  if (d->rank != 0) return;
  figures_print("all on one device", one_seconds, 0, 0);
  printf("  %.1f million particles a second, one device %.1f\n", 1e-6 * (double)d->n / seconds,
         1e-6 * (double)d->n / one_seconds);
}

/* ---- all steps --------------------------------------------------------------------------------------------------- */

static int run(uint64_t n, uint32_t is_morton, int rounds) {
  domain d;
  scan_ctx *ctx = NULL;
  double one_seconds = 0, even = 0;
  const scan_status opened = ranks_context(&ctx);
  int rc = ranks_agree(opened == SCAN_NO_DEVICE ? CANNOT : opened != SCAN_SUCCESS);
  if (rc != EXIT_SUCCESS) return rc;
  open_domain(&d, MPI_COMM_WORLD, ctx, n, is_morton);
  balance(&d);
  rc = check_result(&d, rounds, &one_seconds, &even);
  const double by_counts = balance_of_counts(&d);
  if (rc == EXIT_SUCCESS && d.rank == 0)
    printf("%" PRIu64 " particles on a %s curve over %d ranks: the bits of one device; most of a rank's weight is %.4f "
           "of the average, %.2f with as many particles\n",
           n, is_morton ? "Morton" : "Hilbert", d.ranks, even, by_counts);
  if (rc == EXIT_SUCCESS) print_figures(&d, rounds, one_seconds);
  close_domain(&d);
  return rc;
}

int main(int argc, char **argv) {
  uint64_t n = 1000000, is_morton = 0, rounds = 7;
  const figures_option options[] = { { "--particles", &n, 1, INT32_MAX },
                                     { "--morton", &is_morton, 0, 0 },
                                     { "--rounds", &rounds, 1, FIGURES_MOST_ROUNDS },
                                     { NULL, NULL, 0, 0 } };
  const char *path = NULL;
  MPI_Init(&argc, &argv);
  int rc = EXIT_FAILURE;
  if (figures_parse(argc, argv, "[--particles N] [--morton] [--rounds N]", options, &path) == 0 && !path)
    rc = run(n, (uint32_t)is_morton, (int)rounds);
  MPI_Finalize();
  return rc;
}
