/* SPDX-License-Identifier: BSD-2-Clause */
/* Folds of blocks' values, one after the other. */
#include "mpi/run.h"

/* Chooses the context that folds values. Built-in operators have the same bits on the host, where a few thousand values
 * take microseconds; on a device a single work-item would fold them. */
static scan_status choose_folder(scan_mpi *mpi, const mpi_spec *spec, scan_ctx **ctx) {
  *ctx = mpi->ctx;
  if (mpi->backend == SCAN_BACKEND_HOST || spec->fold.custom_op != NULL) return SCAN_SUCCESS;
  if (mpi->host == NULL) {
    scan_ctx_options options = SCAN_CTX_OPTIONS_INIT;
    options.device = "host";
    options.threads = 1;
    const scan_status status = scan_ctx_create(&options, &mpi->host);
    if (status != SCAN_SUCCESS) return scan_mpi_fail(mpi, status, "%s", scan_last_error(NULL));
  }
  *ctx = mpi->host;
  return SCAN_SUCCESS;
}

/* Takes over the status and error text of a call on the context that folds. */
static scan_status adopt_error(scan_mpi *mpi, const scan_ctx *ctx, scan_status status) {
  return status == SCAN_SUCCESS ? SCAN_SUCCESS : scan_mpi_fail(mpi, status, "%s", scan_last_error(ctx));
}

scan_status scan_mpi_fold_open(scan_mpi_plan *plan, uint64_t count) {
  scan_mpi *mpi = plan->mpi;
  scan_ctx *ctx;
  MPI_TRY(choose_folder(mpi, &plan->spec, &ctx));
  if (ctx == mpi->ctx && mpi->backend != SCAN_BACKEND_HOST) {
    MPI_TRY(scan_mpi_reserve(mpi, &plan->folded, count * plan->spec.value_bytes));
    MPI_TRY(scan_mpi_reserve(mpi, &plan->folds, count * plan->spec.value_bytes));
  }
  return adopt_error(mpi, ctx, scan_plan_create(ctx, &plan->spec.fold, count, &plan->folding));
}

/* Folds by the plan of libscanrt, in memory of the context that folds. */
static scan_status fold_by_plan(const mpi_run *run, scan_ctx *ctx, uint64_t count) {
  const scan_mpi_plan *plan = run->plan;
  const int is_on_device = plan->folded.bytes > 0;
  const uint64_t bytes = count * run->spec->value_bytes;
  const scan_mem host = scan_host(plan->arrays.folded), host_folds = scan_host(plan->arrays.folds);
  const scan_args args =
      SCAN_ARGS_INIT(is_on_device ? plan->folded.mem : host, is_on_device ? plan->folds.mem : host_folds);
  if (is_on_device) MPI_TRY(scan_mpi_copy(run->mpi, plan->folded.mem, host, bytes));
  MPI_TRY(adopt_error(run->mpi, ctx, scan_plan_run_args(plan->folding, count, &args)));
  MPI_TRY(adopt_error(run->mpi, ctx, scan_sync(ctx)));
  return is_on_device ? scan_mpi_copy(run->mpi, host_folds, plan->folds.mem, bytes) : SCAN_SUCCESS;
}

scan_status scan_mpi_fold(const mpi_run *run, uint64_t count, mpi_value *value) {
  const mpi_arrays *a = &run->plan->arrays;
  const uint32_t bytes = run->spec->value_bytes;
  scan_ctx *ctx;
  if (count == 1) {
    memcpy(value, a->folded, bytes);
    return SCAN_SUCCESS;
  }
  MPI_TRY(choose_folder(run->mpi, run->spec, &ctx));
  if (run->plan->folding != NULL)
    MPI_TRY(fold_by_plan(run, ctx, count));
  else
    MPI_TRY(
        adopt_error(run->mpi, ctx, scan_run(ctx, &run->spec->fold, count, scan_host(a->folded), scan_host(a->folds))));
  memcpy(value, a->folds + (count - 1) * bytes, bytes);
  return SCAN_SUCCESS;
}
