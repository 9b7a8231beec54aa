/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cub_histogram.h @brief Shared declarations of cub_sort.cu and cub_histogram.cu. */
#ifndef SCANRT_PEERS_CUB_HISTOGRAM_H
#define SCANRT_PEERS_CUB_HISTOGRAM_H

#include "cub_sort.h"

/** Returns CUB's histogram for a case, or NULL. @param way  CUB_SORT_INT or CUB_SORT_SIZE, the type of n */
cub_sort *cub_find_histogram(const bench_sort_case &what, int variant);

#endif
