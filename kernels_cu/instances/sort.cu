// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/sort/sort.cl and sort_segments_runs.cl for each unsigned integer that keys are read as, or that arrays are
// moved in; sort.cl for keys of two words of 64 bits; and few keys by one work-group.
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 2
#define PRIMITIVE "instances/sort_kernels.h"
#include "instances/primitive_units.h"
#define SCAN_TYPE 8
#define SCAN_SUFFIX _u64
namespace wide {
#define SORT_WIDE_KEYS
#include "sort/sort.cl"
}
#include "instances/primitive_end.h"
#undef SORT_WIDE_KEYS
#undef SCAN_GROUP_ITEMS
#undef PRIMITIVE
#define SCAN_GROUP_ITEMS SORT_MERGED_ITEMS
#define PRIMITIVE "sort/sort_merged.cuh"
namespace merged {
#include "instances/primitive_units_wide.h"
}
