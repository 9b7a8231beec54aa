/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch of the first or the last of each run of equal keys, of those keys. */
#include "marks.h"

#define SELECT_BYTES MARK_BYTES
#define LOOK_BY 3
#define SELECT_KERNEL select_lookback_runs
#include "select_lookback.h"
