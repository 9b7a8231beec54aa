/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file petsc_coo_to_csr.c
 * @brief The assembly of coo_to_csr_mpi.c by PETSc: MatSetPreallocationCOO and MatSetValuesCOO of a matrix over ranks.
 *
 * Usage: mpirun -n RANKS petsc_coo_to_csr, with the options of coo_to_csr_mpi, the same triplets on the same ranks and
 * the same rows for each rank.
 *
 * PETSc does the work in two steps: the first finds places and communication, for a matrix's life; the second adds up
 * values, again each time that they change.
 * Exit status: 0 the matrix is that of the plain loop; 1 it is not, or a call failed.
 */
#include <petscmat.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/apps/figures.h"
#include "examples/apps/ranks.h"
#include "examples/apps/triplets.h"

typedef struct assembly {
  int rank, ranks;
  triplets from; /**< This rank's; rows are those of the whole matrix. */
  uint32_t first_row, row_count;
  PetscInt *row, *column; /**< Copies for PETSc, which may overwrite them. */
  Mat matrix;
} assembly;

static void must(PetscErrorCode error) {
  if (error != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE); /* PETSc has said why */
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* Makes the matrix's structure. */
static int find_structure(void *state) {
  assembly *a = state;
  const PetscInt rows = (PetscInt)a->from.rows, own = (PetscInt)a->row_count;
  must(MatDestroy(&a->matrix));
  for (uint64_t i = 0; i < a->from.count; i++) {
    a->row[i] = (PetscInt)(a->from.place[i] >> 32);
    a->column[i] = (PetscInt)(uint32_t)a->from.place[i];
  }
  must(MatCreate(PETSC_COMM_WORLD, &a->matrix));
  must(MatSetSizes(a->matrix, own, own, rows, rows));
  must(MatSetType(a->matrix, MATAIJ));
  must(MatSetPreallocationCOO(a->matrix, (PetscCount)a->from.count, a->row, a->column));
  return 0;
}

static int add_values(void *state) {
  const assembly *a = state;
  must(MatSetValuesCOO(a->matrix, a->from.value, INSERT_VALUES));
  return 0;
}

static int assemble(void *state) { return find_structure(state) + add_values(state); }

static int wait_for_all(void *state) {
  (void)state;
  return MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Reads this rank's rows. @param[out] rows  free with csr_free */
static void read_rows(const assembly *a, csr *rows) {
  MatInfo info;
  must(MatGetInfo(a->matrix, MAT_LOCAL, &info));
  if (csr_alloc(a->row_count, (uint64_t)info.nz_used + 1, rows) != 0) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  uint64_t place = 0;
  for (uint32_t r = 0; r < a->row_count; r++) {
    const PetscInt row = (PetscInt)(a->first_row + r);
    const PetscInt *columns;
    const PetscScalar *values;
    PetscInt count;
    must(MatGetRow(a->matrix, row, &count, &columns, &values));
    for (PetscInt i = 0; i < count; i++) rows->column[place + (uint64_t)i] = (uint32_t)columns[i];
    memcpy(rows->value + place, values, (size_t)count * sizeof *values);
    place += (uint64_t)count;
    rows->offset[r + 1] = (uint32_t)place;
    must(MatRestoreRow(a->matrix, row, &count, &columns, &values));
  }
  rows->offset[0] = 0;
  rows->entries = place;
}

static int check(const assembly *a, const csr *plain, csr *got) {
  csr rows;
  read_rows(a, &rows);
  ranks_gather_rows(&rows, got);
  csr_free(&rows);
  return ranks_agree(a->rank == 0 && csr_compare(got, plain) != 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void print_figures(assembly *a, int rounds) {
  static const struct {
    const char *what;
    int (*step)(void *state);
  } steps[] = { { "MatSetPreallocationCOO", find_structure }, { "MatSetValuesCOO", add_values }, { "all", assemble } };
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    const figures_subject subject = { steps[i].step, wait_for_all, a, 1 };
    double seconds = 0;
    (void)figures_time(&subject, rounds, &seconds);
    if (a->rank == 0) figures_print(steps[i].what, seconds, 0, 0);
  }
}

/* Makes the matrix on rank 0, and its CSR by the plain loop. */
static int make_whole(const triplets_options *options, triplets *input, csr *plain, csr *got) {
  if (triplets_make(options, input) != 0) return EXIT_FAILURE;
  if (csr_alloc(input->rows, input->most_entries, plain) != 0) return EXIT_FAILURE;
  if (csr_alloc(input->rows, input->most_entries, got) != 0) return EXIT_FAILURE;
  csr_of_triplets(input, plain);
  if (options->shuffle) triplets_shuffle(input);
  return EXIT_SUCCESS;
}

static int run(assembly *a, const triplets_options *options) {
  triplets input = { 0 };
  csr plain = { 0 }, got = { 0 };
  int rc = ranks_agree(a->rank == 0 ? make_whole(options, &input, &plain, &got) : EXIT_SUCCESS);
  if (rc == EXIT_SUCCESS) rc = ranks_deal_triplets(&input, &a->from);
  if (rc != EXIT_SUCCESS) return rc;
  a->first_row = (uint32_t)ranks_first(a->from.rows, a->rank);
  a->row_count = (uint32_t)ranks_first(a->from.rows, a->rank + 1) - a->first_row;
  a->row = malloc((a->from.count + 1) * sizeof *a->row);
  a->column = malloc((a->from.count + 1) * sizeof *a->column);
  if (!a->row || !a->column) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  (void)assemble(a);
  rc = check(a, &plain, &got);
  if (rc == EXIT_SUCCESS && a->rank == 0)
    printf("%" PRIu64 " entries by %d ranks of PETSc: as the plain loop makes them\n", got.entries, a->ranks);
  if (rc == EXIT_SUCCESS) print_figures(a, (int)options->rounds);
  must(MatDestroy(&a->matrix));
  free(a->row);
  free(a->column);
  triplets_free(&a->from);
  triplets_free(&input);
  csr_free(&plain);
  csr_free(&got);
  return rc;
}

int main(int argc, char **argv) {
  triplets_options options;
  assembly a = { 0 };
  if (triplets_parse(argc, argv, &options) != 0) return EXIT_FAILURE;
  must(PetscInitializeNoArguments());
  MPI_Comm_rank(MPI_COMM_WORLD, &a.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &a.ranks);
  const int rc = run(&a, &options);
  must(PetscFinalize());
  return rc;
}
