// SPDX-License-Identifier: BSD-2-Clause
// Bits that say where segments begin: kernels_cl/scan/heads.cl for offsets of 32 and 64 bits, kernels_cl/scan/marks.cl
// for flags and for keys of every type, each in a namespace of its own. Kernels are named <kernel>_<type>.
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4

#define SCAN_TYPE 6
#define SCAN_SUFFIX _u32
namespace offsets_u32 {
#include "scan/heads.cl"
}
#include "instances/primitive_end.h"
#define SCAN_TYPE 8
#define SCAN_SUFFIX _u64
namespace offsets_u64 {
#include "scan/heads.cl"
}
#include "instances/primitive_end.h"

#define SCAN_SEGMENTS 1
#define SCAN_TYPE 2
#define SCAN_SUFFIX _u8
namespace flags {
#include "scan/marks.cl"
}
#include "instances/primitive_end.h"
#undef SCAN_SEGMENTS

#define SCAN_SEGMENTS 3
#define SCAN_KEY_TYPE SCAN_TYPE
#define PRIMITIVE "scan/marks.cl"
#include "instances/primitive_types.h"
