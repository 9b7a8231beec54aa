// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/select/select_marks.cl for every type of keys, each in a namespace of its own; kernels are named
// <kernel>_<type>.
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4
#define PRIMITIVE "select/select_marks.cl"
#include "instances/primitive_types.h"
