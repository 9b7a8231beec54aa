/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles a sub-tile of eight whole rows at once, with the loops of an application's operator (scan_op_loops.h). */
#ifndef SCANRT_SIMD_ROWS8_LOOPS_H
#define SCANRT_SIMD_ROWS8_LOOPS_H

#include "device/host/scan/host_values.h"

/* 1 if the sub-tile that begins at `first` can be read by these loops. */
int scan_host_loops_read(const job *j, uint64_t first);

/* 1 if it can be written by them, given the values before its tile and before it in the tile. */
int scan_host_loops_write(const job *j, uint64_t first, const value *tile, const value *subtiles);

/* Sets *total to the fold of a sub-tile. */
void scan_host_loops_reduce(const job *j, uint64_t first, value *total);

/* Writes a sub-tile, as scan_host_row_write writes a row, and sets its total. */
void scan_host_loops_results(const job *j, uint64_t first, const value *tile, const value *subtiles, value *total);

#endif
