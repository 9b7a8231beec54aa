/* SPDX-License-Identifier: BSD-2-Clause */
/* A sub-tile of eight whole rows at once, by the loops that an application's operator brings (scan_op_loops.h). */
#ifndef SCANRT_HOST_BLOCK_LOOPS_H
#define SCANRT_HOST_BLOCK_LOOPS_H

#include "device/host/host_values.h"

/* Whether the sub-tile that begins at `first` can be read so, and written so, with what comes before it of the tile and
 * of the sub-tiles before it. */
int scan_host_loops_read(const job *j, uint64_t first);
int scan_host_loops_write(const job *j, uint64_t first, const value *tile, const value *subtiles);

/* The fold of a sub-tile. */
void scan_host_loops_reduce(const job *j, uint64_t first, value *total);

/* Writes a sub-tile, as scan_host_row_write does a row, and gives its total. */
void scan_host_loops_results(const job *j, uint64_t first, const value *tile, const value *subtiles, value *total);

#endif
