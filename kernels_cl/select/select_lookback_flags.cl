/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch by flags, of elements of SCAN_TYPE or their indices. */
#include "lib/dialect.h"

#include "select/select_lookback_sizes.h"

#define LOOK_BY 1
#define SELECT_KERNEL select_lookback_flags
#include "select/select_lookback.h"
