/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch by bits, of elements of SCAN_TYPE or their indices. */
#include "lib/dialect.h"

#include "select/select_lookback_sizes.h"

#define LOOK_BY 2
#define SELECT_KERNEL select_lookback_bits
#include "select/select_lookback.h"
