/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the host and of devices, for MPI and the library's copies. */
#include "mpi/mpi.h"

#include <scanrt/scan_cuda.h>

char *scan_mpi_host_pointer(scan_mem mem) {
  return mem.kind == SCAN_MEM_HOST ? (char *)mem.handle + mem.offset_bytes : NULL;
}

char *scan_mpi_device_pointer(scan_mem mem) {
  if (mem.kind == SCAN_MEM_CUDA) return (char *)mem.handle + mem.offset_bytes;
  return (char *)(uintptr_t)scan_cuda_ptr(mem);
}

char *scan_mpi_pointer(const scan_mpi *mpi, scan_mem mem) {
  if (mem.kind == SCAN_MEM_HOST) return scan_mpi_host_pointer(mem);
  if (mpi->backend == SCAN_BACKEND_HOST) return scan_host_ptr(mem);
  return mpi->backend == SCAN_BACKEND_CUDA && mpi->takes_device_memory ? scan_mpi_device_pointer(mem) : NULL;
}

scan_status scan_mpi_check_memory(scan_mpi *mpi, scan_mem mem, uint64_t bytes) {
  char last;
  if (bytes == 0 || mem.kind == SCAN_MEM_HOST) return SCAN_SUCCESS;
  return scan_mpi_adopt_error(mpi, scan_read(mpi->ctx, scan_offset(mem, bytes - 1), &last, 1));
}

scan_status scan_mpi_copy(scan_mpi *mpi, scan_mem to, scan_mem from, uint64_t bytes) {
  char *host_to = scan_mpi_host_pointer(to), *host_from = scan_mpi_host_pointer(from);
  if (bytes == 0) return SCAN_SUCCESS;
  if (host_from != NULL && host_to != NULL) {
    memcpy(host_to, host_from, bytes);
    return SCAN_SUCCESS;
  }
  if (host_from != NULL) return scan_mpi_adopt_error(mpi, scan_write(mpi->ctx, to, host_from, bytes));
  if (host_to != NULL) return scan_mpi_adopt_error(mpi, scan_read(mpi->ctx, from, host_to, bytes));
  return scan_mpi_adopt_error(mpi, scan_copy(mpi->ctx, to, from, bytes));
}

void *scan_mpi_allocate(scan_mpi *mpi, uint64_t items, uint64_t item_bytes) {
  void *memory = NULL;
  if (items < SIZE_MAX / item_bytes) memory = calloc((size_t)items + (items == 0), (size_t)item_bytes);
  if (memory == NULL)
    (void)scan_mpi_fail(mpi, SCAN_OUT_OF_MEMORY, "no host memory for %llu bytes",
                        (unsigned long long)items * (unsigned long long)item_bytes);
  return memory;
}

scan_status scan_mpi_reserve_host(scan_mpi *mpi, mpi_buffer *buffer, uint64_t bytes) {
  if (buffer->bytes >= bytes) return SCAN_SUCCESS;
  scan_mpi_release(mpi, buffer);
  void *memory = scan_mpi_allocate(mpi, bytes, 1);
  if (memory == NULL) return SCAN_OUT_OF_MEMORY;
  buffer->mem = scan_host(memory); /* NOLINT(clang-analyzer-unix.Malloc): scan_mpi_release frees it */
  buffer->bytes = bytes;
  return SCAN_SUCCESS;
}

scan_status scan_mpi_reserve(scan_mpi *mpi, mpi_buffer *buffer, uint64_t bytes) {
  if (mpi->backend == SCAN_BACKEND_HOST) return scan_mpi_reserve_host(mpi, buffer, bytes);
  if (buffer->bytes >= bytes) return SCAN_SUCCESS;
  scan_mpi_release(mpi, buffer);
  MPI_TRY(scan_mpi_adopt_error(mpi, scan_alloc(mpi->ctx, bytes, &buffer->mem)));
  buffer->bytes = bytes;
  return SCAN_SUCCESS;
}

void scan_mpi_release(scan_mpi *mpi, mpi_buffer *buffer) {
  if (mpi->handle->has_strays) return; /* MPI may still read it */
  if (buffer->mem.kind == SCAN_MEM_HOST)
    free(buffer->mem.handle);
  else
    (void)scan_free(mpi->ctx, buffer->mem);
  *buffer = (mpi_buffer){ 0 };
}
