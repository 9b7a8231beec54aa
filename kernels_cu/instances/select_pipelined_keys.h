/* SPDX-License-Identifier: BSD-2-Clause */
/* select_pipelined_one.h for keys of every type; unsigned integers stand for signed ones. */
#include "instances/select_pipelined_units.h"
#define SCAN_TYPE 9
#define SELECT_BYTES 4
#define SELECT_OF f32
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 10
#define SELECT_BYTES 8
#define SELECT_OF f64
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 11
#define SELECT_BYTES 2
#define SELECT_OF f16
#include "instances/select_pipelined_one.h"
#define SCAN_TYPE 12
#define SELECT_BYTES 2
#define SELECT_OF bf16
#include "instances/select_pipelined_one.h"
#undef SELECT_BY
#undef SELECT_NAME
