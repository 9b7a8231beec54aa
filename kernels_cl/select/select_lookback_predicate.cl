/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch by a predicate from source, of one element or two; it moves the elements that it tests. */
#include "lib/dialect.h"

#define SELECT_BYTES SCAN_SOURCE_INPUT_BYTES
#define LOOK_BY 4
#define SELECT_KERNEL select_lookback_predicate
#include "select/select_lookback.h"
