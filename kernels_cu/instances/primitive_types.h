/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes the file that PRIMITIVE names for every type, as primitive_units.h does for unsigned integers. */
#include "instances/primitive_units.h"
#define SCAN_TYPE 9
#define SCAN_SUFFIX _f32
namespace f32 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
#define SCAN_TYPE 10
#define SCAN_SUFFIX _f64
namespace f64 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
#define SCAN_TYPE 11
#define SCAN_SUFFIX _f16
namespace f16 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
#define SCAN_TYPE 12
#define SCAN_SUFFIX _bf16
namespace bf16 {
#include PRIMITIVE
}
#include "instances/primitive_end.h"
