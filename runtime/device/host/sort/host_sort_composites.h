/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts few keys with values by vector registers, stably: as distinct 8-byte integers of a key's upper bits and its
 * index. */
#ifndef SCANRT_HOST_SORT_COMPOSITES_H
#define SCANRT_HOST_SORT_COMPOSITES_H

#include "device/host/sort/host_sort_part.h"

enum { HOST_SORT_COMPOSITES = 256, HOST_SORT_LEAST_COMPOSITES = 16 };

/* Sorts a part of HOST_SORT_LEAST_COMPOSITES to HOST_SORT_COMPOSITES keys, to HOST_SORT_OUT, by job->composites.
 * Returns 0, with nothing done, if pivots divided them too unevenly. */
int scan_host_sort_composites(const host_sort_job *job, const host_sort_part *part);

#endif
