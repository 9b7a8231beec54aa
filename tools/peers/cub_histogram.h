/* SPDX-License-Identifier: BSD-2-Clause */
/** @file cub_histogram.h @brief What cub_sort.cu and cub_histogram.cu share. */
#ifndef SCANRT_PEERS_CUB_HISTOGRAM_H
#define SCANRT_PEERS_CUB_HISTOGRAM_H

#include "cub_sort.h"

/** CUB's histogram of that case, or NULL. @param way  CUB_SORT_INT or CUB_SORT_SIZE, the type of n. */
cub_sort *cub_find_histogram(const bench_sort_case &what, int way);

#endif
