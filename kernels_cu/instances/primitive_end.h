/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a primitive's kernels for one type. */
#include "instance_end.h"
#undef SCAN_TYPE
#undef SCAN_SUFFIX
