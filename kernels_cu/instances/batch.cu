// SPDX-License-Identifier: BSD-2-Clause
// Many lines at once, and scans from the last element to the first, for one type (SCAN_TYPE): add, mul and min, from
// kernels_cl/batch/. min also serves maxima and signed integers, whose values the backend asks to flip
// (kernels_cl/lib/flip.h). Kernels are named as in module.cu; the names of backward scans end with _backward.
#if !defined(SCAN_IN_TYPE) || !defined(SCAN_TYPE)
#error "SCAN_IN_TYPE and SCAN_TYPE must be given"
#endif
#if SCAN_IN_TYPE != SCAN_TYPE || (SCAN_TYPE < 9 && SCAN_TYPE % 2 == 1)
#error "signed integers have no images of their own, and widening sums none"
#endif
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_SHUFFLE 1
#define SCAN_PTX 1
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT TUNE_GROUPS_PER_UNIT
#define SCAN_OP 1
#define SCAN_OP_NAME add
#include "instances/batch_operator.h"
#define SCAN_OP 2
#define SCAN_OP_NAME mul
#include "instances/batch_operator.h"
#define SCAN_FLIPS 1
#define SCAN_OP 3
#define SCAN_OP_NAME min
#include "instances/batch_operator.h"
