/* SPDX-License-Identifier: BSD-2-Clause */
/* The segment flags of this context's elements, a byte each, whatever kind the caller's marks are. */
#ifndef SCANRT_MPI_SEGMENT_FLAGS_H
#define SCANRT_MPI_SEGMENT_FLAGS_H

#include "mpi/spec.h"

typedef struct mpi_segment_flags {
  unsigned char *bytes; /* local_n + 1 bytes: the last one is the flag of the next element after this context's; NULL:
                           no segments */
  unsigned char first_key[8], last_key[8];
  int has_key;      /* 1: marks are keys */
  int marks_behind; /* 1: an offset begins a segment right behind this context's elements */
} mpi_segment_flags;

/* 1 if two keys differ, by C's !=. */
int scan_mpi_keys_differ(scan_type type, const void *a, const void *b);

/* Reads this context's marks. Call scan_mpi_flags_free in any case, after a failure too. */
scan_status scan_mpi_flags_read(scan_mpi *mpi, const mpi_spec *spec, uint64_t local_n, const scan_args *args,
                                mpi_segment_flags *segment_flags);
void scan_mpi_flags_free(mpi_segment_flags *segment_flags);

#endif
