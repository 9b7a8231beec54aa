/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels of the file that PRIMITIVE names for each size of unsigned integers, which stand for signed ones and for
 * all that is only moved, each in a namespace of its own. Kernels are named <kernel>_<type>. */
#define SCAN_TYPE 2
#define SCAN_SUFFIX _u8
namespace u8 {
#include PRIMITIVE
}
#include "primitive_end.h"
#define SCAN_TYPE 4
#define SCAN_SUFFIX _u16
namespace u16 {
#include PRIMITIVE
}
#include "primitive_end.h"
#include "primitive_units_wide.h"
