/* SPDX-License-Identifier: BSD-2-Clause */
/* A module's kernels of one operator and one tile size, in a namespace of their own. Included by operator.h. */
namespace KERNEL_NAME(scan, SCAN_SUFFIX) {
#include "value.h"
#include "tile.h"
#include "vector.h"
#include "tile_group.h"
#ifdef SCAN_MODULE_PIPELINED
#include "descriptor_packed.h"
#include "descriptor.h"
#include "lookback_group.h"
#include "schedules.h"
#include "pipelined.cuh"
#else
#include "block.cl"
#if SCAN_SUBTILES != 4 /* which is there for block alone */
#include "descriptor_packed.h"
#include "descriptor.h"
#include "lookback_group.h"
#include "schedules.h"
#include "reduce_then_scan.cl"
#include "lookback.cl"
#endif
#if SCAN_SUBTILES == 8
#include "sequential.cl"
#endif
#endif
}
/* The macros of value.h that differ from operator to operator; the others are the same text each time. */
#undef IDENTITY
#undef COMBINE
#undef BYTE_SIGNS
#undef PAIR_COMBINE
#undef PAIR_IDENTITY
