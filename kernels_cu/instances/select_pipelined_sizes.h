/* SPDX-License-Identifier: BSD-2-Clause */
/* select_pipelined_one.h for elements of every size. */
#include "instances/select_pipelined_units.h"
#define SCAN_TYPE 8
#define SELECT_BYTES 16
#define SELECT_OF wide_u64
#include "instances/select_pipelined_one.h"
#undef SELECT_BY
#undef SELECT_NAME
