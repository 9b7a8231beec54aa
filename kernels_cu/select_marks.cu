// SPDX-License-Identifier: BSD-2-Clause
// kernels_cl/select_marks.cl for every type of keys, each in a namespace of its own; kernels are named <kernel>_<type>.
#include "dialect.h"
#include "tuning.h"
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT 4

#define SCAN_TYPE 2
#define SCAN_SUFFIX _u8
namespace u8 {
#include "select_marks.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 4
#define SCAN_SUFFIX _u16
namespace u16 {
#include "select_marks.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 6
#define SCAN_SUFFIX _u32
namespace u32 {
#include "select_marks.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 8
#define SCAN_SUFFIX _u64
namespace u64 {
#include "select_marks.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 9
#define SCAN_SUFFIX _f32
namespace f32 {
#include "select_marks.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 10
#define SCAN_SUFFIX _f64
namespace f64 {
#include "select_marks.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 11
#define SCAN_SUFFIX _f16
namespace f16 {
#include "select_marks.cl"
}
#include "primitive_end.h"
#define SCAN_TYPE 12
#define SCAN_SUFFIX _bf16
namespace bf16 {
#include "select_marks.cl"
}
#include "primitive_end.h"
