/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of sort.cl that look at keys, of keys of 16 bytes, two words of 8 (SCAN_TYPE is 8). A key's bits are
 * counted as those of one integer whose first word in memory is the lower one; a digit lies in one of them. */
#define SORT_WIDE_KEYS
#define sort_digits sort_wide_digits
#define sort_begins sort_wide_begins
#define sort_count sort_wide_count
#define sort_move sort_wide_move
#define sort_alone sort_wide_alone
#include "sort.cl"
