// SPDX-License-Identifier: BSD-2-Clause
// sort_onesweep.cu for floating-point keys in the numeric order.
#define SORT_ONESWEEP_NUMERIC
#include "instances/sort_onesweep.cu"
