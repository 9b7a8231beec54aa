/* SPDX-License-Identifier: BSD-2-Clause */
/* sort_merged.cuh for floating-point keys in the numeric order. */
#define SORT_NUMERIC_KEYS
#include "sort/sort_merged.cuh"
