/* SPDX-License-Identifier: BSD-2-Clause */
/* select_pipelined_one.h for indices of either size. */
#define SCAN_TYPE 6
#define SELECT_BYTES 4
#define SELECT_OF u32
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 8
#define SELECT_BYTES 8
#define SELECT_OF u64
#include "instances/select_pipelined_one.h"
#undef SELECT_BY
#undef SELECT_NAME
