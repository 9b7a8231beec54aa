/* SPDX-License-Identifier: BSD-2-Clause */
/* Scans from the last element to the first, for one operator and tile size. Included by batch_operator.h. */
#undef IDENTITY /* the macros that differ from operator to operator; the others are the same text each time */
#undef COMBINE
#undef BYTE_SIGNS
#undef PAIR_COMBINE
#undef PAIR_IDENTITY
#undef JOB
#undef LINE_JOB
namespace KERNEL_NAME(backward, SCAN_SUFFIX) {
#include "value.h"
#include "tile.h"
#include "vector.h"
#ifdef SCAN_FLIPS
#include "batch/flip.h"
#endif
#include "batch/mirror_vector.h"
#include "tile_group.h"
#include "batch/mirror_group.h"
#include "block.cl"
#include "descriptor_packed.h"
#include "descriptor.h"
#include "lookback_group.h"
#include "schedules.h"
#include "reduce_then_scan.cl"
#include "lookback.cl"
#if SCAN_SUBTILES == 8
#include "batch/lines.h"
#include "batch/rows_group.cl"
#endif
}
#undef vector_load_guarded
#undef vector_store_guarded
#undef VECTOR_FLIP
#undef LINE_JOB
#undef JOB
#undef IDENTITY
#undef COMBINE
#undef BYTE_SIGNS
#undef PAIR_COMBINE
#undef PAIR_IDENTITY
