/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts of types.def as functions. */
#ifndef SCANRT_TYPES_H
#define SCANRT_TYPES_H

#include <scanrt/scan.h>

#include "base/processor.h"

int scan_type_is_float(scan_type type);
int scan_type_is_signed(scan_type type);

/* 1 if the type is stored in 16 bits and scanned in binary32 (half.h). */
int scan_type_is_half(scan_type type);

/* Returns the type of the same size whose kernel gives the same bits for `op`: the unsigned one if the sign is
 * irrelevant. */
scan_type scan_type_for_kernel(scan_type type, scan_op_id op);

/* Returns the bits of the operator's exact identity, in the low bytes (-0.0 for floating-point sums). */
uint64_t scan_identity_bits(scan_type type, scan_op_id op);

/* 1 if two keys belong to different segments. They are compared as C compares their type: a NaN differs from every
 * key. */
int scan_keys_differ(scan_type type, const void *a, const void *b);

/* Returns the bits of a value of that type, in the low bytes. */
uint64_t scan_value_bits(scan_type type, const scan_value *value);

#endif
