// SPDX-License-Identifier: BSD-2-Clause
// sort_sweep.cu for floating-point keys in the numeric order.
#define SORT_SWEEPS_NUMERIC
#include "instances/sort_sweep.cu"
