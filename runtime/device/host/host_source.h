/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans with an operator from source on the host: the canonical order through the caller's function. */
#ifndef SCANRT_HOST_SOURCE_H
#define SCANRT_HOST_SOURCE_H

#include "device/host/host_kernels.h"

/* The kernel for all operators, for tiles of any size: task->key says what an element is and how large a tile. */
extern const host_kernel scan_host_source_kernel;

/* Whether what is known of a chunk when it has been read is kept until it is written, in memory of each thread's own.
 */
struct host_block_kernel;
int scan_host_source_keeps(const struct scan_source *source, const struct host_block_kernel *block);

/* What heads.cl is elsewhere: a bit an element out of the ascending offsets of segments, SCAN_U32 or SCAN_U64. */
host_group *scan_host_heads(scan_type type);

#endif
