/* SPDX-License-Identifier: BSD-2-Clause */
/* The portable kernels of sorts, of all keys and of segments. */
#include "sort/sort.cl"
#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT 4
#include "sort/sort_segments_runs.cl"
#undef SCAN_GROUPS_PER_UNIT
#define SCAN_GROUPS_PER_UNIT 2
