// SPDX-License-Identifier: BSD-2-Clause
// Radix sort, a pass in one launch, of keys of 4 and 8 bytes: alone, and with values of 4 and 8 bytes, each in a
// namespace of its own. Kernels are named sort_sweep_<bytes of a value>_<type>. Smaller keys are sorted by sort.cu,
// since kernels for them would be as large again.
#include "dialect.h"
#define SCAN_TYPE 6
#define SORT_OF u32
#include "sort_sweep_one.h"
#define SCAN_TYPE 8
#define SORT_OF u64
#include "sort_sweep_one.h"
