/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of many lines and of backward scans for one operator. Each direction and tile size has a namespace of its
 * own. Included by batch.cu. */
#define SCAN_PASTE5(a, b, c, d, e) a##b##c##d##e
#define SCAN_SUFFIX_OF(a, b, c, d, e) SCAN_PASTE5(a, b, c, d, e)

#define SCAN_SUBTILES 8
#define SCAN_SUFFIX SCAN_SUFFIX_OF(_, SCAN_OP_NAME, _s, SCAN_SUBTILES, )
namespace KERNEL_NAME(forward, SCAN_SUFFIX) {
#include "batch/rows_group.cl"
#include "batch/lines_group.cl"
}
#include "instance_end.h"
#undef SCAN_SUFFIX
#define SCAN_SUFFIX SCAN_SUFFIX_OF(_, SCAN_OP_NAME, _s, SCAN_SUBTILES, _backward)
#include "instances/batch_backward.h"
#undef SCAN_SUBTILES
#define SCAN_SUBTILES 1
#include "instances/batch_backward.h"
#undef SCAN_SUBTILES
#undef SCAN_SUFFIX
#undef SCAN_PASTE5
#undef SCAN_SUFFIX_OF
#undef SCAN_OP
#undef SCAN_OP_NAME
