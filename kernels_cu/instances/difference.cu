// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/difference/difference.cl for every type.
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4
#define PRIMITIVE "difference/difference.cl"
#include "instances/primitive_types.h"
