/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of many lines and of backward scans for one operator, each direction and tile size in a namespace of its
 * own. Included by batch.cu. */
#define SCAN_PASTE5(a, b, c, d, e) a##b##c##d##e
#define SCAN_SUFFIX_OF(a, b, c, d, e) SCAN_PASTE5(a, b, c, d, e)

#define SCAN_SUBTILES 8
#define SCAN_SUFFIX SCAN_SUFFIX_OF(_, SCAN_OP_NAME, _s, SCAN_SUBTILES, )
namespace KERNEL_NAME(forward, SCAN_SUFFIX) {
#include "value.h"
#include "tile.h"
#include "vector.h"
#ifdef SCAN_FLIPS
#include "batch/flip.h"
#endif
#include "tile_group.h"
#include "batch/lines.h"
#include "batch/rows_group.cl"
#include "batch/lines_group.cl"
}
#undef VECTOR_FLIP
#undef SCAN_SUFFIX
#define SCAN_SUFFIX SCAN_SUFFIX_OF(_, SCAN_OP_NAME, _s, SCAN_SUBTILES, _backward)
#include "batch_backward.h"
#undef SCAN_SUBTILES
#define SCAN_SUBTILES 1
#include "batch_backward.h"
#undef SCAN_SUBTILES
#undef SCAN_SUFFIX
#undef LINE_JOB
#undef SCAN_PASTE5
#undef SCAN_SUFFIX_OF
#undef SCAN_OP
#undef SCAN_OP_NAME
