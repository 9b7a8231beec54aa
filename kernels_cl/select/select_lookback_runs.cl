/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction of keys in one launch: keeps the first or the last key of each run of equal ones. */
#include "lib/marks.h"

#define SELECT_BYTES MARK_BYTES
#define LOOK_BY 3
#define SELECT_KERNEL select_lookback_runs
#include "select/select_lookback.h"
