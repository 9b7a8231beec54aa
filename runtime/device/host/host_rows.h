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

/* The values of n elements side by side: in the input where they lie so and stay as they are, else in `buffer`. */
const uint8_t *scan_host_values(const job *j, uint64_t first, uint32_t n, uint8_t *buffer);

/* A byte for each of n elements, 1 where a segment begins with it; returns whether one does at all. */
int scan_host_row_heads(const job *j, uint64_t first, uint32_t n, uint8_t *heads);

/* Stores the outputs of n elements, of which the values up to each and before each are given: what is not shown may be
 * anything. */
void scan_host_store(const job *j, uint64_t first, uint32_t n, const uint8_t *next, const uint8_t *before);

/* From a start of +0.0, an exclusive sum (of binary32 or binary64) shows the exact identity -0.0, which it then begins
 * with, as +0.0. */
void scan_host_show_plus_zero(const job *j, uint8_t *values, uint32_t n);

/* After a thread's last row: what was written past the caches is ordered before whatever it does next. */
void scan_host_rows_end(void);

#endif
