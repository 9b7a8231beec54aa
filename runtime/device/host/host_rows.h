/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of the canonical order with an operator from source: 32 vectors, by the operator's loops (scan_op_loops.h). */
#ifndef SCANRT_HOST_ROWS_H
#define SCANRT_HOST_ROWS_H

#include "device/host/host_values.h"

/* The fold of the row that begins at `first`. */
void scan_host_row_reduce(const job *j, uint64_t first, value *total);

/* What comes before a row: of the tile, of the sub-tile in it, and of the row in that. */
typedef struct row_before {
  const value *tile, *subtile, *row;
} row_before;

/* Writes a row, notes what overflows, keeps what the scan leaves, and gives the row's total. */
void scan_host_row_write(const job *j, uint64_t first, row_before before, value *total);

/* After a thread's last row: what was written past the caches is ordered before whatever it does next. */
void scan_host_rows_end(void);

#endif
