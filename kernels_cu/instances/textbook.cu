// SPDX-License-Identifier: BSD-2-Clause
// The textbook scans for one type and operator (SCAN_TYPE, SCAN_OP, SCAN_OP_NAME), from kernels_cl/textbook/. Kernels
// are named as in module.cu, although they do not follow the canonical order that the sub-tiles in their names belong
// to.
#if !defined(SCAN_IN_TYPE) || !defined(SCAN_TYPE) || !defined(SCAN_OP) || !defined(SCAN_OP_NAME)
#error "SCAN_IN_TYPE, SCAN_TYPE, SCAN_OP and SCAN_OP_NAME must be given"
#endif
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_SHUFFLE 1
#define SCAN_PTX 1
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT TUNE_GROUPS_PER_UNIT
#define SCAN_SUBTILES 8

#define SCAN_PASTE4(a, b, c, d) a##b##c##d
#define SCAN_SUFFIX_OF(a, b, c, d) SCAN_PASTE4(a, b, c, d)
#define SCAN_SUFFIX SCAN_SUFFIX_OF(_, SCAN_OP_NAME, _s, SCAN_SUBTILES)

namespace hillis_steele {
#include "textbook/hillis_steele.cl"
}
#include "instance_end.h"
namespace blelloch {
#define TEXTBOOK(part) blelloch_##part
#define PLACE(i) (i)
#include "textbook/blelloch.cl"
}
#include "instance_end.h"
#undef PLACE
namespace blelloch_padded {
#define TEXTBOOK(part) blelloch_padded_##part
#define PLACE(i) PADDED(i)
#include "textbook/blelloch.cl"
}
#include "instance_end.h"
#undef PLACE
namespace subgroup {
#include "textbook/subgroup.cl"
}
#include "instance_end.h"
namespace three_pass {
#include "textbook/three_pass.cl"
}
#include "instance_end.h"
namespace chained {
#include "textbook/chained.cl"
}
#include "instance_end.h"
namespace lookback_classic {
#include "textbook/lookback_classic.cl"
}
#include "instance_end.h"
