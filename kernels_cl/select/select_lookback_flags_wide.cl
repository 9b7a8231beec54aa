/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch by flags, of elements of 16 bytes. */
#include "lib/dialect.h"

#define SELECT_BYTES 16
#define LOOK_BY 1
#define SELECT_KERNEL select_lookback_flags_wide
#include "select/select_lookback.h"
