/* SPDX-License-Identifier: BSD-2-Clause */
/* The segment flags of this context's elements: a byte each, or by the caller's keys, which stay where they are
 * (mpi_spec.by_keys). The bytes are memory of a plan. */
#ifndef SCANRT_MPI_SEGMENT_FLAGS_H
#define SCANRT_MPI_SEGMENT_FLAGS_H

#include "mpi/spec.h"

typedef struct mpi_segment_flags {
  unsigned char *bytes; /* local_n + 1 bytes, the last one `behind`; NULL: no segments, or by keys */
  int first, behind;    /* flags of this context's first element, and of the next element after its last one */
  unsigned char first_key[8], last_key[8];
  int has_key;      /* 1: marks are keys */
  int marks_behind; /* 1: an offset begins a segment right behind this context's elements */
} mpi_segment_flags;

/* 1 if two keys differ, by C's !=. */
int scan_mpi_keys_differ(scan_type type, const void *a, const void *b);

#endif
