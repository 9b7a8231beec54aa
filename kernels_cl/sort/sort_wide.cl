/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of sort.cl that read keys, for keys of 16 bytes, two words of 8 (SCAN_TYPE is 8), with names
 * sort_wide_... A key's bits are numbered as in one integer whose first word in memory is the lower one; a digit lies
 * in one of the words. */
#define SORT_WIDE_KEYS
#include "sort/sort.cl"
