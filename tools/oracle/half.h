/* SPDX-License-Identifier: BSD-2-Clause */
/** @file half.h @brief Converts binary16 and bfloat16 from and to numbers, by their definition. */
#ifndef SCANRT_ORACLE_HALF_H
#define SCANRT_ORACLE_HALF_H

#include <stdint.h>

#include <scanrt/scan.h>

/** 1 for SCAN_F16 and SCAN_BF16. */
int half_is(scan_type type);

/** Returns the exact value of the bits. */
double half_value(scan_type type, uint16_t bits);

/** Returns the nearest element, in a tie the even one; from half a step beyond the largest element on infinity. */
uint16_t half_nearest(scan_type type, double value);

#endif
