/* SPDX-License-Identifier: BSD-2-Clause */
/* select_pipelined_one.h for elements of every size. */
#define SCAN_TYPE 2
#define SELECT_BYTES 1
#define SELECT_OF u8
#include "select_pipelined_one.h"
#define SCAN_TYPE 4
#define SELECT_BYTES 2
#define SELECT_OF u16
#include "select_pipelined_one.h"
#define SCAN_TYPE 6
#define SELECT_BYTES 4
#define SELECT_OF u32
#include "select_pipelined_one.h"
#define SCAN_TYPE 8
#define SELECT_BYTES 8
#define SELECT_OF u64
#include "select_pipelined_one.h"
#define SCAN_TYPE 8
#define SELECT_BYTES 16
#define SELECT_OF wide_u64
#include "select_pipelined_one.h"
#undef SELECT_BY
#undef SELECT_NAME
