/* SPDX-License-Identifier: BSD-2-Clause */
/* A sort by all threads: they divide the keys together, then each sorts parts of them. */
#ifndef SCANRT_HOST_SORT_TASK_H
#define SCANRT_HOST_SORT_TASK_H

#include "device/host/sort/host_sort.h"
#include "device/host/sort/host_sort_part.h"

/* Sorts the keys of a part to the output. counts: memory for digits, in the layout of the launch's. */
void scan_host_sort_by_threads(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all,
                               uint64_t *counts);

/* scan_host_sort_by_threads for few keys alone, by vector registers: one thread divides them. Returns 0, with nothing
 * done, for others. */
int scan_host_sort_by_pivots(const host_sort_crew *crew, const host_sort_job *job, const host_sort_part *all,
                             uint64_t *counts);

#endif
