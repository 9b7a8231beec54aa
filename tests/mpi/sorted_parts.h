/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sorted_parts.h @brief The part of the sorted elements that each rank is due. */
#ifndef SCANRT_TESTS_MPI_SORTED_PARTS_H
#define SCANRT_TESTS_MPI_SORTED_PARTS_H

#include <scanrt/scan_mpi_sort.h>

#include "reference_sort.h"

/** Finds the sorted elements before each rank's. @param sorted  n items in their order @param counts  elements that
 * each rank gives @param[out] starts  ranks + 1 numbers */
void sorted_starts(const reference_item *sorted, uint64_t n, scan_mpi_distribution distribution, int ranks,
                   const uint64_t *counts, uint64_t *starts);

#endif
