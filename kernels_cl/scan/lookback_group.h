/* SPDX-License-Identifier: BSD-2-Clause */
/* Look-back by a work-group (lookback.h), for values of scans: 128 work-items fold the tree over a group's tiles. */
#ifndef SCANRT_CL_LOOKBACK_GROUP_H
#define SCANRT_CL_LOOKBACK_GROUP_H

#include "lib/descriptor.h"
#include "scan/scan_tile.h"

typedef scanrt_job scanrt_lookback_job;
typedef scanrt_tile_scratch scanrt_lookback_scratch;
typedef scanrt_value_t scanrt_lookback_sum;
#define LOOKBACK_COUNTS 0
#define LOOKBACK_NONE IDENTITY
#define LOOKBACK_COMBINE(sum, value) scanrt_combine((sum), (value))
#define LOOKBACK_FROM(value, lane) scanrt_shuffle_from((value), (lane))
#define LEAVES_FOLD(value, s) scanrt_tree_fold((value), (s))
#define LEAVES_TOTAL(s) scanrt_tree_total(s)
#include "lib/lookback.h"
#endif
