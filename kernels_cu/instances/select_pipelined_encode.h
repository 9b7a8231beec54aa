/* SPDX-License-Identifier: BSD-2-Clause */
/* select_pipelined_one.h for keys of 4 and 8 bytes. */
#define SCAN_TYPE 6
#define SELECT_BYTES 4
#define SELECT_OF u32
#define SELECT_ENCODES 1
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 8
#define SELECT_BYTES 8
#define SELECT_OF u64
#define SELECT_ENCODES 1
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 9
#define SELECT_BYTES 4
#define SELECT_OF f32
#define SELECT_ENCODES 1
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 10
#define SELECT_BYTES 8
#define SELECT_OF f64
#define SELECT_ENCODES 1
#include "instances/select_pipelined_one.h"
#undef SELECT_BY
#undef SELECT_NAME
