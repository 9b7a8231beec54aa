/* SPDX-License-Identifier: BSD-2-Clause */
/* The portable kernels of sorts: of all keys, and of segments. */
#include "sort.cl"
#include "sort_segments.cl"
