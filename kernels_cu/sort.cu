// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/sort.cl and sort_segments.cl for each unsigned integer that keys are read as, or that arrays are moved in.
#include "dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 2
#define PRIMITIVE "sort_kernels.h"
#include "primitive_units.h"
