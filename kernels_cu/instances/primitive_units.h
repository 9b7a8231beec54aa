/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes the file that PRIMITIVE names for each size of unsigned integers, each in a namespace of its own. They also
 * stand for signed integers and for all elements that are only moved. Kernels are named <kernel>_<type>. */
#define SCAN_TYPE 2
#define SCAN_SUFFIX _u8
namespace u8 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
#define SCAN_TYPE 4
#define SCAN_SUFFIX _u16
namespace u16 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
#include "instances/primitive_units_wide.h"
