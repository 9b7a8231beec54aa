/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_cuts.h"

#include <mpi.h>
#include <stdlib.h>

APP_KERNELS(
    text, APP_KERNEL void find_cuts(APP_GLOBAL const uint64_t *place, APP_GLOBAL uint64_t *cuts, uint32_t count,
                                    uint32_t rows, uint32_t ranks) {
      for (uint64_t k = APP_ITEM; k <= ranks; k += APP_ITEMS) {
        const uint64_t row = (uint64_t)rows * k / ranks;
        uint64_t low = 0u;
        uint64_t high = count;
        while (low < high) {
          const uint64_t middle = (low + high) / 2u;
          if (place[middle] >> 32 < row)
            low = middle + 1u;
          else
            high = middle;
        }
        cuts[k] = low;
      }
    });

static void find_cuts_on_host(void *const *a) {
  find_cuts(a[0], a[1], *(uint32_t *)a[2], *(uint32_t *)a[3], *(uint32_t *)a[4]);
}

static const app_kernel kernels[] = { { "find_cuts", find_cuts_on_host } };

static uint64_t count_ranks(void) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return (uint64_t)ranks;
}

int row_cuts_open(scan_ctx *ctx, uint32_t rows, row_cuts *made) {
  const uint64_t bytes = (count_ranks() + 1) * sizeof *made->cuts;
  *made = (row_cuts){ .ctx = ctx, .rows = rows, .cuts = malloc((size_t)bytes) };
  if (made->cuts == NULL || app_kernels_create(ctx, text, kernels, 1, &made->kernels) != 0) return -1;
  return app_alloc(ctx, bytes, &made->memory) == SCAN_SUCCESS ? 0 : -1;
}

void row_cuts_close(row_cuts *made) {
  app_kernels_destroy(made->kernels);
  app_free(made->ctx, made->memory);
  free(made->cuts);
}

int row_cuts_count(row_cuts *made, scan_mem place, uint64_t count, uint64_t *wanted) {
  const uint64_t ranks = count_ranks(), numbers = ranks + 1;
  const app_argument arguments[] = {
    { .memory = place },      { .memory = made->memory },    { .number = (uint32_t)count },
    { .number = made->rows }, { .number = (uint32_t)ranks },
  };
  int rank = 0;
  int rc = app_kernels_launch(made->kernels, 0, numbers, arguments, 5);
  if (rc == 0)
    rc = scan_read(made->ctx, made->memory, made->cuts, numbers * sizeof *made->cuts) == SCAN_SUCCESS ? 0 : -1;
  MPI_Allreduce(MPI_IN_PLACE, made->cuts, (int)numbers, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *wanted = made->cuts[rank + 1] - made->cuts[rank];
  return rc;
}
