/* SPDX-License-Identifier: BSD-2-Clause */
/* A CUDA device's copies that go on while the host does something else. A context of another backend has none: its
 * copies are made at once, by libscanrt. */
#ifndef SCANRT_MPI_GPU_H
#define SCANRT_MPI_GPU_H

#include "mpi/cuda_driver.h"
#include "mpi/mpi.h"

/* Streams for copies, besides that of the scans: to and from the host, or GPU_SENDS and the next one in turn to other
 * ranks' devices; from windows that others fill; between contexts of this rank. Their copies go before kernels that
 * have not begun. */
enum { GPU_READS, GPU_WRITES, GPU_RECEIVES, GPU_COPIES, GPU_STREAMS, GPU_SENDS = GPU_READS };

/* A context's CUDA objects. */
struct mpi_gpu {
  const gpu_driver *driver;
  gpu_context context;
  int device;
  gpu_stream streams[GPU_STREAMS];
};

/* Makes the CUDA objects of all of this rank's contexts on CUDA devices, once for each handle. A context whose CUDA
 * context cannot be found has none. */
scan_status scan_mpi_gpus_open(scan_mpi *handle);
/* 1 if there is a driver that has all functions; else `reason` says why not. */
int scan_mpi_has_driver(char *reason, size_t reason_bytes);
void scan_mpi_gpus_close(scan_mpi *handle);

/* Words a failed call of the driver. */
scan_status scan_mpi_gpu_fail(scan_mpi *mpi, const char *call, int result);

/* Makes a call with the context current. */
#define GPU_CALL(mpi, name, call)                                                                                      \
  (scan_mpi_gpu_enter(mpi) != SCAN_SUCCESS ? SCAN_DEVICE_ERROR : scan_mpi_gpu_leave((mpi), (name), (call)))
scan_status scan_mpi_gpu_enter(scan_mpi *mpi);
scan_status scan_mpi_gpu_leave(scan_mpi *mpi, const char *call, int result);

/* Copies from a context's memory to the host, or the other way. With CUDA objects they go on after the return, until
 * scan_mpi_finish_copies of GPU_READS or GPU_WRITES. */
scan_status scan_mpi_begin_read(scan_mpi *mpi, void *to, scan_mem from, uint64_t bytes);
scan_status scan_mpi_begin_write(scan_mpi *mpi, scan_mem to, const void *from, uint64_t bytes);
scan_status scan_mpi_finish_copies(scan_mpi *mpi, int stream);
/* Calls scan_mpi_finish_copies for all contexts of this rank, also after a failure of one of them. */
scan_status scan_mpi_finish_all(scan_mpi *handle, int stream);
/* Calls scan_mpi_finish_all for several streams. Returns the status so far, whose text stays, or else the first
 * failure. */
scan_status scan_mpi_finish_streams(scan_mpi *handle, int first, int last, scan_status status);

/* Begins to copy between the memory of two contexts with CUDA objects, on the stream GPU_COPIES of the first. */
scan_status scan_mpi_begin_peer_copy(scan_mpi *from_mpi, scan_mem from, const scan_mpi *to_mpi, scan_mem to,
                                     uint64_t bytes);

/* Host memory that grows, page-locked if a context of the rank has CUDA objects. */
typedef struct mpi_host_buffer {
  char *memory;
  uint64_t bytes;
  scan_mpi *owner; /* the context that page-locked it; NULL: it is malloc's */
} mpi_host_buffer;
scan_status scan_mpi_host_reserve(scan_mpi *handle, mpi_host_buffer *buffer, uint64_t bytes);
void scan_mpi_host_free(scan_mpi *handle, mpi_host_buffer *buffer);

#endif
