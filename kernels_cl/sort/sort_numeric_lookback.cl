/* SPDX-License-Identifier: BSD-2-Clause */
/* sort_lookback.cl for floating-point keys in the numeric order (sort_keys.h), with names sort_numeric_... */
#define SORT_NUMERIC_KEYS
#include "sort/sort_lookback.cl"
