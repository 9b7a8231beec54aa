/* SPDX-License-Identifier: BSD-2-Clause */
/* select_pipelined_one.h for sums of values of 4 and 8 bytes; unsigned integers stand for signed ones. */
#define SCAN_OP 1
#define SCAN_TYPE 6
#define SCAN_IN_TYPE 6
#define SELECT_BYTES 4
#define SELECT_OF u32
#define SELECT_REDUCES 1
#include "instances/select_pipelined_one.h"
#undef SCAN_IN_TYPE
#define SCAN_TYPE 8
#define SCAN_IN_TYPE 8
#define SELECT_BYTES 8
#define SELECT_OF u64
#define SELECT_REDUCES 1
#include "instances/select_pipelined_one.h"
#undef SCAN_IN_TYPE
#define SCAN_TYPE 9
#define SCAN_IN_TYPE 9
#define SELECT_BYTES 4
#define SELECT_OF f32
#define SELECT_REDUCES 1
#include "instances/select_pipelined_one.h"
#undef SCAN_IN_TYPE
#define SCAN_TYPE 10
#define SCAN_IN_TYPE 10
#define SELECT_BYTES 8
#define SELECT_OF f64
#define SELECT_REDUCES 1
#include "instances/select_pipelined_one.h"
#undef SCAN_IN_TYPE
#undef SCAN_OP
#undef SELECT_BY
#undef SELECT_NAME
