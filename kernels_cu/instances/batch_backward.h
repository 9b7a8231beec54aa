/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans from the last element to the first, for one operator and tile size. Included by batch_operator.h. */
#define SCAN_BACKWARD 1
namespace KERNEL_NAME(backward, SCAN_SUFFIX) {
#include "scan/block.cl"
#include "scan/reduce_then_scan.cl"
#include "scan/lookback.cl"
#if SCAN_SUBTILES == 8
#include "batch/rows_group.cl"
#endif
}
#include "instance_end.h"
#undef SCAN_BACKWARD
