/* SPDX-License-Identifier: BSD-2-Clause */
/* An MPI application: scans 1000 int32 a rank, as one scan over all ranks. */
#include <scanrt/scan_mpi.h>

#include <stdio.h>

enum { N_ITEMS = 1000 };

static int sums_are_right(scan_ctx *ctx) {
  int32_t in[N_ITEMS];
  int32_t out[N_ITEMS];
  uint64_t before = 0;
  const scan_spec spec = SCAN_SPEC_INIT(SCAN_I32, SCAN_ADD, SCAN_INCLUSIVE);
  for (int i = 0; i < N_ITEMS; i++) in[i] = 1;
  if (scan_mpi_offsets(MPI_COMM_WORLD, N_ITEMS, &before, NULL) != SCAN_SUCCESS ||
      scan_mpi_run(ctx, MPI_COMM_WORLD, &spec, N_ITEMS, scan_host(in), scan_host(out)) != SCAN_SUCCESS) {
    fprintf(stderr, "%s\n", scan_mpi_last_error(NULL));
    return 0;
  }
  for (int i = 0; i < N_ITEMS; i++)
    if (out[i] != (int32_t)before + i + 1) return 0;
  return 1;
}

static int has_facts(scan_ctx *ctx) {
  scan_mpi *mpi = NULL;
  scan_mpi_facts facts = SCAN_MPI_FACTS_INIT;
  const int is_told = scan_mpi_create(ctx, MPI_COMM_WORLD, &mpi) == SCAN_SUCCESS &&
                      scan_mpi_info(mpi, &facts) == SCAN_SUCCESS && facts.transport[0] != '\0';
  scan_mpi_destroy(mpi);
  return is_told;
}

int main(int argc, char **argv) {
  scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
  scan_ctx *ctx = NULL;
  MPI_Init(&argc, &argv);
  options.device = "host";
  const int is_right = scan_ctx_create(&options, &ctx) == SCAN_SUCCESS && sums_are_right(ctx) && has_facts(ctx);
  scan_ctx_destroy(ctx);
  MPI_Finalize();
  return is_right ? 0 : 1;
}
