/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of primitive_units.h for 4 and 8 bytes. */
#define SCAN_TYPE 6
#define SCAN_SUFFIX _u32
namespace u32 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
#define SCAN_TYPE 8
#define SCAN_SUFFIX _u64
namespace u64 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
