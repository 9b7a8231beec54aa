/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of sort.cl that look at keys, of floating-point keys in the numeric order (sort_keys.h), as
 * sort_numeric_... */
#define SORT_NUMERIC_KEYS
#include "sort.cl"
