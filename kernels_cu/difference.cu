// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/difference.cl for every type.
#include "dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4
#define PRIMITIVE "difference.cl"
#include "primitive_types.h"
