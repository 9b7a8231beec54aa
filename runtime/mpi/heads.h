/* SPDX-License-Identifier: BSD-2-Clause */
/* Where segments begin, a byte an element of this context, whatever the caller tells it by. */
#ifndef SCANRT_MPI_HEADS_H
#define SCANRT_MPI_HEADS_H

#include "mpi/spec.h"

typedef struct mpi_heads {
  unsigned char *bytes; /* local_n + 1: the last one is of what follows this context's elements; NULL: no segments */
  unsigned char first_key[8], last_key[8];
  int has_key;      /* segments are told by keys */
  int marks_behind; /* an offset says that a segment begins behind this context's elements */
} mpi_heads;

/* Reads this context's marks. Free it, after a failure too. */
scan_status scan_mpi_heads_take(scan_mpi *mpi, const mpi_spec *spec, uint64_t local_n, const scan_args *args,
                                mpi_heads *heads);
void scan_mpi_heads_free(mpi_heads *heads);

#endif
