/* SPDX-License-Identifier: BSD-2-Clause */
/* The transport `mpi`: MPI sends from the memory of the contexts, host memory or a CUDA device's, and receives there.
 */
#include <stdio.h>

#include "mpi/transport.h"

/* A message has at most this many bytes, because MPI counts them in an int. */
static const uint64_t message_bytes = UINT64_C(1) << 30;

static void direct_check(scan_mpi *handle, char *reason, size_t reason_bytes) {
  for (int i = 0; i < handle->own_contexts; i++)
    if (!handle[i].takes_device_memory) {
      snprintf(reason, reason_bytes, "this MPI does not say that it takes addresses of the device's memory");
      return;
    }
}

static scan_status direct_exchange(void *state, mpi_exchange *x) {
  const uint64_t piece_bytes = scan_mpi_piece_bytes(x->mpi, message_bytes);
  scan_status status = SCAN_SUCCESS;
  int is_abandoned = 0;
  (void)state;
  for (uint64_t done = 0; !is_abandoned && done < x->most_bytes; done += piece_bytes) {
    const scan_status begun = scan_mpi_moves_begin(x, done, piece_bytes, NULL, NULL);
    const scan_status passed = scan_mpi_messages_finish(x->mpi, x->messages, begun, &is_abandoned);
    if (is_abandoned || status == SCAN_SUCCESS) status = passed;
  }
  x->is_agreed = is_abandoned;
  return status;
}

const mpi_transport_ops scan_mpi_transport_mpi = { .name = "mpi", .check = direct_check, .exchange = direct_exchange };
