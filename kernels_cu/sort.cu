// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/sort.cl and sort_segments_runs.cl for each unsigned integer that keys are read as, or that arrays are
// moved in; sort.cl for keys of two words of 64 bits; and few keys by one work-group.
#include "dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 2
#define PRIMITIVE "sort_kernels.h"
#include "primitive_units.h"
#define SCAN_TYPE 8
#define SCAN_SUFFIX _u64
namespace wide {
#include "sort_wide.cl"
}
#include "primitive_end.h"
#undef SCAN_GROUP_ITEMS
#undef PRIMITIVE
#define SCAN_GROUP_ITEMS SORT_MERGED_ITEMS
#define PRIMITIVE "sort_merged.cuh"
namespace merged {
#include "primitive_units_wide.h"
}
