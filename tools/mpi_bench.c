/* SPDX-License-Identifier: BSD-2-Clause */
/* Usage: mpirun -n RANKS scanrt_mpi_bench [--device D] [--threads T] [--type i32|f32|f64] [--n N] [--rounds R]
 *
 * Times inclusive sums over 1, 2, 4, ... and all ranks by plans, in memory of the device: weak scaling with N elements
 * a rank, strong scaling with N times RANKS elements in all. Milliseconds are medians of R calls, of each that of the
 * slowest rank, between barriers. GB/s is of a rank: an element read and written once, by that time. "alone" is the
 * time of scan_run of a rank's own elements, all ranks at the same time; percent is how much of that rate is kept. Sent
 * are the bytes of the rank that sent most. The results of strong scaling must have the same bits for all numbers of
 * ranks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt/scan_mpi.h>

enum { MOST_ROUNDS = 1001 };

typedef struct bench {
  scan_ctx *ctx;
  scan_spec spec;
  MPI_Comm comm; /* of the ranks that take part */
  scan_mpi *mpi;
  int rank, ranks, rounds;
  scan_mem in, out;
  void *host;
  uint64_t bytes; /* of an element */
} bench;

static void stop(const char *what, const char *why) {
  fprintf(stderr, "scanrt_mpi_bench: %s: %s\n", what, why);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(const bench *b, scan_status status, const char *what) {
  if (status != SCAN_SUCCESS)
    stop(what, b->mpi != NULL && scan_mpi_last_error(b->mpi)[0] != '\0' ? scan_mpi_last_error(b->mpi)
                                                                        : scan_last_error(b->ctx));
}

/* ---- elements ---- */

/* A function of an element's place, so that any distribution has the same ones. */
static void fill(const bench *b, uint64_t first, uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t mixed = (first + i) * UINT64_C(0x9E3779B97F4A7C15) >> 40; /* 24 bits */
    const double x = (double)mixed * 0x1p-24 - 0.4;
    if (b->spec.type == SCAN_F64)
      ((double *)b->host)[i] = x;
    else if (b->spec.type == SCAN_F32)
      ((float *)b->host)[i] = (float)x;
    else
      ((int32_t *)b->host)[i] = (int32_t)(mixed & 1023) - 500;
  }
}

/* A sum over all elements' bits, each with its place, of all ranks. */
static uint64_t sum_bits(const bench *b, uint64_t first, uint64_t n) {
  uint64_t own = 0, all = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t bits = 0;
    memcpy(&bits, (const char *)b->host + i * b->bytes, b->bytes);
    own += (bits + 1) * (2 * (first + i) + 1) ^ bits << 20;
  }
  MPI_Allreduce(&own, &all, 1, MPI_UINT64_T, MPI_SUM, b->comm);
  return all;
}

/* ---- times ---- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Milliseconds of one call on the slowest rank. */
static double time_call(const bench *b, scan_mpi_plan *plan, scan_plan *alone, uint64_t n) {
  double own, slowest = 0;
  MPI_Barrier(b->comm);
  own = MPI_Wtime();
  must(b, plan != NULL ? scan_mpi_plan_run(plan, n, b->in, b->out) : scan_plan_run(alone, n, b->in, b->out), "scan");
  must(b, scan_sync(b->ctx), "scan_sync");
  own = 1e3 * (MPI_Wtime() - own);
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, b->comm);
  return slowest;
}

static double median(const bench *b, scan_mpi_plan *plan, scan_plan *alone, uint64_t n) {
  double times[MOST_ROUNDS];
  (void)time_call(b, plan, alone, n);
  for (int i = 0; i < b->rounds; i++) times[i] = time_call(b, plan, alone, n);
  qsort(times, (size_t)b->rounds, sizeof *times, compare);
  return times[b->rounds / 2];
}

/* Returns the sum of the results' bits. */
static uint64_t measure(bench *b, const char *what, uint64_t first, uint64_t n, uint64_t most) {
  scan_mpi_plan *plan = NULL;
  scan_plan *alone = NULL;
  uint64_t sent = 0;
  fill(b, first, n);
  must(b, scan_write(b->ctx, b->in, b->host, n * b->bytes), "scan_write");
  must(b, scan_plan_create(b->ctx, &b->spec, n, &alone), "scan_plan_create");
  must(b, scan_mpi_plan_create(b->mpi, &b->spec, n, &plan), "scan_mpi_plan_create");
  const double single = median(b, NULL, alone, n), all = median(b, plan, NULL, n);
  const uint64_t own = scan_mpi_sent_bytes(b->mpi);
  MPI_Allreduce(&own, &sent, 1, MPI_UINT64_T, MPI_MAX, b->comm);
  must(b, scan_read(b->ctx, b->out, b->host, n * b->bytes), "scan_read");
  scan_plan_destroy(alone);
  scan_mpi_plan_destroy(plan);
  if (b->rank == 0)
    printf("%-7s %5d %12" PRIu64 " %10.3f %10.3f %8.2f %7.1f %12" PRIu64 "\n", what, b->ranks, most, single, all,
           2e-6 * (double)(n * b->bytes) / all, 100 * single / all, sent);
  return sum_bits(b, first, n);
}

/* The first `ranks` ranks of all; what strong scaling comes to is compared with `due` where that is not 0. */
static uint64_t measure_ranks(bench *b, int ranks, uint64_t each, uint64_t total, uint64_t due) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &b->comm);
  if (b->comm == MPI_COMM_NULL) return due;
  b->rank = rank;
  b->ranks = ranks;
  if (scan_mpi_create(b->ctx, b->comm, &b->mpi) != SCAN_SUCCESS) stop("scan_mpi_create", scan_mpi_last_error(NULL));
  const uint64_t r = (uint64_t)rank, p = (uint64_t)ranks, share = total / p;
  (void)measure(b, "weak", r * each, each, each);
  const uint64_t n = r + 1 < p ? share : total - share * (p - 1);
  const uint64_t bits = measure(b, "strong", r * share, n, share);
  if (due != 0 && bits != due) stop("strong scaling", "other bits than with one rank");
  scan_mpi_destroy(b->mpi);
  b->mpi = NULL;
  MPI_Comm_free(&b->comm);
  return bits;
}

/* ---- the command line ---- */

static const char *value_of(int argc, char **argv, const char *name, const char *otherwise) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

static void check_names(int argc, char **argv) {
  static const char *const names[] = { "--device", "--threads", "--type", "--n", "--rounds" };
  for (int i = 1; i < argc; i += 2) {
    int is_known = 0;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) is_known |= strcmp(argv[i], names[k]) == 0;
    if (!is_known || i + 1 == argc)
      stop(argv[i], "options are --device, --threads, --type, --n, --rounds, each a value");
  }
}

static void open_bench(bench *b, int argc, char **argv, uint64_t most) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_type type = SCAN_F32;
  options.device = value_of(argc, argv, "--device", NULL);
  options.threads = (uint32_t)strtoul(value_of(argc, argv, "--threads", "1"), NULL, 0);
  if (scan_type_parse(value_of(argc, argv, "--type", "f32"), &type) != SCAN_SUCCESS ||
      (type != SCAN_F32 && type != SCAN_F64 && type != SCAN_I32))
    stop("--type", "i32, f32 or f64");
  b->spec = (scan_spec)SCAN_SPEC_INIT(type, SCAN_ADD, SCAN_INCLUSIVE);
  b->bytes = scan_type_bytes(type);
  b->rounds = atoi(value_of(argc, argv, "--rounds", "11"));
  if (b->rounds < 1 || b->rounds > MOST_ROUNDS) stop("--rounds", "1 to 1001");
  if (scan_ctx_create(&options, &b->ctx) != SCAN_SUCCESS) stop("scan_ctx_create", scan_last_error(NULL));
  must(b, scan_alloc(b->ctx, most * b->bytes, &b->in), "scan_alloc");
  must(b, scan_alloc(b->ctx, most * b->bytes, &b->out), "scan_alloc");
  b->host = malloc(most * b->bytes);
  if (b->host == NULL) stop("--n", "no host memory");
}

int main(int argc, char **argv) {
  bench b = { .ctx = NULL };
  scan_device_info info = SCAN_DEVICE_INFO_INIT;
  int rank = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  check_names(argc, argv);
  const uint64_t each = strtoull(value_of(argc, argv, "--n", "16777216"), NULL, 0);
  const uint64_t total = each * (uint64_t)all;
  if (each == 0) stop("--n", "1 or more");
  open_bench(&b, argc, argv, total); /* one rank alone has all of them */
  must(&b, scan_ctx_device(b.ctx, &info), "scan_ctx_device");
  if (rank == 0)
    printf("inclusive sums of %s, each rank on %s (%s)\n%-7s %5s %12s %10s %10s %8s %7s %12s\n",
           scan_type_name(b.spec.type), info.selector, info.name, "scaling", "ranks", "n a rank", "alone, ms", "ms",
           "GB/s", "percent", "sent, bytes");
  uint64_t due = 0;
  for (int ranks = 1; ranks < all; ranks *= 2) due = measure_ranks(&b, ranks, each, total, due);
  (void)measure_ranks(&b, all, each, total, rank == 0 ? due : 0);
  free(b.host);
  (void)scan_free(b.ctx, b.in);
  (void)scan_free(b.ctx, b.out);
  scan_ctx_destroy(b.ctx);
  MPI_Finalize();
  return 0;
}
