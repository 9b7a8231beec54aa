/* SPDX-License-Identifier: BSD-2-Clause */
/** @file conversion.h @brief Triplets to CSR on one device, for coo_to_csr.c and coo_to_csr_mpi.c. */
#ifndef SCANRT_EXAMPLE_CONVERSION_H
#define SCANRT_EXAMPLE_CONVERSION_H

#include "kernels.h"
#include "triplets.h"

enum { CONVERSION_CANNOT = 77 /**< Exit status: there is no such device, or it has no f64. */ };

/** Memory of a conversion. */
enum {
  CONVERSION_PLACE,
  CONVERSION_VALUE,
  CONVERSION_SORTED_PLACE,
  CONVERSION_SORTED_VALUE,
  CONVERSION_ENTRY_PLACE,
  CONVERSION_ENTRY_VALUE,
  CONVERSION_COLUMN,
  CONVERSION_OFFSET,
  CONVERSION_ENTRIES, /**< A uint64_t, the number of entries. */
  CONVERSION_MEMORIES
};

typedef struct conversion {
  scan_ctx *ctx;
  const triplets *from;
  int sorts; /**< 0: triplets come in the order of their places. */
  scan_mem memory[CONVERSION_MEMORIES];
  scan_plan *sort; /**< NULL: triplets come in order. */
  scan_plan *sum;
  app_kernels *kernels;
  app_sequence *recorded; /**< All steps, on CUDA as a graph. */
} conversion;

/** Entries in the order of their places, and the rows that they are split into. */
typedef struct conversion_rows {
  scan_mem place, entries; /**< The entries' places and, as a uint64_t, their number. */
  scan_mem column, offset; /**< Gets columns, and rows + 1 offsets. */
  uint64_t most_entries;
  uint32_t first_row, rows;
} conversion_rows;

/** Reports a failure of the library. @return an exit status */
int conversion_check(const conversion *c, scan_status status);

/** Returns the first bit above those that places use. */
uint32_t conversion_end_bit(uint32_t rows);

/** Allocates memory, writes the triplets, makes plans and kernels and records the steps. ctx, from and sorts are set.
 * Also after a failure free with conversion_close. @return an exit status */
int conversion_open(conversion *c);

void conversion_close(conversion *c);

/** The steps, which allocate nothing and never wait: sort, add up duplicates, find columns and rows; all three; and all
 * three as they were recorded. */
scan_status conversion_sort(conversion *c);
scan_status conversion_sum(conversion *c);
scan_status conversion_split(conversion *c);
scan_status conversion_run(conversion *c);
scan_status conversion_run_recorded(conversion *c);

/** Reads the result. @param got  of csr_alloc for the rows and most_entries */
scan_status conversion_read(conversion *c, csr *got);

/** Makes the kernels of conversion_split_rows. @param[out] made  as app_kernels_create @return as app_kernels_create */
int conversion_kernels(scan_ctx *ctx, app_kernels **made);

/** Enqueues the last step for some rows: each entry writes its column, the first one of a row also its begin. */
scan_status conversion_split_rows(app_kernels *kernels, const conversion_rows *rows);

#endif
