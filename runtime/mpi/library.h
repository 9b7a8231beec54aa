/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that are opened at run time: CUDA's driver and NCCL. */
#ifndef SCANRT_MPI_LIBRARY_H
#define SCANRT_MPI_LIBRARY_H

#include <pthread.h>
#include <stddef.h>

/* A function of a library, and the offset of its address in a table of functions. */
typedef struct mpi_function {
  const char *name;
  size_t offset;
} mpi_function;

/* A library that is opened once per process and stays open. */
typedef struct mpi_library {
  pthread_mutex_t lock;
  const char *variable, *name; /* the environment variable that names another file; the library's name */
  int was_tried, is_open;
  char reason[160];
} mpi_library;

/* Opens the library and fills the table at `api`. Returns 0, with the reason in `reason`, if it cannot be opened or
 * lacks a function. A program with more rights than its user's ignores the variable (secure_getenv). */
int scan_mpi_library_open(mpi_library *library, const mpi_function *functions, size_t count, void *api, char *reason,
                          size_t reason_bytes);

#endif
