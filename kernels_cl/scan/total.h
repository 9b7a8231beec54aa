/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a total in one launch (total.cuh), shared with the host. */
#ifndef SCANRT_CL_TOTAL_H
#define SCANRT_CL_TOTAL_H

/* The most groups of 128 tiles, and work-groups of a multiprocessor. */
#define TOTAL_GROUPS 64
#define TOTAL_UNIT_GROUPS 4
#endif
