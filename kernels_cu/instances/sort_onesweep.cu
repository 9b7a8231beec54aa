// SPDX-License-Identifier: BSD-2-Clause
// Radix sort, a pass in one launch, for keys of 4 and 8 bytes: alone, and with values of 4 and 8 bytes, each in a
// namespace of its own. Kernels are named sort_onesweep_<bytes of a value>_<type>. Keys of 1 and 2 bytes take the
// kernels for 4 bytes (SORT_BYTES, SORT_HALVES), since kernels of their own would be as large again.
#include "lib/dialect.h"
#define SCAN_TYPE 6
#define SORT_OF u32
#include "instances/sort_onesweep_one.h"
#define SCAN_TYPE 8
#define SORT_OF u64
#include "instances/sort_onesweep_one.h"
