// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/select.cl for each unsigned integer that elements are made of, each in a namespace of its own; kernels are
// named <kernel>_<type>.
#include "dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4

#define SCAN_TYPE 2
#define SCAN_SUFFIX _u8
namespace u8 {
#include "select.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 4
#define SCAN_SUFFIX _u16
namespace u16 {
#include "select.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 6
#define SCAN_SUFFIX _u32
namespace u32 {
#include "select.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 8
#define SCAN_SUFFIX _u64
namespace u64 {
#include "select.cl"
}
#include "primitive_end.h"
