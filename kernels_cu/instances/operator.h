/* SPDX-License-Identifier: BSD-2-Clause */
/* A module's kernels of one operator, for each tile size of the canonical order for which they are made. Included by
 * module.cu, once an operator. */
#define SCAN_PASTE4(a, b, c, d) a##b##c##d
#define SCAN_SUFFIX_OF(a, b, c, d) SCAN_PASTE4(a, b, c, d)
#define SCAN_SUFFIX SCAN_SUFFIX_OF(_, SCAN_OP_NAME, _s, SCAN_SUBTILES)

#ifndef SCAN_MODULE_PIPELINED
#define SCAN_SUBTILES 1
#include "instances/tile_size.h"
#undef SCAN_SUBTILES
#define SCAN_SUBTILES 4
#include "instances/tile_size.h"
#undef SCAN_SUBTILES
#endif
#define SCAN_SUBTILES 8
#include "instances/tile_size.h"
#undef SCAN_SUBTILES

#undef SCAN_SUFFIX
#undef SCAN_OP
#undef SCAN_OP_NAME
