/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of the canonical order with an operator from source: 32 vectors, processed by the operator's loops
 * (scan_op_loops.h). */
#ifndef SCANRT_HOST_ROWS_H
#define SCANRT_HOST_ROWS_H

#include "device/host/scan/host_values.h"

/* Sets *total to the fold of the row that begins at `first`. */
void scan_host_row_reduce(const job *j, uint64_t first, value *total);

/* The values before a row: that of the tiles before, that of the sub-tiles before it in its tile, and that of the rows
 * before it in its sub-tile. */
typedef struct row_before {
  const value *tile, *subtile, *row;
} row_before;

/* Writes a row, notes its overflows, writes the scan's last value if the row has it, and sets the row's total. */
void scan_host_row_write(const job *j, uint64_t first, row_before before, value *total);

/* Returns the values of n elements side by side: in the input if they lie there unmapped and aligned, else in
 * `buffer`. */
const uint8_t *scan_host_values(const job *j, uint64_t first, uint32_t n, uint8_t *buffer);

/* Sets a byte for each of n elements, 1 if a segment begins with it. Returns 1 if any does. */
int scan_host_row_flags(const job *j, uint64_t first, uint32_t n, uint8_t *segment_flags);

/* Stores the outputs of n elements from the inclusive values `next` and the exclusive values `before`; the one that is
 * not output may be undefined. */
void scan_host_store(const job *j, uint64_t first, uint32_t n, const uint8_t *next, const uint8_t *before);

/* Replaces the exact identity -0.0 by +0.0 in the results of an exclusive sum (binary32 or binary64) that started from
 * +0.0. */
void scan_host_show_plus_zero(const job *j, uint8_t *values, uint32_t n);

/* Call after a thread's last row: orders streaming stores before the thread's later actions. */
void scan_host_rows_end(void);

#endif
