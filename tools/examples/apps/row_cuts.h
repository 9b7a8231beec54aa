/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file row_cuts.h
 * @brief Rows of a matrix, of which each rank owns as many, and the elements that each rank's rows have.
 */
#ifndef SCANRT_EXAMPLE_ROW_CUTS_H
#define SCANRT_EXAMPLE_ROW_CUTS_H

#include "kernels.h"

typedef struct row_cuts {
  scan_ctx *ctx;
  app_kernels *kernels;
  scan_mem memory; /**< `cuts` on the device. */
  uint64_t *cuts;  /**< For each rank and all, elements before the rank's rows. */
  uint32_t rows;   /**< Rows of the whole matrix. */
} row_cuts;

/** Compiles the kernel and allocates. Also after a failure free with row_cuts_close. @return 0, or -1 after saying what
 * failed */
int row_cuts_open(scan_ctx *ctx, uint32_t rows, row_cuts *made);
void row_cuts_close(row_cuts *made);

/** Counts the elements of all ranks that belong to this rank's rows. Collective. @param place  of this rank's elements,
 * row << 32 | column, ascending @param[out] wanted  their number. @return 0, or -1 */
int row_cuts_count(row_cuts *made, scan_mem place, uint64_t count, uint64_t *wanted);

#endif
