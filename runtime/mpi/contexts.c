/* SPDX-License-Identifier: BSD-2-Clause */
/* What the contexts of a rank do on their own is done at the same time, so that their devices work at the same time: a
 * thread for each but the first, which the caller's thread works for. That one alone calls MPI. */
#include "mpi/run.h"

scan_status scan_mpi_own_words(const mpi_run *run, scan_status status) {
  const scan_mpi *mpi = run->mpi;
  if (status == SCAN_SUCCESS || mpi->own_contexts == 1) return status;
  char words[MPI_ERROR_BYTES];
  memcpy(words, mpi->text, sizeof words);
  return scan_mpi_fail(mpi->handle, status, "context %d: %s", mpi->context - mpi->handle->context, words);
}

static void *work(void *state) {
  mpi_run *run = state;
  run->status = run->step(run);
  return NULL;
}

scan_status scan_mpi_each(mpi_run *runs, mpi_step *step) {
  const int count = runs->mpi->own_contexts;
  if (count == 1) return step(runs);
  for (int i = 0; i < count; i++) {
    mpi_run *run = &runs[i];
    run->step = step;
    run->has_thread = i > 0 && pthread_create(&run->thread, NULL, work, run) == 0;
  }
  for (int i = 0; i < count; i++)
    if (!runs[i].has_thread) (void)work(&runs[i]);
  for (int i = 0; i < count; i++)
    if (runs[i].has_thread) pthread_join(runs[i].thread, NULL);
  for (int i = 0; i < count; i++)
    if (runs[i].status != SCAN_SUCCESS) return scan_mpi_own_words(&runs[i], runs[i].status);
  return SCAN_SUCCESS;
}
