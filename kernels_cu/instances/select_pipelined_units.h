/* SPDX-License-Identifier: BSD-2-Clause */
/* select_pipelined_one.h for each size of unsigned integers. */
#define SCAN_TYPE 2
#define SELECT_BYTES 1
#define SELECT_OF u8
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 4
#define SELECT_BYTES 2
#define SELECT_OF u16
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 6
#define SELECT_BYTES 4
#define SELECT_OF u32
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 8
#define SELECT_BYTES 8
#define SELECT_OF u64
#include "instances/select_pipelined_one.h"
