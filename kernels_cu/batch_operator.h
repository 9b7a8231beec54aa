/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of many lines for one operator, in a namespace of their own. Included by batch.cu. */
namespace KERNEL_NAME(batch, SCAN_SUFFIX) {
#include "value.h"
#include "tile.h"
#include "vector.h"
#include "tile_group.h"
#include "batch/lines.h"
#include "batch/rows_group.cl"
#include "batch/lines_group.cl"
}
/* The macros of value.h that differ from operator to operator; the others are the same text each time. */
#undef IDENTITY
#undef COMBINE
#undef BYTE_SIGNS
#undef PAIR_COMBINE
#undef PAIR_IDENTITY
#undef SCAN_OP
#undef SCAN_OP_NAME
