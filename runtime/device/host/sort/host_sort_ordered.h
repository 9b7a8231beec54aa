/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts of keys in a special order, by all threads. Each returns 0, with nothing done, for other keys. */
#ifndef SCANRT_HOST_SORT_ORDERED_H
#define SCANRT_HOST_SORT_ORDERED_H

#include "device/host/sort/host_sort.h"
#include "device/host/sort/host_sort_part.h"

/* Copies keys in order, and reverses keys each of which is above the next one. */
int scan_host_sort_ordered(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all);

/* Sorts keys alone of up to SIMD_SORT_VALUES values: counts the keys of each value and writes them anew. */
int scan_host_sort_by_values(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all);

#endif
