// SPDX-License-Identifier: BSD-2-Clause
// One module: every operator on one pair of types (SCAN_IN_TYPE, SCAN_TYPE), compiled from the portable kernels, or
// from the pipelined one (pipelined.cu). Each operator and tile size is a namespace; kernels are named
// <kernel>_<operator>_s<subtiles>, as backend_cuda.c asks.
#if !defined(SCAN_IN_TYPE) || !defined(SCAN_TYPE)
#error "SCAN_IN_TYPE and SCAN_TYPE must be given"
#endif
#include "lib/dialect.h"
#include "tuning.h"
#define SCAN_SHUFFLE 1
#define SCAN_PTX 1
#define SCAN_GROUP_ITEMS TUNE_GROUP_ITEMS
#define SCAN_GROUPS_PER_UNIT TUNE_GROUPS_PER_UNIT

#define SCAN_IS_FLOAT (SCAN_TYPE >= 9)
#define SCAN_IS_SIGNED (SCAN_TYPE <= 8 && SCAN_TYPE % 2 == 1)
#define SCAN_IS_WIDENING (SCAN_IN_TYPE != SCAN_TYPE)

// With flipped values (kernels_cl/lib/flip.h) `min` also serves maxima and signed integers, and `and` serves `or`.
// Types for which that costs next to nothing do so. The pipelined scan of bytes fell from 85 to 79 % of a copy, of f64
// from 90 to 85, of i64 from 96 to 95 (H200).
#ifdef SCAN_MODULE_PIPELINED
#define SCAN_SERVES (SCAN_TYPE == 6)
#else
#define SCAN_SERVES (SCAN_TYPE == 6 || SCAN_TYPE == 8)
#endif

// Sums, products and bitwise operators of signed integers are compiled for the unsigned type only.
#if !SCAN_IS_SIGNED
#define SCAN_OP 1
#define SCAN_OP_NAME add
#include "instances/operator.h"
#endif
#if !SCAN_IS_WIDENING
#if !SCAN_IS_SIGNED
#define SCAN_OP 2
#define SCAN_OP_NAME mul
#include "instances/operator.h"
#endif
#if SCAN_SERVES
#define SCAN_FLIPS 1
#endif
#define SCAN_OP 3
#define SCAN_OP_NAME min
#include "instances/operator.h"
#if !SCAN_SERVES
#define SCAN_OP 4
#define SCAN_OP_NAME max
#include "instances/operator.h"
#endif
#if !SCAN_IS_SIGNED && !SCAN_IS_FLOAT
#define SCAN_OP 5
#define SCAN_OP_NAME and
#include "instances/operator.h"
#undef SCAN_FLIPS
#if !SCAN_SERVES
#define SCAN_OP 6
#define SCAN_OP_NAME or
#include "instances/operator.h"
#endif
#define SCAN_OP 7
#define SCAN_OP_NAME xor
#include "instances/operator.h"
#endif
#endif
