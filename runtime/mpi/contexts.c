/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs steps of a rank's contexts in parallel, so that their devices work at the same time: each context but the first
 * has a thread, and the caller's thread works for the first. Only the caller's thread calls MPI. */
#include "mpi/run.h"

scan_status scan_mpi_own_words(const scan_mpi *mpi, scan_status status) {
  if (status == SCAN_SUCCESS || mpi->own_contexts == 1) return status;
  char words[MPI_ERROR_BYTES];
  memcpy(words, mpi->text, sizeof words);
  return scan_mpi_fail(mpi->handle, status, "context %d: %s", mpi->context - mpi->handle->context, words);
}

scan_status scan_mpi_wait(scan_mpi *mpi, int count) {
  for (int i = 0; count > 1 && i < count; i++)
    MPI_TRY(scan_mpi_own_words(&mpi[i], scan_mpi_adopt_error(&mpi[i], scan_sync(mpi[i].ctx))));
  return SCAN_SUCCESS;
}

static void *do_step(void *state) {
  mpi_work *work = state;
  work->status = work->step(work);
  return NULL;
}

static mpi_work *work_at(void *first, size_t bytes, int i) { return (void *)((char *)first + (size_t)i * bytes); }

scan_status scan_mpi_work(const scan_mpi *mpi, void *first, size_t bytes, int count, mpi_work_step *step) {
  for (int i = 0; i < count; i++) {
    mpi_work *work = work_at(first, bytes, i);
    work->step = step;
    work->has_thread = i > 0 && pthread_create(&work->thread, NULL, do_step, work) == 0;
  }
  for (int i = 0; i < count; i++)
    if (!work_at(first, bytes, i)->has_thread) (void)do_step(work_at(first, bytes, i));
  for (int i = 0; i < count; i++)
    if (work_at(first, bytes, i)->has_thread) pthread_join(work_at(first, bytes, i)->thread, NULL);
  for (int i = 0; i < count; i++) MPI_TRY(scan_mpi_own_words(&mpi[i], work_at(first, bytes, i)->status));
  return SCAN_SUCCESS;
}

static scan_status do_run(mpi_work *work) {
  mpi_run *run = (mpi_run *)work;
  return run->step(run);
}

scan_status scan_mpi_each(mpi_run *runs, mpi_step *step) {
  const int count = runs->mpi->own_contexts;
  for (int i = 0; i < count; i++) runs[i].step = step;
  return scan_mpi_work(runs->mpi, runs, sizeof *runs, count, do_run);
}
