/* SPDX-License-Identifier: BSD-2-Clause */
/* Error texts, and how all ranks learn of them. */
#include <stdarg.h>
#include <stdio.h>

#include "mpi/mpi.h"

char *scan_mpi_thread_text(void) {
  static _Thread_local char text[MPI_ERROR_BYTES];
  return text;
}

const char *scan_mpi_last_error(const scan_mpi *mpi) { return mpi != NULL ? mpi->text : scan_mpi_thread_text(); }

void scan_mpi_words(scan_mpi *mpi, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
  vsnprintf(mpi->text, sizeof mpi->text, format, arguments);
  va_end(arguments);
}

mpi_kept_text scan_mpi_keep_text(const scan_mpi *mpi) {
  mpi_kept_text kept;
  memcpy(kept.text, mpi->text, sizeof kept.text);
  return kept;
}

void scan_mpi_restore_text(scan_mpi *mpi, const mpi_kept_text *kept) {
  memcpy(mpi->text, kept->text, sizeof kept->text);
}

scan_status scan_mpi_adopt_error(scan_mpi *mpi, scan_status status) {
  if (status == SCAN_SUCCESS) return SCAN_SUCCESS;
  return scan_mpi_fail(mpi, status, "%s", scan_last_error(mpi->ctx));
}

scan_status scan_mpi_check(scan_mpi *mpi, int error, const char *call) {
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  if (error == MPI_SUCCESS) return SCAN_SUCCESS;
  if (MPI_Error_string(error, words, &length) != MPI_SUCCESS) snprintf(words, sizeof words, "error %d", error);
  return scan_mpi_fail(mpi, SCAN_DEVICE_ERROR, "%s: %s", call, words);
}

int scan_mpi_rank_of(const scan_mpi *mpi, int context) {
  int low = 0, high = mpi->ranks - 1;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (mpi->first_contexts[middle] <= context)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

scan_status scan_mpi_report_all(scan_mpi *mpi, void *all, uint64_t bytes) {
  int *counts = mpi->counts, *places = mpi->counts + mpi->ranks;
  if (mpi->contexts == mpi->ranks) /* one context for each rank */
    return MPI_CALL(mpi, MPI_Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, (int)bytes, MPI_BYTE, mpi->comm);
  for (int r = 0; r < mpi->ranks; r++) {
    counts[r] = (mpi->first_contexts[r + 1] - mpi->first_contexts[r]) * (int)bytes;
    places[r] = mpi->first_contexts[r] * (int)bytes;
  }
  return MPI_CALL(mpi, MPI_Allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_BYTE, mpi->comm);
}

scan_status scan_mpi_vote(scan_mpi *mpi, scan_status mine) {
  struct {
    int status;
    char text[MPI_ERROR_BYTES];
  } report = { .status = (int)mine };
  const int vote = mine == SCAN_SUCCESS ? mpi->ranks : mpi->rank;
  int first = mpi->ranks;
  if (mine != SCAN_SUCCESS) memcpy(report.text, mpi->text, sizeof report.text);
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, &vote, &first, 1, MPI_INT, MPI_MIN, mpi->comm));
  if (first == mpi->ranks) return SCAN_SUCCESS;
  MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &report, (int)sizeof report, MPI_BYTE, first, mpi->comm));
  return scan_mpi_fail(mpi, (scan_status)report.status, "rank %d: %s", first, report.text);
}

/* 1 if the size is valid, as in runtime/base/structs.c of the library that this one is built upon. */
static int is_size(const mpi_struct *of, size_t bytes) {
  if (bytes <= sizeof bytes || bytes > of->bytes) return 0;
  for (size_t i = 0; i < of->field_count; i++)
    if (of->fields[i].first < bytes && bytes < of->fields[i].end) return 0;
  return 1;
}

scan_status scan_mpi_struct_copy_in(scan_mpi *mpi, const mpi_struct *of, void *own, const void *given) {
  size_t bytes;
  if (given == NULL) return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s is NULL", of->name);
  memcpy(&bytes, given, sizeof bytes);
  if (!is_size(of, bytes))
    return scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT,
                         "%s->struct_bytes is %zu: initialise the %s with %s, and use headers and library of one "
                         "version",
                         of->name, bytes, of->name, of->init);
  memcpy(own, given, bytes);
  memcpy(own, &of->bytes, sizeof of->bytes);
  return SCAN_SUCCESS;
}

scan_status scan_mpi_begin(scan_mpi *mpi) {
  if (mpi != NULL) {
    mpi->sent_bytes = 0;
    return SCAN_SUCCESS;
  }
  snprintf(scan_mpi_thread_text(), MPI_ERROR_BYTES, "mpi is NULL");
  return SCAN_INVALID_ARGUMENT;
}

scan_status scan_mpi_same(scan_mpi *mpi, uint64_t number, const char *what) {
  uint64_t first = number;
  MPI_TRY(MPI_CALL(mpi, MPI_Bcast, &first, 1, MPI_UINT64_T, 0, mpi->comm));
  if (number == first) return scan_mpi_agree(mpi, SCAN_SUCCESS);
  return scan_mpi_agree(mpi, scan_mpi_fail(mpi, SCAN_INVALID_ARGUMENT, "%s is another one than rank 0's", what));
}

scan_status scan_mpi_add_up(scan_mpi *mpi, uint64_t own, uint64_t *sum) {
  const uint64_t words[2] = { own >> 32, own & UINT32_MAX };
  uint64_t sums[2] = { 0, 0 };
  MPI_TRY(MPI_CALL(mpi, MPI_Allreduce, words, sums, 2, MPI_UINT64_T, MPI_SUM, mpi->comm));
  sums[0] += sums[1] >> 32;
  *sum = sums[0] > UINT32_MAX ? UINT64_MAX : sums[0] << 32 | (sums[1] & UINT32_MAX);
  return SCAN_SUCCESS;
}
