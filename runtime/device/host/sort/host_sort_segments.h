/* SPDX-License-Identifier: BSD-2-Clause */
/* Stable sort of each segment in one launch. A thread takes the segments that begin in a chunk of the keys and sorts
 * one after the other, as it sorts parts of a whole sort. Segments that are too large for one thread are sorted
 * afterwards by all threads. */
#ifndef SCANRT_HOST_SORT_SEGMENTS_H
#define SCANRT_HOST_SORT_SEGMENTS_H

#include "device/host/sort/host_sort.h"

void scan_host_sort_segments_run(const host_sort_crew *crew, const host_sort *how, const scan_kernel_args *args);

#endif
