/* SPDX-License-Identifier: BSD-2-Clause */
/* A sub-tile of eight whole rows at once, for operators that have loops of host_block.h. */
#ifndef SCANRT_HOST_BLOCK_ROWS_H
#define SCANRT_HOST_BLOCK_ROWS_H

#include "device/host/host_block.h"
#include "device/host/host_values.h"

/* Whether the sub-tile that begins at `first` can be read so, and written so. */
int scan_host_block_reads(const job *j, uint64_t first);
int scan_host_block_writes(const job *j, uint64_t first);

/* Before a thread's first sub-tile, and after its last one: what it keeps in memory of its own (job.lanes). */
void scan_host_block_begin(const job *j);
void scan_host_block_end(const job *j);

/* The fold of a sub-tile. */
void scan_host_block_reduce(const job *j, uint64_t first, value *total);

/* Writes a sub-tile, as scan_host_row_write does a row, and gives its total. */
void scan_host_block_write(const job *j, uint64_t first, const value *tile, const value *subtiles, value *total);

/* Bits of elements, in the order of memory, to their places: of words and of vectors of so many bytes and elements. */
void scan_host_block_turn_heads(host_block_heads *heads, const uint8_t *bits, uint32_t part_bytes,
                                uint32_t vector_items);

#endif
