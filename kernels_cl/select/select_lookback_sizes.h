/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of elements of SCAN_TYPE. */
#ifndef SCANRT_CL_SELECT_LOOKBACK_SIZES_H
#define SCANRT_CL_SELECT_LOOKBACK_SIZES_H

#if SCAN_TYPE == 2
#define SELECT_BYTES 1
#elif SCAN_TYPE == 4
#define SELECT_BYTES 2
#elif SCAN_TYPE == 6
#define SELECT_BYTES 4
#elif SCAN_TYPE == 8
#define SELECT_BYTES 8
#else
#error "elements are moved as unsigned integers"
#endif
#endif
