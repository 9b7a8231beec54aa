/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file coo_to_csr_mpi.c
 * @brief Assembles a sparse matrix over the ranks of MPI: triplets in any order on any rank become rows in CSR.
 *
 * Usage: mpirun -n RANKS coo_to_csr_mpi [FILE | --laplacian SIDE] [--upper] [--shuffle] [--fractions] [--rounds N],
 * with the options of coo_to_csr. Rank 0 makes the triplets and deals them out; with --shuffle each rank has some of
 * all rows.
 *
 * On the host start it with --bind-to none (Open MPI): the time of one device is that of all processors.
 *
 * 1. scan_mpi_sort sorts the triplets of all ranks by their places, row << 32 | column; each rank gets as many.
 * 2. scan_mpi_reduce_by_key adds up the triplets of each place, also where they are on two ranks.
 * 3. Each rank owns as many rows. A kernel finds how many of its entries are of each rank's rows, and
 *    scan_mpi_redistribute moves them there.
 * 4. Each rank splits the places of its rows' entries into columns and offsets, as on one device.
 *
 * Then the pattern is kept (pattern.h), and new values of the same triplets are added up without a sort.
 *
 * The matrix has the bits of one device's (coo_to_csr), also with --fractions, and is checked against the plain loop.
 * Exit status: 0 the matrix is right; 1 it is wrong, or a call failed; 77 there is no such device, or it has no f64.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <scanrt/scan_mpi_runs.h>
#include <scanrt/scan_mpi_sort.h>

#include "conversion.h"
#include "figures.h"
#include "pattern.h"
#include "ranks.h"

enum {
  PLACE,
  VALUE,
  SORTED_PLACE,
  SORTED_VALUE,
  RUN_PLACE,
  RUN_VALUE,
  ENTRIES, /* a uint64_t, the number of the rows' entries */
  OFFSET,
  ROW_PLACE,
  ROW_VALUE,
  COLUMN,
  MEMORIES
};

typedef struct assembly {
  int rank, ranks;
  scan_ctx *ctx;
  scan_mpi *mpi;
  triplets from; /**< This rank's triplets; rows and most_entries are those of the whole matrix. */
  csr rows;      /**< This rank's rows, read back. */
  uint32_t first_row, row_count;
  uint64_t capacity; /**< Triplets that a rank has after the sort. */
  uint64_t room;     /**< Entries that ROW_PLACE, ROW_VALUE and COLUMN have room for. */
  scan_mem memory[MEMORIES];
  scan_mpi_plan *sort, *sum;
  app_kernels *splitting;
  row_cuts cuts;
  pattern kept;
  scan_mpi_part sorted, runs, entries;
  uint64_t sent_bytes; /**< Bytes that this rank sent in the last assembly. */
} assembly;

static int check(const assembly *a, scan_status status) {
  if (status == SCAN_SUCCESS) return EXIT_SUCCESS;
  const char *words = scan_mpi_last_error(a->mpi);
  if (a->rank == 0) fprintf(stderr, "%s: %s\n", scan_status_name(status), *words ? words : scan_last_error(a->ctx));
  return status == SCAN_UNSUPPORTED || status == SCAN_NO_DEVICE ? CONVERSION_CANNOT : EXIT_FAILURE;
}

/* ---- setup ------------------------------------------------------------------------------------------------------- */

static scan_status make_memory(assembly *a) {
  const uint64_t n = a->from.count, most = a->capacity;
  const uint64_t bytes[ROW_PLACE] = {
    [PLACE] = 8 * n + 8,          [VALUE] = 8 * n + 8,
    [SORTED_PLACE] = 8 * most,    [SORTED_VALUE] = 8 * most,
    [RUN_PLACE] = 8 * most,       [RUN_VALUE] = 8 * most,
    [ENTRIES] = sizeof(uint64_t), [OFFSET] = 4 * ((uint64_t)a->row_count + 1),
  };
  scan_status status = SCAN_SUCCESS;
  for (int i = 0; i < ROW_PLACE && status == SCAN_SUCCESS; i++) status = app_alloc(a->ctx, bytes[i], &a->memory[i]);
  if (status == SCAN_SUCCESS) status = scan_write(a->ctx, a->memory[PLACE], a->from.place, 8 * n);
  if (status == SCAN_SUCCESS) status = scan_write(a->ctx, a->memory[VALUE], a->from.value, 8 * n);
  return status;
}

static scan_status make_plans(assembly *a) {
  const scan_spec sum = SCAN_REDUCE_BY_KEY_INIT(SCAN_U64, SCAN_F64, SCAN_ADD);
  scan_sort_spec sort = SCAN_SORT_PAIRS_INIT(SCAN_U64, sizeof(double));
  sort.end_bit = conversion_end_bit(a->from.rows);
  const scan_status status =
      scan_mpi_plan_create_sort(a->mpi, &sort, SCAN_MPI_EVEN, a->from.count, a->capacity, &a->sort);
  return status == SCAN_SUCCESS ? scan_mpi_plan_create_reduce_by_key(a->mpi, &sum, a->capacity, &a->sum) : status;
}

static int open_assembly(assembly *a) {
  const scan_status opened = ranks_context(&a->ctx);
  if (opened != SCAN_SUCCESS) fprintf(stderr, "rank %d: %s\n", a->rank, scan_last_error(NULL));
  int rc = ranks_agree(opened == SCAN_NO_DEVICE ? CONVERSION_CANNOT : opened != SCAN_SUCCESS);
  if (rc == EXIT_SUCCESS) rc = check(a, scan_mpi_create(a->ctx, MPI_COMM_WORLD, &a->mpi));
  if (rc == EXIT_SUCCESS) rc = ranks_agree(conversion_check(&(conversion){ .ctx = a->ctx }, make_memory(a)));
  if (rc == EXIT_SUCCESS)
    rc = ranks_agree(row_cuts_open(a->ctx, a->from.rows, &a->cuts) != 0 ||
                     conversion_kernels(a->ctx, &a->splitting) != 0);
  return rc == EXIT_SUCCESS ? check(a, make_plans(a)) : rc;
}

static void close_assembly(assembly *a) {
  scan_mpi_plan_destroy(a->sum);
  scan_mpi_plan_destroy(a->sort);
  pattern_destroy(&a->kept);
  row_cuts_close(&a->cuts);
  app_kernels_destroy(a->splitting);
  for (int i = 0; i < MEMORIES; i++) app_free(a->ctx, a->memory[i]);
  scan_mpi_destroy(a->mpi);
  scan_ctx_destroy(a->ctx);
  csr_free(&a->rows);
  triplets_free(&a->from);
}

/* ---- the assembly: steps that all ranks make, each of which waits ------------------------------------------------ */

/* Ends all ranks if a call that this rank alone has made failed. */
static void must(const assembly *a, scan_status status) {
  if (status == SCAN_SUCCESS) return;
  fprintf(stderr, "rank %d: %s\n", a->rank, scan_last_error(a->ctx));
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static scan_status sort_triplets(assembly *a) {
  const scan_mem *m = a->memory;
  const scan_sort_args args = SCAN_SORT_PAIRS_ARGS_INIT(m[PLACE], m[SORTED_PLACE], m[VALUE], m[SORTED_VALUE]);
  const scan_status status = scan_mpi_plan_run_sort(a->sort, a->from.count, &args, &a->sorted);
  a->sent_bytes = scan_mpi_sent_bytes(a->mpi);
  return status;
}

static scan_status sum_duplicates(assembly *a) {
  const scan_mem *m = a->memory;
  const scan_reduce_by_key_args args =
      SCAN_REDUCE_BY_KEY_ARGS_INIT(m[SORTED_PLACE], m[SORTED_VALUE], m[RUN_PLACE], m[RUN_VALUE], m[ENTRIES]);
  const scan_status status = scan_mpi_plan_run_reduce_by_key(a->sum, a->sorted.count, &args, &a->runs);
  a->sent_bytes += scan_mpi_sent_bytes(a->mpi);
  return status;
}

/* Allocates room for the entries of this rank's rows, in the first assembly. */
static void reserve_rows(assembly *a, uint64_t entries) {
  if (entries <= a->room) return;
  for (int i = ROW_PLACE; i < MEMORIES; i++) {
    app_free(a->ctx, a->memory[i]);
    a->memory[i] = SCAN_NO_MEM;
    must(a, app_alloc(a->ctx, (i == COLUMN ? 4 : 8) * entries, &a->memory[i]));
  }
  a->room = entries;
}

static scan_status move_rows(assembly *a) {
  const scan_mem *m = a->memory;
  const uint64_t n = a->runs.count;
  uint64_t wanted = 0;
  must(a, row_cuts_count(&a->cuts, m[RUN_PLACE], n, &wanted) == 0 ? SCAN_SUCCESS : SCAN_DEVICE_ERROR);
  reserve_rows(a, wanted);
  scan_status status = scan_mpi_redistribute(a->mpi, 8, n, m[RUN_PLACE], wanted, m[ROW_PLACE], &a->entries);
  a->sent_bytes += scan_mpi_sent_bytes(a->mpi);
  if (status == SCAN_SUCCESS) status = scan_mpi_redistribute(a->mpi, 8, n, m[RUN_VALUE], wanted, m[ROW_VALUE], NULL);
  a->sent_bytes += scan_mpi_sent_bytes(a->mpi);
  return status;
}

static scan_status split_places(assembly *a) {
  const scan_mem *m = a->memory;
  const conversion_rows rows = { m[ROW_PLACE], m[ENTRIES], m[COLUMN], m[OFFSET], a->room, a->first_row, a->row_count };
  must(a, scan_write(a->ctx, m[ENTRIES], &a->entries.count, sizeof a->entries.count));
  must(a, conversion_split_rows(a->splitting, &rows));
  must(a, scan_sync(a->ctx));
  return SCAN_SUCCESS;
}

static scan_status assemble(assembly *a) {
  scan_status status = sort_triplets(a);
  if (status == SCAN_SUCCESS) status = sum_duplicates(a);
  if (status == SCAN_SUCCESS) status = move_rows(a);
  return status == SCAN_SUCCESS ? split_places(a) : status;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Memory of this rank's rows, and the number of their entries. */
typedef struct row_memory {
  scan_mem offset, column, value;
  uint64_t entries;
} row_memory;

/* Gathers the rows of all ranks on rank 0. */
static void gather(assembly *a, const row_memory *rows, csr *got) {
  const uint64_t entries = rows->entries;
  csr_free(&a->rows);
  if (csr_alloc(a->row_count, entries + 1, &a->rows) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  a->rows.entries = entries;
  must(a, scan_read(a->ctx, rows->offset, a->rows.offset, 4 * ((uint64_t)a->row_count + 1)));
  if (entries > 0) must(a, scan_read(a->ctx, rows->column, a->rows.column, 4 * entries));
  if (entries > 0) must(a, scan_read(a->ctx, rows->value, a->rows.value, 8 * entries));
  ranks_gather_rows(&a->rows, got);
}

/* Rank 0's data of the whole matrix. */
typedef struct whole {
  triplets input;
  csr got, plain, one; /**< Results of all ranks, of the plain loop, and of one device. */
  double one_seconds;
} whole;

static int run_one(void *state) { return (int)conversion_run_recorded(state); }
static int wait_one(void *state) { return (int)scan_sync(((conversion *)state)->ctx); }

/* Converts on one device of rank 0, while the other ranks rest. */
static int convert_on_one(whole *w, int rounds) {
  conversion c = { .from = &w->input, .sorts = 1 };
  const figures_subject subject = { run_one, wait_one, &c, 1 };
  int rc = conversion_check(&c, scan_ctx_create(NULL, &c.ctx));
  if (rc == EXIT_SUCCESS) rc = conversion_open(&c);
  if (rc == EXIT_SUCCESS) rc = conversion_check(&c, (scan_status)figures_time(&subject, rounds, &w->one_seconds));
  if (rc == EXIT_SUCCESS) rc = conversion_check(&c, conversion_read(&c, &w->one));
  conversion_close(&c);
  scan_ctx_destroy(c.ctx);
  return rc;
}

static int check_result(assembly *a, whole *w) {
  const row_memory rows = { a->memory[OFFSET], a->memory[COLUMN], a->memory[ROW_VALUE], a->entries.count };
  int rc = EXIT_SUCCESS;
  gather(a, &rows, &w->got);
  if (a->rank == 0 && (csr_compare(&w->got, &w->plain) != 0 || csr_compare(&w->got, &w->one) != 0)) rc = EXIT_FAILURE;
  return ranks_agree(rc);
}

/* Checks the values of the kept pattern, which are `factor` times those of the plain loop. */
static int check_kept(assembly *a, whole *w, double factor) {
  const scan_mem *m = a->kept.memory;
  const row_memory rows = { m[PATTERN_OFFSET], m[PATTERN_COLUMN], m[PATTERN_VALUE], a->kept.entries };
  int rc = EXIT_SUCCESS;
  gather(a, &rows, &w->got);
  for (uint64_t i = 0; a->rank == 0 && i < w->got.entries; i++) w->got.value[i] /= factor;
  if (a->rank == 0) rc = csr_compare(&w->got, &w->plain);
  return ranks_agree(rc);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef scan_status assembly_step(assembly *a);
typedef struct timed {
  assembly *a;
  assembly_step *step;
} timed;

static int run_timed(void *state) {
  const timed *t = state;
  return (int)t->step(t->a);
}

static int wait_for_all(void *state) {
  (void)state;
  return MPI_Barrier(MPI_COMM_WORLD);
}

static scan_status make_pattern(assembly *a) {
  pattern_destroy(&a->kept);
  pattern_make(a->ctx, a->mpi, &a->from, a->memory[PLACE], &a->cuts, &a->kept);
  must(a, scan_write(a->ctx, a->kept.memory[PATTERN_GIVEN], a->from.value, 8 * a->from.count));
  return SCAN_SUCCESS;
}

static scan_status set_values(assembly *a) {
  pattern_set(&a->kept);
  return SCAN_SUCCESS;
}

/* Sends as many bytes as the sort of shuffled triplets, by MPI alone. */
static scan_status exchange_alone(assembly *a) {
  const int bytes = (int)(8 * (a->capacity / (uint64_t)a->ranks));
  static char *buffers[2];
  for (int i = 0; i < 2; i++)
    if (!buffers[i]) buffers[i] = calloc((size_t)a->ranks, (size_t)bytes + 1);
  if (!buffers[0] || !buffers[1]) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  for (int column = 0; column < 2; column++)
    MPI_Alltoall(buffers[0], bytes, MPI_BYTE, buffers[1], bytes, MPI_BYTE, MPI_COMM_WORLD);
  return SCAN_SUCCESS;
}

static scan_status print_figures(assembly *a, const whole *w, int rounds) {
  static const struct {
    const char *what;
    assembly_step *step;
  } steps[] = { { "sort over ranks", sort_triplets },
                { "add up duplicates", sum_duplicates },
                { "move entries to rows' ranks", move_rows },
                { "split places, find rows", split_places },
                { "all", assemble },
                { "all-to-all of the triplets alone", exchange_alone },
                { "find a pattern that is kept", make_pattern },
                { "add up a set of values by it", set_values } };
  enum { STEPS = sizeof steps / sizeof *steps, ALL = 4, EXCHANGE = 5 };
  double seconds[STEPS];
  uint64_t sent = 0;
  for (int i = 0; i < STEPS; i++) {
    timed t = { a, steps[i].step };
    const figures_subject subject = { run_timed, wait_for_all, &t, 1 };
    const int status = figures_time(&subject, rounds, &seconds[i]);
    if (status != SCAN_SUCCESS) return (scan_status)status;
  }
  MPI_Reduce(&a->sent_bytes, &sent, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (a->rank != 0) return SCAN_SUCCESS;
  for (int i = 0; i < STEPS; i++) figures_print(steps[i].what, seconds[i], 0, 0);
  figures_print("all on one device", w->one_seconds, 0, 0);
  printf("  %.1f million triplets a second, one device %.1f; %.1f MB sent, whose exchange alone is %.0f %% of all\n",
         1e-6 * (double)w->input.count / seconds[ALL], 1e-6 * (double)w->input.count / w->one_seconds,
         1e-6 * (double)sent, 100 * seconds[EXCHANGE] / seconds[ALL]);
  return SCAN_SUCCESS;
}

/* ---- all steps --------------------------------------------------------------------------------------------------- */

/* Makes the matrix and what the assembly is compared with. */
static int make_whole(const triplets_options *options, whole *w) {
  if (triplets_make(options, &w->input) != 0) return EXIT_FAILURE;
  csr *const made[] = { &w->got, &w->plain, &w->one };
  for (int i = 0; i < 3; i++)
    if (csr_alloc(w->input.rows, w->input.most_entries, made[i]) != 0) return EXIT_FAILURE;
  csr_of_triplets(&w->input, &w->plain);
  if (options->shuffle) triplets_shuffle(&w->input);
  return convert_on_one(w, (int)options->rounds);
}

static int deal(assembly *a, const whole *w) {
  uint64_t n = w->input.count;
  const int rc = ranks_deal_triplets(&w->input, &a->from);
  MPI_Bcast(&n, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  a->capacity = n / (uint64_t)a->ranks + 1;
  a->first_row = (uint32_t)ranks_first(a->from.rows, a->rank);
  a->row_count = (uint32_t)ranks_first(a->from.rows, a->rank + 1) - a->first_row;
  return ranks_agree(rc);
}

/* Checks two sets of values with the kept pattern: the triplets' values as they are, and twice as large. */
static int run_kept(assembly *a, whole *w) {
  int rc = EXIT_SUCCESS;
  make_pattern(a);
  for (double factor = 1; factor <= 2 && rc == EXIT_SUCCESS; factor++) {
    for (uint64_t i = 0; factor > 1 && i < a->from.count; i++) a->from.value[i] *= factor;
    must(a, scan_write(a->ctx, a->kept.memory[PATTERN_GIVEN], a->from.value, 8 * a->from.count));
    set_values(a);
    rc = check_kept(a, w, factor);
  }
  return rc;
}

static int run(assembly *a, whole *w, const triplets_options *options) {
  scan_device_info device = SCAN_DEVICE_INFO_INIT;
  int rc = a->rank == 0 ? make_whole(options, w) : EXIT_SUCCESS;
  ranks_rest();
  rc = ranks_agree(rc);
  if (rc == EXIT_SUCCESS) rc = deal(a, w);
  if (rc == EXIT_SUCCESS) rc = open_assembly(a);
  if (rc == EXIT_SUCCESS) rc = check(a, assemble(a));
  if (rc == EXIT_SUCCESS) rc = check_result(a, w);
  if (rc == EXIT_SUCCESS) rc = run_kept(a, w);
  if (rc != EXIT_SUCCESS) return rc;
  must(a, scan_ctx_device(a->ctx, &device));
  if (a->rank == 0)
    printf("%" PRIu64 " entries by %d ranks, each on %s (%s): the bits of one device, as the plain loop makes them\n",
           w->got.entries, a->ranks, device.selector, device.name);
  rc = check(a, print_figures(a, w, (int)options->rounds));
  return rc == EXIT_SUCCESS ? check_result(a, w) : rc; /* of the last timed assembly */
}

int main(int argc, char **argv) {
  triplets_options options;
  assembly a = { 0 };
  whole w = { .one_seconds = 0 };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &a.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &a.ranks);
  int rc = triplets_parse(argc, argv, &options) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  if (rc == EXIT_SUCCESS) rc = run(&a, &w, &options);
  close_assembly(&a);
  csr_free(&w.one);
  csr_free(&w.plain);
  csr_free(&w.got);
  triplets_free(&w.input);
  MPI_Finalize();
  return rc;
}
