// SPDX-License-Identifier: BSD-2-Clause
// sort.cu for floating-point keys in the numeric order: the kernels that read keys, for keys of 2, 4 and 8 bytes.
// Kernels that only move are in sort.cu.
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 2
#define SCAN_TYPE 4
#define SCAN_SUFFIX _u16
namespace u16 {
#include "instances/sort_numeric_kernels.h"
}
#include "instances/primitive_end.h"
#define PRIMITIVE "instances/sort_numeric_kernels.h"
#include "instances/primitive_units_wide.h"
#undef SCAN_GROUP_ITEMS
#undef PRIMITIVE
#define SCAN_GROUP_ITEMS SORT_MERGED_ITEMS
#define PRIMITIVE "sort/sort_numeric_merged.cuh"
namespace merged {
#include "instances/primitive_units_wide.h"
}
