/* SPDX-License-Identifier: BSD-2-Clause */
/* Compaction in one launch by bits, of elements of 16 bytes. */
#include "lib/dialect.h"

#define SELECT_BYTES 16
#define LOOK_BY 2
#define SELECT_KERNEL select_lookback_bits_wide
#include "select/select_lookback.h"
