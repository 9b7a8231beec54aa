/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile of a work-group or of one work-item, mirrored in backward scans (SCAN_BACKWARD). */
#ifndef SCANRT_CL_SCAN_TILE_H
#define SCANRT_CL_SCAN_TILE_H

#include "lib/tile.h"

#if SCAN_GROUP_ITEMS > 1
#include "scan/tile_group.h"
#if SCAN_BACKWARD
#include "batch/mirror_group.h"
#endif
#else
#if SCAN_BACKWARD
#include "batch/mirror_item.h"
#elif SCAN_TYPE != 0 && SCAN_IN_TYPE == SCAN_TYPE
#include "scan/tile_vector.h"
#endif
#include "scan/tile_item.h"
#endif

#endif
