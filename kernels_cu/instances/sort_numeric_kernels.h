/* SPDX-License-Identifier: BSD-2-Clause */
/* The portable kernels of sorts of floating-point keys in the numeric order. */
#define SORT_NUMERIC_KEYS
#include "instances/sort_kernels.h"
