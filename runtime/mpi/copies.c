/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies between the contexts of a rank. */
#include "mpi/gpu.h"
#include "mpi/transport.h"

/* Bytes that pass through host memory at a time. */
enum { BOUNCE_BYTES = 4 << 20 };

static uint64_t bytes_at_a_time(uint64_t bytes) { return bytes < BOUNCE_BYTES ? bytes : BOUNCE_BYTES; }

scan_status scan_mpi_reserve_bounce(scan_mpi *handle, uint64_t bytes) {
  int devices = 0, is_needed = 0;
  for (int i = 0; i < handle->own_contexts; i++) {
    if (handle[i].backend == SCAN_BACKEND_HOST) continue;
    devices++;
    is_needed |= handle[i].gpu == NULL;
  }
  if (devices < 2 || !is_needed) return SCAN_SUCCESS;
  return scan_mpi_reserve_host(handle, &handle->bounce, bytes_at_a_time(bytes));
}

/* Copies between devices that cannot reach each other's memory. */
static scan_status bounce(scan_mpi *from_mpi, scan_mem from, scan_mpi *to_mpi, scan_mem to, uint64_t bytes) {
  const uint64_t most = bytes_at_a_time(bytes);
  const mpi_buffer *host = &from_mpi->handle->bounce;
  scan_status status = scan_mpi_reserve_host(from_mpi->handle, &from_mpi->handle->bounce, most);
  for (uint64_t done = 0; status == SCAN_SUCCESS && done < bytes; done += most) {
    const uint64_t piece = bytes - done < most ? bytes - done : most;
    status = scan_mpi_own_words(from_mpi, scan_mpi_copy(from_mpi, host->mem, scan_offset(from, done), piece));
    if (status == SCAN_SUCCESS)
      status = scan_mpi_own_words(to_mpi, scan_mpi_copy(to_mpi, scan_offset(to, done), host->mem, piece));
  }
  return status;
}

static scan_status copy_between(scan_mpi *from_mpi, scan_mem from, scan_mpi *to_mpi, scan_mem to, uint64_t bytes) {
  if (bytes == 0) return SCAN_SUCCESS;
  if (from_mpi == to_mpi || scan_mpi_host_pointer(to) != NULL)
    return scan_mpi_own_words(from_mpi, scan_mpi_copy(from_mpi, to, from, bytes));
  if (scan_mpi_host_pointer(from) != NULL) return scan_mpi_own_words(to_mpi, scan_mpi_copy(to_mpi, to, from, bytes));
  if (from_mpi->gpu != NULL && to_mpi->gpu != NULL)
    return scan_mpi_own_words(from_mpi, scan_mpi_begin_peer_copy(from_mpi, from, to_mpi, to, bytes));
  return bounce(from_mpi, from, to_mpi, to, bytes);
}

scan_status scan_mpi_wait_for_contexts(scan_mpi *handle) {
  for (int i = 0; i < handle->own_contexts; i++)
    MPI_TRY(scan_mpi_own_words(&handle[i], scan_mpi_adopt_error(&handle[i], scan_sync(handle[i].ctx))));
  return SCAN_SUCCESS;
}

scan_status scan_mpi_begin_own_copies(scan_mpi *handle, const mpi_parcel *parcels, uint64_t item_bytes) {
  for (int i = 0; i < handle->own_contexts; i++)
    for (int k = 0; k < handle->own_contexts; k++) {
      const mpi_parcel *from = &parcels[i], *to = &parcels[k];
      const int sender = handle->context + i, receiver = handle->context + k;
      MPI_TRY(copy_between(&handle[i], scan_offset(from->send, from->send_places[receiver] * item_bytes), &handle[k],
                           scan_offset(to->receive, to->receive_places[sender] * item_bytes),
                           from->send_items[receiver] * item_bytes));
    }
  return SCAN_SUCCESS;
}

scan_status scan_mpi_finish_own_copies(scan_mpi *handle) {
  MPI_TRY(scan_mpi_finish_all(handle, GPU_COPIES));
  return scan_mpi_wait_for_contexts(handle);
}
