/* SPDX-License-Identifier: BSD-2-Clause */
/* The same as select_lookback_flags.cl, of elements of 16 bytes. */
#include "dialect.h"

#define SELECT_BYTES 16
#define LOOK_BY 1
#define SELECT_KERNEL select_lookback_flags_wide
#include "select_lookback.h"
