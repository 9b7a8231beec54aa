/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a total in one launch (total.cuh), shared with the host. */
#ifndef SCANRT_CL_TOTAL_H
#define SCANRT_CL_TOTAL_H

/* Work-groups of a multiprocessor. */
#define TOTAL_UNIT_GROUPS 4

/* AUTO takes it above scan_tuning.pipelined_bytes / TOTAL_SHARE, 6 MiB, unless elements are widened. Look-back and this
 * kernel, us, H200: f64 2^19 4.4 and 5.3, 2^20 6.1 and 5.7, 2^21 8.3 and 6.9; f32 2^21 5.3 and 5.3, 2^22 7.5 and 6.3.
 */
#define TOTAL_SHARE 4
#endif
