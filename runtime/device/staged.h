/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the kernels that scan lines through stages of shared memory (kernels_cu/batch/), built into them and used
 * by the host. tools/doc/measurements/lines.md has the measurements. */
#ifndef SCANRT_STAGED_H
#define SCANRT_STAGED_H

/* Contiguous lines: stages of a warp, bytes of a stage of all warps, and work-groups a multiprocessor. */
#define STAGED_ROWS_STAGES 3
#define STAGED_ROWS_BYTES (32 << 10)
#define STAGED_ROWS_GROUPS 2

/* Lines apart: lines of a work-group, its warps for 32 of them, and its stages, each a row of all lines. */
#define STAGED_LINES 128
#define STAGED_LINES_WARPS 8
#define STAGED_LINES_STAGES 3
#define STAGED_LINES_BYTES (64 << 10)
#define STAGED_LINES_ITEMS (STAGED_LINES / 32 * STAGED_LINES_WARPS * 32)

#endif
