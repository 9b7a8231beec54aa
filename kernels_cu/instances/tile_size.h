/* SPDX-License-Identifier: BSD-2-Clause */
/* A module's kernels of one operator and one tile size, in a namespace of their own. Included by operator.h. */
namespace KERNEL_NAME(scan, SCAN_SUFFIX) {
#ifdef SCAN_MODULE_PIPELINED
#include "scan/pipelined.cuh"
#else
#include "scan/block.cl"
#if SCAN_SUBTILES != 4 /* block alone has tiles of 4 sub-tiles */
#include "scan/reduce_then_scan.cl"
#include "scan/lookback.cl"
#endif
#if SCAN_SUBTILES == 8
#include "scan/sequential.cl"
#endif
#endif
}
#include "instance_end.h"
