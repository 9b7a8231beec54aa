// SPDX-License-Identifier: BSD-2-Clause
// Bits that say where segments begin: kernels_cl/heads.cl for offsets of 32 and 64 bits, kernels_cl/marks.cl for flags
// and for keys of every type, each in a namespace of its own. Kernels are named <kernel>_<type>.
#include "dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4

#define SCAN_TYPE 6
#define SCAN_SUFFIX _u32
namespace offsets_u32 {
#include "heads.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 8
#define SCAN_SUFFIX _u64
namespace offsets_u64 {
#include "heads.cl"
}
#include "primitive_end.h"

#define SCAN_SEGMENTS 1
#define SCAN_TYPE 2
#define SCAN_SUFFIX _u8
namespace flags {
#include "marks.cl"
}
#include "primitive_end.h"
#undef SCAN_SEGMENTS

#define SCAN_SEGMENTS 3
#define SCAN_KEY_TYPE SCAN_TYPE
#define PRIMITIVE "marks.cl"
#include "primitive_types.h"
