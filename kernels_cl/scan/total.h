/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a total in one launch (total.cuh), shared with the host. */
#ifndef SCANRT_CL_TOTAL_H
#define SCANRT_CL_TOTAL_H

/* Work-groups of a multiprocessor. */
#define TOTAL_UNIT_GROUPS 4

/* AUTO takes it above scan_tuning.pipelined_bytes / TOTAL_SHARE, 8 MiB, unless elements are widened. Look-back and this
 * kernel, us, H200: f64 2^20 6.2 and 6.2, 2^21 8.5 and 7.2; f32 2^22 7.6 and 6.3. */
#define TOTAL_SHARE 3
#endif
