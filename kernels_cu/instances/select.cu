// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/select/select.cl for each unsigned integer that elements are made of.
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4
#define PRIMITIVE "select/select.cl"
#include "instances/primitive_units.h"
