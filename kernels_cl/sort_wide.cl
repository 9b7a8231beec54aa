/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of sort.cl that look at keys, of keys of 16 bytes, two words of 8 (SCAN_TYPE is 8), as sort_wide_... A
 * key's bits are counted as those of one integer whose first word in memory is the lower one; a digit lies in one of
 * them. */
#define SORT_WIDE_KEYS
#include "sort.cl"
