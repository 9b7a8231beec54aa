/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles a sub-tile of eight whole rows at once, for operators with loops of simd_rows8.h. */
#ifndef SCANRT_SIMD_ROWS8_SCAN_H
#define SCANRT_SIMD_ROWS8_SCAN_H

#include "device/host/scan/simd_rows8.h"
#include "device/host/scan/host_values.h"

/* 1 if the sub-tile that begins at `first` can be read by these loops. */
int scan_simd_rows8_reads(const job *j, uint64_t first);

/* 1 if it can be written by these loops. */
int scan_simd_rows8_writes(const job *j, uint64_t first);

/* Initialises a thread's memory (job.lanes) before its first sub-tile. */
void scan_simd_rows8_begin(const job *j);

/* Writes what that memory still holds, after a thread's last sub-tile. */
void scan_simd_rows8_end(const job *j);

/* Sets *total to the fold of a sub-tile. */
void scan_simd_rows8_reduce(const job *j, uint64_t first, value *total);

/* Writes a sub-tile, as scan_host_row_write writes a row, and sets its total. */
void scan_simd_rows8_write(const job *j, uint64_t first, const value *tile, const value *subtiles, value *total);

/* Transposes bits of elements, in the order of memory, for words of part_bytes and vectors of vector_items. */
void scan_simd_rows8_transpose_flags(simd_rows8_flags *segment_flags, const uint8_t *bits, uint32_t part_bytes,
                                     uint32_t vector_items);

#endif
